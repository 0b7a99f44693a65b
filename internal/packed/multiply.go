package packed

import (
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/internal/gemm"
)

// Weights is a matrix of packed weights in memory.
type Weights struct {
	Layout
	Data           []byte
	Scales, Biases []byte    // of MLX's formats
	ScaleType      gemm.Type // of Affine
}

// Product is out = x * transposed weights, for dense matrices of floating-point numbers.
type Product struct {
	Weights Weights
	X, Out  []byte
	XType   gemm.Type
	OutType gemm.Type
	M       int // rows of x and of out
}

// Check returns an error unless the memory has the sizes that the layout says, and there is a body
// for it.
func (p *Product) Check() error { return p.Weights.check(p.M, p.XType, p.OutType, p.X, p.Out) }

func (w *Weights) check(m int, xType, outType gemm.Type, x, out []byte) error {
	if err := w.Layout.Check(); err != nil {
		return err
	}
	switch {
	case w.Format == I2_S && w.Columns%128 != 0:
		return fmt.Errorf("packed product: blocks of %v that cross rows", I2_S)
	case w.Format == I2_S && len(w.Data) >= w.Bytes() && !isFinite(gemm.F32.Load(w.Data[w.Rows*w.Columns/4:])):
		// The code 3 is zero whatever the scale.
		return fmt.Errorf("packed product: a scale of %v that is not finite", I2_S)
	case w.Columns < 1:
		return fmt.Errorf("packed product: rows without elements")
	case m < 0 || len(w.Data) < w.Bytes():
		return fmt.Errorf("packed product: %d rows of x, %d bytes of weights, want %d", m, len(w.Data), w.Bytes())
	case len(x) < m*w.Columns*xType.Size() || len(out) < m*w.Rows*outType.Size():
		return fmt.Errorf("packed product: %d and %d bytes of x and out", len(x), len(out))
	}
	if w.Group > 0 {
		size := 1
		if w.Format == Affine {
			size = w.ScaleType.Size()
		}
		if n := w.Rows * w.RowScales() * size; size == 0 || len(w.Scales) < n || w.Format == Affine &&
			len(w.Biases) < n {
			return fmt.Errorf("packed product: %d and %d bytes of scales and biases, want %d", len(w.Scales),
				len(w.Biases), n)
		}
	}
	return nil
}

func isFinite(x float32) bool { return x-x == 0 }

const (
	lanes    = 32   // sums of an element
	tile     = 4    // rows of weights that are multiplied at once
	maxTile  = 3    // rows of x that are
	chunk    = 1024 // columns that are unpacked at once, a multiple of every block
	maxStrip = 16   // rows of weights that are unpacked at once
	maxRows  = 96   // of x that have sums at once, a multiple of maxTile
	maxDots  = 2    // rows of x up to which a row of weights is not unpacked to memory
)

// work is the memory of a task.
type work struct {
	weights [maxStrip * chunk]float32
	sums    [maxStrip * maxRows * lanes]float32
	out     [tile * maxTile]float32
	codes   codes
}

// Scratch is the most memory that a task uses, in bytes.
const Scratch = 4*(maxStrip*chunk+maxStrip*maxRows*lanes+tile*maxTile) + 1024

var works = sync.Pool{New: func() any { return new(work) }}

// alone is up to how many multiplications it is not worth starting workers.
const alone = 1 << 17

// rowsFunc adds products to the sums in acc, 32 elements a step.
type rowsFunc func(steps int, w *float32, wStride int, x *float32, xStride int, acc *float32, first bool)

// body is the code for a kind of processor.
type body struct {
	name string
	// rows adds products of four rows of weights and of 1, 2 or 3 of x to their sums, which are 0
	// before if first is set.
	rows [maxTile]rowsFunc
	// sums adds the sums of four elements, which it writes side by side, and of the next four,
	// which it writes some bytes after them.
	sums func(fours int, acc, out *float32, stride int)
	// blocks unpacks blocks of a format; nil for those that are read in Go.
	blocks [formats]func(dst *float32, src *byte, blocks int)
	// dots writes the sums of rows of a format, of some blocks, times x: of two rows at once for
	// formats in pairs, and else of one.
	dots  [formats]func(x *float32, src *byte, stride, blocks int, sums *float32)
	pairs [formats]bool
	// linear computes scale*code + added for groups of 16 codes.
	linear, linearUnsigned func(dst *float32, codes *byte, groups int, scales, added *float32)
	// eights computes twice the numbers of 8 bits times a scale for groups of 16.
	eights func(dst *float32, src *byte, groups int, scales *float32)
	// The next three are nil in plain Go: stream writes groups of 8 codes of some bits, look
	// replaces groups of 32 by a table's numbers, and codesI2S reads groups of 128 of I2_S.
	stream   func(dst, src *byte, groups, bits int, mask uint64)
	look     func(codes *byte, groups int, table *byte)
	codesI2S func(dst, src *byte, groups int)
	// trits adds the products of four rows of tq2_0's blocks with x to four totals; tritsWhole adds
	// those of codes without scales. sums is the sum of each 256 elements of x.
	trits      func(blocks int, w *byte, wStride int, x *byte, sums *int32, totals *float32)
	tritsWhole func(blocks int, w *byte, wStride int, x *byte, sums *int32, totals *int32)
	// spread writes groups of 32 bytes of I2_S as tq2_0 has its codes.
	spread func(dst, src *byte, groups int)
	// recode writes blocks of tq1_0 as those of tq2_0.
	recode func(dst, src *byte, blocks int)
}

// fastest returns the body for this machine.
var fastest = sync.OnceValue(func() *body {
	all := bodies()
	return &all[len(all)-1]
})

