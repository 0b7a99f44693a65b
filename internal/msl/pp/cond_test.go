package pp

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestConditionals(t *testing.T) {
	for _, tc := range []struct{ name, src, want string }{
		{"if else", "#if 1\na\n#else\nb\n#endif\n#if 0\nc\n#else\nd\n#endif", "a d"},
		{"elif", "#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif", "b"},
		{"ifdef", "#define A\n#ifdef A\na\n#endif\n#ifndef A\nb\n#endif\n#ifdef B\nc\n#endif\n#ifndef B\nd\n#endif", "a d"},
		{"elifdef", "#define A\n#if 0\na\n#elifdef A\nb\n#endif\n#if 0\n#elifndef B\nc\n#endif", "b c"},
		{"nested", "#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\n#if 0\nc\n#else\nd\n#endif\n#endif\ne", "d e"},
		{"nested in what is taken", "#if 1\n#if 0\na\n#endif\nb\n#else\nc\n#endif", "b"},
		{"what is skipped need not be well formed",
			"#if 0\ndon't \"x\n#error no\n#include <nothing>\n#nonsense\n@ 0x '\n#define A 1\n#endif\nA", "A"},
		{"nor its conditions", "#if 0\n#if 1/0 (\n#elif @\n#endif\n#elif 1\na\n#elif ((\n#endif", "a"},
		{"a comment hides directives", "#if 1\n/*\n#else\n*/ a\n#endif", "a"},
		{"and in what is skipped", "#if 0\n/*\n#endif\n*/\n// \\\n#endif\na\n#endif\nb", "b"},
		{"a raw string hides them too", "#if 0\nR\"(\n#endif\n)\"\n#endif\na", "a"},
		{"# alone", "#\na\n # /* x */\nb", "a b"},
		{"spaces around", "  #  if 1 /* y\n */ \na\n # /* z */ endif", "a"},
		{"a digraph", "%:if 1\na\n%:endif", "a"},
		{"continued over lines", "#if 0 || \\\n 1\na\n#en\\\ndif", "a"},
		{"not at the beginning of the line", "#define H #\n#if 1\na\n#endif", "a"},
		{"within a call", "#define F(x) <x>\nF(\n#if 1\na\n#else\nb\n#endif\n)", "<a>"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			toks, diags, _ := process(t, tc.src, Options{})
			assert.Equal(t, tc.want, text(toks))
			assert.Empty(t, diags)
		})
	}
}

func TestConditions(t *testing.T) {
	const defs = "#define ONE 1\n#define EMPTY\n#define F(x) (x)\n#define DEF defined(ONE)\n#define HEADER <metal_stdlib>\n#define MYTRUE true\n"
	for expr, want := range map[string]bool{
		"1": true, "0": false, "1 + 2 * 3 == 7": true, "(1 + 2) * 3 == 9": true, "10 - 4 - 3 == 3": true,
		"100 / 10 / 5 == 2": true,
		"7 % 4 == 3":        true, "1 << 4 >> 2 == 4": true, "6 & 3 | 8 ^ 8": true, "6 & 1 ^ 0 | 0": false,
		"!0 && !1 || ~0": true,
		"-1 < 0":         true, "-1 < 0u": false, "-1 > 0u": true, "0x7fffffffffffffff + 1 < 0": true, "-1 / 2 == 0": true,
		"-1 >> 1 == -1": true, "-1u >> 63 == 1": true,
		"-9223372036854775807 - 1 == (-9223372036854775807 - 1) / -1": true,
		"1 << 64": false, "1 >> -1": false, "-1 >> 99 == -1": true, "0u - 1 >> 99 == 1": true, "- - 1 == 1": true,
		"!!2 == 1": true, "+3 == 3": true,
		"1 ? 2 : 3": true, "0 ? 1 : 0": false, "0 ? 1 : 0 ? 2 : 3": true, "1 ? 0 ? 5 : 0 : 7": false,
		"(1 ? -1 : 0u) > 0": true, "1 ? 2 ? 3 : 4 : 5": true,
		"0 && 1 / 0": false, "1 || 1 % 0": true, "1 ? 1 : 1 / 0": true, "0 || (0 && 1/0)": false,
		"UNKNOWN": false, "true": true, "false": false, "not 0 and 1": true, "MYTRUE": true, "1 or 1": true, "int == 0": true,
		"ONE": true, "EMPTY ONE EMPTY": true, "F(ONE) == 1": true, "F (2) == 2": true,
		"defined ONE": true, "defined(ONE)": true, "!defined NONE && !defined(NONE)": true, "DEF": true,
		"F(defined ONE)": true, "F(defined(NONE))": false, "defined F": true,
		"defined __LINE__ && defined(__has_include)": true, "__LINE__ == 7": true,
		"'a' == 97": true, "'\\n' == 10": true, "'\\377' < 0": true, "L'é' == 0xe9": true, "0b101 == 05": true,
		"1'000 == 1000":              true,
		"18446744073709551615 == -1": true, "0xFFFFFFFFFFFFFFFFu == ~0u": true,
		"__has_include(<metal_stdlib>)": true, "__has_include(<none>)": false, `__has_include("none.h")`: false,
		"__has_include(HEADER)": true, "__has_include (<simd/simd.h>) && 1": true,
		"__METAL_VERSION__ >= 310": true, "defined(__has_builtin) && __has_builtin(x)": false,
		"__has_attribute(unused)": true,
		"1 == 1u":                 true, "2 > 1 > 0": true, "1 < 2 == 1": true, "1 | 2 == 2": true,
	} {
		t.Run(expr, func(t *testing.T) {
			toks, diags, _ := process(t, defs+fmt.Sprintf("#if %s\nyes\n#else\nno\n#endif", expr), Options{})
			assert.Equal(t, map[bool]string{true: "yes", false: "no"}[want], text(toks))
			assert.Empty(t, diags)
		})
	}
}
