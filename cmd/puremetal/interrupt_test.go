//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInterrupt: Ctrl-C ends a kernel that would run for long, and says so. The source is longer than a pipe holds, so that once it is written the process is known to
// read, with its handler in place; another process that does the same work then takes long enough for the first to be running its kernel.
func TestInterrupt(t *testing.T) {
	command := func(source string) (*exec.Cmd, *bytes.Buffer) {
		exe, err := os.Executable()
		require.NoError(t, err)
		c := exec.Command(exe)
		c.Args = []string{"puremetal", "run", "-", "-q", "--grid", "64", "--arg", "0=zeros:uint[64]"}
		c.Env = append(os.Environ(), "PUREMETAL_DRIVER=software")
		in, err := c.StdinPipe()
		require.NoError(t, err)
		said := new(bytes.Buffer)
		c.Stderr = said
		require.NoError(t, c.Start())
		_, err = io.WriteString(in, "#include <metal_stdlib>\n//"+strings.Repeat(" ", 1<<20)+"\n"+source)
		require.NoError(t, err)
		require.NoError(t, in.Close())
		return c, said
	}
	long, said := command("kernel void endless(device metal::atomic_uint* x, uint i [[thread_position_in_grid]])" +
		" { while (metal::atomic_fetch_add_explicit(&x[i], 1, metal::memory_order_relaxed) < 4000000000u) {} }")
	short, _ := command("kernel void once(device uint* x) { x[0] = 1; }")
	require.NoError(t, short.Wait())
	require.NoError(t, long.Process.Signal(syscall.SIGINT))
	err := long.Wait()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, exitFailed, exit.ExitCode())
	assert.Equal(t, "puremetal: interrupted\n", said.String())
}
