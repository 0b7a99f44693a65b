package ops

import (
	"math"
	"testing"

	"github.com/puremetal/puremetal/simd"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dense returns a contiguous copy of a, and its values, computed element by element in Go.
func dense[T Float](r rig, n number[T], a Array[T], data []float64) (Array[T], []float64) {
	r.Helper()
	four := a.four()
	shape, strides := four.shape, four.strides
	var out []T
	var values []float64
	for i := range shape[0] {
		for j := range shape[1] {
			for k := range shape[2] {
				for l := range shape[3] {
					v := data[i*strides[0]+j*strides[1]+k*strides[2]+l*strides[3]]
					out, values = append(out, n.of(v)), append(values, v)
				}
			}
		}
	}
	return array(r, out, a.Shape...), values
}

// strided returns arrays with gaps, transposed and broadcast, over one buffer of numbers.
func strided[T Float](r rig, n number[T]) (arrays map[string]Array[T], data []float64) {
	r.Helper()
	// few rows: the stand-ins need long for each threadgroup, and longer in an emulator
	a, v := random(r, n, 2, 3, 4, 70)
	row, err := Array[T]{a.Buffer, []int{70}, []int{2}}.Broadcast(3, 2, 70)
	require.NoError(r, err)
	return map[string]Array[T]{
		"turned":      a.Transposed(),
		"every third": {a.Buffer, []int{2, 3, 4, 23}, []int{3 * 4 * 70, 4 * 70, 70, 3}},
		"part":        {a.Buffer, []int{3, 4, 33}, []int{4 * 70, 70, 1}},
		"outer":       {a.Buffer, []int{23, 2}, []int{3, 3 * 4 * 70}},
		"repeated":    row,
		"one number":  {a.Buffer, []int{5, 400}, []int{70, 0}},
	}, v
}

// TestStridedRows checks that operations on rows accept any strides, in operands and results, and
// give the same values as for contiguous arrays.
func TestStridedRows(t *testing.T) {
	r := newRig(t)
	t.Run("f32", func(t *testing.T) { stridedRows(t, r, singles()) })
	t.Run("f16", func(t *testing.T) { stridedRows(t, r, halves()) })
	t.Run("bf16", func(t *testing.T) { stridedRows(t, r, bfloats()) })
}

func stridedRows[T Float](t *testing.T, r rig, n number[T]) {
	ctx := t.Context()
	arrays, data := strided(r, n)
	for name, a := range arrays {
		flat, v := dense(r, n, a, data)
		last := len(a.Shape) - 1
		outer, length := a.Shape[:last], a.Shape[last]
		count := len(v) / length

		copied := empty[T](r, a.Shape...)
		require.NoError(t, Copy(ctx, r.o, r.s, copied, a), name)
		assert.Equal(t, v, values(r, n, copied), name)

		for op := Sum; op <= Max; op++ {
			want, got, apart := empty[T](r, count), empty[T](r, outer...), empty[T](r, 2*count)
			kept := Array[T]{apart.Buffer, append(append([]int(nil), outer...), 1), make([]int, last+1)} // every other element
			for i, stride := last-1, 2; i >= 0; i-- {
				kept.Strides[i], stride = stride, stride*outer[i]
			}
			kept.Strides[last] = 1
			all, wantAll := empty[T](r, 1), empty[T](r, 1)
			require.NoError(t, Reduce(ctx, r.o, r.s, op, want, flat))
			require.NoError(t, Reduce(ctx, r.o, r.s, op, got, a))
			require.NoError(t, Reduce(ctx, r.o, r.s, op, kept, a))
			require.NoError(t, ReduceAll(ctx, r.o, r.s, op, wantAll, flat))
			require.NoError(t, ReduceAll(ctx, r.o, r.s, op, all, a))
			assert.Equal(t, values(r, n, want), values(r, n, got), "%v of %s", op, name)
			spread := values(r, n, apart)
			for i, x := range values(r, n, want) {
				assert.Equal(t, []float64{x, 0}, spread[2*i:2*i+2], "%v of row %d of %s", op, i, name)
			}
			near(t, values(r, n, wantAll), values(r, n, all), 2*n.eps, otherOrder(op, v)/n.eps)
		}

		place, places := empty[uint32](r, 1), empty[uint32](r, outer...)
		require.NoError(t, ArgMax(ctx, r.o, r.s, places, a))
		require.NoError(t, ArgMaxAll(ctx, r.o, r.s, place, a))
		require.NoError(t, r.s.Sync(ctx))
		got, err := places.Buffer.Data()
		require.NoError(t, err)
		for i := range count {
			assert.EqualValues(t, firstLargest(v[i*length:(i+1)*length]), got[i], "row %d of %s", i, name)
		}
		got, err = place.Buffer.Data()
		require.NoError(t, err)
		assert.EqualValues(t, firstLargest(v), got[0], name)

		want, soft, turned := empty[T](r, a.Shape...), empty[T](r, a.Shape...), empty[T](r, a.Transposed().Shape...)
		require.NoError(t, Softmax(ctx, r.o, r.s, want, flat))
		require.NoError(t, Softmax(ctx, r.o, r.s, soft, a))
		require.NoError(t, Softmax(ctx, r.o, r.s, turned.Transposed(), a))
		assert.Equal(t, values(r, n, want), values(r, n, soft), name)
		back := empty[T](r, a.Shape...)
		require.NoError(t, Transpose(ctx, r.o, r.s, back, turned))
		assert.Equal(t, values(r, n, want), values(r, n, back), name)
		require.NoError(t, Transpose(ctx, r.o, r.s, turned, a))
		require.NoError(t, Transpose(ctx, r.o, r.s, back, turned))
		assert.Equal(t, v, values(r, n, back), name)
	}
}

// otherOrder returns how far apart two sums or means of v in float32 may be that add in different
// orders. Each rounding changes a partial sum by up to 2^-24 of the sum of the magnitudes, and a
// number passes through about 16 additions: its share of a thread's, then those across threads.
func otherOrder(op Reduction, v []float64) float64 {
	var magnitude float64
	for _, x := range v {
		magnitude += math.Abs(x)
	}
	if op == Mean {
		magnitude /= float64(len(v))
	}
	return 16 * 0x1p-24 * magnitude
}

// TestResultOfRows checks which results a reduction accepts.
func TestResultOfRows(t *testing.T) {
	r := newRig(t)
	in := empty[simd.Half](r, 2, 3, 4)
	for name, c := range map[string]struct {
		out Array[simd.Half]
		ok  bool
	}{
		"without the dimension": {empty[simd.Half](r, 2, 3), true},
		"with 1 there":          {empty[simd.Half](r, 2, 3, 1), true},
		"flat":                  {empty[simd.Half](r, 6), true},
		"another shape":         {empty[simd.Half](r, 3, 2), true},
		"another, with gaps":    {empty[simd.Half](r, 2, 3).Transposed(), false},
		"too few":               {empty[simd.Half](r, 5), false},
		"the operand's":         {empty[simd.Half](r, 2, 3, 4), false},
	} {
		err := Reduce(t.Context(), r.o, r.s, Max, c.out, in)
		if c.ok {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorIs(t, err, ErrShape, name)
		}
	}
	assert.ErrorIs(t, Transpose(t.Context(), r.o, r.s, empty[simd.Half](r, 6), empty[simd.Half](r, 6)), ErrShape, "a row")
	require.NoError(t, r.s.Sync(t.Context()))
}
