package graph

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/mps"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGradients compares gradients with differences of the sum of the result's elements.
func TestGradients(t *testing.T) {
	r := newRig(t)
	g := r.graph
	rng := rand.New(rand.NewPCG(1, 9))
	scalar := func(v float64) Tensor { return g.ConstantWithScalar(v, mps.DataTypeFloat32) }
	must := func(t Tensor, err error) Tensor {
		require.NoError(r.t, err)
		return t
	}
	cases := map[string]func(x, y Tensor) Tensor{
		"exp":     func(x, _ Tensor) Tensor { return g.ExponentWithTensor(x, "") },
		"log":     func(x, _ Tensor) Tensor { return g.LogarithmWithTensor(x, "") },
		"sqrt":    func(x, _ Tensor) Tensor { return g.SquareRootWithTensor(x, "") },
		"rsqrt":   func(x, _ Tensor) Tensor { return must(g.ReciprocalSquareRootWithTensor(x, "")) },
		"tanh":    func(x, _ Tensor) Tensor { return g.TanhWithTensor(x, "") },
		"sin":     func(x, _ Tensor) Tensor { return g.SinWithTensor(x, "") },
		"tan":     func(x, _ Tensor) Tensor { return g.TanWithTensor(x, "") },
		"erf":     func(x, _ Tensor) Tensor { return g.ErfWithTensor(x, "") },
		"sigmoid": func(x, _ Tensor) Tensor { return g.SigmoidWithTensor(x, "") },
		"relu": func(x, _ Tensor) Tensor {
			return g.ReLUWithTensor(g.SubtractionWithPrimaryTensor(x, scalar(1), ""), "")
		},
		"recip": func(x, _ Tensor) Tensor { return g.ReciprocalWithTensor(x, "") },
		"add":   func(x, y Tensor) Tensor { return g.AdditionWithPrimaryTensor(x, y, "") },
		"mul":   func(x, y Tensor) Tensor { return g.MultiplicationWithPrimaryTensor(x, y, "") },
		"div":   func(x, y Tensor) Tensor { return g.DivisionWithPrimaryTensor(x, y, "") },
		"pow":   func(x, y Tensor) Tensor { return g.PowerWithPrimaryTensor(x, y, "") },
		"max":   func(x, y Tensor) Tensor { return g.MaximumWithPrimaryTensor(x, y, "") },
		"atan2": func(x, y Tensor) Tensor { return g.Atan2WithPrimaryTensor(x, y, "") },
		"sum": func(x, y Tensor) Tensor {
			return g.ReductionSumWithTensor(g.MultiplicationWithPrimaryTensor(x, x, ""), []int{1}, "")
		},
		"mean":     func(x, y Tensor) Tensor { return g.SquareWithTensor(g.MeanOfTensor(x, []int{0, 1}, ""), "") },
		"variance": func(x, y Tensor) Tensor { return g.VarianceOfTensor(x, []int{1}, "") },
		"softmax": func(x, y Tensor) Tensor {
			return g.MultiplicationWithPrimaryTensor(g.SoftMaxWithTensor(x, 1, ""), y, "")
		},
		"matmul": func(x, y Tensor) Tensor {
			m := g.MatrixMultiplicationWithPrimaryTensor(x, g.TransposeTensor(y, 0, 1, ""), "")
			return g.SquareWithTensor(m, "")
		},
		"entropy": func(x, y Tensor) Tensor {
			return g.SoftMaxCrossEntropyWithSourceTensor(x, y, 1, LossReductionTypeMean, "")
		},
		"slice": func(x, y Tensor) Tensor {
			return g.SquareWithTensor(g.SliceTensorStarts(x, []int{1, 2}, []int{2, 0}, []int{1, -1}, ""), "")
		},
		"reshape": func(x, y Tensor) Tensor {
			return g.MultiplicationWithPrimaryTensor(g.ReshapeTensor(x, []int{4, 2}, ""), g.ReshapeTensor(y, []int{4,
				2}, ""), "")
		},
	}
	values := func() []float32 {
		v := make([]float32, 8)
		for i := range v {
			v[i] = rng.Float32() + 0.5
		}
		return v
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		build := cases[name]
		x, y := r.placeholder(2, 4), r.placeholder(2, 4)
		z := build(x, y)
		xv, yv := values(), values()
		for i := range xv {
			if math.Abs(float64(xv[i]-1)) < 0.05 { // where reLU has no gradient
				xv[i] += 0.1
			}
			if math.Abs(float64(xv[i]-yv[i])) < 0.05 { // and a maximum
				yv[i] += 0.1
			}
		}
		grads := g.GradientForPrimaryTensor(z, []Tensor{x}, "")
		require.Len(t, grads, 1, name)
		got := r.run(map[Tensor]TensorData{x: r.data(xv, 2, 4), y: r.data(yv, 2, 4)}, grads[x])
		total := func(v []float32) (s float64) {
			for _, e := range r.run(map[Tensor]TensorData{x: r.data(v, 2, 4), y: r.data(yv, 2, 4)}, z) {
				s += float64(e)
			}
			return s
		}
		for i := range xv {
			const h = 1.0 / 128
			up, down := append([]float32{}, xv...), append([]float32{}, xv...)
			up[i] += h
			down[i] -= h
			want := (total(up) - total(down)) / (2 * h)
			assert.InDelta(t, want, got[i], 2e-2*(1+math.Abs(want)), "%s: element %d", name, i)
		}
	}
}

