package machine

import (
	"context"
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGone: a file that is gone, as while an editor writes it anew, has not changed yet.
func TestGone(t *testing.T) {
	dir := fstest.MapFS{"k.metal": {Data: []byte("old")}}
	files := WatchFiles(func(name string) (fs.FileInfo, error) { return fs.Stat(dir, name) })
	files.Add("k.metal")
	files.Add("never.h") // where an include could have been
	_, changed := files.changed()
	assert.False(t, changed)
	delete(dir, "k.metal")
	_, changed = files.changed()
	assert.False(t, changed)
	dir["k.metal"] = &fstest.MapFile{Data: []byte("newer")}
	ticks := make(chan time.Time, 1)
	ticks <- time.Time{}
	name, err := files.Wait(t.Context(), ticks)
	require.NoError(t, err)
	assert.Equal(t, "k.metal", name)
}

// TestWaitCanceled: Wait ends with its context.
func TestWaitCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := WatchFiles(nil).Wait(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
}

// TestNil: a nil set records nothing.
func TestNil(*testing.T) {
	var none *WatchedFiles
	none.Add("k.metal")
}
