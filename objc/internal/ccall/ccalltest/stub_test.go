//go:build linux && amd64

package ccalltest_test

import (
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

// compileC builds C sources as a library and opens it. The test is skipped where
// there is no compiler.
func compileC(tb testing.TB, name string, sources ...string) uintptr {
	tb.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		tb.Skip("no gcc: cannot build the C functions to call")
	}
	lib := filepath.Join(tb.TempDir(), name)
	out, err := exec.Command(gcc, append([]string{"-O2", "-shared", "-fPIC", "-o", lib}, sources...)...).CombinedOutput()
	require.NoError(tb, err, string(out))
	h, err := purego.Dlopen(lib, purego.RTLD_NOW)
	require.NoError(tb, err)
	return h
}

var stub struct {
	once sync.Once
	lib  uintptr
}

// fn returns the address of a function of testdata/calls.c.
func fn(tb testing.TB, name string) uintptr {
	tb.Helper()
	stub.once.Do(func() { stub.lib = compileC(tb, "calls.so", filepath.Join("testdata", "calls.c")) })
	if stub.lib == 0 {
		tb.Skip("the C functions to call were not built")
	}
	p, err := purego.Dlsym(stub.lib, name)
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

func TestMain(m *testing.M) { os.Exit(m.Run()) }
