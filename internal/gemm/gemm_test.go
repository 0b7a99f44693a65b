package gemm

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// load returns an element as a float32.
func load(t Type, data []byte) float32 {
	switch t {
	case F32:
		return math.Float32frombits(binary.NativeEndian.Uint32(data))
	case F16:
		h := binary.NativeEndian.Uint16(data)
		e, m := int(h>>10&31), float64(h&1023)
		var x float64
		switch e {
		case 31:
			x = math.Inf(1)
			if m != 0 {
				x = math.NaN()
			}
		case 0:
			x = math.Ldexp(m, -24)
		default:
			x = math.Ldexp(m+1024, e-25)
		}
		if h&0x8000 != 0 {
			x = -x
		}
		return float32(x)
	case BF16:
		return math.Float32frombits(uint32(binary.NativeEndian.Uint16(data)) << 16)
	}
	return float32(int8(data[0]))
}

// at returns where an element of a batch is.
func at(m *Matrix, batch, row, column int) int {
	return (batch*m.BatchStride + row*m.RowStride + column*m.ColumnStride) * m.Type.Size()
}

// reference follows the rule of the package comment, element by element, and writes to out. It also
// returns the largest error in units of what float64 makes of the sum of magnitudes.
func reference(p *Product, out []byte) (worst float64) {
	for batch := range p.batches() {
		for i := range p.C.Rows {
			for j := range p.C.Columns {
				var acc float32
				var sum int32
				var exact, size float64
				for k := range p.A.Columns {
					x := load(p.A.Type, p.A.Data[at(&p.A, batch, i, k):])
					y := load(p.B.Type, p.B.Data[at(&p.B, batch, k, j):])
					acc = FMA(x, y, acc)
					exact += float64(x) * float64(y)
					size += math.Abs(float64(x) * float64(y))
					if p.A.Type == I8 {
						sum += int32(x) * int32(y)
					}
				}
				to := out[at(&p.C, batch, i, j):]
				if p.C.Type == I32 {
					old := binary.NativeEndian.Uint32(to)
					binary.NativeEndian.PutUint32(to, uint32(sum)+uint32(p.Beta)*old)
					continue
				}
				if p.A.Type == I8 {
					acc = float32(sum)
				}
				r := p.Alpha * acc
				exact, size = exact*float64(p.Alpha), size*math.Abs(float64(p.Alpha))
				if p.Beta != 0 {
					old := load(p.C.Type, to)
					r = FMA(p.Alpha, acc, p.Beta*old)
					exact, size = exact+float64(p.Beta*old), size+math.Abs(float64(p.Beta*old))
				}
				if size > 0 {
					worst = max(worst, math.Abs(exact-float64(r))/size)
				}
				switch p.C.Type {
				case F32:
					binary.NativeEndian.PutUint32(to, bits(r))
				case F16:
					binary.NativeEndian.PutUint16(to, narrowHalf(r))
				case BF16:
					binary.NativeEndian.PutUint16(to, narrowBrain(r))
				}
			}
		}
	}
	return worst
}

// filled returns the memory of n elements.
func filled(rng *rand.Rand, t Type, n int) []byte {
	data := make([]byte, n*t.Size())
	for i := range n {
		to, x := data[i*t.Size():], float32(rng.NormFloat64())
		switch t {
		case F32:
			binary.NativeEndian.PutUint32(to, math.Float32bits(x))
		case F16:
			binary.NativeEndian.PutUint16(to, narrowHalf(x))
		case BF16:
			binary.NativeEndian.PutUint16(to, narrowBrain(x))
		case I8:
			to[0] = byte(rng.Uint32())
		case I32:
			binary.NativeEndian.PutUint32(to, rng.Uint32())
		}
	}
	return data
}

// layouts are ways to lay out a matrix.
const layouts = 6

// laid returns a matrix in one of the layouts. Offsets keep it away from alignment.
func laid(rng *rand.Rand, layout int, t Type, rows, columns, batches int) Matrix {
	m := Matrix{Type: t, Rows: rows, Columns: columns}
	gap := rng.IntN(5)
	switch layout {
	case 0: // row-major
		m.RowStride, m.ColumnStride = columns, 1
	case 1: // column-major
		m.RowStride, m.ColumnStride = 1, rows
	case 2: // rows with gaps
		m.RowStride, m.ColumnStride = columns+gap, 1
	case 3: // columns with gaps
		m.RowStride, m.ColumnStride = 1, rows+gap
	case 4: // nothing contiguous
		m.RowStride, m.ColumnStride = 2*columns+gap, 2
	case 5: // matrices interleaved
		m.RowStride, m.ColumnStride, m.BatchStride = columns*batches, 1, columns
	}
	if layout != 5 {
		m.BatchStride = max(m.RowStride*rows, m.ColumnStride*columns) + gap
	}
	n := (batches-1)*m.BatchStride + max(0, rows-1)*m.RowStride + max(0, columns-1)*m.ColumnStride + 1
	if rows*columns == 0 {
		n = 0
	}
	m.Data = filled(rng, t, n+1)[t.Size():]
	return m
}

