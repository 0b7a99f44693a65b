package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// module is the import path of the repository's root.
const module = "github.com/puremetal/puremetal"

// goFile is one parsed Go file of the module.
type goFile struct {
	path string // slash-separated, relative to the root
	src  []byte
	ast  *ast.File
}

func (f *goFile) dir() string     { return path.Dir(f.path) }
func (f *goFile) base() string    { return path.Base(f.path) }
func (f *goFile) isTest() bool    { return strings.HasSuffix(f.path, "_test.go") }
func (f *goFile) generated() bool { return ast.IsGenerated(f.ast) }

// imports returns what the file imports, by import path.
func (f *goFile) imports() map[string]*ast.ImportSpec {
	m := make(map[string]*ast.ImportSpec, len(f.ast.Imports))
	for _, spec := range f.ast.Imports {
		m[strings.Trim(spec.Path.Value, "`\"")] = spec
	}
	return m
}

// tree is the source of the module: its Go files, and the text of all its files.
type tree struct {
	fset *token.FileSet
	gos  []*goFile
	text map[string][]byte
}

// at formats a violation: its position and what is wrong.
func (tr *tree) at(f *goFile, pos token.Pos, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", f.path, tr.fset.Position(pos).Line, fmt.Sprintf(format, args...))
}

// paths returns the names of all files in order.
func (tr *tree) paths() []string { return slices.Sorted(maps.Keys(tr.text)) }

// newTree parses the Go files among the given ones.
func newTree(files map[string][]byte) (*tree, error) {
	tr := &tree{fset: token.NewFileSet(), text: files}
	for _, name := range tr.paths() {
		if !strings.HasSuffix(name, ".go") || strings.Contains("/"+name, "/testdata/") {
			continue
		}
		f, err := parser.ParseFile(tr.fset, name, files[name], parser.ParseComments)
		if err != nil {
			return nil, err
		}
		tr.gos = append(tr.gos, &goFile{path: name, src: files[name], ast: f})
	}
	return tr, nil
}

// loadTree reads the module that this package belongs to.
var loadTree = sync.OnceValues(func() (*tree, error) {
	root := filepath.Join("..", "..")
	files := make(map[string][]byte)
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() && rel == ".git":
			return filepath.SkipDir
		case d.Type().IsRegular():
			files[rel], err = os.ReadFile(name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if _, ok := files["go.mod"]; !ok {
		return nil, fmt.Errorf("lint: no go.mod in %s", root)
	}
	return newTree(files)
})

// rule returns a line for each place that breaks it.
type rule func(*tree) []string

// holds runs a rule over the module.
func holds(t *testing.T, r rule) {
	t.Helper()
	tr, err := loadTree()
	require.NoError(t, err)
	require.NotEmpty(t, tr.gos)
	for _, v := range r(tr) {
		t.Error(v)
	}
}

// breach is an invented tree and what a rule must report about it: one substring for each
// violation, in order.
type breach struct {
	name  string
	files map[string]string
	want  []string
}

// sees runs a rule over invented trees.
func sees(t *testing.T, r rule, cases []breach) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			files := make(map[string][]byte, len(c.files))
			for name, src := range c.files {
				files[name] = []byte(src)
			}
			tr, err := newTree(files)
			require.NoError(t, err)
			got := r(tr)
			require.Len(t, got, len(c.want), "violations: %q", got)
			for i, want := range c.want {
				assert.Contains(t, got[i], want)
			}
		})
	}
}
