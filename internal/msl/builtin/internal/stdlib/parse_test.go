package stdlib

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const sample = `
section "Sample";
types F = float half; // a comment
types All = F int;
namespace metal;
enum class flags mem { none = 0, a, b = 4, c };
enum order { relaxed = -1 } since 3.2;
struct level(float lod) "the level";
opaque sampler "a sampler";
template vec "a vector";
alias u8 = uchar;
trait is_same "same";
typetrait decay "decayed";
const ONE float = 0x3f800000;
object log sampler;
fn clamp(T x, T lo, T hi) -> T for T in F 1-4 = Clamp math pure "bounds x";
fn load(const volatile S atomic<T>* p, uint n = 3) -> T.elem for T in All, S in device threadgroup = Load reads since 2.1 "loads";
fn t1|t2.read(C.2 at) const -> E.4 = Read needread "reads";
fn mul(M a, thread M.transposed& b) for M in matrix float = Mul "multiplies";
fn fma(float x) -> float = Fma math raw "fused";
fn sin(float x) -> float = Sin math nolow "the sine";
fn sine(float x) -> float = Sin math;
fn det(M a, P b) for M in square F, P in packed int = Det "the determinant";
namespace ;
fn log(...) = Log special "logs";
`

func TestParse(t *testing.T) {
	f, err := Parse(sample)
	require.NoError(t, err)
	var sigs []string
	for _, fn := range f.Funcs {
		sigs = append(sigs, fn.Op+" "+strings.Join(fn.Flags, "+")+" "+signature(docFunc{fn, []string{fn.Recv}}))
	}
	assert.Equal(t, []string{
		"Construct pure+constructor level.level(float lod) -> level",
		"Clamp pure metal::clamp(T x, T lo, T hi) -> T for T in float1-4 half1-4",
		"Clamp pure+fast metal::fast::clamp(T x, T lo, T hi) -> T for T in float1-4 half1-4",
		"Clamp pure+precise metal::precise::clamp(T x, T lo, T hi) -> T for T in float1-4 half1-4",
		"Clamp pure __metal_clamp(T x, T lo, T hi, bool fast) -> T for T in float1-4 half1-4",
		"Load reads metal::load(const volatile S atomic<T>* p, uint n = 3) -> T.elem for T in float half int, S in device threadgroup",
		"Read const+needread t1.read(C.2 at) -> E.4",
		"Read const+needread t2.read(C.2 at) -> E.4",
		"Mul  metal::mul(M a, thread M.transposed& b) for M in float2x2-4 float3x2-4 float4x2-4",
		"Fma  metal::fma(float x) -> float", "Fma fast metal::fast::fma(float x) -> float",
		"Fma precise metal::precise::fma(float x) -> float",
		"Fma  __metal_fma(float x) -> float",
		"Sin  metal::sin(float x) -> float", "Sin fast metal::fast::sin(float x) -> float",
		"Sin precise metal::precise::sin(float x) -> float",
		"Sin  metal::sine(float x) -> float", "Sin fast metal::fast::sine(float x) -> float",
		"Sin precise metal::precise::sine(float x) -> float",
		"Det  metal::det(M a, P b) for M in float2x2 float3x3 float4x4 half2x2 half3x3 half4x4, P in packed_int2-4",
		"Log special log(...)",
	}, sigs)
	assert.Equal(t, 210, f.Funcs[5].Since)
	assert.Equal(t, FirstVersion, f.Funcs[1].Since)
	assert.Equal(t, []string{"metal", "metal::fast", "metal::precise"}, f.Namespaces)
	assert.Equal(t, []int64{0, 1, 4, 5}, f.Enums[0].Values)
	assert.True(t, f.Enums[0].Scoped && f.Enums[0].Flags)
	assert.Equal(t, []int64{-1}, f.Enums[1].Values)
	assert.Equal(t, 320, f.Enums[1].Since)
	assert.Len(t, f.Classes, 6)
	assert.Equal(t, []Const{{"ONE", "float", 0x3f800000}, {"log", "sampler", 0}}, f.Consts)
	files, err := Generate(f)
	require.NoError(t, err)
	assert.Len(t, files, 4)
	assert.Contains(t, string(files[DocsFile]), "## Sample")
	assert.Contains(t, string(files["zops.go"]), "OpClamp")
}

