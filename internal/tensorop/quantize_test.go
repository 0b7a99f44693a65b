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

func TestQuantize(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(16, 1))
	limits := map[tensorop.Type][2]float64{tensorop.Int8: {-128, 127}, tensorop.Uint8: {0, 255},
		tensorop.Int16: {-32768, 32767}, tensorop.Int32: {math.MinInt32, math.MaxInt32}}
	for _, typ := range []tensorop.Type{tensorop.Int8, tensorop.Uint8, tensorop.Int16, tensorop.Int32} {
		for _, axis := range []int{0, 1, 2} { // 2: one scale and one zero point
			shape := []int{3, 40}
			ones := []int{1, 1}
			if axis < 2 {
				ones[axis] = shape[axis]
			}
			x, scale := normal(rng, tensorop.Float32, shape...), make([]float64, tensorop.Elements(ones))
			zero := make([]float64, len(scale))
			for i := range scale {
				scale[i], zero[i] = math.Ldexp(1, -rng.IntN(8)), float64(rng.IntN(100))
			}
			x[0], x[1], x[2], x[3] = math.Inf(1), math.Inf(-1), math.NaN(), scale[0]/2
			want, back := make([]float64, len(x)), make([]float64, len(x))
			each(shape, func(i int, index []int) {
				k := 0
				if axis < 2 {
					k = index[axis]
				}
				v := math.RoundToEven(x[i] / scale[k])
				if math.IsNaN(v) {
					v = 0
				}
				want[i] = math.Min(math.Max(v+zero[k], limits[typ][0]), limits[typ][1])
				back[i] = float64(float32(want[i]-zero[k])) * scale[k]
			})
			use := func(in []operand) tensorop.Quantization {
				if axis == 2 {
					return tensorop.Quantization{ScaleValue: float32(scale[0]), ZeroValue: int32(zero[0])}
				}
				return tensorop.Quantization{Scale: &in[1], ZeroPoint: &in[2]}
			}
			ts := optest.Of(tensorop.Float32, scale, ones...)
			tz := optest.Of(tensorop.Uint8, zero, ones...)
			got := d.Do(scatteredView(rng, typ, shape...), func(b *builder, o operand, in []operand) {
				b.Quantize(o, in[0], use(in))
			}, scattered(rng, tensorop.Float32, x, shape...), ts, tz)
			require.Equal(t, want, got, "%v", typ)
			got = d.Do(scatteredView(rng, tensorop.Float32, shape...), func(b *builder, o operand, in []operand) {
				b.Dequantize(o, in[0], use(in))
			}, scattered(rng, typ, want, shape...), ts, tz)
			require.Equal(t, back, got, "%v", typ)
		}
	}
}

func TestQuantizeErrors(t *testing.T) {
	b, in, out := tensorop.NewBuilder([]tensorop.View{tensorop.Dense(tensorop.Float32, 4),
		tensorop.Dense(tensorop.Float32, 3)}, []tensorop.View{tensorop.Dense(tensorop.Int8, 4)})
	b.Quantize(out[0], in[0], tensorop.Quantization{Scale: &in[1]})
	_, err := b.Plan()
	assert.ErrorContains(t, err, "quantize: the scale has shape [3], which cannot be broadcast to [4]")
	b, in, out = tensorop.NewBuilder([]tensorop.View{tensorop.Dense(tensorop.Int64, 4)},
		[]tensorop.View{tensorop.Dense(tensorop.Float32, 4)})
	b.Dequantize(out[0], in[0], tensorop.Quantization{ScaleValue: 1})
	_, err = b.Plan()
	assert.ErrorContains(t, err, "dequantize: int64 to float32; it takes integers of at most 32 bits")
}

func TestLocalResponse(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(16, 2))
	for n := range 18 {
		typ := floatTypes[n%3]
		dims, lead := between(rng, 1, 3), between(rng, 0, 1)
		shape := many(dims+lead, func() int { return between(rng, 1, 5) })
		l := tensorop.LocalResponse{Size: many(dims, func() int { return between(rng, 1, 4) }),
			Alpha: 0.5, Beta: 0.75, Bias: 1.5}
		count := float64(tensorop.Elements(l.Size))
		x, g := normal(rng, typ, shape...), normal(rng, typ, shape...)
		scale := make([]float64, len(x))
		around := func(f func(o, i int)) {
			each(shape, func(o int, oi []int) {
				each(l.Size, func(_ int, k []int) {
					at := append([]int(nil), oi...)
					for d := range k {
						at[lead+d] += k[d] - (l.Size[d]-1)/2
					}
					if i := flat(at, shape); i >= 0 {
						f(o, i)
					}
				})
			})
		}
		for i := range scale {
			scale[i] = 1.5
		}
		around(func(o, i int) { scale[o] += 0.5 / count * x[i] * x[i] })
		want, gx := make([]float64, len(x)), make([]float64, len(x))
		for i, s := range scale {
			want[i] = x[i] * math.Pow(s, -0.75)
			gx[i] = g[i] * math.Pow(s, -0.75)
		}
		around(func(o, i int) { gx[i] -= g[o] * x[o] * 0.75 * math.Pow(scale[o], -1.75) / count * x[i] })
		tx, tg := scattered(rng, typ, x, shape...), scattered(rng, typ, g, shape...)
		got := d.Do(scatteredView(rng, typ, shape...), func(b *builder, o operand, in []operand) {
			b.LocalResponse(o, in[0], l)
		}, tx)
		near(t, typ, want, got, 1, l, shape)
		got = d.Do(scatteredView(rng, typ, shape...), func(b *builder, o operand, in []operand) {
			b.LocalResponseGradient(o, in[0], in[1], l)
		}, tg, tx)
		near(t, typ, gx, got, 2, l, shape)
	}
}
