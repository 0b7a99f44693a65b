package cookbook

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/compute/tensor"
)

func Example_tensors() {
	ctx, acc, end := start()
	defer end()
	engine := must(tensor.New(acc))
	defer func() { must(0, engine.Close(ctx)) }()
	s := engine.Scope(ctx) // owns all tensors below and keeps the first error
	defer s.Close()

	x := tensor.Of(s, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	weights := tensor.Of(s, []float32{1, 0, -1, 2, 2, 2}, 2, 3)
	bias := tensor.Of(s, []float32{3, 0}) // broadcast to both rows
	hidden := s.ReLU(s.Add(s.MatMul(x, weights.T()), bias))
	centered := s.Sub(hidden, s.Mean(hidden, 0))
	fmt.Println(hidden, must(tensor.Data[float32](ctx, hidden)))
	fmt.Println(must(tensor.Data[float32](ctx, centered.Index(0, 1)))) // the second row, a view

	bad := s.MatMul(x, bias.Reshape(2, 1)) // names the shapes and this line
	fmt.Println(errors.Is(bad.Err(), tensor.ErrShape), s.Err() == bad.Err())
	for _, op := range engine.Stats() {
		fmt.Println(op.Op, op.Calls, op.FLOPs)
	}

	// Output:
	// float32[2 2] [1 12 1 30]
	// [0 9]
	// true true
	// add 1 4
	// matmul 1 24
	// mean 1 4
	// relu 1 4
	// sub 1 4
}
