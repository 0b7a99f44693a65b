package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// watching is a run --watch that a test looks after.
type watching struct {
	t      *testing.T
	dir    string
	poll   chan time.Time
	lines  *bufio.Scanner // of the standard error
	cancel context.CancelCauseFunc
	exit   chan int
}

// startWatching starts run --watch with arguments in a folder with files.
func startWatching(t *testing.T, files map[string]string, args ...string) *watching {
	w := &watching{t: t, dir: t.TempDir(), poll: make(chan time.Time), exit: make(chan int, 1)}
	t.Chdir(w.dir)
	for name, text := range files {
		w.write(name, text)
	}
	r, out := io.Pipe()
	w.lines = bufio.NewScanner(r)
	var ctx context.Context
	ctx, w.cancel = context.WithCancelCause(t.Context())
	a := &app{ctx: ctx, out: out, err: out, env: func(string) string { return "" }, poll: w.poll}
	go func() {
		w.exit <- a.main(append([]string{"run", "--watch"}, args...))
		assert.NoError(t, out.Close())
	}()
	return w
}

func (w *watching) write(name, text string) {
	require.NoError(w.t, os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o666))
}

// settle returns what the command says until it waits for changes.
func (w *watching) settle() string {
	var said strings.Builder
	for w.lines.Scan() {
		if w.lines.Text() == "puremetal: waiting for changes" {
			return said.String()
		}
		said.WriteString(w.lines.Text() + "\n")
	}
	require.Fail(w.t, "the command ended", "%s", &said)
	return ""
}

// change writes a file, has the command look, and returns what it says.
func (w *watching) change(name, text string) string {
	w.write(name, text)
	w.poll <- time.Time{}
	return w.settle()
}

// result is what the kernel has written to out.csv.
func (w *watching) result() string {
	b, err := os.ReadFile(filepath.Join(w.dir, "out.csv"))
	require.NoError(w.t, err)
	return strings.TrimSpace(string(b))
}

// end presses Ctrl-C.
func (w *watching) end() {
	w.cancel(interrupted{syscall.SIGINT})
	for w.lines.Scan() {
		assert.Equal(w.t, "puremetal: interrupted", w.lines.Text())
	}
	assert.Equal(w.t, 130, <-w.exit)
}

// TestWatch: each change of the source, an included file or the spec file is compiled and run; what
// does not compile leaves the last good result.
func TestWatch(t *testing.T) {
	w := startWatching(t, map[string]string{
		"spec.toml": "source = \"k.metal\"\ngrid = [1]\nargs = [\"0=zeros:float[1]\"]\nout = [\"0=out.csv\"]\n",
		"k.metal":   "#include \"lib.h\"\nkernel void k(device float *x) { x[0] = VALUE; }\n",
		"lib.h":     "#define VALUE 1\n",
	}, "-q", "spec.toml")
	assert.Empty(t, w.settle())
	assert.Equal(t, "1", w.result())

	assert.Equal(t, "puremetal: k.metal has changed\n",
		w.change("k.metal", "#include \"lib.h\"\nkernel void k(device float *x) { x[0] = VALUE + 10; }\n"))
	assert.Equal(t, "11", w.result())

	said := w.change("k.metal", "#include \"lib.h\"\nkernel void k(device float *x) { x[0] = wrong; }\n")
	assert.Contains(t, said, "k.metal:2:41: error: use of undeclared identifier 'wrong'")
	assert.Contains(t, said, "puremetal: k.metal does not compile: 1 error\n")
	assert.Equal(t, "11", w.result())

	assert.Contains(t, w.change("spec.toml", "grid = [1]\n"), "puremetal: spec.toml: the spec file has no source\n")
	assert.Equal(t, "puremetal: spec.toml has changed\n", w.change("spec.toml", "source = \"k.metal\"\ngrid = [1]\n"+
		"args = [\"0=zeros:float[1]\"]\nout = [\"0=out.csv\"]\ndefine = [\"wrong=100 + VALUE\"]\n"))
	assert.Equal(t, "101", w.result())

	assert.Contains(t, w.change("lib.h", "#define VALUE 42\n"), "lib.h has changed\n")
	assert.Equal(t, "142", w.result())

	w.end()
}

// TestWatchOpenCL: a source in OpenCL C and its headers are watched as one in Metal is, and
// mistakes have their places.
func TestWatchOpenCL(t *testing.T) {
	const head = "#include \"lib.h\"\n__kernel void k(__global float *x) { x[get_global_id(0)] = "
	w := startWatching(t, map[string]string{"k.cl": head + "VALUE; }\n", "lib.h": "#define VALUE 1\n"},
		"-q", "k.cl", "--grid", "1", "--arg", "x=zeros:float[1]", "--out", "x=out.csv")
	assert.Empty(t, w.settle())
	assert.Equal(t, "1", w.result())

	assert.Contains(t, w.change("lib.h", "#define VALUE (1 + 1)\n"), "lib.h has changed\n")
	assert.Equal(t, "2", w.result())

	said := w.change("k.cl", head+"wrong; }\n")
	assert.Contains(t, said, "k.cl:2:60: error: use of undeclared identifier 'wrong'")
	assert.Equal(t, "2", w.result())

	assert.Equal(t, "puremetal: k.cl has changed\n", w.change("k.cl", head+"VALUE * 10; }\n"))
	assert.Equal(t, "20", w.result())
	w.end()
}

// TestWatchTimeout: a run that --timeout ends leaves the last good result and does not end the
// command; the time counts anew for each run.
func TestWatchTimeout(t *testing.T) {
	const kernel = "kernel void k(device uint *x, uint i [[thread_position_in_grid]]) {\n" +
		"\tuint s = 1;\n\tfor (uint n = 0; n < COUNT; n++) s = s * 1664525u + i;\n\tx[i] = s;\n}\n"
	source := func(count string) string { return "#define COUNT " + count + "\n" + kernel }
	const limit = 3 * time.Second
	w := startWatching(t, map[string]string{"k.metal": source("0u")},
		"-q", "k.metal", "--grid", "1", "--arg", "x=zeros:uint[1]", "--out", "x=out.csv", "--timeout", limit.String())
	assert.Empty(t, w.settle())
	assert.Equal(t, "1", w.result())

	said := w.change("k.metal", source("4000000000u"))
	assert.Contains(t, said, "puremetal: k.metal has changed\n")
	assert.Contains(t, said,
		"puremetal: stopped after --timeout 3s, running kernel k; allow more time, or give it less work\n")
	assert.Equal(t, "1", w.result())

	assert.Equal(t, "puremetal: k.metal has changed\n", w.change("k.metal", source("1u")))
	assert.Equal(t, "1664525", w.result())
	w.end()
}

// TestWatchRefused: what no change of a file can mend ends the command.
func TestWatchRefused(t *testing.T) {
	for text, args := range map[string][]string{
		"--watch needs a file": {"-", "--grid", "1"}, "no such file": {"missing.metal", "--grid", "1"},
		"--grid is missing": {"k.metal"}} {
		w := startWatching(t, map[string]string{"k.metal": "kernel void k() {}"}, args...)
		require.True(t, w.lines.Scan())
		assert.Contains(t, w.lines.Text(), text)
		assert.False(t, w.lines.Scan())
		assert.NotZero(t, <-w.exit)
		w.cancel(nil)
	}
}
