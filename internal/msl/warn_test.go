package msl

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/check"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/lower"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
	"github.com/puremetal/puremetal/internal/test/errtest"
)

// TestWarnings runs programs annotated with their warnings, all of which are enabled. A program
// whose name begins with "none" has none.
func TestWarnings(t *testing.T) {
	failOnInternal(t)
	programs, err := errtest.Load("../../testdata/msl/warnings", ".metal")
	require.NoError(t, err)
	require.NotEmpty(t, programs)
	codes := errtest.Run(t, programs, func(fs *diag.FileSet, f *diag.File, sink *diag.Sink) {
		sink.SetWarnings(diag.EveryWarning())
		prog := check.Program(fs, parse.File(fs, pp.Process(fs, f, pp.Options{}, sink), sink),
			check.Options{}, sink)
		require.Zero(t, sink.Errors())
		lower.Program(context.Background(), prog, lower.Options{WarnDivergent: true}, sink)
		if !strings.Contains(f.Text, "WARNING") {
			var b strings.Builder
			require.NoError(t, diag.Text(&b, fs, sink.Diagnostics()))
			assert.Empty(t, b.String())
		}
	})
	for _, c := range []diag.Code{diag.UnusedVariable, diag.Uninitialized, diag.ShiftCount, diag.DivergentBarrier,
		diag.UnknownAttribute, diag.Assignment, diag.NegativeShift} {
		assert.Contains(t, codes, c)
	}
}

// TestWarningOptions: which warnings are on by default, and how to turn them off.
func TestWarningOptions(t *testing.T) {
	failOnInternal(t)
	const text = "#include <metal_stdlib>\nusing namespace metal;\nvertex void v() {}\n" +
		"kernel void k(device int *p, uint i [[thread_index_in_threadgroup]]) {\n int a = 1, b;\n p[0] = b << 40;\n if (i > 3) threadgroup_barrier(mem_flags::mem_none);\n}"
	for _, c := range []struct {
		name string
		opts Options
		want []diag.Code
	}{
		{"unasked", Options{}, []diag.Code{diag.RenderStage, diag.ShiftCount, diag.Uninitialized}},
		{"all", Options{Warnings: diag.EveryWarning()},
			[]diag.Code{diag.RenderStage, diag.ShiftCount, diag.UnusedVariable, diag.Uninitialized, diag.DivergentBarrier}},
		{"all but some", Options{Warnings: diag.EveryWarning(), Ignore: []diag.Code{diag.ShiftCount, diag.RenderStage}},
			[]diag.Code{diag.UnusedVariable, diag.Uninitialized, diag.DivergentBarrier}},
		{"none", Options{Warnings: diag.EveryWarning(), NoWarnings: true}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, diags := Compile(context.Background(), Source{Text: text}, c.opts)
			var got []diag.Code
			for _, d := range diags {
				got = append(got, d.Code)
			}
			assert.Equal(t, c.want, got, "%s", render(t, m, diags))
			assert.Len(t, m.IR.Funcs, 1)
		})
	}
	_, diags := Compile(context.Background(), Source{Text: "kernel void k() { x; }"},
		Options{NoWarnings: true, Ignore: []diag.Code{diag.UndeclaredName}})
	require.Len(t, diags, 1, "an error cannot be left out")
}

// TestShownDiagnostics compares diagnostics as shown on a terminal with the golden file beside the
// program: carets and underlines after tabs and in UTF-8, long lines, CRLF, notes for macros,
// templates and inlined calls, suggestions.
func TestShownDiagnostics(t *testing.T) {
	failOnInternal(t)
	text, err := os.ReadFile("../../testdata/msl/shown/shown.metal")
	require.NoError(t, err)
	programs := errtest.Split("shown.metal", string(text))
	require.Greater(t, len(programs), 5)
	var b strings.Builder
	for _, p := range programs {
		_, name, _ := strings.Cut(p.Name, "/")
		source := p.Text
		if strings.Contains(name, "crlf") {
			source = strings.ReplaceAll(source, "\n", "\r\n")
		}
		m, diags := Compile(context.Background(), Source{Name: "k.metal", Text: source},
			Options{Verify: true, Warnings: diag.EveryWarning()})
		b.WriteString("--- " + name + "\n" + render(t, m, diags))
	}
	const golden = "../../testdata/msl/shown/shown.txt"
	if os.Getenv("PUREMETAL_UPDATE") != "" {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String())
}

// TestArgumentNote: for a kernel argument that is a plain value, a note shows how to write one.
func TestArgumentNote(t *testing.T) {
	_, diags := Compile(context.Background(), Source{Text: "kernel void k(uint n) {}"}, Options{})
	require.Len(t, diags, 1)
	require.Len(t, diags[0].Notes, 1)
	assert.Equal(t, "write 'constant uint &n' for a value that the host sets, or add an attribute such as "+
		"[[thread_position_in_grid]]", diags[0].Notes[0].Message)
}
