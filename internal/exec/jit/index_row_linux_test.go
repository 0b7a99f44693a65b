package jit

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// TestMachineCodeIndicesInRow: indices that lanes have computed, and that count up, get the
// interpreter's bits, also if they wrap, some are outside of the object, or one is out of line, and
// machine code touches no byte around the object.
func TestMachineCodeIndicesInRow(t *testing.T) {
	needMachineCode(t)
	const text = `
struct Places { long base; uint first, zero, odd, mask; };
kernel void row(device T *out [[buffer(0)]], device const T *in [[buffer(1)]], constant Places &p [[buffer(2)]],
                uint i [[thread_position_in_grid]]) {
  const I at = I(p.first + (i ^ p.zero) + (i == p.odd ? 2 : 0));
  device const T *x = in + p.base;
  device T *y = out + p.base;
  T v = x[at];
  if ((i & p.mask) == 0) v += x[at] * T(3);
  y[at] = v;
  if ((i & p.mask) == 0) y[at] = v * T(5);
  if ((i & 4) == 4) y[at] = T(p.odd % 7 + 1);
}`
	e := exec.NewEngine(1)
	defer e.Close()
	const n = 50 // threads of a threadgroup, of which one lacks lanes in a vector
	for typ, size := range map[string]int{"float": 4, "uint": 4, "half": 2, "uchar": 1} {
		for _, index := range []string{"int", "uint"} {
			k := kernelsOf(t, "#define T "+typ+"\n#define I "+index+"\n"+text)["row"]
			codes := map[Options]*exec.Kernel{}
			for _, o := range machineCodes(Options{}, Options{Blocks: 1}, Options{Cold: true},
				Options{Spill: true}) {
				codes[o] = exec.NewKernel(k.Func(), exec.Options{Backend: backend{Machine: o}})
			}
			for _, first := range []uint32{0, 5, 1<<32 - 5, 1 << 31, 1<<31 - 16, 1<<31 - 14, 1<<31 - 2, 1<<32 - 16,
				1<<32 - 14, 1<<32 - 2} {
				for _, s := range [][3]uint32{{0, 1 << 20, 0}, {0, 20, 0}, {0, 0, 1}, {1, 1 << 20, 3}, {0, 1 << 20, 6}} {
					for _, length := range []int{n + 2, n, 18, 15} {
						// The first index is that of element 0, or of the one before it.
						base := -int64(first) - int64(first%2)
						if index == "int" {
							base = -int64(int32(first)) - int64(first%2)
						}
						args := binary.LittleEndian.AppendUint64(nil, uint64(base))
						for _, x := range []uint32{first, s[0], s[1], s[2]} {
							args = binary.LittleEndian.AppendUint32(args, x)
						}
						in, out := fenced(t, size*length), fenced(t, size*length)
						fillSmall(in)
						run := func(k *exec.Kernel) []byte { return runFenced(t, e, k, n, n, out, in, args) }
						want := run(k)
						for o, code := range codes {
							require.Equal(t, want, run(code), "%s, %s %d, %v, %d, %+v", typ, index, first, s, length, o)
						}
					}
				}
			}
		}
	}
}
