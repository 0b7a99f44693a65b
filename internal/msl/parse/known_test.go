package parse_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
)

// statement parses one statement, in a function with two ints, and returns its tree.
func statement(t *testing.T, o parse.Options, text string) string {
	set, sink := diag.NewFileSet(), diag.NewSink()
	f := set.AddFile("test.metal", "void f(int a, int b) { "+text+" }")
	file := o.File(set, pp.Process(set, f, pp.Options{}, sink), sink)
	require.Zero(t, sink.Errors(), messages(t, set, sink))
	return ast.String(file.Decls[0].(*ast.FuncDecl).Body.List[0])
}

// TestKnown parses the same text with and without knowing what a name is.
func TestKnown(t *testing.T) {
	kinds := map[string]ast.NameKind{
		"widget": ast.NameType, "gadget": ast.NameTypeTemplate, "tool": ast.NameValueTemplate, "thing": ast.NameValue,
		"place": ast.NameNamespace,
	}
	known := parse.Options{Known: func(name string) ast.NameKind { return kinds[name] }}
	for _, test := range []struct{ text, with, without string }{
		{"widget(a);", "var a: widget\n", "(call widget a)\n"},
		{"widget(a) + 1;", "(+ (make widget a) 1)\n", "(+ (call widget a) 1)\n"},
		{"(widget)(a);", "(cast widget (paren a))\n", "(call (paren widget) a)\n"},
		{"(widget)-a;", "(cast widget (- a))\n", "(- (paren widget) a)\n"},
		{"widget *a;", "var a: ptr(widget)\n", "(* widget a)\n"},
		{"gadget<3> c;", "var c: gadget<3>\n", "var c: gadget<3>\n"},
		{"gadget<a> c;", "var c: gadget<a>\n", ""},
		{"tool<a>(b);", "(call tool<a> b)\n", "(call tool<a> b)\n"},
		{"tool<a> + 1;", "(+ tool<a> 1)\n", "(> (< tool a) (+ 1))\n"},
		{"thing<a>(b);", "(> (< thing a) (paren b))\n", "(call thing<a> b)\n"},
		{"place::widget c;", "var c: place::widget\n", "var c: place::widget\n"},
	} {
		assert.Equal(t, test.with, statement(t, known, test.text), test.text)
		if test.without != "" {
			assert.Equal(t, test.without, statement(t, parse.Options{}, test.text), test.text)
		}
	}
}

// TestLibraryNames parses names of Metal's library of each kind, plain and qualified.
func TestLibraryNames(t *testing.T) {
	for _, name := range []string{
		"float4", "packed_half3", "half2x4", "simdgroup_float8x8", "atomic_uint", "sampler", "bfloat", "size_t",
		"vec<int, 3>", "array<float, 4>",
		"texture2d<float, access::write>", "simdgroup_matrix<half, 8, 8>", "numeric_limits<float>",
		"conditional_t<true, int, float>",
		"remove_cvref_t<int>", "integral_constant<int, 3>", "raytracing::intersector<>", "depth2d_ms_array<float>",
	} {
		for _, full := range []string{name, "metal::" + name, "::metal::" + name} {
			assert.Equal(t, "var c: ptr(thread "+full+")\n", statement(t, parse.Options{}, "thread "+full+" *c;"), full)
			assert.Equal(t, "(. (make "+full+" a) x)\n", statement(t, parse.Options{}, full+"(a).x;"), full)
		}
	}
	for _, name := range []string{"as_type<int>", "is_same_v<int, int>", "make_filled_simdgroup_matrix<float, 8, 8>",
		"metal::is_integral_v<int>"} {
		assert.Equal(t, "(+ "+name+" a)\n", statement(t, parse.Options{}, name+" + a;"), name)
	}
}
