package compute

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHold: a held buffer counts as used by recorded work, and its memory is not reused.
func TestHold(t *testing.T) {
	a := accelerator(t)
	x := bufferOf[int32](t, a, 1, 2, 3)
	release, err := x.Hold()
	require.NoError(t, err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, x.Wait(ended), ErrCanceled)
	more, err := x.Hold()
	require.NoError(t, err)
	m, at := x.Metal()
	x.Close()
	_, err = x.Hold()
	require.ErrorIs(t, err, ErrClosed)
	more()
	more()
	require.False(t, m.IsNil())
	for range 10 {
		other := bufferOf[int32](t, a, 4, 5, 6)
		n, _ := other.Metal()
		require.NotEqual(t, m.ID(), n.ID())
		other.Close()
	}
	raw, err := m.BytesAt(at, 4)
	require.NoError(t, err)
	require.EqualValues(t, 1, raw[0])
	release()
	_, err = (*Buffer[int32])(nil).Hold()
	require.ErrorIs(t, err, ErrNil)
}