// runner runs tasks on two goroutines.
var runner = Runner{Workers: 2, Run: func(n int, f func(int)) {
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			for i := w; i < n; i += 2 {
				f(i)
			}
		})
	}
	wg.Wait()
}}

// check compares all bodies with the reference, bit by bit.
func check(t *testing.T, p Product) {
	t.Helper()
	want := append([]byte(nil), p.C.Data...)
	worst := reference(&p, want)
	if p.A.Type != I8 {
		// Each fma is off by half a unit in the last place at most.
		require.LessOrEqual(t, worst, float64(p.A.Columns+2)*0x1p-24)
	}
	before := p.C.Data
	for _, y := range bodies() {
		for _, r := range []Runner{{}, runner} {
			p.C.Data = append([]byte(nil), before...)
			require.NoError(t, p.Check())
			y.multiply(r, p)
			if string(want) != string(p.C.Data) {
				for i := range want {
					require.Equal(t, want[i], p.C.Data[i], "%s: byte %d: %s", y.name, i, describe(&p))
				}
			}
		}
	}
}

func describe(p *Product) string {
	one := func(m *Matrix) string {
		return fmt.Sprintf("%v %d×%d strides %d %d %d", m.Type, m.Rows, m.Columns, m.RowStride, m.ColumnStride,
			m.BatchStride)
	}
	return fmt.Sprintf("A %s, B %s, C %s, alpha %v, beta %v, batches %d", one(&p.A), one(&p.B), one(&p.C), p.Alpha,
		p.Beta, p.batches())
}

// scales are pairs of alpha and beta.
var scales = [][2]float32{{1, 0}, {1, 1}, {-0.75, 0}, {1.5, -0.3}, {0, 2}, {2, float32(math.Copysign(0, -1))}}

// combination is the types of A, B and C.
type combination [3]Type

var combinations = []combination{{F32, F32, F32}, {F16, F16, F16}, {BF16, BF16, BF16}, {F16, F16, F32},
	{F32, BF16, F16}, {BF16, F32, BF16}, {I8, I8, I32}, {I8, I8, F32}, {I8, I8, F16}}

func (c combination) String() string { return fmt.Sprintf("%v_%v_%v", c[0], c[1], c[2]) }

// random returns a product of given sizes in random layouts.
func (c combination) random(rng *rand.Rand, m, n, k, batches int) Product {
	p := Product{Batches: batches,
		A: laid(rng, rng.IntN(layouts), c[0], m, k, batches),
		B: laid(rng, rng.IntN(layouts), c[1], k, n, batches),
		C: laid(rng, rng.IntN(layouts), c[2], m, n, batches)}
	s := scales[rng.IntN(len(scales))]
	if c[2] == I32 {
		s = scales[rng.IntN(2)]
	}
	p.Alpha, p.Beta = s[0], s[1]
	return p
}

// TestBits: all bodies give the bits of the rule, over types, sizes, layouts, scales and batches.
func TestBits(t *testing.T) {
	for _, c := range combinations {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, uint64(c[0])<<16|uint64(c[1])<<8|uint64(c[2])))
			for size := 1; size <= 70; size++ {
				other := 1 + rng.IntN(70)
				check(t, c.random(rng, size, other, rng.IntN(40), 1+rng.IntN(3)))
				check(t, c.random(rng, other, size, rng.IntN(20), 1))
				check(t, c.random(rng, 1+rng.IntN(20), 1+rng.IntN(40), size, 1))
			}
			for _, k := range []int{255, 256, 257, 511, 512, 513, 600, 1025, 1100} {
				check(t, c.random(rng, 1+rng.IntN(40), 1+rng.IntN(70), k, 1))
			}
			check(t, c.random(rng, 300, 70, 20, 1))
			check(t, c.random(rng, 20, 600, 20, 1))
		})
	}
}

// TestSpecial: infinities, NaNs with payloads, denormals and zeros of both signs.
func TestSpecial(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	special := []uint32{0, 1 << 31, 1, 0x80000001, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001,
		0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0x3f800001, 0x1f800000}
	for _, c := range []combination{{F32, F32, F32}, {F16, F16, F16}, {BF16, BF16, BF16}, {F32, F32, F16},
		{F32, F32, BF16}} {
		for range 40 {
			p := c.random(rng, 17, 37, 1+rng.IntN(9), 1)
			for _, m := range []*Matrix{&p.A, &p.B, &p.C} {
				size := m.Type.Size()
				for i := 0; i < len(m.Data); i += size {
					b := special[rng.IntN(len(special))]
					switch {
					case rng.IntN(3) > 0:
					case m.Type == F32:
						binary.NativeEndian.PutUint32(m.Data[i:], b)
					default:
						binary.NativeEndian.PutUint16(m.Data[i:], uint16(b>>16|b&1))
					}
				}
			}
			want := append([]byte(nil), p.C.Data...)
			reference(&p, want)
			for _, y := range bodies() {
				q := p
				q.C.Data = append([]byte(nil), p.C.Data...)
				y.multiply(Runner{}, q)
				require.Equal(t, want, q.C.Data, "%s: %s", y.name, describe(&p))
			}
		}
	}
}

