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

func TestConcat(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(21, 1))
	for n := range 30 {
		typ := realTypes[n%len(realTypes)]
		shape := dims(rng, between(rng, 1, 4))
		axis := rng.IntN(len(shape))
		var in []optest.Tensor
		var shapes [][]int
		var values [][]float64
		for range between(rng, 1, 4) {
			s := slices.Clone(shape)
			s[axis] = between(rng, 0, 3)
			values = append(values, whole(rng, typ, s...))
			in, shapes = append(in, scattered(rng, typ, values[len(values)-1], s...)), append(shapes, s)
		}
		out, err := tensorop.ConcatShape(axis, shapes...)
		require.NoError(t, err)
		want := make([]float64, tensorop.Elements(out))
		start := 0
		for k, s := range shapes {
			each(s, func(i int, at []int) {
				to := slices.Clone(at)
				to[axis] += start
				want[flat(to, out)] = values[k][i]
			})
			start += s[axis]
		}
		got := d.Do(scatteredView(rng, typ, out...), func(b *builder, o operand, in []operand) {
			b.Concat(o, axis, in...)
		}, in...)
		require.Equal(t, want, got, "%v along %d", shapes, axis)
	}
}

// padded returns the element of n that is at place x, found by walking there from an edge, and the
// number of sign changes.
func padded(mode tensorop.PadMode, x, n int) (at, signs int) {
	step := 1
	if x < 0 {
		step = -1
	}
	direction := step
	for i := 0; i != x; i += step {
		next := at + direction
		if next >= 0 && next < n {
			at = next
			continue
		}
		switch mode {
		case tensorop.PadReflect:
			direction = -direction
			if n > 1 {
				at += direction
			}
		case tensorop.PadSymmetric:
			direction = -direction
		case tensorop.PadPeriodic, tensorop.PadAntiperiodic:
			at = (next + n) % n
			signs++
		}
	}
	return at, signs
}

func TestPad(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(21, 2))
	for n := range 72 {
		mode, typ := tensorop.PadMode(n%6), realTypes[n/6%len(realTypes)]
		if mode == tensorop.PadAntiperiodic && (typ == tensorop.Bool || !typ.Float() && !typ.Signed()) {
			typ = tensorop.Float32
		}
		in := dims(rng, between(rng, 1, 4))
		before := many(len(in), func() int { return between(rng, 0, 5) })
		after := many(len(in), func() int { return between(rng, 0, 5) })
		if k := rng.IntN(len(in)); in[k] > 1 {
			before[k] = -1
		}
		x := whole(rng, typ, in...)
		out, err := tensorop.PadShape(in, before, after)
		require.NoError(t, err)
		want := make([]float64, tensorop.Elements(out))
		each(out, func(o int, oi []int) {
			at, signs := slices.Clone(oi), 0
			for k := range at {
				at[k] -= before[k]
				if mode != tensorop.PadConstant {
					var s int
					at[k], s = padded(mode, at[k], in[k])
					signs += s
				}
			}
			if want[o] = 1; flat(at, in) >= 0 {
				want[o] = x[flat(at, in)]
			}
			if mode == tensorop.PadAntiperiodic && signs%2 == 1 {
				want[o] = 0 - want[o]
			}
		})
		got := d.Do(scatteredView(rng, typ, out...), func(b *builder, o operand, in []operand) {
			b.Pad(o, in[0], before, after, mode, 1)
		}, scattered(rng, typ, x, in...))
		for i := range want { // 0 and -0 are equal
			require.True(t, want[i] == got[i], "mode %d, %v by %v and %v, element %d: got %g, want %g", mode, in,
				before,
				after, i, got[i], want[i])
		}
	}
}

