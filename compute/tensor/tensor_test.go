package tensor_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/simd"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestMain checks that nothing runs on after the tests.
func TestMain(m *testing.M) {
	os.Exit(settle.Run(m, func() error { return goleak.Find() }))
}

// open returns an engine with a scope, until the test ends; open tensors fail the test then.
func open(t testing.TB, options ...tensor.Option) (*tensor.Engine, *tensor.Scope) {
	t.Helper()
	e, err := tensor.New(computetest.Open(t), options...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, e.Close(context.Background())) })
	s := e.Scope(t.Context())
	t.Cleanup(s.Close)
	return e, s
}

// values returns a tensor's elements as float64.
func values(t testing.TB, x *tensor.Tensor) []float64 {
	t.Helper()
	v, err := tensor.ToFloat64(t.Context(), x)
	require.NoError(t, err)
	return v
}

// array is a tensor on the host.
type array struct {
	shape []int
	data  []float64
}

func (a array) at(index []int) float64 {
	n := 0
	for d, i := range index {
		n = n*a.shape[d] + i
	}
	return a.data[n]
}

// pick returns an array of a shape with elements of a.
func (a array) pick(shape []int, from func(index []int) []int) array {
	out := array{shape: shape}
	each(shape, func(index []int) { out.data = append(out.data, a.at(from(index))) })
	return out
}

