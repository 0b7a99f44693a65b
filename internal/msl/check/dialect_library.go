package check

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// Library is the library of a dialect. It has thousands of declarations, of which a program uses
// some: only their names are known at first, and a declaration is parsed when its node is wanted.
type Library struct {
	Files *diag.FileSet

	file  *diag.File
	decls []libraryDecl
	named map[string]libraryName // by the names that they declare
	own   []string               // the namespaces of the library
}

// libraryDecl is a declaration of a library: a part of the text.
type libraryDecl struct {
	name     string
	kind     ast.NameKind
	function bool
	from, to int
	next     int32 // the next declaration of the name, 0 if there is none

	scan   sync.Once
	tokens []token.Token // with the semicolon after it
	parse  sync.Once
	node   ast.Decl
}

// libraryName has the first and the last declaration of a name.
type libraryName struct{ first, last int32 }

var libraries sync.Map // of func() *Library, by *dialect.Dialect

// LibraryOf returns the library of a dialect.
func LibraryOf(d *dialect.Dialect) *Library {
	l, _ := libraries.LoadOrStore(d, sync.OnceValue(func() *Library { return readLibrary(d) }))
	return l.(func() *Library)()
}

func readLibrary(d *dialect.Dialect) *Library {
	parts := strings.Split(d.Library, declMark)
	n := len(parts) - 1
	l := &Library{Files: diag.NewLibrarySet(), decls: make([]libraryDecl, n), named: make(map[string]libraryName, n),
		own: namespaces(d)}
	l.file = l.Files.AddFile("<"+d.Namespace+">", d.Library)
	at := len(parts[0])
	for i, part := range parts[1:] {
		at += len(declMark)
		line, _, _ := strings.Cut(part, "\n")
		kind, name, _ := strings.Cut(line, " ")
		kind, template := strings.CutSuffix(kind, "-template")
		d := &l.decls[i]
		d.name, d.function, d.from, d.to = name, kind == "function", at+len(line), at+len(part)
		d.kind = nameKind(kind == "type", template)
		list, more := l.named[name]
		if more {
			l.decls[list.last].next = int32(i)
		} else {
			list.first = int32(i)
		}
		list.last = int32(i)
		l.named[name] = list
		at += len(part)
	}
	return l
}

// declMark begins the line before a declaration.
const declMark = "\n//@ "

func nameKind(isType, template bool) ast.NameKind {
	switch {
	case isType && template:
		return ast.NameTypeTemplate
	case isType:
		return ast.NameType
	case template:
		return ast.NameValueTemplate
	}
	return ast.NameValue
}

// Kind returns what a name of the library is.
func (l *Library) Kind(name string) ast.NameKind {
	if list, ok := l.named[name]; ok {
		return l.decls[list.last].kind
	}
	if slices.Contains(l.own, name) {
		return ast.NameNamespace
	}
	return ast.NameUnknown
}

// Has reports whether the library declares a name.
func (l *Library) Has(name string) bool {
	_, ok := l.named[name]
	return ok
}

// Named returns the indices of the declarations of a name, in the order of the text.
func (l *Library) Named(name string) iter.Seq[int] {
	return func(yield func(int) bool) {
		list, ok := l.named[name]
		for i := list.first; ok && yield(int(i)); i = l.decls[i].next {
			ok = l.decls[i].next > 0
		}
	}
}

// Len returns the number of declarations.
func (l *Library) Len() int { return len(l.decls) }

// Name returns the name that a declaration declares.
func (l *Library) Name(i int) string { return l.decls[i].name }

// Function reports whether a declaration is of a function.
func (l *Library) Function(i int) bool { return l.decls[i].function }

// Tokens returns the tokens of a declaration, with the semicolon after it.
func (l *Library) Tokens(i int) []token.Token {
	d := &l.decls[i]
	d.scan.Do(func() {
		var metal *dialect.Dialect
		for s := token.NewPartScanner(l.file, d.from, d.to); ; {
			t := s.Next()
			switch t.Kind {
			case token.EOF:
				return
			case token.Ident:
				t.Kind = metal.Keyword(t.Text)
			}
			d.tokens = append(d.tokens, t)
		}
	})
	return d.tokens
}

// Node returns a declaration.
func (l *Library) Node(i int) ast.Decl {
	d := &l.decls[i]
	d.parse.Do(func() {
		sink := diag.NewSink()
		tree := parse.Options{Known: l.Kind}.File(l.Files, l.Tokens(i), sink)
		if list := sink.Diagnostics(); len(list) > 0 {
			panic(l.Files.Position(list[0].Pos).String() + ": " + list[0].Message)
		}
		d.node = tree.Decls[0]
	})
	return d.node
}

// namespaces are the language's own whose names are the library's.
func namespaces(d *dialect.Dialect) []string {
	if !d.HostCode {
		return nil
	}
	return []string{"std", "cub", "cuda", "thrust"}
}
