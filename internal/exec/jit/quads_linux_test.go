package jit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// TestMachineCodeQuads: loads and stores of four numbers in a row by each thread give the
// interpreter's bits, also with loads between the stores, from other memory or from the same, and
// machine code touches no byte around the objects.
func TestMachineCodeQuads(t *testing.T) {
	needMachineCode(t)
	const text = `
kernel void quads(device T *out [[buffer(0)]], device const T *in [[buffer(1)]], device const T *w [[buffer(2)]],
                  constant uint &n [[buffer(3)]], uint i [[thread_position_in_grid]]) {
  T v[4];
  for (int k = 0; k < 4; k++) v[k] = in[i * 4 + k];
  if (i * 3 % 8 != 5 && i < n) {
    for (int k = 0; k < 4; k++) out[4 * i + k] = T(v[k] * T(3)) + w[4 * i + 3 - k] * v[(k + 1) % 4];
  } else if (i % 2) {
    for (int k = 3; k >= 0; k--) out[4 * i + k] = v[3 - k];
  }
}
kernel void streams(device T *out [[buffer(0)]], device const T *in [[buffer(1)]], device const T *w [[buffer(2)]],
                    constant uint &n [[buffer(3)]], uint i [[thread_position_in_grid]],
                    uint threads [[threads_per_grid]]) {
  for (uint r = 0; r < 2; r++) {
    const uint at = 4 * (i + r * threads / 2);
    if (i < threads / 2)
      for (int k = 0; k < 4; k++) out[at + k] = in[at + k] * T(3);
    if (i < threads / 2 && i % 3 != 1)
      for (int k = 0; k < 4; k++) out[at + 3 - k] = in[at + k] + w[at + (k ^ 1)];
    if (i * 2 < n)
      for (int k = 0; k < 3; k++) out[at + k] = in[at + k + 1];
  }
}`
	e := exec.NewEngine(1)
	defer e.Close()
	for typ, size := range map[string]int{"float": 4, "int": 4, "half": 2, "ushort": 2, "short": 2, "uchar": 1} {
		for _, k := range kernelsOf(t, "#define T "+typ+"\n"+text) {
			testQuads(t, e, typ, size, k)
		}
	}
}

func testQuads(t *testing.T, e *exec.Engine, typ string, size int, k *exec.Kernel) {
	t.Helper()
	codes := map[Options]*exec.Kernel{}
	for _, o := range machineCodes(Options{}, Options{Blocks: 1}, Options{Spill: true},
		Options{Cold: true}) {
		codes[o] = exec.NewKernel(k.Func(), exec.Options{Backend: backend{Machine: o}})
	}
	for _, group := range []int{32, 50, 256} {
		for _, less := range []int{0, 1, 2, 9, 130} {
			for alias := range 3 { // w is memory of its own, out, or out and in are
				threads := 2 * group
				out := fenced(t, size*(4*threads-less))
				memory := [3][]byte{out, fenced(t, size*(4*threads-less/2)), fenced(t, size*(4*threads-less/3))}
				for i := range alias {
					memory[2-i] = out
				}
				run := func(k *exec.Kernel) []byte {
					sp := &exec.Space{}
					for j, m := range memory {
						for i := range m {
							m[i] = byte(i*i>>3+7*i+j) & 0x3b // no NaN
						}
						sp.Set(uint32(j+1), exec.Object{Data: m})
					}
					sp.Set(4, exec.Object{Data: words(uint32(threads - 7)), ReadOnly: true})
					require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{threads}, Group: [3]int{group}, Space: sp,
						Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0), exec.Address(4, 0)}}))
					return append([]byte(nil), out...)
				}
				want := run(k)
				for o, code := range codes {
					require.Equal(t, want, run(code), "%s, groups of %d, %d less, %d, %+v", typ, group, less, alias, o)
				}
			}
		}
	}
}