// each calls do for each index of a shape, in row-major order.
func each(shape []int, do func(index []int)) {
	index := make([]int, len(shape))
	for {
		if slices.Contains(shape, 0) {
			return
		}
		do(index)
		d := len(shape) - 1
		for ; d >= 0; d-- {
			if index[d]++; index[d] < shape[d] {
				break
			}
			index[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// random returns an array of whole numbers.
func random(r *rand.Rand, shape ...int) array {
	a := array{shape: shape}
	each(shape, func([]int) { a.data = append(a.data, float64(r.IntN(100)-50)) })
	return a
}

// of returns the array as a tensor.
func (a array) of(s *tensor.Scope, typ tensor.Type) *tensor.Tensor {
	f32 := make([]float32, len(a.data))
	for i, v := range a.data {
		f32[i] = float32(v)
	}
	x := tensor.Of(s, f32, a.shape...)
	if typ != tensor.Float32 {
		x = s.Cast(x, typ)
	}
	return x
}

func types() []tensor.Type {
	return []tensor.Type{tensor.Float32, tensor.Float16, tensor.BFloat16, tensor.Int8, tensor.Int16, tensor.Int32,
		tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64}
}

// manyKernels skips a test of more kernels than the stand-ins compile in a reasonable time.
func manyKernels(t *testing.T) {
	t.Helper()
	if standin.Running() {
		t.Skip("the stand-ins run clang for each kernel, which takes a third of a second")
	}
}

// TestRoundTrip: elements of each Go type come back with the same bits.
func TestRoundTrip(t *testing.T) {
	_, s := open(t)
	roundTrip[float32](t, s, tensor.Float32)
	roundTrip[simd.Half](t, s, tensor.Float16)
	roundTrip[simd.BFloat16](t, s, tensor.BFloat16)
	roundTrip[int8](t, s, tensor.Int8)
	roundTrip[int16](t, s, tensor.Int16)
	roundTrip[int32](t, s, tensor.Int32)
	roundTrip[int64](t, s, tensor.Int64)
	roundTrip[uint8](t, s, tensor.Uint8)
	roundTrip[uint16](t, s, tensor.Uint16)
	roundTrip[uint32](t, s, tensor.Uint32)
	roundTrip[uint64](t, s, tensor.Uint64)
	roundTrip[bool](t, s, tensor.Bool)
}

func roundTrip[T tensor.Element](t *testing.T, s *tensor.Scope, typ tensor.Type) {
	data := computetest.Special[T](computetest.NewRand(t), 60)
	x := tensor.Of(s, data, 3, 4, 5)
	assert.Equal(t, typ, x.Type())
	assert.Equal(t, []int{3, 4, 5}, x.Shape())
	assert.Equal(t, fmt.Sprint(typ, "[3 4 5]"), x.String())
	got, err := tensor.Data[T](t.Context(), x)
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprint(data), fmt.Sprint(got))

	// A view of it, which has to be made contiguous.
	got, err = tensor.Data[T](t.Context(), x.Transpose())
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprint(data[0], data[20], data[40], data[5]), fmt.Sprint(got[0], got[1], got[2], got[3]))
	got, err = tensor.Data[T](t.Context(), x.Index(0, 1))
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprint(data[20:40]), fmt.Sprint(got))
}

// TestViews makes random views of views, and compares them and sums of them with the host's.
func TestViews(t *testing.T) {
	_, s := open(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		shape := make([]int, 1+r.IntN(5))
		for d := range shape {
			shape[d] = 1 + r.IntN(5)
		}
		a := random(r, shape...)
		x := a.of(s, tensor.Float32)
		for range 4 {
			a, x = randomView(r, a, x)
			require.NoError(t, x.Err())
			require.Equal(t, a.shape, x.Shape())
			require.Equal(t, len(a.data), x.Len())
		}
		require.Equal(t, a.data, values(t, x), "%v strides %v", x, x.Strides())
		double := values(t, s.Add(x, x))
		for i := range double {
			require.Equal(t, 2*a.data[i], double[i])
		}
		flat := s.Reshape(x, -1)
		require.Equal(t, []int{len(a.data)}, flat.Shape())
		require.Equal(t, a.data, values(t, flat))
	}
	require.NoError(t, s.Err())
}

// randomView returns a view, on the host and on the device.
func randomView(r *rand.Rand, a array, x *tensor.Tensor) (array, *tensor.Tensor) {
	rank := len(a.shape)
	if rank == 0 {
		return array{[]int{1}, a.data}, x.Unsqueeze(0)
	}
	d := r.IntN(rank)
	n := a.shape[d]
	at := func(shape []int, i func(int) int) array {
		return a.pick(shape, func(index []int) []int {
			index = slices.Clone(index)
			index[d] = i(index[d])
			return index
		})
	}
	with := func(n int) []int {
		shape := slices.Clone(a.shape)
		shape[d] = n
		return shape
	}
	switch r.IntN(7) {
	case 0:
		from := r.IntN(n)
		to := from + 1 + r.IntN(n-from)
		return at(with(to-from), func(i int) int { return from + i }), x.Slice(d-rank, from, to)
	case 1:
		return at(with(n), func(i int) int { return n - 1 - i }), x.Flip(d)
	case 2:
		return at(with((n+1)/2), func(i int) int { return 2 * i }), x.Step(d, 0, n, 2)
	case 3:
		order := r.Perm(rank)
		shape := make([]int, rank)
		for i, from := range order {
			shape[i] = a.shape[from]
		}
		return a.pick(shape, func(index []int) []int {
			out := make([]int, rank)
			for i, from := range order {
				out[from] = index[i]
			}
			return out
		}), x.Transpose(order...)
	case 4:
		shape := append([]int{2}, a.shape...)
		return a.pick(shape, func(index []int) []int { return index[1:] }), x.Broadcast(shape...)
	case 5:
		i := r.IntN(n)
		shape := slices.Delete(slices.Clone(a.shape), d, d+1)
		return a.pick(shape, func(index []int) []int { return slices.Insert(slices.Clone(index), d, i) }), x.Index(d, i)
	}
	shape := slices.Insert(slices.Clone(a.shape), d, 1)
	return array{shape, a.data}, x.Unsqueeze(d)
}

// TestViewsShareMemory: an assignment to a view changes its tensor, and overlapping ones behave as
// if all elements were read first.
func TestViewsShareMemory(t *testing.T) {
	_, s := open(t)
	x := tensor.Of(s, []float32{0, 1, 2, 3, 4, 5}, 2, 3)
	s.Assign(x.Index(1, 1), tensor.Of(s, []float32{10, 20}))
	assert.Equal(t, []float64{0, 10, 2, 3, 20, 5}, values(t, x))
	s.Assign(x, x.Flip(1))
	assert.Equal(t, []float64{2, 10, 0, 5, 20, 3}, values(t, x))
	s.Assign(x.Slice(1, 1, 3), x.Slice(1, 0, 2))
	assert.Equal(t, []float64{2, 2, 10, 5, 5, 20}, values(t, x))
	s.Assign(x.Index(0, 0), tensor.Scalar(-1))
	assert.Equal(t, []float64{-1, -1, -1, 5, 5, 20}, values(t, x))
	c := s.Copy(x)
	s.Assign(x, tensor.Scalar(0))
	assert.Equal(t, []float64{-1, -1, -1, 5, 5, 20}, values(t, c))
	assert.True(t, s.Contiguous(x) == x, "no copy")
	s.Assign(x.Index(0, 0).Broadcast(4, 3), tensor.Scalar(1))
	assert.ErrorIs(t, s.Err(), tensor.ErrShape)
	assert.ErrorContains(t, s.Err(), "dimension 0 repeats elements")
}

// TestArithmetic compares operations on two tensors with float64, for all types.
func TestArithmetic(t *testing.T) {
	manyKernels(t)
	_, s := open(t)
	for _, typ := range types() {
		low := -6.0
		if typ >= tensor.Uint8 {
			low = 1
		}
		a, b := array{shape: []int{4, 1, 3}}, array{shape: []int{5, 1}}
		for i := range 12 {
			a.data = append(a.data, float64(i)+max(low, 6))
		}
		for i := range 5 {
			b.data = append(b.data, float64(i)+1)
		}
		for name, op := range map[string]struct {
			do  func(a, b *tensor.Tensor) *tensor.Tensor
			ref func(a, b float64) float64
		}{
			"add": {s.Add, func(a, b float64) float64 { return a + b }},
			"sub": {s.Sub, func(a, b float64) float64 { return a - b }},
			"mul": {s.Mul, func(a, b float64) float64 { return a * b }},
			"div": {s.Div, func(a, b float64) float64 {
				if typ.IsInteger() {
					return math.Trunc(a / b)
				}
				return a / b
			}},
			"mod": {s.Mod, math.Mod},
			"min": {s.Min, math.Min},
			"max": {s.Max, math.Max},
			"less": {s.Less, func(a, b float64) float64 {
				if a < b {
					return 1
				}
				return 0
			}},
		} {
			x, y := a.of(s, typ), b.of(s, typ)
			got := op.do(x, y)
			require.NoError(t, got.Err(), "%s %v", name, typ)
			require.Equal(t, []int{4, 5, 3}, got.Shape())
			var want []float64
			each(got.Shape(), func(i []int) {
				want = append(want, op.ref(a.at([]int{i[0], 0, i[2]}), b.at([]int{i[1], 0})))
			})
			eps := map[tensor.Type]float64{tensor.Float32: 1e-6, tensor.Float16: 1e-3, tensor.BFloat16: 8e-3}[typ]
			computetest.AllClose(t, values(t, got), want, computetest.Tolerance{Rel: eps}, 4, 5, 3)
		}
	}
}

// TestFunctions: each method applies its own function, to float32 numbers.
func TestFunctions(t *testing.T) {
	manyKernels(t)
	_, s := open(t)
	in := []float32{0.1, 0.25, 0.5, 0.75, 0.9}
	x := tensor.Of(s, in)
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	softplus := func(x float64) float64 { return math.Log1p(math.Exp(x)) }
	for name, f := range map[string]struct {
		got  *tensor.Tensor
		want func(float64) float64
	}{
		"neg": {s.Neg(x), func(x float64) float64 { return -x }}, "abs": {s.Abs(s.Neg(x)), math.Abs},
		"sign":   {s.Sign(x), func(float64) float64 { return 1 }},
		"square": {s.Square(x), func(x float64) float64 { return x * x }},
		"recip":  {s.Reciprocal(x), func(x float64) float64 { return 1 / x }},
		"ceil":   {s.Ceil(x), math.Ceil}, "floor": {s.Floor(x), math.Floor}, "round": {s.Round(x), math.Round},
		"even": {s.RoundEven(x), math.RoundToEven}, "trunc": {s.Trunc(x), math.Trunc}, "sqrt": {s.Sqrt(x), math.Sqrt},
		"rsqrt": {s.Rsqrt(x), func(x float64) float64 { return 1 / math.Sqrt(x) }},
		"exp":   {s.Exp(x), math.Exp}, "exp2": {s.Exp2(x), math.Exp2},
		"exp10": {s.Exp10(x), func(x float64) float64 { return math.Pow(10, x) }},
		"expm1": {s.Expm1(x), math.Expm1}, "log": {s.Log(x), math.Log}, "log2": {s.Log2(x), math.Log2},
		"log10": {s.Log10(x), math.Log10}, "log1p": {s.Log1p(x), math.Log1p}, "sin": {s.Sin(x), math.Sin},
		"cos": {s.Cos(x), math.Cos}, "tan": {s.Tan(x), math.Tan}, "asin": {s.Asin(x), math.Asin},
		"acos": {s.Acos(x), math.Acos}, "atan": {s.Atan(x), math.Atan}, "sinh": {s.Sinh(x), math.Sinh},
		"cosh": {s.Cosh(x), math.Cosh}, "tanh": {s.Tanh(x), math.Tanh}, "asinh": {s.Asinh(x), math.Asinh},
		"acosh": {s.Acosh(s.Add(x, tensor.Scalar(1))), func(x float64) float64 { return math.Acosh(x + 1) }},
		"atanh": {s.Atanh(x), math.Atanh}, "erf": {s.Erf(x), math.Erf},
		"sigmoid": {s.Sigmoid(x), sigmoid}, "relu": {s.ReLU(s.Neg(x)), func(float64) float64 { return 0 }},
		"softplus": {s.Softplus(x), softplus}, "softsign": {s.Softsign(x),
			func(x float64) float64 { return x / (1 + x) }},
		"silu":       {s.SiLU(x), func(x float64) float64 { return x * sigmoid(x) }},
		"mish":       {s.Mish(x), func(x float64) float64 { return x * math.Tanh(softplus(x)) }},
		"gelu":       {s.GELU(x), func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }},
		"leaky relu": {s.LeakyReLU(s.Neg(x), 0.5), func(x float64) float64 { return -0.5 * x }},
		"elu":        {s.ELU(s.Neg(x), 2), func(x float64) float64 { return 2 * math.Expm1(-x) }},
		"celu":       {s.CELU(s.Neg(x), 2), func(x float64) float64 { return 2 * math.Expm1(-x/2) }},
		"selu":       {s.SELU(s.Neg(x)), func(x float64) float64 { return 1.05070098 * 1.67326324 * math.Expm1(-x) }},
		"hard":       {s.HardSigmoid(x, 0.5, 0.6), func(x float64) float64 { return min(x*0.5+0.6, 1) }},
		"linear":     {s.Linear(x, 3, 4), func(x float64) float64 { return 3*x + 4 }},
		"gelu tanh": {s.GELUTanh(x), func(x float64) float64 {
			return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		}},
		"pow":   {s.Pow(x, tensor.Scalar(3)), func(x float64) float64 { return x * x * x }},
		"atan2": {s.Atan2(x, tensor.Scalar(-1)), func(x float64) float64 { return math.Atan2(x, -1) }},
		"copysign": {s.CopySign(x, tensor.Scalar(-1)),
			func(x float64) float64 { return -x }},
		"floor div": {s.FloorDiv(s.Neg(x), tensor.Scalar(0.3)),
			func(x float64) float64 { return math.Floor(-x / 0.3) }},
		"floor mod": {s.FloorMod(s.Neg(x), tensor.Scalar(2)), func(x float64) float64 { return 2 - x }},
		"fma":       {s.FMA(x, x, tensor.Scalar(1)), func(x float64) float64 { return x*x + 1 }},
		"clamp": {s.Clamp(x, tensor.Scalar(0.2), tensor.Scalar(0.8)),
			func(x float64) float64 { return min(max(x, 0.2), 0.8) }},
	} {
		want := make([]float64, len(in))
		for i, v := range in {
			want[i] = f.want(float64(v))
		}
		if !computetest.AllClose(t, values(t, f.got), want, computetest.Tolerance{Rel: 4e-6, Abs: 1e-6}) {
			t.Log(name)
		}
	}
	require.NoError(t, s.Err())
}

