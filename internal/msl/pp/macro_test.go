package pp

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestExpand tests cases of macro replacement that preprocessors are known to get wrong.
func TestExpand(t *testing.T) {
	for _, tc := range []struct{ name, src, want string }{
		{"object", "#define N 4\nN N", "4 4"},
		{"empty", "#define E\na E b", "a b"},
		{"function", "#define ADD(a, b) ((a) + (b))\nADD(1, x)", "((1) + (x))"},
		{"not a call", "#define F(x) <x>\nF + F (1)", "F + <1>"},
		{"a call over several lines", "#define F(x, y) x-y\nF(\n1\n,\n2\n)", "1-2"},
		{"the parenthesis on the next line", "#define F(x) <x>\nF\n(1)", "<1>"},
		{"nothing in parentheses", "#define F() f\n#define G(x) <x>\nF() G()", "f <>"},
		{"commas within parentheses", "#define F(x) <x>\nF((a, b))", "<(a, b)>"},
		{"brackets and braces do not hold commas together", "#define F(x, y) <x|y>\nF([a, b])", "<[a|b]>"},
		{"a parameter hides a macro", "#define x 1\n#define F(x) x\nF(2) x", "2 1"},
		{"no space in the call, none in the result", "#define F(x) x\n-F(-)1", "--1"},

		{"a macro does not expand within itself", "#define A A + 1\nA", "A + 1"},
		{"nor two within each other", "#define A B a\n#define B A b\nA B", "A b a B a b"},
		{"a name that was passed over stays a name", "#define F(x) x\n#define A F(A)\nA F(A)", "A A"},
		{"a function within itself", "#define F(x) F(x + 1)\nF(F(0))", "F(F(0 + 1) + 1)"},
		{"an argument may use the same macro", "#define F(x) <x>\nF(F(F(1)))", "<<<1>>>"},
		{"the rest of the call comes from behind the expansion", "#define F(x) <x>\n#define G F\n#define H F(\nG(1) H 2)",
			"<1> <2>"},
		{"the name comes out of an argument", "#define F(x) <x>\n#define CALL(f) f(1)\nCALL(F) CALL(CALL)(F)",
			"<1> CALL(1)(F)"},
		{"rescanning reaches into what follows", "#define F(a) a*G\n#define G(a) F(a)\nF(2)(9)", "2*9*G"},
		{"a deferred macro expands on the next scan",
			"#define EMPTY\n#define DEFER(m) m EMPTY\n#define A() 1\n#define SCAN(x) x\nDEFER(A)() SCAN(DEFER(A)())", "A () 1"},
		{"an argument is expanded by itself", "#define OPEN (\n#define F(x) <x>\n#define ID(x) x\nID(F OPEN 1))", "<1>"},

		{"string", "#define S(x) #x\nS(a  +\tb) S() S( a ) S(a/**/b)", `"a + b" "" "a" "a b"`},
		{"a string of strings", `#define S(x) #x` + "\n" + `S("a\n" '\'' \n "")`, `"\"a\\n\" '\\'' \n \"\""`},
		{"a string takes the argument as written", "#define N 4\n#define S(x) #x\n#define T(x) S(x)\nS(N) T(N)", `"N" "4"`},
		{"a string of a call over lines", "#define S(...) #__VA_ARGS__\nS(a\n  b\n, #c)", `"a b , #c"`},
		{"# in a macro without parameters", "#define H # x\n#define S(x) #x\nS(H)", `"H"`},
		{"a string of all", "#define S(...) #__VA_ARGS__\nS(a, b ,c) S()", `"a, b ,c" ""`},

		{"paste", "#define C(a, b) a##b\nC(x, 1) C(1, 2) C(<, <=) C(., 5f) C(L, 'x')", "x1 12 <<= .5f L'x'"},
		{"paste with nothing", "#define C(a, b, c) <a##b##c>\nC(,,) C(1,,) C(,1,) C(,,1) C(1,,2)", "<> <1> <1> <1> <12>"},
		{"paste takes arguments as written", "#define N 4\n#define C(a, b) a ## b\n#define D(a, b) C(a, b)\nC(N, 1) D(N, 1)",
			"N1 41"},
		{"only the touching tokens are pasted", "#define C(a, b) a##b\nC(1 2, 3 4)", "1 23 4"},
		{"what is pasted may be a macro", "#define AB 7\n#define C(a, b) a##b\nC(A, B)", "7"},
		{"but not the macro itself", "#define CC(a, b) a##b\nCC(C, C)(1, 2)", "CC(1, 2)"},
		{"## between tokens of a macro without parameters", "#define P a ## b ## c\nP", "abc"},
		{"## that comes out of an argument is no operator",
			"#define H # ## #\n#define S(a) #a\n#define T(a) S(a)\n#define J(a, b) T(a H b)\nS(H) J(x, y)", `"H" "x ## y"`},
		{"%:%: is ## and %: is #", "#define C(a, b) a %:%: b %:a\nC(x, y)", `xy "x"`},

		{"variadic", "#define F(a, ...) f(a, __VA_ARGS__)\nF(1, 2, 3) F(1,) F(1)", "f(1, 2, 3) f(1, ) f(1, )"},
		{"named variadic", "#define F(a...) f(a)\n#define G(x, y...) g(y, x)\nF(1, 2) F() G(1, 2, 3)",
			"f(1, 2) f() g(2, 3, 1)"},
		{"GNU's comma", "#define F(a, ...) f(a, ##__VA_ARGS__)\n#define G(...) g(0, ##__VA_ARGS__)\nF(1) F(1, 2) F(1,) G() G(3)", "f(1) f(1,2) f(1,) g(0) g(0,3)"},
		{"GNU's comma expands what follows", "#define N 4\n#define F(a, ...) f(a, ##__VA_ARGS__)\nF(1, N)", "f(1,4)"},
		{"GNU's comma brings no space",
			"#define S(x) #x\n#define T(x) S(x)\n#define F(a, ...) a, ## __VA_ARGS__\nT((F(1, 2)))", `"(1,2)"`},
		{"__VA_OPT__", "#define F(a, ...) f(a __VA_OPT__(,) __VA_ARGS__)\n#define E\nF(1) F(1, 2) F(1, E)",
			"f(1 ) f(1 , 2) f(1 )"},
		{"__VA_OPT__ with parameters and parentheses", "#define F(x, ...) __VA_OPT__((x)(__VA_ARGS__)) end\nF(1) F(1, 2)",
			"end (1)(2) end"},
		{"## and __VA_OPT__", "#define F(x, ...) x ## __VA_OPT__(a b) ## c\nF(x) F(x, 2)", "xc xa bc"},
		{"# and __VA_OPT__", "#define F(x, ...) #__VA_OPT__(x  y)\nF(1) F(1, 2)", `"" "1 y"`},

		{"undef", "#define A 1\nA\n#undef A\n#undef B\nA", "1 A"},
		{"a new definition", "#define A 1\n#define B A\n#undef A\n#define A 2\nB", "2"},
		{"a definition within a call", "#define F(x) <x>\nF(\n#define A 1\nA\n#undef F\n)", "<1>"},
		{"a keyword may be a macro", "#define kernel k\n#define float double\nkernel float", "k double"},
		{"continued over lines", "#define A 1 \\\n + \\\n 2\nA", "1 + 2"},
		{"comments in a definition", "#define A /* x */ 1 // y\n#define F(/**/a/**/) /**/a/**/b\nA F(2)", "1 2 b"},
		{"a parenthesis that does not touch", "#define F (x)\nF", "(x)"},
		{"_Pragma leaves nothing", `#define P _Pragma("METAL fp contract(off)") for` + "\nP _Pragma(\"a b\") x", "for x"},
		{"unroll", "#pragma unroll\nfor x", "[[unroll]] for x"},
		{"unroll by a macro", "#define N (2 + 2)\n#pragma unroll N\nwhile x", "[[unroll((2 + 2))]] while x"},
		{"unroll in parentheses", "#pragma unroll(8)\ndo x", "[[unroll((8))]] do x"},
		{"unroll in an expansion", `#define FOR(x) _Pragma("unroll") for (x)` + "\nFOR(;;) x", "[[unroll]] for (;;) x"},
		{"unroll in Clang's words", "#pragma clang loop vectorize(disable) unroll(full)\nfor x", "[[unroll]] for x"},
		{"a count in Clang's words", "#pragma clang loop unroll_count(2 * (1 + N))\nfor x", "[[unroll(2 * (1 + N))]] for x"},
		{"not to be unrolled", "#pragma nounroll\nfor x\n#pragma clang loop unroll(disable)\nfor x",
			"[[unroll(1)]] for x [[unroll(1)]] for x"},
		{"unroll by another pragma", "#pragma GCC unroll 4\n_Pragma(\"message\") for x", "[[unroll(4)]] for x"},
		{"unroll in front of no loop", "#pragma unroll\nx; for", "x; for"},
		{"unroll by what is no factor", "#pragma unroll )(\nfor", "for"},
		{"#pragma leaves nothing", "#pragma METAL internals : enable\nx", "x"},
		{"push and pop", "#define A 1\n#pragma push_macro(\"A\")\n#undef A\n#define A 2\nA\n#pragma pop_macro(\"A\")\nA",
			"2 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			toks, diags, _ := process(t, tc.src, Options{})
			assert.Equal(t, tc.want, text(toks))
			assert.Empty(t, diags)
		})
	}
}

