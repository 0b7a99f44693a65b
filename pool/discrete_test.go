package pool

import (
	"testing"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDiscrete: a device with its own memory has no heaps of shared memory; such blocks come
// directly from the device.
func TestDiscrete(t *testing.T) {
	p := newPool(t, device(t), Options{})
	p.unified = false
	for _, c := range []struct {
		storage       mtl.StorageMode
		heaps, direct int
	}{
		{mtl.StorageModeShared, 0, 1},
		{mtl.StorageModePrivate, 1, 1},
	} {
		b, err := p.Rent(100, Kind{Storage: c.storage})
		require.NoError(t, err)
		s := p.Stats()
		assert.Equal(t, []int{c.heaps, c.direct}, []int{s.Heaps, s.Direct}, "%v", c.storage)
		require.NoError(t, b.Return())
	}
}
