package compute

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMetalCapture: a capture has the launches between its start and its end, and no others.
func TestMetalCapture(t *testing.T) {
	a := accelerator(t)
	if !a.Info().Software {
		t.Skip("a GPU's capture is for Xcode, and cannot be read")
	}
	s, ctx := newStream(t, a), t.Context()
	k, x := kernels(t, a, addKernel)("add"), bufferOf[int32](t, a, 1, 2, 3, 4)
	launch := func(n int) {
		for range n {
			require.NoError(t, s.Launch(ctx, k, Threads1D(4), x, int32(1)))
		}
		require.NoError(t, s.Sync(ctx))
	}
	path := filepath.Join(t.TempDir(), "add.gputrace")
	launch(2)
	stop, err := a.Capture(path)
	require.NoError(t, err)
	_, err = a.Capture(path + "2")
	require.ErrorIs(t, err, ErrBusy, "one at a time")
	launch(3)
	require.NoError(t, stop())
	require.NoError(t, stop(), "the second time does nothing")
	launch(4)
	text, err := os.ReadFile(filepath.Join(path, "trace.jsonl"))
	require.NoError(t, err)
	assert.Equal(t, 3, strings.Count(string(text), `"kernel":"add"`), "%s", text)

	_, err = a.Capture(path)
	require.ErrorIs(t, err, fs.ErrExist)
	_, err = a.Capture("")
	require.ErrorIs(t, err, ErrOption)
	_, err = a.Capture(filepath.Join(path, "no", "such", "folder"))
	require.ErrorContains(t, err, "cannot be written")
	stop, err = a.Capture(path + "3")
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(path+"3"))
	require.ErrorIs(t, stop(), fs.ErrNotExist)
}
