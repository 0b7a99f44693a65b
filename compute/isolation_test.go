package compute

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestIsolation: a launch of an isolated accelerator reaches its arguments and no other buffer, not
// even one of its own accelerator. Where the device cannot isolate, there is no such accelerator.
func TestIsolation(t *testing.T) {
	all, err := Devices()
	require.NoError(t, err)
	if !all[0].Software {
		_, err := Open(WithIsolation())
		require.ErrorIs(t, err, ErrNoDevice)
		require.ErrorContains(t, err, "isolates kernels")
		return
	}
	plantsMistakes(t)
	const source = `kernel void forge(device uint *own [[buffer(0)]], constant ulong &address [[buffer(1)]]) {
    own[0] = 1;
    *reinterpret_cast<device uint *>(address) = 2;
}`
	for name, c := range map[string]struct {
		options []Option
		want    uint32
	}{"isolated": {[]Option{WithIsolation()}, 0}, "not isolated": {nil, 2}} {
		if v := os.Getenv("PUREMETAL_SOFTWARE_ISOLATION"); v != "" && v != "0" {
			c.want = 0 // whatever the option says
		}
		t.Run(name, func(t *testing.T) {
			a := accelerator(t, c.options...)
			p := compile(t, a, source, CompileOptions{})
			defer p.Close()
			k := kernel(t, p, "forge")
			own, foreign := bufferOf(t, a, uint32(0)), bufferOf(t, a, uint32(0))
			address := foreign.owner.Mem.Buffer.GPUAddress()
			s := newStream(t, a)
			for range 2 {
				require.NoError(t, s.Launch(t.Context(), k, Threads1D(1), own, address))
				require.NoError(t, s.Sync(t.Context()))
				s.mu.Lock()
				s.metal.release() // as after a long idle time; the next queue is isolated too
				s.mu.Unlock()
			}
			got := make([]uint32, 1)
			require.NoError(t, own.Download(t.Context(), got))
			assert.EqualValues(t, 1, got[0])
			require.NoError(t, foreign.Download(t.Context(), got))
			assert.Equal(t, c.want, got[0])
		})
	}
}
