package tensorop_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/optest"

	"github.com/stretchr/testify/require"
)

// TestCumulativeLong: lines that are split give what whole ones do, at each place, and
// floating-point sums the same bits on each run.
func TestCumulativeLong(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(22, 2))
	steps := map[string]func(a, b float64) float64{
		"sum": func(a, b float64) float64 { return a + b }, "product": func(a, b float64) float64 { return a * b },
		"min": math.Min, "max": math.Max}
	starts := map[string]float64{"sum": 0, "product": 1, "min": math.MaxInt32, "max": math.MinInt32}
	names := []string{"sum", "product", "min", "max"}
	for n, length := range []int{512, 513, 767, 1000, 512, 1025, 3001, 140000} {
		op, exclusive, reverse := names[n%4], rng.IntN(2) == 0, rng.IntN(2) == 0
		shape := []int{2, length}
		axis := 1
		if length < 1000 {
			shape, axis = []int{length, 3}, 0
		}
		x := many(tensorop.Elements(shape), func() int { return between(rng, -1000, 1000) })
		values, want := make([]float64, len(x)), make([]float64, len(x))
		for i, v := range x {
			if values[i] = float64(v); op == "product" {
				values[i] = float64(v&1*2 - 1)
			}
		}
		lines := slices.Clone(shape)
		lines[axis] = 1
		each(lines, func(_ int, at []int) {
			at = slices.Clone(at)
			s := starts[op]
			for j := range length {
				if at[axis] = j; reverse {
					at[axis] = length - 1 - j
				}
				i := flat(at, shape)
				if want[i] = s; !exclusive {
					want[i] = steps[op](s, values[i])
				}
				s = steps[op](s, values[i])
			}
		})
		got := d.Do(scatteredView(rng, tensorop.Int32, shape...), func(b *builder, o operand, in []operand) {
			b.Cumulative(op, o, in[0], axis, exclusive, reverse)
		}, scattered(rng, tensorop.Int32, values, shape...))
		require.Equal(t, want, got, "%s along %d of %v, exclusive %t, reverse %t", op, axis, shape, exclusive, reverse)
	}
	x := normal(rng, tensorop.Float32, 2000)
	run := func() []float64 {
		return d.Do(tensorop.Dense(tensorop.Float32, len(x)), func(b *builder, o operand, in []operand) {
			b.Cumulative("sum", o, in[0], 0, false, false)
		}, optest.Of(tensorop.Float32, x, len(x)))
	}
	got, sum, want := run(), 0.0, make([]float64, len(x))
	for i, v := range x {
		sum += v
		want[i] = sum
	}
	near(t, tensorop.Float32, want, got, 40)
	require.Equal(t, got, run())
}
