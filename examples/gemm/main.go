// Command gemm multiplies matrices with each library of this module and with plain Go, checks the
// products and compares the times.
//
//	go run ./examples/gemm -n 64,256,512 -o gemm.html
//
// The product of two n x n matrices takes 2n³ operations. The times contain the calls, the wait for
// the device and nothing else: the factors are on the device already.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/objc"
)

// settings are what the flags choose.
type settings struct {
	sizes []int         // n of each pair of n x n matrices
	time  time.Duration // to measure one method for
	out   string        // the chart
}

// timing is what was measured of a method.
type timing struct {
	Method string
	N      int
	Median time.Duration
	Runs   int
	Error  float64 // the largest difference from the product in float64
	Bound  float64 // the largest share of the error bound; more than 1 is wrong
}

// GFLOPs returns the operations per nanosecond.
func (t timing) GFLOPs() float64 {
	n := float64(t.N)
	return 2 * n * n * n / float64(t.Median.Nanoseconds())
}

func main() {
	var s settings
	sizes := flag.String("n", "64,128,256,512", "sizes of the matrices")
	flag.DurationVar(&s.time, "t", 200*time.Millisecond, "time to measure each method for")
	flag.StringVar(&s.out, "o", "gemm.html", "output file")
	flag.Parse()
	var err error
	if s.sizes, err = parseSizes(*sizes); err == nil {
		err = run(context.Background(), os.Stdout, s)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// maxSize keeps the plain Go product, and the one in float64, below a minute.
const maxSize = 2048

// parseSizes reads a list of sizes such as "64,128".
func parseSizes(text string) ([]int, error) {
	var sizes []int
	for _, word := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 || n > maxSize {
			return nil, fmt.Errorf("size %q, want a number from 1 to %d", word, maxSize)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

func run(ctx context.Context, w io.Writer, s settings) error {
	acc, err := compute.Open()
	if err != nil {
		return err
	}
	defer acc.Close(ctx)
	var all []timing
	for _, n := range s.sizes {
		some, err := compare(ctx, w, acc, newProblem(n), s.time)
		if err != nil {
			return err
		}
		all = append(all, some...)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "n\tmethod\tmedian\truns\tGFLOP/s\tlargest error\tof its bound\t")
	for _, x := range all {
		fmt.Fprintf(t, "%d\t%s\t%v\t%d\t%.2f\t%.1e\t%.0f%%\t\n", x.N, x.Method, x.Median.Round(time.Microsecond),
			x.Runs,
			x.GFLOPs(), x.Error, 100*x.Bound)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	file, err := os.Create(s.out)
	if err != nil {
		return err
	}
	if err := errors.Join(chart(file, acc.Info().String(), all), file.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s: on %v\n", s.out, acc.Info())
	return err
}

// compare measures all methods on one problem. It tells w which ones the machine does not have.
func compare(ctx context.Context, w io.Writer, acc *compute.Accelerator, p *problem, least time.Duration) ([]timing,
	error) {
	var list []timing
	for _, m := range methods() {
		t, err := measure(ctx, acc, m, p, least)
		if errors.Is(err, objc.ErrNotFound) { // Metal Performance Shaders may be missing
			fmt.Fprintf(w, "%s is left out: %v\n", m.name, err)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s, n = %d: %w", m.name, p.n, err)
		}
		list = append(list, t)
	}
	return list, nil
}

// measure runs a method at least three times, and for a time, after one run that is not counted. It
// checks the last product.
func measure(ctx context.Context, acc *compute.Accelerator, m method, p *problem, least time.Duration) (timing, error) {
	t := timing{Method: m.name, N: p.n}
	x, err := m.open(ctx, acc, p)
	if err != nil {
		return t, err
	}
	defer x.close(ctx)
	if err := x.multiply(ctx); err != nil {
		return t, err
	}
	var times []time.Duration
	for began := time.Now(); len(times) < 3 || time.Since(began) < least; {
		start := time.Now()
		if err := x.multiply(ctx); err != nil {
			return t, err
		}
		times = append(times, time.Since(start))
	}
	got, err := x.product(ctx)
	if err != nil {
		return t, err
	}
	slices.Sort(times)
	t.Median, t.Runs = times[len(times)/2], len(times)
	t.Error, t.Bound, err = p.check(got)
	return t, err
}