// TestFMA compares with exact arithmetic.
func TestFMA(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	number := func() float32 {
		for {
			// Few bits and near exponents make halfway cases likely.
			b := rng.Uint32() & (1<<31 | 0xff<<23 | 0x7fffff&^(1<<rng.IntN(23)-1))
			if rng.IntN(2) == 0 {
				b = b&^(0x7f<<23) | 0x3f<<23
			}
			if x := math.Float32frombits(b); !math.IsInf(float64(x), 0) && x == x {
				return x
			}
		}
	}
	exact := func(x float32) *big.Float { return new(big.Float).SetPrec(1200).SetFloat64(float64(x)) }
	for range 300_000 {
		x, y, z := number(), number(), number()
		if rng.IntN(2) == 0 {
			z = -float32(float64(x)*float64(y)) * float32(1+rng.IntN(3))
			if math.IsInf(float64(z), 0) {
				continue
			}
		}
		sum := new(big.Float).SetPrec(1200).Mul(exact(x), exact(y))
		sum.Add(sum, exact(z))
		want, _ := sum.Float32()
		if have := FMA(x, y, z); have != want {
			require.Equal(t, math.Float32bits(want), math.Float32bits(have), "fma(%g, %g, %g)", x, y, z)
		}
	}
}

// TestHalf: widening and narrowing, for all halves and what is between them.
func TestHalf(t *testing.T) {
	for h := range 1 << 16 {
		data := binary.NativeEndian.AppendUint16(nil, uint16(h))
		want, have := load(F16, data), math.Float32frombits(widenHalf(uint16(h)))
		if want != want {
			require.NotEqual(t, have, have)
			require.EqualValues(t, 0x7e00, narrowHalf(have))
			continue
		}
		require.Equal(t, math.Float32bits(want), math.Float32bits(have))
		require.EqualValues(t, h, narrowHalf(have))
		// The exact middle to the next half rounds to the even one.
		if next := load(F16, binary.NativeEndian.AppendUint16(nil, uint16(h+1))); h&0x7fff < 0x7bff {
			middle := (have + next) / 2
			require.EqualValues(t, h+h&1, narrowHalf(middle))
			require.EqualValues(t, h+1, narrowHalf(math.Nextafter32(middle, next)))
			require.EqualValues(t, h, narrowHalf(math.Nextafter32(middle, have)))
		}
	}
}

// spread is a Packer over a matrix in memory, as columns of B or rows of A.
type spread struct {
	m       *Matrix
	columns bool
	t       *testing.T
}

func (s spread) Pack(dst []float32, width, batch, first, count, firstK, countK int) {
	assert.Len(s.t, dst, width*countK)
	for k := range countK {
		for i := range width {
			to := &dst[k*width+i]
			switch {
			case i >= count:
				assert.Zero(s.t, *to)
			case s.columns:
				*to = load(s.m.Type, s.m.Data[at(s.m, batch, firstK+k, first+i):])
			default:
				*to = load(s.m.Type, s.m.Data[at(s.m, batch, first+i, firstK+k):])
			}
		}
	}
}

// TestPacker: operands from packers give the same bits as those in memory.
func TestPacker(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 20 {
		p := combination{F32, F32, F32}.random(rng, 1+rng.IntN(60), 1+rng.IntN(70), rng.IntN(600), 2)
		want := append([]byte(nil), p.C.Data...)
		reference(&p, want)
		a, b := p.A, p.B
		for _, y := range bodies() {
			q := p
			q.A = Matrix{Type: F32, Rows: a.Rows, Columns: a.Columns, Packer: spread{&a, false, t}}
			q.B = Matrix{Type: F32, Rows: b.Rows, Columns: b.Columns, Packer: spread{&b, true, t}}
			q.C.Data = append([]byte(nil), p.C.Data...)
			require.NoError(t, q.Check())
			y.multiply(runner, q)
			require.Equal(t, want, q.C.Data, y.name)
		}
	}
}

