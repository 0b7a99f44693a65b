package simd

import (
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// family is a family of vectors of two to four components.
type family struct {
	name, param string // name%d[param]
	scalar      string
	binary      map[string]string // by method: the expression for x and y
	unary       map[string]string // for x
	product     string            // the expression of a rounded product
	sum         string
	root        string // of x; "" without lengths
	inverse     string
}

var families = []family{
	{name: "Float", scalar: "float32",
		binary: map[string]string{"Add": "x + y", "Sub": "x - y", "Mul": "x * y", "Div": "x / y",
			"Min": "lesser(x, y)", "Max": "greater(x, y)"},
		unary:   map[string]string{"Neg": "-x", "Abs": "absolute(x)"},
		product: "float32(x * y)", sum: "x + y", root: "root(x)", inverse: "inverseRoot(x)"},
	{name: "Vec", param: "[T]", scalar: "T",
		binary: map[string]string{"Add": "x + y", "Sub": "x - y", "Mul": "x * y", "Div": "x / y",
			"Min": "min(x, y)", "Max": "max(x, y)"},
		unary:   map[string]string{"Neg": "-x", "Abs": "absoluteInteger(x)"},
		product: "x * y", sum: "x + y"},
	{name: "Small", param: "[T]", scalar: "T",
		binary: map[string]string{"Add": "rounded[T](value(x) + value(y))", "Sub": "rounded[T](value(x) - value(y))",
			"Mul": "rounded[T](value(x) * value(y))", "Div": "rounded[T](value(x) / value(y))",
			"Min": "rounded[T](lesser(value(x), value(y)))", "Max": "rounded[T](greater(value(x), value(y)))"},
		unary:   map[string]string{"Neg": "x ^ 0x8000", "Abs": "x &^ 0x8000"},
		product: "rounded[T](value(x) * value(y))", sum: "rounded[T](value(x) + value(y))",
		root: "rounded[T](root(value(x)))", inverse: "rounded[T](inverseRoot(value(x)))"},
	{name: "Bool", scalar: "bool"},
}

// operations lists the methods in the order of the file, with their comments.
var operations = []struct{ name, comment string }{
	{"Add", "Add returns v + o."},
	{"Sub", "Sub returns v - o."},
	{"Mul", "Mul returns the products of the components."},
	{"Div", "Div returns the quotients of the components."},
	{"Min", "Min returns the lesser of each two components."},
	{"Max", "Max returns the greater of each two components."},
	{"Neg", "Neg returns -v."},
	{"Abs", "Abs returns the absolute values."},
}

// expand replaces x and y in an expression.
func expand(expression, x, y string) string {
	var b strings.Builder
	name := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }
	for i := range len(expression) {
		c := expression[i]
		alone := (i == 0 || !name(expression[i-1])) && (i+1 == len(expression) || !name(expression[i+1]))
		switch {
		case c == 'x' && alone:
			b.WriteString(x)
		case c == 'y' && alone:
			b.WriteString(y)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// methods returns the text of a family's methods.
func (f family) methods(b *strings.Builder) {
	for n := 2; n <= 4; n++ {
		typ := fmt.Sprintf("%s%d%s", f.name, n, f.param)
		names := "XYZW"[:n]
		build := func(typ string, one func(c string) string) string {
			var list []string
			for _, c := range names {
				list = append(list, fmt.Sprintf("%c: %s", c, one(string(c))))
			}
			return typ + "{" + strings.Join(list, ", ") + "}"
		}
		for _, o := range operations {
			if e, ok := f.binary[o.name]; ok {
				fmt.Fprintf(b, "// %s\nfunc (v %s) %s(o %s) %s {\nreturn %s\n}\n\n", o.comment, typ, o.name, typ, typ,
					build(typ, func(c string) string { return expand(e, "v."+c, "o."+c) }))
			}
			if e, ok := f.unary[o.name]; ok {
				fmt.Fprintf(b, "// %s\nfunc (v %s) %s() %s {\nreturn %s\n}\n\n", o.comment, typ, o.name, typ,
					build(typ, func(c string) string { return expand(e, "v."+c, "") }))
			}
		}
		if f.product != "" {
			fmt.Fprintf(b, "// Scale returns v times s.\nfunc (v %s) Scale(s %s) %s {\nreturn %s\n}\n\n", typ, f.scalar, typ,
				build(typ, func(c string) string { return expand(f.product, "v."+c, "s") }))
			fmt.Fprintf(b, "// Dot returns the sum of the products of the components, added from X on.\n"+
				"func (v %s) Dot(o %s) %s {\nsum := %s\n", typ, typ, f.scalar, expand(f.product, "v.X", "o.X"))
			for _, c := range names[1:] {
				p := expand(f.product, "v."+string(c), "o."+string(c))
				fmt.Fprintf(b, "sum = %s\n", expand(f.sum, "sum", p))
			}
			b.WriteString("return sum\n}\n\n")
		}
		if f.root != "" {
			fmt.Fprintf(b, "// Length returns the square root of v.Dot(v).\n"+
				"func (v %s) Length() %s {\nd := v.Dot(v)\nreturn %s\n}\n\n", typ, f.scalar, expand(f.root, "d", ""))
			fmt.Fprintf(b, "// Normalize returns v scaled by 1/√(v.Dot(v)).\n"+
				"func (v %s) Normalize() %s {\nd := v.Dot(v)\nreturn v.Scale(%s)\n}\n\n", typ, typ, expand(f.inverse, "d", ""))
			if n == 3 {
				fmt.Fprintf(b, "// Cross returns the cross product.\nfunc (v %s) Cross(o %s) %s {\n"+
					"return v.YZX().Mul(o.ZXY()).Sub(v.ZXY().Mul(o.YZX()))\n}\n\n", typ, typ, typ)
			}
		}
		for size := 2; size <= 4; size++ {
			for _, s := range swizzles(names, size) {
				result := fmt.Sprintf("%s%d%s", f.name, size, f.param)
				var list []string
				for i, c := range s {
					list = append(list, fmt.Sprintf("%c: v.%c", "XYZW"[i], c))
				}
				fmt.Fprintf(b, "// %s returns these components.\nfunc (v %s) %s() %s { return %s{%s} }\n\n", s, typ, s, result,
					result, strings.Join(list, ", "))
			}
		}
	}
}

// swizzles returns the names of size components: those without repetition, and those of one
// component.
func swizzles(names string, size int) (list []string) {
	var add func(s string)
	add = func(s string) {
		if len(s) == size {
			list = append(list, s)
			return
		}
		for _, c := range names {
			if !strings.ContainsRune(s, c) {
				add(s + string(c))
			}
		}
	}
	add("")
	for _, c := range names {
		list = append(list, strings.Repeat(string(c), size))
	}
	return list
}

// TestGenerated: zvector.go is current.
func TestGenerated(t *testing.T) {
	var b strings.Builder
	b.WriteString("// Code generated by TestGenerated with PUREMETAL_UPDATE=1; DO NOT EDIT.\n\npackage simd\n\n")
	for _, f := range families {
		f.methods(&b)
	}
	want, err := format.Source([]byte(b.String()))
	require.NoError(t, err)
	if os.Getenv("PUREMETAL_UPDATE") != "" {
		require.NoError(t, os.WriteFile("zvector.go", want, 0o644))
	}
	got, err := os.ReadFile("zvector.go")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the source is not here: the test is part of a bundle")
	}
	require.NoError(t, err)
	assert.True(t, string(want) == string(got), "zvector.go is not current: run with PUREMETAL_UPDATE=1")
}
