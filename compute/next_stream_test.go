package compute

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLeastLoaded: the stream with the least load, and of several such the one that was returned
// longest ago.
func TestLeastLoaded(t *testing.T) {
	for _, c := range []struct {
		load, handed []uint64
		want         int
	}{
		{[]uint64{0, 0, 0}, []uint64{1, 2, 3}, 0},
		{[]uint64{0, 0, 0}, []uint64{4, 2, 3}, 1},
		{[]uint64{5, 1, 0}, []uint64{1, 2, 3}, 2},
		{[]uint64{5, 1, 3}, []uint64{1, 9, 2}, 1},
		{[]uint64{2, 7, 2}, []uint64{8, 1, 7}, 2},
	} {
		assert.Equal(t, c.want, leastLoaded(c.load, c.handed), "%v", c)
	}
}

// TestNextStream: idle streams are returned in turn, those with work only when all have some, the
// least loaded first.
func TestNextStream(t *testing.T) {
	a := accelerator(t, WithStreams(3))
	next := func() *Stream {
		s, err := a.NextStream()
		require.NoError(t, err)
		return s
	}
	streams := []*Stream{next(), next(), next()}
	assert.Equal(t, streams, []*Stream{next(), next(), next()}, "all are idle")
	load := func(s *Stream, commands int) (release func()) {
		x := bufferOf[int32](t, a, 1)
		release = blockStream(t, s)
		for range commands - 1 {
			require.NoError(t, Fill(t.Context(), s, x, 0))
		}
		return release
	}
	first := load(streams[0], 5)
	for range 2 {
		assert.Equal(t, []*Stream{streams[1], streams[2]}, []*Stream{next(), next()}, "the first one is busy")
	}
	second, third := load(streams[1], 2), load(streams[2], 3)
	assert.Equal(t, []*Stream{streams[1], streams[1]}, []*Stream{next(), next()}, "with the fewest commands")
	first()
	require.NoError(t, streams[0].Sync(t.Context()))
	assert.Same(t, streams[0], next(), "it is idle again")
	second()
	third()
	require.NoError(t, a.Sync(t.Context()))
}
