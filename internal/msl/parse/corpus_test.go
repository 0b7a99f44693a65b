package parse_test

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
)

// tally counts the files of a folder.
type tally struct {
	total, accepted int
	lines           int
	took            time.Duration
}

// TestCorpus preprocesses and parses other people's shaders: every .metal file under the folder that PUREMETAL_CORPUS
// names, and what SPIRV-Cross keeps under reference/shaders-msl*. It reports; it fails for a panic only.
func TestCorpus(t *testing.T) {
	root := os.Getenv("PUREMETAL_CORPUS")
	if root == "" {
		t.Skip("PUREMETAL_CORPUS does not name a folder of shaders")
	}
	only := os.Getenv("PUREMETAL_CORPUS_FILTER")
	tree := os.DirFS(root)
	var files, dirs []string
	require.NoError(t, fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			dirs = append(dirs, name)
		case path.Ext(name) == ".metal", strings.Contains(name, "shaders-msl"):
			if strings.Contains(name, only) {
				files = append(files, name)
			}
		}
		return nil
	}))
	require.NotEmpty(t, files)
	folders := make(map[string]*tally)
	messages := make(map[string]int)
	shown := 0
	for _, name := range files {
		text, err := fs.ReadFile(tree, name)
		require.NoError(t, err)
		set, sink := diag.NewFileSet(), diag.NewSink()
		opts := pp.Options{Include: tree, IncludeDirs: dirs, MetalVersion: 400, Defines: map[string]string{"GGML_METAL_HAS_BF16": "1"}}
		toks := pp.Process(set, set.AddFile(name, string(text)), opts, sink)
		start := time.Now()
		parse.File(set, toks, sink)
		took := time.Since(start)
		folder := corpusFolder(name)
		c := folders[folder]
		if c == nil {
			c = new(tally)
			folders[folder] = c
		}
		c.total++
		c.lines += strings.Count(string(text), "\n")
		c.took += took
		if sink.Errors() == 0 {
			c.accepted++
			continue
		}
		first := sink.Diagnostics()[0]
		messages[string(first.Code)+" "+first.Message]++
		if shown++; shown <= 40 {
			var b strings.Builder
			require.NoError(t, diag.Text(&b, set, sink.Diagnostics()[:min(2, len(sink.Diagnostics()))]))
			t.Log(b.String())
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		c := folders[folder]
		t.Logf("%s: %d of %d files accepted, %d lines before preprocessing, parsed in %v", folder, c.accepted, c.total, c.lines, c.took.Round(time.Microsecond))
	}
	worst := slices.SortedFunc(maps.Keys(messages), func(a, b string) int { return cmp.Compare(messages[b], messages[a]) })
	for _, m := range worst[:min(10, len(worst))] {
		t.Logf("%d times: %s", messages[m], m)
	}
}

// corpusFolder names the group that a file is counted in.
func corpusFolder(name string) string {
	parts := strings.Split(name, "/")
	group := parts[0]
	for i, p := range parts {
		if strings.HasPrefix(p, "shaders-msl") && i+1 < len(parts) {
			return group + "/" + p + "/" + parts[i+1]
		}
	}
	if strings.Contains(name, "_nax") {
		group += "/nax"
	}
	return group
}
