package tensorop_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/optest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// convTaps calls f for each product of a convolution with the flat indices of its elements.
func convTaps(in, weights, out []int, w tensorop.Window, groups int, f func(o, i, k int)) {
	each(out, func(o int, oi []int) {
		each(weights[1:], func(_ int, ki []int) {
			c := oi[1]/(weights[0]/groups)*weights[1] + ki[0]
			at := []int{oi[0], c}
			for d, k := range ki[1:] {
				at = append(at, oi[2+d]*w.Strides[d]+k*w.Dilations[d]-w.Before[d])
			}
			if i := flat(at, in); i >= 0 {
				f(o, i, flat(append([]int{oi[1]}, ki...), weights))
			}
		})
	})
}

// randomConv returns the shapes of a convolution.
func randomConv(rng *rand.Rand) (in, weights []int, w tensorop.Window, groups int) {
	rank := between(rng, 1, 3)
	for {
		groups = between(rng, 1, 3)
		per := between(rng, 1, 3)
		in = append([]int{between(rng, 1, 2), per * groups}, many(rank, func() int { return between(rng, 1, 7) })...)
		size := many(rank, func() int { return between(rng, 1, 3) })
		weights = append([]int{groups * between(rng, 1, 10), per}, size...)
		w = tensorop.Window{Strides: many(rank, func() int { return between(rng, 1, 3) }),
			Dilations: many(rank, func() int { return between(rng, 1, 2) }),
			Before:    many(rank, func() int { return between(rng, 0, 2) }),
			After:     many(rank, func() int { return between(rng, 0, 2) })}
		if _, err := tensorop.ConvShape(in, weights, w, groups); err == nil {
			return
		}
	}
}

func TestConv(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(11, 1))
	for n := range 45 {
		typ := floatTypes[n%3]
		in, weights, w, groups := randomConv(rng)
		out, err := tensorop.ConvShape(in, weights, w, groups)
		require.NoError(t, err)
		x, k, g := normal(rng, typ, in...), normal(rng, typ, weights...), normal(rng, typ, out...)
		y := make([]float64, len(g))
		gx, gk := make([]float64, len(x)), make([]float64, len(k))
		convTaps(in, weights, out, w, groups, func(o, i, j int) {
			y[o] += x[i] * k[j]
			gx[i] += g[o] * k[j]
			gk[j] += g[o] * x[i]
		})
		tx, tk, tg := scattered(rng, typ, x, in...), scattered(rng, typ, k, weights...), scattered(rng, typ, g, out...)
		got := d.Do(scatteredView(rng, typ, out...), func(b *builder, o operand, in []operand) {
			b.Conv(o, in[0], in[1], w, groups)
		}, tx, tk)
		near(t, typ, y, got, 3, in, weights, w, groups)
		got = d.Do(scatteredView(rng, typ, in...), func(b *builder, o operand, in []operand) {
			b.ConvInputGradient(o, in[0], in[1], w, groups)
		}, tg, tk)
		near(t, typ, gx, got, 3, in, weights, w, groups)
		got = d.Do(scatteredView(rng, typ, weights...), func(b *builder, o operand, in []operand) {
			b.ConvWeightsGradient(o, in[0], in[1], w, groups)
		}, tg, tx)
		near(t, typ, gk, got, 6, in, weights, w, groups)
	}
}

// TestConvOrder: the bits are those of one fused multiply-add for each tap in the documented order.
func TestConvOrder(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(11, 2))
	in, weights := []int{2, 6, 5, 6}, []int{10, 3, 3, 2}
	w := tensorop.Window{Strides: []int{1, 2}, Dilations: []int{1, 1}, Before: []int{1, 0}, After: []int{1, 1}}
	out, err := tensorop.ConvShape(in, weights, w, 2)
	require.NoError(t, err)
	x, k := normal(rng, tensorop.Float32, in...), normal(rng, tensorop.Float32, weights...)
	want := make([]float64, tensorop.Elements(out))
	// A float64 holds the product of two float32 values exactly; math.FMA of it rounds once, and
	// its double rounding to float32 is avoided by rounding the float64 sum to odd.
	convTaps(in, weights, out, w, 2, func(o, i, j int) {
		want[o] = float64(fma32(x[i], k[j], want[o]))
	})
	got := d.Do(tensorop.Dense(tensorop.Float32, out...), func(b *builder, o operand, in []operand) {
		b.Conv(o, in[0], in[1], w, 2)
	}, optest.Of(tensorop.Float32, x, in...), optest.Of(tensorop.Float32, k, weights...))
	assert.Equal(t, want, got)
}

// fma32 returns x*y+z for float32 values, rounded once.
func fma32(x, y, z float64) float32 {
	p := x * y // exact
	sum := p + z
	back := sum - p
	low := (p - (sum - back)) + (z - back) // what the sum lost
	if low != 0 && math.Float64bits(sum)&1 == 0 {
		if (low > 0) == (sum > 0) {
			sum = math.Float64frombits(math.Float64bits(sum) + 1)
		} else {
			sum = math.Float64frombits(math.Float64bits(sum) - 1)
		}
	}
	return float32(sum)
}