// TestBroadcastGradient: gradients are summed over the dimensions that were repeated.
func TestBroadcastGradient(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x, w := r.placeholder(2, 3), r.placeholder(3)
	z := g.MultiplicationWithPrimaryTensor(x, w, "")
	grads := g.GradientForPrimaryTensor(z, []Tensor{x, w}, "")
	feeds := map[Tensor]TensorData{x: r.data([]float32{1, 2, 3, 4, 5, 6}, 2, 3), w: r.data([]float32{10, 20, 30}, 3)}
	assert.Equal(t, []float32{5, 7, 9}, r.run(feeds, grads[w]))
	assert.Equal(t, []float32{10, 20, 30, 10, 20, 30}, r.run(feeds, grads[x]))
}

// TestTraining: variables learn a line by gradient descent.
func TestTraining(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x, y := r.placeholder(-1, 1), r.placeholder(-1, 1)
	w := g.VariableWithData(make([]byte, 4), []int{1, 1}, mps.DataTypeFloat32, "w")
	b := g.VariableWithData(make([]byte, 4), []int{1}, mps.DataTypeFloat32, "b")
	out := g.AdditionWithPrimaryTensor(g.MatrixMultiplicationWithPrimaryTensor(x, w, ""), b, "")
	loss := g.MeanOfTensor(g.SquareWithTensor(g.SubtractionWithPrimaryTensor(out, y, ""), ""), []int{0, 1}, "")
	grads := g.GradientForPrimaryTensor(loss, []Tensor{w, b}, "")
	rate := g.ConstantWithScalar(0.1, mps.DataTypeFloat32)
	var ops []Operation
	for v, d := range grads {
		ops = append(ops, g.AssignVariable(v, g.SubtractionWithPrimaryTensor(v, g.MultiplicationWithPrimaryTensor(d,
			rate, ""), ""), ""))
	}
	xs, ys := []float32{-1, 0, 1, 2}, []float32{-1, 1, 3, 5} // y = 2x + 1
	feeds := map[Tensor]TensorData{x: r.data(xs, 4, 1), y: r.data(ys, 4, 1)}
	for range 100 {
		res := got(g.RunWithMTLCommandQueueTargetTensors(r.queue, feeds, []Tensor{loss}, ops))(t)
		require.Len(t, res, 1)
	}
	assert.InDelta(t, 2, r.run(nil, w)[0], 1e-2)
	assert.InDelta(t, 1, r.run(nil, b)[0], 1e-2)
}