func TestTileReverse(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(21, 3))
	for n := range 24 {
		typ := realTypes[n%len(realTypes)]
		in := dims(rng, between(rng, 1, 4))
		x := whole(rng, typ, in...)
		repeats := many(len(in), func() int { return between(rng, 1, 3) })
		out, err := tensorop.TileShape(in, repeats)
		require.NoError(t, err)
		want := make([]float64, tensorop.Elements(out))
		each(out, func(o int, at []int) {
			from := slices.Clone(at)
			for k := range from {
				from[k] %= in[k]
			}
			want[o] = x[flat(from, in)]
		})
		tx := scattered(rng, typ, x, in...)
		got := d.Do(scatteredView(rng, typ, out...), func(b *builder, o operand, in []operand) {
			b.Tile(o, in[0], repeats)
		}, tx)
		require.Equal(t, want, got)

		axes := rng.Perm(len(in))[:between(rng, 0, len(in))]
		want = make([]float64, len(x))
		each(in, func(o int, at []int) {
			from := slices.Clone(at)
			for _, k := range axes {
				from[k] = in[k] - 1 - from[k]
			}
			want[o] = x[flat(from, in)]
		})
		got = d.Do(scatteredView(rng, typ, in...), func(b *builder, o operand, in []operand) {
			b.Reverse(o, in[0], axes...)
		}, tx)
		require.Equal(t, want, got)
	}
}

func TestCoordinateOneHotBand(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(21, 4))
	for n := range 33 {
		typ := realTypes[n%(len(realTypes)-1)] // no Bool
		shape := dims(rng, between(rng, 2, 4))
		axis := rng.IntN(len(shape))
		want := make([]float64, tensorop.Elements(shape))
		each(shape, func(i int, at []int) { want[i] = float64(at[axis]) })
		got := d.Do(scatteredView(rng, typ, shape...), func(b *builder, o operand, _ []operand) {
			b.Coordinate(o, axis)
		})
		require.Equal(t, want, got)

		indexType := indexTypes[n%len(indexTypes)]
		indices := indexValues(rng, indexType, 3, shape[1:]...)
		axis = rng.IntN(len(shape))
		out, err := tensorop.OneHotShape(shape[1:], 3, axis)
		require.NoError(t, err)
		want = make([]float64, tensorop.Elements(out))
		each(out, func(o int, at []int) {
			want[o] = 7
			if indices[flat(slices.Delete(slices.Clone(at), axis, axis+1), shape[1:])] == float64(at[axis]) {
				want[o] = 9
			}
		})
		got = d.Do(scatteredView(rng, typ, out...), func(b *builder, o operand, in []operand) {
			b.OneHot(o, in[0], axis, 9, 7)
		}, scattered(rng, indexType, indices, shape[1:]...))
		require.Equal(t, want, got)

		x, lower, upper := whole(rng, typ, shape...), between(rng, -1, 3), between(rng, -1, 3)
		want = make([]float64, len(x))
		each(shape, func(i int, at []int) {
			below := at[len(at)-2] - at[len(at)-1]
			if (lower < 0 || below <= lower) && (upper < 0 || -below <= upper) {
				want[i] = x[i]
			}
		})
		got = d.Do(scatteredView(rng, typ, shape...), func(b *builder, o operand, in []operand) {
			b.BandPart(o, in[0], lower, upper)
		}, scattered(rng, typ, x, shape...))
		require.Equal(t, want, got)
	}
}

func TestRange(t *testing.T) {
	d := optest.Open(t)
	fill := func(typ tensorop.Type, start, step float64) []float64 {
		return d.Do(tensorop.Dense(typ, 4), func(b *builder, o operand, _ []operand) { b.Range(o, start, step) })
	}
	assert.Equal(t, []float64{0.5, 0.75, 1, 1.25}, fill(tensorop.Float32, 0.5, 0.25))
	assert.Equal(t, []float64{5, 3, 1, -1}, fill(tensorop.Int8, 5, -2))
	const big = 1 << 40
	assert.Equal(t, []float64{-big, -1, big - 2, 2*big - 3}, fill(tensorop.Int64, -big, big-1))
	assert.Equal(t, []float64{200, 255, 54, 109}, fill(tensorop.Uint8, 200, 55))
}

