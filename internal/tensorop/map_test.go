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

type (
	builder = tensorop.Builder
	operand = tensorop.Operand
)

// TestUnary compares functions with float64 ones.
func TestUnary(t *testing.T) {
	d := optest.Open(t)
	refs := map[string]func(float64) float64{
		"neg":        func(x float64) float64 { return -x },
		"abs":        math.Abs,
		"square":     func(x float64) float64 { return x * x },
		"reciprocal": func(x float64) float64 { return 1 / x },
		"ceil":       math.Ceil,
		"floor":      math.Floor,
		"round":      math.Round,
		"rint":       math.RoundToEven,
		"trunc":      math.Trunc,
		"sqrt":       math.Sqrt,
		"rsqrt":      func(x float64) float64 { return 1 / math.Sqrt(x) },
		"exp":        math.Exp,
		"exp2":       math.Exp2,
		"exp10":      func(x float64) float64 { return math.Pow(10, x) },
		"expm1":      math.Expm1,
		"log":        math.Log,
		"log2":       math.Log2,
		"log10":      math.Log10,
		"log1p":      math.Log1p,
		"sin":        math.Sin,
		"cos":        math.Cos,
		"tan":        math.Tan,
		"asin":       math.Asin,
		"acos":       math.Acos,
		"atan":       math.Atan,
		"sinh":       math.Sinh,
		"cosh":       math.Cosh,
		"tanh":       math.Tanh,
		"asinh":      math.Asinh,
		"acosh":      math.Acosh,
		"atanh":      math.Atanh,
		"erf":        math.Erf,
		"sigmoid":    func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
		"relu":       func(x float64) float64 { return max(x, 0) },
		"softplus":   func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) },
		"softsign":   func(x float64) float64 { return x / (1 + math.Abs(x)) },
		"silu":       func(x float64) float64 { return x / (1 + math.Exp(-x)) },
		"gelu":       func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) },
		"mish":       func(x float64) float64 { return x * math.Tanh(math.Log1p(math.Exp(x))) },
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var x []float64
	for range 200 {
		x = append(x, optest.Round(tensorop.Float32, rng.NormFloat64()*3))
	}
	for _, v := range []float64{0, 1, -1, 1e-3, -1e-3, 1e-7, 0.5, 2.5, -2.5, 9, -9,
		math.Inf(1), math.Inf(-1), math.NaN()} {
		x = append(x, optest.Round(tensorop.Float32, v))
	}
	for name, ref := range refs {
		got := d.Do(tensorop.Dense(tensorop.Float32, len(x)), func(b *builder, out operand, in []operand) {
			b.Apply(name, out, in...)
		}, optest.Of(tensorop.Float32, x, len(x)))
		for i, v := range x {
			want := ref(v)
			if math.IsNaN(want) || math.IsInf(want, 0) {
				if math.IsNaN(v) || name != "mish" && name != "gelu" && name != "silu" && name != "softsign" {
					assert.Equal(t, math.IsNaN(want), math.IsNaN(got[i]), "%s(%g) = %g, want %g", name, v, got[i], want)
				}
				continue
			}
			assert.InDelta(t, want, got[i], 4e-6*math.Max(math.Abs(want), 0.3), "%s(%g)", name, v)
		}
	}
}

// TestBroadcast: every rank, strides of zero, and negative ones.
func TestBroadcast(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(2, 2))
	for range 60 {
		rank := 1 + rng.IntN(6)
		shape, part := make([]int, rank), make([]int, rank)
		for i := range shape {
			shape[i] = 1 + rng.IntN(4)
			part[i] = shape[i]
			if rng.IntN(3) == 0 {
				part[i] = 1
			}
		}
		part = part[rng.IntN(rank):]
		values := func(shape []int) []float64 {
			v := make([]float64, tensorop.Elements(shape))
			for i := range v {
				v[i] = float64(rng.IntN(100))
			}
			return v
		}
		a, b := optest.Of(tensorop.Int32, values(shape), shape...), optest.Of(tensorop.Int32, values(part), part...)
		dim := rng.IntN(rank)
		var err error
		a.View, err = a.Slice(dim, shape[dim]-1, -1, -1)
		require.NoError(t, err)
		order := rng.Perm(rank)
		outShape := make([]int, rank)
		for i, from := range order {
			outShape[from] = i
		}
		out := tensorop.Dense(tensorop.Int32, shape...)
		out = out.Transpose(order...)
		back := out.Transpose(outShape...) // the shape of a again, with strides of its own
		got := d.Do(back, func(bd *builder, o operand, in []operand) {
			bd.Apply("sub", o, in...)
		}, a, b)
		wide, err := b.Broadcast(shape...)
		require.NoError(t, err)
		av, bv := optest.Values(a.View, a.Bytes), optest.Values(wide, b.Bytes)
		for i := range av {
			require.Equal(t, av[i]-bv[i], got[i], "shape %v and %v", shape, part)
		}
	}
}

