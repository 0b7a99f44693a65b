package cookbook

import (
	"math"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
)

// TestSigmoid compares a kernel with the same function in float64.
func TestSigmoid(t *testing.T) {
	computetest.EachDriver(t, func(t *testing.T, acc *compute.Accelerator) {
		program := must(acc.Compile(t.Context(), `
kernel void sigmoid(device float *x, uint i [[thread_position_in_grid]]) {
    x[i] = 1 / (1 + metal::exp(-x[i]));
}`, compute.CompileOptions{}))
		defer program.Close()
		x := computetest.Normal[float32](computetest.NewRand(t), 1000, 0, 4)
		buffer := must(compute.BufferOf(t.Context(), acc, x))
		defer buffer.Close()
		stream := must(acc.NextStream())
		must(0, stream.Launch(t.Context(), must(program.Kernel("sigmoid")), compute.Threads1D(len(x)), buffer))
		must(0, stream.Sync(t.Context()))

		want := make([]float64, len(x))
		for i, v := range x {
			want[i] = 1 / (1 + math.Exp(-float64(v)))
		}
		computetest.AllClose(t, must(buffer.Data()), want, computetest.Tolerance{Rel: 1e-5})
	})
}
