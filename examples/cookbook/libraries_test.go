package cookbook

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/ops"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/compute/tensor/mpsbackend"
)

func Example_libraries() {
	ctx, acc, end := start()
	defer end()
	engine := must(tensor.New(acc, mpsbackend.With())) // MPS and MPSGraph
	defer func() { must(0, engine.Close(ctx)) }()
	s := engine.Scope(ctx)
	defer s.Close()
	pixels, weights := s.Full(tensor.Float32, 1, 1, 16, 30, 30), s.Full(tensor.Float32, 0.5, 8, 16, 3, 3)
	y := s.Conv(pixels, weights, tensor.Window{}, 1)
	fmt.Println(y.Shape(), must(tensor.Data[float32](ctx, y.Reshape(-1).Slice(0, 0, 2))))
	for _, choice := range engine.Explain() { // what computed it, and why: a rule, times, or what the others refuse
		if choice.Op == "conv" {
			fmt.Println(choice.Backend == tensor.Own || choice.Backend == mpsbackend.MPSGraph, choice.Reason != "")
		}
	}

	o := ops.New(acc, mpsbackend.ForOps()) // products of MPS
	defer o.Close()
	const n = 300
	factor := must(compute.BufferOf(ctx, acc, slices.Repeat([]float32{2}, n*n)))
	product := must(compute.NewBuffer[float32](acc, n*n, compute.BufferOptions{}))
	defer factor.Close()
	defer product.Close()
	a, out := must(ops.Of(factor, n, n)), must(ops.Of(product, n, n))
	must(0, ops.MatMul(ctx, o, must(acc.NextStream()), out, a, a.Transposed()))
	result := make([]float32, n*n)
	must(0, product.Download(ctx, result))
	method := must(ops.MatMulMethod(ctx, o, out, a, a.Transposed()))
	fmt.Println(result[0], (method == ops.MPS) != acc.Info().Software) // MPS on a GPU, and only there

	// Output:
	// [1 8 28 28] [72 72]
	// true true
	// 1200 true
}
