package tensorop

import "sync"

// opTable returns the elementwise operations by name; the map must not be changed.
var opTable = sync.OnceValue(newOpTable)

// newOpTable lists the elementwise operations. In formats, $1, $2 and so on are the arguments and
// then the parameters, and {T} is the type that the kernel computes with.
func newOpTable() map[string]op {
	unary := func(kind opKind, format string, helpers ...string) op {
		return op{args: 1, kind: kind, format: format, helpers: helpers}
	}
	binary := func(kind opKind, format, integers string, helpers ...string) op {
		return op{args: 2, kind: kind, format: format, integers: integers, helpers: helpers}
	}
	test := func(args int, kind opKind, format string) op {
		return op{args: args, kind: kind, format: format, test: true}
	}
	table := map[string]op{
		"cast": unary(anyType, "$1"),
		"fill": {scalars: 1},

		"neg": {args: 1, kind: number, format: "-$1", integers: "{T}(0 - $1)"},
		"abs": {args: 1, kind: number, format: "fabs($1)", integers: "{T}($1 < 0 ? 0 - $1 : $1)"},
		"sign": {args: 1, kind: number, format: "($1 > 0 ? 1.0f : $1 < 0 ? -1.0f : $1)",
			integers: "{T}($1 > 0 ? 1 : $1 < 0 ? -1 : 0)"},
		"square":     {args: 1, kind: number, format: "$1 * $1", integers: "{T}($1 * $1)"},
		"reciprocal": unary(floating, "1.0f / $1"),
		"ceil":       {args: 1, kind: number, format: "ceil($1)", integers: "$1"},
		"floor":      {args: 1, kind: number, format: "floor($1)", integers: "$1"},
		"round":      {args: 1, kind: number, format: "round($1)", integers: "$1"},
		"rint":       {args: 1, kind: number, format: "rint($1)", integers: "$1"},
		"trunc":      {args: 1, kind: number, format: "trunc($1)", integers: "$1"},
		"sqrt":       unary(floating, "sqrt($1)"),
		"rsqrt":      unary(floating, "(1.0f / sqrt($1))"),
		"exp":        unary(floating, "precise::exp($1)"),
		"exp2":       unary(floating, "precise::exp2($1)"),
		"exp10":      unary(floating, "precise::exp10($1)"),
		"expm1":      unary(floating, "op_expm1($1)", expm1Text),
		"log":        unary(floating, "precise::log($1)"),
		"log2":       unary(floating, "precise::log2($1)"),
		"log10":      unary(floating, "precise::log10($1)"),
		"log1p":      unary(floating, "op_log1p($1)", log1pText),
		"sin":        unary(floating, "precise::sin($1)"),
		"cos":        unary(floating, "precise::cos($1)"),
		"tan":        unary(floating, "precise::tan($1)"),
		"asin":       unary(floating, "precise::asin($1)"),
		"acos":       unary(floating, "precise::acos($1)"),
		"atan":       unary(floating, "precise::atan($1)"),
		"sinh":       unary(floating, "precise::sinh($1)"),
		"cosh":       unary(floating, "precise::cosh($1)"),
		"tanh":       unary(floating, "precise::tanh($1)"),
		"asinh":      unary(floating, "precise::asinh($1)"),
		"acosh":      unary(floating, "precise::acosh($1)"),
		"atanh":      unary(floating, "precise::atanh($1)"),
		"erf":        unary(floating, "op_erf($1)", erfText),
		"not":        unary(anyType, "($1 == 0)"),
		"bit_not":    {args: 1, kind: integer, format: "{T}(~$1)"},
		"popcount":   unary(integer, "{T}(popcount($1))"),

		"is_nan":    test(1, floating, "isnan($1)"),
		"is_inf":    test(1, floating, "isinf($1)"),
		"is_finite": test(1, floating, "isfinite($1)"),

		// Activations. They let NaN through.
		"sigmoid":  unary(floating, "(1.0f / (1.0f + precise::exp(-$1)))"),
		"relu":     {args: 1, kind: number, format: "($1 < 0 ? 0 : $1)", integers: "{T}($1 < 0 ? 0 : $1)"},
		"softplus": unary(floating, "op_softplus($1)", log1pText, softplusText),
		"softsign": unary(floating, "($1 / (1.0f + fabs($1)))"),
		"silu":     unary(floating, "($1 / (1.0f + precise::exp(-$1)))"),
		"mish":     unary(floating, "($1 * precise::tanh(op_softplus($1)))", log1pText, softplusText),
		"gelu": unary(floating,
			"(0.5f * $1 * (1.0f + op_erf($1 * 0.7071067811865476f)))", erfText),
		"gelu_tanh": unary(floating, "(0.5f * $1 * (1.0f + precise::tanh(clamp(0.7978845608028654f * "+
			"($1 + 0.044715f * $1 * $1 * $1), -10.0f, 10.0f))))"),
		"leaky_relu": {args: 1, scalars: 1, kind: floating, format: "($1 < 0 ? $1 * $2 : $1)"},
		"elu": {args: 1, scalars: 1, kind: floating, format: "($1 < 0 ? $2 * op_expm1($1) : $1)",
			helpers: []string{expm1Text}},
		"selu": {args: 1, scalars: 2, kind: floating, format: "($1 < 0 ? $2 * $3 * op_expm1($1) : $3 * $1)",
			helpers: []string{expm1Text}},
		"celu": {args: 1, scalars: 1, kind: floating, format: "($1 < 0 ? $2 * op_expm1($1 / $2) : $1)",
			helpers: []string{expm1Text}},
		"hardsigmoid": {args: 1, scalars: 2, kind: floating,
			format: "($1 != $1 ? $1 : clamp($1 * $2 + $3, 0.0f, 1.0f))"},
		"linear":    {args: 1, scalars: 2, kind: floating, format: "($2 * $1 + $3)"},
		"clip":      {args: 1, scalars: 2, kind: floating, format: "($1 != $1 ? $1 : min(max($1, $2), $3))"},
		"threshold": {args: 1, scalars: 2, kind: floating, format: "($1 > $2 ? $1 : $3)"},

		"add":       binary(number, "$1 + $2", "{T}($1 + $2)"),
		"sub":       binary(number, "$1 - $2", "{T}($1 - $2)"),
		"mul":       binary(number, "$1 * $2", "{T}($1 * $2)"),
		"div":       binary(number, "$1 / $2", "op_div($1, $2)", divText),
		"div_nan":   binary(floating, "($2 == 0 ? 0.0f : $1 / $2)", ""), // 0 for a division by zero
		"floor_div": binary(number, "floor($1 / $2)", "op_floor_div($1, $2)", divText),
		// mod has the sign of the dividend, floor_mod that of the divisor.
		"mod":       binary(number, "fmod($1, $2)", "op_mod($1, $2)", divText),
		"floor_mod": binary(number, "op_floor_fmod($1, $2)", "op_floor_mod($1, $2)", divText),
		"pow":       binary(number, "precise::pow($1, $2)", "op_ipow($1, $2)", powText),
		"atan2":     binary(floating, "precise::atan2($1, $2)", ""),
		"copysign":  binary(floating, "copysign($1, $2)", ""),
		// A NaN among the arguments is the result of min and max; min_number and max_number return
		// the other argument.
		"min":        binary(number, "($1 != $1 || $1 < $2 ? $1 : $2)", "($1 < $2 ? $1 : $2)"),
		"max":        binary(number, "($1 != $1 || $1 > $2 ? $1 : $2)", "($1 > $2 ? $1 : $2)"),
		"min_number": binary(number, "fmin($1, $2)", "($1 < $2 ? $1 : $2)"),
		"max_number": binary(number, "fmax($1, $2)", "($1 > $2 ? $1 : $2)"),

		"equal":         test(2, anyType, "($1 == $2)"),
		"not_equal":     test(2, anyType, "($1 != $2)"),
		"less":          test(2, number, "($1 < $2)"),
		"less_equal":    test(2, number, "($1 <= $2)"),
		"greater":       test(2, number, "($1 > $2)"),
		"greater_equal": test(2, number, "($1 >= $2)"),
		"and":           test(2, anyType, "($1 != 0 && $2 != 0)"),
		"or":            test(2, anyType, "($1 != 0 || $2 != 0)"),
		"xor":           test(2, anyType, "(($1 != 0) != ($2 != 0))"),
		"nand":          test(2, anyType, "!($1 != 0 && $2 != 0)"),
		"nor":           test(2, anyType, "!($1 != 0 || $2 != 0)"),
		"xnor":          test(2, anyType, "(($1 != 0) == ($2 != 0))"),

		"bit_and": binary(logical, "", "{T}($1 & $2)"),
		"bit_or":  binary(logical, "", "{T}($1 | $2)"),
		"bit_xor": binary(logical, "", "{T}($1 ^ $2)"),
		// A shift by the type's width or more shifts all bits out.
		"shift_left":  binary(integer, "", "({T})(ulong($2) >= sizeof({T}) * 8 ? 0 : $1 << $2)"),
		"shift_right": binary(integer, "", "({T})($1 >> min(ulong($2), ulong(sizeof({T}) * 8 - 1)))"),

		"select": {args: 3, kind: anyType, format: "($1 ? $2 : $3)"},
		"clamp": {args: 3, kind: number, format: "($1 != $1 ? $1 : min(max($1, $2), $3))",
			integers: "min(max($1, $2), $3)"},
		"fma": {args: 3, kind: number, format: "fma($1, $2, $3)", integers: "{T}($1 * $2 + $3)"},
	}
	not := table["not"]
	not.test = true
	table["not"] = not
	return table
}

