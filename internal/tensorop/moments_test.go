package tensorop_test

import (
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/optest"

	"github.com/stretchr/testify/require"
)

// TestWindowMoments: values far from zero, whose squares would cancel.
func TestWindowMoments(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(12, 3))
	for range 10 {
		p, in, lead := randomPool(rng)
		out, err := tensorop.PoolShape(in, p)
		require.NoError(t, err)
		x := normal(rng, tensorop.Float32, in...)
		for i := range x {
			x[i] = optest.Round(tensorop.Float32, x[i]+1000)
		}
		n := tensorop.Elements(out)
		counts, mean, variance := make([]float64, n), make([]float64, n), make([]float64, n)
		sum := func(f func(o, i int)) {
			poolTaps(p, in, out, lead, func(o, i, _ int, _ bool) {
				if i >= 0 {
					f(o, i)
				}
			})
		}
		sum(func(o, i int) {
			counts[o]++
			mean[o] += x[i]
		})
		for o := range mean {
			mean[o] /= max(counts[o], 1)
		}
		sum(func(o, i int) {
			variance[o] += (x[i] - mean[o]) * (x[i] - mean[o]) / counts[o]
		})
		for k, want := range [][]float64{mean, variance} {
			got := d.Do(tensorop.Dense(tensorop.Float32, out...), func(b *builder, o operand, in []operand) {
				results := []operand{b.Temp(tensorop.Float32, out...), b.Temp(tensorop.Float32, out...)}
				results[k] = o
				b.WindowMoments(results[0], results[1], in[0], p)
			}, scattered(rng, tensorop.Float32, x, in...))
			near(t, tensorop.Float32, want, got, []float64{1, 100}[k], p, in)
		}
	}
}