func TestCumulative(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(22, 1))
	names := []string{"sum", "product", "min", "max"}
	for n := range 88 {
		op, typ := names[n%4], realTypes[n/4%(len(realTypes)-1)]
		shape := dims(rng, between(rng, 1, 4))
		axis := rng.IntN(len(shape))
		shape[axis] = between(rng, 0, 6)
		exclusive, reverse := rng.IntN(2) == 0, rng.IntN(2) == 0
		x := many(tensorop.Elements(shape), func() int { return between(rng, 0, 3) })
		values := make([]float64, len(x))
		for i, v := range x {
			values[i] = float64(v)
		}
		if typ.Float() && len(x) > 0 && op != "product" {
			values[rng.IntN(len(x))] = math.NaN()
		}
		want := make([]float64, len(x))
		each(shape, func(i int, at []int) {
			s := map[string]float64{"sum": 0, "product": 1, "min": math.Inf(1), "max": math.Inf(-1)}[op]
			if !typ.Float() && math.IsInf(s, 0) {
				bits := 8 * typ.Size()
				low, high := 0.0, math.Ldexp(1, bits)-1
				if typ.Signed() {
					low, high = -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)-1
				}
				s = map[bool]float64{true: high, false: low}[s > 0]
			}
			for k := range shape[axis] {
				from := slices.Clone(at)
				from[axis] = k
				before := k < at[axis]
				if reverse {
					before = k > at[axis]
				}
				if !before && (exclusive || k != at[axis]) {
					continue
				}
				v := values[flat(from, shape)]
				switch op {
				case "sum":
					s += v
				case "product":
					s *= v
				case "min":
					s = math.Min(s, v)
				case "max":
					s = math.Max(s, v)
				}
			}
			want[i] = s
		})
		got := d.Do(scatteredView(rng, typ, shape...), func(b *builder, o operand, in []operand) {
			b.Cumulative(op, o, in[0], axis, exclusive, reverse)
		}, scattered(rng, typ, values, shape...))
		for i, w := range want {
			if typ.Integer() && typ.Size() == 1 { // products of bytes wrap around
				w = optest.Round(typ, w)
			}
			require.True(t, w == got[i] || math.IsNaN(w) && math.IsNaN(got[i]),
				"%s of %v, %v along %d, exclusive %t, reverse %t: element %d: got %g, want %g",
				op, typ, shape, axis, exclusive, reverse, i, got[i], w)
		}
	}
}

func TestShapeErrors(t *testing.T) {
	_, err := tensorop.ConcatShape(0, []int{2, 3}, []int{2, 4})
	assert.EqualError(t, err, "concat: shapes [[2 3] [2 4]]; all dimensions but axis 0 must be equal")
	_, err = tensorop.PadShape([]int{2}, []int{-3}, []int{0})
	assert.EqualError(t, err, "pad: paddings -3 and 0 remove more than the 2 elements of dimension 0")
	_, err = tensorop.TileShape([]int{2}, []int{-1})
	assert.EqualError(t, err, "tile: repeats [-1]; none may be negative")
	_, err = tensorop.OneHotShape([]int{2}, 3, 2)
	assert.EqualError(t, err, "one hot: axis 2 for indices [2]; it must be 0 to 1")
	_, err = tensorop.Dense(tensorop.Float32, 2).Reverse(0, 0)
	assert.EqualError(t, err, "reverse: axes [0 0]; none may be there twice")
	b, _, out := tensorop.NewBuilder(nil, []tensorop.View{tensorop.Dense(tensorop.Int32, 2)})
	b.Range(out[0], 0.5, 1)
	_, err = b.Plan()
	assert.ErrorContains(t, err, "they must be whole numbers")
	b, in, out := tensorop.NewBuilder([]tensorop.View{tensorop.Dense(tensorop.Float32, 0)},
		[]tensorop.View{tensorop.Dense(tensorop.Float32, 2)})
	b.Pad(out[0], in[0], []int{1}, []int{1}, tensorop.PadEdge, 0)
	_, err = b.Plan()
	assert.ErrorContains(t, err, "only a constant can pad without elements to repeat")
}
