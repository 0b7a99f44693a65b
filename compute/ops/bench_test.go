package ops

import (
	"context"
	"fmt"
	"testing"

	"github.com/puremetal/puremetal/simd"

	"github.com/stretchr/testify/require"
)

// BenchmarkOps times each operation with a call and the wait for its result: of few elements, where
// the call's own cost counts, and of many.
func BenchmarkOps(b *testing.B) {
	r := newRig(b)
	for _, n := range []int{32, 1024} {
		x, _ := random(r, singles(), n, n)
		y, _ := random(r, singles(), n, n)
		row, _ := random(r, singles(), n)
		wide, err := row.Broadcast(n, n)
		require.NoError(b, err)
		out, rows, one, places := empty[float32](r, n, n), empty[float32](r, n), empty[float32](r, 1), empty[uint32](r, n)
		hx, _ := random(r, halves(), n/2, n/2)
		hout, hrows := empty[simd.Half](r, n/2, n/2), empty[simd.Half](r, n/2)
		bx := array(r, make([]int8, n*n/4), n/2, n/2)
		bout := empty[int32](r, n/2, n/2)
		for _, c := range []struct {
			name string
			run  func(ctx context.Context) error
		}{
			{"add", func(ctx context.Context) error { return Add(ctx, r.o, r.s, out, x, y) }},
			{"add-row", func(ctx context.Context) error { return Add(ctx, r.o, r.s, out, x, wide) }},
			{"gelu", func(ctx context.Context) error { return Map(ctx, r.o, r.s, GELU, out, x) }},
			{"sigmoid", func(ctx context.Context) error { return Map(ctx, r.o, r.s, Sigmoid, out, x) }},
			{"tanh-half", func(ctx context.Context) error { return Map(ctx, r.o, r.s, Tanh, hout, hx) }},
			{"transpose", func(ctx context.Context) error { return Transpose(ctx, r.o, r.s, out, x) }},
			{"copy-turned", func(ctx context.Context) error { return Copy(ctx, r.o, r.s, out, x.Transposed()) }},
			{"sum", func(ctx context.Context) error { return Reduce(ctx, r.o, r.s, Sum, rows, x) }},
			{"sum-turned", func(ctx context.Context) error { return Reduce(ctx, r.o, r.s, Sum, rows, x.Transposed()) }},
			{"max-half", func(ctx context.Context) error { return Reduce(ctx, r.o, r.s, Max, hrows, hx) }},
			{"sum-all", func(ctx context.Context) error { return ReduceAll(ctx, r.o, r.s, Sum, one, x) }},
			{"mean-all", func(ctx context.Context) error { return ReduceAll(ctx, r.o, r.s, Mean, one, x) }},
			{"max-all", func(ctx context.Context) error { return ReduceAll(ctx, r.o, r.s, Max, one, x) }},
			{"argmax", func(ctx context.Context) error { return ArgMax(ctx, r.o, r.s, places, x) }},
			{"argmax-all", func(ctx context.Context) error { return ArgMaxAll(ctx, r.o, r.s, places1(places), x) }},
			{"softmax", func(ctx context.Context) error { return Softmax(ctx, r.o, r.s, out, x) }},
			{"softmax-half", func(ctx context.Context) error { return Softmax(ctx, r.o, r.s, hout, hx) }},
			{"matmul", func(ctx context.Context) error { return MatMul(ctx, r.o, r.s, out, x, y) }},
			{"matmul-half", func(ctx context.Context) error { return MatMul(ctx, r.o, r.s, hout, hx, hx) }},
			{"matmul-int8", func(ctx context.Context) error { return MatMulInt8(ctx, r.o, r.s, bout, bx, bx) }},
		} {
			b.Run(fmt.Sprintf("%s-%d", c.name, n), func(b *testing.B) {
				for b.Loop() {
					require.NoError(b, c.run(b.Context()))
					require.NoError(b, r.s.Sync(b.Context()))
				}
			})
		}
	}
}

// places1 returns the first element.
func places1(a Array[uint32]) Array[uint32] { return Array[uint32]{a.Buffer, []int{1}, []int{1}} }
