//go:build unix

package document

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPipes: a pipe that nobody writes to is refused at once, and so is a device.
func TestPipes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	for _, refused := range []string{name, os.DevNull} {
		_, err := small.ReadFile(refused)
		require.ErrorContains(t, err, "not a regular file")
		_, err = small.FS(os.DirFS("/")).Open(refused[1:])
		require.ErrorContains(t, err, "not a regular file")
	}
	may := small
	may.Pipe = true
	data, err := may.ReadFile(os.DevNull)
	require.NoError(t, err)
	require.Empty(t, data)
}
