package packed

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/gemm"
)

// layouts returns a layout of each format, with rows of about some columns.
func layouts(rows, columns int) (list []Layout) {
	for f := Format(1); f < formats; f++ {
		block, _ := f.Block()
		if f == Affine {
			for i, bits := range []int{2, 3, 4, 5, 6, 8} {
				group := 32 << (i % 3)
				list = append(list, Layout{Format: f, Rows: rows, Columns: (columns + group - 1) / group * group,
					Bits: bits, Group: group})
			}
			continue
		}
		block = max(block, 1)
		if f > Affine {
			block = 32
		}
		if f == MLXNVFP4 {
			block = 16
		}
		list = append(list, Layout{Format: f, Rows: rows, Columns: (columns + block - 1) / block * block})
	}
	return list
}

// random returns weights with random bytes, in which scales are numbers of moderate size unless
// they are wild.
func random(t testing.TB, r *rand.Rand, l Layout, wild bool) Weights {
	require.NoError(t, l.Check())
	w := Weights{Layout: l, ScaleType: gemm.F32}
	some := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	w.Data = some(l.Bytes())
	number := func(b []byte, typ gemm.Type) {
		x := float32(r.NormFloat64())
		if wild {
			x = []float32{x, 0, float32(math.Copysign(0, -1)), 1e-40, 6e4, float32(math.Inf(1)),
				float32(math.NaN())}[r.IntN(7)]
		}
		typ.Store(b, x)
	}
	if l.Format == Affine {
		w.ScaleType = []gemm.Type{gemm.F32, gemm.F16, gemm.BF16}[r.IntN(3)]
	}
	if l.Group > 0 {
		n := l.Rows * l.RowScales()
		if l.Format == Affine {
			w.Scales, w.Biases = make([]byte, n*w.ScaleType.Size()), make([]byte, n*w.ScaleType.Size())
			for i := range n {
				number(w.Scales[i*w.ScaleType.Size():], w.ScaleType)
				number(w.Biases[i*w.ScaleType.Size():], w.ScaleType)
			}
			return w
		}
		if w.Scales = some(n); !wild {
			for i := range w.Scales {
				w.Scales[i] = w.Scales[i]%32 + 112
			}
		}
		return w
	}
	if l.Format == I2_S {
		gemm.F32.Store(w.Data[l.Rows*l.Columns/4:], float32(r.NormFloat64()))
		return w
	}
	if typ := l.Format.plain(); typ != 0 {
		for i := range l.Rows * l.Columns {
			number(w.Data[i*typ.Size():], typ)
		}
		return w
	}
	// Where the blocks have halves; others have scales of a byte.
	halves := [formats][]int{Q4_0: {0}, Q4_1: {0, 2}, Q5_0: {0}, Q5_1: {0, 2}, Q8_0: {0}, Q2_K: {80, 82}, Q3_K: {108},
		Q4_K: {0, 2}, Q5_K: {0, 2}, Q6_K: {208}, IQ4_NL: {0}, IQ4_XS: {0}, TQ1_0: {52}, TQ2_0: {64}}[l.Format]
	_, size := l.Block()
	for at := 0; at < len(w.Data); at += size {
		for _, h := range halves {
			number(w.Data[at+h:], gemm.F16)
		}
		if l.Format == MXFP4 && !wild {
			w.Data[at] = w.Data[at]%32 + 112
		}
	}
	return w
}

// TestUnpack: all bodies unpack what the one in Go does.
func TestUnpack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, wild := range []bool{false, true} {
		for _, l := range layouts(3, 1300) {
			w := random(t, r, l, wild)
			var want []float32
			for _, y := range bodies() {
				var c codes
				var have []float32
				for row := range w.Rows {
					for from := 0; from < w.Columns; from += chunk {
						dst := make([]float32, min(chunk, (w.Columns-from+lanes-1)/lanes*lanes))
						y.unpack(&c, dst, &w, row, from)
						have = append(have, dst...)
					}
				}
				if y.name == "plain" {
					want = have
					continue
				}
				for i := range want {
					if same := want[i] == have[i] || want[i] != want[i] && have[i] != have[i]; !same {
						require.Equal(t, want[i], have[i], "%v %v, element %d", y.name, l, i)
					}
				}
			}
		}
	}
}

