package exectest

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/jit"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

const narrowKernels = `
// Rounds that differ by lane, with continue, break and return, an array of each lane's own, and lanes that come back after others have left.
kernel void rounds(device uint *out [[buffer(0)]], device const uint *n [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  uint a[4] = {i, 1, 2, 3};
  uint sum = 0;
  for (uint k = 0; k < n[i]; k++) {
    if ((k + i) % 3 == 0) continue;
    if (i < 20 && k > 2) {
      for (uint j = 0; j < i % 5; j++) {
        a[j % 4] += k;
        if (i < 3) break;
        sum += a[(j + 1) % 4];
      }
    }
    if (k == 9 && i % 2 == 1) break;
    a[k % 4] += i + k;
    if (k == 12 && i < 9) { out[i] = 1000 + sum + a[0]; return; }
    sum += a[k % 4];
  }
  if (i < 40) sum += a[i % 4] * 7;
  out[i] = sum + a[3];
}
// A tree, followed by something that all lanes do.
kernel void tree(device uint *out [[buffer(0)]], device const uint *n [[buffer(1)]], uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]], uint all [[threads_per_threadgroup]],
                 uint g [[threadgroup_position_in_grid]]) {
  threadgroup uint s[1024];
  s[t] = n[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint d = 512; d > 0; d >>= 1) {
    if (t < d && t + d < all) s[t] += s[t + d];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  out[i] = s[0] + t * g;
}
`

// roundsOf is the kernel rounds in Go.
func roundsOf(i, n uint32) uint32 {
	a := [4]uint32{i, 1, 2, 3}
	sum := uint32(0)
	for k := range n {
		if (k+i)%3 == 0 {
			continue
		}
		if i < 20 && k > 2 {
			for j := range i % 5 {
				a[j%4] += k
				if i < 3 {
					break
				}
				sum += a[(j+1)%4]
			}
		}
		if k == 9 && i%2 == 1 {
			break
		}
		a[k%4] += i + k
		if k == 12 && i < 9 {
			return 1000 + sum + a[0]
		}
		sum += a[k%4]
	}
	if i < 40 {
		sum += a[i%4] * 7
	}
	return sum + a[3]
}

// TestNarrow: temporarily shortened strips give the same results as full ones, in threadgroups of
// any size.
func TestNarrow(t *testing.T) {
	e := exec.NewEngine(1)
	for _, f := range testlaunch.Compile(t, narrowKernels) {
		for _, group := range []int{1, 5, 31, 32, 33, 100, 256, 257, 300, 1000, 1024} {
			total := 2 * group
			n := make([]uint32, total)
			for i := range n {
				n[i] = uint32(i*i*7+i) % 23
				if i%50 > 16 {
					n[i] %= 4 // few lanes continue for long
				}
			}
			want := make([]uint32, total)
			for i := range want {
				if f.Name == "rounds" {
					want[i] = roundsOf(uint32(i), n[i])
					continue
				}
				g := i / group
				for _, x := range n[g*group:][:group] {
					want[i] += x
				}
				want[i] += uint32(i % group * g)
			}
			for _, o := range []vm.Backend{{}, {PlainGo: true}, {Strip: 32}, {Strip: 64, PlainGo: true},
				{Machine: jit.Options{}}, {Machine: jit.Options{AVX2: true}}} {
				sp, out := &exec.Space{}, make([]byte, 4*total)
				sp.Set(1, exec.Object{Data: out})
				sp.Set(2, exec.Object{Data: testlaunch.Words(n...), ReadOnly: true})
				require.NoError(t, e.Run(context.Background(), exec.NewKernel(f, exec.Options{Backend: o}),
					&exec.Launch{Grid: [3]int{total}, Group: [3]int{group}, Space: sp,
						Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}}))
				for i := range want {
					require.Equal(t, want[i], binary.LittleEndian.Uint32(out[4*i:]),
						"%s in threadgroups of %d, %+v: thread %d", f.Name, group, o, i)
				}
			}
		}
	}
}
