package tensorop_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/optest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func floats() []tensorop.Type {
	return []tensorop.Type{tensorop.Float32, tensorop.Float16, tensorop.BFloat16}
}

// numbers returns values that a type holds.
func numbers(rng *rand.Rand, typ tensorop.Type, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = optest.Round(typ, float64(rng.IntN(255)-127)/32)
	}
	return x
}

// onGPU returns a plan that runs the kernels for GPUs where there are any, at least one.
func onGPU(t *testing.T, p *tensorop.Plan) *tensorop.Plan {
	t.Helper()
	q := *p
	q.Steps = slices.Clone(p.Steps)
	changed := false
	for i, s := range p.Steps {
		if s.GPU != nil {
			q.Steps[i], changed = *s.GPU, true
		}
	}
	require.True(t, changed)
	return &q
}

// TestSimdgroupProduct: the product of simdgroup matrices is that of the general kernel, for all
// types, strides, batches, alpha and beta.
func TestSimdgroupProduct(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(39, 1))
	for _, typ := range floats() {
		for _, c := range []struct{ batch, m, n, k int }{{1, 32, 32, 16}, {3, 33, 47, 40}, {2, 70, 32, 17}} {
			x := tensorop.Dense(typ, c.batch, c.k, c.m).Transpose(0, 2, 1)
			y, err := tensorop.Dense(typ, 1, c.k, c.n).Broadcast(c.batch, c.k, c.n)
			require.NoError(t, err)
			out := tensorop.View{Type: typ, Shape: []int{c.batch, c.m, c.n}, Offset: 3,
				Strides: []int{c.m * (c.n + 2), c.n + 2, 1}}
			alpha, beta := float32(1), float32(0)
			if c.batch > 1 {
				alpha, beta = 0.5, -0.25
			}
			b, in, to := tensorop.NewBuilder([]tensorop.View{x, y}, []tensorop.View{out})
			b.MatMul(to[0], in[0], in[1], alpha, beta)
			p, err := b.Plan()
			require.NoError(t, err)
			_, end := out.Span()
			var memory [][]byte
			for _, n := range []int{c.batch * c.m * c.k, c.k * c.n, end} {
				memory = append(memory, optest.Of(typ, numbers(rng, typ, n), n).Bytes)
			}
			want, got := d.Run(p, memory...)[0], d.Run(onGPU(t, p), memory...)[0]
			// Outside of the result nothing changed.
			whole := tensorop.Dense(typ, end)
			w, g := optest.Values(whole, want), optest.Values(whole, got)
			for i := range w {
				bound := 1e-4 * max(1, math.Abs(w[i]))
				if typ != tensorop.Float32 {
					bound = 0.01 * max(1, math.Abs(w[i]))
				}
				require.InDelta(t, w[i], g[i], bound, "%v %+v, element %d", typ, c, i)
			}
		}
	}
}

// TestTransposed: matrices that are copied by tiles are copied, by the kernel for GPUs as well.
func TestTransposed(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(39, 2))
	for _, typ := range []tensorop.Type{tensorop.Float32, tensorop.BFloat16, tensorop.Int8, tensorop.Int64} {
		for _, shape := range [][]int{{32, 32}, {2, 3, 40, 65}, {33, 100}, {31, 64}, {5}} {
			in := tensorop.Dense(typ, shape...)
			if n := len(shape); n > 1 {
				turned := slices.Clone(shape)
				turned[n-1], turned[n-2] = turned[n-2], turned[n-1]
				order := make([]int, n)
				for i := range order {
					order[i] = i
				}
				order[n-1], order[n-2] = n-2, n-1
				in = tensorop.Dense(typ, turned...).Transpose(order...)
			}
			x := numbers(rng, typ, in.Elements())
			for i := range x {
				x[i] = math.Trunc(x[i])
			}
			memory := optest.Of(typ, x, len(x)).Bytes
			want := optest.Values(in, memory)
			out := tensorop.Dense(typ, shape...)
			for name, build := range map[string]func(b *tensorop.Builder, out, in tensorop.Operand){
				"copied": (*tensorop.Builder).Copy, "transposed": (*tensorop.Builder).Transposed} {
				b, from, to := tensorop.NewBuilder([]tensorop.View{in}, []tensorop.View{out})
				build(b, to[0], from[0])
				p, err := b.Plan()
				require.NoError(t, err)
				plans := []*tensorop.Plan{p}
				if large := len(shape) > 1 && shape[len(shape)-2] >= 32; large && name == "copied" {
					plans = append(plans, onGPU(t, p))
				} else {
					assert.Nil(t, p.Steps[0].GPU)
				}
				for _, p := range plans {
					got := d.Run(p, memory, make([]byte, len(memory)))[0]
					require.Equal(t, want, optest.Values(out, got), "%s %v %v, %s", name, typ, shape, p.Steps[0].Kernel)
				}
			}
		}
	}
}

