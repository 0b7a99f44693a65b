// Command npy multiplies two matrices from NumPy files and writes the product to a third.
//
//	go run ./examples/npy a.npy b.npy c.npy
//
// Without arguments it creates two input matrices first. In Python, numpy.load("c.npy") reads the
// product, and numpy.save writes files that this program reads.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/ops"
	"github.com/puremetal/puremetal/npy"
)

// load reads a float32 matrix from a file into a buffer, which the caller must close.
func load(ctx context.Context, acc *compute.Accelerator, name string) (ops.Array[float32], error) {
	var none ops.Array[float32]
	file, err := npy.ReadFile(name)
	if err != nil {
		return none, err
	}
	values, err := npy.Values[float32](file)
	if err != nil {
		return none, fmt.Errorf("%s: %w", name, err)
	}
	if len(file.Shape) != 2 || len(values) == 0 {
		return none, fmt.Errorf("%s: the array has shape %v; want a non-empty matrix", name, file.Shape)
	}
	buffer, err := compute.BufferOf(ctx, acc, values)
	if err != nil {
		return none, fmt.Errorf("%s: %w", name, err)
	}
	return ops.Of(buffer, file.Shape...)
}

// multiply writes the product of the matrices in files a and b to file c, and returns its shape.
func multiply(ctx context.Context, acc *compute.Accelerator, a, b, c string) ([]int, error) {
	da, err := load(ctx, acc, a)
	if err != nil {
		return nil, err
	}
	defer da.Buffer.Close()
	db, err := load(ctx, acc, b)
	if err != nil {
		return nil, err
	}
	defer db.Buffer.Close()
	if da.Shape[1] != db.Shape[0] {
		return nil, fmt.Errorf("%s has %d columns but %s has %d rows", a, da.Shape[1], b, db.Shape[0])
	}
	shape := []int{da.Shape[0], db.Shape[1]}
	buffer, err := compute.NewBuffer[float32](acc, shape[0]*shape[1],
		compute.BufferOptions{Label: "product", Intent: compute.Readback})
	if err != nil {
		return nil, err
	}
	defer buffer.Close()
	dc, err := ops.Of(buffer, shape...)
	if err != nil {
		return nil, err
	}
	o := ops.New(acc)
	defer o.Close()
	stream, err := acc.NextStream()
	if err != nil {
		return nil, err
	}
	if err := ops.MatMul(ctx, o, stream, dc, da, db); err != nil {
		return nil, err
	}
	if err := stream.Sync(ctx); err != nil {
		return nil, err
	}
	values, err := buffer.Data()
	if err != nil {
		return nil, err
	}
	file, err := npy.Of(values, shape...)
	if err != nil {
		return nil, err
	}
	return shape, npy.WriteFile(c, file)
}

// wave writes a matrix of sines to a file.
func wave(name string, rows, cols int) error {
	values := make([]float32, rows*cols)
	for i := range values {
		values[i] = float32(math.Sin(float64(i)))
	}
	file, err := npy.Of(values, rows, cols)
	if err != nil {
		return err
	}
	return npy.WriteFile(name, file)
}

func main() {
	flag.Usage = func() { fmt.Fprintln(flag.CommandLine.Output(), "usage: npy [a.npy b.npy product.npy]") }
	flag.Parse()
	if err := run(context.Background(), os.Stdout, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, names []string) error {
	switch len(names) {
	case 0:
		names = []string{"a.npy", "b.npy", "c.npy"}
		if err := wave(names[0], 300, 200); err != nil {
			return err
		}
		if err := wave(names[1], 200, 100); err != nil {
			return err
		}
		fmt.Fprintln(w, "a.npy: float32[300 200]\nb.npy: float32[200 100]")
	case 3:
	default:
		return fmt.Errorf("%d files; want two factors and a product, or none", len(names))
	}
	acc, err := compute.Open()
	if err != nil {
		return err
	}
	defer acc.Close(ctx)
	began := time.Now()
	shape, err := multiply(ctx, acc, names[0], names[1], names[2])
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: float32%v; read, multiplied and written in %v on %v\n", names[2], shape,
		time.Since(began).Round(time.Millisecond), acc.Info())
	return nil
}
