// Command heat simulates heat conduction in a plate and writes an animated GIF.
//
//	go run ./examples/heat -o heat.gif
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"log"
	"math"
	"os"
	"time"

	"github.com/puremetal/puremetal/compute"
)

//go:embed heat.metal
var source string

// plate is a rectangle of temperatures from 0 to 1, row by row.
type plate struct {
	width, height int
	temperature   []float32
}

// frames is the number of frames to record and of simulation steps between two of them.
type frames struct{ count, steps int }

// diffuse runs the simulation. It calls show with the temperatures before the first step and after
// every f.steps; show must not retain the slice.
func diffuse(ctx context.Context, acc *compute.Accelerator, p plate, rate float32, f frames,
	show func([]float32)) error {
	if !(rate > 0 && rate <= 0.25) {
		return fmt.Errorf("rate %g is unstable; want more than 0 and at most 0.25", rate)
	}
	program, err := acc.Compile(ctx, source, compute.CompileOptions{Name: "heat.metal"})
	if err != nil {
		return err
	}
	defer program.Close()
	kernel, err := program.Kernel("diffuse")
	if err != nil {
		return err
	}
	now, err := compute.BufferOf(ctx, acc, p.temperature)
	if err != nil {
		return err
	}
	defer now.Close()
	next, err := compute.NewBuffer[float32](acc, now.Len(), compute.BufferOptions{Label: "next", Intent: compute.Readback})
	if err != nil {
		return err
	}
	defer next.Close()
	// The two buffers alternate, so bind both orders once and run them in turn.
	grid := compute.Threads2D(p.width, p.height)
	there, err := kernel.Bind(grid, now, next, rate)
	if err != nil {
		return err
	}
	back, err := kernel.Bind(grid, next, now, rate)
	if err != nil {
		return err
	}
	stream, err := acc.NextStream()
	if err != nil {
		return err
	}
	for n := range f.count {
		if n > 0 {
			for range f.steps {
				if err := stream.Run(ctx, there); err != nil {
					return err
				}
				there, back, now, next = back, there, next, now
			}
		}
		if err := stream.Sync(ctx); err != nil {
			return err
		}
		data, err := now.Data()
		if err != nil {
			return err
		}
		show(data)
	}
	return nil
}

// start returns a cold plate with a hot ring and two hot discs.
func start(width, height int) plate {
	p := plate{width, height, make([]float32, width*height)}
	for y := 1; y < height-1; y++ {
		for x := 1; x < width-1; x++ {
			fx, fy, r := float64(x), float64(y), float64(height)
			ring := math.Hypot(fx-0.5*float64(width), fy-0.5*r)
			left, right := math.Hypot(fx-0.22*float64(width), fy-0.3*r), math.Hypot(fx-0.8*float64(width), fy-0.68*r)
			if ring > 0.25*r && ring < 0.31*r || left < 0.09*r || right < 0.14*r {
				p.temperature[y*width+x] = 1
			}
		}
	}
	return p
}

// palette returns colors from black through red and yellow to white.
func palette() color.Palette {
	p := make(color.Palette, 256)
	for i := range p {
		level := func(from float64) uint8 { return uint8(255 * min(1, max(0, 3*(math.Sqrt(float64(i)/255))-from))) }
		p[i] = color.RGBA{level(0), level(1), level(2), 255}
	}
	return p
}

// film runs the simulation and returns the animation.
func film(ctx context.Context, acc *compute.Accelerator, p plate, rate float32, f frames) (*gif.GIF, error) {
	g, colors := &gif.GIF{}, palette()
	err := diffuse(ctx, acc, p, rate, f, func(t []float32) {
		frame := image.NewPaletted(image.Rect(0, 0, p.width, p.height), colors)
		for i, t := range t {
			frame.Pix[i] = uint8(255*min(1, max(0, t)) + 0.5)
		}
		g.Image, g.Delay = append(g.Image, frame), append(g.Delay, 6)
	})
	return g, err
}

func main() {
	out := flag.String("o", "heat.gif", "output file")
	flag.Parse()
	if err := run(context.Background(), *out); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out string) error {
	acc, err := compute.Open()
	if err != nil {
		return err
	}
	defer acc.Close(ctx)
	p, f := start(240, 160), frames{count: 48, steps: 25}
	began := time.Now()
	g, err := film(ctx, acc, p, 0.24, f)
	if err != nil {
		return err
	}
	took := time.Since(began)
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	if err := errors.Join(gif.EncodeAll(file, g), file.Close()); err != nil {
		return err
	}
	steps := (f.count - 1) * f.steps
	fmt.Printf("%s: %d frames of %d x %d, %d steps in %v, %.0f million points per second, on %v\n", out, f.count, p.width,
		p.height, steps,
		took.Round(time.Millisecond), float64(steps)*float64(p.width*p.height)/1e6/took.Seconds(), acc.Info())
	return nil
}
