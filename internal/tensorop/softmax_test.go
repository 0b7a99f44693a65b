package tensorop_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/optest"

	"github.com/stretchr/testify/assert"
)

// along calls f with the elements of each row of a dense tensor along an axis, which it may change.
func along(x []float64, shape []int, axis int, f func(row []float64)) {
	inner := tensorop.Elements(shape[axis+1:])
	n := shape[axis]
	row := make([]float64, n)
	for at := range x {
		if at/inner%n != 0 {
			continue
		}
		for i := range row {
			row[i] = x[at+i*inner]
		}
		f(row)
		for i := range row {
			x[at+i*inner] = row[i]
		}
	}
}

func TestSoftmax(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(6, 6))
	for _, typ := range []tensorop.Type{tensorop.Float32, tensorop.Float16, tensorop.BFloat16} {
		for axis, shape := range [][]int{{7, 3}, {2, 80, 3}, {2, 3, 100}} {
			x := make([]float64, tensorop.Elements(shape))
			for i := range x {
				x[i] = optest.Round(typ, rng.NormFloat64()*20)
			}
			in := optest.Of(typ, x, shape...)
			want, logs := append([]float64{}, x...), append([]float64{}, x...)
			along(want, shape, axis, func(row []float64) {
				high, sum := math.Inf(-1), 0.0
				for _, v := range row {
					high = max(high, v)
				}
				for i, v := range row {
					row[i] = math.Exp(v - high)
					sum += row[i]
				}
				for i := range row {
					row[i] /= sum
				}
			})
			along(logs, shape, axis, func(row []float64) {
				sum := 0.0
				for _, v := range row {
					sum += math.Exp(v - row[0])
				}
				first := row[0]
				for i := range row {
					row[i] -= first + math.Log(sum)
				}
			})
			got := d.Do(tensorop.Dense(typ, shape...), func(b *builder, o operand, in []operand) {
				b.Softmax(o, in[0],
					axis)
			}, in)
			log := d.Do(tensorop.Dense(typ, shape...), func(b *builder, o operand, in []operand) {
				b.LogSoftmax(o,
					in[0], axis)
			}, in)
			tolerance := map[tensorop.Type]float64{tensorop.Float32: 2e-6, tensorop.Float16: 1e-3,
				tensorop.BFloat16: 1e-2}[typ]
			for i := range x {
				assert.InDelta(t, want[i], got[i], tolerance, "softmax %v %v", typ, shape)
				assert.InDelta(t, logs[i], log[i], tolerance*(1+math.Abs(logs[i])), "log_softmax %v %v", typ, shape)
			}
		}
	}
}

func TestNorms(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(7, 7))
	shape := []int{3, 5, 40}
	x := make([]float64, tensorop.Elements(shape))
	for i := range x {
		x[i] = optest.Round(tensorop.Float32, rng.NormFloat64()*3+1)
	}
	scale, bias := make([]float64, 40), make([]float64, 40)
	for i := range scale {
		scale[i], bias[i] = optest.Round(tensorop.Float32, rng.Float64()), optest.Round(tensorop.Float32, rng.Float64())
	}
	f := tensorop.Float32
	in, s, o := optest.Of(f, x, shape...), optest.Of(f, scale, 40), optest.Of(f, bias, 40)
	norm := func(center bool) []float64 {
		want := append([]float64{}, x...)
		along(want, shape, 2, func(row []float64) {
			mean, squares := 0.0, 0.0
			for _, v := range row {
				mean += v / 40
			}
			if !center {
				mean = 0
			}
			for _, v := range row {
				squares += (v - mean) * (v - mean) / 40
			}
			for i := range row {
				row[i] = (row[i]-mean)/math.Sqrt(squares+1e-3)*scale[i] + bias[i]
			}
		})
		return want
	}
	layer := d.Do(tensorop.Dense(f, shape...), func(b *builder, out operand, in []operand) {
		b.LayerNorm(out, in[0], tensorop.Norm{Epsilon: 1e-3, Scale: &in[1], Bias: &in[2]}, 2)
	}, in, s, o)
	rms := d.Do(tensorop.Dense(f, shape...), func(b *builder, out operand, in []operand) {
		b.RMSNorm(out, in[0], tensorop.Norm{Epsilon: 1e-3, Scale: &in[1], Bias: &in[2]}, 2)
	}, in, s, o)
	assert.InDeltaSlice(t, norm(true), layer, 1e-5)
	assert.InDeltaSlice(t, norm(false), rms, 1e-5)
}
