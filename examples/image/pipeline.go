package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/simd"
)

//go:embed image.metal
var source string

// maxPixels is the largest supported image: beyond it, products in the kernel levels would overflow
// 32 bits.
const maxPixels = math.MaxUint32 / 255

// pixels is an image on the device. Kernels read its channels as integers.
type pixels = *compute.Texture[color.NRGBA]

// options returns the texture options of an image.
func options(label string) compute.TextureOptions {
	return compute.TextureOptions{Label: label, Format: mtl.PixelFormatRGBA8Uint}
}

// pipeline holds the kernels and the stream that runs them.
type pipeline struct {
	acc     *compute.Accelerator
	stream  *compute.Stream
	program *compute.Program
}

func newPipeline(ctx context.Context, acc *compute.Accelerator) (*pipeline, error) {
	program, err := acc.Compile(ctx, source, compute.CompileOptions{Name: "image.metal"})
	if err != nil {
		return nil, err
	}
	stream, err := acc.NextStream()
	if err != nil {
		program.Close()
		return nil, err
	}
	return &pipeline{acc, stream, program}, nil
}

func (p *pipeline) close() { p.program.Close() }

func (p *pipeline) launch(ctx context.Context, name string, grid compute.Grid, args ...any) error {
	kernel, err := p.program.Kernel(name)
	if err != nil {
		return err
	}
	return p.stream.Launch(ctx, kernel, grid, args...)
}

// blur enqueues a Gaussian blur with standard deviation sigma in pixels. It closes its intermediate
// texture at once; the memory is released when the enqueued work has completed.
func (p *pipeline) blur(ctx context.Context, out, in pixels, sigma float64) error {
	if !(sigma > 0 && sigma <= 100) {
		return fmt.Errorf("sigma %g; want more than 0 and at most 100", sigma)
	}
	weights := gauss(sigma)
	w, err := compute.BufferOf(ctx, p.acc, weights)
	if err != nil {
		return err
	}
	defer w.Close()
	between, err := compute.NewTexture[simd.Float4](p.acc, in.Shape(), compute.TextureOptions{Label: "blurred rows"})
	if err != nil {
		return err
	}
	defer between.Close()
	grid, radius := threads(in), int32(len(weights)-1)
	if err := p.launch(ctx, "blur_rows", grid, in, between, w, radius); err != nil {
		return err
	}
	return p.launch(ctx, "blur_columns", grid, between, out, w, radius)
}

// gauss returns the weights of the center and one side of the kernel. With the other side they add
// up to 1.
func gauss(sigma float64) []float32 {
	weights, sum := make([]float32, int(math.Ceil(3*sigma))+1), 0.0
	bell := func(k int) float64 { return math.Exp(-float64(k*k) / (2 * sigma * sigma)) }
	for k := range weights {
		sum += bell(k)
		if k > 0 {
			sum += bell(k)
		}
	}
	for k := range weights {
		weights[k] = float32(bell(k) / sum)
	}
	return weights
}

// edges enqueues a Sobel filter.
func (p *pipeline) edges(ctx context.Context, out, in pixels) error {
	return p.launch(ctx, "sobel", threads(in), in, out)
}

// equalize enqueues the three kernels of histogram equalization.
func (p *pipeline) equalize(ctx context.Context, out, in pixels) error {
	counts, err := compute.NewZeroed[uint32](ctx, p.acc, 256, compute.BufferOptions{Label: "counts"})
	if err != nil {
		return err
	}
	defer counts.Close()
	table, err := compute.NewBuffer[uint32](p.acc, 256,
		compute.BufferOptions{Label: "table", Intent: compute.Intermediate})
	if err != nil {
		return err
	}
	defer table.Close()
	group := compute.Extent{X: 256}
	all := compute.Threadgroups{Grid: compute.Extent{X: (in.Len() + 255) / 256}, Group: group}
	if err := p.launch(ctx, "histogram", all, in, counts); err != nil {
		return err
	}
	if err := p.launch(ctx, "levels", compute.Threadgroups{Grid: compute.Extent{X: 1}, Group: group}, counts,
		table); err != nil {
		return err
	}
	return p.launch(ctx, "equalize", threads(in), in, out, table)
}

// threads returns a grid of one thread per pixel.
func threads(p pixels) compute.Grid {
	size := p.Bounds().Size()
	return compute.Threads2D(size.X, size.Y)
}

// upload copies an image to a texture, which the caller must close.
func (p *pipeline) upload(ctx context.Context, picture image.Image) (pixels, error) {
	if size := picture.Bounds().Size(); size.X < 1 || size.Y < 1 || size.X > maxPixels/size.Y {
		return nil, fmt.Errorf("image of %d x %d pixels; want 1 to %d pixels", size.X, size.Y, maxPixels)
	}
	return compute.TextureOf[color.NRGBA](ctx, p.acc, picture, options("picture"))
}

// download waits for the stream and copies a texture to an image.
func (p *pipeline) download(ctx context.Context, b pixels) (*image.NRGBA, error) {
	picture := image.NewNRGBA(b.Bounds())
	return picture, errors.Join(p.stream.Sync(ctx), b.DownloadImage(ctx, picture))
}
