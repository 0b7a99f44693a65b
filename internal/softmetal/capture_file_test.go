package softmetal

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTraceNotWritten: a trace that cannot be written whole is told of, since who stops a capture hears of no error.
func TestTraceNotWritten(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "trace")
	f, err := newTraceFile(folder, traceLine{Device: "d"})
	require.NoError(t, err)
	require.NoError(t, f.file.Close())
	log, _ := heard(t, f.stop)
	assert.Contains(t, log, "level=ERROR msg=\"software device: a capture is not written whole\"")
	assert.Contains(t, log, captureFile)
}
