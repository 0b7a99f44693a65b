package compute

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"testing"

	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEncode runs a program's own encoders between launches, each of which depends on the one
// before it.
func TestEncode(t *testing.T) {
	a := accelerator(t)
	k, s := kernels(t, a, saxpy)("saxpy"), newStream(t, a)
	const n = 1000
	x, y := bufferOf[float32](t, a, make([]float32, n)...), bufferOf[float32](t, a, make([]float32, n)...)
	ctx := t.Context()
	ones := make([]float32, n)
	for i := range ones {
		ones[i] = 1
	}
	require.NoError(t, x.Upload(ctx, ones))
	xm, xo := x.Metal()
	ym, yo := y.Metal()
	encode := func(commands mtl.CommandBuffer) error {
		e, err := commands.ComputeCommandEncoder()
		if err != nil {
			return err
		}
		return errors.Join(e.SetComputePipelineState(k.core.Made().Pipeline), e.SetBuffer(ym, yo, 0), e.SetBuffer(xm, xo, 1),
			e.SetBytes([]byte{0, 0, 0x80, 0x3f}, 2), e.DispatchThreads(mtl.Size{Width: n, Height: 1, Depth: 1},
				mtl.Size{Width: 10, Height: 1, Depth: 1}), e.EndEncoding())
	}
	// Each pair makes (x, y) of (x, x + y), and then (x + y, x + y) or so: Fibonacci's numbers.
	for range 8 {
		require.NoError(t, s.Launch(ctx, k, Threads1D(n), x, y, float32(1))) // y += x
		require.NoError(t, s.Encode(ctx, encode, Writes(x), Reads(y)))       // x += y
	}
	require.NoError(t, s.Sync(ctx))
	got := make([]float32, n)
	require.NoError(t, x.Download(ctx, got))
	for _, v := range got {
		require.EqualValues(t, 1597, v)
	}
	assert.EqualValues(t, 8, s.Stats().Encodes)
	assert.Contains(t, s.History()[1], "commands of the program (encode_test.go:")
}

// TestEncodeFails: failures of the function fail the command buffer and the memory that it would
// have written, and the stream goes on.
func TestEncodeFails(t *testing.T) {
	a := accelerator(t)
	s := newStream(t, a)
	ctx := t.Context()
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		encode func(mtl.CommandBuffer) error
		want   string
	}{
		"error": {func(mtl.CommandBuffer) error { return boom }, "boom"},
		"panic": {func(mtl.CommandBuffer) error { panic(boom) }, "panicked: boom"},
		"exit":  {func(mtl.CommandBuffer) error { runtime.Goexit(); return nil }, "Goexit"},
	} {
		x, y := bufferOf[float32](t, a, 1), bufferOf[float32](t, a, 1)
		require.NoError(t, s.Encode(ctx, c.encode, Reads(x), Writes(y)), name)
		err := s.Sync(ctx)
		require.ErrorContains(t, err, c.want, name)
		assert.ErrorContains(t, err, "commands of the program (encode_test.go:", name)
		if name != "exit" {
			assert.ErrorIs(t, err, boom)
		}
		assert.NoError(t, x.Download(ctx, make([]float32, 1)), name)
		assert.ErrorContains(t, y.Download(ctx, make([]float32, 1)), "the work that wrote it failed", name)
		require.NoError(t, s.Encode(ctx, func(mtl.CommandBuffer) error { return nil }, Overwrites(y)))
		require.NoError(t, s.Sync(ctx))
		assert.NoError(t, y.Download(ctx, make([]float32, 1)), "written since")
	}
}

func TestEncodeWrong(t *testing.T) {
	other := accelerator(t)
	foreign := bufferOf[float32](t, other, 1)
	a, err := Open(WithLogger(slog.New(slog.DiscardHandler)))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Close(context.Background())) })
	s := newStream(t, a)
	ctx := t.Context()
	x := bufferOf[float32](t, a, 1)
	closed := bufferOf[float32](t, a, 1)
	closed.Close()
	none := func(mtl.CommandBuffer) error { return nil }
	var nothing *Buffer[float32]
	for want, c := range map[string]struct {
		access []any
		kind   error
	}{
		"access 1 is a *compute.Buffer": {[]any{Reads(x), x}, ErrOption},
		"access 0, buffer 1":            {[]any{Reads(x, nothing)}, ErrNil},
		"access 0, buffer 0":            {[]any{Writes(nil)}, ErrNil},
		"belongs to another":            {[]any{Writes(x), Writes(foreign)}, ErrAccelerator},
		"is read-only":                  {[]any{Writes(x.ReadOnly())}, ErrStorage},
		"closed":                        {[]any{Reads(x, closed)}, ErrClosed},
	} {
		err := s.Encode(ctx, none, c.access...)
		assert.ErrorIs(t, err, c.kind, want)
		assert.ErrorContains(t, err, want)
	}
	assert.ErrorIs(t, s.Encode(ctx, nil), ErrNil)
	var noStream *Stream
	assert.ErrorIs(t, noStream.Encode(ctx, none), ErrNil)
	assert.Zero(t, s.Stats().Encodes)
}
