package tensor_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/compute/tensor"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKeep: a kept tensor outlives its scope and its original, and owns its memory.
func TestKeep(t *testing.T) {
	e, outer := open(t)
	s := e.Scope(t.Context())
	x := tensor.Of(s, []float32{1, 2, 3, 4}, 2, 2)
	kept, err := s.Keep(x.T())
	require.NoError(t, err)
	s.Close()
	s.Close()
	assert.Equal(t, []float64{1, 3, 2, 4}, values(t, kept))
	assert.Equal(t, []float64{2, 6, 4, 8}, values(t, outer.Add(kept, kept)))

	_, err = tensor.Data[float32](t.Context(), x)
	assert.ErrorIs(t, err, compute.ErrClosed)
	view := kept.Index(0, 0)
	view.Close() // does nothing
	assert.Equal(t, []float64{1, 3}, values(t, view))
	kept.Close()
	kept.Close()
	_, err = tensor.Data[float32](t.Context(), view)
	assert.ErrorIs(t, err, compute.ErrClosed)
	assert.ErrorIs(t, outer.Neg(view).Err(), compute.ErrClosed)
	assert.ErrorIs(t, tensor.Of(s, []float32{1}).Err(), compute.ErrClosed)
}

// TestCloseEarly: work that is enqueued runs although its operands are closed.
func TestCloseEarly(t *testing.T) {
	_, s := open(t)
	x := s.Full(tensor.Float32, 2, 1000)
	y := s.Square(x)
	x.Close()
	for _, v := range values(t, y) {
		require.EqualValues(t, 4, v)
	}
}

// TestFirstError: a scope keeps its first error, which names operation, operands and line.
func TestFirstError(t *testing.T) {
	_, s := open(t)
	a, b := s.Full(tensor.Float32, 1, 2, 3), s.Full(tensor.Float32, 1, 4)
	c := s.Add(a, b)
	err := c.Err()
	require.ErrorIs(t, err, tensor.ErrShape)
	assert.Regexp(t, `^tensor: add of float32\[2 3\], float32\[4\] at scope_test\.go:\d+: `, err.Error())
	assert.ErrorContains(t, err, "dimension 1 is 3 and 4, neither 1: incompatible shapes")
	d := s.Exp(s.Mul(c, a).Slice(0, 5, 9))
	assert.Equal(t, err, d.Err())
	assert.Equal(t, err, s.Err())
	_, kept := s.Keep(a)
	assert.Equal(t, err, kept)
	_, data := tensor.Data[float32](t.Context(), d)
	assert.Equal(t, err, data)
	assert.Equal(t, []float64{1, 1, 1, 1}, values(t, b), "what was made before is usable")
}

