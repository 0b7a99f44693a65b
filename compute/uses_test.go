package compute

import (
	"testing"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const bindless = `
struct Row { device float *values; uint n; };
kernel void scale(device const Row *rows [[buffer(0)]], constant float &by [[buffer(1)]],
	uint2 at [[thread_position_in_grid]]) {
    if (at.x < rows[at.y].n) { rows[at.y].values[at.x] *= by; }
}`

// row is Row.
type row struct {
	Values uint64
	N      uint32
	_      uint32
}

// TestUses launches a kernel that reaches its buffers through pointers: they are resident, ordered
// with other launches, and stay until the launch has ended.
func TestUses(t *testing.T) {
	a := accelerator(t)
	k, add, s := kernels(t, a, bindless)("scale"), kernels(t, a, saxpy)("saxpy"), newStream(t, a)
	ones := bufferOf[float32](t, a, 1, 1, 1)
	x := bufferOf[float32](t, a, 1, 2, 3)
	long, err := BufferOf(t.Context(), a, []float32{9, 9, 4, 5, 6, 9})
	require.NoError(t, err)
	y, err := long.Slice(2, 5)
	require.NoError(t, err)
	rows := make([]row, 2)
	for i, b := range []*Buffer[float32]{x, y} {
		rows[i].N = 3
		rows[i].Values, err = b.Address()
		require.NoError(t, err)
	}
	table := bufferOf(t, a, rows...)
	// Each pair depends on the one before, in both directions.
	for range 3 {
		require.NoError(t, s.Launch(t.Context(), k, Threads2D(3, 2), table, float32(2), Writes(x, y)))
		require.NoError(t, s.Launch(t.Context(), add, Threads1D(3), ones, y, float32(1)))
	}
	got := make([]float32, 6)
	require.NoError(t, long.Download(t.Context(), got))
	assert.Equal(t, []float32{9, 9, 39, 47, 55, 9}, got)
	data, err := x.Data()
	require.NoError(t, err)
	assert.Equal(t, []float32{8, 16, 24}, data)
	assert.EqualValues(t, 6, s.Stats().Launches)

	l, err := k.Bind(Threads2D(3, 2), table, float32(2), Writes(x, y))
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context(), l))
	long.Close() // the launch still has it
	require.NoError(t, s.Sync(t.Context()))
	require.ErrorIs(t, s.Run(t.Context(), l), ErrClosed)
	_, err = y.Address()
	require.ErrorIs(t, err, ErrClosed)
}

// TestUsesHazards: a launch that only reads what it reaches needs no barrier after another that
// does.
func TestUsesHazards(t *testing.T) {
	a := accelerator(t)
	k := kernels(t, a, bindless)("scale")
	x, table := bufferOf[float32](t, a, 1), bufferOf(t, a, row{})
	bind := func(use any) []stream.Span {
		l, err := k.Bind(Threads2D(1, 1), table, float32(1), use)
		require.NoError(t, err)
		return l.core.Spans
	}
	var h stream.Hazards
	assert.False(t, h.Track(bind(Reads(x))))
	assert.False(t, h.Track(bind(Reads(x))))
	assert.True(t, h.Track(bind(Writes(x))))
	assert.True(t, h.Track(bind(Reads(x))))
}

func TestUsesErrors(t *testing.T) {
	a := accelerator(t)
	b, err := Open(WithLogger(a.log))
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close(t.Context())) }()
	k := kernels(t, a, bindless)("scale")
	table, x := bufferOf(t, a, row{}), bufferOf[float32](t, a, 1)
	foreign, err := NewBuffer[float32](b, 1, BufferOptions{})
	require.NoError(t, err)
	defer foreign.Close()
	for _, c := range []struct {
		use  any
		kind error
		text string
	}{
		{Reads(x, nil), ErrInvalidLaunch, "argument 2, listed buffer 1: nil or zero argument"},
		{Reads((*Buffer[int32])(nil)), ErrInvalidLaunch, "argument 2, listed buffer 0: nil or zero argument"},
		{Writes(foreign), ErrAccelerator, "belongs to another accelerator"},
		{Writes(x.ReadOnly()), ErrStorage, "read-only"},
	} {
		_, err := k.Bind(Threads1D(1), table, float32(1), c.use)
		require.ErrorIs(t, err, c.kind)
		assert.ErrorContains(t, err, c.text)
	}
}