// Multiply computes a product. It returns Check's error before it touches Out.
func Multiply(r gemm.Runner, p *Product) error {
	if err := p.Check(); err != nil {
		return err
	}
	fastest().multiply(r, p)
	return nil
}

// split calls f with ranges of n rows of weights, each but the last a multiple of step, on r's
// workers.
func split(r gemm.Runner, n, step int, products int, f func(first, end int)) {
	steps := (n + step - 1) / step
	tasks := min(steps, 8*r.Workers)
	if r.Run == nil || products <= alone {
		tasks = 1
	}
	task := func(i int) {
		f(min(n, i*steps/tasks*step), min(n, (i+1)*steps/tasks*step))
	}
	if r.Run == nil {
		task(0)
		return
	}
	r.Run(tasks, task)
}

// stopper asks whether to stop, at first and then about every millisecond: a strip of rows can take
// less time than the question.
type stopper struct {
	stop func() bool
	left int // products until the next question
}

// before reports whether to stop before some products are computed.
func (s *stopper) before(products int) bool {
	if s.stop == nil || s.left > 0 {
		s.left -= products
		return false
	}
	s.left = 1<<22 - products
	return s.stop()
}

// multiply computes a product that has been checked.
func (y *body) multiply(r gemm.Runner, p *Product) {
	w := &p.Weights
	if w.Rows == 0 || p.M == 0 {
		return
	}
	columns := (w.Columns + lanes - 1) / lanes * lanes
	x := p.floats(columns)
	strip := tile
	if p.M > maxTile {
		strip = maxStrip
	}
	split(r, w.Rows, strip, w.Rows*w.Columns*p.M, func(first, end int) {
		s := works.Get().(*work)
		defer works.Put(s)
		asks := stopper{stop: r.Stop}
		for ; first < end; first += strip {
			for from := 0; from < p.M; from += maxRows {
				if asks.before(strip * w.Columns * min(maxRows, p.M-from)) {
					return
				}
				if dot := y.dots[w.Format]; dot != nil && p.M <= maxDots {
					y.dotRows(s, p, x, first, min(strip, end-first))
					continue
				}
				y.strip(s, p, x, columns, first, min(strip, end-first), from, min(maxRows, p.M-from))
			}
		}
	})
}

// floats returns x widened, with rows of some columns: zeros follow what a row has.
func (p *Product) floats(columns int) []float32 {
	if p.XType == gemm.F32 && columns == p.Weights.Columns {
		return floatsOf(p.X, p.M*columns)
	}
	x := make([]float32, p.M*columns)
	row := p.Weights.Columns * p.XType.Size()
	for i := range p.M {
		gemm.Widen(x[i*columns:][:p.Weights.Columns], p.XType, p.X[i*row:][:row])
	}
	return x
}

// dotRows computes the elements of n rows of weights, at most four, and a few rows of x.
func (y *body) dotRows(s *work, p *Product, x []float32, first, n int) {
	w := &p.Weights
	block, _ := w.Block()
	step := 1
	if y.pairs[w.Format] {
		step = 2
	}
	for m := range p.M {
		for i := 0; i < n; i += step {
			stride := w.RowBytes()
			if i+1 == n {
				stride = 0 // the same row again, whose sums nobody reads
			}
			y.dots[w.Format](&x[m*w.Columns], &w.Data[(first+i)*w.RowBytes()], stride, w.Columns/block,
				&s.sums[i*lanes])
		}
		y.write(s, p, m, 1, first, n, &s.sums[0])
	}
}

// strip computes the elements of n rows of weights, first and those that follow, and m rows of x.
func (y *body) strip(s *work, p *Product, x []float32, columns, first, n, from, m int) {
	w := &p.Weights
	// Weights that are floats are multiplied where they are.
	direct := w.Format == PackedF32 && columns == w.Columns && n%tile == 0 && isAligned(w.Data)
	stride, depth := 4*chunk, chunk
	if direct {
		if stride = w.RowBytes(); m <= maxTile {
			depth = columns
		}
	}
	for at := 0; at < columns; at += depth {
		count := min(depth, columns-at)
		if !direct {
			for i := range n {
				y.unpack(&s.codes, s.weights[i*chunk:][:count], w, first+i, at)
			}
		}
		for t := 0; t < n; t += tile {
			rows := &s.weights[t*chunk]
			if direct {
				rows = floatAt(w.Data[(first+t)*stride+4*at:])
			}
			for i, step := 0, 0; i < m; i += step {
				step = rowsAtOnce(m - i)
				y.rows[step-1](count/lanes, rows, stride, &x[(from+i)*columns+at], 4*columns,
					&s.sums[(t*m+tile*i)*lanes], at == 0)
			}
		}
	}
	for t := 0; t < n; t += tile {
		for i, step := 0, 0; i < m; i += step {
			step = rowsAtOnce(m - i)
			y.write(s, p, from+i, step, first+t, min(tile, n-t), &s.sums[(t*m+tile*i)*lanes])
		}
	}
}

// write writes the elements of some rows of x and n rows of weights, at most a tile, from their
// sums.
func (y *body) write(s *work, p *Product, row, rows, first, n int, sums *float32) {
	size := p.OutType.Size()
	stride := size * p.Weights.Rows
	out := p.Out[row*stride+first*size:]
	if p.OutType == gemm.F32 && n == tile && isAligned(out) {
		y.sums(rows, sums, floatAt(out), stride)
		return
	}
	y.sums(rows, sums, &s.out[0], 4*tile)
	for i := range rows {
		gemm.Narrow(p.OutType, out[i*stride:], s.out[i*tile:][:n])
	}
}

// rowsAtOnce returns how many of m rows of x are multiplied next.
func rowsAtOnce(m int) int {
	if m == 4 {
		return 2
	}
	return min(m, maxTile)
}
