package ops

import (
	"context"
	"math"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/simd"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rig is an accelerator with a stream and the operations.
type rig struct {
	testing.TB
	acc  *compute.Accelerator
	s    *compute.Stream
	o    *Ops
	rand *computetest.Rand
}

func newRig(t testing.TB) rig {
	t.Helper()
	acc := computetest.Open(t)
	s, err := acc.NextStream()
	require.NoError(t, err)
	o := New(acc)
	t.Cleanup(o.Close)
	return rig{t, acc, s, o, computetest.NewRand(t)}
}

// number converts between a type of elements and float64.
type number[T any] struct {
	of  func(float64) T
	to  func(T) float64
	eps float64 // half a unit in the last place of 1
}

func singles() number[float32] {
	return number[float32]{func(f float64) float32 { return float32(f) }, func(f float32) float64 { return float64(f) },
		0x1p-24}
}

func halves() number[simd.Half] {
	return number[simd.Half]{func(f float64) simd.Half { return simd.HalfOf(float32(f)) },
		func(h simd.Half) float64 { return float64(h.Float32()) }, 0x1p-11}
}

func bfloats() number[simd.BFloat16] {
	return number[simd.BFloat16]{func(f float64) simd.BFloat16 { return simd.BFloat16Of(float32(f)) },
		func(b simd.BFloat16) float64 { return float64(b.Float32()) }, 0x1p-8}
}

// random returns an array of random numbers between -2 and 2, and their values.
func random[T any](r rig, n number[T], shape ...int) (Array[T], []float64) {
	r.Helper()
	size := 1
	for _, s := range shape {
		size *= s
	}
	data, values := computetest.Uniform[T](r.rand, size, -2, 2), make([]float64, size)
	for i, x := range data {
		values[i] = n.to(x)
	}
	return array(r, data, shape...), values
}

func array[T any](r rig, data []T, shape ...int) Array[T] {
	r.Helper()
	b, err := compute.BufferOf(r.Context(), r.acc, data)
	require.NoError(r, err)
	r.Cleanup(b.Close)
	a, err := Of(b, shape...)
	require.NoError(r, err)
	return a
}

func empty[T any](r rig, shape ...int) Array[T] {
	r.Helper()
	size := 1
	for _, s := range shape {
		size *= s
	}
	return array(r, make([]T, size), shape...)
}

// values waits and returns the values of an array without gaps.
func values[T any](r rig, n number[T], a Array[T]) []float64 {
	r.Helper()
	require.NoError(r, r.s.Sync(r.Context()))
	data, err := a.Buffer.Data()
	require.NoError(r, err)
	out := make([]float64, a.Len())
	for i := range out {
		out[i] = n.to(data[i])
	}
	return out
}

// near checks that values agree within a number of roundings, relative to their size or to scale if
// that is larger.
func near(t testing.TB, want, got []float64, eps, scale float64) {
	t.Helper()
	computetest.AllClose(t, got, want, computetest.Tolerance{Rel: eps, Abs: eps * scale})
}

func TestElementwise(t *testing.T) {
	r := newRig(t)
	t.Run("f32", func(t *testing.T) { elementwise(t, r, singles()) })
	t.Run("f16", func(t *testing.T) { elementwise(t, r, halves()) })
	t.Run("bf16", func(t *testing.T) { elementwise(t, r, bfloats()) })
}

func elementwise[T Float](t *testing.T, r rig, n number[T]) {
	ctx := t.Context()
	a, av := random(r, n, 7, 33)
	b, bv := random(r, n, 7, 33)
	row, rv := random(r, n, 33)
	row, err := row.Broadcast(7, 33)
	require.NoError(t, err)
	for _, op := range []struct {
		name string
		run  func(context.Context, *Ops, *compute.Stream, Array[T], Array[T], Array[T]) error
		want func(x, y float64) float64
	}{
		{"add", Add[T], func(x, y float64) float64 { return x + y }},
		{"sub", Sub[T], func(x, y float64) float64 { return x - y }},
		{"mul", Mul[T], func(x, y float64) float64 { return x * y }},
		{"div", Div[T], func(x, y float64) float64 { return x / y }},
	} {
		t.Run(op.name, func(t *testing.T) {
			out, strided, turned := empty[T](r, 7, 33), empty[T](r, 7, 33), empty[T](r, 33, 7)
			require.NoError(t, op.run(ctx, r.o, r.s, out, a, b))
			require.NoError(t, op.run(ctx, r.o, r.s, strided, a, row))
			require.NoError(t, op.run(ctx, r.o, r.s, turned, a.Transposed(), b.Transposed()))
			want, wantRow, wantTurned := make([]float64, len(av)), make([]float64, len(av)), make([]float64, len(av))
			for i := range want {
				want[i] = op.want(av[i], bv[i])
				wantRow[i] = op.want(av[i], rv[i%33])
				wantTurned[i%33*7+i/33] = want[i]
			}
			near(t, want, values(r, n, out), 4*n.eps, 0)
			near(t, wantRow, values(r, n, strided), 4*n.eps, 0)
			near(t, wantTurned, values(r, n, turned), 4*n.eps, 0)
		})
	}
	for f, want := range map[Function]func(float64) float64{
		ReLU:    func(x float64) float64 { return max(x, 0) },
		Sigmoid: func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
		Tanh:    math.Tanh,
		SiLU:    func(x float64) float64 { return x / (1 + math.Exp(-x)) },
		GELU: func(x float64) float64 {
			return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		},
	} {
		t.Run(f.String(), func(t *testing.T) {
			out, turned := empty[T](r, 7, 33), empty[T](r, 33, 7)
			require.NoError(t, Map(ctx, r.o, r.s, f, out, a))
			require.NoError(t, Map(ctx, r.o, r.s, f, turned, a.Transposed()))
			expect, expectTurned := make([]float64, len(av)), make([]float64, len(av))
			for i, x := range av {
				expect[i] = want(x)
				expectTurned[i%33*7+i/33] = expect[i]
			}
			near(t, expect, values(r, n, out), 16*n.eps, 0.1)
			near(t, expectTurned, values(r, n, turned), 16*n.eps, 0.1)
		})
	}
}

func TestReduce(t *testing.T) {
	r := newRig(t)
	t.Run("f32", func(t *testing.T) { reduceOf(t, r, singles()) })
	t.Run("f16", func(t *testing.T) { reduceOf(t, r, halves()) })
	t.Run("bf16", func(t *testing.T) { reduceOf(t, r, bfloats()) })
}

func reduceOf[T Float](t *testing.T, r rig, n number[T]) {
	ctx := t.Context()
	for _, shape := range [][]int{{1, 1}, {3, 31}, {2, 3, 257}, {5, 1000}, {1, 9001}} {
		in, v := random(r, n, shape...)
		length := shape[len(shape)-1]
		count := len(v) / length
		for op, join := range map[Reduction]func([]float64) float64{
			Sum:  func(x []float64) float64 { return total(x) },
			Mean: func(x []float64) float64 { return total(x) / float64(len(x)) },
			Min:  func(x []float64) float64 { return least(x) },
			Max:  func(x []float64) float64 { return -least(negative(x)) },
		} {
			out, all := empty[T](r, count), empty[T](r, 1)
			require.NoError(t, Reduce(ctx, r.o, r.s, op, out, in))
			require.NoError(t, ReduceAll(ctx, r.o, r.s, op, all, in))
			want := make([]float64, count)
			for i := range want {
				want[i] = join(v[i*length : (i+1)*length])
			}
			// Sums are rounded once to the type, and in float32 on the way, by the size of the partial sums.
			near(t, want, values(r, n, out), 2*n.eps, float64(length)*0x1p-20/n.eps*0x1p-4)
			near(t, []float64{join(v)}, values(r, n, all), 2*n.eps, float64(len(v))*0x1p-20/n.eps*0x1p-4)
		}
		places, place := empty[uint32](r, count), empty[uint32](r, 1)
		require.NoError(t, ArgMax(ctx, r.o, r.s, places, in))
		require.NoError(t, ArgMaxAll(ctx, r.o, r.s, place, in))
		require.NoError(t, r.s.Sync(ctx))
		got, err := places.Buffer.Data()
		require.NoError(t, err)
		for i := range count {
			assert.EqualValues(t, firstLargest(v[i*length:(i+1)*length]), got[i], "row %d of %v", i, shape)
		}
		got, err = place.Buffer.Data()
		require.NoError(t, err)
		assert.EqualValues(t, firstLargest(v), got[0])

		out := empty[T](r, shape...)
		require.NoError(t, Softmax(ctx, r.o, r.s, out, in))
		want := make([]float64, len(v))
		for i := range count {
			var sum float64
			for j := range length {
				want[i*length+j] = math.Exp(v[i*length+j])
				sum += want[i*length+j]
			}
			for j := range length {
				want[i*length+j] /= sum
			}
		}
		near(t, want, values(r, n, out), 16*n.eps, 0x1p-24)
	}
}

func total(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

func least(x []float64) float64 {
	m := math.Inf(1)
	for _, v := range x {
		m = min(m, v)
	}
	return m
}

func negative(x []float64) []float64 {
	n := make([]float64, len(x))
	for i, v := range x {
		n[i] = -v
	}
	return n
}

func firstLargest(x []float64) int {
	at := 0
	for i, v := range x {
		if v > x[at] {
			at = i
		}
	}
	return at
}

// TestNaN checks that every reduction propagates NaN.
func TestNaN(t *testing.T) {
	r := newRig(t)
	data := make([]float32, 5000)
	data[4097] = float32(math.NaN())
	in := array(r, data, 5000)
	for op := Sum; op <= Max; op++ {
		out, all := empty[float32](r, 1), empty[float32](r, 1)
		require.NoError(t, Reduce(t.Context(), r.o, r.s, op, out, in))
		require.NoError(t, ReduceAll(t.Context(), r.o, r.s, op, all, in))
		assert.True(t, math.IsNaN(values(r, singles(), out)[0]), "%v of a row", op)
		assert.True(t, math.IsNaN(values(r, singles(), all)[0]), "%v of all", op)
	}
	place := empty[uint32](r, 1)
	require.NoError(t, ArgMaxAll(t.Context(), r.o, r.s, place, in))
	require.NoError(t, r.s.Sync(t.Context()))
	got, err := place.Buffer.Data()
	require.NoError(t, err)
	assert.EqualValues(t, 4097, got[0])
}

// BenchmarkMatMul is a float32 product of 1024 by 1024.
func BenchmarkMatMul(b *testing.B) {
	r := newRig(b)
	const n = 1024
	x, y, out := empty[float32](r, n, n), empty[float32](r, n, n), empty[float32](r, n, n)
	for b.Loop() {
		require.NoError(b, MatMul(b.Context(), r.o, r.s, out, x, y))
		require.NoError(b, r.s.Sync(b.Context()))
	}
}

func TestMatMul(t *testing.T) {
	r := newRig(t)
	t.Run("f32", func(t *testing.T) { matmulOf(t, r, singles()) })
	t.Run("f16", func(t *testing.T) { matmulOf(t, r, halves()) })
	t.Run("bf16", func(t *testing.T) { matmulOf(t, r, bfloats()) })
}

func matmulOf[T Float](t *testing.T, r rig, n number[T]) {
	ctx := t.Context()
	for _, c := range []struct{ batch, m, k, n int }{{1, 1, 1, 1}, {1, 5, 7, 3}, {1, 32, 16, 32}, {1, 37, 50, 65},
		{3, 33, 17, 40}, {2, 9, 20, 11}} {
		a, av := random(r, n, c.batch, c.m, c.k)
		b, bv := random(r, n, c.batch, c.k, c.n)
		bt := empty[T](r, c.batch, c.n, c.k)
		out, turned := empty[T](r, c.batch, c.m, c.n), empty[T](r, c.batch, c.m, c.n)
		require.NoError(t, MatMul(ctx, r.o, r.s, out, a, b))
		require.NoError(t, Transpose(ctx, r.o, r.s, bt, b))
		require.NoError(t, MatMul(ctx, r.o, r.s, turned, a, bt.Transposed()))
		want := make([]float64, c.batch*c.m*c.n)
		for z := range c.batch {
			for i := range c.m {
				for j := range c.n {
					for k := range c.k {
						want[(z*c.m+i)*c.n+j] += av[(z*c.m+i)*c.k+k] * bv[(z*c.k+k)*c.n+j]
					}
				}
			}
		}
		near(t, want, values(r, n, out), 2*n.eps, float64(c.k)*0x1p-22/n.eps)
		near(t, want, values(r, n, turned), 2*n.eps, float64(c.k)*0x1p-22/n.eps)
	}
	shared, sv := random(r, n, 4, 6)
	batch, bv := random(r, n, 3, 6, 5)
	out := empty[T](r, 3, 4, 5)
	require.NoError(t, MatMul(ctx, r.o, r.s, out, shared, batch))
	got := values(r, n, out)
	for z := range 3 {
		var want float64
		for k := range 6 {
			want += sv[2*6+k] * bv[(z*6+k)*5+3]
		}
		near(t, []float64{want}, got[(z*4+2)*5+3:][:1], 2*n.eps, 0x1p-18/n.eps)
	}
}

// TestMatMulBatches: matrices of a batch may lie anywhere, as the heads of attention do in one
// array of queries, keys and values, and each dimension of the batch is repeated by itself.
func TestMatMulBatches(t *testing.T) {
	r := newRig(t)
	const batch, heads, tokens, width = 2, 3, 5, 4
	in := make([]float32, batch*tokens*2*heads*width)
	for i := range in {
		in[i] = float32(i%17) - 8
	}
	all := array(r, in, batch, tokens, 2*heads, width)
	part := func(first int) Array[float32] {
		p := all
		var err error
		p.Buffer, err = all.Buffer.Slice(first*width, all.Buffer.Len())
		require.NoError(t, err)
		p.Shape = []int{batch, heads, tokens, width}
		p.Strides = []int{tokens * 2 * heads * width, width, 2 * heads * width, 1}
		return p
	}
	at := func(first, b, h, t, w int) float32 { return in[((b*tokens+t)*2*heads+first+h)*width+w] }
	out := empty[float32](r, batch, heads, tokens, tokens)
	require.NoError(t, MatMul(t.Context(), r.o, r.s, out, part(0), part(heads).Transposed()))
	// The keys of the first batch for both, and one head's for all.
	one := part(heads)
	one.Shape = []int{1, heads, tokens, width}
	shared := empty[float32](r, batch, heads, tokens, tokens)
	require.NoError(t, MatMul(t.Context(), r.o, r.s, shared, part(0), one.Transposed()))
	one.Shape = []int{batch, 1, tokens, width}
	head := empty[float32](r, batch, heads, tokens, tokens)
	require.NoError(t, MatMul(t.Context(), r.o, r.s, head, part(0), one.Transposed()))
	require.NoError(t, r.s.Sync(t.Context()))
	for _, c := range []struct {
		got  Array[float32]
		b, h int // 0 where one is used for all
	}{{out, 1, 1}, {shared, 0, 1}, {head, 1, 0}} {
		got, err := c.got.Buffer.Data()
		require.NoError(t, err)
		for i := range got {
			b, h, q, k := i/(heads*tokens*tokens), i/(tokens*tokens)%heads, i/tokens%tokens, i%tokens
			var want float32
			for w := range width {
				want += at(0, b, h, q, w) * at(heads, b*c.b, h*c.h, k, w)
			}
			require.Equal(t, want, got[i], "element %d", i)
		}
	}
	bad := empty[float32](r, batch, heads+1, tokens, tokens)
	require.ErrorContains(t, MatMul(t.Context(), r.o, r.s, bad, part(0), part(heads).Transposed()),
		"a batch of 2x3, the result has 2x4")
}

func TestMatMulInt8(t *testing.T) {
	r := newRig(t)
	a, b := make([]int8, 20*40), make([]int8, 40*18)
	for i := range a {
		a[i] = int8(i*37 - 128)
	}
	for i := range b {
		b[i] = int8(i*91 + 5)
	}
	out := empty[int32](r, 20, 18)
	require.NoError(t, MatMulInt8(t.Context(), r.o, r.s, out, array(r, a, 20, 40), array(r, b, 40, 18)))
	require.NoError(t, r.s.Sync(t.Context()))
	got, err := out.Buffer.Data()
	require.NoError(t, err)
	for i := range 20 {
		for j := range 18 {
			var want int32
			for k := range 40 {
				want += int32(a[i*40+k]) * int32(b[k*18+j])
			}
			require.Equal(t, want, got[i*18+j])
		}
	}
}

func TestShapes(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	a, b := empty[float32](r, 4, 6), empty[float32](r, 6, 4)
	one, row := empty[float32](r, 1), empty[float32](r, 6)
	wide, err := row.Broadcast(4, 6)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		err  error
		want string // the remedy
	}{
		"add":        {Add(ctx, r.o, r.s, a, a, b), "must be equal; see Array.Broadcast"},
		"repeated":   {Add(ctx, r.o, r.s, wide, a, a), "stride 0"},
		"map":        {Map(ctx, r.o, r.s, ReLU, a, b), "must be equal"},
		"reduce":     {Reduce(ctx, r.o, r.s, Sum, one, a), "the result must be of shape [4]"},
		"turned":     {Reduce(ctx, r.o, r.s, Sum, row, b.Transposed()), "the result must be of shape"},
		"all":        {ReduceAll(ctx, r.o, r.s, Sum, row, a), ""},
		"matmul":     {MatMul(ctx, r.o, r.s, a, a, a), "the first operand has 6 columns, the second 4 rows"},
		"product":    {MatMul(ctx, r.o, r.s, a, a, a.Transposed()), "the result must have 4 rows and 4 columns"},
		"transposed": {Transpose(ctx, r.o, r.s, a, a), "must be equal"},
		"softmax":    {Softmax(ctx, r.o, r.s, b, a), "must be equal"},
	} {
		assert.ErrorIs(t, c.err, ErrShape, name)
		assert.ErrorContains(t, c.err, c.want, name)
	}
	_, err = Of(a.Buffer, 5, 5)
	assert.ErrorIs(t, err, ErrShape)
	_, err = Of(a.Buffer, 0)
	assert.ErrorIs(t, err, ErrShape)
	_, err = a.Broadcast(6)
	assert.ErrorIs(t, err, ErrShape)
}

// TestInt8 tries all pairs of 8-bit integers, of flat, transposed and broadcast arrays.
func TestInt8(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	all, a, b := make([]int8, 256), make([]int8, 1<<16), make([]int8, 1<<16)
	for i := range all {
		all[i] = int8(i)
	}
	for i := range a {
		a[i], b[i] = int8(i>>8), int8(i)
	}
	x, y := array(r, a, 256, 256), array(r, b, 256, 256)
	row := array(r, all, 256)
	wide, err := row.Broadcast(256, 256)
	require.NoError(t, err)
	same := number[int8]{func(f float64) int8 { return int8(f) }, func(i int8) float64 { return float64(i) }, 0}
	for name, op := range map[string]struct {
		run  func(context.Context, *Ops, *compute.Stream, Array[int8], Array[int8], Array[int8]) error
		want func(x, y int) int
	}{
		"add": {Add[int8], func(x, y int) int { return x + y }},
		"sub": {Sub[int8], func(x, y int) int { return x - y }},
		"mul": {Mul[int8], func(x, y int) int { return x * y }},
		"div": {Div[int8], func(x, y int) int {
			if y == 0 {
				return 0
			}
			return x / y
		}},
	} {
		flat, strided, turned := empty[int8](r, 256, 256), empty[int8](r, 256, 256), empty[int8](r, 256, 256)
		require.NoError(t, op.run(ctx, r.o, r.s, flat, x, y), name)
		require.NoError(t, op.run(ctx, r.o, r.s, strided, x, wide), name)
		require.NoError(t, op.run(ctx, r.o, r.s, turned, x.Transposed(), y.Transposed()), name)
		want, wantTurned := make([]float64, 1<<16), make([]float64, 1<<16)
		for i := range want {
			want[i] = float64(int8(op.want(int(a[i]), int(b[i]))))
			wantTurned[i%256*256+i/256] = want[i]
		}
		assert.Equal(t, want, values(r, same, flat), name)
		assert.Equal(t, want, values(r, same, strided), name)
		assert.Equal(t, wantTurned, values(r, same, turned), name)
	}
	out, relu := empty[int8](r, 256, 256), empty[int8](r, 256)
	require.NoError(t, Copy(ctx, r.o, r.s, out, x.Transposed()))
	require.NoError(t, Map(ctx, r.o, r.s, ReLU, relu, row))
	for i, v := range values(r, same, out) {
		require.EqualValues(t, b[i], v)
	}
	for i, v := range values(r, same, relu) {
		require.EqualValues(t, max(all[i], 0), v)
	}
	err = Map(ctx, r.o, r.s, Tanh, relu, row)
	require.ErrorIs(t, err, errKind)
	assert.ErrorContains(t, err, "tanh of int8, which has relu alone")
}