// TestLogic: comparisons, logic, bits and selection.
func TestLogic(t *testing.T) {
	manyKernels(t)
	_, s := open(t)
	a, b := tensor.Of(s, []int32{1, 2, 3, 0}), tensor.Of(s, []int32{1, 3, 2, 0})
	p, q := tensor.Of(s, []bool{true, true, false, false}), tensor.Of(s, []bool{true, false, true, false})
	nan := tensor.Of(s, []float32{1, float32(math.NaN()), float32(math.Inf(1)), 0})
	for name, c := range map[string]struct {
		got  *tensor.Tensor
		want []float64
	}{
		"equal": {s.Equal(a, b), []float64{1, 0, 0, 1}}, "not equal": {s.NotEqual(a, b), []float64{0, 1, 1, 0}},
		"less": {s.Less(a, b), []float64{0, 1, 0, 0}}, "less equal": {s.LessEqual(a, b), []float64{1, 1, 0, 1}},
		"greater":       {s.Greater(a, b), []float64{0, 0, 1, 0}},
		"greater equal": {s.GreaterEqual(a, b), []float64{1, 0, 1, 1}},
		"and":           {s.And(p, q), []float64{1, 0, 0, 0}}, "or": {s.Or(p, q), []float64{1, 1, 1, 0}},
		"xor": {s.Xor(p, q), []float64{0, 1, 1, 0}}, "not": {s.Not(a), []float64{0, 0, 0, 1}},
		"bit and": {s.BitAnd(a, b), []float64{1, 2, 2, 0}}, "bit or": {s.BitOr(a, b), []float64{1, 3, 3, 0}},
		"bit xor": {s.BitXor(a, b), []float64{0, 1, 1, 0}}, "bit not": {s.BitNot(a), []float64{-2, -3, -4, -1}},
		"count": {s.PopCount(a), []float64{1, 1, 2, 0}}, "left": {s.ShiftLeft(a, b), []float64{2, 16, 12, 0}},
		"right":  {s.ShiftRight(s.Neg(b), tensor.Scalar(1)), []float64{-1, -2, -1, 0}},
		"is nan": {s.IsNaN(nan), []float64{0, 1, 0, 0}}, "is inf": {s.IsInf(nan), []float64{0, 0, 1, 0}},
		"is finite":     {s.IsFinite(nan), []float64{1, 0, 0, 1}},
		"where":         {s.Where(p, a, b), []float64{1, 2, 2, 0}},
		"where scalars": {s.Where(p, tensor.Scalar(7), b), []float64{7, 7, 2, 0}},
	} {
		assert.Equal(t, c.want, values(t, c.got), name)
	}
	require.NoError(t, s.Err())
}

