package msl

import (
	"github.com/puremetal/puremetal/internal/msl/diag"
)

// hostileText stresses the readers of the text: the preprocessor, the scanner and the parser.
var hostileText = []hostile{
	{"decltype lambda params", 20, diag.CompileBudget, 1 << 21, func(n int) string {
		return "void f() { " + rep("int a(int x[sizeof([] { ", n) + "return 1;" + rep(" }())]); return 1;", n) +
			" }"
	}},
	{"ternary double", 100, diag.NestingTooDeep, 1 << 11, func(n int) string {
		return kern + "*p = " + rep("(*p ? ", n) + "1" + rep(" : 2)", n) + "; }"
	}},
	{"ternary lvalue", 100, diag.NestingTooDeep, 1 << 11, func(n int) string {
		return kern + "int a, b; " + rep("(*p ? ", n) + "a" + rep(" : b)", n) + " = 1; *p = a + b; }"
	}},
	{"ternary lvalue struct", 100, diag.NestingTooDeep, 1 << 11, func(n int) string {
		return "struct S { float4 v[4]; };" + kern + "S a, b; S c = " + rep("(*p ? ", n) + "a" + rep(" : b)",
			n) + "; *p = c.v[1].x; }"
	}},
	{"parentheses", 250, diag.NestingTooDeep, 1 << 10, func(n int) string {
		return kern + "*p = " + rep("(", n) + "1" + rep(")", n) + "; }"
	}},
	{"unmatched brackets", 100000, diag.ExpectedDeclaration, 1 << 19, func(n int) string {
		return rep("(", n) + rep("]", n)
	}},
	{"unmatched braces", 100000, diag.ExpectedDeclaration, 1 << 18, func(n int) string {
		return rep("{", n) + rep(")", n)
	}},
	{"many errors", 20000, diag.UndeclaredName, 1 << 18, func(n int) string {
		return kern + rep("x = 1; ", n) + "}"
	}},
	{"many warnings", 20000, "", 1 << 17, func(n int) string {
		return kern + rep("1; ", n) + "}"
	}},
	{"many warnings pp", 20000, diag.ExpectedDeclaration, 1 << 16, func(n int) string {
		return rep("\"\\q\" ", n)
	}},
	{"strings", 20000, diag.GlobalSpace, 1 << 16, func(n int) string {
		return "constant char *s = " + rep("\"aaaaaaaaaa\" ", n) + ";"
	}},
	{"string kernels", 300, "", 1 << 15, func(n int) string {
		return kern + "constant char *s; " + lines("s = \"a# "+rep("x", 1000)+"\"; *p += s[*p];", n) + "}"
	}},
	{"if chains", 20000, "", 1 << 18, func(n int) string {
		return rep("#if 0\n#elif 1\n#endif\n", n)
	}},
	{"if nest expr", 9000, diag.NestedTooDeeply, 1 << 16, func(n int) string {
		return "#if " + rep("(1 + ", n) + "1" + rep(")", n) + "\n#endif\n"
	}},
	{"if defined", 10000, "", 1 << 17, func(n int) string {
		return "#define A 1\n" + rep("#if defined(A) && A\n#endif\n", n)
	}},
	{"macro doubling", 60, diag.ExpansionTooLarge, 1 << 20, func(n int) string {
		return "#define A0 x x\n" + lines("~define A# A@ A@\n", n) + sp("A%d", n)
	}},
	{"macro args doubling", 60, diag.ExpansionTooLarge, 1 << 19, func(n int) string {
		return "#define D(x) x x\n" + rep("D(", n) + "1" + rep(")", n)
	}},
	{"macro args nest", 2000, diag.ExpansionTooLarge, 1 << 7, func(n int) string {
		return "#define F(x) x\n" + rep("F(", n) + "1" + rep(")", n)
	}},
	{"macro paste", 30, diag.ExpansionTooLarge, 1 << 7, func(n int) string {
		return "#define P(x) x##x\n#define D(x) P(x)\n" + rep("D(", n) + "a" + rep(")", n)
	}},
	{"macro deep positions", 2000, "", 1 << 18, func(n int) string {
		return "#define A0 x = 1; y = 2; z = 3;\n" + lines("~define A# A@\n", n) + kern + "int x, y, z;" + rep(
			sp("A%d ", n), 100) + " *p = x; }"
	}},
	{"macro deep errors", 2000, diag.UndeclaredName, 1 << 18, func(n int) string {
		return "#define A0 x = 1; y = 2; z = 3;\n" + lines("~define A# A@\n", n) + kern + rep(sp("A%d ", n),
			100) + " *p = x; }"
	}},
	{"macro line deep", 2000, "", 1 << 18, func(n int) string {
		return "#define A0 __LINE__ + __LINE__ + \n" + lines("~define A# A@\n", n) + kern + "*p = " + rep(sp(
			"A%d ", n), 100) + " 1; }"
	}},
	{"stringify", 300, diag.ExpansionTooLarge, 1 << 13, func(n int) string {
		return "#define S(x) #x\n#define T(x) S(x x)\n" + kern + rep("T(T(T(T(T(T(T(T(1))))))));", n) + "}"
	}},
	{"macro params", 1000, diag.ExpectedDeclaration, 1 << 16, func(n int) string {
		return "#define F(" + lines("a#,", n) + "z) " + lines("a# ", n) + "\n" + rep("F("+rep("1,", n)+"1)\n",
			30)
	}},
	{"unknown directives", 20000, diag.UnknownDirective, 1 << 7, func(n int) string {
		return rep("#abcdefg\n", n)
	}},
	{"unknown headers", 20000, diag.HeaderNotFound, 1 << 7, func(n int) string {
		return rep("#include <abcdefghijklmnopqrstuvwxyz>\n", n)
	}},
	{"line directives", 10000, diag.GlobalSpace, 1 << 17, func(n int) string {
		return rep("#line 7 \"abc\"\nint x;\n", n)
	}},
	{"file macro", 1000, diag.ExpansionTooLarge, 1 << 8, func(n int) string {
		return "#line 1 \"" + rep("a", 100000) + "\"\n" + rep("__FILE__ ", n)
	}},
	{"pragma operators", 10000, "", 1 << 16, func(n int) string {
		return rep("_Pragma(\"unroll\") ", n)
	}},
	{"comments", 200000, diag.ExpectedToken, 1 << 17, func(n int) string {
		return "#define F(x) x\n" + rep("F/**/", n/5)
	}},
	{"splices", 50000, diag.GlobalSpace, 1 << 7, func(n int) string {
		return "int a" + rep("\\\n", n) + "b;"
	}},
	{"splice identifiers", 20000, diag.ExpectedToken, 1 << 16, func(n int) string {
		return rep("a\\\nb ", n)
	}},
	{"raw strings", 50000, diag.UnterminatedRaw, 1 << 2, func(n int) string {
		return rep("R\"abc(", n)
	}},
	{"switch dup ranges", 2000, diag.DuplicateCase, 1 << 16, func(n int) string {
		return kern + "switch (*p) {" + rep("case 1: *p = 2; break;\n", n) + "} }"
	}},
	{"logical nest", 200, diag.NestingTooDeep, 1 << 12, func(n int) string {
		return kern + "*p = " + rep("(*p && ", n) + "*p" + rep(" || *p)", n) + "; }"
	}},
	{"commas", 4000, "", 1 << 17, func(n int) string {
		return kern + "int a = (" + rep("*p = 1, ", n) + "2); *p = a; }"
	}},
	{"assign chain", 250, "", 1 << 12, func(n int) string {
		return kern + "int a; " + rep("a = ", n) + "2; *p = a; }"
	}},
	{"namespaces reopened", 4000, "", 1 << 18, func(n int) string {
		return rep("namespace a { int f(int); using namespace a; }\n", n) + kern + "}"
	}},
	{"attributes", 4000, diag.GlobalSpace, 1 << 14, func(n int) string {
		return "[[" + rep("a, ", n) + "b]] int x;"
	}},
	{"long identifiers", 60, diag.GlobalSpace, 1 << 11, func(n int) string {
		return lines("int "+rep("a", 10000)+"#;", n) + kern + lines(rep("a", 10000)+"x# = 1;", n) + "}"
	}},
	{"suggestions", 2000, diag.UndeclaredName, 1 << 18, func(n int) string {
		return lines("constant int abcdefghij# = 1;", n) + kern + lines("abcdefghijk# = 1;", 100) + "}"
	}},
	{"blocks scopes", 250, diag.NestingTooDeep, 1 << 12, func(n int) string {
		return kern + rep("{ int x = 1; ", n) + "y = 1;" + rep("}", n) + " }"
	}},
}
