package tensor_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/npy"
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

// A matrix of gonum goes in and out without a conversion in the source: the fields of its types are
// those of Matrix32 and Matrix64. In a program General is blas32.General.
func ExampleOfMatrix32() {
	type General struct { // of gonum.org/v1/gonum/blas/blas32
		Rows, Cols int
		Stride     int
		Data       []float32
	}
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
	a := General{Rows: 2, Cols: 2, Stride: 3, Data: []float32{1, 2, 0, 3, 4, 0}}
	x := tensor.OfMatrix32(s, a)
	var square General
	square, err = tensor.ToMatrix32(ctx, s.MatMul(x, x))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(square)

	// Output:
	// {2 2 2 [7 10 15 22]}
}

// Arrays of NumPy come from .npy and .npz files; their float64 elements are rounded.
func ExampleLoadNPZ() {
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
	dir, err := os.MkdirTemp("", "tensor")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "model.npz")
	weights, err := npy.Of([]float64{1, 2, 3, 4}, 2, 2)
	if err != nil {
		log.Fatal(err)
	}
	if err := npy.WriteArchiveFile(file, npy.Entry{Name: "weights", Array: weights}); err != nil {
		log.Fatal(err)
	}

	s := engine.Scope(ctx)
	defer s.Close()
	model := tensor.LoadNPZ(s, file, tensor.Float32, npy.ArchiveOptions{})
	y := s.MatMul(model["weights"], tensor.Of(s, []float32{1, 10}))
	fmt.Println(tensor.Data[float32](ctx, y))

	// Output:
	// [21 43] <nil>
}
