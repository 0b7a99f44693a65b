package bench

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/ops"
	"github.com/puremetal/puremetal/simd"
)

// opsCases returns a case for each operation of package ops. Operations with one input and one
// output work on 2^20 elements in 1024 rows.
func opsCases() []Case {
	const n = 1024
	return []Case{
		{Name: "vector-add-1M", What: "c = a + b, 2^20 float32, compute/ops", FLOP: million, Bytes: 12 * million,
			prepare: vectorAdd},
		{Name: "gelu-1M", What: "GELU of 2^20 float32, compute/ops", Bytes: 8 * million,
			prepare: unary(million, func(ctx context.Context, r *rig, s *compute.Stream, out, in ops.Array[float32]) error {
				return ops.Map(ctx, r.ops, s, ops.GELU, out, in)
			}, geluAt)},
		{Name: "sum-rows-1M", What: "sums of 1024 rows of 1024 float32, compute/ops", FLOP: million, Bytes: 4 * million,
			prepare: unary(n, func(ctx context.Context, r *rig, s *compute.Stream, out, in ops.Array[float32]) error {
				return ops.Reduce(ctx, r.ops, s, ops.Sum, out, in)
			}, func(x []float32, i int) float64 { return sum(x[n*i:][:n]) })},
		{Name: "sum-all-1M", What: "sum of 2^20 float32, compute/ops", FLOP: million, Bytes: 4 * million,
			prepare: unary(1, func(ctx context.Context, r *rig, s *compute.Stream, out, in ops.Array[float32]) error {
				return ops.ReduceAll(ctx, r.ops, s, ops.Sum, out, in)
			}, func(x []float32, _ int) float64 { return sum(x) })},
		{Name: "softmax-ops-1024x1024", What: "softmax over rows of 1024 float32, compute/ops", Bytes: 8 * million,
			prepare: unary(million, func(ctx context.Context, r *rig, s *compute.Stream, out, in ops.Array[float32]) error {
				return ops.Softmax(ctx, r.ops, s, out, in)
			}, softmaxAt)},
		{Name: "transpose-1024", What: "transpose of 1024 x 1024 float32, compute/ops", Bytes: 8 * million,
			prepare: unary(million, func(ctx context.Context, r *rig, s *compute.Stream, out, in ops.Array[float32]) error {
				return ops.Transpose(ctx, r.ops, s, out, in)
			}, func(x []float32, i int) float64 { return float64(x[i%n*n+i/n]) })},
		{Name: "argmax-1024x1024", What: "index of the maximum of each of 1024 rows of 1024 float32, compute/ops",
			Bytes: 4 * million, prepare: argMax},
		{Name: "matmul-1024", What: "1024 x 1024 float32 matrix product, compute/ops", FLOP: 2 * n * n * n,
			Bytes: 12 * million, Arithmetic: true, prepare: matmulOps},
		{Name: "matmul-512-half", What: "512 x 512 float16 matrix product, compute/ops", FLOP: 2 * 512 * 512 * 512,
			Bytes: 6 * million / 4, Arithmetic: true, prepare: matmulHalf},
		{Name: "matmul-512-int8", What: "512 x 512 int8 matrix product, compute/ops", FLOP: 2 * 512 * 512 * 512,
			Bytes: 6 * million / 4, Arithmetic: true, prepare: matmulInt8},
	}
}

func geluAt(x []float32, i int) float64 {
	v := float64(x[i])
	return 0.5 * v * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))
}

func sum(x []float32) (total float64) {
	for _, v := range x {
		total += float64(v)
	}
	return total
}

// unary prepares a case for an operation with an input of 1024 x 1024 numbers and an output of n.
// want returns the expected element i of the output.
func unary(n int, run func(ctx context.Context, r *rig, s *compute.Stream, out, in ops.Array[float32]) error,
	want func(x []float32, i int) float64) func(context.Context, *rig) (measured, error) {
	return func(_ context.Context, r *rig) (m measured, err error) {
		x, err := keep(r, million, random())
		if err != nil {
			return m, err
		}
		y, err := keep[float32](r, n, nil)
		if err != nil {
			return m, err
		}
		in, err := ops.Of(x, 1024, 1024)
		if err != nil {
			return m, err
		}
		shape := []int{n}
		if n == million {
			shape = []int{1024, 1024}
		}
		out, err := ops.Of(y, shape...)
		m.device = func(ctx context.Context, s *compute.Stream) error { return run(ctx, r, s, out, in) }
		m.check = func(ctx context.Context) error {
			return compare(ctx, y, func(x, _ []float32, i int) float64 { return want(x, i) }, x, x)
		}
		return m, err
	}
}

