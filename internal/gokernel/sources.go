package gokernel

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"hash"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/gokernel/folders"
)

// Sources are the files that the translation of a package depends on, as they were when they were
// read: a file system for [Translate].
type Sources struct {
	// Sum identifies the files and their names for messages.
	Sum [sha256.Size]byte
	// Size is the bytes of the files.
	Size int

	fsys     fs.FS
	modules  map[string][]byte       // the files go.mod by name, nil where there is none
	packages map[string][]sourceFile // by folder
}

// ReadSources reads the package in a folder and what it imports of its module, without checking
// any of it. Show, which may be nil, returns the names of files for messages.
func ReadSources(fsys fs.FS, dir string, show func(name string) string) (*Sources, error) {
	s := &Sources{fsys: fsys, modules: map[string][]byte{}, packages: map[string][]sourceFile{}}
	l := newLoader(s, show)
	sum := sha256.New()
	l.findModule(dir)
	write(sum, "module", l.module, l.root, dir)
	queue, known := []string{dir}, map[string]bool{dir: true}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		files, err := l.sources(at)
		if err != nil {
			if at != dir && errors.Is(err, fs.ErrNotExist) {
				write(sum, "none", at) // an error of what uses it
				continue
			}
			return nil, err
		}
		s.packages[at] = files
		for _, f := range files {
			parsed, _ := parser.ParseFile(token.NewFileSet(), f.name, f.text, // translating gives its errors
				parser.ImportsOnly|parser.ParseComments|parser.SkipObjectResolution)
			if parsed != nil && generated(parsed) {
				continue
			}
			s.Size += len(f.text)
			write(sum, "file", f.name, l.show(f.name), string(f.text))
			if parsed == nil {
				continue
			}
			for _, i := range parsed.Imports {
				name, err := strconv.Unquote(i.Path.Value)
				if err != nil || hasStub(name) {
					continue
				}
				if to, ok := l.dirOf(name); ok && !known[to] {
					if len(known) == maxPackages {
						return nil, fmt.Errorf("more than %d packages", maxPackages)
					}
					known[to] = true
					queue = append(queue, to)
				}
			}
		}
	}
	sum.Sum(s.Sum[:0])
	return s, nil
}

// write adds texts to a hash. Different lists never give the same bytes.
func write(h hash.Hash, fields ...string) {
	for _, f := range fields {
		fmt.Fprintf(h, "%d:", len(f))
		_, _ = io.WriteString(h, f) // which cannot fail
	}
}

// Open implements fs.FS, for what is not among the sources.
func (s *Sources) Open(name string) (fs.File, error) { return s.fsys.Open(name) }

// sourceFile is a file of a package.
type sourceFile struct {
	name string // in the file system
	text []byte
}

// sources returns the files of the package in a folder that this machine would build.
func (l *loader) sources(dir string) (files []sourceFile, err error) {
	if s, ok := l.fsys.(*Sources); ok && s.packages[dir] != nil {
		return s.packages[dir], nil
	}
	entries, err := fs.ReadDir(l.fsys, dir)
	if err != nil {
		return nil, err
	}
	context := build.Default
	context.ReadDir = func(string) ([]fs.FileInfo, error) { return nil, errors.ErrUnsupported }
	context.OpenFile = func(name string) (io.ReadCloser, error) { return l.fsys.Open(filepath.ToSlash(name)) }
	context.JoinPath = path.Join
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if ok, err := context.MatchFile(dir, name); err == nil && !ok {
			continue // with an error, parsing gives its place
		}
		if len(files) == maxFiles {
			return nil, fmt.Errorf("%s has more than %d Go files", dir, maxFiles)
		}
		text, err := folders.ReadFile(l.fsys, path.Join(dir, name))
		if err != nil {
			return nil, err
		}
		files = append(files, sourceFile{path.Join(dir, name), text})
	}
	return files, nil
}

// goMod returns a go.mod file, nil if there is none.
func (l *loader) goMod(name string) []byte {
	s, kept := l.fsys.(*Sources)
	if kept {
		if text, ok := s.modules[name]; ok {
			return text
		}
	}
	text, err := folders.ReadFile(l.fsys, name)
	if err != nil {
		text = nil
	}
	if kept {
		s.modules[name] = text
	}
	return text
}

// hasStub reports whether a package is one of those that stubs declare.
func hasStub(importPath string) bool {
	_, err := fs.Stat(stubs, stubOf(importPath))
	return err == nil || importPath == "unsafe"
}

// constrained returns a file that the function needs and that not all builds have, "" if there is
// none.
func (in *instance) constrained(seen map[*instance]bool) string {
	seen[in] = true
	for _, f := range in.pkg.files {
		if f.FileStart <= in.decl.Pos() && in.decl.Pos() < f.FileEnd {
			if name := in.t.fset.Position(f.FileStart).Filename; constrained(f, path.Base(name)) {
				return name
			}
		}
	}
	for _, c := range in.callees {
		if !seen[c] {
			if name := c.constrained(seen); name != "" {
				return name
			}
		}
	}
	return ""
}

// constrained reports whether not all builds have a file. Versions of Go do not count.
func constrained(f *ast.File, base string) bool {
	nowhere := build.Default
	nowhere.GOOS, nowhere.GOARCH = "none", "none"
	nowhere.OpenFile = func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package p\n")), nil // for the name alone
	}
	if ok, err := nowhere.MatchFile("", base); err != nil || !ok {
		return true
	}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if g.Pos() < f.Package && constraint.IsGoBuild(c.Text) {
				found := false
				if x, err := constraint.Parse(c.Text); err == nil {
					x.Eval(func(tag string) bool {
						found = found || !strings.HasPrefix(tag, "go1.")
						return true
					})
				}
				return found
			}
		}
	}
	return false
}