func TestBuiltinMacros(t *testing.T) {
	for _, tc := range []struct{ name, src, want string }{
		{"line", "__LINE__\n\n__LINE__ \\\n__LINE__", "1 3 4"},
		{"line within a macro", "#define L __LINE__\n#define ID(x) x\n\nL ID(L\n__LINE__)", "4 4 5"},
		{"file", `__FILE__ __FILE_NAME__ __BASE_FILE__` +
			"\n#line 7 \"x/b \\\"q\\\".metal\"\n__FILE__ __FILE_NAME__ __LINE__",
			`"a.metal" "a.metal" "a.metal" "x/b \"q\".metal" "b \"q\".metal" 7`},
		{"counter", "#define C(a, b) a##b\n#define D(a, b) C(a, b)\n__COUNTER__ D(x, __COUNTER__) __COUNTER__", "0 x1 2"},
		{"level", "__INCLUDE_LEVEL__", "0"},
		{"Metal", "__METAL__ __METAL_VERSION__ __METAL_MACOS__ __HAVE_BFLOAT__ __cplusplus", "1 320 1 1 201402L"},
		{"this compiler", "__PUREMETAL__", "1"},
		{"date and time are unknown", "__DATE__ __TIME__", `"??? ?? ????" "??:??:??"`},
		{"questions", "__has_attribute(unused) __has_cpp_attribute(nodiscard) __has_cpp_attribute(gnu::__packed__) __has_attribute(flying) __has_builtin(__builtin_x) __has_feature(cxx_lambdas) __has_extension(cxx_rvalue_references) __has_feature(objc_arc)",
			"1 1 1 0 0 1 1 0"},
		{"names", "__is_identifier(a) __is_identifier(kernel)", "1 0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			toks, diags, _ := process(t, tc.src, Options{})
			assert.Equal(t, tc.want, text(toks))
			assert.Empty(t, diags)
		})
	}
	toks, _, _ := process(t, "__METAL_VERSION__ __HAVE_BFLOAT__ __cplusplus", Options{MetalVersion: 300})
	assert.Equal(t, "300 __HAVE_BFLOAT__ 201402L", text(toks))
	toks, _, _ = process(t, "__METAL_VERSION__ __cplusplus", Options{MetalVersion: 400})
	assert.Equal(t, "400 201703L", text(toks))
}

func TestDefines(t *testing.T) {
	toks, diags, _ := process(t, "A B C(2) D __METAL_VERSION__", Options{Defines: map[string]string{
		"A": "1", "B": "", "C(x)": "<x>", "D": "a\nb\\", "__METAL_VERSION__": "999",
	}})
	assert.Equal(t, "1 <2> a b 999", text(toks))
	assert.Empty(t, diags)
	_, diags, fs := process(t, "", Options{Defines: map[string]string{"1x": "1"}})
	if assert.Len(t, diags, 1) {
		assert.Equal(t, "<command line>:1:9", fs.Position(diags[0].Pos).String())
	}
}

// TestSortedTables checks that the tables are sorted, as lookups require.
func TestSortedTables(t *testing.T) {
	for _, table := range [][]string{headerNames, attributes, features} {
		assert.IsIncreasing(t, table)
	}
}
