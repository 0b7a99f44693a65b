// Command perceptron trains a two-layer perceptron to classify points on two spirals, until its
// loss is small. Package ops does the matrix products and the softmax; the rest are custom kernels.
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
	epochs := flag.Int("epochs", 400, "maximum number of epochs")
	flag.Parse()
	if _, _, err := run(context.Background(), os.Stdout, *epochs); err != nil {
		log.Fatal(err)
	}
}

// goal is the loss at which training stops.
const goal = 0.02

// run trains the network and returns its loss and accuracy on a separate test set.
func run(ctx context.Context, w io.Writer, epochs int) (loss, accuracy float64, err error) {
	if epochs < 0 {
		return 0, 0, fmt.Errorf("%d epochs; want 0 or more", epochs)
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
	began, epoch := time.Now(), 0
	for ; ; epoch++ {
		if epoch%20 == 0 || epoch == epochs {
			loss, accuracy, err := n.evaluate(ctx)
			if err != nil {
				return 0, 0, err
			}
			fmt.Fprintf(w, "epoch %4d: loss %.4f, accuracy %.1f%%\n", epoch, loss, 100*accuracy)
			if loss < goal || epoch == epochs {
				break
			}
		}
		if err := n.step(ctx, 0.2, 0.9); err != nil {
			return 0, 0, err
		}
	}
	took := time.Since(began)
	fmt.Fprintf(w, "%d epochs of %d points in %v on %v\n", epoch, n.rows, took.Round(time.Millisecond), acc.Info())
	if loss, accuracy, err = n.test(ctx, spirals(2, 160)); err != nil {
		return 0, 0, err
	}
	fmt.Fprintf(w, "test set: loss %.4f, accuracy %.1f%%\n", loss, 100*accuracy)
	return loss, accuracy, nil
}

// test evaluates the network on other points, as many as it was trained on.
func (n *network) test(ctx context.Context, d dataset) (loss, accuracy float64, err error) {
	if err := n.input.Buffer.Upload(ctx, d.points); err != nil {
		return 0, 0, err
	}
	if err := n.classes.Upload(ctx, d.classes); err != nil {
		return 0, 0, err
	}
	return n.evaluate(ctx)
}