// TestConvTransposeShape: a convolution undoes the shape.
func TestConvTransposeShape(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	for range 300 {
		in, weights, w, groups := randomConv(rng)
		out, err := tensorop.ConvShape(in, weights, w, groups)
		require.NoError(t, err)
		var extra []int
		for i, n := range in[2:] {
			reach := (weights[2+i]-1)*w.Dilations[i] + 1
			extra = append(extra, (n+w.Before[i]+w.After[i]-reach)%w.Strides[i])
		}
		got, err := tensorop.ConvTransposeShape(out, weights, w, groups, extra)
		require.NoError(t, err, "%v %v %v", in, weights, w)
		assert.Equal(t, in, got)
	}
}

func TestSamePadding(t *testing.T) {
	for _, c := range []struct {
		in, size, stride, dilation int
		lower                      bool
		before, after              int
	}{
		{5, 3, 1, 1, false, 1, 1}, {5, 2, 1, 1, false, 0, 1}, {5, 2, 1, 1, true, 1, 0},
		{6, 3, 2, 1, false, 0, 1}, {6, 3, 2, 1, true, 1, 0}, {4, 1, 3, 1, false, 0, 0}, {7, 3, 1, 2, false, 2, 2},
	} {
		w, err := tensorop.Window{Size: []int{c.size}, Strides: []int{c.stride}, Dilations: []int{c.dilation}}.
			Same([]int{c.in}, c.lower)
		require.NoError(t, err)
		assert.Equal(t, []int{c.before, c.after}, []int{w.Before[0], w.After[0]}, "%+v", c)
		out, err := tensorop.ConvShape([]int{1, 1, c.in}, []int{1, 1, c.size}, w, 1)
		require.NoError(t, err)
		assert.Equal(t, (c.in+c.stride-1)/c.stride, out[2])
	}
}

func TestConvErrors(t *testing.T) {
	for _, c := range []struct {
		in, weights []int
		w           tensorop.Window
		groups      int
		want        string
	}{
		{[]int{1, 4, 5}, []int{2, 3, 3}, tensorop.Window{}, 1, "convolution: input [1 4 5], weights [2 3 3], 1 groups"},
		{[]int{1, 4, 5}, []int{3, 2, 3}, tensorop.Window{}, 2, "must divide the first"},
		{[]int{1, 4}, []int{3, 2}, tensorop.Window{}, 2, "3 to 5 dimensions"},
		{[]int{1, 4, 2}, []int{3, 4, 3}, tensorop.Window{}, 1,
			"the window spans 3 elements of spatial dimension 0, which has 2"},
		{[]int{1, 4, 5}, []int{3, 4, 3}, tensorop.Window{Strides: []int{0}}, 1, "strides [0]; each must be at least 1"},
		{[]int{1, 4, 5}, []int{3, 4, 3}, tensorop.Window{Before: []int{1 << 40}}, 1, "at most 1073741824"},
		{[]int{1, 4, 5}, []int{3, 4, 3}, tensorop.Window{Dilations: []int{1 << 30}}, 1,
			"a window of 2147483649; together they must be at most 1073741824"},
		{[]int{1, 4, 5}, []int{3, 4, 3}, tensorop.Window{Before: []int{1, 1}}, 1, "2 paddings before for 1 spatial"},
	} {
		_, err := tensorop.ConvShape(c.in, c.weights, c.w, c.groups)
		assert.ErrorContains(t, err, c.want)
	}
	b, in, out := tensorop.NewBuilder([]tensorop.View{tensorop.Dense(tensorop.Float32, 1, 4, 5),
		tensorop.Dense(tensorop.Float32, 2, 4, 3)}, []tensorop.View{tensorop.Dense(tensorop.Float32, 1, 2, 4)})
	b.Conv(out[0], in[0], in[1], tensorop.Window{}, 1)
	_, err := b.Plan()
	assert.ErrorContains(t, err, "convolution: the shape of the result is [1 2 4]; it must be [1 2 3]")
}

// BenchmarkConv is a convolution 3 x 3 of a batch of 8 images with 64 channels of 56 x 56 points.
func BenchmarkConv(b *testing.B) {
	d := optest.Open(b)
	const batch, n = 8, 56
	views := []tensorop.View{tensorop.Dense(tensorop.Float32, batch, 64, n, n),
		tensorop.Dense(tensorop.Float32, 64, 64, 3, 3)}
	shape := tensorop.Dense(tensorop.Float32, batch, 64, n, n)
	w := tensorop.Window{Before: []int{1, 1}, After: []int{1, 1}}
	for _, name := range []string{"forward", "input", "weights"} {
		b.Run(name, func(b *testing.B) {
			pb, in, out := tensorop.NewBuilder(views, []tensorop.View{shape})
			switch name {
			case "forward":
				pb.Conv(out[0], in[0], in[1], w, 1)
			case "input":
				pb.ConvInputGradient(in[0], out[0], in[1], w, 1)
			case "weights":
				pb.ConvWeightsGradient(in[1], out[0], in[0], w, 1)
			}
			p, err := pb.Plan()
			require.NoError(b, err)
			memory := [][]byte{make([]byte, views[0].Elements()*4), make([]byte, views[1].Elements()*4),
				make([]byte, shape.Elements()*4)}
			for b.Loop() {
				d.Run(p, memory...)
			}
			b.ReportMetric(float64(batch*64*n*n*64*9)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFMA/s")
		})
	}
}
