package compute

import (
	"testing"

	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
)

// TestInfo: the properties derived from a device's name and families.
func TestInfo(t *testing.T) {
	for name, want := range map[string]float64{"Apple M1": 68.25, "Apple M3": 100, "Apple M3 Pro": 150,
		"Apple M4 Max": 410, "Apple M2 Ultra": 800, "Apple M99": 0, "M1": 0, "AMD Radeon Pro 5500M": 0} {
		assert.Equal(t, want, bandwidth(name), name)
	}
	assert.True(t, Info{Families: []mtl.GPUFamily{mtl.GPUFamilyMetal3, mtl.GPUFamilyApple7}}.appleSilicon())
	assert.False(t, Info{Families: []mtl.GPUFamily{mtl.GPUFamilyMac2}}.appleSilicon())
	assert.True(t, Info{Families: []mtl.GPUFamily{mtl.GPUFamilyApple7}}.HasSimdgroupMatrices())
	for _, older := range []mtl.GPUFamily{mtl.GPUFamilyMac2, mtl.GPUFamilyMetal3, mtl.GPUFamilyApple6} {
		assert.False(t, Info{Families: []mtl.GPUFamily{older}}.HasSimdgroupMatrices(), "%v", older)
	}
	a := accelerator(t)
	i := a.Info()
	assert.Equal(t, map[bool]int{true: 6, false: 4}[i.appleSilicon()], a.streams, "streams in turn")
	assert.Positive(t, i.Memory)
	assert.Positive(t, i.Limits.RecommendedMaxWorkingSetSize)
	assert.EqualValues(t, 32, i.SIMDWidth)
	assert.NotEmpty(t, i.Families)
	assert.Contains(t, i.String(), i.Name)
}
