package ops

import (
	"context"
	"testing"

	"github.com/puremetal/puremetal/compute"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLimits checks the limits. The tests share their resources, which the last one closes.
func TestLimits(t *testing.T) {
	r := newRig(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, rig)
	}{
		{"compiling unlocked", compilingUnlocked}, {"reach", reach}, {"malformed", malformed},
		{"shared places", sharedPlaces}, {"counted", counted}, {"many rows", manyRows},
		{"closed", closed},
	} {
		t.Run(test.name, func(t *testing.T) {
			r.TB = t
			test.run(t, r)
		})
	}
}

// reach: shapes and strides that overflow int are refused like others that exceed the buffer.
func reach(t *testing.T, r rig) {
	a := array(r, make([]float32, 8), 8)
	const n = maxElements
	far := Array[float32]{a.Buffer, []int{n, n, n, 1}, []int{n, n, n, 1}}
	err := Copy(t.Context(), r.o, r.s, far, far)
	require.ErrorIs(t, err, ErrShape)
	assert.ErrorContains(t, err, "the buffer has 8")
}

// malformed: every operation refuses an array with more dimensions than strides.
func malformed(t *testing.T, r rig) {
	good := array(r, make([]float32, 4), 2, 2)
	bad := Array[float32]{good.Buffer, []int{2, 2}, nil}
	require.ErrorIs(t, Transpose(t.Context(), r.o, r.s, good, bad), ErrShape)
	require.ErrorIs(t, Transpose(t.Context(), r.o, r.s, bad, good), ErrShape)
	require.ErrorIs(t, MatMul(t.Context(), r.o, r.s, good, bad.Transposed(), good), ErrShape)
	require.ErrorIs(t, Softmax(t.Context(), r.o, r.s, good, bad), ErrShape)
	_, err := bad.Broadcast(3, 2, 2)
	require.ErrorIs(t, err, ErrShape)
}

// sharedPlaces: an array with two elements in one place cannot be a result.
func sharedPlaces(t *testing.T, r rig) {
	in := array(r, make([]float32, 12), 3, 4)
	b := array(r, make([]float32, 24), 24).Buffer
	for _, c := range []struct {
		strides []int
		ok      bool
	}{
		{[]int{1, 1}, false},
		{[]int{3, 1}, false},
		{[]int{4, 1}, true},
		{[]int{1, 3}, true},
		{[]int{1, 2}, false},
		{[]int{7, 2}, true},
	} {
		err := Copy(t.Context(), r.o, r.s, Array[float32]{b, []int{3, 4}, c.strides}, in)
		if c.ok {
			assert.NoError(t, err, "%v", c.strides)
		} else {
			assert.ErrorIs(t, err, ErrShape, "%v", c.strides)
		}
	}
}

// counted: a broadcast array with more elements than 32 bits can count cannot be the operand of a
// reduction.
func counted(t *testing.T, r rig) {
	row := array(r, make([]float32, 8), 8)
	many, err := row.Broadcast(1<<30, 8)
	require.NoError(t, err)
	one, places := array(r, make([]float32, 1), 1), array(r, make([]uint32, 1), 1)
	require.ErrorIs(t, ReduceAll(t.Context(), r.o, r.s, Sum, one, many), ErrShape)
	err = ArgMaxAll(t.Context(), r.o, r.s, places, many)
	require.ErrorIs(t, err, ErrShape)
	assert.ErrorContains(t, err, "want at most 2147483647 elements")
}

// manyRows: with so many rows that Metal could not count the threads, threadgroups are smaller and
// the results the same.
func manyRows(t *testing.T, r rig) {
	for n, threads := range map[int]int{1: 256, 1<<24 - 1: 256, 1 << 24: 128, 1 << 25: 64, 1 << 26: 32, 1<<27 - 1: 32} {
		assert.Equal(t, threads, groups(n).Group.X, "%d rows", n)
		assert.Less(t, n*threads, 1<<32)
	}
	in, _ := random(r, singles(), 3, 1000)
	anyThreads(r, "max_rows_f32", in, make([]float32, 3))
	anyThreads(r, "argmax_rows_f32", in, make([]uint32, 3))
}

// anyThreads checks that a kernel's result does not depend on the size of its threadgroups.
func anyThreads[T any](r rig, kernel string, in Array[float32], data []T) {
	r.Helper()
	n, layout, err := rowsOf("in", in)
	require.NoError(r, err)
	layout.Out = [maxDims]int32{0, 0, 1}
	k, err := r.o.kernel(r.Context(), reduceFile, kernel)
	require.NoError(r, err)
	var results [2][]T
	for i, threads := range []int{rowThreads, leastThreads} {
		out := array(r, data, n).Buffer
		require.NoError(r, r.s.Launch(r.Context(), k,
			compute.Threadgroups{Grid: compute.Extent{X: n}, Group: compute.Extent{X: threads}}, in.Buffer, out, layout))
		require.NoError(r, r.s.Sync(r.Context()))
		results[i], err = out.Data()
		require.NoError(r, err)
	}
	assert.Equal(r, results[0], results[1], kernel)
}

// closed: operations that were closed refuse calls, and compile nothing that would leak.
func closed(t *testing.T, r rig) {
	a := array(r, []float32{1}, 1)
	r.o.Close()
	r.o.Close()
	require.ErrorIs(t, Copy(t.Context(), r.o, r.s, a, a), compute.ErrClosed)
}

// lookingContext records whether the operations are locked while a goroutine waits with this
// context.
type lookingContext struct {
	context.Context
	o      *Ops
	locked bool
}

func (c *lookingContext) Done() <-chan struct{} {
	if c.o.mu.TryLock() {
		c.o.mu.Unlock()
	} else {
		c.locked = true
	}
	return c.Context.Done()
}

// compilingUnlocked: waiting for the compiler does not block other operations, whose contexts could
// not interrupt them.
func compilingUnlocked(t *testing.T, r rig) {
	a := array(r, []float32{1}, 1)
	ctx := &lookingContext{Context: t.Context(), o: r.o}
	require.NoError(t, Copy(ctx, r.o, r.s, a, a))
	assert.False(t, ctx.locked)
}
