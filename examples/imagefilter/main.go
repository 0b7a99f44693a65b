// Command imagefilter filters an image with Metal Performance Shaders: a Gaussian blur, Sobel
// edges, Lanczos resampling, histogram equalization and a threshold.
//
//	go run ./examples/imagefilter -dir out               # a scene that it renders first
//	go run ./examples/imagefilter -dir out holiday.png
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/puremetal/puremetal/examples/image/scene"
	"github.com/puremetal/puremetal/mtl"
)

// settings are what the flags choose.
type settings struct {
	name      string  // the PNG file to filter; empty for a scene
	width     int     // of the scene, in pixels; its height is two thirds of that
	dir       string  // for the results
	sigma     float64 // of the blur, in pixels
	scale     float64 // the size of the resampled image, as a share of the picture's
	threshold float64 // from 0 to 1
}

func main() {
	var s settings
	flag.StringVar(&s.dir, "dir", ".", "output directory")
	flag.IntVar(&s.width, "width", 240, "width of the scene in pixels, if there is no file")
	flag.Float64Var(&s.sigma, "sigma", 2.5, "standard deviation of the blur in pixels")
	flag.Float64Var(&s.scale, "scale", 0.5, "size of scaled.png, as a share of the picture's")
	flag.Float64Var(&s.threshold, "threshold", 0.5, "brightness from which threshold.png is white, from 0 to 1")
	flag.Parse()
	s.name = flag.Arg(0)
	if err := run(context.Background(), os.Stdout, s); err != nil {
		log.Fatal(err)
	}
}

// run writes blurred.png, edges.png, scaled.png, equalized.png and threshold.png, and scene.png if
// it was to render one.
func run(ctx context.Context, w io.Writer, s settings) error {
	if !(s.sigma > 0 && s.sigma <= 100) || !(s.scale > 0 && s.scale <= 16) {
		return fmt.Errorf("sigma %g, scale %g; want sigma above 0 and up to 100, scale above 0 and up to 16", s.sigma,
			s.scale)
	}
	if !(s.threshold >= 0 && s.threshold <= 1) {
		return fmt.Errorf("threshold %g; want one from 0 to 1", s.threshold)
	}
	picture, err := open(s)
	if err != nil {
		return err
	}
	device, err := mtl.DefaultDevice()
	if err != nil {
		return err
	}
	defer device.Release()
	f, err := newFilters(device, picture)
	if err != nil {
		return err
	}
	defer f.close()
	for _, step := range []struct {
		name string
		run  func() (image.Image, error)
	}{
		{"blurred.png", func() (image.Image, error) { return f.blur(ctx, s.sigma) }},
		{"edges.png", func() (image.Image, error) { return f.edges(ctx) }},
		{"scaled.png", func() (image.Image, error) { return f.scale(ctx, s.scale) }},
		{"equalized.png", func() (image.Image, error) { return f.equalize(ctx) }},
		{"threshold.png", func() (image.Image, error) { return f.threshold(ctx, s.threshold) }},
	} {
		began := time.Now()
		made, err := step.run()
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		size := made.Bounds().Size()
		fmt.Fprintf(w, "%-13s %d x %d pixels in %v\n", step.name, size.X, size.Y,
			time.Since(began).Round(10*time.Microsecond))
		if err := write(filepath.Join(s.dir, step.name), made); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "on %s\n", device.Name())
	return err
}

// open reads the picture, or renders and stores a scene.
func open(s settings) (image.Image, error) {
	if s.name == "" {
		if s.width < 2 || s.width > 4096 {
			return nil, fmt.Errorf("width %d; want 2 to 4096", s.width)
		}
		height := s.width * 2 / 3
		picture := scene.Rows(s.width, height, 0, height)
		return picture, write(filepath.Join(s.dir, "scene.png"), picture)
	}
	file, err := os.Open(s.name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	picture, err := png.Decode(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return picture, nil
}

func write(name string, picture image.Image) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, picture), f.Close())
}
