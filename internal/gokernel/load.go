package gokernel

import (
	"embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/diag"
)

// A loader reads and checks the packages of one module, and what kernels may use of others. It
// needs no Go toolchain: a program can compile kernels that it carries as source. Packages that
// kernels cannot use are not read; what the host's part of a package makes of them is not checked.
type loader struct {
	fsys   fs.FS
	module string // the path of the module at the root of fsys, or ""
	root   string // the folder of that module in fsys
	fset   *token.FileSet
	show   func(name string) string
	sizes  types.Sizes

	packages map[string]*pkg // by import path; nil while it is read
}

// newLoader returns a loader. Show, which may be nil, returns the names of files for messages.
func newLoader(fsys fs.FS, show func(string) string) *loader {
	if show == nil {
		show = func(name string) string { return name }
	}
	return &loader{fsys: fsys, fset: token.NewFileSet(), show: show, sizes: types.SizesFor("gc", "arm64"),
		packages: map[string]*pkg{}}
}

// pkg is a package of the module.
type pkg struct {
	path   string
	files  []*ast.File
	types  *types.Package
	info   *types.Info
	errors []types.Error
}

const (
	kernelPath = "github.com/puremetal/puremetal/kernel"
	simdPath   = "github.com/puremetal/puremetal/simd"
)

// stubs declare what kernels may use of the standard library and of this module.
//
//go:embed stubs
var stubs embed.FS

// stubOf returns the file that declares a package.
func stubOf(path string) string { return "stubs/" + strings.ReplaceAll(path, "/", "_") + ".go.txt" }

// The limits of what is read: files of a package and packages of a program.
const (
	maxFiles    = 1000
	maxPackages = 1000
)

// Module returns the file system of the module that a folder of this machine belongs to, the
// folder's name there, and a function that returns the name of a file as seen from the working
// directory. Without a module, the folder itself is the root.
func Module(dir string) (fsys fs.FS, rel string, show func(string) string, err error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, "", nil, err
	}
	root := full
	for at := full; ; at = filepath.Dir(at) {
		if info, err := os.Stat(filepath.Join(at, "go.mod")); err == nil && info.Mode().IsRegular() {
			root = at
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	rel, err = filepath.Rel(root, full)
	if err != nil {
		return nil, "", nil, err
	}
	show = func(name string) string {
		name = filepath.Join(root, filepath.FromSlash(name))
		if in, err := filepath.Rel(full, name); err == nil {
			name = filepath.Join(dir, in)
		}
		return filepath.ToSlash(name)
	}
	return os.DirFS(root), filepath.ToSlash(rel), show, nil
}

// load reads the package in a folder.
func (l *loader) load(dir string) (*pkg, error) {
	l.findModule(dir)
	return l.read(dir, l.importPath(dir))
}

// findModule finds the module that a folder belongs to.
func (l *loader) findModule(dir string) {
	for at := dir; ; at = path.Dir(at) {
		if text := l.goMod(path.Join(at, "go.mod")); text != nil {
			l.root, l.module = at, ModulePath(string(text))
			return
		}
		if at == "." || at == "/" {
			return
		}
	}
}

// ModulePath returns the path in the module line of a go.mod file, "" if it has none.
func ModulePath(text string) string {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		if f := strings.Fields(line); len(f) == 2 && f[0] == "module" {
			if s, err := strconv.Unquote(f[1]); err == nil {
				return s
			}
			return f[1]
		}
	}
	return ""
}

// importPath returns the import path of a folder.
func (l *loader) importPath(dir string) string {
	if l.module == "" {
		return dir
	}
	rel := strings.TrimPrefix(strings.TrimPrefix(dir, l.root), "/")
	if l.root == "." {
		rel = dir
	}
	return path.Join(l.module, rel)
}

// dirOf returns the folder of a package of the module.
func (l *loader) dirOf(importPath string) (string, bool) {
	rel, ok := strings.CutPrefix(importPath, l.module)
	if l.module == "" || !ok || rel != "" && rel[0] != '/' {
		return "", false
	}
	return path.Join(l.root, rel), true
}

// read reads and checks the package in a folder.
func (l *loader) read(dir, importPath string) (*pkg, error) {
	if p, ok := l.packages[importPath]; ok {
		if p == nil {
			return nil, fmt.Errorf("import cycle through %s", importPath)
		}
		return p, nil
	}
	if len(l.packages) == maxPackages {
		return nil, fmt.Errorf("more than %d packages", maxPackages)
	}
	l.packages[importPath] = nil
	files, err := l.sources(dir)
	if err != nil {
		return nil, err
	}
	p := &pkg{path: importPath, info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
		Implicits: map[ast.Node]types.Object{}, Scopes: map[ast.Node]*types.Scope{},
	}}
	var list []error
	for _, file := range files {
		f, err := parser.ParseFile(l.fset, l.show(file.name), file.text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			list = append(list, err)
		}
		if f != nil && !generated(f) {
			p.files = append(p.files, f)
		}
	}
	if len(p.files) == 0 {
		return nil, errors.Join(append(list, fmt.Errorf("no Go files in %s", l.show(dir)))...)
	}
	if len(list) > 0 {
		return nil, errors.Join(list...)
	}
	l.check(p, false)
	l.packages[importPath] = p
	return p, nil
}

// syntaxErrors returns the errors of the parser in an error as refusals.
func syntaxErrors(err error) (list []Refusal) {
	switch x := err.(type) {
	case scanner.ErrorList:
		for _, e := range x {
			list = append(list, Refusal{Pos: e.Pos, Code: diag.GoError, Reason: e.Msg})
		}
	case interface{ Unwrap() []error }:
		for _, e := range x.Unwrap() {
			list = append(list, syntaxErrors(e)...)
		}
	}
	return list
}

// generated reports whether a file is the launchers of a package, which its kernels do not use and
// which may be those of earlier kernels.
func generated(f *ast.File) bool {
	for _, g := range f.Comments {
		if g.Pos() < f.Package && strings.HasPrefix(g.List[0].Text, GeneratedMark) {
			return true
		}
	}
	return false
}

// GeneratedMark begins the first line of the launchers of a package, which continues with its name.
const GeneratedMark = "// Code generated by puremetal generate from the Go package "

// check checks a package.
func (l *loader) check(p *pkg, stub bool) {
	config := types.Config{
		Importer: l, Sizes: l.sizes, FakeImportC: true, IgnoreFuncBodies: stub, DisableUnusedImportCheck: true,
		Error: func(err error) {
			if e, ok := err.(types.Error); ok {
				p.errors = append(p.errors, e)
			}
		},
	}
	p.types, _ = config.Check(p.path, l.fset, p.files, p.info)
}

// Import implements types.Importer.
func (l *loader) Import(importPath string) (*types.Package, error) {
	if importPath == "unsafe" {
		return types.Unsafe, nil
	}
	if p, ok := l.packages[importPath]; ok && p != nil {
		return p.types, nil
	}
	text, err := stubs.ReadFile(stubOf(importPath))
	if err == nil {
		f, err := parser.ParseFile(l.fset, importPath, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p := &pkg{path: importPath, files: []*ast.File{f}, info: &types.Info{}}
		l.check(p, true)
		if len(p.errors) > 0 {
			return nil, p.errors[0]
		}
		l.packages[importPath] = p
		return p.types, nil
	}
	if dir, ok := l.dirOf(importPath); ok {
		p, err := l.read(dir, importPath)
		if err != nil {
			return nil, err
		}
		return p.types, nil
	}
	return nil, fmt.Errorf("package %s is not of this module, and kernels cannot use it", importPath)
}
