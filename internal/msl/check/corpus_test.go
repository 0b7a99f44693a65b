package check

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
)

// TestCorpus checks every compute shader under the folder that PUREMETAL_CORPUS names and counts what passes, folder by folder.
// PUREMETAL_CORPUS_MATCH restricts it to paths that match, PUREMETAL_CORPUS_DEFINES adds macros (A,B=1).
func TestCorpus(t *testing.T) {
	root := os.Getenv("PUREMETAL_CORPUS")
	if root == "" {
		t.Skip("PUREMETAL_CORPUS names no folder of shaders")
	}
	match := regexp.MustCompile(os.Getenv("PUREMETAL_CORPUS_MATCH"))
	defines := map[string]string{}
	for _, d := range strings.Split(os.Getenv("PUREMETAL_CORPUS_DEFINES"), ",") {
		if name, value, _ := strings.Cut(d, "="); name != "" {
			defines[name] = value
		}
	}
	var files []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && match.MatchString(path) && (strings.HasSuffix(path, ".metal") || strings.HasSuffix(path, ".comp")) {
			files = append(files, path)
		}
		return nil
	})
	type count struct{ ok, all, kernels int }
	folders := map[string]*count{}
	failures := map[string]int{}
	example := map[string]string{}
	quote := regexp.MustCompile(`'[^']*'`)
	for _, path := range files {
		rel, _ := filepath.Rel(root, path)
		dir := filepath.Dir(rel)
		n := folders[dir]
		if n == nil {
			n = &count{}
			folders[dir] = n
		}
		n.all++
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		set, sink := diag.NewFileSet(), diag.NewSink()
		top := strings.Split(rel, string(filepath.Separator))[0]
		opts := pp.Options{Include: os.DirFS(root), IncludeDirs: []string{top}, Defines: defines}
		kernels := 0
		func() {
			defer func() {
				if r := recover(); r != nil {
					msg := fmt.Sprint(r)
					failures["panic: "+strings.SplitN(msg, "\n", 2)[0]]++
					if os.Getenv("PUREMETAL_CORPUS_VERBOSE") != "" {
						t.Logf("%s: %s", rel, msg)
					}
					sink.Errorf(diag.Internal, diag.NoPos, diag.NoPos, "panic")
				}
			}()
			toks := pp.Process(set, set.AddFile(rel, string(text)), opts, sink)
			tree := parse.File(set, toks, sink)
			kernels = len(Program(set, tree, Options{}, sink).Kernels)
		}()
		n.kernels += kernels
		if sink.Errors() == 0 {
			n.ok++
			continue
		}
		seen := 0
		for _, d := range sink.Diagnostics() {
			if d.Severity != diag.Error {
				continue
			}
			line := fmt.Sprintf("%s: %s [%s]", set.Position(set.Resolve(d.Pos)), d.Message, d.Code)
			if os.Getenv("PUREMETAL_CORPUS_VERBOSE") != "" && seen < 6 {
				t.Log(line)
			}
			if seen == 0 {
				key := quote.ReplaceAllString(d.Message, "'..'")
				failures[key]++
				if example[key] == "" {
					example[key] = line
				}
			}
			seen++
		}
	}
	for _, dir := range sortedKeys(folders) {
		n := folders[dir]
		t.Logf("%s: %d of %d files accepted, %d entry points", dir, n.ok, n.all, n.kernels)
	}
	keys := sortedKeys(failures)
	slices.SortStableFunc(keys, func(a, b string) int { return failures[b] - failures[a] })
	for _, k := range keys[:min(len(keys), 25)] {
		t.Logf("%4d %s\n     %s", failures[k], k, example[k])
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
