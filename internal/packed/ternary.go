package packed

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/gemm"
)

// TernaryProduct is out = x * transposed ternary weights, for dense matrices: of int8, each row of
// which has a scale of type F32, and of floating-point numbers.
type TernaryProduct struct {
	Weights    Weights
	X, XScales []byte
	Out        []byte
	OutType    gemm.Type
	M          int // rows of x and of out
}

// Check returns an error unless the memory has the sizes that the layout says, and there is a body
// for it.
func (p *TernaryProduct) Check() error {
	if !p.Weights.Format.Ternary() || len(p.XScales) < 4*p.M {
		return fmt.Errorf("ternary product: %v, %d bytes of scales", p.Weights.Format, len(p.XScales))
	}
	return p.Weights.check(p.M, gemm.I8, p.OutType, p.X, p.Out)
}

// MultiplyTernary computes a product. It returns Check's error before it touches Out.
func MultiplyTernary(r gemm.Runner, p *TernaryProduct) error {
	if err := p.Check(); err != nil {
		return err
	}
	fastest().ternary(r, p)
	return nil
}

const (
	codesBlock  = 256 // two-bit codes of a block
	codesBytes  = codesBlock / 4
	scaledBytes = codesBytes + 2 // with a scale, as in tq2_0
)

// ternary computes a product that has been checked.
func (y *body) ternary(r gemm.Runner, p *TernaryProduct) {
	w := &p.Weights
	if w.Rows == 0 || p.M == 0 {
		return
	}
	blocks := (w.Columns + codesBlock - 1) / codesBlock
	x := p.X
	if n := blocks * codesBlock; n != w.Columns {
		x = make([]byte, p.M*n)
		for i := range p.M {
			copy(x[i*n:], p.X[i*w.Columns:][:w.Columns])
		}
	}
	sums := y.sumsOf(x[:p.M*blocks*codesBlock])
	split(r, w.Rows, tile, w.Rows*w.Columns*p.M/4, func(first, end int) {
		t := ternaryTask{body: y, p: p, x: x, sums: sums, blocks: blocks}
		asks := stopper{stop: r.Stop}
		for ; first < end; first += tile {
			if asks.before(tile * w.Columns * p.M) {
				return
			}
			t.rows(first, min(tile, end-first))
		}
	})
}

// sumsOf returns the sum of each 256 elements.
func (y *body) sumsOf(x []byte) []int32 {
	sums := make([]int32, len(x)/codesBlock)
	ones := make([]byte, codesBytes)
	for i := range ones {
		ones[i] = 0x55
	}
	var zero int32
	for i := range sums {
		var totals [tile]int32 // four times the same
		y.tritsWhole(1, &ones[0], 0, &x[i*codesBlock], &zero, &totals[0])
		sums[i] = totals[0]
	}
	return sums
}

type ternaryTask struct {
	*body
	p      *TernaryProduct
	x      []byte
	sums   []int32
	blocks int    // of a row
	buffer []byte // four rows of codes
}

// rows computes the elements of n rows of weights, at most four.
func (t *ternaryTask) rows(first, n int) {
	whole := t.p.Weights.Format == I2_S
	codes, stride := t.codesOf(first, n)
	if n < tile {
		// Where there are fewer rows, each is multiplied with itself beside it.
		for i := range n {
			t.multiply(codes[i*stride:], 0, first+i, 1, whole)
		}
		return
	}
	t.multiply(codes, stride, first, n, whole)
}

// multiply computes the elements of n rows, with codes that are stride bytes apart.
func (t *ternaryTask) multiply(codes []byte, stride, first, n int, whole bool) {
	w, size := &t.p.Weights, t.p.OutType.Size()
	for m := range t.p.M {
		var totals [tile]float32
		x, sums := &t.x[m*t.blocks*codesBlock], &t.sums[m*t.blocks]
		if whole {
			var integers [tile]int32
			t.tritsWhole(t.blocks, &codes[0], stride, x, sums, &integers[0])
			by := gemm.F32.Load(w.Data[w.Rows*w.Columns/4:])
			for i, sum := range integers {
				totals[i] += times(float32(sum), by)
			}
		} else {
			t.trits(t.blocks, &codes[0], stride, x, sums, &totals[0])
		}
		by := gemm.F32.Load(t.p.XScales[4*m:])
		for i := range n {
			t.p.OutType.Store(t.p.Out[(m*w.Rows+first+i)*size:], times(totals[i], by))
		}
	}
}

// codesOf returns the codes of n rows and how many bytes they are apart.
func (t *ternaryTask) codesOf(first, n int) (codes []byte, stride int) {
	w := &t.p.Weights
	if w.Format == TQ2_0 {
		return w.Data[first*w.RowBytes():], w.RowBytes()
	}
	stride = t.blocks * scaledBytes
	if w.Format == I2_S {
		stride = t.blocks * codesBytes
	}
	if t.buffer == nil {
		t.buffer = make([]byte, tile*stride)
	}
	for i := range n {
		to := t.buffer[i*stride:][:stride]
		if w.Format == I2_S {
			t.spread(&to[0], &w.Data[(first+i)*w.Columns/4], w.Columns/128)
			continue
		}
		t.recode(&to[0], &w.Data[(first+i)*w.RowBytes()], t.blocks)
	}
	return t.buffer, stride
}