func vectorAdd(_ context.Context, r *rig) (m measured, err error) {
	var a, b, c *compute.Buffer[float32]
	if err = r.buffers(million, &a, &b, &c); err != nil {
		return m, err
	}
	arrays, err := arraysOf([]*compute.Buffer[float32]{a, b, c}, million)
	if err != nil {
		return m, err
	}
	m.device = func(ctx context.Context, s *compute.Stream) error {
		return ops.Add(ctx, r.ops, s, arrays[2], arrays[0], arrays[1])
	}
	m.check = func(ctx context.Context) error {
		return compare(ctx, c, func(x, y []float32, i int) float64 { return float64(x[i] + y[i]) }, a, b)
	}
	return m, nil
}

func arraysOf(buffers []*compute.Buffer[float32], shape ...int) ([]ops.Array[float32], error) {
	out := make([]ops.Array[float32], len(buffers))
	for i, b := range buffers {
		var err error
		if out[i], err = ops.Of(b, shape...); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func argMax(_ context.Context, r *rig) (m measured, err error) {
	x, err := keep(r, million, random())
	if err != nil {
		return m, err
	}
	y, err := keep[uint32](r, 1024, nil)
	if err != nil {
		return m, err
	}
	in, err := ops.Of(x, 1024, 1024)
	if err != nil {
		return m, err
	}
	out, err := ops.Of(y, 1024)
	m.device = func(ctx context.Context, s *compute.Stream) error { return ops.ArgMax(ctx, r.ops, s, out, in) }
	m.check = func(ctx context.Context) error {
		got, err := read(ctx, y)
		if err != nil {
			return err
		}
		xs, err := read(ctx, x)
		if err != nil {
			return err
		}
		for i, at := range got {
			row := xs[1024*i:][:1024]
			if want := slices.Index(row, slices.Max(row)); int(at) != want {
				return fmt.Errorf("the maximum of row %d is at %d; want %d", i, at, want)
			}
		}
		return nil
	}
	return m, err
}

func matmulOps(_ context.Context, r *rig) (measured, error) {
	same := func(f float32) float32 { return f }
	wide := func(f float32) float64 { return float64(f) }
	return matmulOf(r, 1024, ops.MatMul[float32], same, wide, wide)
}

func matmulHalf(_ context.Context, r *rig) (measured, error) {
	wide := func(h simd.Half) float64 { return float64(h.Float32()) }
	return matmulOf(r, 512, ops.MatMul[simd.Half], simd.HalfOf, wide, wide)
}

func matmulInt8(_ context.Context, r *rig) (measured, error) {
	return matmulOf(r, 512, ops.MatMulInt8, func(f float32) int8 { return int8(255*f - 128) },
		func(v int8) float64 { return float64(v) }, func(v int32) float64 { return float64(v) })
}

// matmulOf prepares the product of two n x n matrices. from, value and result convert elements.
func matmulOf[T, S any](r *rig, n int,
	run func(context.Context, *ops.Ops, *compute.Stream, ops.Array[S], ops.Array[T], ops.Array[T]) error,
	from func(float32) T, value func(T) float64, result func(S) float64) (m measured, err error) {
	var in [2]*compute.Buffer[T]
	var arrays [2]ops.Array[T]
	fill := random()
	for i := range in {
		if in[i], err = keep(r, n*n, func(i int) T { return from(fill(i)) }); err != nil {
			return m, err
		}
		if arrays[i], err = ops.Of(in[i], n, n); err != nil {
			return m, err
		}
	}
	c, err := keep[S](r, n*n, nil)
	if err != nil {
		return m, err
	}
	out, err := ops.Of(c, n, n)
	m.device = func(ctx context.Context, s *compute.Stream) error {
		return run(ctx, r.ops, s, out, arrays[0], arrays[1])
	}
	m.check = func(ctx context.Context) error {
		a, err := read(ctx, in[0])
		if err != nil {
			return err
		}
		b, err := read(ctx, in[1])
		if err != nil {
			return err
		}
		got, err := read(ctx, c)
		if err != nil {
			return err
		}
		for i := 0; i < len(got); i += len(got) / 97 {
			want := 0.0
			for k := range n {
				want += value(a[i/n*n+k]) * value(b[k*n+i%n])
			}
			if err := near(fmt.Sprintf("element %d", i), result(got[i]), want); err != nil {
				return err
			}
		}
		return nil
	}
	return m, err
}