// Functions that the Metal Shading Language lacks.
const (
	// divText: a division by zero gives 0, and the least value by -1 wraps around.
	divText = `template <typename T> bool op_no_quotient(T a, T b) { return b == 0 || (b == T(-1) && T(-1) < T(0)); }
template <typename T> T op_div(T a, T b) { return b == 0 ? T(0) : op_no_quotient(a, b) ? T(0 - a) : T(a / b); }
template <typename T> T op_mod(T a, T b) { return op_no_quotient(a, b) ? T(0) : T(a % b); }
template <typename T> bool op_round_down(T m, T b) { return m != 0 && ((m < 0) != (b < 0)); }
template <typename T> T op_floor_mod(T a, T b) { T m = op_mod(a, b); return op_round_down(m, b) ? T(m + b) : m; }
template <typename T> T op_floor_div(T a, T b) {
    T q = op_div(a, b);
    return op_round_down(op_mod(a, b), b) ? T(q - 1) : q;
}
static float op_floor_fmod(float a, float b) { float m = fmod(a, b); return op_round_down(m, b) ? m + b : m; }
`
	// powText: by squaring; a negative exponent gives 1, -1 or 0.
	powText = `template <typename T> T op_ipow(T a, T n) {
    if (n < 0) return a == 1 ? T(1) : a == T(-1) ? ((n & 1) != 0 ? T(-1) : T(1)) : T(0);
    T r = 1;
    for (; n != 0; n = T(n >> 1)) { if ((n & 1) != 0) r = T(r * a); a = T(a * a); }
    return r;
}
`
	// log1pText and expm1Text: W. Kahan's corrections, as in N. Higham, "Accuracy and Stability of
	// Numerical Algorithms", 1.14.1.
	log1pText = `static float op_log1p(float x) {
    float u = 1.0f + x;
    if (u == 1.0f) return x;
    return u == INFINITY ? u : precise::log(u) * (x / (u - 1.0f));
}
`
	expm1Text = `static float op_expm1(float x) {
    float u = precise::exp(x);
    if (u == 1.0f) return x;
    if (isinf(u)) return u;
    float d = u - 1.0f;
    return d == -1.0f ? d : d * (x / precise::log(u));
}
`
	softplusText = `static float op_softplus(float x) {
    return x != x ? x : max(x, 0.0f) + op_log1p(precise::exp(-fabs(x)));
}
`
	// erfText: below 1 the Taylor series, above it the continued fraction of erfc.
	erfText = `static float op_erf(float x) {
    float a = fabs(x), z = x * x;
    if (a < 1.5f) {
        float term = x, sum = x;
        for (int n = 1; n < 22; n++) { term *= -z / float(n); sum += term / float(2 * n + 1); }
        return 1.1283791670955126f * sum;
    }
    if (a > 4.0f || a != a) return a != a ? x : copysign(1.0f, x);
    float f = a;
    for (int n = 24; n > 0; n--) f = a + 0.5f * float(n) / f;
    return copysign(1.0f - precise::exp(-z) * 0.5641895835477563f / f, x);
}
`
)
