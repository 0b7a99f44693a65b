package jit

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// partKernels access memory outside of their buffers only where the argument makes them: in a loop
// with values in registers, in a vector of which no lane may be skipped, in rows of private arrays
// that do not exist, and of matrices.
const partKernels = `
kernel void loop(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                 constant uint &by [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  float s = 0, t = 1;
  for (uint k = 0; k < 8; k++) {
    s = s * 0.5f + in[i + k * by];
    t = t * 0.75f - s;
  }
  out[i] = s + t;
}
kernel void some(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                 constant uint &by [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  float s = 1;
  for (uint k = 0; k < (i / 32 & 7); k++) s += in[i + by] * in[i + k * by];
  out[i + by / 2] = s;
}
kernel void array(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                  constant uint &by [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  float a[4] = {1, in[i], 3, float(i)}, s = 0;
  for (uint k = 0; k < 4; k++) {
    s += a[k + by / 100] + in[i + k * by];
    a[k] = s;
  }
  out[i] = s;
}
kernel void matrices(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                     constant uint &by [[buffer(2)]], uint g [[threadgroup_position_in_grid]]) {
  simdgroup_float8x8 a, b;
  simdgroup_load(a, in + 64 * g + by, 8);
  simdgroup_load(b, in + 8 * by, 8);
  simdgroup_multiply(a, a, b);
  simdgroup_store(a, out + 64 * g + by, 8);
}
`

const partThreads = 4096

// partLaunch returns a launch of one of partKernels, and what it writes.
func partLaunch(name string, by uint32) (*exec.Launch, []byte) {
	out, in := make([]byte, 4*partThreads), floats(partThreads+64)
	sp := &exec.Space{}
	for i, data := range [][]byte{out, in, words(by)} {
		sp.Set(uint32(i+1), exec.Object{Data: data})
	}
	grid, group := partThreads, 256
	if name == "matrices" { // a threadgroup of a simdgroup for each
		grid, group = partThreads/2, 32
	}
	return &exec.Launch{Grid: [3]int{grid, 1, 1}, Group: [3]int{group, 1, 1}, Space: sp,
		Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0)}}, out
}

func codeBytes(p *form) (n int) {
	for _, r := range p.ranges {
		_, size := r.Code()
		n += size
	}
	return n
}

// TestMachineCodeParts: code for accesses outside of buffers is compiled when a launch first needs
// it, by however many workers at once, and goes on where the code without it was.
func TestMachineCodeParts(t *testing.T) {
	needMachineCode(t)
	ks := kernelsOf(t, partKernels)
	e := exec.NewEngine(2)
	for name, interpreted := range ks {
		for _, o := range machineCodes(Options{}, Options{Blocks: 1}, Options{Spill: true},
			Options{Starve: true}) {
			what := fmt.Sprintf("%s, %+v", name, o)
			k := exec.NewKernel(interpreted.Func(), exec.Options{Backend: backend{Machine: o}})
			l, _ := partLaunch(name, 0)
			p, err := compiled(k, l.Group)
			require.NoError(t, err)
			if o.Blocks > 0 && name == "matrices" { // a block has whole simdgroups
				continue
			}
			require.NotEmpty(t, p.ranges, what)
			hot := codeBytes(p)
			run := func(by uint32) {
				l, want := partLaunch(name, by)
				require.NoError(t, e.Run(t.Context(), interpreted, l))
				l, have := partLaunch(name, by)
				require.NoError(t, e.Run(t.Context(), k, l))
				require.Equal(t, want, have, "%s, by %d", what, by)
			}
			run(0)
			require.Equal(t, hot, codeBytes(p), "%s: nothing is outside of a buffer", what)
			for _, by := range []uint32{601, 3, 0, 4090} {
				run(by)
			}
			require.Greater(t, codeBytes(p), hot, what)
		}
	}
}
