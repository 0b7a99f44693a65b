package types

import (
	"strconv"
	"strings"
)

// maxSpelling limits the length of a type's spelling in bytes, approximately. Function types nested
// with two uses of the inner type at each level would otherwise double with every line of source.
const maxSpelling = 2048

// speller spells a type and its component types.
type speller struct{ left int } // bytes that may still be written

// declarator writes a declaration of name, inside out as in C. An empty name writes just the type.
func (s *speller) declarator(b *strings.Builder, q Qualified, name string) {
	inner := name
	for {
		if s.left -= 1 + len(inner)/16; s.left <= 0 {
			const shown = 256
			b.WriteString("..." + strings.ToValidUTF8(inner[:min(len(inner), shown)], "") + "...")
			return
		}
		switch t := q.Type.(type) {
		case *Pointer:
			star := "*" + strings.TrimSuffix(q.quals(), " ")
			inner = join(star, inner)
			q = t.Elem
			inner = wrap(q, inner)
			continue
		case *Reference:
			amp := "&"
			if t.RValue {
				amp = "&&"
			}
			q, inner = t.Elem, amp+inner
			inner = wrap(q, inner)
			continue
		case *Array:
			if t.Len == Unsized {
				inner += "[]"
			} else {
				inner += "[" + strconv.Itoa(t.Len) + "]"
			}
			q.Type = t.Elem
			continue
		case *Func:
			inner += s.params(t)
			q = t.Result
			continue
		case nil:
			b.WriteString("<invalid>")
			return
		}
		break
	}
	spelled := q.quals() + q.Type.String()
	s.left -= len(spelled)
	b.WriteString(spelled)
	if inner != "" {
		if inner[0] != '[' && inner[0] != '(' || strings.HasPrefix(inner, "(*") || strings.HasPrefix(inner,
			"(&") || isNameStart(inner[0]) {
			b.WriteByte(' ')
		}
		b.WriteString(inner)
	}
}

func isNameStart(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// wrap parenthesizes the declarator of a pointer or reference to an array or function.
func wrap(q Qualified, inner string) string {
	switch q.Type.(type) {
	case *Array, *Func:
		return "(" + inner + ")"
	}
	return inner
}

// join separates the qualifiers of a pointer from what follows.
func join(star, inner string) string {
	if len(star) > 1 && inner != "" && isNameStart(inner[0]) {
		return star + " " + inner
	}
	return star + inner
}

func (s *speller) params(f *Func) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, p := range f.Params {
		if i > 0 {
			b.WriteString(", ")
		}
		if s.left <= 0 {
			b.WriteString("...")
			break
		}
		s.declarator(&b, p, "")
	}
	if f.Variadic {
		if len(f.Params) > 0 {
			b.WriteString(", ")
		}
		b.WriteString("...")
	}
	b.WriteByte(')')
	return b.String()
}