// TestErrors: each error names the rule.
func TestErrors(t *testing.T) {
	e, s := open(t)
	other, err := tensor.New(e.Accelerator())
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close(t.Context())) }()
	foreign := other.Scope(t.Context())
	defer foreign.Close()
	x, i, p := s.Full(tensor.Float32, 1, 2, 3), s.Full(tensor.Int32, 1, 2, 3), s.Full(tensor.Bool, 1, 2, 3)
	type scope = tensor.Scope
	type result = tensor.Tensor
	for _, c := range []struct {
		do   func(s *scope) *result
		kind error
		text string
	}{
		{func(s *scope) *result { return s.Add(x, i) }, tensor.ErrType, "types float32 and int32"},
		{func(s *scope) *result { return s.Exp(i) }, tensor.ErrType, "takes floating-point numbers and not int32"},
		{func(s *scope) *result { return s.Add(x, nil) }, compute.ErrNil, "no tensor"},
		{func(s *scope) *result { return s.Add(x, foreign.Full(tensor.Float32, 1)) }, tensor.ErrEngine,
			"belongs to another engine"},
		{func(s *scope) *result { return s.Add(tensor.Scalar(1), tensor.Scalar(2)) }, tensor.ErrType, "only scalars"},
		{func(s *scope) *result { return s.Add(i, tensor.Scalar(0.5)) }, tensor.ErrType,
			"scalar 0.5 is not a value of int32"},
		{func(s *scope) *result { return s.Where(x, x, x) }, tensor.ErrType, "not a bool tensor"},
		{func(s *scope) *result { return s.Where(p, tensor.Scalar(1), tensor.Scalar(2)) }, tensor.ErrType,
			"a or b must have an element type"},
		{func(s *scope) *result { return s.Cast(x, 77) }, tensor.ErrType, "77"},
		{func(s *scope) *result { return s.Full(tensor.Float32, 1, -1) }, tensor.ErrShape, "negative dimension"},
		{func(s *scope) *result { return s.Full(tensor.Float32, 1, 1<<20, 1<<20) }, tensor.ErrShape, "elements"},
		{func(s *scope) *result { return tensor.Of(s, []float32{1, 2}, 3) }, tensor.ErrShape, "2 elements"},
		{func(s *scope) *result { return tensor.FromFloat64(s, tensor.Int8, []float64{1}) }, tensor.ErrType, "int8"},
		{func(s *scope) *result { return s.Assign(x, i) }, tensor.ErrType, "convert with Cast"},
		{func(s *scope) *result { return s.Assign(x.Index(0, 0), x) }, tensor.ErrShape, "fewer dimensions"},
		{func(s *scope) *result { return s.Assign(tensor.Scalar(1), x) }, tensor.ErrType, "to a scalar"},
		{func(s *scope) *result { return s.Neg(x.Slice(0, 1, 3)) }, tensor.ErrShape,
			"elements 1 to 3 by 1 of dimension 0"},
		{func(s *scope) *result { return s.Neg(x.Index(2, 0)) }, tensor.ErrShape, "dimension 2; there are 2"},
		{func(s *scope) *result { return x.Step(0, 0, 1, 0) }, tensor.ErrShape, "step 0"},
		{func(s *scope) *result { return x.Transpose(0, 0) }, tensor.ErrShape, "not a permutation"},
		{func(s *scope) *result { return x.Index(0, 0).T() }, tensor.ErrShape, "T needs two"},
		{func(s *scope) *result { return x.Broadcast(2, 4) }, tensor.ErrShape, "cannot be broadcast"},
		{func(s *scope) *result { return x.T().Reshape(6) }, tensor.ErrShape, "needs a copy"},
		{func(s *scope) *result { return x.Reshape(4, -1) }, tensor.ErrShape, "does not have 6 elements"},
		{func(s *scope) *result { return x.Reshape(-1, -1) }, tensor.ErrShape, "one may be -1"},
		{func(s *scope) *result { return s.Reshape(x, 1<<40, 1<<40) }, tensor.ErrShape, "does not have 6"},
		{func(s *scope) *result { return x.Squeeze(0) }, tensor.ErrShape, "has size 2 and not 1"},
		{func(s *scope) *result { return x.Split(1, 1, 1)[0] }, tensor.ErrShape, "parts [1 1] of dimension 1"},
		{func(s *scope) *result { return x.Split(1, 4, -1)[1] }, tensor.ErrShape, "parts [4 -1]"},
		{func(s *scope) *result { return tensor.Scalar(1).Flip(0) }, tensor.ErrShape, "a scalar has no views"},
		{func(s *scope) *result { return (*tensor.Tensor)(nil).T() }, compute.ErrNil, "no tensor"},
	} {
		inner := e.Scope(t.Context())
		got := c.do(inner)
		assert.ErrorIs(t, got.Err(), c.kind, c.text)
		assert.ErrorContains(t, got.Err(), c.text)
		assert.ErrorContains(t, got.Err(), "scope_test.go")
		assert.Contains(t, got.String(), "failed: tensor:")
		inner.Close()
	}
	_, err = tensor.Data[int32](t.Context(), x)
	assert.ErrorIs(t, err, tensor.ErrType)
	_, err = tensor.Item[float32](t.Context(), x)
	assert.ErrorIs(t, err, tensor.ErrShape)
	_, err = tensor.Data[float32](t.Context(), nil)
	assert.ErrorIs(t, err, compute.ErrNil)
	_, err = s.Keep(tensor.Scalar(1))
	assert.ErrorIs(t, err, tensor.ErrType)

	_, err = tensor.New(nil)
	assert.ErrorIs(t, err, compute.ErrNil)
	_, err = tensor.New(e.Accelerator(), tensor.WithStream(nil))
	assert.ErrorIs(t, err, compute.ErrNil)
	stream, err := computetest.Open(t).NextStream()
	require.NoError(t, err)
	_, err = tensor.New(e.Accelerator(), tensor.WithStream(stream))
	assert.ErrorIs(t, err, compute.ErrAccelerator)
	var none *tensor.Scope
	none.Close()
	assert.ErrorIs(t, none.Add(x, x).Err(), compute.ErrNil)
	assert.ErrorIs(t, none.Err(), compute.ErrNil)
	var nobody *tensor.Engine
	assert.ErrorIs(t, nobody.Scope(t.Context()).Add(x, x).Err(), compute.ErrNil)
	assert.ErrorIs(t, nobody.Sync(t.Context()), compute.ErrNil)
	assert.ErrorIs(t, nobody.Close(t.Context()), compute.ErrNil)
}