func TestParseErrors(t *testing.T) {
	for src, want := range map[string]string{
		`fn f() = A "a"`:                                  `line 1: expected ";"`,
		"\nbogus;":                                        `line 2: unexpected "bogus"`,
		`fn f() = A;`:                                     "operation A has no documentation",
		`fn f() = A "a"; fn g() = A "b";`:                 "operation A is already documented",
		`fn f() = A shiny "a";`:                           `unknown flag "shiny"`,
		`fn f() = A pure pure "a";`:                       "flag pure is given twice",
		`fn f() = A since 3 "a";`:                         `"3" is not a version such as 3.1`,
		`fn f() = A since x "a";`:                         "expected a version",
		`fn f(int a = 1, int b) = A "a";`:                 "a parameter without a default follows one that has",
		`fn f(T a) for T in = A "a";`:                     "expected types",
		`fn f(T a) for T of int = A "a";`:                 `expected "in"`,
		`fn f(T a) for T in int, T in int = A "a";`:       "variable T is already declared",
		`fn f(T a) for T in int 0-4 = A "a";`:             "lengths must be from 1 to 4",
		`fn f(T a) for T in int 3-2 = A "a";`:             "lengths must be from 1 to 4",
		`fn f(T a) for T in matrix half 2-3 = A "a";`:     "lengths must be from 1 to 4",
		`fn a|b(int x) = A "a";`:                          "only classes and methods can have several names",
		`fn f(int.*) = A "a";`:                            "expected a selector of int",
		`fn f(a<a<a<a<a<a<a<a<a<a<a>>>>>>>>>> x) = A "";`: "types nest deeper than 8",
		`types A = int; types A = int;`:                   "set A is already declared",
		`enum e { a, a };`:                                "a is already declared",
		`enum class e { a, a };`:                          "enumerator a is already declared",
		`enum e { a }; struct e(int x) "x";`:              "e is already declared as enum",
		`opaque e;`:                                       "opaque e has no documentation",
		`const c int = x;`:                                "expected the bits",
		`const c int = 0x1ffffffffffffffff;`:              "is not a 64-bit number",
		`enum e { a = 1.5 };`:                             `"1.5" is not an integer`,
		`section "a`:                                      "string is not closed",
		"\x01":                                            "unexpected character",
		`section "a"; section "a";`:                       `section "a" is declared twice`,
		`fn f(`:                                           `expected a name, found "the end of the file"`,
	} {
		_, err := Parse(src)
		if assert.Error(t, err, src) {
			assert.Contains(t, err.Error(), want, src)
		}
	}
}

// FuzzParse checks that no input panics, and that code generation for anything that parses succeeds
// or returns an error.
func FuzzParse(f *testing.F) {
	f.Add(sample)
	for _, s := range []string{`fn f(T a) for T in F 1-4 = A "a";`, "namespace ;", "types A = A A A;",
		`fn f(a<b<c>> d) = A "a";`, "enum e {", "//", `"`, "fn a|b.c() = A \"\\\";"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		file, err := Parse(src)
		if err != nil {
			if file != nil || !strings.HasPrefix(err.Error(), "line ") {
				t.Fatalf("error %q, file %v", err, file)
			}
			return
		}
		for _, fn := range file.Funcs {
			if fn.Name == "" || fn.Op == "" || fn.Line < 1 {
				t.Fatalf("function %+v", fn)
			}
			for _, v := range fn.Vars {
				if len(v.Types) == 0 || len(v.Types) > maxTypes {
					t.Fatalf("%s: variable %s stands for %d types", fn.Name, v.Name, len(v.Types))
				}
			}
		}
		if len(file.Docs()) == 0 {
			t.Fatal("no page")
		}
		// Names that are Go keywords, or that no type has, generate Go that does not compile. The
		// compiler and the tests of package builtin find those.
		_, _ = Generate(file)
	})
}