// TestBroadcast: strides of 0 repeat rows, columns and matrices.
func TestBroadcast(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	p := Product{Alpha: 1, Batches: 3, A: Dense(filled(rng, F32, 20*300), F32, 20, 300),
		B: Dense(filled(rng, F32, 300), F32, 300, 33), C: Dense(filled(rng, F32, 3*20*33), F32, 20, 33)}
	p.A.BatchStride = 0
	p.B.RowStride, p.B.ColumnStride, p.B.BatchStride = 1, 0, 0
	check(t, p)
}

// TestEmpty: without k the sum is 0; without rows or columns nothing happens.
func TestEmpty(t *testing.T) {
	c := []byte{1, 2, 3, 4}
	require.NoError(t, Multiply(Runner{}, Product{Alpha: 1, A: Dense(nil, F32, 1, 0), B: Dense(nil, F32, 0, 1),
		C: Dense(c, F32, 1, 1)}))
	require.Equal(t, make([]byte, 4), c)
	require.NoError(t, Multiply(Runner{}, Product{Alpha: 1, A: Dense(nil, F32, 0, 5),
		B: Dense(make([]byte, 20), F32, 5, 1), C: Dense(nil, F32, 0, 1)}))
}

// TestCheck: what does not fit is refused, and C is not touched.
func TestCheck(t *testing.T) {
	good := func() Product {
		return Product{Alpha: 1, A: Dense(make([]byte, 24), F32, 2, 3), B: Dense(make([]byte, 48), F32, 3, 4),
			C: Dense(make([]byte, 32), F32, 2, 4)}
	}
	ok := good()
	require.NoError(t, ok.Check())
	ok.C.RowStride, ok.C.ColumnStride = 1, 2
	require.NoError(t, ok.Check())
	for _, c := range []struct {
		name string
		edit func(*Product)
		want string
	}{
		{"inner", func(p *Product) { p.B.Rows = 2 }, "shapes do not fit: A is 2×3, B is 2×4, C is 2×4"},
		{"rows of C", func(p *Product) { p.C.Rows = 1 }, "shapes do not fit"},
		{"columns of C", func(p *Product) { p.C.Columns = 3 }, "shapes do not fit"},
		{"negative", func(p *Product) { p.A.Rows = -1 }, "-1 rows"},
		{"short A", func(p *Product) { p.A.Data = p.A.Data[1:] }, "matrix A needs 24 bytes and has 23"},
		{"short C", func(p *Product) { p.C.RowStride = 5 }, "matrix C needs 36 bytes and has 32"},
		{"stride", func(p *Product) { p.B.RowStride = -4 }, "matrix B has stride -4"},
		{"huge", func(p *Product) { p.B.RowStride = math.MaxInt / 4 }, "larger than the address space"},
		{"huger", func(p *Product) { p.B.RowStride = math.MaxInt }, "larger than the address space"},
		{"batches", func(p *Product) { p.Batches = 2 }, "matrix A needs 48 bytes and has 24"},
		{"fewer batches", func(p *Product) { p.Batches = -1 }, "-1 batches"},
		{"overlap", func(p *Product) { p.C.RowStride = 3 }, "matrix C share memory: stride 3 is not over 3"},
		{"one place", func(p *Product) { p.C.RowStride, p.C.ColumnStride = 0, 0 }, "share memory"},
		{"one C", func(p *Product) {
			p.Batches, p.A.BatchStride, p.B.BatchStride, p.C.BatchStride = 2, 0, 0, 0
		}, "share memory"},
		{"no type", func(p *Product) { p.A.Type = 0 }, "matrix A has no element type: Type(0)"},
		{"mixed", func(p *Product) { p.A.Type = I8 }, "types do not fit: A is i8, B is f32, C is f32"},
		{"integers", func(p *Product) { p.C.Type = I32 }, "types do not fit"},
		{"alpha", func(p *Product) { p.A.Type, p.B.Type, p.C.Type, p.Alpha = I8, I8, I32, 2 }, "alpha 2 and beta 0"},
		{"packed C", func(p *Product) { p.C.Packer = spread{} }, "matrix C of type f32 has a packer"},
		{"packed half", func(p *Product) { p.A.Packer, p.A.Type = spread{}, F16 }, "matrix A of type f16 has a packer"},
	} {
		p := good()
		c.edit(&p)
		require.ErrorContains(t, p.Check(), c.want, c.name)
		require.ErrorContains(t, Multiply(Runner{}, p), c.want, c.name)
	}
}

// TestWiden: whole groups and what is left, of all types.
func TestWiden(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, typ := range []Type{F32, F16, BF16} {
		for _, n := range []int{0, 1, 7, 8, 9, 31, 32, 40, 75, 96} {
			src := filled(rng, typ, n)
			have, want := make([]float32, n), make([]float32, n)
			for i := range want {
				want[i] = load(typ, src[i*typ.Size():])
			}
			Widen(have, typ, src)
			require.Equal(t, want, have)
		}
	}
}
