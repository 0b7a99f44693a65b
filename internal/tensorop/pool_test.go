package tensorop_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/optest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomPool returns a pooling, its input's shape and the number of dimensions that it leaves
// alone.
func randomPool(rng *rand.Rand) (tensorop.Pool, []int, int) {
	for {
		dims, lead := between(rng, 1, 4), between(rng, 0, 2)
		in := many(dims+lead, func() int { return between(rng, 1, 7-dims) })
		p := tensorop.Pool{Ceil: rng.IntN(2) == 0, CountPadding: rng.IntN(2) == 0, LocalIndices: rng.IntN(4) == 0,
			Window: tensorop.Window{Size: many(dims, func() int { return between(rng, 1, 3) }),
				Strides:   many(dims, func() int { return between(rng, 1, 3) }),
				Dilations: many(dims, func() int { return between(rng, 1, 2) }),
				Before:    many(dims, func() int { return between(rng, 0, 1) }),
				After:     many(dims, func() int { return between(rng, 0, 1) })}}
		p.IndexDims = rng.IntN(len(in) + 1)
		if out, err := tensorop.PoolShape(in, p); err == nil && tensorop.Elements(out) > 0 {
			return p, in, lead
		}
	}
}

// poolTaps calls f for each tap of each result: i is the input's element or -1, k the tap's number,
// and padding tells whether it is in the padding.
func poolTaps(p tensorop.Pool, in, out []int, lead int, f func(o, i, k int, padding bool)) {
	each(out, func(o int, oi []int) {
		each(p.Size, func(k int, ki []int) {
			at, padding := slices.Clone(oi), true
			for d, t := range ki {
				x := oi[lead+d]*p.Strides[d] + t*p.Dilations[d] - p.Before[d]
				at[lead+d] = x
				padding = padding && x < in[lead+d]+p.After[d]
			}
			f(o, flat(at, in), k, padding)
		})
	})
}

func TestPool(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(12, 1))
	for n := range 60 {
		p, in, lead := randomPool(rng)
		p.Kind = tensorop.PoolKind(n % 4)
		typ := floatTypes[n%3]
		out, err := tensorop.PoolShape(in, p)
		require.NoError(t, err)
		x, g := normal(rng, typ, in...), normal(rng, typ, out...)
		want, counts := make([]float64, len(g)), make([]float64, len(g))
		best := slices.Repeat([]int{-1}, len(g))
		poolTaps(p, in, out, lead, func(o, i, _ int, padding bool) {
			if i >= 0 || p.CountPadding && padding {
				counts[o]++
			}
			if i < 0 {
				return
			}
			switch p.Kind {
			case tensorop.PoolMax:
				if best[o] < 0 || x[i] > x[best[o]] {
					best[o] = i
				}
			case tensorop.PoolL2:
				want[o] += x[i] * x[i]
			default:
				want[o] += x[i]
			}
		})
		for o := range want {
			switch p.Kind {
			case tensorop.PoolMax:
				if want[o] = math.Inf(-1); best[o] >= 0 {
					want[o] = x[best[o]]
				}
			case tensorop.PoolL2:
				want[o] = math.Sqrt(want[o])
			case tensorop.PoolAverage:
				want[o] /= counts[o]
			}
		}
		tx, tg := scattered(rng, typ, x, in...), scattered(rng, typ, g, out...)
		got := d.Do(scatteredView(rng, typ, out...), func(b *builder, o operand, in []operand) {
			b.Pool(o, in[0], p)
		}, tx)
		near(t, typ, want, got, 1, p, in)

		gx := make([]float64, len(x))
		poolTaps(p, in, out, lead, func(o, i, _ int, _ bool) {
			if i < 0 {
				return
			}
			switch p.Kind {
			case tensorop.PoolMax:
				if best[o] == i {
					gx[i] += g[o]
				}
			case tensorop.PoolAverage:
				gx[i] += g[o] / counts[o]
			case tensorop.PoolL2:
				gx[i] += g[o] * x[i] / want[o]
			default:
				gx[i] += g[o]
			}
		})
		got = d.Do(scatteredView(rng, typ, in...), func(b *builder, o operand, in []operand) {
			b.PoolGradient(o, in[0], in[1], p)
		}, tg, tx)
		near(t, typ, gx, got, 3, p, in)
	}
}

func TestMaxPoolIndices(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(12, 2))
	for n := range 30 {
		p, in, lead := randomPool(rng)
		out, err := tensorop.PoolShape(in, p)
		require.NoError(t, err)
		x, g := make([]float64, tensorop.Elements(in)), normal(rng, tensorop.Float32, out...)
		for i := range x {
			if x[i] = float64(rng.IntN(5)); rng.IntN(20) == 0 {
				x[i] = math.NaN()
			}
		}
		best, taps := slices.Repeat([]int{-1}, len(g)), slices.Repeat([]int{-1}, len(g))
		poolTaps(p, in, out, lead, func(o, i, k int, _ bool) {
			b := best[o]
			if i >= 0 && (b < 0 || x[i] > x[b] || math.IsNaN(x[i]) && !math.IsNaN(x[b])) {
				best[o], taps[o] = i, k
			}
		})
		gx := make([]float64, len(x))
		for o, i := range best {
			if i < 0 {
				continue
			}
			gx[i] += g[o]
			dims := p.IndexDims
			if dims == 0 {
				dims = len(p.Size)
			}
			if taps[o] >= 0 && !p.LocalIndices {
				taps[o] = i % tensorop.Elements(in[len(in)-dims:])
			}
		}
		typ := []tensorop.Type{tensorop.Int32, tensorop.Int64, tensorop.Uint32}[n%2]
		tx := scattered(rng, tensorop.Float32, x, in...)
		indices := d.Do(scatteredView(rng, typ, out...), func(b *builder, o operand, in []operand) {
			b.MaxPoolIndices(b.Temp(tensorop.Float32, out...), o, in[0], p)
		}, tx)
		for o, k := range taps {
			require.EqualValues(t, k, indices[o], "%v of %v", p, in)
		}
		got := d.Do(scatteredView(rng, tensorop.Float32, in...), func(b *builder, o operand, in []operand) {
			b.MaxPoolIndicesGradient(o, in[0], in[1], p)
		}, scattered(rng, tensorop.Float32, g, out...), scattered(rng, typ, indices, out...))
		near(t, tensorop.Float32, gx, got, 1, p, in)
	}
}

