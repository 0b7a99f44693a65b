// Command gokernels plays Conway's Game of Life with a kernel that is written in Go. Package
// kernels beside it has more of them: a matrix product, a histogram and reductions.
//
//	go run ./examples/gokernels -generations 100
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/gokernel"
)

//go:embed kernels
var source embed.FS

const width, height = 64, 24

// play returns the cells after some generations.
func play(ctx context.Context, acc *compute.Accelerator, cells []uint8, generations int) ([]uint8, error) {
	program, err := gokernel.Compile(ctx, acc, source, "kernels", compute.CompileOptions{})
	if err != nil {
		return nil, err
	}
	defer program.Close()
	life, err := program.Kernel("Life")
	if err != nil {
		return nil, err
	}
	from, err := compute.BufferOf(ctx, acc, cells)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	to, err := compute.NewBuffer[uint8](acc, len(cells), compute.BufferOptions{})
	if err != nil {
		return nil, err
	}
	defer to.Close()
	stream, err := acc.NextStream()
	if err != nil {
		return nil, err
	}
	for range generations {
		if err := stream.Launch(ctx, life, compute.Threads2D(width, height), from, to); err != nil {
			return nil, err
		}
		from, to = to, from
	}
	next := make([]uint8, len(cells))
	return next, from.Download(ctx, next)
}

func main() {
	generations := flag.Int("generations", 100, "how many generations to compute")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *generations); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, generations int) error {
	acc, err := compute.Open()
	if err != nil {
		return err
	}
	defer acc.Close(ctx)
	random := rand.New(rand.NewPCG(1, 1))
	cells := make([]uint8, width*height)
	for i := range cells {
		cells[i] = uint8(random.IntN(4) / 3)
	}
	if cells, err = play(ctx, acc, cells, generations); err != nil {
		return err
	}
	for y := range height {
		line := make([]byte, width)
		for x := range line {
			line[x] = " #"[cells[y*width+x]]
		}
		fmt.Fprintf(w, "%s\n", line)
	}
	return nil
}
