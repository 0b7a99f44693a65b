package ast

import (
	"fmt"
	"io"
	"strings"
)

// Print writes a tree in a form that is easy to compare by eye and in tests: one declaration or
// statement per line, with its parts indented below, and types and expressions in prefix form,
// without the original punctuation.
func Print(w io.Writer, n Node) error {
	var p printer
	switch n := n.(type) {
	case *File:
		for _, d := range n.Decls {
			p.decl(d)
		}
	case Decl:
		p.decl(n)
	case Stmt:
		p.stmt(n)
	case TypeExpr:
		p.line("%s", TypeString(n))
	case Expr:
		p.line("%s", ExprString(n))
	case *Name:
		p.line("%s", NameString(n))
	default:
		p.line("%T", n)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// String returns the output of Print as a string.
func String(n Node) string {
	var b strings.Builder
	_ = Print(&b, n) // a Builder never fails
	return b.String()
}

type printer struct {
	b     strings.Builder
	depth int
}

func (p *printer) line(format string, args ...any) {
	for range p.depth {
		p.b.WriteString("  ")
	}
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

// in prints indented by one more step.
func (p *printer) in(f func()) {
	p.depth++
	f()
	p.depth--
}

// words joins the non-empty strings.
func words(list ...string) string {
	kept := list[:0]
	for _, s := range list {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, " ")
}

// when returns word if flag is set, and "" otherwise.
func when(flag bool, word string) string {
	if flag {
		return word
	}
	return ""
}

func attrs(list []*Attr) string {
	var b strings.Builder
	for i, a := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("[[")
		if a.GNU {
			b.WriteString("gnu ")
		}
		if a.Scope != "" {
			b.WriteString(a.Scope + "::")
		}
		b.WriteString(a.Name)
		if a.Parens {
			b.WriteString("(" + exprs(a.Args, ", ") + ")")
		}
		b.WriteString("]]")
	}
	return b.String()
}

func specs(s *Spec) string {
	return words(when(s.Friend, "friend"), when(s.Extern, "extern"), when(s.Static, "static"),
		when(s.ThreadLocal, "thread_local"),
		when(s.Register, "register"), when(s.Mutable, "mutable"), when(s.Inline, "inline"), when(s.Constexpr, "constexpr"),
		when(s.Virtual, "virtual"), when(s.Explicit, "explicit"), s.Stage.String())
}

// String gives the keyword, or "" for NoStage.
func (s Stage) String() string {
	return [...]string{"", "kernel", "vertex", "fragment", "mesh", "object", "intersection"}[s]
}

// String gives the keyword, or "" for NoSpace and Inferred.
func (s AddrSpace) String() string {
	return [...]string{"", "thread", "device", "constant", "threadgroup", "threadgroup_imageblock", "ray_data",
		"object_data", ""}[s]
}

// String gives the keyword.
func (k RecordKey) String() string { return [...]string{"enum", "struct", "class", "union"}[k] }

// String gives the keyword, or "" for DefaultAccess.
func (a Access) String() string { return [...]string{"", "public", "protected", "private"}[a] }

func ident(n *Ident) string {
	if n == nil {
		return "_"
	}
	return n.Name
}

func name(n *Name) string {
	if n == nil {
		return "_"
	}
	return NameString(n)
}
