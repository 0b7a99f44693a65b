package main

import (
	"context"
	_ "embed"
	"fmt"
	"image"
	"image/draw"
	"math"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/simd"
)

//go:embed image.metal
var source string

// maxPixels is how large a picture may be: beyond it the products of the kernel levels would need
// more than 32 bits.
const maxPixels = math.MaxUint32 / 255

// pixels is a picture on the device.
type pixels = *compute.Buffer[simd.UChar4]

// pipeline has the kernels, and a stream that runs them.
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

// blur gives the stream a Gaussian blur of a standard deviation in pixels. The buffer between its
// two halves is closed at once: the memory is released when the work that was given to the stream
// has ended.
func (p *pipeline) blur(ctx context.Context, out, in pixels, size image.Point, sigma float64) error {
	if !(sigma > 0 && sigma <= 100) {
		return fmt.Errorf("a blur of %g pixels: want more than 0 and at most 100", sigma)
	}
	weights := gauss(sigma)
	w, err := compute.BufferOf(ctx, p.acc, weights)
	if err != nil {
		return err
	}
	defer w.Close()
	between, err := compute.NewBuffer[simd.Float4](p.acc, in.Len(),
		compute.BufferOptions{Label: "rows blurred", Intent: compute.Intermediate})
	if err != nil {
		return err
	}
	defer between.Close()
	grid, radius := compute.Threads2D(size.X, size.Y), int32(len(weights)-1)
	if err := p.launch(ctx, "blur_rows", grid, in, between, w, radius); err != nil {
		return err
	}
	return p.launch(ctx, "blur_columns", grid, between, out, w, radius)
}

// gauss returns the weights of the middle and of one side, which together with the other side are
// one.
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

// edges gives the stream Sobel's filters.
func (p *pipeline) edges(ctx context.Context, out, in pixels, size image.Point) error {
	return p.launch(ctx, "sobel", compute.Threads2D(size.X, size.Y), in, out)
}

// equalise gives the stream the three kernels that spread the histogram of brightness.
func (p *pipeline) equalise(ctx context.Context, out, in pixels) error {
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
	all := compute.Groups{Grid: compute.Extent{X: (in.Len() + 255) / 256}, Group: group}
	if err := p.launch(ctx, "histogram", all, in, counts, uint32(in.Len())); err != nil {
		return err
	}
	if err := p.launch(ctx, "levels", compute.Groups{Grid: compute.Extent{X: 1}, Group: group}, counts,
		table); err != nil {
		return err
	}
	return p.launch(ctx, "equalise", compute.Threads1D(in.Len()), in, out, table)
}

// upload brings a picture to the device. The buffer is the caller's to close.
func (p *pipeline) upload(ctx context.Context, picture image.Image) (pixels, image.Point, error) {
	size := picture.Bounds().Size()
	if size.X < 1 || size.Y < 1 || size.X > maxPixels/size.Y {
		return nil, size, fmt.Errorf("a picture of %d x %d pixels: want 1 to %d of them", size.X, size.Y, maxPixels)
	}
	plain := image.NewNRGBA(image.Rectangle{Max: size})
	draw.Draw(plain, plain.Rect, picture, picture.Bounds().Min, draw.Src)
	data := make([]simd.UChar4, size.X*size.Y)
	for i := range data {
		q := plain.Pix[4*i:]
		data[i] = simd.UChar4{X: q[0], Y: q[1], Z: q[2], W: q[3]}
	}
	b, err := compute.BufferOf(ctx, p.acc, data)
	return b, size, err
}

// download waits for the stream and brings a picture back.
func (p *pipeline) download(ctx context.Context, b pixels, size image.Point) (*image.NRGBA, error) {
	if err := p.stream.Sync(ctx); err != nil {
		return nil, err
	}
	data, err := b.Data()
	if err != nil {
		return nil, err
	}
	picture := image.NewNRGBA(image.Rectangle{Max: size})
	for i, q := range data {
		copy(picture.Pix[4*i:], []uint8{q.X, q.Y, q.Z, q.W})
	}
	return picture, nil
}
