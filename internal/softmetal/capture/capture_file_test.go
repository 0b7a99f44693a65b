package capture

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTraceNotWritten checks that a trace that cannot be written whole is logged: stopping a
// capture returns no error.
func TestTraceNotWritten(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "trace")
	f, err := newTraceFile(folder, traceLine{Device: "d"})
	require.NoError(t, err)
	require.NoError(t, f.file.Close())
	var b bytes.Buffer
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(slog.New(slog.NewTextHandler(&b, nil)))
	f.stop()
	log := b.String()
	assert.Contains(t, log, "level=ERROR msg=\"software device: a capture is not written whole\"")
	assert.Contains(t, log, captureFile)
}
