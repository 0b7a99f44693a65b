package packed

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGenerated: the z files are what their generator writes.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	out, err := exec.Command("go", "run", "../gemm/internal/kernelgen", "packed", dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	files, err := filepath.Glob("z*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		want, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		have, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, string(want), string(have), "run go generate ./internal/packed")
	}
}
