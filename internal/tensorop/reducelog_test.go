package tensorop_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/optest"

	"github.com/stretchr/testify/assert"
)

func TestLogSumExpL2Norm(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(26, 1))
	for n := range 27 {
		typ := floatTypes[n%3]
		in := dims(rng, between(rng, 1, 4))
		axes := rng.Perm(len(in))[:between(rng, 1, len(in))]
		x := normal(rng, typ, in...)
		for i := range x {
			x[i] = optest.Round(typ, x[i]*100) // squares that float16 does not have
			if rng.IntN(30) == 0 {
				x[i] = []float64{math.Inf(-1), math.Inf(1), math.NaN()}[rng.IntN(3)]
			}
			if n < 3 {
				x[i] = math.Inf(-1)
			}
		}
		out := slices.Clone(in)
		for _, k := range axes {
			out[k] = 1
		}
		highest := slices.Repeat([]float64{math.Inf(-1)}, tensorop.Elements(out))
		logs, norms := make([]float64, len(highest)), make([]float64, len(highest))
		walk := func(f func(i, o int)) {
			each(in, func(i int, at []int) {
				to := slices.Clone(at)
				for _, k := range axes {
					to[k] = 0
				}
				f(i, flat(to, out))
			})
		}
		walk(func(i, o int) { highest[o] = math.Max(highest[o], x[i]) })
		walk(func(i, o int) {
			norms[o] += x[i] * x[i]
			if d := x[i] - highest[o]; math.IsInf(highest[o], 0) {
				logs[o] += math.Exp(x[i])
			} else {
				logs[o] += math.Exp(d)
			}
		})
		for o := range logs {
			logs[o], norms[o] = math.Log(logs[o]), math.Sqrt(norms[o])
			if !math.IsInf(highest[o], 0) {
				logs[o] += highest[o]
			}
		}
		tx := scattered(rng, typ, x, in...)
		got := d.Do(scatteredView(rng, typ, out...), func(b *builder, o operand, in []operand) {
			b.LogSumExp(o, in[0], axes...)
		}, tx)
		near(t, typ, logs, got, 1, "log sum exp", in, axes)
		got = d.Do(scatteredView(rng, typ, out...), func(b *builder, o operand, in []operand) {
			b.L2Norm(o, in[0], axes...)
		}, tx)
		near(t, typ, norms, got, 1, "l2 norm", in, axes)
	}
	empty := optest.Of(tensorop.Float32, nil, 2, 0)
	got := d.Do(tensorop.Dense(tensorop.Float32, 2, 1), func(b *builder, o operand, in []operand) {
		b.LogSumExp(o, in[0], 1)
	}, empty)
	assert.Equal(t, []float64{math.Inf(-1), math.Inf(-1)}, got)
	got = d.Do(tensorop.Dense(tensorop.Float32, 2, 1), func(b *builder, o operand, in []operand) {
		b.L2Norm(o, in[0], 1)
	}, empty)
	assert.Equal(t, []float64{0, 0}, got)
}
