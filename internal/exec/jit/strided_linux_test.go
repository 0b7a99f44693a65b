package jit

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// TestMachineCodeDistances: lanes whose addresses turn out to be at equal distances get the
// interpreter's bits, whatever the distance, also if a lane is out of line, masked, or outside of
// the object, and machine code touches no byte around the object.
func TestMachineCodeDistances(t *testing.T) {
	needMachineCode(t)
	const text = `
struct Sizes { int by, start, odd, off, mask, behind; };
kernel void apart(device T *out [[buffer(0)]], device const T *in [[buffer(1)]],
                  constant Sizes &s [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  const int at = s.start + int(i) * s.by + (int(i) == s.odd ? s.off : 0);
  T x = in[at];
  device const T *own = in + at;
  if ((int(i) & s.mask) == 0) x += own[1] * T(3);
  else x += in[at - 1];
  for (uint k = 0; k < i % 3; k++) x += own[k];
  out[at] = x;
  if ((int(i) & s.mask) == 0) out[at + s.behind] = x * T(5);
}`
	e := exec.NewEngine(1)
	defer e.Close()
	const n = 50 // threads of a threadgroup, of which one lacks lanes in a vector
	for typ, size := range map[string]int{"float": 4, "uint": 4, "half": 2, "ushort": 2, "uchar": 1} {
		k := kernelsOf(t, "#define T "+typ+"\n"+text)["apart"]
		codes := map[Options]*exec.Kernel{}
		for _, o := range machineCodes(Options{}, Options{Blocks: 1}, Options{Cold: true}) {
			codes[o] = exec.NewKernel(k.Func(), exec.Options{Backend: backend{Machine: o}})
		}
		for _, by := range []int{0, 1, 2, 3, 4, 8, 16, 17, -1, -4} {
			for _, s := range [][4]int{{0, -1, 0, 0}, {1, -1, 0, 0}, {3, 15, 1, 0}, {2, 16, -1, 1}, {0, 0, 1, 2},
				{5, 1, 1, 4}, {-9, 9, 1 << 28, 8}} {
				start, length := s[0], max(by, -by, 1)*n+s[0]
				if by < 0 {
					start -= by * n
				}
				for _, less := range []int{0, 1, 20 * max(by, -by)} {
					var args []byte
					for _, x := range []int{by, start, s[1], s[2], s[3], length + 9} {
						args = binary.LittleEndian.AppendUint32(args, uint32(x))
					}
					in, out := fenced(t, size*max(length-less, 1)), fenced(t, size*(2*length+8))
					fillSmall(in)
					run := func(k *exec.Kernel) []byte { return runFenced(t, e, k, n, n, out, in, args) }
					want := run(k)
					for o, code := range codes {
						require.Equal(t, want, run(code), "%s, %d apart, %v, %d less, %+v", typ, by, s, less, o)
					}
				}
			}
		}
	}
}

// fillSmall sets memory to numbers of which none is a NaN, whatever their kind.
func fillSmall(b []byte) {
	for i := range b {
		b[i] = byte(i*i>>3+7*i) & 0x3f
	}
}

// runFenced launches a kernel with three buffers, of which it writes the first, and returns what
// that has then. It is cleared before.
func runFenced(t *testing.T, e *exec.Engine, k *exec.Kernel, grid, group int, out, in, args []byte) []byte {
	t.Helper()
	clear(out)
	sp := &exec.Space{}
	sp.Set(1, exec.Object{Data: out})
	sp.Set(2, exec.Object{Data: in, ReadOnly: true})
	sp.Set(3, exec.Object{Data: args, ReadOnly: true})
	require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{grid}, Group: [3]int{group}, Space: sp,
		Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0)}}))
	return append([]byte(nil), out...)
}