// TestPoolIntegers: maxima of integers, negative ones too.
func TestPoolIntegers(t *testing.T) {
	d := optest.Open(t)
	p := tensorop.Pool{Window: tensorop.Window{Size: []int{2}, Before: []int{1}, After: []int{2}}}
	for _, typ := range []tensorop.Type{tensorop.Int8, tensorop.Uint8, tensorop.Int32, tensorop.Int64} {
		x, want := []float64{-5, -7, 3, 100}, []float64{-5, -5, 3, 100, 100, -128}
		switch typ {
		case tensorop.Uint8:
			x, want = []float64{5, 200, 3, 0}, []float64{5, 200, 200, 3, 0, 0}
		case tensorop.Int32:
			want[5] = math.MinInt32
		case tensorop.Int64:
			want[5] = math.MinInt64
		}
		got := d.Do(tensorop.Dense(typ, 6), func(b *builder, o operand, in []operand) {
			b.Pool(o, in[0], p)
		}, optest.Of(typ, x, 4))
		assert.Equal(t, want, got, "%v", typ)
	}
}

// TestEmpty: operations on tensors without elements, and sums of no elements, which are 0.
func TestEmpty(t *testing.T) {
	d := optest.Open(t)
	of := func(shape ...int) optest.Tensor {
		return optest.Of(tensorop.Float32, make([]float64, tensorop.Elements(shape)), shape...)
	}
	f := tensorop.Float32
	got := d.Do(tensorop.Dense(f, 0, 2, 3), func(b *builder, o operand, in []operand) {
		b.Conv(o, in[0], in[1], tensorop.Window{}, 1)
	}, of(0, 4, 5), of(2, 4, 3))
	assert.Empty(t, got)
	got = d.Do(tensorop.Dense(f, 2, 4, 3), func(b *builder, o operand, in []operand) {
		b.ConvWeightsGradient(o, in[0], in[1], tensorop.Window{}, 1)
	}, of(0, 2, 3), of(0, 4, 5))
	assert.Equal(t, make([]float64, 24), got)
	got = d.Do(tensorop.Dense(f, 1, 2, 3), func(b *builder, o operand, in []operand) {
		b.Conv(o, in[0], in[1], tensorop.Window{}, 1)
	}, of(1, 0, 5), of(2, 0, 3))
	assert.Equal(t, make([]float64, 6), got)
	got = d.Do(tensorop.Dense(f, 0, 3), func(b *builder, o operand, in []operand) {
		b.Pool(o, in[0], tensorop.Pool{Window: tensorop.Window{Size: []int{2}}})
	}, of(0, 4))
	assert.Empty(t, got)
	got = d.Do(tensorop.Dense(f, 0, 8), func(b *builder, o operand, in []operand) {
		b.Resize(o, in[0], tensorop.Resize{Maps: []tensorop.ResizeMap{{Mul: 1, Div: 2}}})
	}, of(0, 4))
	assert.Empty(t, got)
	got = d.Do(tensorop.Dense(f, 0, 1, 3), func(b *builder, o operand, in []operand) {
		b.RNN(o, nil, tensorop.RNN{Recurrence: tensorop.Recurrence{Source: in[0], Recurrent: in[1]}})
	}, of(0, 1, 3), of(3, 3))
	assert.Empty(t, got)
	got = d.Do(tensorop.Dense(f, 0, 4, 1), func(b *builder, o operand, in []operand) {
		b.Columns(o, in[0], tensorop.Window{Size: []int{2}})
	}, of(0, 2, 2))
	assert.Empty(t, got)
	s := tensorop.Blocks{Spatial: []int{1}, Depth: 0, Size: []int{2}}
	got = d.Do(tensorop.Dense(f, 0, 2), func(b *builder, o operand, in []operand) {
		b.SpaceToDepth(o, in[0], s)
	}, of(0, 4))
	assert.Empty(t, got)
}

func TestPoolErrors(t *testing.T) {
	window := func(size ...int) tensorop.Window { return tensorop.Window{Size: size} }
	for _, c := range []struct {
		in   []int
		p    tensorop.Pool
		want string
	}{
		{[]int{3}, tensorop.Pool{Window: window(2, 2)}, "pooling: a window of 2 dimensions over shape [3]"},
		{[]int{3}, tensorop.Pool{Window: window(4)}, "the window spans 4 elements of spatial dimension 0, which has 3"},
		{[]int{3}, tensorop.Pool{Window: window(0)}, "sizes [0]; each must be at least 1"},
		{[]int{3}, tensorop.Pool{Window: window(1), IndexDims: 2}, "indices into 2 dimensions of shape [3]"},
	} {
		_, err := tensorop.PoolShape(c.in, c.p)
		assert.ErrorContains(t, err, c.want)
	}
	w := tensorop.Window{Size: []int{3}, Strides: []int{2}}
	out, err := tensorop.PoolShape([]int{6}, tensorop.Pool{Window: w, Ceil: true})
	require.NoError(t, err)
	assert.Equal(t, []int{3}, out)
}
