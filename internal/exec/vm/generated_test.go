package vm

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGenerated: zscalar.go is what its generator writes.
func TestGenerated(t *testing.T) {
	file := filepath.Join(t.TempDir(), "z.go")
	out, err := exec.Command("go", "run", "./internal/kernelgen", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	have, err := os.ReadFile("zscalar.go")
	require.NoError(t, err)
	require.Equal(t, string(want), string(have), "run go generate ./internal/exec/vm")
}
