package tensorop_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/packed"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/optest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPackedMatrices: products with packed weights by simdgroup matrices are those of the other
// kernel, but for rounding, with tiles that are not full too.
func TestPackedMatrices(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(8, 8))
	for i, l := range []packed.Layout{
		{Format: packed.Q8_0, Columns: 96}, {Format: packed.Q4_K, Columns: 256}, {Format: packed.PackedF16,
			Columns: 45},
		{Format: packed.I2_S, Columns: 128}, {Format: packed.MLXFP8, Columns: 64},
		{Format: packed.Affine, Columns: 128, Bits: 3, Group: 64},
	} {
		l.Rows = []int{32, 37, 64}[i%3]
		require.NoError(t, l.Check())
		m := []int{33, 64, 40}[i%3]
		bytes := func(n int) optest.Tensor {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(rng.Uint32()) &^ 0x40 // halves and floats of any bytes are below 2
			}
			return optest.Tensor{View: tensorop.Dense(tensorop.Uint8, n), Bytes: b}
		}
		numbers := func(n ...int) optest.Tensor {
			x := make([]float64, tensorop.Elements(n))
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			return optest.Of(tensorop.Float32, x, n...)
		}
		inputs := []optest.Tensor{bytes(l.Bytes()), numbers(m, l.Columns)}
		if scales := l.Rows * l.RowScales(); l.Format == packed.Affine {
			inputs = append(inputs, numbers(scales), numbers(scales))
		} else if scales > 0 {
			inputs = append(inputs, bytes(scales))
			for i := range inputs[2].Bytes {
				inputs[2].Bytes[i] = byte(120 + rng.IntN(16))
			}
		}
		views, memory := []tensorop.View{}, [][]byte{}
		for _, in := range inputs {
			views, memory = append(views, in.View), append(memory, in.Bytes)
		}
		out := tensorop.Dense(tensorop.Float32, m, l.Rows)
		b, in, o := tensorop.NewBuilder(views, []tensorop.View{out})
		p := tensorop.Packed{Layout: l, Data: in[0]}
		if len(in) > 2 {
			p.Scales, p.Biases = in[2], in[len(in)-1]
		}
		b.PackedMatMul(o[0], in[1], p)
		plan, err := b.Plan()
		require.NoError(t, err)
		memory = append(memory, make([]byte, 4*m*l.Rows))
		want, got := optest.Values(out, d.Run(plan, memory...)[0]), optest.Values(out, d.Run(onGPU(t, plan),
			memory...)[0])
		most := 0.0
		for _, x := range want {
			most = max(most, math.Abs(x))
		}
		for i, x := range want {
			if !assert.InDelta(t, x, got[i], 1e-5*most, "%v, element %d", l.Format, i) {
				break
			}
		}
	}
}
