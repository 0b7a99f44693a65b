//go:build linux && amd64

package ccall

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestARM64 builds this package's tests for arm64, as a static binary, and runs
// them under an emulator.
func TestARM64(t *testing.T) {
	if testing.Short() || os.Getenv("CI") != "" {
		t.Skip("short, or in CI, whose step qemu does this: does not build the tests for arm64")
	}
	qemu, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		t.Skip("no qemu-aarch64 to run arm64 code with")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command to build the tests for arm64 with")
	}
	bin := filepath.Join(t.TempDir(), "ccall.test")
	build := exec.Command(goTool, "test", "-c", "-o", bin, ".")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	out, err = exec.Command(qemu, bin, "-test.v").CombinedOutput()
	require.NoError(t, err, string(out))
	t.Logf("under qemu-aarch64:\n%s", out)
}
