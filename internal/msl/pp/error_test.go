package pp

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/puremetal/puremetal/internal/msl/diag"
)

// TestErrors preprocesses wrong text: the messages, their positions, and the remaining tokens.
func TestErrors(t *testing.T) {
	for _, tc := range []struct {
		name, src string
		diags     []string // "code line:column message"
		want      string
	}{
		{"#error", "a\n#error don't \"do\n# error\nb", []string{`E0201 2:2 #error: don't "do`, "E0201 3:3 #error: "}, "a b"},
		{"#warning", "#warning soon", []string{"E0202 1:2 warning #warning: soon"}, ""},
		{"unknown", "#frobnicate x\n#endfi\n#\"x\"",
			[]string{"E0203 1:2 unknown directive '#frobnicate'", "E0203 2:2 unknown directive '#endfi'; did you mean '#endif'?",
				`E0203 3:2 unknown directive '#"x"'`}, ""},
		{"extra tokens", "#ifdef A x\n#else y\n#endif z\n#undef A B",
			[]string{"E0204 1:10 warning extra tokens at end of #ifdef", "E0204 2:7 warning extra tokens at end of #else",
				"E0204 3:8 warning extra tokens at end of #endif", "E0204 4:10 warning extra tokens at end of #undef"}, ""},
		{"no #endif", "#if 1\n#ifdef X\na",
			[]string{"E0206 2:2 unterminated #ifdef", "E0206 1:2 unterminated #if"}, ""},
		{"no #if", "#endif\n#else\n#elif 1\na",
			[]string{"E0207 1:2 #endif without #if", "E0207 2:2 #else without #if", "E0207 3:2 #elif without #if"}, "a"},
		{"two #else", "#if 0\n#else\na\n#else\nb\n#elif 1\nc\n#endif",
			[]string{"E0207 4:2 #else after #else", "E0207 6:2 #elif after #else"}, "a"},

		{"no expression", "#if\na\n#elif // x\nb\n#else\nc\n#endif",
			[]string{"E0208 1:2 expected expression after #if", "E0208 3:2 expected expression after #elif"}, "c"},
		{"no value", "#if 1 +\n#endif", []string{"E0208 1:7 expected a value after '+' in #if"}, ""},
		{"no operator", "#if 1 2\n#endif", []string{"E0208 1:7 unexpected '2' in the expression of #if"}, ""},
		{"parentheses", "#if (1\n#elif 1)\n#elif ()\n#endif",
			[]string{"E0208 1:5 missing ')' in #if", "E0208 2:8 ')' without '(' in #elif",
				"E0208 3:8 expected a value in #elif, not ')'"}, ""},
		{"questions", "#if 1 ? 2\n#elif 1 : 2\n#elif 1 ? (2 : 3)\n#elif 1 ? 2 : 3 : 4\n#endif",
			[]string{"E0208 1:7 '?' without ':'", "E0208 2:9 ':' without '?' in #elif", "E0208 3:14 ':' without '?' in #elif",
				"E0208 4:17 ':' without '?' in #elif"}, ""},
		{"wrong operands", "#if 1.5\n#elif \"x\"\n#elif 1 = 1\n#elif 09\n#elif 99999999999999999999\n#elif ''\n#elif 1, 2\n#endif", []string{
			"E0208 1:5 floating-point literal '1.5' in #if", `E0208 2:7 expected a value in #elif, not '"x"'`,
			"E0208 3:9 unexpected '=' in the expression of #elif",
			"E0106 4:7 invalid number: digit '9' in a literal of base 8: '09'",
			"E0111 5:7 integer literal is too large: '99999999999999999999'", "E0208 6:7 empty character constant",
			"E0208 7:8 unexpected ',' in the expression of #elif"}, ""},
		{"a function that is none", "#if FOO(1)\n#endif", []string{"E0208 1:5 function-like macro 'FOO' is not defined"}, ""},
		{"division by zero", "#if 1 / 0\n#elif 1 % (2 - 2)\n#elif 1 && 1 / 0\n#endif",
			[]string{"E0209 1:7 division by zero in #if", "E0209 2:9 division by zero in #elif",
				"E0209 3:14 division by zero in #elif"}, ""},
		{"defined what", "#if defined\n#elif defined(\n#elif defined(A\n#elif defined 1\n#endif",
			[]string{"E0208 1:5 macro name missing after 'defined'", "E0208 2:7 macro name missing after 'defined'",
				"E0208 3:7 missing ')' after 'defined'", "E0208 4:7 macro name missing after 'defined'"}, ""},
		{"has what", "#if __has_include(x\n#elif __has_include()\n#elif __has_include\n#elif __has_include(1)\n#endif\n__has_include(<a>)", []string{
			"E0217 1:5 missing ')' after '__has_include'", "E0216 2:7 '__has_include' needs an argument",
			"E0216 3:7 missing '(' after '__has_include'", `E0208 4:7 '__has_include' needs "file" or <file>`,
			"E0208 6:1 '__has_include' can only be used in #if and #elif"}, "0"},

		{"no name", "#define\n#undef\n#ifdef\n#endif\n#define 1\n#ifndef \"x\"\n#endif\n#define and 1", []string{
			"E0205 1:8 macro name missing in #define", "E0205 2:7 macro name missing in #undef",
			"E0205 3:7 macro name missing in #ifdef", "E0205 5:9 macro name in #define must be an identifier, not '1'",
			`E0205 6:9 macro name in #ifndef must be an identifier, not '"x"'`,
			"E0205 8:9 macro name in #define must be an identifier, not 'and'"}, ""},
		{"parameters", "#define A(\n#define B(x\n#define C(x y)\n#define D(x, x)\n#define E(1)\n#define F(..., x)\n#define G(x,)\n#define H(__VA_ARGS__)", []string{
			"E0213 1:9 missing ')' in parameter list of macro 'A'", "E0213 2:9 missing ')' in parameter list of macro 'B'",
			"E0213 3:13 expected ')' in parameter list of macro 'C', not 'y'",
			"E0213 4:14 macro 'D' has duplicate parameter name 'x'",
			"E0213 5:11 expected a parameter name in macro 'E', not '1'",
			"E0213 6:14 expected ')' in parameter list of macro 'F', not ','",
			"E0213 7:13 expected a parameter name in macro 'G', not ')'",
			"E0221 8:11 '__VA_ARGS__' cannot be used as a macro parameter name"}, ""},
		{"operators at the edge", "#define A ## x\n#define B x ##\n#define C(x) #y\n#define D(x) #\n#define E x ## ## y",
			[]string{
				"E0213 1:11 '##' cannot appear at start or end of macro 'A'",
				"E0213 2:13 '##' cannot appear at start or end of macro 'B'",
				"E0213 3:14 '#' is not followed by a parameter of macro 'C'",
				"E0213 4:14 '#' is not followed by a parameter of macro 'D'",
				"E0213 5:16 '##' cannot appear at start or end of macro 'E'"}, ""},
		{"variadics at the wrong place",
			"#define A(x) __VA_ARGS__\n#define B(x) __VA_OPT__(x)\n#define C(...) __VA_OPT__ x\n#define D(...) __VA_OPT__(x\n#define E(...) __VA_OPT__(__VA_OPT__(x))\n#define F(...) __VA_OPT__(## x)\n__VA_ARGS__", []string{
				"E0221 1:14 '__VA_ARGS__' in macro 'A', which is not variadic",
				"E0221 2:14 '__VA_OPT__' in macro 'B', which is not variadic", "E0221 3:16 missing '(' after '__VA_OPT__'",
				"E0221 4:9 unterminated '__VA_OPT__' in macro 'D'",
				"E0221 5:27 '__VA_OPT__' cannot be nested", "E0213 6:27 '##' cannot appear at start or end of macro 'F'",
				"E0221 7:1 '__VA_ARGS__' can only appear in the expansion of a variadic macro"}, "__VA_ARGS__"},
		{"reserved names", "#define defined 1\n#define __VA_ARGS__\n#define __LINE__ 3\n#undef __COUNTER__",
			[]string{"E0214 1:9 'defined' cannot be used as a macro name",
				"E0214 2:9 '__VA_ARGS__' cannot be used as a macro name", "E0214 3:9 warning #define of built-in macro '__LINE__'",
				"E0214 4:8 warning #undef of built-in macro '__COUNTER__'"}, ""},
		{"redefined", "#define A 1\n#define A 1\n#define A /**/ 1\n#define A 2\n#define B(x) x +1\n#define B(y) y +1\n#define B(y) y + 1\nA", []string{"E0215 4:9 warning macro 'A' redefined", "E0215 6:9 warning macro 'B' redefined", "E0215 7:9 warning macro 'B' redefined"}, "2"},
		{"no space", "#define A+1\nA", []string{"E0213 1:10 warning whitespace required after macro name 'A'"}, "+1"},

		{"arguments", "#define F(x, y) x\n#define G() g\nint a = F(1) + F(1, 2, 3) + F() + G(1);",
			[]string{"E0216 3:9 too few arguments provided to macro 'F': 1 given, 2 expected",
				"E0216 3:16 too many arguments provided to macro 'F': 3 given, 2 expected",
				"E0216 3:29 too few arguments provided to macro 'F': 1 given, 2 expected",
				"E0216 3:35 too many arguments provided to macro 'G': 1 given, 0 expected"}, "int a = 0 + 0 + 0 + 0;"},
		{"no closing parenthesis", "#define F(x) x\na F(1", []string{"E0217 2:3 unterminated argument list of macro 'F'"},
			"a"},
		{"paste", "#define C(a, b) a##b\nC(+, x) C(/, /) C(\"a\", \"b\")",
			[]string{"E0218 2:3 pasting '+' and 'x' does not form a valid token",
				"E0218 2:11 pasting '/' and '/' does not form a valid token",
				"E0218 2:19 pasting '\"a\"' and '\"b\"' does not form a valid token"}, `+ x / / "a" "b"`},
		{"an unclosed argument within a call", "#define F(x) x\n#define G(x) x\n#define L (\nF(G L 1)",
			[]string{"E0217 4:3 unterminated argument list of macro 'G'"}, ""},

		{"tokens", "a @ 09 0x 1.5q 99999999999999999999 '' 'ab 'c",
			[]string{"E0101 1:3 stray '@' in the program", "E0106 1:5 invalid number: digit '9' in a literal of base 8: '09'",
				"E0106 1:8 invalid number: no digits after '0x': '0x'",
				"E0106 1:11 invalid number: suffix 'q' on floating literal: '1.5q'",
				"E0111 1:16 integer literal is too large: '99999999999999999999'", "E0105 1:37 empty character constant"},
			"a 09 0x 1.5q 99999999999999999999 '\\0' 'ab 'c"},
		{"unterminated", "\"a\n'b\nR\"x(\n/*",
			[]string{"E0103 1:1 missing terminating '\"'", "E0104 2:1 missing terminating \"'\"",
				"E0110 3:1 unterminated or malformed raw string"}, `"" '\0' ""`},
		{"a comment without an end", "a /* b", []string{"E0102 1:3 unterminated /* comment"}, "a"},
		{"bytes", "a \xff \x01 § b # ##",
			[]string{"E0108 1:3 invalid UTF-8 in the source", "E0101 1:5 stray character U+0001 in the program",
				"E0101 1:7 stray character '§' (U+00A7) in the program", "E0101 1:12 stray '#' in the program",
				"E0101 1:14 stray '##' in the program"}, "a b"},
		{"escapes", `"\q" '\q' "\x" '\xfff'`,
			[]string{`E0107 1:1 warning unknown escape sequence '\q'`, `E0107 1:6 warning unknown escape sequence '\q'`,
				`E0107 1:11 \x without digits`, `E0107 1:16 hexadecimal escape is out of range`}, `"\q" '\q' "" '\0'`},
		{"one mistake in an argument that is used twice", "#define D(x) x x\nD(09)",
			[]string{"E0106 2:3 invalid number: digit '9' in a literal of base 8: '09'"}, "09 09"},

		{"#line", "#line\n#line x\n#line 0x5\n#line 5 x\n#line 5 \"a\" 7\n#line 99999999999",
			[]string{"E0205 1:2 #line requires a line number", "E0205 2:2 #line requires a line number",
				"E0205 3:7 #line requires a decimal line number up to 2147483647, not '0x5'",
				"E0205 4:9 #line requires a file name in quotes, not 'x'", "E0204 5:13 warning extra tokens at end of #line",
				"E0205 5:7 #line requires a decimal line number up to 2147483647, not '99999999999'"}, ""},
		{"#pragma", "#pragma once\n#pragma push_macro(x)\n#pragma pop_macro(\"x\")",
			[]string{"E0222 1:2 warning #pragma once in the main file",
				"E0222 2:9 warning #pragma push_macro needs a name as in push_macro(\"name\")",
				"E0222 3:9 warning #pragma pop_macro(\"x\") without push_macro"}, ""},
		{"_Pragma", "_Pragma x _Pragma(1)",
			[]string{"E0222 1:1 _Pragma needs a string in parentheses", "E0222 1:11 _Pragma needs a string in parentheses"},
			"x(1)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			toks, diags, fs := process(t, tc.src, Options{})
			var got []string
			for _, d := range diags {
				at := fs.Position(d.Pos)
				severity := ""
				if d.Severity != diag.Error {
					severity = d.Severity.String() + " "
				}
				got = append(got, fmt.Sprintf("%s %d:%d %s%s", d.Code, at.Line, at.Column, severity, d.Message))
			}
			assert.Equal(t, tc.diags, got)
			assert.Equal(t, tc.want, text(toks))
		})
	}
}
