//go:build linux && amd64

package ccalltest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestARM64 runs these tests for arm64 under an emulator, with a cross compiler
// for the C functions.
func TestARM64(t *testing.T) {
	if testing.Short() || os.Getenv("CI") != "" {
		t.Skip("short, or in CI, whose step qemu does this: does not build the tests for arm64")
	}
	paths := map[string]string{}
	for _, tool := range []string{"go", "qemu-aarch64", "aarch64-linux-gnu-gcc"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Skipf("no %s to build and run the tests for arm64 with", tool)
		}
		paths[tool] = path
	}
	const sysroot = "/usr/aarch64-linux-gnu"
	if _, err := os.Stat(filepath.Join(sysroot, "lib", "ld-linux-aarch64.so.1")); err != nil {
		t.Skipf("no arm64 C library: %v", err)
	}
	bin := filepath.Join(t.TempDir(), "ccalltest.test")
	build := exec.Command(paths["go"], "test", "-c", "-o", bin, ".")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	run := exec.Command(paths["qemu-aarch64"], bin, "-test.v")
	run.Env = append(os.Environ(), "QEMU_LD_PREFIX="+sysroot, "CCALLTEST_CC=aarch64-linux-gnu-gcc")
	out, err = run.CombinedOutput()
	require.NoError(t, err, string(out))
	t.Logf("under qemu-aarch64:\n%s", out)
}
