package vm

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// TestForeignAddresses: addresses of no object or of the engine's own memory read 0 and write
// nothing, and read-only memory is not written.
func TestForeignAddresses(t *testing.T) {
	ks := kernelsOf(t, `
kernel void reads(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]], uint i [[thread_position_in_grid]]) { out[i] = in[i] + in[(i * 13) & 63] + in[3] + 1; in[i] = 9; in[(i * 13) & 63] = 9; in[3] = 9; }
kernel void adds(device uint *out [[buffer(0)]], device atomic_uint *in [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  threadgroup uint s[4]; uint own[3] = {i, i, i}; s[i & 3] = 5; own[i % 3]++;
  out[i] = atomic_fetch_add_explicit(&in[i & 3], 1u, memory_order_relaxed) + atomic_fetch_add_explicit(&in[2], 1u, memory_order_relaxed) + own[i % 3] - i;
}`)
	e := exec.NewEngine(1)
	for name, k := range ks {
		for _, addr := range []uint64{0, 16, exec.Address(2, 0), exec.Address(77, 0), exec.Address(77, 1<<39),
			exec.Address(1, 1<<39), exec.Address(exec.MaxObject, 4), exec.FirstGlobal << 40, exec.FirstShared << 40,
			exec.FirstSharedArg << 40, exec.FirstAlloca << 40, 1<<64 - 1, 1<<63 + 5} {
			sp, out, frozen := &exec.Space{}, make([]byte, 256), make([]byte, 256)
			sp.Set(1, exec.Object{Data: out})
			sp.Set(2, exec.Object{Data: frozen, ReadOnly: true})
			sp.Set(77, exec.Object{Data: make([]byte, 8)})
			sp.Set(77, exec.Object{})
			l := &exec.Launch{Grid: [3]int{64}, Group: [3]int{32}, Space: sp, Buffers: []uint64{exec.Address(1, 0), addr}}
			require.NoError(t, e.Run(context.Background(), k, l))
			for i := range 64 {
				require.Equal(t, words(1), out[4*i:4*i+4], "%s at %#x, thread %d", name, addr, i)
			}
			require.Equal(t, make([]byte, 256), frozen, "%s at %#x", name, addr)
		}
	}
}
