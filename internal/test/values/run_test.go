package values

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// recording reports whether the tests rewrite the expected values with the reference compiler.
func recording() bool { return os.Getenv("PUREMETAL_UPDATE") != "" }

const head = "#include <metal_stdlib>\nusing namespace metal;\n"

// launch is one run of a kernel. Running it writes to the buffers.
type launch struct {
	kernel      string
	grid, group [3]int
	buffers     map[int][]byte
	threadgroup map[int]int
	constants   map[int][]byte
	textures    map[int]*testlaunch.Texture
}

func compile(t testing.TB, name, text string) *msl.Module {
	t.Helper()
	return compileWith(t, name, text, msl.Options{})
}

// compileWith is compile with options.
func compileWith(t testing.TB, name, text string, o msl.Options) *msl.Module {
	t.Helper()
	o.Verify = true
	m, diags := msl.Compile(context.Background(), msl.Source{Name: name, Text: text}, o)
	diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
	if len(diags) > 0 {
		var b strings.Builder
		require.NoError(t, diag.Text(&b, m.Files, diags[:min(len(diags), 10)]))
		require.Empty(t, diags[:min(len(diags), 10)], "%s", b.String())
	}
	return m
}

// run runs a kernel of a compiled program.
func run(t testing.TB, m *msl.Module, l *launch) {
	t.Helper()
	f := m.IR.Func(l.kernel)
	require.NotNil(t, f, "no kernel %s", l.kernel)
	r := testlaunch.Launch{Grid: l.grid, Group: l.group, Buffers: map[int]testlaunch.Buffer{},
		ThreadgroupMemory: l.threadgroup, Constants: l.constants,
		Textures: l.textures, Fuel: 1 << 37}
	for slot, data := range maps.All(l.buffers) {
		r.Buffers[slot] = testlaunch.Buffer{Data: data}
	}
	exectest.Run(t, f, r)
}

// runText compiles a program and runs its kernels.
func runText(t testing.TB, name, text string, launches ...*launch) {
	t.Helper()
	m := compile(t, name, text)
	for _, l := range launches {
		run(t, m, l)
	}
}