// TestContext: operations of a scope whose context has ended fail with its cause.
func TestContext(t *testing.T) {
	e, s := open(t)
	x := s.Full(tensor.Float32, 1, 3)
	ctx, cancel := context.WithCancelCause(t.Context())
	inner := e.Scope(ctx)
	defer inner.Close()
	why := errors.New("enough")
	cancel(why)
	assert.ErrorIs(t, inner.Neg(x).Err(), why)
	_, err := tensor.Data[float32](ctx, x)
	assert.Error(t, err)
}

// TestEngineClose: a closed engine runs nothing, and its tensors can still be read.
func TestEngineClose(t *testing.T) {
	acc := computetest.Open(t)
	stream, err := acc.NewStream(compute.StreamOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close(t.Context())) }()
	e, err := tensor.New(acc, tensor.WithStream(stream))
	require.NoError(t, err)
	assert.Equal(t, stream, e.Stream())
	s := e.Scope(t.Context())
	defer s.Close()
	x := s.Exp(s.Full(tensor.Float32, 0, 3))
	require.NoError(t, e.Close(t.Context()))
	require.NoError(t, e.Close(t.Context()))
	assert.Equal(t, []float64{1, 1, 1}, values(t, x))
	assert.ErrorIs(t, s.Neg(x).Err(), compute.ErrClosed)
	assert.NoError(t, stream.Sync(t.Context()), "the program's stream is open")
}

// TestOutOfMemory: a failed allocation is the scope's error, and nothing leaks.
func TestOutOfMemory(t *testing.T) {
	acc := computetest.Open(t, compute.WithMemoryLimit(1<<20))
	e, err := tensor.New(acc)
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close(t.Context())) }()
	s := e.Scope(t.Context())
	defer s.Close()
	assert.ErrorIs(t, s.Full(tensor.Float32, 1, 1<<20).Err(), compute.ErrOutOfMemory)
}

// TestConcurrent: goroutines share an engine and a scope.
func TestConcurrent(t *testing.T) {
	e, s := open(t)
	x := s.Full(tensor.Float32, 1, 64)
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			inner := e.Scope(t.Context())
			defer inner.Close()
			y := x
			for range 10 {
				y = inner.Add(y, tensor.Scalar(float64(n)))
				s.Neg(x)
			}
			got, err := tensor.Data[float32](t.Context(), y)
			if assert.NoError(t, err) {
				assert.EqualValues(t, 1+10*n, got[63])
			}
		})
	}
	wg.Wait()
	require.NoError(t, s.Err())
}

// TestInner computes a chain of operations in inner scopes: it takes the memory of few of them, and
// gives what it gives in one scope.
func TestInner(t *testing.T) {
	e, s := open(t)
	const n, bytes = 1 << 16, 4 << 16
	kept := s.Full(tensor.Float32, 3, n)
	x, rows := s.Add(kept, tensor.Scalar(0)), s.Inner()
	var outlives *tensor.Tensor
	before := e.Accelerator().Memory().Rented
	for i := range 40 {
		work, next := s.Inner(), s.Inner()
		y := work.Mul(work.Add(x, kept), tensor.Scalar(0.5))
		work.Mul(y, tensor.Scalar(3)) // for nothing
		if i == 20 {
			var err error
			outlives, err = work.Keep(y)
			require.NoError(t, err)
		}
		// An upload must not overwrite what is still read.
		x = next.Add(next.Sub(y, tensor.Scalar(1)), tensor.Of(next, []float32{float32(i)}))
		work.Close()
		rows.Close()
		rows = next
	}
	require.NoError(t, rows.Err())
	assert.LessOrEqual(t, e.Accelerator().Memory().Rented-before, uint(10*bytes))
	want, at20 := 3.0, 0.0
	for i := range 40 {
		want = (want + 3) / 2
		if i == 20 {
			at20 = want
		}
		want += float64(i) - 1
	}
	assert.InDelta(t, want, values(t, x)[n-1], 1e-4)
	assert.InDelta(t, at20, values(t, outlives)[0], 1e-4)
	outlives.Close()
	rows.Close()
	assert.ErrorIs(t, s.Add(x, x).Err(), compute.ErrClosed)

	failed := e.Scope(t.Context())
	failed.Add(nil, nil)
	assert.Error(t, failed.Inner().Err())
	failed.Close()
	var nobody *tensor.Scope
	assert.ErrorIs(t, nobody.Inner().Err(), compute.ErrNil)
}
