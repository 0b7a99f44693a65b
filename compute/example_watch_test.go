package compute_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/puremetal/puremetal/compute"
)

// Watch compiles a file again after each change. Here the program edits the file itself, once.
func ExampleAccelerator_Watch() {
	dir, err := os.MkdirTemp("", "watch")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "scale.metal")
	write := func(factor string) {
		text := "kernel void scale(device float *x [[buffer(0)]]) { x[0] *= " + factor + "; }\n"
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	write("2")

	ctx, cancel := context.WithCancel(context.Background())
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(context.Background())
	x, err := compute.BufferOf(ctx, acc, []float32{1})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	stream, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	edited := false
	err = acc.Watch(ctx, file, compute.CompileOptions{}, func(p *compute.Program, err error) {
		if err != nil {
			fmt.Println(err) // the last good program stays open
			return
		}
		scale, err := p.Kernel("scale")
		if err != nil {
			log.Fatal(err)
		}
		if err := stream.Launch(ctx, scale, compute.Threads1D(1), x); err != nil {
			log.Fatal(err)
		}
		got := make([]float32, 1)
		if err := x.Download(ctx, got); err != nil {
			log.Fatal(err)
		}
		fmt.Println(got)
		if edited {
			cancel()
			return
		}
		edited = true
		write("10.5")
	})
	fmt.Println(errors.Is(err, context.Canceled))
	// Output:
	// [2]
	// [21]
	// true
}