// TestProduct: all bodies compute what the order of operations says, whatever the tasks and the
// rows of x.
func TestProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, wild := range []bool{false, true} {
		for i, m := range []int{1, 2, 3, 4, 5, 100, 1} {
			columns := []int{40, 1500, 256, 2048, 600, 33, 16}[i]
			for j, l := range layouts([]int{1, 4, 7, 19}[i%4], columns) {
				if m > 5 && j%4 != 0 {
					continue
				}
				if l.Format == I2_S {
					l.Columns = (l.Columns + 127) / 128 * 128
				}
				types := []gemm.Type{gemm.F32, gemm.F16, gemm.BF16}
				p := Product{Weights: random(t, r, l, wild), M: m, XType: types[(i+j)%3], OutType: types[j%3]}
				size := p.XType.Size()
				p.X = make([]byte, m*l.Columns*size)
				for i := range m * l.Columns {
					p.XType.Store(p.X[i*size:], float32(r.NormFloat64()))
				}
				p.Out = make([]byte, m*l.Rows*p.OutType.Size())
				want := slow(&p)
				for _, y := range bodies() {
					clear(p.Out)
					y.multiply(runner, &p)
					require.True(t, bytes.Equal(want, p.Out), "%s, %v, %d rows", y.name, l, m)
				}
			}
		}
	}
}

// runner runs the tasks of a product one after the other, the last one first.
var runner = gemm.Runner{Workers: 2, Run: func(n int, f func(i int)) {
	for i := range n {
		f(n - 1 - i)
	}
}}

// slow computes a product as the package comment says.
func slow(p *Product) []byte {
	y, w := plain(), &p.Weights
	out := make([]byte, len(p.Out))
	row := make([]float32, (w.Columns+lanes-1)/lanes*lanes)
	for n := range w.Rows {
		for from := 0; from < w.Columns; from += chunk {
			var c codes
			y.unpack(&c, row[from:min(from+chunk, len(row))], w, n, from)
		}
		for m := range p.M {
			var sums [lanes]float32
			for k := range w.Columns {
				sums[k%lanes] = gemm.FMA(p.XType.Load(p.X[(m*w.Columns+k)*p.XType.Size():]), row[k], sums[k%lanes])
			}
			for d := lanes / 2; d > 0; d /= 2 {
				for l := range d {
					sums[l] += sums[l+d]
				}
			}
			p.OutType.Store(out[(m*w.Rows+n)*p.OutType.Size():], sums[0])
		}
	}
	return out
}

// TestTernaryProduct: all bodies compute the same, and it is what integers give.
func TestTernaryProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i, m := range []int{1, 2, 5, 1} {
		for _, f := range []Format{TQ1_0, TQ2_0, I2_S} {
			l := Layout{Format: f, Rows: []int{1, 4, 7, 18}[i], Columns: 768}
			if f == I2_S {
				l.Columns = 640
			}
			p := TernaryProduct{Weights: random(t, r, l, i == 3), M: m, OutType: gemm.F32, X: make([]byte, m*l.Columns),
				XScales: make([]byte, 4*m), Out: make([]byte, 4*m*l.Rows)}
			for i := range p.X {
				p.X[i] = byte(r.Uint32())
			}
			for i := range m {
				gemm.F32.Store(p.XScales[4*i:], r.Float32())
			}
			var want []byte
			var c codes
			for m := range m {
				for n := range l.Rows {
					var total float32
					part := 256
					if f == I2_S {
						part = l.Columns
					}
					for from := 0; from < l.Columns; from += part {
						var sum int32
						var scale float32
						for k := from; k < from+part; k++ {
							var q int8
							if f == I2_S {
								at := n*l.Columns + k
								scale = gemm.F32.Load(p.Weights.Data[l.Rows*l.Columns/4:])
								if q = int8(p.Weights.Data[at/128*32+at%32]>>(6-at%128/32*2)&3) - 1; q == 2 {
									q = 0
								}
							} else {
								_, size := f.Block()
								f.block(&c, p.Weights.Data[n*l.RowBytes()+k/256*size:])
								q, scale = c.code[k%256], c.scale[0]
							}
							sum += int32(q) * int32(int8(p.X[m*l.Columns+k]))
						}
						total += times(float32(sum), scale)
					}
					want = append(want, 0, 0, 0, 0)
					gemm.F32.Store(want[len(want)-4:], times(total, gemm.F32.Load(p.XScales[4*m:])))
				}
			}
			for _, y := range bodies() {
				clear(p.Out)
				require.NoError(t, p.Check())
				y.ternary(runner, &p)
				require.True(t, bytes.Equal(want, p.Out), "%s, %v, %d rows", y.name, l, m)
			}
		}
	}
}

