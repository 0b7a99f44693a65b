package gemm

import "sync"

// kc is the depth of panels in words.
const kc = 256

// blockRows and blockColumns are the most that a task computes of C. Larger blocks pack less, but
// exceed the second level of cache.
const (
	blockRows    = 504
	blockColumns = 512
)

// directRows is up to how many rows of C it is not worth packing a B whose rows are contiguous.
const directRows = 130

// alone is up to how many multiplications it is not worth starting workers.
const alone = 1 << 19

// Runner runs the tasks of a product.
type Runner struct {
	// Workers is how many tasks run at once, at least 1. It steers how the product is split, never
	// its bits.
	Workers int
	// Run calls f for 0 to n-1, in any order and from any goroutines, and returns when all calls
	// have. Nil calls them in order on the caller's goroutine.
	Run func(n int, f func(i int))
	// Stop, if set, is asked by tasks about every millisecond. Once it returns true, C is left
	// incomplete.
	Stop func() bool
}

// Scratch is the most memory that a task uses, in bytes.
const Scratch = 4 * ((blockRows+blockColumns+32)*kc + blockRows*blockColumns + 4*slack)

// body is the code for a kind of processor.
type body struct {
	name          string
	rows, columns int // of a tile
	// products add the product of two panels to a tile, of floats and of pairs of integers.
	float, integer func(k int, a, b *uint32, stride int, acc *uint32, first bool)
	// The rest is nil in plain Go. convert makes floats of a tile of integers.
	convert func(acc *uint32)
	// store writes rows of a tile to C, by C's type.
	store [I32 + 1]func(c *byte, stride int, acc *uint32, rows int, alpha, beta float32)
	// lines widens or copies groups of elements, by type.
	lines [I32 + 1]func(dst *uint32, dstStride int, src *byte, srcStride, rows, groups int)
	// widen widens groups of 32 elements that follow each other, by type.
	widen     [BF16 + 1]func(dst *float32, src *byte, groups int)
	pairs     func(dst *uint32, dstStride int, src *byte, srcStride, rows, groups int)
	transpose func(dst *uint32, dstStride int, src *byte, srcStride, groups int)
	// short is the body for a C of at most shortRows rows.
	short *body
}

// shortRows is the rows of short tiles.
const shortRows = 4

// fastest returns the body for this machine.
var fastest = sync.OnceValue(func() *body {
	all := bodies()
	return &all[len(all)-1]
})

// Multiply computes a product. It returns Check's error before it touches C.
func Multiply(r Runner, p Product) error {
	if err := p.Check(); err != nil {
		return err
	}
	fastest().multiply(r, p)
	return nil
}

// multiply computes a product that has been checked.
func (y *body) multiply(r Runner, p Product) {
	if p.C.Rows == 0 || p.C.Columns == 0 {
		return
	}
	if t := p.transposed(); y.cost(&t) < y.cost(&p) {
		p = t
	}
	if p.C.Rows <= shortRows && y.short != nil {
		y = y.short
	}
	b := y.split(r.Workers, &p)
	b.stop = r.Stop
	n := p.batches() * b.rows * b.columns
	if r.Run == nil {
		for i := range n {
			b.task(i)
		}
		return
	}
	r.Run(n, b.task)
}

// transposed returns the product of the transposes, which is the transpose of the product, with the
// same bits.
func (p Product) transposed() Product {
	a, b := p.A.Packer, p.B.Packer // their lines stay what they are
	p.A, p.B, p.C = p.B.T(), p.A.T(), p.C.T()
	p.A.Packer, p.B.Packer = b, a
	return p
}

// cost estimates how long a product takes on one processor, in cycles: tiles are computed whole,
// and C is written by element unless its rows are contiguous.
func (y *body) cost(p *Product) float64 {
	m, n, k := p.C.Rows, p.C.Columns, p.A.Columns
	rows := y.rows
	if m <= shortRows && y.short != nil {
		rows = y.short.rows
	}
	cycles := float64(tiles(m, rows)*rows) * float64(tiles(n, y.columns)) * float64(k)
	if p.C.ColumnStride != 1 {
		cycles += 10 * float64(m) * float64(n)
	}
	return cycles
}

// blocks is a product split into tasks.
type blocks struct {
	*body
	p             *Product
	rows, columns int // how many blocks
	stop          func() bool
}

