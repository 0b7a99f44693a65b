// Command cnn trains a small convolutional network to read digits, which it draws itself, with
// random shapes and noise. The forward pass, the gradients and the updates of the weights are one
// graph of package mps/graph.
//
//	go run ./examples/cnn -steps 400
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/puremetal/puremetal/mtl"
)

// settings are what the flags choose.
type settings struct {
	steps int // of gradient descent, one batch each
	batch int // pictures in a batch
	every int // steps between two lines of the table
	held  int // pictures to measure the accuracy with, rounded up to whole batches
	rate  float64
	seed  uint64
}

func main() {
	var s settings
	flag.IntVar(&s.steps, "steps", 200, "steps of gradient descent")
	flag.IntVar(&s.batch, "batch", 16, "pictures in each step")
	flag.IntVar(&s.every, "every", 20, "steps between two lines of the table")
	flag.IntVar(&s.held, "held", 300, "pictures to measure the accuracy with, which are not trained on")
	flag.Float64Var(&s.rate, "rate", 0.06, "learning rate of the first step, which falls towards 0")
	flag.Uint64Var(&s.seed, "seed", 1, "seed of the weights and of the pictures")
	flag.Parse()
	if _, err := run(context.Background(), os.Stdout, s); err != nil {
		log.Fatal(err)
	}
}

// outcome is what a run has learned.
type outcome struct {
	losses   []float64 // of each step's batch, before the step
	accuracy float64   // the share of held-out pictures that are read correctly
	mistakes int
}

// run trains a network, prints its progress and shows some of the pictures that it still misreads.
func run(ctx context.Context, w io.Writer, s settings) (out outcome, err error) {
	if s.steps < 1 || s.batch < 1 || s.every < 1 || s.held < 1 || !(s.rate > 0) {
		return out, fmt.Errorf("steps %d, batch %d, every %d, held %d, rate %g; want each more than 0", s.steps,
			s.batch, s.every, s.held, s.rate)
	}
	device, err := mtl.DefaultDevice()
	if err != nil {
		return out, err
	}
	defer device.Release()
	n, err := newNetwork(device, s.seed, s.batch)
	if err != nil {
		return out, err
	}
	defer n.close()
	test := draw(s.seed, 0, (s.held+s.batch-1)/s.batch*s.batch) // the training has streams from 1
	var guesses []int32
	began := time.Now()
	fmt.Fprintf(w, "%6s %8s %9s %8s\n", "step", "loss", "accuracy", "time")
	for sum, since := 0.0, 0; len(out.losses) < s.steps; {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		step := len(out.losses)
		rate := s.rate * (1 - float64(step)/float64(s.steps)) // falls, so that the last steps are small
		loss, err := n.train(draw(s.seed, uint64(step)+1, s.batch), rate)
		if err != nil {
			return out, fmt.Errorf("step %d: %w", step, err)
		}
		out.losses = append(out.losses, loss)
		sum, since = sum+loss, since+1
		if step+1 != s.steps && (step+1)%s.every != 0 {
			continue
		}
		if guesses, err = n.classify(test); err != nil {
			return out, err
		}
		out.mistakes = len(wrong(test, guesses))
		out.accuracy = 1 - float64(out.mistakes)/float64(len(guesses))
		fmt.Fprintf(w, "%6d %8.4f %8.1f%% %7.1fs\n", step+1, sum/float64(since), 100*out.accuracy,
			time.Since(began).Seconds())
		sum, since = 0, 0
	}
	fmt.Fprintf(w, "%d of %d held-out pictures misread, on %s\n", out.mistakes, len(test.labels), device.Name())
	for _, i := range wrong(test, guesses)[:min(3, out.mistakes)] {
		pixels := test.pixels[i*side*side:][:side*side]
		fmt.Fprintf(w, "\na %d, read as %d:\n%s", test.labels[i], guesses[i], ascii(pixels))
	}
	return out, nil
}

// wrong returns the indices of the pictures that were misread.
func wrong(d digits, guesses []int32) (list []int) {
	for i, label := range d.labels {
		if guesses[i] != int32(label) {
			list = append(list, i)
		}
	}
	return list
}
