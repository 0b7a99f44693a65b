package bench

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/mtl"
)

// Case is a benchmark.
type Case struct {
	Name string
	What string // one-line description
	// FLOP is the number of additions and multiplications in an operation, Bytes the least number of
	// bytes that it reads and writes.
	FLOP, Bytes float64
	Arithmetic  bool // limited by arithmetic, not memory
	prepare     func(context.Context, *rig) (measured, error)
}

// Work is prepared work for the device.
type Work struct {
	Run   func(context.Context, *compute.Stream) error
	Bytes float64 // that it reads and writes at least
	Close func()  // releases what it holds
}

// NewCase returns a case of work that another package prepares.
func NewCase(name, what string, prepare func(context.Context, *compute.Accelerator) (Work, error)) Case {
	return Case{Name: name, What: what, prepare: func(ctx context.Context, r *rig) (measured, error) {
		w, err := prepare(ctx, r.acc)
		if err == nil {
			r.opened = append(r.opened, closer(w.Close))
		}
		return measured{device: w.Run, bytes: w.Bytes}, err
	}}
}

type closer func()

func (c closer) Close() { c() }

// measured is a case that is ready to run: work for the device, or a batch of host operations.
type measured struct {
	bytes  float64 // of Case, if only now known
	device func(context.Context, *compute.Stream) error
	host   func(ctx context.Context, n int) error
	batch  int
	check  func(context.Context) error // checks the output of the first run
}

const million = 1 << 20

// Cases returns all cases.
func Cases() []Case {
	return append(opsCases(), []Case{
		{Name: "allocate-pooled", What: "allocate and close a 1 MiB buffer from the pool", prepare: allocatePooled},
		{Name: "allocate-fresh", What: "allocate and release a 1 MiB buffer in Metal, without the pool",
			prepare: allocateFresh},
		{Name: "launch-and-wait", What: "launch an empty kernel and wait for it", prepare: launchAndWait},
		{Name: "launch-many", What: "launch an empty kernel, one of 1000 before a wait", prepare: launchMany},
		{Name: "saxpy-1M", What: "y += a x, 2^20 float32", FLOP: 2 * million, Bytes: 12 * million, prepare: saxpy},
		{Name: "matmul-tiled-512", What: "512 x 512 float32 matrix product in tiles of 16 x 16", FLOP: 2 * 512 * 512 * 512,
			Bytes: 3 * million, Arithmetic: true, prepare: matmulTiled},
		{Name: "reduce-1M", What: "sums of blocks of 256, 2^20 float32", FLOP: million, Bytes: 4 * million, prepare: reduce},
		{Name: "softmax-1024x1024", What: "softmax over rows of 1024 float32", Bytes: 8 * million, prepare: softmax},
		{Name: "mandelbrot-1024", What: "Mandelbrot set, 1024 x 1024 points, at most 256 iterations", prepare: mandelbrot},
		{Name: "histogram-16M", What: "histogram of 2^24 bytes in 256 bins", Bytes: 16 * million, prepare: histogram},
	}...)
}

// buffers creates a buffer of n random numbers for each pointer in to.
func (r *rig) buffers(n int, to ...**compute.Buffer[float32]) error {
	fill := random()
	for _, b := range to {
		var err error
		if *b, err = keep(r, n, fill); err != nil {
			return err
		}
	}
	return nil
}

// read downloads a buffer.
func read[T any](ctx context.Context, b *compute.Buffer[T]) ([]T, error) {
	out := make([]T, b.Len())
	return out, b.Download(ctx, out)
}

func runs(l *compute.Launch) func(context.Context, *compute.Stream) error {
	return func(ctx context.Context, s *compute.Stream) error { return s.Run(ctx, l) }
}

// compare checks some of the numbers of out against what they should be, given the inputs.
func compare(ctx context.Context, out *compute.Buffer[float32], want func(x, y []float32, i int) float64, x,
	y *compute.Buffer[float32]) error {
	got, err := read(ctx, out)
	if err != nil {
		return err
	}
	xs, err := read(ctx, x)
	if err != nil {
		return err
	}
	ys, err := read(ctx, y)
	if err != nil {
		return err
	}
	for i := 0; i < len(got); i += max(1, len(got)/97) {
		if err := near(fmt.Sprintf("element %d", i), float64(got[i]), want(xs, ys, i)); err != nil {
			return err
		}
	}
	return nil
}

// product is element i of the product of two square matrices.
func product(n int) func(x, y []float32, i int) float64 {
	return func(x, y []float32, i int) (sum float64) {
		for k := range n {
			sum += float64(x[i/n*n+k]) * float64(y[k*n+i%n])
		}
		return sum
	}
}

func matmulTiled(_ context.Context, r *rig) (m measured, err error) {
	const n = 512
	var a, b, c *compute.Buffer[float32]
	if err = r.buffers(n*n, &a, &b, &c); err != nil {
		return m, err
	}
	l, err := r.bind("matmul_tiled", compute.Threads2D(n, n).In(compute.Extent{X: 16, Y: 16}), a, b, c, uint32(n))
	m.device = runs(l)
	m.check = func(ctx context.Context) error { return compare(ctx, c, product(n), a, b) }
	return m, err
}

const allocation = 1 << 20

