package shader

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
)

// switched does one of three things in each round, by a function constant; byHand has only the
// second.
const switched = `
constant uint mode [[function_constant(0)]];
constant bool scale [[function_constant(1)]];
kernel void switched(device float *out [[buffer(0)]], device const float *in [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float x = in[i];
  for (uint k = 0; k < 64; k++) {
    if (mode == 0) x = sqrt(x + float(k)) * 3.0f;
    else if (mode == 1) x = x * 0.5f + in[(i + k) & 255];
    else { for (uint j = 0; j < 3; j++) x += in[(i ^ j ^ k) & 255]; }
    if (scale) x = x * 1.25f + 1.0f;
  }
  out[i] = x;
}
kernel void byHand(device float *out [[buffer(0)]], device const float *in [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float x = in[i];
  for (uint k = 0; k < 64; k++) x = x * 0.5f + in[(i + k) & 255];
  out[i] = x;
}
`

// pipelines returns switched with mode 1 and without scale, and its version cut by hand.
func pipelines(tb testing.TB) (constants, byHand *dispatch.Pipeline) {
	tb.Helper()
	l := library(tb, switched, Options{})
	var v Values
	v.Set(0, Value{ir.DataUInt, []byte{1, 0, 0, 0}})
	v.Set(1, Value{ir.DataBool, []byte{0}})
	f, err := l.Specialize(tb.Context(), "switched", &v)
	require.Nil(tb, err)
	constants, err = NewPipeline(PipelineSpec{Function: f})
	require.Nil(tb, err)
	byHand, err = NewPipeline(PipelineSpec{Function: l.Function(tb.Context(), "byHand")})
	require.Nil(tb, err)
	return constants, byHand
}

// instructions counts what a kernel executes, by operation.
func instructions(p *dispatch.Pipeline) map[string]int {
	n := map[string]int{}
	p.Code.Optimized().Body.Walk(func(in *ir.Instr) bool {
		n[in.Op.String()]++
		return true
	})
	return n
}

// TestSpecialized: a pipeline's program has the values of its function constants in it. What they
// rule out is gone, so that nothing is left but what the version cut by hand has.
func TestSpecialized(t *testing.T) {
	constants, byHand := pipelines(t)
	assert.Equal(t, instructions(byHand), instructions(constants))
}

// BenchmarkSpecialized compares a kernel that function constants switch with its version cut by
// hand.
func BenchmarkSpecialized(b *testing.B) {
	constants, byHand := pipelines(b)
	const threads = 1 << 14
	for _, p := range []*dispatch.Pipeline{constants, byHand} {
		b.Run(p.Name, func(b *testing.B) {
			e := exec.NewEngine(1)
			defer e.Close()
			var space exec.Space
			space.Set(1, exec.Object{Data: make([]byte, 4*threads)})
			space.Set(2, exec.Object{Data: make([]byte, 4*threads)})
			l := &exec.Launch{Grid: [3]int{threads, 1, 1}, Group: [3]int{256, 1, 1}, Space: &space,
				Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}, Constants: p.Constants}
			for b.Loop() {
				require.NoError(b, e.Run(context.Background(), p.Code, l))
			}
		})
	}
}
