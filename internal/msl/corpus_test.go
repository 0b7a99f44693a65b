package msl

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/pp"
)

// corpusFolder counts the outcomes for the files of one folder.
type corpusFolder struct {
	files, accepted, kernels int
}

// shaderFile reports whether a file contains a complete program.
func shaderFile(path string) bool {
	switch filepath.Ext(path) {
	case ".metal", ".comp", ".msl":
		return true
	}
	return false
}

// namedVersion matches the language version that generators put in file names: "atomic.msl31.comp".
var namedVersion = regexp.MustCompile(`\.msl([1-9])([0-9]?)\.`)

// versionOf returns the language version in a file's name, if it is later than the compiler's
// default.
func versionOf(path string) int {
	m := namedVersion.FindStringSubmatch(path)
	if m == nil {
		return 0
	}
	v, _ := strconv.Atoi((m[1] + m[2] + "00")[:3])
	if v <= pp.DefaultVersion {
		return 0
	}
	return v
}

// TestCorpus compiles the programs in the folder that PUREMETAL_CORPUS names, and logs how many it
// accepted and the most frequent messages for the others. PUREMETAL_CORPUS_ALL=1 shows the first
// message of each, PUREMETAL_CORPUS_DEFINES adds macros (A,B=1), and PUREMETAL_CORPUS_MATCH selects
// paths.
func TestCorpus(t *testing.T) {
	root := os.Getenv("PUREMETAL_CORPUS")
	if root == "" {
		t.Skip("PUREMETAL_CORPUS names no folder of programs")
	}
	internalHook = func(v any, stack []byte) { t.Errorf("internal error: %v\n%s", v, stack) }
	t.Cleanup(func() { internalHook = nil })
	match := regexp.MustCompile(os.Getenv("PUREMETAL_CORPUS_MATCH"))
	defines := map[string]string{}
	for d := range strings.SplitSeq(os.Getenv("PUREMETAL_CORPUS_DEFINES"), ",") {
		if name, value, ok := strings.Cut(d, "="); ok {
			defines[name] = value
		} else if name != "" {
			defines[name] = "1"
		}
	}
	folders := map[string]*corpusFolder{}
	failures := map[string]int{}
	fsys, err := newCorpusFS(os.DirFS(root))
	require.NoError(t, err)
	require.NoError(t, fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !shaderFile(path) || !match.MatchString(path) {
			return err
		}
		text, err := fs.ReadFile(fsys, path)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		f := folders[dir]
		if f == nil {
			f = &corpusFolder{}
			folders[dir] = f
		}
		f.files++
		start := time.Now()
		m, diags := Compile(context.Background(), Source{Name: path, Text: string(text)},
			Options{Defines: defines, Include: near{fsys, path}, IncludeDirs: fsys.includeDirs(path), Verify: true,
				MetalVersion: versionOf(path)})
		f.kernels += len(m.Kernels)
		if d := time.Since(start); d > time.Second {
			t.Logf("%s: %v, %d entry points", path, d.Round(time.Millisecond), len(m.Kernels))
		}
		if i := slices.IndexFunc(diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }); i >= 0 {
			failures[string(diags[i].Code)+" "+diags[i].Message]++
			if os.Getenv("PUREMETAL_CORPUS_ALL") != "" {
				var b strings.Builder
				require.NoError(t, diag.Text(&b, m.Files, diags[i:i+1]))
				t.Log(b.String())
			}
			return nil
		}
		f.accepted++
		return nil
	}))
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		f := folders[dir]
		t.Logf("%s: %d of %d files accepted, %d entry points", dir, f.accepted, f.files, f.kernels)
	}
	messages := slices.SortedFunc(maps.Keys(failures), func(a, b string) int {
		return cmp.Or(cmp.Compare(failures[b], failures[a]), strings.Compare(a, b))
	})
	for _, msg := range messages[:min(len(messages), 40)] {
		t.Logf("%5d %s", failures[msg], msg)
	}
}