// split chooses the blocks: within the limits, and enough of them to keep all workers busy, unless
// they would be too small to be worth packing.
func (y *body) split(workers int, p *Product) *blocks {
	b := &blocks{body: y, p: p}
	if float64(p.batches())*float64(p.C.Rows)*float64(p.C.Columns)*float64(p.A.Columns) < alone {
		workers = 1
	}
	m, n := tiles(p.C.Rows, y.rows), tiles(p.C.Columns, y.columns)
	b.rows = tiles(m, blockRows/y.rows)
	b.columns = tiles(n, blockColumns/y.columns)
	for tasks := 0; workers > 1; {
		tasks = p.batches() * b.rows * b.columns
		if tasks >= 8*workers || tasks >= workers && tasks%workers == 0 {
			break
		}
		// Halving the longer side costs least.
		high, wide := m/b.rows*y.rows, n/b.columns*y.columns
		switch {
		case high >= wide && high >= 4*y.rows:
			b.rows++
		case wide >= 2*y.columns:
			b.columns++
		case high >= 2*y.rows:
			b.rows++
		default:
			return b
		}
	}
	return b
}

// tiles returns n/size, rounded up.
func tiles(n, size int) int { return (n + size - 1) / size }

// part returns the beginning and end of the i-th of parts of n, in whole tiles.
func part(n, size, parts, i int) (int, int) {
	all := tiles(n, size)
	return min(n, all*i/parts*size), min(n, all*(i+1)/parts*size)
}

// work is the memory of a task, in words.
type work struct {
	a, b, acc, lines []uint32
}

var pool = sync.Pool{New: func() any { return new(work) }}

// slack is how far loops in assembly write beyond a panel.
const slack = 16

// sized returns a slice of n words and slack.
func sized(s []uint32, n int) []uint32 {
	if n += slack; cap(s) < n {
		return make([]uint32, n)
	}
	return s[:cap(s)]
}

// task computes a block of C.
func (b *blocks) task(i int) {
	p := b.p
	batch, i := i/(b.rows*b.columns), i%(b.rows*b.columns)
	row, rowEnd := part(p.C.Rows, b.body.rows, b.rows, i%b.rows)
	column, columnEnd := part(p.C.Columns, b.body.columns, b.columns, i/b.rows)
	if row == rowEnd || column == columnEnd {
		return
	}
	left := operand{&p.A, p.A.Rows, p.A.RowStride, p.A.ColumnStride, batch}
	right := operand{&p.B, p.B.Columns, p.B.ColumnStride, p.B.RowStride, batch}
	high, wide := tiles(rowEnd-row, b.body.rows), tiles(columnEnd-column, b.body.columns)
	tile := b.body.rows * b.body.columns
	per, product := 1, b.float
	if p.A.Type == I8 {
		per, product = 2, b.integer
	}
	k := p.A.Columns
	words := min(kc, tiles(k, per))
	carried := k > kc*per

	direct := 0 // how many panels of B are used where they are
	if high*b.body.rows <= directRows && b.transpose != nil && right.step == 1 && p.B.Type == F32 && p.B.Packer == nil {
		direct = (columnEnd - column) / b.body.columns
	}

	w := pool.Get().(*work)
	defer pool.Put(w)
	w.a = sized(w.a, high*b.body.rows*words)
	w.b = sized(w.b, wide*b.body.columns*words)
	w.lines = sized(w.lines, max(b.body.rows, b.body.columns)*kc)
	if carried {
		w.acc = sized(w.acc, high*wide*tile)
	} else {
		w.acc = sized(w.acc, tile)
	}
	for first := 0; first == 0 || first < k; first += kc * per {
		if b.stop != nil && b.stop() {
			return
		}
		count := min(k-first, kc*per)
		words := tiles(count, per)
		b.pack(w, w.a, b.body.rows, &left, row, rowEnd, first, count)
		packed := column + direct*b.body.columns
		b.pack(w, w.b[direct*b.body.columns*words:], b.body.columns, &right, packed, columnEnd, first, count)
		for y := range wide {
			panel, stride := &w.b[y*b.body.columns*words], 4*b.body.columns
			if y < direct && words > 0 {
				panel, stride = word(&p.B.Data[right.at(column+y*b.body.columns, first)]), 4*p.B.RowStride
			}
			for x := range high {
				acc := w.acc
				if carried {
					acc = acc[(y*high+x)*tile:]
				}
				product(words, &w.a[x*b.body.rows*words], panel, stride, &acc[0], first == 0)
				if first+count == k {
					r, c := row+x*b.body.rows, column+y*b.body.columns
					b.write(w, acc[:tile], batch, r, c, min(b.body.rows, rowEnd-r), min(b.body.columns, columnEnd-c))
				}
			}
		}
	}
}