// TestCast: conversions between all types, and the limits of those to integers.
func TestCast(t *testing.T) {
	manyKernels(t)
	_, s := open(t)
	for _, from := range types() {
		for _, to := range types() {
			x := array{[]int{3}, []float64{0, 1, 100}}.of(s, from)
			assert.Equal(t, []float64{0, 1, 100}, values(t, s.Cast(x, to)), "%v to %v", from, to)
		}
		x := array{[]int{3}, []float64{0, 1, 100}}.of(s, from)
		assert.Equal(t, []float64{0, 1, 1}, values(t, s.Cast(x, tensor.Bool)), from)
	}
	x := tensor.Of(s, []float32{float32(math.NaN()), 1e20, -1e20, -1.9})
	assert.Equal(t, []float64{0, math.MaxInt32, math.MinInt32, -1}, values(t, s.Cast(x, tensor.Int32)))
	assert.Equal(t, []float64{0, 255, 0, 0}, values(t, s.Cast(x, tensor.Uint8)))
}

// TestFull: numbers as elements of all types, empty tensors and single elements.
func TestFull(t *testing.T) {
	_, s := open(t)
	for _, typ := range append(types(), tensor.Bool) {
		assert.Equal(t, []float64{1, 1, 1, 1, 1, 1}, values(t, s.Full(typ, 1, 2, 3)), typ)
		assert.Equal(t, []float64{0}, values(t, s.Full(typ, 0)), typ)
		assert.Empty(t, values(t, s.Full(typ, 0, 2, 0, 3)), typ)
	}
	assert.Equal(t, []int{0, 2}, s.Neg(s.Full(tensor.Float32, 1, 0, 2)).Shape())
	v, err := tensor.Item[int16](t.Context(), s.Full(tensor.Int16, -5))
	require.NoError(t, err)
	assert.EqualValues(t, -5, v)
	assert.Equal(t, []float64{1, 0.5}, values(t, tensor.FromFloat64(s, tensor.BFloat16, []float64{1, 0.5})))
	// More scalars than an engine keeps.
	for i := range 300 {
		assert.Equal(t, []float64{float64(i)}, values(t, s.Full(tensor.Int32, float64(i))))
	}
	assert.ErrorContains(t, s.Full(tensor.Uint8, 256).Err(), "scalar 256 is not a value of uint8")
}

