package vm

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

const tallyKernels = `
// A thread sees its own additions in loads of the same and other kinds, through either of two pointers, and so do other threads after a barrier.
kernel void own(device atomic_uint *count [[buffer(0)]], device uint *same [[buffer(1)]], device uint *out [[buffer(2)]], device const uint *in [[buffer(3)]], constant uint &rounds [[buffer(4)]],
                uint i [[thread_position_in_grid]]) {
  uint seen = 0;
  for (uint k = 0; k < rounds; k++) {
    atomic_fetch_add_explicit(&count[in[i]], k + 1, memory_order_relaxed);
    if (k % 7 == 3) seen += same[in[i]];
    if (k % 7 == 5) seen += atomic_load_explicit(&count[in[i]], memory_order_relaxed);
    if (k % 7 == 6) same[in[i]] += 2;
  }
  out[i] = seen;
}
kernel void behind(device atomic_uint *count [[buffer(0)]], device uint *same [[buffer(1)]], device uint *out [[buffer(2)]], device const uint *in [[buffer(3)]], constant uint &rounds [[buffer(4)]],
                   uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
  for (uint k = 0; k < rounds; k++)
    atomic_fetch_add_explicit(&count[g * 300 + in[t] % 300], 1u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_device);
  out[i] = same[g * 300 + t];
}
// Counts without end or bounds: words that collide in the table, that do not exist, and sums that wrap.
kernel void many(device atomic_uint *count [[buffer(0)]], device uint *same [[buffer(1)]], device uint *out [[buffer(2)]], device const uint *in [[buffer(3)]], constant uint &rounds [[buffer(4)]],
                 uint i [[thread_position_in_grid]]) {
  for (uint k = 0; k < rounds; k++)
    atomic_fetch_add_explicit(&count[in[i] * 17 + k % 5 * 1024], 0x30000001u, memory_order_relaxed);
}
`

// TestTally: combined additions give the same results as single ones.
func TestTally(t *testing.T) {
	ks := kernelsOf(t, tallyKernels)
	const threads, group, bins = 2400, 300, 4000
	for _, workers := range []int{1, 2} {
		e := exec.NewEngine(workers)
		for _, rounds := range []uint32{1, 8, 300} {
			for name, k := range ks {
				k := exec.NewKernel(k.Func(), exec.Options{Backend: Backend{}}) // its tally is not being bypassed
				in := make([]uint32, threads)
				for i := range in {
					in[i] = uint32(i) // a separate one for each thread
					if name == "behind" {
						in[i] = uint32(i*i) % 600
					}
				}
				count, out := make([]byte, 4*bins), make([]byte, 4*threads)
				want, wantOut := make([]uint32, bins), make([]uint32, threads)
				for i := range in {
					for k := range rounds {
						switch name {
						case "own":
							want[in[i]] += k + 1
							if k%7 == 3 || k%7 == 5 {
								wantOut[i] += want[in[i]]
							}
							if k%7 == 6 {
								want[in[i]] += 2
							}
						case "behind":
							want[uint32(i/group)*300+in[i%group]%300]++
						case "many":
							if at := in[i]*17 + k%5*1024; at < bins {
								want[at] += 0x30000001
							}
						}
					}
				}
				if name == "behind" {
					for i := range wantOut {
						wantOut[i] = want[i/group*300+i%group]
					}
				}
				sp := &exec.Space{}
				sp.Set(1, exec.Object{Data: count})
				sp.Set(2, exec.Object{Data: count})
				sp.Set(3, exec.Object{Data: out})
				sp.Set(4, exec.Object{Data: words(in...), ReadOnly: true})
				sp.Set(5, exec.Object{Data: words(rounds), ReadOnly: true})
				p, err := compiled(k, [3]int{group, 1, 1})
				require.NoError(t, err)
				require.True(t, p.tallied, name)
				require.NoError(t, e.Run(context.Background(), k,
					&exec.Launch{Grid: [3]int{threads}, Group: [3]int{group}, Space: sp,
						Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0), exec.Address(4, 0),
							exec.Address(5, 0)}}))
				for i := range want {
					require.Equal(t, want[i], binary.LittleEndian.Uint32(count[4*i:]), "%s, %d rounds, %d workers: word %d", name,
						rounds, workers, i)
				}
				for i := range wantOut {
					require.Equal(t, wantOut[i], binary.LittleEndian.Uint32(out[4*i:]), "%s, %d rounds, %d workers: thread %d", name,
						rounds, workers, i)
				}
			}
		}
	}
}
