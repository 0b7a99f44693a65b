package analyze

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fake is a registry in memory, which counts what is not released. A service has the number of the
// property, 0 for none; a negative one is no integer.
func fake(live *int, status int32, services ...int64) *registry {
	at := 0
	return &registry{
		services: func(class string) (uint32, int32) {
			if class != "AGXAccelerator" {
				return 0, -1
			}
			if status == 0 {
				*live++
			}
			return 1, status
		},
		next: func(uint32) uint32 {
			if at == len(services) {
				return 0
			}
			at++
			*live++
			return uint32(1 + at)
		},
		free: func(uint32) { *live-- },
		property: func(service uint32, key string) uintptr {
			n := services[service-2]
			if key != "gpu-core-count" || n == 0 {
				return 0
			}
			*live++
			return uintptr(service)
		},
		number:  func(value uintptr) (int64, bool) { n := services[value-2]; return n, n > 0 },
		release: func(uintptr) { *live-- },
	}
}

// TestCores: the first service with the property counts, odd values are errors, and everything is
// released.
func TestCores(t *testing.T) {
	for _, c := range []struct {
		status   int32
		services []int64
		want     int
		err      string
	}{
		{0, []int64{10}, 10, ""},
		{0, []int64{0, 38, 5}, 38, ""},
		{0, nil, 0, "no AGXAccelerator has gpu-core-count"},
		{0, []int64{0, 0}, 0, "no AGXAccelerator has gpu-core-count"},
		{0, []int64{-1}, 0, "gpu-core-count is not an integer"},
		{0, []int64{1025}, 0, "gpu-core-count is 1025, want 1 to 1024"},
		{-536870206, nil, 0, "status 0xe00002c2"},
	} {
		live := 0
		n, err := fake(&live, c.status, c.services...).cores()
		assert.Equal(t, c.want, n, "%+v", c)
		assert.Zero(t, live, "%+v: not released", c)
		if c.err == "" {
			assert.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, errUnknownGPU)
		assert.ErrorContains(t, err, c.err)
	}
}

// TestFind: nothing is claimed where the system does not tell.
func TestFindGPU(t *testing.T) {
	g, err := findGPU()
	if runtime.GOOS != "darwin" {
		assert.Equal(t, chipGPU{}, g)
		require.ErrorIs(t, err, errUnknownGPU)
		return
	}
	if err == nil {
		assert.NotEmpty(t, g.Chip)
		assert.Positive(t, g.Cores)
	}
}
