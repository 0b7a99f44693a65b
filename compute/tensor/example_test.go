package tensor_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
)

// Operations nest; one test for an error is enough.
func Example() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	engine, err := tensor.New(acc)
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close(ctx)

	s := engine.Scope(ctx)
	defer s.Close()
	x := tensor.Of(s, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	y := s.Add(s.Mul(x, tensor.Scalar(10)), x.Slice(0, 1, 2)) // the second row is broadcast
	values, err := tensor.Data[float32](ctx, y)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y, values)

	// Output:
	// float32[2 3] [14 25 36 44 55 66]
}

// A function returns a tensor that outlives its scope with Keep.
func ExampleScope_Keep() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	engine, err := tensor.New(acc)
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close(ctx)

	normalize := func(x *tensor.Tensor, mean, deviation float64) (*tensor.Tensor, error) {
		s := engine.Scope(ctx)
		defer s.Close() // the difference, but not the result
		return s.Keep(s.Div(s.Sub(x, tensor.Scalar(mean)), tensor.Scalar(deviation)))
	}

	s := engine.Scope(ctx)
	defer s.Close()
	y, err := normalize(tensor.Of(s, []float32{1, 3, 5}), 3, 2)
	if err != nil {
		log.Fatal(err)
	}
	defer y.Close()
	fmt.Println(tensor.Data[float32](ctx, y))

	_, err = normalize(tensor.Of(s, []int32{1, 3, 5}), 3, 0.5)
	fmt.Println(errors.Is(err, tensor.ErrType)) // 0.5 is no int32

	// Output:
	// [-1 0 1] <nil>
	// true
}

// Views share memory, and assignments to them change the tensor.
func ExampleScope_Assign() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	engine, err := tensor.New(acc)
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close(ctx)

	s := engine.Scope(ctx)
	defer s.Close()
	cache := s.Full(tensor.Int32, 0, 3, 2)
	s.Assign(cache.Index(0, 1), tensor.Of(s, []int32{7, 8}))
	s.Assign(cache.Slice(1, 0, 1), tensor.Scalar(-1)) // the first column
	fmt.Println(tensor.Data[int32](ctx, cache))
	fmt.Println(tensor.Data[int32](ctx, cache.T()))

	// Output:
	// [-1 0 -1 8 -1 0] <nil>
	// [-1 -1 -1 0 8 0] <nil>
}
