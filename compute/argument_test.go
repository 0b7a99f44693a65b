package compute

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTextureArray: an array of textures is not taken for a texture, of which one argument would be
// bound and the others missing.
func TestTextureArray(t *testing.T) {
	a := accelerator(t)
	program, err := a.Compile(t.Context(), `
kernel void several(metal::array<metal::texture2d<float, metal::access::read>, 3> all, device float *x) { x[0] = all[1].read(uint2(0)).x; }
kernel void one(metal::texture2d<float, metal::access::read> all, device float *x) { x[0] = all.read(uint2(0)).x; }`, CompileOptions{})
	require.NoError(t, err)
	defer program.Close()
	for name, kind := range map[string]ParameterKind{"several": OtherParameter, "one": TextureParameter} {
		k, err := program.Kernel(name)
		require.NoError(t, err)
		assert.Equal(t, kind, k.Parameters()[1].Kind, name)
	}
	several, err := program.Kernel("several")
	require.NoError(t, err)
	x, err := NewBuffer[float32](a, 1, BufferOptions{})
	require.NoError(t, err)
	defer x.Close()
	_, err = several.Bind(Threads1D(1), x)
	assert.ErrorContains(t, err, "other argument 0 (all): missing; it is one that launches cannot set")
}
