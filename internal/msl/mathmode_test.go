package msl

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/lower"
)

// modes compiles a kernel and returns for each of its square roots, in order, whether it is fast or
// safe.
func modes(t *testing.T, text, option string) string {
	t.Helper()
	m, diags := Compile(context.Background(), Source{Name: "a.metal", Text: text},
		Options{Math: lower.MathMode(option), Verify: true})
	require.Empty(t, texts(t, m.Files, diags))
	var list []string
	m.IR.Funcs[0].Body.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpSqrt {
			mode := "safe"
			if in.Flags&ir.Fast != 0 {
				mode = "fast"
			}
			list = append(list, mode)
		}
		return true
	})
	return strings.Join(list, " ")
}

// The pragma for the mathematics holds for the functions after it, or for the block that it begins.
func TestMathModePragma(t *testing.T) {
	const head = "#include <metal_stdlib>\nusing namespace metal;\n"
	const safe = "#pragma METAL fp math_mode(safe)\n"
	const fast = "_Pragma(\"METAL fp math_mode(fast)\")\n"
	const kernel = "kernel void k(device float *x) { x[0] = sqrt(x[0]);%s }\n"
	body := func(more string) string { return strings.Replace(kernel, "%s", more, 1) }
	for _, c := range []struct{ text, underFast, underSafe string }{
		{head + body(""), "fast", "safe"},
		{safe + head + body(""), "safe", "safe"},
		{head + safe + body(""), "safe", "safe"},
		{head + fast + body(""), "fast", "fast"},
		{head + body("") + safe, "fast", "safe"},
		{head + safe + fast + body(""), "fast", "fast"},
		{head + "namespace a { namespace b {\n" + safe + "} }" + body(""), "safe", "safe"},
		{head + "namespace a::b {\n" + safe + "}" + body(""), "safe", "safe"},
		{head + "struct A { int x; };\n" + safe + body(""), "safe", "safe"},
		{head + "inline float f(float x) {\n" + safe + "return sqrt(x); }\n" + body("x[1] = f(x[1]); x[2] = sqrt(x[2]);"),
			"fast safe fast", "safe safe safe"},
		{head + "inline float f(float x) { return sqrt(x); }\n" + safe + body("x[1] = f(x[1]); x[2] = sqrt(x[2]);"),
			"safe fast safe", "safe safe safe"},
		{head + body("{\n"+safe+"x[1] = sqrt(x[1]); if (x[2] > 0) x[2] = sqrt(x[2]); for (int i = 0; i < 3; i++) {"+
			"x[i] = sqrt(x[4]); } } x[3] = sqrt(x[3]);"), "fast safe safe safe fast", "safe safe safe safe safe"},
		{head + safe + body("auto f = [](float y) {\n"+fast+"return sqrt(y); }; x[1] = f(x[1]); x[2] = sqrt(x[2]); "+
			"x[3] = fast::sqrt(x[3]); x[4] = precise::sqrt(x[4]);"), "safe fast safe fast safe", "safe fast safe fast safe"},
		{head + "#define SAFE _Pragma(\"METAL fp math_mode(safe)\")\n" +
			"template <typename T> T f(T x) { SAFE return sqrt(x); }\n" + body("x[1] = f(x[1]);"), "fast safe", "safe safe"},
		{head + "#pragma METAL fp contract(off)\n#pragma METAL fp math_mode(other)\n#pragma METAL fp math_mode safe\n" +
			body(""), "fast", "safe"},
		{head + safe + "struct A { float y; A(float x) : y(sqrt(x)) {} };\n" + fast + body("x[1] = A(x[1]).y;"),
			"fast safe", "fast safe"},
	} {
		require.Equal(t, c.underFast, modes(t, c.text, ""), "%s", c.text)
		require.Equal(t, c.underFast, modes(t, c.text, "relaxed"), "%s", c.text)
		require.Equal(t, c.underSafe, modes(t, c.text, "safe"), "%s", c.text)
	}
}
