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

// nearest rounds as a resizing does.
func nearest(r tensorop.Rounding, x float64) float64 {
	even := math.RoundToEven(x)
	tie := math.Abs(x-math.Trunc(x)) == 0.5
	switch r {
	case tensorop.RoundPreferCeil:
		return math.Floor(x + 0.5)
	case tensorop.RoundPreferFloor:
		return math.Ceil(x - 0.5)
	case tensorop.RoundCeil:
		return math.Ceil(x)
	case tensorop.RoundFloor:
		return math.Floor(x)
	case tensorop.RoundToOdd:
		if tie {
			return even + 2*(x-even)
		}
	}
	return even
}

// source is an element of the input with its weight.
type source struct {
	index  int
	weight float64
}

// sources returns the elements of n that make element i of a result.
func sources(r tensorop.Resize, m tensorop.ResizeMap, i, n int) []source {
	x := float64(fma32(float64(i), float64(m.Mul), float64(m.Add)) / m.Div)
	if !r.Linear {
		return []source{{int(math.Min(math.Max(nearest(r.Rounding, x), 0), float64(n-1))), 1}}
	}
	x = math.Min(math.Max(x, 0), float64(n-1))
	low := math.Floor(x)
	return []source{{int(low), 1 - (x - low)}, {int(math.Min(low+1, float64(n-1))), x - low}}
}

// resizeTaps calls f for each element that makes a result.
func resizeTaps(r tensorop.Resize, in, out []int, f func(o, i int, weight float64)) {
	lead := len(in) - len(r.Maps)
	each(out, func(o int, oi []int) {
		var walk func(d int, at []int, weight float64)
		walk = func(d int, at []int, weight float64) {
			if d == len(r.Maps) {
				f(o, flat(at, in), weight)
				return
			}
			for _, s := range sources(r, r.Maps[d], oi[lead+d], in[lead+d]) {
				next := slices.Clone(at)
				next[lead+d] = s.index
				walk(d+1, next, weight*s.weight)
			}
		}
		walk(0, oi, 1)
	})
}

func TestResize(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(13, 1))
	for n := range 60 {
		typ := floatTypes[n%3]
		dims, lead := between(rng, 1, 3), between(rng, 0, 2)
		r := tensorop.Resize{Linear: rng.IntN(3) == 0, Rounding: tensorop.Rounding(n % 6)}
		in := many(dims+lead, func() int { return between(rng, 1, 6) })
		out := slices.Clone(in)
		for k := range dims {
			out[lead+k] = between(rng, 1, 9)
			m := tensorop.NewResizeMap(in[lead+k], out[lead+k], rng.IntN(2) == 0, rng.IntN(3) == 0)
			switch rng.IntN(6) {
			case 0:
				m = tensorop.ResizeMap{Mul: rng.Float32() * 2, Add: rng.Float32() - 1, Div: 1}
			case 1:
				m = tensorop.ResizeMap{Mul: -1, Add: float32(in[lead+k] - 1), Div: 1}
			}
			r.Maps = append(r.Maps, m)
		}
		x, g := normal(rng, typ, in...), normal(rng, typ, out...)
		want, gx := make([]float64, len(g)), make([]float64, len(x))
		resizeTaps(r, in, out, func(o, i int, weight float64) {
			want[o] += x[i] * weight
			gx[i] += g[o] * weight
		})
		got := d.Do(scatteredView(rng, typ, out...), func(b *builder, o operand, in []operand) {
			b.Resize(o, in[0], r)
		}, scattered(rng, typ, x, in...))
		near(t, typ, want, got, 1, r, in, out)
		got = d.Do(scatteredView(rng, typ, in...), func(b *builder, o operand, in []operand) {
			b.ResizeGradient(o, in[0], r)
		}, scattered(rng, typ, g, out...))
		near(t, typ, gx, got, 3, r, in, out)
	}
}

// TestResizeIntegers: elements are taken as they are.
func TestResizeIntegers(t *testing.T) {
	d := optest.Open(t)
	r := tensorop.Resize{Rounding: tensorop.RoundFloor,
		Maps: []tensorop.ResizeMap{tensorop.NewResizeMap(3, 6, false, false)}}
	for _, typ := range []tensorop.Type{tensorop.Int64, tensorop.Uint8, tensorop.Bool} {
		got := d.Do(tensorop.Dense(typ, 6), func(b *builder, o operand, in []operand) {
			b.Resize(o, in[0], r)
		}, optest.Of(typ, []float64{1, 0, 1}, 3))
		assert.Equal(t, []float64{1, 1, 0, 0, 1, 1}, got)
	}
}

// TestNewResizeMap: the positions of known libraries.
func TestNewResizeMap(t *testing.T) {
	position := func(m tensorop.ResizeMap, i float32) float32 { return (i*m.Mul + m.Add) / m.Div }
	m := tensorop.NewResizeMap(4, 8, true, false)
	assert.Equal(t, []float32{-0.25, 0.25, 3.25}, []float32{position(m, 0), position(m, 1), position(m, 7)})
	m = tensorop.NewResizeMap(4, 8, false, false)
	assert.Equal(t, []float32{0, 0.5, 3.5}, []float32{position(m, 0), position(m, 1), position(m, 7)})
	m = tensorop.NewResizeMap(4, 7, true, true)
	assert.Equal(t, []float32{0, 0.5, 3}, []float32{position(m, 0), position(m, 1), position(m, 6)})
	for i := range 50 { // no rounding error at whole positions
		assert.EqualValues(t, i/3, int(position(tensorop.NewResizeMap(50, 150, false, false), float32(i))))
	}
}

func TestResizeErrors(t *testing.T) {
	for _, c := range []struct {
		in, out []int
		maps    int
		want    string
	}{
		{[]int{2, 3}, []int{3, 3}, 1, "resize: shape [2 3] to [3 3]; all but the last 1 dimensions must be equal"},
		{[]int{2, 3}, []int{2, 3}, 0, "resize: 0 dimensions of shape [2 3]"},
		{[]int{2, 0}, []int{2, 3}, 1, "there must be elements to take"},
	} {
		b, in, out := tensorop.NewBuilder([]tensorop.View{tensorop.Dense(tensorop.Float32, c.in...)},
			[]tensorop.View{tensorop.Dense(tensorop.Float32, c.out...)})
		b.Resize(out[0], in[0], tensorop.Resize{Maps: make([]tensorop.ResizeMap, c.maps)})
		_, err := b.Plan()
		require.ErrorContains(t, err, c.want)
	}
}
