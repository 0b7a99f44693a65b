package msl

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/diag"
)

func failOnInternal(t *testing.T) {
	internalHook = func(v any, stack []byte) { t.Errorf("internal error: %v\n%s", v, stack) }
	t.Cleanup(func() { internalHook = nil })
}

func render(t *testing.T, m *Module, diags []diag.Diagnostic) string {
	var b strings.Builder
	require.NoError(t, diag.Text(&b, m.Files, diags))
	return b.String()
}

// TestGolden compares the HIR of the programs in testdata/msl/lower with the text files beside
// them. PUREMETAL_UPDATE=1 rewrites those.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("../../testdata/msl/lower/*.metal")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			failOnInternal(t)
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			m, diags := Compile(context.Background(), Source{Name: filepath.Base(name), Text: string(text)},
				Options{Verify: true})
			require.Empty(t, diags, "%s", render(t, m, diags))
			golden := strings.TrimSuffix(name, ".metal") + ".ir"
			if os.Getenv("PUREMETAL_UPDATE") != "" {
				require.NoError(t, os.WriteFile(golden, []byte(m.IR.String()), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), m.IR.String())
			again, err := ir.Parse(string(want))
			require.NoError(t, err)
			require.NoError(t, again.Verify())
			assert.Equal(t, string(want), again.String(), "text of text is other text")
		})
	}
}

// TestDiagnostics compiles programs that cannot be lowered.
func TestDiagnostics(t *testing.T) {
	const head = "#include <metal_stdlib>\nusing namespace metal;\n"
	for _, c := range []struct {
		name, text string
		code       diag.Code
		message    string
	}{
		{"recursion", "static int f(int n) { return n < 2 ? 1 : n * f(n - 1); }\nkernel void k(device int *p [[buffer(0)]]) { *p = f(*p); }",
			diag.Recursion, "'f' calls itself: recursion is not supported in Metal"},
		{"no body", "int f(int n);\nkernel void k(device int *p [[buffer(0)]]) { *p = f(*p); }", diag.NoBody,
			"'f' is called but not defined"},
		{"not lowered", "kernel void k(texture2d<float> t [[texture(0)]], device float4 *p [[buffer(0)]]) { constexpr sampler s(filter::bicubic); *p = t.sample(s, float2(0)); }",
			diag.NotLowered, "not supported: bicubic filters"},
		{"syntax", "kernel void k( {", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			failOnInternal(t)
			m, diags := Compile(context.Background(), Source{Text: head + c.text}, Options{Verify: true})
			require.NotNil(t, m.IR)
			require.NotEmpty(t, diags)
			assert.Empty(t, m.IR.Funcs)
			if c.code != "" {
				assert.Equal(t, c.code, diags[0].Code)
				assert.Equal(t, c.message, diags[0].Message, render(t, m, diags))
			}
		})
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, diags := Compile(ctx, Source{Text: "kernel void k() {}"}, Options{})
	require.Len(t, diags, 1)
	assert.Equal(t, diag.Canceled, diags[0].Code)
}

func TestReflection(t *testing.T) {
	text, err := os.ReadFile("../../testdata/msl/lower/memory.metal")
	require.NoError(t, err)
	m, diags := Compile(context.Background(), Source{Text: string(text)}, Options{})
	require.Empty(t, diags, "%s", render(t, m, diags))
	k := m.Kernel("memory")
	require.NotNil(t, k)
	require.Nil(t, m.Kernel("none"))
	require.Len(t, k.Args, 3)
	assert.Equal(t, ir.DataStruct, k.Args[0].Data)
	assert.Equal(t, 24, k.Args[0].Size)
	require.Len(t, k.Args[0].Struct.Members, 2)
	assert.Equal(t, 8, k.Args[0].Struct.Members[1].Offset)
	assert.Equal(t, "tex.2d.f32.read_write", k.Args[1].Texture)
	assert.Equal(t, 64, k.Attributes.MaxTotalThreads)
	assert.Equal(t, 128, k.Attributes.ThreadgroupStatic)
	require.Len(t, k.Constants, 1)
	assert.Equal(t, 4, k.Constants[0].Index)
	assert.True(t, k.Constants[0].Required)
}

// TestLocations: every instruction of every golden file and every executed program has a source
// location within the file. For inlined code it also has the chain of calls, the innermost of which
// calls the function that contains the location.
func TestLocations(t *testing.T) {
	files, err := filepath.Glob("../../testdata/msl/[lr]*/*.metal")
	require.NoError(t, err)
	require.Greater(t, len(files), 20)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		lines := strings.Split(string(text), "\n")
		version := 0
		fmt.Sscanf(string(text), "// metal %d", &version)
		m, diags := Compile(context.Background(), Source{Name: name, Text: string(text)},
			Options{Verify: true, MetalVersion: version})
		require.Empty(t, diags, "%s", render(t, m, diags))
		require.NotEmpty(t, m.IR.Funcs, name)
		for _, f := range m.IR.Funcs {
			within := func(l ir.Loc) bool {
				return l.File == 1 && l.Line >= 1 && int(l.Line) <= len(lines) && l.Col >= 1 &&
					int(l.Col) <= len(lines[l.Line-1])+1 && int(l.Scope) <= len(f.Inlined)
			}
			assert.True(t, within(f.Pos), "%s: %s: %v", name, f.Name, f.Pos)
			scopes := map[uint32]bool{}
			f.Body.Walk(func(in *ir.Instr) bool {
				scopes[in.Loc.Scope] = true
				return assert.True(t, within(in.Loc), "%s: %s: %v at %v", name, f.Name, in.Op, in.Loc)
			})
			for i, call := range f.Inlined {
				assert.True(t, within(call.At), "%s: %s is inlined at %v", name, call.Func, call.At)
				assert.LessOrEqual(t, int(call.At.Scope), i)
			}
			assert.True(t, scopes[0], "%s: nothing is the entry point's own", f.Name)
		}
	}
}
