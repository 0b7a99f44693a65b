package dialects

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
)

// TestCorpus compiles the .cl and .cu files below the folders that PUREMETAL_KERNELS lists, each as
// NAME=VALUE words may define macros for it, and reports how many are accepted. It fails for none:
// public code is not ours to change.
//
//	PUREMETAL_KERNELS=folder PUREMETAL_DEFINES="BLOCK=16 TYPE=float" \
//		go test -run TestCorpus -v ./internal/exec/dialects
func TestCorpus(t *testing.T) {
	root := os.Getenv("PUREMETAL_KERNELS")
	if root == "" {
		t.Skip("PUREMETAL_KERNELS names no folder of programs")
	}
	defines := map[string]string{}
	for _, d := range strings.Fields(os.Getenv("PUREMETAL_DEFINES")) {
		name, v, _ := strings.Cut(d, "=")
		defines[name] = v
	}
	accepted, all := 0, 0
	codes := map[diag.Code]int{}
	require.NoError(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || dialect.OfFile(name) == nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		rel, _ := filepath.Rel(root, name)
		rel = filepath.ToSlash(rel)
		all++
		m, diags := msl.Compile(context.Background(), msl.Source{Name: rel, Text: string(text)},
			msl.Options{Dialect: dialect.OfFile(name), Include: os.DirFS(root), IncludeDirs: []string{".",
				filepath.ToSlash(filepath.Dir(rel)), path.Dir(path.Dir(rel))},
				Defines: defines})
		diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
		if len(diags) == 0 {
			accepted++
			return nil
		}
		for _, d := range diags {
			codes[d.Code]++
		}
		var b strings.Builder
		require.NoError(t, diag.Text(&b, m.Files, diags[:1]))
		t.Logf("%d errors in %s", len(diags), b.String())
		return nil
	}))
	for _, c := range slices.Sorted(maps.Keys(codes)) {
		t.Logf("%5d %s", codes[c], c)
	}
	t.Logf("%d of %d files accepted", accepted, all)
}
