// Command mandelbrot renders the Mandelbrot set, one thread per pixel, and writes mandelbrot.png.
//
//	go run ./examples/mandelbrot
//
// With -go, the kernel is the one in Go, in package kernels, instead of mandelbrot.metal.
//
// The puremetal command renders the same image without any Go code: go run ./cmd/puremetal run
// examples/mandelbrot
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"log"
	"os"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/gokernel"
	"github.com/puremetal/puremetal/simd"
)

//go:embed mandelbrot.metal
var source string

//go:embed kernels/mandelbrot.go
var goSource embed.FS

// compile compiles the kernel, in Go or in Metal.
func compile(ctx context.Context, acc *compute.Accelerator, inGo bool) (p *compute.Program, kernel string, err error) {
	if inGo {
		p, err = gokernel.Compile(ctx, acc, goSource, "kernels", compute.CompileOptions{})
		return p, "Mandelbrot", err
	}
	p, err = acc.Compile(ctx, source, compute.CompileOptions{Name: "mandelbrot.metal"})
	return p, "mandelbrot", err
}

// view is the part of the complex plane that an image shows.
type view struct {
	center simd.Float2
	width  float32
	limit  uint32 // iterations
}

func seahorses() view { return view{simd.Float2{X: -0.7435, Y: 0.1314}, 0.0055, 700} }

// mandelbrot renders width x height pixels. It also returns the time from launch to completion.
func mandelbrot(ctx context.Context, acc *compute.Accelerator, inGo bool, v view, width, height int) (*image.NRGBA,
	time.Duration, error) {
	program, name, err := compile(ctx, acc, inGo)
	if err != nil {
		return nil, 0, err
	}
	defer program.Close()
	kernel, err := program.Kernel(name)
	if err != nil {
		return nil, 0, err
	}
	pixels, err := compute.NewBuffer[simd.UChar4](acc, width*height,
		compute.BufferOptions{Label: "pixels", Intent: compute.Readback})
	if err != nil {
		return nil, 0, err
	}
	defer pixels.Close()
	stream, err := acc.NextStream()
	if err != nil {
		return nil, 0, err
	}
	began := time.Now()
	if err := stream.Launch(ctx, kernel, compute.Threads2D(width, height), pixels, v.center, v.width,
		v.limit); err != nil {
		return nil, 0, err
	}
	if err := stream.Sync(ctx); err != nil {
		return nil, 0, err
	}
	took := time.Since(began)
	data, err := pixels.Data()
	if err != nil {
		return nil, 0, err
	}
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i, p := range data {
		copy(picture.Pix[4*i:], []byte{p.X, p.Y, p.Z, p.W})
	}
	return picture, took, nil
}

func main() {
	out := flag.String("o", "mandelbrot.png", "output file")
	inGo := flag.Bool("go", false, "use the kernel in Go")
	flag.Parse()
	if err := run(context.Background(), *out, *inGo); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out string, inGo bool) error {
	acc, err := compute.Open()
	if err != nil {
		return err
	}
	defer acc.Close(ctx)
	picture, took, err := mandelbrot(ctx, acc, inGo, seahorses(), 768, 512)
	if err != nil {
		return err
	}
	if err := write(out, picture); err != nil {
		return err
	}
	size := picture.Bounds().Size()
	fmt.Printf("%s: %d x %d pixels in %v, %.1f million pixels per second, on %v\n",
		out, size.X, size.Y, took.Round(time.Microsecond), float64(size.X*size.Y)/1e6/took.Seconds(), acc.Info())
	return nil
}

func write(name string, picture image.Image) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, picture), f.Close())
}
