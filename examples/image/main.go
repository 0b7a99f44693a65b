// Command image blurs an image, detects its edges, and equalizes its histogram.
//
//	go run ./examples/image                         # testdata/photograph.png, rendered by package scene
//	go run ./examples/image -dir out holiday.jpg
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	"image/png"
	"io"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/puremetal/puremetal/compute"
)

func main() {
	dir, sigma := flag.String("dir", ".", "output directory"),
		flag.Float64("sigma", 2.5, "standard deviation of the blur in pixels")
	flag.Parse()
	name := filepath.Join("testdata", "photograph.png")
	if flag.NArg() > 0 {
		name = flag.Arg(0)
	}
	if err := run(context.Background(), os.Stdout, name, *dir, *sigma); err != nil {
		log.Fatal(err)
	}
}

// run writes blurred.png, edges.png and equalized.png.
func run(ctx context.Context, w io.Writer, name, dir string, sigma float64) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	picture, _, err := image.Decode(file)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	acc, err := compute.Open()
	if err != nil {
		return err
	}
	defer acc.Close(ctx)
	p, err := newPipeline(ctx, acc)
	if err != nil {
		return err
	}
	defer p.close()
	in, err := p.upload(ctx, picture)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := compute.NewTexture[color.NRGBA](acc, in.Shape(), options("result"))
	if err != nil {
		return err
	}
	defer out.Close()
	for _, step := range []struct {
		name string
		run  func() error
	}{
		{"blurred.png", func() error { return p.blur(ctx, out, in, sigma) }},
		{"edges.png", func() error { return p.edges(ctx, out, in) }},
		{"equalized.png", func() error { return p.equalize(ctx, out, in) }},
	} {
		began := time.Now()
		if err := step.run(); err != nil {
			return err
		}
		made, err := p.download(ctx, out)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%-13s %d x %d pixels in %v\n", step.name, made.Rect.Dx(), made.Rect.Dy(),
			time.Since(began).Round(10*time.Microsecond))
		if err := write(filepath.Join(dir, step.name), made); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "from %s, on %v\n", name, acc.Info())
	return nil
}

func write(name string, picture image.Image) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, picture), f.Close())
}