// TestSixteenDimensions: a tensor of sixteen dimensions.
func TestSixteenDimensions(t *testing.T) {
	_, s := open(t)
	shape := make([]int, 16)
	for d := range shape {
		shape[d] = 1 + d%2
	}
	a := random(rand.New(rand.NewPCG(3, 4)), shape...)
	x := a.of(s, tensor.Float32)
	assert.Equal(t, a.data, values(t, s.Contiguous(x.Transpose()).Transpose()))
	assert.ErrorContains(t, x.Unsqueeze(0).Err(), "17 dimensions; the limit is 16")
}

// TestStats counts calls, operations, bytes and device time.
func TestStats(t *testing.T) {
	e, s := open(t, tensor.WithTiming())
	x := s.Full(tensor.Float32, 1, 10, 20)
	for range 3 {
		s.Add(x, x.Slice(0, 0, 1))
	}
	require.NoError(t, e.Sync(t.Context()))
	stats := e.Stats()
	require.Len(t, stats, 2)
	add := stats[0]
	assert.Equal(t, "add", add.Op)
	assert.EqualValues(t, 3, add.Calls)
	assert.EqualValues(t, 600, add.FLOPs)
	assert.EqualValues(t, 3*4*(200+20+200), add.Bytes)
	assert.EqualValues(t, 3, add.Timed)
	assert.Positive(t, add.Time)
	assert.Positive(t, add.GFLOPS())
	assert.Contains(t, add.String(), "add: 3 calls")
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("done", "ops", e.Stats())
	assert.Contains(t, log.String(), "ops.add.calls=3 ops.add.flops=600 ops.add.bytes=5040 ops.add.timed=3")
}

// TestMemoryIsReused: results of closed scopes return to the pool.
func TestMemoryIsReused(t *testing.T) {
	e, s := open(t)
	x := s.Full(tensor.Float32, 1, 1000)
	for range 50 {
		inner := e.Scope(t.Context())
		inner.Exp(inner.Neg(x))
		inner.Close()
	}
	require.NoError(t, e.Sync(t.Context()))
	assert.Less(t, e.Accelerator().Allocated(), uint64(10*4000))
}
