package parse_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/budget"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// codesOf parses text and returns the codes of its diagnostics, in order. Exceeding the budget is
// one of them.
func codesOf(text string) (codes []diag.Code) {
	const most = 1 << 21 // in steps: a bound on work that does not depend on the load of the machine
	set, sink := diag.NewFileSet(), diag.NewSink()
	sink.SetBudget(budget.New(context.Background(), "parsing", budget.Limits{Steps: most}), budget.Limits{})
	parseFile(set, set.AddFile("test.metal", text), sink)
	for _, d := range sink.Diagnostics() {
		codes = append(codes, d.Code)
	}
	return codes
}

// nested returns middle wrapped n times.
func nested(n int, open, middle, close string) string {
	return strings.Repeat(open, n) + middle + strings.Repeat(close, n)
}

// TestLimits parses nested and repeated constructs: far below the limits without an error, and far
// above with one.
func TestLimits(t *testing.T) {
	for name, test := range map[string]struct {
		text func(n int) string
		low  int
		high int
		code diag.Code
	}{
		"parentheses": {func(n int) string { return "int a = " + nested(n, "(", "1", ")") + ";" }, 100, 5000,
			diag.NestingTooDeep},
		"negations": {func(n int) string { return "int a = " + nested(n, "- ", "1", "") + ";" }, 200, 5000,
			diag.NestingTooDeep},
		"casts": {func(n int) string { return "int a = " + nested(n, "(int)", "1", "") + ";" }, 200, 5000,
			diag.NestingTooDeep},
		"calls": {func(n int) string { return "int a = " + nested(n, "f(", "1", ")") + ";" }, 200, 5000,
			diag.NestingTooDeep},
		"constructions": {func(n int) string { return "int a = " + nested(n, "int(", "1", ")") + ";" }, 200, 5000,
			diag.NestingTooDeep},
		"indices": {func(n int) string { return "int a = " + nested(n, "b[", "1", "]") + ";" }, 200, 5000,
			diag.NestingTooDeep},
		"lists": {func(n int) string { return "int a = " + nested(n, "{", "1", "}") + ";" }, 200, 5000,
			diag.NestingTooDeep},
		"lambdas": {func(n int) string { return "int a = " + nested(n, "[] { return ", "1", "; }()") + ";" }, 50,
			5000, diag.NestingTooDeep},
		"template arguments": {func(n int) string {
			return "template <typename T> struct S {}; " + nested(n, "S<", "int", ">") + " a;"
		}, 100, 5000, diag.NestingTooDeep},
		"unknown arguments": {func(n int) string { return "int a = " + nested(n, "u<", "1", ">(1)") + ";" }, 100, 5000, ""},
		"blocks": {func(n int) string { return "void f() " + nested(n, "{", "", "}") }, 100, 5000,
			diag.NestingTooDeep},
		"ifs": {func(n int) string { return "void f() {" + nested(n, "if (1) ", ";", "") + "}" }, 100, 5000,
			diag.NestingTooDeep},
		"loops": {func(n int) string { return "void f() {" + nested(n, "for (;;) {", ";", "}") + "}" }, 100,
			5000, diag.NestingTooDeep},
		"dos": {func(n int) string { return "void f() {" + nested(n, "do ", ";", " while (1);") + "}" }, 100,
			5000, diag.NestingTooDeep},
		"namespaces": {func(n int) string { return nested(n, "namespace n {", "", "}") }, 200, 5000,
			diag.NestingTooDeep},
		"classes": {func(n int) string { return nested(n, "struct S {", "", "};") }, 200, 5000,
			diag.NestingTooDeep},
		"methods": {func(n int) string { return nested(n, "struct S { void f() {", "", "} };") }, 40, 5000,
			diag.NestingTooDeep},
		"templates": {func(n int) string {
			return nested(n, "template <template <typename T> class T = ", "1", "> struct S;")
		}, 0, 5000, ""},
		"template templates": {func(n int) string { return nested(n, "template <", "typename", "> class") + " S {};" }, 100,
			5000, diag.NestingTooDeep},
		"pointers": {func(n int) string { return "int " + strings.Repeat("*", n) + "a;" }, 200, 5000,
			diag.NestingTooDeep},
		"arrays": {func(n int) string { return "int a" + strings.Repeat("[1]", n) + ";" }, 200, 5000,
			diag.NestingTooDeep},
		"declarators": {func(n int) string { return "int " + nested(n, "(", "a", ")") + ";" }, 200, 5000,
			diag.NestingTooDeep},
		"parameters": {func(n int) string { return "int f" + nested(n, "(int", "", ")") + ";" }, 200, 5000,
			diag.NestingTooDeep},
		"assignments": {func(n int) string { return "void f() {" + strings.Repeat("a = ", n) + "1; }" }, 200, 5000,
			diag.NestingTooDeep},
		"decltypes": {func(n int) string { return "int a = " + nested(n, "sizeof(decltype(", "1", "))") + ";" }, 100, 5000,
			diag.NestingTooDeep},
		"sums": {func(n int) string { return "int a = 1" + strings.Repeat(" + 1", n) + ";" }, 5000, 20000,
			diag.ChainTooLong},
		"commas": {func(n int) string { return "void f() { 1" + strings.Repeat(", 1", n) + "; }" }, 5000, 20000,
			diag.ChainTooLong},
		"conditions": {func(n int) string { return "int a = " + strings.Repeat("1 ? 2 : ", n) + "3;" }, 5000, 20000,
			diag.ChainTooLong},
		"members": {func(n int) string { return "int a = b" + strings.Repeat(".c", n) + ";" }, 5000, 20000,
			diag.ChainTooLong},
		"else-ifs": {func(n int) string { return "void f() { if (1) ;" + strings.Repeat(" else if (1) ;", n) + "}" },
			5000, 20000, diag.ChainTooLong},
		"labels": {func(n int) string {
			return "void f(int a) { switch (a) {" + strings.Repeat("case 1: ", n) + "; } }"
		}, 5000, 20000, diag.ChainTooLong},
		"qualifiers": {func(n int) string { return "int a = " + strings.Repeat("b::", n) + "c;" }, 5000, 20000,
			diag.ChainTooLong},
		"declarations": {func(n int) string { return "int a" + strings.Repeat(", b", n) + ";" }, 5000, 20000,
			diag.ChainTooLong},
	} {
		t.Run(name, func(t *testing.T) {
			if test.code != "" {
				assert.Empty(t, codesOf(test.text(test.low)), "%d", test.low)
				assert.Equal(t, []diag.Code{test.code}, codesOf(test.text(test.high)), "%d", test.high)
			} else { // no limit is exceeded; if there is no valid length, the text is wrong at every length
				assert.Equal(t, test.low == 0, len(codesOf(test.text(test.high))) > 0)
			}
		})
	}
}

