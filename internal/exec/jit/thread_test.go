package jit

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// threadKernels use arrays that their threads have for themselves, of elements of a type TYPE: at
// indices that they share or not, signed and unsigned, and also outside.
const threadKernels = `
struct pair { TYPE first, second; };
TYPE get(thread TYPE *p, int at) { return p[at]; }
kernel void arrays(device TYPE *out [[buffer(0)]], device const int *in [[buffer(1)]],
                   uint i [[thread_position_in_grid]]) {
  TYPE a[9];
  pair b[5];
  TYPE padding[3];
  for (int k = 0; k < 9; k++) a[in[k] & 15] = TYPE(in[i + k]);
  for (int k = 0; k < 5; k++) b[k].second = TYPE(in[i + 2 * k]);
  TYPE sum = 0;
  for (int k = 0; k < 20 + in[i] % 4; k++) {
    uint n = uint(in[i * 7 % 64 + k]) & 15;
    a[n] = a[(n * 5 + 1) & 15] + TYPE(k);
    b[(n + k) % 6].first = a[k];
    if (in[i + k] & 1) {
      sum += get(a, (in[i + 1] & 15) - 4) * 3 + b[in[i + k] & 7].second;
      padding[n & 3] = sum;
      b[n >> 1].second = get(a + (n & 3), in[k] & 3);
    }
    sum += b[k & 7].first + padding[in[k] & 1] + get(&b[0].first, int(n) - 2);
  }
  out[i] = sum;
}
kernel void few(device TYPE *out [[buffer(0)]], device const int *in [[buffer(1)]],
                uint i [[thread_position_in_grid]]) {
  TYPE a[6];
  TYPE sum = 0;
  for (int k = 0; k < 20 + in[i] % 4; k++) {
    a[uint(in[i * 7 % 64 + k]) & 7] = TYPE(in[i + k]);
    sum += a[in[k] & 3] + get(a + (in[i] & 1), (in[i + 1] & 7) - 2);
    if (in[k] & 2) a[in[k + 1] & 7] = sum;
  }
  out[i] = sum;
}`

// TestMachineCodeThreadMemory: threads access their own memory as in the interpreter, in
// threadgroups that fill their last vector or not.
func TestMachineCodeThreadMemory(t *testing.T) {
	needMachineCode(t)
	rng := rand.New(rand.NewPCG(3, 4))
	in := make([]byte, 4*1000)
	for i := 0; i < len(in); i += 4 {
		binary.LittleEndian.PutUint32(in[i:], rng.Uint32()>>rng.UintN(31))
	}
	for _, typ := range []string{"float", "int", "uchar", "ushort", "half", "long"} {
		ks := kernelsOf(t, strings.ReplaceAll(threadKernels, "TYPE", typ))
		for n, threads := range []int{1, 20, 32, 100, 256, 300, 1, 20, 32, 100, 256, 300} {
			name := []string{"arrays", "few"}[n/6]
			k := ks[name]
			run := func(k *exec.Kernel) []byte {
				out := make([]byte, sizeOf(typ)*threads)
				sp := &exec.Space{}
				sp.Set(1, exec.Object{Data: out})
				sp.Set(2, exec.Object{Data: in, ReadOnly: true})
				e := exec.NewEngine(1)
				defer e.Close()
				require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{threads}, Group: [3]int{threads},
					Space: sp, Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}}))
				sameNaNs(typ, out)
				return out
			}
			want := run(k)
			for _, o := range machineCodes(Options{}, Options{Blocks: 1}, Options{Spill: true, Cold: true}) {
				k := exec.NewKernel(k.Func(), exec.Options{Backend: backend{Machine: o}})
				require.Equal(t, want, run(k), "%s of %s, %d threads, %+v", name, typ, threads, o)
				p, err := compiled(k, [3]int{threads, 1, 1})
				require.NoError(t, err)
				// With options and for long integers, the code of the first may be too long.
				if threads > 1 && (name == "few" || o.Blocks == 0 && !o.Spill && typ != "long") {
					requireCompiled(t, p.lir, o, typ)
				}
			}
		}
	}
}