// TestCheck: what does not fit is refused.
func TestCheck(t *testing.T) {
	good := func() Product {
		return Product{Weights: random(t, rand.New(rand.NewPCG(1, 1)), Layout{Format: MLXFP4, Rows: 3, Columns: 64},
			false),
			M: 2, XType: gemm.F32, OutType: gemm.F32, X: make([]byte, 512), Out: make([]byte, 24)}
	}
	p := good()
	require.NoError(t, p.Check())
	for _, c := range []struct {
		edit func(*Product)
		want string
	}{
		{func(p *Product) { p.Weights.Columns = 65 }, "rows of 65 elements"},
		{func(p *Product) { p.Weights.Data = p.Weights.Data[1:] }, "95 bytes of weights, want 96"},
		{func(p *Product) { p.Weights.Columns = 0 }, "rows without elements"},
		{func(p *Product) { p.M = -1 }, "-1 rows of x"},
		{func(p *Product) { p.X = p.X[1:] }, "511 and 24 bytes of x and out"},
		{func(p *Product) { p.Out = nil }, "512 and 0 bytes of x and out"},
		{func(p *Product) { p.Weights.Scales = nil }, "0 and 0 bytes of scales and biases, want 6"},
		{func(p *Product) { p.Weights.Layout = Layout{Format: I2_S, Rows: 4, Columns: 96} },
			"blocks of I2_S that cross rows"},
		{func(p *Product) {
			p.Weights = random(t, rand.New(rand.NewPCG(1, 1)), Layout{Format: I2_S, Rows: 3, Columns: 128}, false)
			gemm.F32.Store(p.Weights.Data[96:], float32(math.NaN()))
		}, "a scale of I2_S that is not finite"},
	} {
		p := good()
		c.edit(&p)
		require.ErrorContains(t, Multiply(gemm.Runner{}, &p), c.want)
	}
	require.ErrorContains(t, MultiplyTernary(gemm.Runner{}, &TernaryProduct{Weights: p.Weights}),
		"ternary product: mlx-mxfp4")
}

// TestStopped: a product that is stopped ends.
func TestStopped(t *testing.T) {
	p := Product{Weights: random(t, rand.New(rand.NewPCG(1, 1)), Layout{Format: Q8_0, Rows: 9, Columns: 64}, false),
		M: 4, XType: gemm.F32, OutType: gemm.F32, X: make([]byte, 1024), Out: make([]byte, 144)}
	asked := 0
	stop := gemm.Runner{Workers: 1, Stop: func() bool { asked++; return true }}
	require.NoError(t, Multiply(stop, &p))
	require.Equal(t, 1, asked)
	require.Equal(t, make([]byte, 144), p.Out)

	// A long one is asked again, and not for every strip.
	p = Product{Weights: random(t, rand.New(rand.NewPCG(1, 1)), Layout{Format: Q8_0, Rows: 96, Columns: 1024}, false),
		M: 96, XType: gemm.F32, OutType: gemm.F32, X: make([]byte, 4*96*1024), Out: make([]byte, 4*96*96)}
	asked = 0
	stop.Stop = func() bool { asked++; return asked == 2 }
	require.NoError(t, Multiply(stop, &p))
	require.Equal(t, 2, asked)
}

// BenchmarkProduct is a row of x times 4096 rows of 4096 columns, on two workers.
func BenchmarkProduct(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	two := gemm.Runner{Workers: 2, Run: func(n int, f func(i int)) {
		var next atomic.Int64
		var done sync.WaitGroup
		for range 2 {
			done.Go(func() {
				for i := int(next.Add(1)); i <= n; i = int(next.Add(1)) {
					f(i - 1)
				}
			})
		}
		done.Wait()
	}}
	for _, l := range layouts(4096, 4096) {
		w := random(b, r, l, false)
		all := bodies()
		for _, y := range all[1:] {
			for _, m := range []int{1, 64} {
				p := Product{Weights: w, M: m, XType: gemm.F32, OutType: gemm.F32, X: make([]byte, 4*m*4096),
					Out: make([]byte, 4*m*4096)}
				b.Run(fmt.Sprintf("%v-%d/%s/%d", l.Format, l.Bits, y.name, m), func(b *testing.B) {
					for b.Loop() {
						y.multiply(two, &p)
					}
				})
			}
			if l.Format.Ternary() {
				p := TernaryProduct{Weights: w, M: 1, OutType: gemm.F32, X: make([]byte, 4096), XScales: make([]byte,
					4),
					Out: make([]byte, 4*4096)}
				b.Run(fmt.Sprintf("%v-int8/%s/1", l.Format, y.name), func(b *testing.B) {
					for b.Loop() {
						y.ternary(two, &p)
					}
				})
			}
		}
	}
}
