package check

import (
	"slices"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// Library is the library of a dialect. It has thousands of declarations, of which a program uses
// some: only their names are known at first, and a declaration is parsed when its node is wanted.
type Library struct {
	Files *diag.FileSet

	decls []libraryDecl
	named map[string][]int // by the names that they declare
	kinds map[string]ast.NameKind
}

// libraryDecl is a declaration of a library.
type libraryDecl struct {
	name     string
	function bool
	tokens   []token.Token // with the semicolon after it

	parse sync.Once
	node  ast.Decl
}

var libraries sync.Map // of func() *Library, by *dialect.Dialect

// LibraryOf returns the library of a dialect.
func LibraryOf(d *dialect.Dialect) *Library {
	l, _ := libraries.LoadOrStore(d, sync.OnceValue(func() *Library { return readLibrary(d) }))
	return l.(func() *Library)()
}

func readLibrary(d *dialect.Dialect) *Library {
	l := &Library{Files: diag.NewLibrarySet(), named: map[string][]int{}, kinds: map[string]ast.NameKind{}}
	for _, n := range namespaces(d) {
		l.kinds[n] = ast.NameNamespace
	}
	sink := diag.NewSink()
	name, text := "<"+d.Namespace+">", d.Library()
	if strings.Contains(text, "#define") {
		text = expanded(l.Files, pp.Process(l.Files, l.Files.AddFile(name, text), pp.Options{}, sink))
		l.Files = diag.NewLibrarySet() // where each token has a place of its own
	}
	toks := scan(l.Files.AddFile(name, text), sink)
	if list := sink.Diagnostics(); len(list) > 0 {
		panic(d.Name + "'s library: " + list[0].Message)
	}
	for len(toks) > 0 {
		n := declEnd(toks)
		name, kind, function := declares(toks[:n])
		l.named[name] = append(l.named[name], len(l.decls))
		l.kinds[name] = kind
		l.decls = append(l.decls, libraryDecl{name: name, function: function, tokens: toks[:n:n]})
		toks = toks[n:]
	}
	return l
}

// scan returns the tokens of a text without directives and macros.
func scan(f *diag.File, sink *diag.Sink) (toks []token.Token) {
	toks = make([]token.Token, 0, len(f.Text)/3)
	var metal *dialect.Dialect
	for s := token.NewScanner(f, sink); ; {
		t := s.Next()
		switch t.Kind {
		case token.EOF:
			return toks
		case token.Ident:
			t.Kind = metal.Keyword(t.Text)
		}
		toks = append(toks, t)
	}
}

// declEnd returns the number of tokens of the first declaration.
func declEnd(toks []token.Token) int {
	depth := 0
	for i, t := range toks {
		switch t.Kind {
		case token.LParen, token.LBrack, token.LBrace:
			depth++
		case token.RParen, token.RBrack, token.RBrace:
			depth--
			if depth == 0 && t.Kind == token.RBrace && (i+1 == len(toks) || toks[i+1].Kind != token.Semi) {
				return i + 1
			}
		case token.Semi:
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(toks)
}

// declares returns what a declaration declares: a name, of which kind, and whether it is a
// function's.
func declares(toks []token.Token) (name string, kind ast.NameKind, function bool) {
	value, typ := ast.NameValue, ast.NameType
	for toks[0].Kind == token.KwTemplate {
		value, typ = ast.NameValueTemplate, ast.NameTypeTemplate
		toks = toks[1+anglesEnd(toks[1:]):]
	}
	switch toks[0].Kind {
	case token.KwStruct, token.KwUnion:
		at := slices.IndexFunc(toks, func(t token.Token) bool {
			return t.Kind == token.Colon || t.Kind == token.LBrace || t.Kind == token.Semi
		})
		return toks[at-1].Text, typ, false
	case token.KwTypedef:
		return toks[len(toks)-2].Text, typ, false
	case token.KwUsing:
		if toks[2].Kind == token.Assign {
			return toks[1].Text, typ, false
		}
		return toks[len(toks)-2].Text, value, false
	}
	for i := 0; i < len(toks); i++ {
		switch toks[i].Kind {
		case token.Less:
			i += anglesEnd(toks[i:]) - 1
		case token.KwOperator:
			name := "operator"
			for i++; toks[i].Kind != token.LParen; i++ {
				name += toks[i].Text
			}
			return name, value, true
		case token.LParen, token.Assign, token.LBrack, token.Semi: // or of the constructor of a constant
			return toks[i-1].Text, value, toks[i].Kind == token.LParen && toks[0].Kind != token.KwConstant
		}
	}
	panic("a declaration without a name in a dialect's library")
}

// anglesEnd returns the number of tokens of a list in angle brackets.
func anglesEnd(toks []token.Token) int {
	angles, depth := 0, 0
	for i, t := range toks {
		switch t.Kind {
		case token.LParen:
			depth++
		case token.RParen:
			depth--
		case token.Less:
			if depth == 0 {
				angles++
			}
		case token.Greater:
			if depth == 0 {
				angles--
			}
		case token.Shr:
			if depth == 0 {
				angles -= 2
			}
		}
		if angles <= 0 {
			return i + 1
		}
	}
	return len(toks)
}

// expanded returns the text of tokens, some of which macros made.
func expanded(files *diag.FileSet, toks []token.Token) string {
	var b strings.Builder
	for i, t := range toks {
		if t.Kind == token.EOF {
			break
		}
		gap := ""
		f := files.File(t.Pos)
		switch use, at := files.Use(t.Pos); {
		case use != nil:
			before := toks[max(i, 1)-1]
			if _, last := files.Use(before.Pos); i == 0 || at != last {
				gap = "\n"
			} else if t.Flags&(token.SpaceBefore|token.AtLineStart) != 0 || joined(before.Text, t.Text) {
				gap = " "
			}
		case i > 0 && f != nil && f.Contains(toks[i-1].Pos) && t.Pos >= toks[i-1].End():
			if gap = f.Text[f.Offset(toks[i-1].End()):f.Offset(t.Pos)]; strings.Contains(gap, "#") {
				gap = "\n"
			}
		default:
			gap = "\n"
		}
		b.WriteString(gap + t.Text)
	}
	return b.String()
}

// joined reports whether two tokens could be one without a blank.
func joined(a, b string) bool {
	kind := func(c byte) int {
		switch {
		case strings.IndexByte("+-*/%<>=&|^!:.#", c) >= 0:
			return 1
		case strings.IndexByte("(){}[];,?~", c) >= 0:
			return 2
		}
		return 3
	}
	k := kind(a[len(a)-1])
	return k != 2 && k == kind(b[0])
}

// Kind returns what a name of the library is.
func (l *Library) Kind(name string) ast.NameKind { return l.kinds[name] }

// Named returns the indices of the declarations of a name, in the order of the text.
func (l *Library) Named(name string) []int { return l.named[name] }

// Len returns the number of declarations.
func (l *Library) Len() int { return len(l.decls) }

// Name returns the name that a declaration declares.
func (l *Library) Name(i int) string { return l.decls[i].name }

// Function reports whether a declaration is of a function.
func (l *Library) Function(i int) bool { return l.decls[i].function }

// Tokens returns the tokens of a declaration, with the semicolon after it.
func (l *Library) Tokens(i int) []token.Token { return l.decls[i].tokens }

// Node returns a declaration.
func (l *Library) Node(i int) ast.Decl {
	d := &l.decls[i]
	d.parse.Do(func() {
		sink := diag.NewSink()
		tree := parse.Options{Known: l.Kind}.File(l.Files, d.tokens, sink)
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
