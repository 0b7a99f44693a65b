package jit

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// TestMachineCodeStrides: positions times strides of 64 bits are machine code, also where numbers
// of 32 bits wrap or are negative, in loops, and as addresses that a loop moves on.
func TestMachineCodeStrides(t *testing.T) {
	needMachineCode(t)
	ks := kernelsOf(t, `
struct Sizes { int n; long row, column; ulong far; bool twice; };
kernel void strides(device char *out [[buffer(0)]], device const char *in [[buffer(1)]],
                    constant Sizes &s [[buffer(2)]], uint i [[thread_index_in_threadgroup]],
                    uint threads [[threads_per_threadgroup]]) {
  int sum = 0;
  for (int k = 2 * int(i); k < s.n; k += 2 * threads) {
    const float f = s.twice ? 2.0f : 1.0f;
    device const float *a = (device const float *)(in + (k % 64) * s.row + k * s.column);
    device float *to = (device float *)(out + k * s.column);
    to[0] = a[0] * f - a[1];
    to[1] = a[1] * f + a[0] + sum;
    sum += 3;
  }
}
kernel void wraps(device long *out [[buffer(0)]], device const char *in [[buffer(1)]],
                  constant Sizes &s [[buffer(2)]], uint i [[thread_index_in_threadgroup]]) {
  int a = int(i) * 20000000 - 7;
  uint b = i * 50000000 + 5;
  long sum = 0;
  for (int k = 0; k < 5; k++) {
    sum = sum * 3 + long(a) * s.row + long(ulong(b)) * s.column - (long(a) ^ long(b)) * k;
    if (sum & 4) sum += in[(long(a) * s.row + long(b)) & 1023];
    a += 300000000;
    b -= 700000000;
  }
  out[i] = sum;
}
kernel void moves(device int *out [[buffer(0)]], device const int *in [[buffer(1)]],
                  constant Sizes &s [[buffer(2)]], uint i [[thread_index_in_threadgroup]]) {
  device const int *p = in + i;
  device const int *q = p;
  int sum = 0;
  for (int k = 0; k < s.n; k++) {
    sum = sum * 5 + *p + (q == in + 3 ? 7 : 1);
    p += s.row / 4;
    if (sum & 8) q = p;
    sum ^= *q;
  }
  out[i] = sum;
}`)
	in := make([]byte, 1<<14)
	for i := range len(in) / 4 {
		binary.LittleEndian.PutUint32(in[4*i:], uint32((i*2654435761)>>7%4001))
	}
	for _, name := range []string{"strides", "wraps", "moves"} {
		for _, threads := range []int{1, 24, 32, 100, 256} {
			for _, sizes := range [][5]uint64{{500, 4, 4, 1, 0}, {900, 12, 8, 9, 1}, {1000, 8, 1<<37 + 8, 3, 1},
				{300, 1<<64 - 8, 8, 1, 0}} {
				var args []byte
				for _, x := range sizes {
					args = binary.LittleEndian.AppendUint64(args, x)
				}
				run := func(k *exec.Kernel) []byte {
					out := make([]byte, 1<<14)
					sp := &exec.Space{}
					sp.Set(1, exec.Object{Data: out[:5000]})
					sp.Set(2, exec.Object{Data: in[:9001], ReadOnly: true})
					sp.Set(3, exec.Object{Data: args, ReadOnly: true})
					e := exec.NewEngine(1)
					defer e.Close()
					require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{threads}, Group: [3]int{threads}, Space: sp,
						Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0)}}))
					return out
				}
				want := run(ks[name])
				for _, o := range machineCodes(Options{}, Options{Blocks: 1}, Options{Blocks: 2, Spill: true},
					Options{Cold: true}, Options{Starve: true}) {
					k := exec.NewKernel(ks[name].Func(), exec.Options{Backend: backend{Machine: o}})
					require.Equal(t, want, run(k), "%s, %d threads, %v, %+v", name, threads, sizes, o)
					if o.Blocks == 0 && threads == 256 {
						p, err := compiled(k, [3]int{threads, 1, 1})
						require.NoError(t, err)
						requireCompiled(t, p.lir, o, fmt.Sprintf("%s, %+v\n%v", name, o, p.lir))
					}
				}
			}
		}
	}
}
