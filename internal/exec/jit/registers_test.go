package jit

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// TestMachineCodeManyRegisters: a range has machine code also if one of its operations, here a
// power of numbers that all threads share, needs more registers than the values in its loops leave.
func TestMachineCodeManyRegisters(t *testing.T) {
	needMachineCode(t)
	ks := kernelsOf(t, `
kernel void slopes(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                   constant float2 &s [[buffer(2)]], uint i [[thread_index_in_threadgroup]]) {
  float slope = 1;
  if (s.x > 0) slope = pow(s.x, s.y);
  float top = -INFINITY, sum = 0;
  for (uint k = i; k < 1000; k += 32) {
    top = max(top, in[k] * slope);
    sum += in[k];
  }
  top = simd_max(top);
  for (uint k = i; k < 1000; k += 32) sum += exp(in[k] * slope - top);
  out[i] = simd_sum(sum) + top;
}`)
	in := make([]byte, 4000)
	for i := range len(in) / 4 {
		binary.LittleEndian.PutUint32(in[4*i:], 0x3e000000+uint32((i*2654435761)>>7%4001)<<12)
	}
	run := func(k *exec.Kernel) []byte {
		out := make([]byte, 128)
		sp := &exec.Space{}
		sp.Set(1, exec.Object{Data: out})
		sp.Set(2, exec.Object{Data: in, ReadOnly: true})
		sp.Set(3, exec.Object{Data: words(0x3e800000, 0x40400000), ReadOnly: true})
		require.NoError(t, exec.NewEngine(1).Run(t.Context(), k, &exec.Launch{Grid: [3]int{32}, Group: [3]int{32}, Space: sp,
			Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0)}}))
		return out
	}
	want := run(ks["slopes"])
	for _, o := range machineCodes(Options{}) {
		k := exec.NewKernel(ks["slopes"].Func(), exec.Options{Backend: backend{Machine: o}})
		require.Equal(t, want, run(k), "%+v", o)
		p, err := compiled(k, [3]int{32, 1, 1})
		require.NoError(t, err)
		requireCompiled(t, p.lir, o, o.Vectors())
	}
}
