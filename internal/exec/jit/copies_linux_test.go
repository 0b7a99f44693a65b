package jit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// TestMachineCodeCopies: assignments of structures give the interpreter's bits, also where part of
// one is outside of a buffer, or two overlap, and machine code touches no byte around the objects.
// With AVX-512 they are in ranges.
func TestMachineCodeCopies(t *testing.T) {
	needMachineCode(t)
	const text = `
struct Part { uchar bytes[N]; };
struct Words { uint a[12]; uint i; };
struct Sizes { uint from, to, step, mask; };
kernel void copies(device uchar *out [[buffer(0)]], device const uchar *in [[buffer(1)]],
                   constant Sizes &s [[buffer(2)]], uint i [[thread_index_in_threadgroup]],
                   uint g [[threadgroup_position_in_grid]]) {
  threadgroup uchar shared[64 * 70];
  Words w = {}, x;
  for (uint k = 0; k < 12; k++) w.a[(k * 5 + i) % 12] = k * i;
  w.i = i % 12;
  x = w;
  if (i % 5 == 2) { w = {}; w.a[x.a[1] % 12] = 7; }
  for (uint k = 0; k < 3; k++) {
    const uint at = i * 64 + k;
    *(threadgroup Part *)&shared[at] = *(device const Part *)&in[s.from + at * s.step];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if ((i & s.mask) == 0)
      *(device Part *)&out[s.to + at] = *(threadgroup const Part *)&shared[(i ^ 1) * 64 + k];
    *(device Part *)&out[g * 8192 + i * 64 + 5000] = *(device const Part *)&out[g * 8192 + i * 64 + 4998 + k];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  ((device uint *)(out + 40000))[g * 64 + i] = w.a[w.i] + x.a[(x.i + 1) % 12] * 3;
}`
	e := exec.NewEngine(1)
	defer e.Close()
	for _, n := range []string{"4", "8", "12", "16", "28", "32", "60", "64"} {
		k := kernelsOf(t, "#define N "+n+"\n"+text)["copies"]
		for _, o := range machineCodes(Options{}, Options{Blocks: 1}, Options{Spill: true},
			Options{Cold: true}) {
			code := exec.NewKernel(k.Func(), exec.Options{Backend: backend{Machine: o}})
			for _, group := range []int{32, 50, 64} {
				for _, s := range [][]uint32{{0, 0, 1, 0}, {1, 3, 1, 1}, {9900, 100, 1, 2}, {10000 - 64*64, 43000, 1, 0},
					{1, 20001, 2, 4},
					{0xffffffd0, 0xfffffff0, 1, 8}} {
					run := func(k *exec.Kernel) []byte {
						out, in := fenced(t, 43003), fenced(t, 10001)
						for i := range in {
							in[i] = byte(i*i>>3 + 7*i)
						}
						sp := &exec.Space{}
						sp.Set(1, exec.Object{Data: out})
						sp.Set(2, exec.Object{Data: in, ReadOnly: true})
						sp.Set(3, exec.Object{Data: words(s...), ReadOnly: true})
						require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{2 * group}, Group: [3]int{group}, Space: sp,
							Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0)}}))
						return append([]byte(nil), out...)
					}
					require.Equal(t, run(k), run(code), "%s bytes, groups of %d, %v, %+v", n, group, s, o)
				}
			}
			if o.Vectors() != Fastest || o.Blocks > 0 || o.Cold || o.Spill {
				continue
			}
			p, err := compiled(code, [3]int{64, 1, 1})
			require.NoError(t, err)
			copies := 0
			for pc := range p.lir.Code {
				if !p.lir.Code[pc].IsCopy() {
					continue
				}
				inside := false
				for _, r := range p.ranges {
					inside = inside || r.From <= pc && pc < r.To
				}
				require.True(t, inside, p.lir.Text(pc))
				copies++
			}
			require.Positive(t, copies)
		}
	}
}
