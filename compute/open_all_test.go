package compute

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOpenAll opens each device once, and none if an option does not fit or is refused.
func TestOpenAll(t *testing.T) {
	quiet := WithLogger(slog.New(slog.DiscardHandler))
	infos, err := Devices()
	require.NoError(t, err)
	all, err := OpenAll(quiet)
	require.NoError(t, err)
	require.Len(t, all, len(infos))
	for i, a := range all {
		assert.Equal(t, infos[i].RegistryID, a.Info().RegistryID)
		require.NoError(t, a.Close(t.Context()))
	}
	_, err = OpenAll(quiet, WithDevice(func(Info) bool { return false }))
	require.ErrorIs(t, err, ErrNoDevice)
	_, err = OpenAll(quiet, WithHistory(-1))
	require.ErrorIs(t, err, ErrOption)
}

// TestWait waits for the work of a buffer, whose failure Wait returns.
func TestWait(t *testing.T) {
	a := accelerator(t)
	k, s := kernels(t, a, saxpy)("saxpy"), newStream(t, a)
	x, y := bufferOf[float32](t, a, 3), bufferOf[float32](t, a, 5)
	require.NoError(t, s.Launch(t.Context(), k, Threads1D(1), x, y, float32(2)))
	require.NoError(t, y.Wait(t.Context()))
	data, err := y.Data()
	require.NoError(t, err)
	assert.EqualValues(t, 11, data[0])
	y.Close()
	require.ErrorIs(t, y.Wait(t.Context()), ErrClosed)
	require.ErrorIs(t, (*Buffer[float32])(nil).Wait(t.Context()), ErrNil)
}
