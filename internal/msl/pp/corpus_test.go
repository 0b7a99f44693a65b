package pp

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/diag"
)

// TestCorpus preprocesses other people's shaders: every .metal file under the folder that PUREMETAL_CORPUS names. A header
// is looked for beside the file, in each folder above it and among the folder's own headers by name, as their build would.
func TestCorpus(t *testing.T) {
	root := os.Getenv("PUREMETAL_CORPUS")
	if root == "" {
		t.Skip("PUREMETAL_CORPUS does not name a folder of shaders")
	}
	tree := os.DirFS(root)
	var files, dirs []string
	require.NoError(t, fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			dirs = append(dirs, name)
		case filepath.Ext(name) == ".metal":
			files = append(files, name)
		}
		return nil
	}))
	require.NotEmpty(t, files)
	good := 0
	start := time.Now()
	var bytes, tokens int
	for _, name := range files {
		text, err := fs.ReadFile(tree, name)
		require.NoError(t, err)
		set, sink := diag.NewFileSet(), diag.NewSink()
		toks := Process(set, set.AddFile(name, string(text)), Options{Include: tree, IncludeDirs: dirs, MetalVersion: 400}, sink)
		for _, f := range set.Files() {
			bytes += len(f.Text)
		}
		tokens += len(toks)
		if sink.Errors() == 0 {
			good++
		}
		var b strings.Builder
		require.NoError(t, diag.Text(&b, set, sink.Diagnostics()))
		if b.Len() > 0 {
			t.Log(b.String())
		}
	}
	t.Logf("%d of %d files without errors, %d bytes, %d tokens, %v", good, len(files), bytes, tokens, time.Since(start).Round(time.Millisecond))
}
