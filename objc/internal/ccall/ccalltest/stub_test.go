//go:build linux && (amd64 || arm64)

package ccalltest_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc/internal/ccall"
)

// compiler returns the C compiler for this architecture: gcc, or what the test
// that runs these under an emulator has named.
func compiler(tb testing.TB) string {
	tb.Helper()
	cc, err := exec.LookPath(cmp.Or(os.Getenv("CCALLTEST_CC"), "gcc"))
	if err != nil {
		tb.Skip("no C compiler to build the functions to call")
	}
	return cc
}

// compileC builds a C source as a library in dir and opens it.
func compileC(tb testing.TB, dir, source string) uintptr {
	tb.Helper()
	lib := filepath.Join(dir, "lib.so")
	out, err := exec.Command(compiler(tb), "-O2", "-w", "-shared", "-fPIC", "-o", lib, source).CombinedOutput()
	require.NoError(tb, err, string(out))
	h, err := purego.Dlopen(lib, purego.RTLD_NOW)
	require.NoError(tb, err)
	return h
}

var calls struct {
	once sync.Once
	lib  uintptr
}

// fn returns the address of a function of testdata/calls.c.
func fn(tb testing.TB, name string) uintptr {
	tb.Helper()
	compiler(tb) // skips
	calls.once.Do(func() {
		dir, err := os.MkdirTemp("", "ccalltest")
		require.NoError(tb, err)
		defer os.RemoveAll(dir) // what is loaded stays
		calls.lib = compileC(tb, dir, filepath.Join("testdata", "calls.c"))
	})
	require.NotZero(tb, calls.lib, "testdata/calls.c was not built")
	p, err := purego.Dlsym(calls.lib, name)
	require.NoError(tb, err)
	return p
}

func plan(tb testing.TB, enc string) *ccall.Plan {
	tb.Helper()
	sig, err := typeenc.ParseFunction(enc)
	require.NoError(tb, err)
	p, err := ccall.NewPlan(sig)
	require.NoError(tb, err)
	return p
}
