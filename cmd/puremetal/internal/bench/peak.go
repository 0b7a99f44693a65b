package bench

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/puremetal/puremetal/compute"
)

// Peak is the measured peak of the machine.
//
// For the software device it is what Go code achieves on all processors: copying 64 MiB each,
// counting bytes read and written, and eight independent chains of float32 multiply-adds. Go's
// compiler does not vectorize the chains but the device uses vector instructions, so a fraction of
// the arithmetic peak can exceed 1. So can a fraction of the memory peak, if the data fits the
// caches. For a GPU it is what kernels achieve: copying 256 MiB, and eight chains of float4 fused
// multiply-adds in each thread.
type Peak struct {
	GBs    float64 `json:"gb_per_s"`
	GFLOPs float64 `json:"gflops"`
	How    string  `json:"how"`
}

const (
	peakRounds   = 5 // the best one counts
	chainRounds  = 2 << 20
	chains       = 8
	kernelChains = 8 * 256 * 4 * 2 // operations per thread of multiply_add
)

// measurePeak measures the peak of the machine.
func measurePeak(ctx context.Context, r *rig) (Peak, error) {
	if r.acc.Info().Software {
		p := Peak{How: "Go code on all processors: copies of 64 MiB each, and chains of scalar multiply-adds"}
		p.GBs, p.GFLOPs = hostCopy(ctx, 64<<20), hostArithmetic(ctx, chainRounds)
		return p, ctx.Err()
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

// hostArithmetic returns the GFLOP/s of multiply-adds in Go code on all processors.
func hostArithmetic(ctx context.Context, rounds int) float64 {
	n := runtime.GOMAXPROCS(0)
	sums := make([]float32, n)
	d := together(ctx, func(w int) { sums[w] = multiplyAdds(rounds, float32(w)) })
	return perNano(2*chains*float64(rounds)*float64(n), d)
}

// multiplyAdds computes eight independent chains, so that throughput and not latency limits it.
func multiplyAdds(rounds int, x float32) float32 {
	const m, c = 0.999, 0.001
	a, b, d, e := x, x+1, x+2, x+3
	f, g, h, i := x+4, x+5, x+6, x+7
	for range rounds {
		a, b, d, e = a*m+c, b*m+c, d*m+c, e*m+c
		f, g, h, i = f*m+c, g*m+c, h*m+c, i*m+c
	}
	return a + b + d + e + f + g + h + i
}

// kernelPeak measures a GPU's peak with kernels.
func kernelPeak(ctx context.Context, r *rig, bytes int) (Peak, error) {
	p := Peak{How: "kernels on the device: a copy, and chains of fused multiply-adds"}
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
