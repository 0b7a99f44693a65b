package ops_test

import (
	"context"
	"fmt"
	"log"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/ops"
)

// A matrix product, followed by ReLU and the sum of each row.
func Example() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	o := ops.New(acc)
	defer o.Close()
	stream, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	array := func(data []float32, shape ...int) ops.Array[float32] {
		b, err := compute.BufferOf(ctx, acc, data)
		if err != nil {
			log.Fatal(err)
		}
		a, err := ops.Of(b, shape...)
		if err != nil {
			log.Fatal(err)
		}
		return a
	}
	a := array([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	b := array([]float32{1, 0, 0, -1, 1, 1}, 3, 2)
	c := array(make([]float32, 4), 2, 2)
	sums := array(make([]float32, 2), 2)
	for _, x := range []ops.Array[float32]{a, b, c, sums} {
		defer x.Buffer.Close()
	}

	if err := ops.MatMul(ctx, o, stream, c, a, b); err != nil {
		log.Fatal(err)
	}
	if err := ops.Map(ctx, o, stream, ops.ReLU, c, c); err != nil {
		log.Fatal(err)
	}
	if err := ops.Reduce(ctx, o, stream, ops.Sum, sums, c); err != nil {
		log.Fatal(err)
	}
	if err := stream.Sync(ctx); err != nil {
		log.Fatal(err)
	}
	values, err := sums.Buffer.Data()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values)
	// Output: [5 11]
}

// Broadcasting repeats an array without moving data. Incompatible shapes are an error.
func ExampleArray_Broadcast() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	o := ops.New(acc)
	defer o.Close()
	stream, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	x, err := compute.BufferOf(ctx, acc, []float32{1, 2, 3, 4, 5, 6})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	bias, err := compute.BufferOf(ctx, acc, []float32{10, 20, 30})
	if err != nil {
		log.Fatal(err)
	}
	defer bias.Close()
	matrix, err := ops.Of(x, 2, 3)
	if err != nil {
		log.Fatal(err)
	}
	row, err := ops.Of(bias, 3)
	if err != nil {
		log.Fatal(err)
	}
	rows, err := row.Broadcast(2, 3)
	if err != nil {
		log.Fatal(err)
	}
	if err := ops.Add(ctx, o, stream, matrix, matrix, rows); err != nil {
		log.Fatal(err)
	}
	if err := stream.Sync(ctx); err != nil {
		log.Fatal(err)
	}
	values, err := x.Data()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values)
	fmt.Println(ops.Add(ctx, o, stream, matrix, matrix, row))
	// Output:
	// [11 22 33 14 25 36]
	// ops: add: shapes [[2 3] [3]] must be equal; see Array.Broadcast: incompatible shapes
}
