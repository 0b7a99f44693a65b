package bindgen

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseDecl(t *testing.T) {
	m, err := ParseDecl("dir/thing.decl", `
// a comment
framework Small;
typedef uint64_t TSAddress;
typedef void (^)(void) TSBlock;
enum TSMode : NSInteger { TSModeA = -1, TSModeB = 0x10 }
options TSFlags : NSUInteger;
struct TSVec tag _TSVec encoded "{_TSVec=fff}" { float x; float y[2]; }
class TSThing : NSObject <NSCopying, TSOther> since 10.15.4 {
    - size;
    - setSize:offset: nullable(offset, return) since 13.3 deprecated 14.0;
    + (nullable NSArray<id<TSOther>> *)all;
    - (void)run:(nullable void (^)(id<TSOther>, NSError *))block with:(const NSUInteger *)n optional;
    - (void)old deprecated;
}
protocol TSOther : NSObject, NSCopying {}
`)
	require.NoError(t, err)
	assert.Equal(t, "Small", m.Framework)
	require.Len(t, m.Typedefs, 2)
	assert.Equal(t, "void (^)(void)", m.Typedefs[1].Type.String())
	require.Len(t, m.Enums, 2)
	assert.Equal(t, []Member{{"TSModeA", 1<<64 - 1}, {"TSModeB", 16}}, m.Enums[0].Members)
	assert.True(t, m.Enums[1].Options)
	require.Len(t, m.Structs, 1)
	assert.Equal(t, Struct{Name: "TSVec", Tag: "_TSVec", Encoding: "{_TSVec=fff}", Group: "thing",
		Fields: []Field{{"x", CType{Name: "float"}, 0}, {"y", CType{Name: "float"}, 2}}}, *m.Structs[0])
	c := m.Class("TSThing")
	require.NotNil(t, c)
	assert.Equal(t, "NSObject", c.Super)
	assert.Equal(t, []string{"NSCopying", "TSOther"}, c.Conforms)
	assert.Equal(t, Version{10, 15}, c.Since)
	require.Len(t, c.Methods, 5)
	assert.True(t, c.Methods[0].ShapeElsewhere)
	assert.Equal(t, []string{"offset", "return"}, c.Methods[1].NullableNames)
	assert.Equal(t, Version{13, 3}, c.Methods[1].Since)
	assert.Equal(t, Version{14, 0}, c.Methods[1].DeprecIn)
	assert.Equal(t, "+(NSArray<id<TSOther>> *)all", signature(c.Methods[2]))
	assert.True(t, c.Methods[2].NullableRet)
	assert.Equal(t, "-(void)run:(void (^)(id<TSOther>, NSError *))block with:(const NSUInteger *)n",
		signature(c.Methods[3]))
	assert.True(t, c.Methods[3].Params[0].Nullable)
	assert.True(t, c.Methods[3].Optional)
	assert.True(t, c.Methods[4].Deprecated)
	assert.Equal(t, []string{"NSObject", "NSCopying"}, m.Class("TSOther").Conforms)
}

func TestParseDeclErrors(t *testing.T) {
	for src, want := range map[string]string{
		"":                                                                "a.decl:1: no framework is named",
		"framework F; framework G;":                                       "second framework line",
		"framework F;\nwhat TSA;":                                         `a.decl:2: unknown declaration "what"`,
		"framework F; string \x01":                                        "unexpected byte 0x1",
		"framework F; string \"x\n":                                       "string is not closed",
		"framework F; class A : B {":                                      "expected a method, found end of file",
		"framework F; class A : B { -":                                    "expected a selector",
		"framework F; class A : B { - a:b c; }":                           "unknown attribute",
		"framework F; class A : B { - a; - a; }":                          "a is declared twice in A",
		"framework F; class A : B { - a loud; }":                          `unknown attribute "loud"`,
		"framework F; class A : B { - a since 1; }":                       "want major.minor",
		"framework F; class A : B { - a since 10.999; }":                  "not a number from 0 to 255",
		"framework F; class A : B { - (void)a:(int)x nullable(y); }":      `a: has no parameter "y"`,
		"framework F; enum E : int { A = b }":                             "expected a number",
		"framework F; struct S {}":                                        "has no fields",
		"framework F; struct S { int a[0]; }":                             "array of 0 elements",
		"framework F; const int A;":                                       `expected "="`,
		"framework F; function int f() loud;":                             "unknown attribute",
		"framework F; typedef int *** T;":                                 "more than two stars",
		"framework F; typedef " + strings.Repeat("A<", 20) + "B":          "nested deeper than 8",
		"framework F; class A : B { - (void)a:(void (^)(void)x; }":        `expected ")"`,
		"framework F; typedef X * const Y;":                               `expected "*"`,
		"framework F; enum E : int { A = 99999999999999999999999999999 }": "expected a number",
	} {
		_, err := ParseDecl("a.decl", src)
		require.Error(t, err, "%q", src)
		var se *SyntaxError
		assert.ErrorAs(t, err, &se)
		assert.Contains(t, err.Error(), want, "%q", src)
	}
}

// FuzzParseDecl: no input makes the parser panic or hang, and what it accepts keeps its own rules.
func FuzzParseDecl(f *testing.F) {
	names, err := fs.Glob(inputs, "decl/*/*.decl")
	require.NoError(f, err)
	for _, n := range names {
		src, err := fs.ReadFile(inputs, n)
		require.NoError(f, err)
		f.Add(string(src))
	}
	f.Add("framework F; class A : B <C> since 1.2 { - (void (^)(id<X>))a:(const T *)b nullable(b); }")
	f.Fuzz(func(t *testing.T, src string) {
		m, err := ParseDecl("f.decl", src)
		if err != nil {
			return
		}
		for _, c := range m.Classes {
			for _, me := range c.Methods {
				if !me.ShapeElsewhere && strings.Count(me.Selector, ":") != len(me.Params) {
					t.Errorf("%s has %d parameters", me.Selector, len(me.Params))
				}
			}
		}
		for _, d := range m.Typedefs {
			again, err := ParseDecl("f.decl", "framework F; typedef "+d.Type.String()+" T;")
			if err != nil || again.Typedefs[0].Type.String() != d.Type.String() {
				t.Errorf("%s does not parse back: %v", d.Type, err)
			}
		}
	})
}
