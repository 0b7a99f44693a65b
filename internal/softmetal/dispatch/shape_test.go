package dispatch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
)

// TestShapeReport: strides along each axis, weighed by loops and stores; accesses at the same
// address for all threads, and at addresses that are not known, do not count.
func TestShapeReport(t *testing.T) {
	m, diags := msl.Compile(t.Context(), msl.Source{Name: "k.metal", Text: `kernel void k(device float *y [[buffer(0)]],
	device const float2 *x [[buffer(1)]], device const uint *at [[buffer(2)]], uint2 p [[thread_position_in_grid]],
	uint2 n [[threads_per_grid]]) {
	float v = x[at[0]].x + y[at[p.x]];
	for (uint k = 0; k < at[1]; k++) v += x[p.y * 4 + k].y;
	y[p.x * n.y + p.y] = v;
}`}, msl.Options{NoWarnings: true})
	require.Empty(t, diags)
	p := dispatch.New(dispatch.Pipeline{Code: exec.NewKernel(m.IR.Funcs[0], exec.Options{})})
	r := p.ShapeReport()
	assert.Equal(t, extension.ShapeReport{Free: true, Accesses: []extension.ShapeAccess{
		{Weight: 1, Size: 4, Stride: [3]int{4, 0, 0}},
		{Weight: 8, Size: 4, Stride: [3]int{0, 32, 0}},
		{Weight: 2, Size: 4, Stride: [3]int{extension.FarStride, 4, 0}},
	}}, r)
}
