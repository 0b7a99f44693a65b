package msl

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/test/fuzztest"
)

// equivalent compiles a program as a whole, then checks it and lowers its entry points one by one:
// the diagnostics and the entry points must be the same.
func equivalent(t *testing.T, src Source, opts Options) {
	t.Helper()
	whole, want := Compile(context.Background(), src, opts)
	p, got := Check(context.Background(), src, opts)
	require.Equal(t, texts(t, whole.Files, want), texts(t, p.Files, got))
	var names []string
	for _, k := range whole.Kernels {
		names = append(names, k.Name)
	}
	require.Equal(t, names, p.Kernels)
	assert.Equal(t, whole.Constants, p.Constants)
	assert.Equal(t, whole.Visible, p.Visible)
	assert.Equal(t, whole.Skipped, p.Skipped)
	assert.Equal(t, whole.SkippedStages, p.SkippedStages)
	for i, name := range p.Kernels {
		f, diags := p.Kernel(context.Background(), name)
		require.NotNil(t, f, "%s", texts(t, p.Files, diags))
		require.NoError(t, f.Module.Verify())
		wantJSON, _ := json.Marshal(whole.Kernels[i])
		gotJSON, _ := json.Marshal(KernelOf(f))
		require.JSONEq(t, string(wantJSON), string(gotJSON))
		require.Equal(t, operations(whole.IR.Funcs[i]), operations(f), name)
	}
}

// texts formats diagnostics for people.
func texts(t *testing.T, files *diag.FileSet, diags []diag.Diagnostic) string {
	var b strings.Builder
	require.NoError(t, diag.Text(&b, files, diags))
	return b.String()
}

// operations lists a function's operations with their parameters, except for the indices of module
// data.
func operations(f *ir.Func) string {
	var b strings.Builder
	f.Body.Walk(func(in *ir.Instr) bool {
		fmt.Fprint(&b, in.Op, in.Flags, in.Bits)
		if in.Op == ir.OpGlobalAddr {
			fmt.Fprintf(&b, "%x", f.Module.Globals[in.Imm].Data)
		} else {
			fmt.Fprint(&b, " ", in.Imm)
		}
		for _, a := range in.Args {
			fmt.Fprint(&b, " ", a.ID)
		}
		b.WriteByte('\n')
		return true
	})
	return b.String()
}

// TestCheckEquivalent compares Check with Compile on every program of the test data.
func TestCheckEquivalent(t *testing.T) {
	const root = "../../testdata/msl"
	n := 0
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".metal" {
			return err
		}
		n++
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path.Join(root, name))
			require.NoError(t, err)
			equivalent(t, Source{Name: name, Text: string(text)},
				Options{Include: os.DirFS(root), Logging: true, MetalVersion: 400})
		})
		return nil
	}))
	assert.Greater(t, n, 100)
}

// TestCheckEquivalentRandom does the same for random programs.
func TestCheckEquivalentRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		data := make([]byte, 400)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		equivalent(t, Source{Text: fuzztest.Program(data)}, Options{})
	}
}

// TestKernelCanceled: an entry point whose lowering was canceled can be lowered later, with the
// same result.
func TestKernelCanceled(t *testing.T) {
	p, diags := Check(t.Context(), Source{Text: "kernel void k(device int *x) { x[0]++; }"}, Options{})
	require.Empty(t, diags)
	first, _ := p.Kernel(t.Context(), "k") // kept by Check
	require.NotNil(t, first)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	f, diags := p.Kernel(ended, "k")
	require.Nil(t, f)
	require.Len(t, diags, 1)
	assert.Equal(t, diag.Canceled, diags[0].Code)
	f, diags = p.Kernel(t.Context(), "k")
	require.Empty(t, diags)
	assert.Equal(t, first.String(), f.String())
}
