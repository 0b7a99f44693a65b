package cookbook

import (
	"context"
	"testing"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/analyze/analyzetest"
	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
)

// TestSumEfficient fails if the kernel wastes more than a tenth of the memory it transfers, or
// keeps lanes idle. On a device that is not software it is skipped.
func TestSumEfficient(t *testing.T) {
	acc := computetest.Open(t)
	program := must(acc.Compile(t.Context(), `
kernel void sum_columns(device const float *in, device float *out, uint i [[thread_position_in_grid]]) {
    float sum = 0;
    for (uint k = 0; k < 64; k++) sum += in[k * 64 + i]; // in[i * 64 + k] would have 3 % efficiency
    out[i] = sum;
}`, compute.CompileOptions{Name: "sum.metal"}))
	defer program.Close()
	in := must(compute.NewBuffer[float32](acc, 64*64, compute.BufferOptions{}))
	defer in.Close()
	out := must(compute.NewBuffer[float32](acc, 64, compute.BufferOptions{}))
	defer out.Close()

	launches := analyzetest.Launches(t, acc, analyzetest.Bounds{Efficiency: 0.9, SimdEfficiency: 0.95},
		func(ctx context.Context) error {
			stream := must(acc.NextStream())
			return stream.Launch(ctx, must(program.Kernel("sum_columns")), compute.Threads1D(64), in, out)
		})
	for _, l := range launches {
		for _, advice := range must(analyze.Recommend(l, 128)) { // none, because there is nothing to gain
			t.Error(advice.String())
		}
	}
}
