package jit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// TestMachineCodeChoices: selects of the lesser or greater of two numbers, which are one
// instruction, have the interpreter's bits, also for zeros and NaNs. Others look nearly the same.
func TestMachineCodeChoices(t *testing.T) {
	needMachineCode(t)
	k := kernelsOf(t, `
kernel void choices(device float *out [[buffer(0)]], device const float *x [[buffer(1)]],
                    device const float *y [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  float a = x[i], b = y[i];
  device float *to = out + 10 * i;
  to[0] = a < b ? b : a;
  to[1] = a < b ? a : b;
  to[2] = a > b ? a : b;
  to[3] = a > b ? b : a;
  to[4] = a <= b ? b : a;
  to[5] = a >= b ? a : b;
  bool less = a < 2 * b;
  to[6] = less ? a : 2 * b;
  to[7] = less ? 3 : a;
  float most = 1;
  most = most < a ? a : most;
  most = most < b ? b : most;
  to[8] = most;
  less = b < most;
  most = a;
  to[9] = less ? b : most;
}`)["choices"]
	var xs, ys []uint32
	for _, a := range hardNumbers {
		for _, b := range hardNumbers {
			xs, ys = append(xs, a), append(ys, b)
		}
	}
	n := len(xs)
	e := exec.NewEngine(1)
	run := func(b backend) []byte {
		out := make([]byte, 40*n)
		sp := &exec.Space{}
		sp.Set(1, exec.Object{Data: out})
		sp.Set(2, exec.Object{Data: words(xs...), ReadOnly: true})
		sp.Set(3, exec.Object{Data: words(ys...), ReadOnly: true})
		require.NoError(t, e.Run(t.Context(), exec.NewKernel(k.Func(), exec.Options{Backend: b}),
			&exec.Launch{Grid: [3]int{n}, Group: [3]int{128}, Space: sp,
				Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0)}}))
		return out
	}
	want := run(backend{})
	for _, o := range machineCodes(Options{List: true}, Options{List: true, Spill: true},
		Options{List: true, Cold: true}, Options{List: true, Blocks: 1}) {
		listing := ""
		have := run(backend{Machine: o, compiled: func(list []*Range) {
			for _, r := range list {
				listing += r.Listing
			}
		}})
		require.Equal(t, want, have, "%+v", o)
		for _, op := range []string{"vmaxps", "vminps"} {
			require.True(t, strings.Contains(listing, op), "no %s, %+v", op, o)
		}
	}
}