// TestAttempts parses texts that make the parser try several interpretations at every depth: it
// terminates, and reports each mistake once.
func TestAttempts(t *testing.T) {
	const head = "template <typename T> struct A { static int v; }; int v; "
	wrong := map[string][]diag.Code{
		"broken casts":               {diag.NestingTooDeep},
		"broken template arguments":  {diag.NestingTooDeep},
		"nested parameters":          {diag.NestingTooDeep},
		"declarations that are none": slices.Repeat([]diag.Code{diag.ExpectedToken}, 59),
	}
	for name, text := range map[string]string{
		"template arguments that are no types": head + "int x = " + nested(60, "(A<(", "1", ")>::v + 1)") + ";",
		"types in parentheses":                 head + "int x = " + nested(60, "(A<int>(", "1", ") + 1)") + ";",
		"unknown templates":                    "int x = " + nested(60, "u<(w<", "1", ">(2))>(1)") + ";",
		"comparisons":                          "int u; int x = " + nested(60, "(u < ", "1", ")") + ";",
		"lambdas in template arguments":        head + "void f() {" + nested(30, "A<sizeof([] { ", "", " }())> a; ") + "}",
		"casts of lambdas": "void f() { " + nested(30, "(int(*)())([] { ", "return 1;",
			" }) + 1; ") + "}",
		"declarations that are none": head + "void f() { " + nested(60, "A<(", "v", ")>(v) + 1;") + "}",
		"functions or variables":     head + "void f() { " + strings.Repeat("A<int> a(A<int>(v), A<int>(v));", 500) + "}",
		"nested parameters":          "void f() { int a" + nested(100, "(int(", "1", "))") + "; }",
		"broken template arguments":  head + "int x = " + strings.Repeat("A<(A<", 100) + ";",
		"a class within itself": head +
			"struct S { struct S { struct S { int a; }; unknown b; }; void f() { unknown c; } };",
		"circles of directives": "namespace a {} namespace b { " + strings.Repeat("using namespace a; ",
			50) + "} namespace a { " + strings.Repeat("using namespace b; ", 50) + " int x = y; }",
		"broken casts": "int x = " + strings.Repeat("(float(", 100) + ";",
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, wrong[name], codesOf(text))
		})
	}
}

// TestTruncated parses every text in testdata truncated at some hundred places. A text that ends
// within braces has an error.
func TestTruncated(t *testing.T) {
	within := 0
	for name, text := range seeds(t) {
		step := 1 + len(text)/400
		for i := 0; i < len(text); i += step {
			cut := text[:i]
			codes := codesOf(cut)
			if openBraces(cut) > 0 {
				within++
				require.NotEmpty(t, codes, "%s: %q", name, cut)
			}
		}
	}
	require.Greater(t, within, 1000)
}

// openBraces returns how many braces are open at the end of a text, or 0 if it has directives,
// which may skip some.
func openBraces(text string) (open int) {
	s := token.NewScanner(new(diag.FileSet).AddFile("a", text), diag.NewSink())
	for tok := s.Next(); tok.Kind != token.EOF; tok = s.Next() {
		switch tok.Kind {
		case token.Hash:
			return 0
		case token.LBrace:
			open++
		case token.RBrace:
			open--
		}
	}
	return open
}
