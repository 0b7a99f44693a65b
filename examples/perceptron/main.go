// Command perceptron trains a perceptron of two layers to classify points of two spirals, until its
// loss is small. The matrix products are those of package ops, the rest are kernels of its own.
//
//	go run ./examples/perceptron
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/puremetal/puremetal/compute"
)

func main() {
	rounds := flag.Int("rounds", 400, "rounds of learning, at most")
	flag.Parse()
	if _, _, err := run(context.Background(), os.Stdout, *rounds); err != nil {
		log.Fatal(err)
	}
}

// goal is the loss at which learning ends.
const goal = 0.02

// run learns, and returns loss and accuracy on points that it did not learn from.
func run(ctx context.Context, w io.Writer, rounds int) (loss, accuracy float64, err error) {
	if rounds < 0 {
		return 0, 0, fmt.Errorf("%d rounds: want 0 or more", rounds)
	}
	acc, err := compute.Open()
	if err != nil {
		return 0, 0, err
	}
	defer acc.Close(ctx)
	n, err := newNetwork(ctx, acc, random(1, 32), spirals(1, 160))
	if err != nil {
		return 0, 0, err
	}
	defer n.close()
	began, round := time.Now(), 0
	for ; ; round++ {
		if round%20 == 0 || round == rounds {
			loss, accuracy, err := n.judge(ctx)
			if err != nil {
				return 0, 0, err
			}
			fmt.Fprintf(w, "round %4d: loss %.4f, %.1f%% right\n", round, loss, 100*accuracy)
			if loss < goal || round == rounds {
				break
			}
		}
		if err := n.step(ctx, 0.2, 0.9); err != nil {
			return 0, 0, err
		}
	}
	took := time.Since(began)
	fmt.Fprintf(w, "%d rounds with %d points in %v on %v\n", round, n.rows, took.Round(time.Millisecond), acc.Info())
	if loss, accuracy, err = n.test(ctx, spirals(2, 160)); err != nil {
		return 0, 0, err
	}
	fmt.Fprintf(w, "points it never saw: loss %.4f, %.1f%% right\n", loss, 100*accuracy)
	return loss, accuracy, nil
}

// test judges other points, as many as the network learned from.
func (n *network) test(ctx context.Context, d dataset) (loss, accuracy float64, err error) {
	if err := n.input.Buffer.Upload(ctx, d.points); err != nil {
		return 0, 0, err
	}
	if err := n.classes.Upload(ctx, d.classes); err != nil {
		return 0, 0, err
	}
	return n.judge(ctx)
}
