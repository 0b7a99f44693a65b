package tensorop_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/optest"

	"github.com/stretchr/testify/assert"
)

func TestAttention(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(24, 1))
	for n := range 18 {
		typ := floatTypes[n%3]
		batch, heads := between(rng, 1, 2), between(rng, 1, 3)
		l, s, e, f := between(rng, 1, 9), between(rng, 1, 9), between(rng, 1, 8), between(rng, 1, 8)
		qs, ks, vs := []int{batch, heads, l, e}, []int{batch, 1, s, e}, []int{heads, s, f}
		q, k, v := normal(rng, typ, qs...), normal(rng, typ, ks...), normal(rng, typ, vs...)
		maskType := []tensorop.Type{typ, tensorop.Bool, tensorop.Float32}[n/3%3]
		mask := normal(rng, maskType, heads, l, s)
		if maskType == tensorop.Bool {
			for i := range mask {
				mask[i] = float64(min(rng.IntN(4), 1))
			}
		}
		masked := n < 12
		scale := float64(float32(1 / math.Sqrt(float64(e))))
		out := []int{batch, heads, l, f}
		want := make([]float64, tensorop.Elements(out))
		each(out[:3], func(_ int, at []int) {
			b, h, i := at[0], at[1], at[2]
			weights, sum := make([]float64, s), 0.0
			for j := range weights {
				dot := 0.0
				for x := range e {
					dot += q[flat([]int{b, h, i, x}, qs)] * k[flat([]int{b, 0, j, x}, ks)]
				}
				dot *= scale
				if m := mask[(h*l+i)*s+j]; masked && maskType != tensorop.Bool {
					dot += m
				} else if masked && m == 0 {
					dot = math.Inf(-1)
				}
				weights[j] = math.Exp(dot)
				sum += weights[j]
			}
			for x := range f {
				y := 0.0
				for j, w := range weights {
					y += w / sum * v[flat([]int{h, j, x}, vs)]
				}
				want[flat([]int{b, h, i, x}, out)] = y
			}
		})
		got := d.Do(scatteredView(rng, typ, out...), func(b *builder, o operand, in []operand) {
			m := &in[3]
			if !masked {
				m = nil
			}
			b.Attention(o, in[0], in[1], in[2], m, float32(scale))
		}, scattered(rng, typ, q, qs...), scattered(rng, typ, k, ks...), scattered(rng, typ, v, vs...),
			scattered(rng, maskType, mask, heads, l, s))
		near(t, typ, want, got, 1, n)
	}
	_, err := tensorop.AttentionShape([]int{2, 3}, []int{4, 5}, []int{4, 6})
	assert.ErrorContains(t, err, "attention: queries [2 3], keys [4 5], values [4 6]; the last dimensions")
}