// TestSoftmaxRows: a softmax in one launch has the bits of several, for rows that a thread computes
// and those of a simdgroup, of dense tensors and others.
func TestSoftmaxRows(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(39, 3))
	for _, op := range []string{"softmax", "log_softmax"} {
		for _, typ := range floats() {
			for _, c := range []struct {
				shape []int
				axis  int
			}{{[]int{7, 5}, 1}, {[]int{3, 4, 70}, 2}, {[]int{70, 3, 4}, 0}, {[]int{2, 70, 130}, 1}, {[]int{1}, 0}} {
				view := tensorop.Dense(typ, c.shape...)
				for i := range view.Strides {
					view.Strides[i] *= 2
				}
				x := numbers(rng, typ, 2*view.Elements())
				for i := range x {
					if i%97 == 5 {
						x[i] = []float64{math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1)}[rng.IntN(4)]
					}
				}
				memory := optest.Of(typ, x, len(x)).Bytes
				var results [2][]byte
				for i := range results {
					b, in, out := tensorop.NewBuilder([]tensorop.View{view}, []tensorop.View{tensorop.Dense(typ, c.shape...)})
					switch {
					case i == 1:
						tensorop.SoftmaxParts(b, op, out[0], in[0], c.axis)
					case op == "softmax":
						b.Softmax(out[0], in[0], c.axis)
					default:
						b.LogSoftmax(out[0], in[0], c.axis)
					}
					p, err := b.Plan()
					require.NoError(t, err)
					assert.Equal(t, i == 0, len(p.Steps) == 1)
					results[i] = d.Run(p, memory, make([]byte, len(memory)/2))[0]
				}
				require.Equal(t, results[1], results[0], "%s of %v %v along %d", op, typ, c.shape, c.axis)
			}
		}
	}
}

// TestRounds: reductions of few long rows, and of all elements however they are spaced, take
// several rounds and give what one would.
func TestRounds(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(39, 4))
	const n = 2 << 16
	gaps := tensorop.View{Type: tensorop.Float32, Shape: []int{5, 1, 90, 7}, Strides: []int{3000, 1, 30, 2}, Offset: 9}
	for _, c := range []struct {
		in   tensorop.View
		axes int // of the last dimensions; 0: all
	}{{tensorop.Dense(tensorop.Float32, 3, n), 1}, {tensorop.Dense(tensorop.Float16, 2, n), 1},
		{tensorop.Dense(tensorop.Float32, 1<<14, 13), 0}, {gaps, 0}, {gaps.Transpose(3, 2, 1, 0), 0}} {
		_, end := c.in.Span()
		x := numbers(rng, c.in.Type, end)
		memory := optest.Of(c.in.Type, x, len(x)).Bytes
		all := optest.Values(c.in, memory)
		rows := 1
		if c.axes == 1 {
			rows = c.in.Shape[0]
		}
		length := len(all) / rows
		for _, op := range []string{"sum", "mean", "min", "max", "argmin", "argmax"} {
			types := []tensorop.Type{c.in.Type}
			if op[:3] == "arg" {
				types = []tensorop.Type{tensorop.Int32, tensorop.Uint32}
			}
			for _, typ := range types {
				shape := []int{rows, 1}
				if c.axes == 0 {
					shape = []int{1}
				}
				b, in, out := tensorop.NewBuilder([]tensorop.View{c.in}, []tensorop.View{tensorop.Dense(typ, shape...)})
				if c.axes == 0 {
					b.ReduceAll(op, out[0], in[0])
				} else {
					b.Reduce(op, out[0], in[0], 1)
				}
				p, err := b.Plan()
				require.NoError(t, err)
				require.Len(t, p.Steps, 2, "%s %v", op, c.in.Shape)
				raw := d.Run(p, memory, make([]byte, max(4, typ.Size())*rows))[0]
				got := optest.Values(tensorop.Dense(typ, rows), raw)
				for r := range rows {
					row := all[r*length:][:length]
					want, bound := reduced(op, row), 0.0
					if op == "sum" || op == "mean" {
						want, bound = optest.Round(typ, want), 1e-6*float64(length)
					}
					if op == "mean" {
						bound = 1e-5
					}
					if typ == tensorop.Float16 {
						bound += math.Abs(want) / 1024
					}
					require.InDelta(t, want, got[r], bound, fmt.Sprint(op, c.in.Shape, " row ", r))
				}
			}
		}
	}
}

// reduced returns what a reduction makes of a row.
func reduced(op string, row []float64) float64 {
	sum := 0.0
	for _, x := range row {
		sum += x
	}
	switch op {
	case "sum":
		return sum
	case "mean":
		return sum / float64(len(row))
	case "min":
		return slices.Min(row)
	case "max":
		return slices.Max(row)
	case "argmin":
		return float64(slices.Index(row, slices.Min(row)))
	}
	return float64(slices.Index(row, slices.Max(row)))
}

// TestReduceAllRefuses: a result with several elements, and types that the operation does not give.
func TestReduceAllRefuses(t *testing.T) {
	in := tensorop.View{Type: tensorop.Float32, Shape: []int{4, 4}, Strides: []int{9, 2}}
	for want, out := range map[string]tensorop.View{
		"it must have one":          tensorop.Dense(tensorop.Float32, 2),
		"gives float32 and not int": tensorop.Dense(tensorop.Int32, 1),
	} {
		b, ins, outs := tensorop.NewBuilder([]tensorop.View{in}, []tensorop.View{out})
		b.ReduceAll("sum", outs[0], ins[0])
		_, err := b.Plan()
		assert.ErrorContains(t, err, want)
	}
}
