//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/test/settle"
)

// TestInterrupt: Ctrl-C stops a long kernel with exit code 130. The source is larger than a pipe's
// buffer: once it is written, the process is reading and its signal handler is installed. Another
// process doing the same work then takes long enough for the first to be running its kernel.
func TestInterrupt(t *testing.T) {
	command := func(source string) (*exec.Cmd, *bytes.Buffer) {
		c, in, stderr := startReading(t, "run", "-", "-q", "--grid", "64", "--arg", "0=zeros:uint[64]")
		_, err := io.WriteString(in, "\n"+source)
		require.NoError(t, err)
		require.NoError(t, in.Close())
		return c, stderr
	}
	long, stderr := command("kernel void endless(device metal::atomic_uint* x, uint i [[thread_position_in_grid]])" +
		" { while (metal::atomic_fetch_add_explicit(&x[i], 1, metal::memory_order_relaxed) < 4000000000u) {} }")
	short, _ := command("kernel void once(device uint* x) { x[0] = 1; }")
	require.NoError(t, short.Wait())
	interrupt(t, long, stderr)
}

// TestInterruptedReading: Ctrl-C stops a command that waits for more standard input.
func TestInterruptedReading(t *testing.T) {
	for _, args := range [][]string{{"check", "-"}, {"run", "-", "--grid", "1"}} {
		c, _, stderr := startReading(t, args...)
		interrupt(t, c, stderr)
	}
}

// TestInterruptedPipe: a signal ends a command that waits for a pipe that nobody writes to.
func TestInterruptedPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace.json")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	exe, err := os.Executable()
	require.NoError(t, err)
	var stderr bytes.Buffer
	c := exec.Command(exe)
	c.Args, c.Stderr = []string{"puremetal", "trace", "view", name}, &stderr
	require.NoError(t, c.Start())
	w, err := os.OpenFile(name, os.O_WRONLY, 0) // returns once the command has opened it
	require.NoError(t, err)
	defer w.Close()
	interrupt(t, c, &stderr)
}

// TestObey: a command that does not end by itself after a signal is ended, with the signal's exit
// code.
func TestObey(t *testing.T) {
	signals, late, code := make(chan os.Signal, 1), make(chan time.Time), make(chan int, 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	small := make(chan bool, 1) // there is something smaller to stop
	small <- true
	stop := func() bool { return len(small) > 0 && <-small }
	go obey(signals, stop, cancel, func(time.Duration) <-chan time.Time { return late }, func(c int) { code <- c })
	signals <- syscall.SIGINT
	settle.Until(t, "what is smaller has stopped", func() bool { return len(small) == 0 })
	assert.NoError(t, ctx.Err())
	signals <- syscall.SIGTERM
	<-ctx.Done()
	require.ErrorIs(t, context.Cause(ctx), context.Canceled)
	assert.Empty(t, code, "the command has time to end")
	late <- time.Time{}
	assert.Equal(t, 143, <-code)
}

// startReading starts a command that reads the standard input, with the first megabyte of a source
// in it.
func startReading(t *testing.T, args ...string) (c *exec.Cmd, in io.WriteCloser, stderr *bytes.Buffer) {
	exe, err := os.Executable()
	require.NoError(t, err)
	c, stderr = exec.Command(exe), new(bytes.Buffer)
	c.Args = append([]string{"puremetal"}, args...)
	c.Env = append(os.Environ(), "PUREMETAL_DRIVER=software")
	c.Stderr = stderr
	in, err = c.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	_, err = io.WriteString(in, "#include <metal_stdlib>\n//"+strings.Repeat(" ", 1<<20))
	require.NoError(t, err)
	return c, in, stderr
}

// interrupt sends a command Ctrl-C and checks its message and exit code.
func interrupt(t *testing.T, c *exec.Cmd, stderr *bytes.Buffer) {
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	var exit *exec.ExitError
	require.ErrorAs(t, c.Wait(), &exit)
	assert.Equal(t, 130, exit.ExitCode())
	assert.Equal(t, "puremetal: interrupted\n", stderr.String())
}
