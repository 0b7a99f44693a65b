package bench

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/gemm"
)

// Peak is the measured peak of the machine.
//
// For the software device it is what all processors achieve together: copying 64 MiB each, counting
// bytes read and written, and multiplying 512 x 512 float32 matrices with vector instructions. A
// fraction of the arithmetic peak can exceed 1 for narrower types, and a fraction of the memory
// peak if the data fits the caches. For a GPU it is what kernels achieve: copying 256 MiB, and
// eight chains of float4 fused multiply-adds in each thread.
type Peak struct {
	GBs    float64 `json:"gb_per_s"`
	GFLOPs float64 `json:"gflops"`
	How    string  `json:"how"`
	// Unsteady says that the peak differed much between two measurements, before and after the cases.
	// The better one counts: other load makes a peak smaller, never larger.
	Unsteady bool `json:"unsteady,omitempty"`
}

// best returns the best of two measurements.
func (p Peak) best(q Peak) Peak {
	apart := func(x, y float64) bool { return min(x, y) > 0 && max(x, y) > 1.5*min(x, y) }
	p.Unsteady = apart(p.GBs, q.GBs) || apart(p.GFLOPs, q.GFLOPs)
	p.GBs, p.GFLOPs = max(p.GBs, q.GBs), max(p.GFLOPs, q.GFLOPs)
	return p
}

const (
	peakRounds   = 5               // the best one counts
	kernelChains = 8 * 256 * 4 * 2 // operations per thread of multiply_add
)

// measurePeak measures the peak of the machine.
func measurePeak(ctx context.Context, r *rig) (Peak, error) {
	if r.acc.Info().Software {
		p := Peak{How: "on all processors: copies of 64 MiB each, and products of 512 x 512 float32 matrices"}
		p.GBs = hostCopy(ctx, 64<<20)
		var err error
		p.GFLOPs, err = hostArithmetic(ctx, 512)
		return p, errors.Join(err, ctx.Err())
	}
	return kernelPeak(ctx, r, 256<<20)
}

// together runs fn on all processors at once, a few times, and returns the shortest time until all
// were done.
func together(ctx context.Context, fn func(worker int)) time.Duration {
	best := time.Duration(0)
	for range peakRounds {
		if ctx.Err() != nil {
			return best
		}
		var all sync.WaitGroup
		start := time.Now()
		for w := range runtime.GOMAXPROCS(0) {
			all.Go(func() { fn(w) })
		}
		all.Wait()
		if d := time.Since(start); best == 0 || d < best {
			best = d
		}
	}
	return best
}

// perNano returns n per nanosecond, or 0 if d is not positive.
func perNano(n float64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return n / float64(d.Nanoseconds())
}

// hostCopy returns the copy bandwidth of all processors in GB/s, counting reads and writes.
func hostCopy(ctx context.Context, bytes int) float64 {
	n := runtime.GOMAXPROCS(0)
	from, to := make([][]byte, n), make([][]byte, n)
	for w := range n {
		from[w], to[w] = make([]byte, bytes), make([]byte, bytes)
		for i := range from[w] { // write every page, so that it is resident
			from[w][i], to[w][i] = byte(i), 1
		}
	}
	d := together(ctx, func(w int) { copy(to[w], from[w]) })
	return perNano(2*float64(bytes)*float64(n), d)
}

// hostArithmetic returns the GFLOP/s of products of n x n float32 matrices, with the processor's
// vector instructions, one product on each processor.
func hostArithmetic(ctx context.Context, n int) (float64, error) {
	workers := runtime.GOMAXPROCS(0)
	products := make([]gemm.Product, workers)
	for w := range products {
		matrix := func() gemm.Matrix { return gemm.Dense(make([]byte, 4*n*n), gemm.F32, n, n) }
		products[w] = gemm.Product{A: matrix(), B: matrix(), C: matrix(), Alpha: 1}
	}
	errs := make([]error, workers)
	d := together(ctx, func(w int) { errs[w] = gemm.Multiply(gemm.Runner{Workers: 1}, products[w]) })
	return perNano(2*float64(n)*float64(n)*float64(n)*float64(workers), d), errors.Join(errs...)
}

// kernelPeak measures a GPU's peak with kernels.
func kernelPeak(ctx context.Context, r *rig, bytes int) (Peak, error) {
	p := Peak{How: "by kernels on the device: a copy, and chains of fused multiply-adds"}
	n := bytes / 16
	x, err := values[float32](r, 4*n, nil)
	if err != nil {
		return p, err
	}
	defer x.Close()
	y, err := values[float32](r, 4*n, nil)
	if err != nil {
		return p, err
	}
	defer y.Close()
	best := func(kernel string, threads int, args ...any) (time.Duration, error) {
		l, err := r.bind(kernel, compute.Threads1D(threads), args...)
		if err != nil {
			return 0, err
		}
		least := time.Duration(0)
		for range peakRounds {
			d, err := r.timed(ctx, func(ctx context.Context, s *compute.Stream) error { return s.Run(ctx, l) })
			if err != nil {
				return 0, err
			}
			if least == 0 || d < least {
				least = d
			}
		}
		return least, nil
	}
	d, err := best("copy", n, x, y)
	if err != nil {
		return p, err
	}
	p.GBs = perNano(2*float64(bytes), d)
	threads := min(n, 1<<20)
	if d, err = best("multiply_add", threads, x); err != nil {
		return p, err
	}
	p.GFLOPs = perNano(kernelChains*float64(threads), d)
	return p, nil
}
