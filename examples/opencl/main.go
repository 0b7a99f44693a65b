// Command opencl finds the edges in a picture with a kernel in OpenCL C: edges.cl, which is
// translated to Metal when the program starts.
//
//	go run ./examples/opencl picture.png edges.png
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	"image/png"
	"log"
	"os"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/translate"
)

//go:embed edges.cl
var source string

// edges returns the edges in a picture, brighter by gain.
func edges(ctx context.Context, acc *compute.Accelerator, picture image.Image, gain float32) (*image.NRGBA, error) {
	program, err := acc.Compile(ctx, source, compute.CompileOptions{Name: "edges.cl", Dialect: translate.OpenCL})
	if err != nil {
		return nil, err
	}
	defer program.Close()
	kernel, err := program.Kernel("edges")
	if err != nil {
		return nil, err
	}
	from, err := compute.TextureOf[color.NRGBA](ctx, acc, picture, compute.TextureOptions{Label: "picture"})
	if err != nil {
		return nil, err
	}
	defer from.Close()
	size := picture.Bounds().Size()
	to, err := compute.NewTexture[color.NRGBA](acc, compute.Texture2D(size.X, size.Y),
		compute.TextureOptions{Label: "edges"})
	if err != nil {
		return nil, err
	}
	defer to.Close()
	stream, err := acc.NextStream()
	if err != nil {
		return nil, err
	}
	if err := stream.Launch(ctx, kernel, compute.Threads2D(size.X, size.Y), from, to, gain); err != nil {
		return nil, err
	}
	out := image.NewNRGBA(to.Bounds())
	return out, to.DownloadImage(ctx, out) // waits for the launch
}

func run(from, to string) (err error) {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	picture, _, err := image.Decode(f)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, acc.Close(ctx)) }()
	found, err := edges(ctx, acc, picture, 1)
	if err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(out, found), out.Close())
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: opencl picture.png edges.png")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}
