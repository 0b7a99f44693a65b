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

func TestNormalizeGradient(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(18, 1))
	const epsilon = 0.25
	for n := range 18 {
		typ := floatTypes[n%3]
		shape := many(between(rng, 2, 4), func() int { return between(rng, 2, 5) })
		axes := rng.Perm(len(shape))[:between(rng, 1, len(shape))]
		repeated := rng.Perm(len(shape))[:between(rng, 0, len(shape)-1)]
		stats, err := tensorop.ReduceShape("test", shape, axes)
		require.NoError(t, err)
		scales, err := tensorop.ReduceShape("test", shape, repeated)
		require.NoError(t, err)
		// place returns the place of an element's value in a shape with some dimensions 1.
		place := func(index, of []int) int {
			at := slices.Clone(index)
			for i := range at {
				at[i] = min(at[i], of[i]-1)
			}
			return flat(at, of)
		}
		x, g := normal(rng, typ, shape...), normal(rng, typ, shape...)
		gamma := normal(rng, typ, scales...)
		count := float64(len(x) / tensorop.Elements(stats))
		mean, variance := make([]float64, tensorop.Elements(stats)), make([]float64, tensorop.Elements(stats))
		each(shape, func(i int, index []int) { mean[place(index, stats)] += x[i] / count })
		each(shape, func(i int, index []int) {
			variance[place(index, stats)] += math.Pow(x[i]-mean[place(index, stats)], 2) / count
		})
		// loss is the sum of g times the result; its derivative by central differences is the judge.
		loss := func(x, gamma []float64) float64 {
			m, v := make([]float64, len(mean)), make([]float64, len(mean))
			each(shape, func(i int, index []int) { m[place(index, stats)] += x[i] / count })
			each(shape, func(i int, index []int) {
				v[place(index, stats)] += math.Pow(x[i]-m[place(index, stats)], 2) / count
			})
			sum := 0.0
			each(shape, func(i int, index []int) {
				k := place(index, stats)
				sum += g[i] * gamma[place(index, scales)] * (x[i] - m[k]) / math.Sqrt(v[k]+epsilon)
			})
			return sum
		}
		slope := func(at []float64, f func() float64) []float64 {
			out := make([]float64, len(at))
			for i := range at {
				const step = 1e-5
				old := at[i]
				at[i] = old + step
				high := f()
				at[i] = old - step
				out[i] = (high - f()) / (2 * step)
				at[i] = old
			}
			return out
		}
		f := func() float64 { return loss(x, gamma) }
		tensors := []optest.Tensor{scattered(rng, typ, g, shape...), scattered(rng, typ, x, shape...),
			optest.Of(tensorop.Float32, mean, stats...), optest.Of(tensorop.Float32, variance, stats...),
			scattered(rng, typ, gamma, scales...)}
		got := d.Do(scatteredView(rng, typ, shape...), func(b *builder, o operand, in []operand) {
			b.NormalizeGradient(o, in[0], in[1], in[2], in[3], tensorop.Norm{Epsilon: epsilon, Scale: &in[4]}, axes...)
		}, tensors...)
		near(t, typ, slope(x, f), got, 16, shape, axes)
		got = d.Do(scatteredView(rng, typ, scales...), func(b *builder, o operand, in []operand) {
			b.NormalizeScaleGradient(o, in[0], in[1], in[2], in[3], epsilon, repeated...)
		}, tensors...)
		near(t, typ, slope(gamma, f), got, 16, shape, repeated)
	}
	b, in, out := tensorop.NewBuilder([]tensorop.View{tensorop.Dense(tensorop.Float32, 4),
		tensorop.Dense(tensorop.Float32, 3)}, []tensorop.View{tensorop.Dense(tensorop.Float32, 4)})
	b.NormalizeGradient(out[0], in[1], in[0], in[0], in[0], tensorop.Norm{}, 0)
	_, err := b.Plan()
	assert.ErrorContains(t, err, "normalize gradient: the shape of the gradient is [3]; it must be [4]")
}
