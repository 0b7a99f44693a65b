package types

import (
	"strconv"
	"strings"
)

// writeDeclarator writes a declaration of name, inside out as C does. An empty name gives the type
// alone.
func writeDeclarator(b *strings.Builder, q Qualified, name string) {
	inner := name
	for {
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
			inner += params(t)
			q = t.Result
			continue
		case nil:
			b.WriteString("<invalid>")
			return
		}
		break
	}
	b.WriteString(q.quals())
	b.WriteString(q.Type.String())
	if inner != "" {
		if inner[0] != '[' && inner[0] != '(' || strings.HasPrefix(inner, "(*") || strings.HasPrefix(inner,
			"(&") || isNameStart(inner[0]) {
			b.WriteByte(' ')
		}
		b.WriteString(inner)
	}
}

func isNameStart(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// wrap puts parentheses around the declarator of a pointer or reference to an array or function.
func wrap(q Qualified, inner string) string {
	switch q.Type.(type) {
	case *Array, *Func:
		return "(" + inner + ")"
	}
	return inner
}

// join keeps the qualifiers of a pointer apart from what follows them.
func join(star, inner string) string {
	if len(star) > 1 && inner != "" && isNameStart(inner[0]) {
		return star + " " + inner
	}
	return star + inner
}

func params(f *Func) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, p := range f.Params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.String())
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