// TestFusedBits: instructions in one kernel give the bits of kernels of their own.
func TestFusedBits(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(3, 3))
	for _, typ := range []tensorop.Type{tensorop.Float32, tensorop.Float16, tensorop.BFloat16} {
		x := make([]float64, 300)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		in := optest.Of(typ, x, 3, 100)
		code := []tensorop.Instr{
			{Op: "exp", Type: typ, Args: []int{0}},
			{Op: "mul", Type: typ, Args: []int{1, 0}},
			{Op: "leaky_relu", Type: typ, Args: []int{2}, Scalars: []float32{0.3}},
			{Op: "less", Type: tensorop.Bool, Args: []int{3, 1}},
			{Op: "select", Type: typ, Args: []int{4, 2, 1}},
		}
		fused := d.Do(tensorop.Dense(typ, 3, 100), func(b *builder, out operand, in []operand) {
			b.Map(out, in, code...)
		}, in)
		single := d.Do(tensorop.Dense(typ, 3, 100), func(b *builder, out operand, in []operand) {
			at := in
			for i, c := range code {
				to := out
				if i < len(code)-1 {
					to = b.Temp(c.Type, 3, 100)
				}
				var args []tensorop.Operand
				one := tensorop.Instr{Op: c.Op, Type: c.Type, Scalars: c.Scalars}
				for k, a := range c.Args {
					args = append(args, at[a])
					one.Args = append(one.Args, k)
				}
				b.Map(to, args, one)
				at = append(at, to)
			}
		}, in)
		assert.Equal(t, single, fused)
	}
}

// TestFixed: parameters in the kernel's text have the same bits as those in its arguments.
func TestFixed(t *testing.T) {
	d := optest.Open(t)
	x := optest.Of(tensorop.Float32, []float64{-2.5, math.Copysign(0, -1), 0, 1e-40, 3, math.Inf(1), math.NaN()}, 7)
	for _, number := range []uint32{0, 1 << 31, 1, 0x3fc00000, 0xbeaaaaab, 0x7f7fffff, 0x7f800000, 0xff800000,
		0x7fc00000} {
		run := func(fixed bool) (bits []uint64) {
			for _, y := range d.Do(tensorop.Dense(tensorop.Float32, 7), func(b *builder, out operand, in []operand) {
				scalars := []float32{math.Float32frombits(number)}
				b.Map(out, in, tensorop.Instr{Op: "fill", Type: tensorop.Float32, Scalars: scalars, Fixed: fixed},
					tensorop.Instr{Op: "leaky_relu", Type: tensorop.Float32, Args: []int{0}, Scalars: scalars,
						Fixed: fixed},
					tensorop.Instr{Op: "max", Type: tensorop.Float32, Args: []int{2, 1}})
			}, x) {
				bits = append(bits, math.Float64bits(y))
			}
			return bits
		}
		assert.Equal(t, run(false), run(true), "%#x", number)
	}
}

// TestEveryOp compiles every operation for every type that it takes.
func TestEveryOp(t *testing.T) {
	d := optest.Open(t)
	for _, name := range tensorop.Ops() {
		for typ := tensorop.Float32; typ <= tensorop.Bool; typ++ {
			for args := 1; args <= 3; args++ {
				types := []tensorop.Type{typ, typ, typ}[:args]
				if name == "select" {
					types[0] = tensorop.Bool
				}
				result, err := tensorop.Check(name, types...)
				if err != nil {
					continue
				}
				var in []optest.Tensor
				index := []int{0, 1, 2}[:args]
				for i := range types {
					in = append(in, optest.Of(types[i], []float64{1, 0, 3}, 3))
				}
				if typ.Float() {
					d.Do(tensorop.Dense(result, 3), func(b *builder, out operand, in []operand) {
						b.Map(out, in, tensorop.Instr{Op: name, Type: result, Args: index,
							Scalars: tensorop.Parameters(name)})
					}, in...)
				} else if len(tensorop.Parameters(name)) == 0 {
					d.Do(tensorop.Dense(result, 3), func(b *builder, out operand, in []operand) {
						b.Apply(name, out, in...)
					}, in...)
				}
			}
		}
	}
}
