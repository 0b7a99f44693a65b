package jit

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// TestMachineCodeAssumedSteps: where an argument is the distance of lanes or of addresses, the
// results are the interpreter's whatever its value, and machine code touches no byte around the
// object. With a distance of one element, the code that is compiled first is enough.
func TestMachineCodeAssumedSteps(t *testing.T) {
	needMachineCode(t)
	const text = `
struct Sizes { uint by; int start, next, behind; };
kernel void four(device T *out [[buffer(0)]], device const T *in [[buffer(1)]], constant Sizes &s [[buffer(2)]],
                 uint t [[thread_position_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
  device const T *x = in + s.start + s.by * t * 4;
  device T *y = out + g * 2048 + t * 4;
  for (int i = 0; i < 4; i++) {
    y[i] = x[s.by * i] * T(3) + T(g);
  }
  if (t % 3 != 1) {
    y[s.behind] = x[0] + x[s.next] * T(2) + x[s.next * 2] + x[s.next * 3] * T(5);
  }
}
kernel void one(device T *out [[buffer(0)]], device const T *in [[buffer(1)]], constant Sizes &s [[buffer(2)]],
                uint t [[thread_position_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
  for (uint k = 0; k < 3; k++) {
    T x = in[s.start + int(s.by * t + k)] * T(7);
    if (t % 5 != 2) x += in[s.start + int(s.by * t)];
    if (s.by != 0) out[g * 2048 + s.by * t] += x;
  }
}`
	e := exec.NewEngine(1)
	defer e.Close()
	for typ, size := range map[string]int{"float": 4, "uint": 4, "half": 2, "ushort": 2, "uchar": 1} {
		ks := kernelsOf(t, "#define T "+typ+"\n"+text)
		for _, name := range []string{"four", "one"} {
			for _, threads := range []int{512, 96, 40} {
				codes, ranges := map[Options]*exec.Kernel{}, map[Options][]*Range{}
				for _, o := range machineCodes(Options{}, Options{Blocks: 1}, Options{Cold: true},
					Options{Whole: true}) {
					codes[o] = exec.NewKernel(ks[name].Func(), exec.Options{Backend: backend{Machine: o,
						compiled: func(r []*Range) { ranges[o] = r }}})
				}
				for i, s := range [][4]int{{1, 0, 1, 0}, {1, 0, 1, 4097}, {1, 3, 1, 1}, {1, 0, 2, 0}, {1, 0, -1, 2}, {2, 1, 1, 0},
					{4, 0, 4, 2}, {0, 5, 0, 3}, {1 << 23, 0, 1 << 23, 1}, {1<<32 - 1, 4 * threads, -1, 0}, {1, -2, 1, 0}} {
					for _, less := range []int{0, 2, 3 * threads} {
						var args []byte
						for _, x := range s {
							args = binary.LittleEndian.AppendUint32(args, uint32(x))
						}
						in, out := fenced(t, size*max(4*threads*min(s[0], 4)+s[1]+10-less, 1)), fenced(t, size*8192)
						fillSmall(in)
						run := func(k *exec.Kernel) []byte { return runFenced(t, e, k, 2*threads, threads, out, in, args) }
						want := run(ks[name])
						for o, code := range codes {
							bytes := func() (n int) {
								for _, r := range ranges[o] {
									_, m := r.Code()
									n += int(m)
								}
								return n
							}
							before := bytes()
							require.Equal(t, want, run(code), "%s of %s, %d threads, %v, %d less, %+v", name, typ, threads, s, less, o)
							if before > 0 && i < 2 && less == 0 && threads == 512 {
								require.Equal(t, before, bytes(), "%s of %s, %v, %+v", name, typ, s, o)
							}
						}
					}
				}
			}
		}
	}
}