func allocatePooled(_ context.Context, r *rig) (measured, error) {
	return measured{batch: 100, host: func(_ context.Context, n int) error {
		for range n {
			b, err := compute.NewBuffer[byte](r.acc, allocation, compute.BufferOptions{})
			if err != nil {
				return err
			}
			b.Close()
		}
		return nil
	}}, nil
}

func allocateFresh(_ context.Context, r *rig) (measured, error) {
	return measured{batch: 100, host: func(_ context.Context, n int) error {
		for range n {
			b, err := r.acc.Device().NewBuffer(allocation, mtl.ResourceStorageModeShared)
			if err != nil {
				return err
			}
			b.Release()
		}
		return nil
	}}, nil
}

func launchAndWait(_ context.Context, r *rig) (m measured, err error) {
	x, err := keep[float32](r, 32, nil)
	if err != nil {
		return m, err
	}
	l, err := r.bind("nothing", compute.Threads1D(32), x)
	m.batch, m.host = 20, func(ctx context.Context, n int) error {
		for range n {
			if err := r.stream.Run(ctx, l); err != nil {
				return err
			}
			if err := r.stream.Sync(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	return m, err
}

func launchMany(_ context.Context, r *rig) (m measured, err error) {
	x, err := keep[float32](r, 32, nil)
	if err != nil {
		return m, err
	}
	l, err := r.bind("nothing", compute.Threads1D(32), x)
	m.batch, m.host = 1000, func(ctx context.Context, n int) error {
		for range n {
			if err := r.stream.Run(ctx, l); err != nil {
				return err
			}
		}
		return r.stream.Sync(ctx)
	}
	return m, err
}

func saxpy(ctx context.Context, r *rig) (m measured, err error) {
	var x, y, before *compute.Buffer[float32]
	if err = r.buffers(million, &x, &y, &before); err != nil {
		return m, err
	}
	start, err := read(ctx, y)
	if err != nil {
		return m, err
	}
	if err := before.Upload(ctx, start); err != nil {
		return m, err
	}
	l, err := r.bind("saxpy", compute.Threads1D(million), x, y, float32(2))
	m.device = runs(l)
	m.check = func(ctx context.Context) error {
		return compare(ctx, y, func(x, y []float32, i int) float64 { return float64(2*x[i] + y[i]) }, x, before)
	}
	return m, err
}

func reduce(_ context.Context, r *rig) (m measured, err error) {
	x, err := keep(r, million, random())
	if err != nil {
		return m, err
	}
	sums, err := keep[float32](r, million/256, nil)
	if err != nil {
		return m, err
	}
	l, err := r.bind("reduce", compute.Threads1D(million).In(compute.Extent{X: 256}), x, sums)
	m.device = runs(l)
	m.check = func(ctx context.Context) error {
		return compare(ctx, sums, func(x, _ []float32, i int) (sum float64) {
			for _, v := range x[256*i : 256*i+256] {
				sum += float64(v)
			}
			return sum
		}, x, x)
	}
	return m, err
}

func softmax(_ context.Context, r *rig) (m measured, err error) {
	var x, y *compute.Buffer[float32]
	if err = r.buffers(million, &x, &y); err != nil {
		return m, err
	}
	l, err := r.bind("softmax", compute.Threads1D(1024*256).In(compute.Extent{X: 256}), x, y)
	m.device = runs(l)
	m.check = func(ctx context.Context) error {
		return compare(ctx, y, func(x, _ []float32, i int) float64 { return softmaxAt(x, i) }, x, x)
	}
	return m, err
}

// softmaxAt is element i of the softmax over rows of 1024.
func softmaxAt(x []float32, i int) float64 {
	row, sum := x[i/1024*1024:][:1024], 0.0
	most := slices.Max(row)
	for _, v := range row {
		sum += math.Exp(float64(v - most))
	}
	return math.Exp(float64(x[i]-most)) / sum
}

func mandelbrot(_ context.Context, r *rig) (m measured, err error) {
	const side = 1024
	out, err := keep[uint16](r, side*side, nil)
	if err != nil {
		return m, err
	}
	l, err := r.bind("mandelbrot", compute.Threads2D(side, side), out)
	m.device = runs(l)
	m.check = func(ctx context.Context) error {
		got, err := read(ctx, out)
		if err != nil {
			return err
		}
		// The corner is far outside, the middle of the right half within the set.
		if got[0] > 2 || got[side/2*side+side*4/5] != 256 {
			return fmt.Errorf("the corner left after %d rounds and 0+0i after %d, want at most 2, and 256", got[0],
				got[side/2*side+side*4/5])
		}
		return nil
	}
	return m, err
}

func histogram(_ context.Context, r *rig) (m measured, err error) {
	const n = 16 * million
	var want [256]uint32
	in, err := keep(r, n, func(i int) byte {
		b := byte(i * i >> 7)
		want[b]++
		return b
	})
	if err != nil {
		return m, err
	}
	bins, err := keep[uint32](r, 256, nil)
	if err != nil {
		return m, err
	}
	l, err := r.bind("histogram", compute.Threads1D(million).In(compute.Extent{X: 256}), in, bins)
	m.device = runs(l)
	m.check = func(ctx context.Context) error {
		got, err := read(ctx, bins)
		if err == nil && !slices.Equal(got, want[:]) {
			err = fmt.Errorf("the first bins are %v, and should be %v", got[:4], want[:4])
		}
		return err
	}
	return m, err
}
