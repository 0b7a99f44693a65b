package ops

import (
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
		{"reach", reach}, {"malformed", malformed},
		{"shared places", sharedPlaces}, {"counted", counted}, {"closed", closed},
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

// closed: operations that were closed refuse calls, and compile nothing that would leak.
func closed(t *testing.T, r rig) {
	a := array(r, []float32{1}, 1)
	r.o.Close()
	r.o.Close()
	require.ErrorIs(t, Copy(t.Context(), r.o, r.s, a, a), compute.ErrClosed)
}
