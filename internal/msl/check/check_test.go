package check

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/test/errtest"
)

func init() {
	internalHook = func(v any, stack []byte) { panic(fmt.Sprintf("internal error: %v\n%s", v, stack)) }
}

func compile(fs *diag.FileSet, f *diag.File, sink *diag.Sink) *typed.Program {
	version := errtest.Version(f.Name)
	toks := pp.Process(fs, f, pp.Options{MetalVersion: version}, sink)
	return Program(fs, parse.File(fs, toks, sink), Options{Version: version}, sink)
}

// TestTyped compares the printed form of checked programs with the golden files beside them.
// PUREMETAL_UPDATE=1 rewrites those.
func TestTyped(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/msl/check/typed/*.metal")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".metal"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			fs, sink := diag.NewFileSet(), diag.NewSink()
			p := compile(fs, fs.AddFile(filepath.Base(name), string(text)), sink)
			for _, d := range sink.Diagnostics() {
				if d.Severity == diag.Error {
					t.Errorf("%s: %s", fs.Position(d.Pos), d.Message)
				}
			}
			checkComplete(t, p)
			var b bytes.Buffer
			require.NoError(t, typed.Print(&b, p))
			golden := strings.TrimSuffix(name, ".metal") + ".typed"
			if os.Getenv("PUREMETAL_UPDATE") != "" {
				require.NoError(t, os.WriteFile(golden, b.Bytes(), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), b.String())
		})
	}
}

// TestErrors runs programs annotated with their errors.
func TestErrors(t *testing.T) {
	programs, err := errtest.Load("../../../testdata/msl/check/errors", ".metal")
	require.NoError(t, err)
	require.NotEmpty(t, programs)
	codes := errtest.Run(t, programs, func(fs *diag.FileSet, f *diag.File, sink *diag.Sink) { compile(fs, f, sink) })
	t.Logf("%d programs, %d codes met", len(programs), len(codes))
}

// TestTruncated checks programs truncated anywhere or with five bytes missing: one that ends within
// braces has an error, and an accepted one is complete.
func TestTruncated(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/msl/check/typed/*.metal")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	accepted, refused := 0, 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Zero(t, openBraces(string(text)), name)
		for n := 60; n < len(text); n += 23 {
			for _, s := range []string{string(text[:n]), string(text[:n]) + string(text[min(n+5, len(text)):])} {
				fs, sink := diag.NewFileSet(), diag.NewSink()
				p := compile(fs, fs.AddFile("truncated", s), sink)
				if sink.Errors() > 0 {
					refused++
					continue
				}
				accepted++
				require.Zero(t, openBraces(s), "%s, %d bytes: nothing is wrong with it", name, n)
				checkComplete(t, p)
			}
		}
	}
	require.Positive(t, accepted)
	require.Greater(t, refused, accepted)
}

// openBraces returns how many braces are open at the end of a text that has no braces in strings or
// comments.
func openBraces(text string) int { return strings.Count(text, "{") - strings.Count(text, "}") }

// TestOptions tests the limits set by the options.
func TestOptions(t *testing.T) {
	const circle = "template <int N> struct S { static constexpr constant int n = S<N - 1>::n; };\ntemplate <> struct S<0> { static constexpr constant int n = 1; };\n"
	for _, tc := range []struct {
		name, text string
		opts       Options
		code       diag.Code
	}{
		{"depth", circle + "constant int a = S<30>::n;", Options{MaxDepth: 20}, diag.InstantiationDepth},
		{"enough depth", circle + "constant int a = S<30>::n;", Options{MaxDepth: 200}, ""},
		{"instances", circle + "constant int a = S<5>::n + S<10>::n + S<15>::n;", Options{MaxInstances: 10},
			diag.InstantiationCount},
		{"enough instances", circle + "constant int a = S<5>::n + S<10>::n + S<15>::n;", Options{MaxInstances: 100}, ""},
		{"steps", "constexpr int f(int n) { int a = 0; for (int i = 0; i < n; i++) a += i; return a; }\nstatic_assert(f(100) == 4950, \"\");", Options{MaxSteps: 500}, diag.NotConstant},
		{"enough steps", "constexpr int f(int n) { int a = 0; for (int i = 0; i < n; i++) a += i; return a; }\nstatic_assert(f(100) == 4950, \"\");", Options{MaxSteps: 5000}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fs, sink := diag.NewFileSet(), diag.NewSink()
			f := fs.AddFile("limits.metal", tc.text)
			Program(fs, parse.File(fs, pp.Process(fs, f, pp.Options{}, sink), sink), tc.opts, sink)
			if tc.code == "" {
				require.Empty(t, sink.Diagnostics())
				return
			}
			require.Len(t, sink.Diagnostics(), 1, "one mistake, and nothing that follows from it")
			require.Equal(t, tc.code, sink.Diagnostics()[0].Code)
		})
	}
}
