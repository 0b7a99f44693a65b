package values

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/msl/types"
)

var scalarTypes = []*types.Basic{types.Bool, types.Char, types.UChar, types.Short, types.UShort, types.Int, types.UInt,
	types.Long, types.ULong,
	types.Half, types.BFloat, types.Float}

// exactFloat returns the bits of the floating-point number nearest to an integer.
func exactFloat(t *types.Basic, n *big.Int) uint64 {
	cut := new(big.Float).SetPrec(53).SetMode(big.ToZero).SetInt(n)
	f, _ := cut.Float64()
	if whole, _ := cut.Int(nil); whole.Cmp(n) != 0 {
		f = math.Float64frombits(math.Float64bits(f) | 1) // to odd, so that the next rounding sees the remainder
	}
	return nearest(t, f)
}

// converted returns a number converted as in C++ or, if C++ leaves that undefined, as in our IR:
// floats out of an integer's range are clamped, and NaN becomes 0.
func converted(from, to *types.Basic, bits uint64) uint64 {
	switch {
	case from == to:
		return bits
	case to == types.Bool && from.IsFloat():
		return isTrue(meaning(from, bits) != 0)
	case to == types.Bool:
		return isTrue(bits != 0)
	case from.IsFloat() && to.IsFloat():
		return nearest(to, meaning(from, bits))
	case to.IsFloat():
		return exactFloat(to, number(from, bits))
	case from.IsFloat():
		f := meaning(from, bits)
		switch {
		case f != f:
			return 0
		case math.IsInf(f, 0):
			f = math.Copysign(1e38, f)
		}
		n, _ := new(big.Float).SetFloat64(f).Int(nil)
		return clamped(to, n)
	}
	return wrapped(to, number(from, bits))
}

func isTrue(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// promoted and common are the rules of C++ with Metal's floating-point types.
func promoted(t *types.Basic) *types.Basic {
	if t == types.Bool || t.IsInteger() && t.Size() < 4 {
		return types.Int
	}
	return t
}

func common(a, b *types.Basic) *types.Basic {
	for _, f := range []*types.Basic{types.Float, types.Half, types.BFloat} {
		if other := a.IsFloat() && b.IsFloat() && a != b && f != types.Float; (a == f || b == f) && !other {
			return f
		} else if (a == f || b == f) && other {
			return nil // half and bfloat
		}
	}
	a, b = promoted(a), promoted(b)
	order := []*types.Basic{types.ULong, types.Long, types.UInt, types.Int}
	return order[min(slices.Index(order, a), slices.Index(order, b))]
}

var operators = []string{"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&",
	"||"}

// operandsOf returns the types an operator converts its operands to and the type of its result, or
// nil if it does not apply.
func operandsOf(op string, a, b *types.Basic) (left, right, result *types.Basic) {
	switch op {
	case "&&", "||":
		return types.Bool, types.Bool, types.Bool
	case "<<", ">>":
		if a.IsFloat() || b.IsFloat() {
			return nil, nil, nil
		}
		return promoted(a), promoted(b), promoted(a)
	}
	c := common(a, b)
	switch {
	case c == nil, c.IsFloat() && strings.Contains("%&|^", op):
		return nil, nil, nil
	case strings.ContainsAny(op, "<>="):
		return c, c, types.Bool
	}
	return c, c, c
}

// applied returns the result of an operator on operands of one type; for shifts, that of the left
// operand.
func applied(op string, t *types.Basic, x, y uint64, shiftBy *types.Basic) uint64 {
	if t.IsFloat() {
		a, b := meaning(t, x), meaning(t, y)
		switch op {
		case "+":
			return nearest(t, a+b)
		case "-":
			return nearest(t, a-b)
		case "*":
			return nearest(t, a*b)
		case "/":
			return nearest(t, a/b)
		}
		return isTrue(map[string]bool{"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op])
	}
	a, b := number(t, x), number(t, y)
	n := new(big.Int)
	c := a.Cmp(b)
	switch op {
	case "+":
		n.Add(a, b)
	case "-":
		n.Sub(a, b)
	case "*":
		n.Mul(a, b)
	case "/":
		if b.Sign() != 0 {
			n.Quo(a, b)
		}
	case "%":
		n.Set(a)
		if b.Sign() != 0 {
			n.Rem(a, b)
		}
	case "&":
		return x & y
	case "|":
		return x | y
	case "^":
		return x ^ y
	case "<<", ">>":
		count := uint(new(big.Int).Mod(number(shiftBy, y), big.NewInt(int64(8*t.Size()))).Int64())
		if n.Lsh(a, count); op == ">>" {
			n.Rsh(a, count)
		}
	case "&&":
		return x & y
	case "||":
		return x | y
	default:
		return isTrue(map[string]bool{"==": c == 0, "!=": c != 0, "<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0}[op])
	}
	return wrapped(t, n)
}

// binaryOf returns the result of an operator on numbers of two types, and its type.
func binaryOf(op string, a, b *types.Basic, x, y uint64) (*types.Basic, uint64) {
	l, r, result := operandsOf(op, a, b)
	return result, applied(op, l, converted(a, l, x), converted(b, r, y), r)
}

// pairCases are the numbers to test operators on.
func pairCases(a, b *types.Basic) [][]uint64 {
	all := inputs(numSpecials*numSpecials+200, a, b)
	step, n := 19, 96
	if a == b {
		step, n = 3, 600
	}
	out := make([][]uint64, 2)
	for k := range n {
		i := k * step % len(all[0])
		out[0], out[1] = append(out[0], all[0][i]), append(out[1], all[1][i])
	}
	return out
}

// assignable reports whether an operator has an assignment form whose result type converts to the
// operand's: float does not convert to bfloat.
func assignable(op int, to, result *types.Basic) bool {
	return op < 10 && (to != types.BFloat || result != types.Float)
}

// TestOperators tests each binary operator and its assignment form on all pairs of scalar types,
// and checks the type of the result.
func TestOperators(t *testing.T) {
	var text strings.Builder
	text.WriteString(head)
	type pair struct{ a, b *types.Basic }
	var pairs []pair
	for _, a := range scalarTypes {
		for _, b := range scalarTypes {
			name := fmt.Sprintf("%s_%s", a, b)
			params := fmt.Sprintf("device const %s *a [[buffer(0)]], device const %s *b [[buffer(1)]]", a, b)
			var plain, assign, outs, sets strings.Builder
			for n, op := range operators {
				_, _, r := operandsOf(op, a, b)
				if r == nil {
					continue
				}
				fmt.Fprintf(&outs, ", device %s *r%d [[buffer(%d)]]", r, n, 2+n)
				fmt.Fprintf(&plain, "static_assert(is_same_v<decltype(a[i] %s b[i]), %s>, \"\"); r%d[i] = a[i] %s b[i];\n", op, r,
					n, op)
				if assignable(n, a, r) {
					fmt.Fprintf(&sets, ", device %s *r%d [[buffer(%d)]]", a, n, 2+n)
					fmt.Fprintf(&assign, "{ %s x = a[i]; x %s= b[i]; r%d[i] = x; }\n", a, op, n)
				}
			}
			fmt.Fprintf(&text, "kernel void op_%s(%s%s, uint i [[thread_position_in_grid]]) {\n%s}\n", name, params,
				outs.String(), plain.String())
			fmt.Fprintf(&text, "kernel void set_%s(%s%s, uint i [[thread_position_in_grid]]) {\n%s}\n", name, params,
				sets.String(), assign.String())
			pairs = append(pairs, pair{a, b})
		}
	}
	m := compile(t, "operators.metal", text.String())
	for _, p := range pairs {
		in := pairCases(p.a, p.b)
		n := len(in[0])
		for _, assign := range []bool{false, true} {
			l := &launch{kernel: fmt.Sprintf("op_%s_%s", p.a, p.b), grid: [3]int{n}, group: [3]int{32},
				buffers: map[int][]byte{}}
			if assign {
				l.kernel = strings.Replace(l.kernel, "op", "set", 1)
			}
			for j, e := range []*types.Basic{p.a, p.b} {
				l.buffers[j] = fill(e, n, func(i, _ int) uint64 { return in[j][i] })
			}
			for j := range operators {
				l.buffers[2+j] = make([]byte, 8*n)
			}
			run(t, m, l)
			for j, op := range operators {
				if _, _, r := operandsOf(op, p.a, p.b); r == nil || assign && !assignable(j, p.a, r) {
					continue
				}
				bad := 0
				for i := range n {
					r, want := binaryOf(op, p.a, p.b, in[0][i], in[1][i])
					if assign {
						r, want = p.a, converted(r, p.a, want)
					}
					if have := laneOf(r, l.buffers[2+j], i, 0); !same(r, want, have, 0) {
						if bad++; bad <= 2 {
							t.Errorf("%s: %s %s %s: %s, want %s", l.kernel, show(p.a, in[0][i]), op, show(p.b, in[1][i]), show(r, have),
								show(r, want))
						}
					}
				}
			}
		}
	}
}

// unaries are the expressions of unary operators.
var unaries = []string{"-x", "+x", "!x", "~x", "++x", "--x", "x++", "x--"}

// unary returns the result of an operator and the value left in the operand. result is nil if the
// operator does not apply to the type.
func unary(op string, t *types.Basic, x uint64) (result *types.Basic, value, left uint64) {
	one := uint64(1)
	switch op {
	case "!x":
		return types.Bool, 1 - converted(t, types.Bool, x), x
	case "~x":
		if t.IsFloat() {
			return nil, 0, 0
		}
		p := promoted(t)
		return p, wrapped(p, new(big.Int).Not(number(t, x))), x
	case "+x":
		return promoted(t), converted(t, promoted(t), x), x
	case "-x":
		if t.IsFloat() {
			exp, man := formatOf(t)
			return t, x ^ 1<<(exp+man), x
		}
		return promoted(t), wrapped(promoted(t), new(big.Int).Neg(number(t, x))), x
	}
	if t == types.Bool {
		return nil, 0, 0
	}
	if t.IsFloat() {
		one = nearest(t, 1)
	}
	left = applied(op[strings.IndexAny(op, "+-"):][:1], t, x, one, nil)
	if op[0] == 'x' {
		return t, x, left
	}
	return t, left, left
}

// TestUnaryOperators tests unary operators on all types and, lane by lane, on vectors.
func TestUnaryOperators(t *testing.T) {
	var text strings.Builder
	text.WriteString(head)
	for _, e := range scalarTypes {
		fmt.Fprintf(&text, "kernel void %s_1(device const %s *a [[buffer(0)]], device %[2]s *left [[buffer(1)]]", e, e)
		var body strings.Builder
		for n, op := range unaries {
			if r, _, _ := unary(op, e, 0); r != nil {
				fmt.Fprintf(&text, ", device %s *r%d [[buffer(%d)]]", r, n, 2+n)
				fmt.Fprintf(&body, "{ %s x = a[i]; r%d[i] = %s; left[i * 8 + %d] = x; }\n", e, n, op, n)
			}
		}
		fmt.Fprintf(&text, ", uint i [[thread_position_in_grid]]) {\n%s}\n", body.String())
	}
	m := compile(t, "unary.metal", text.String())
	for _, e := range scalarTypes {
		in := inputs(200, e)[0]
		n := len(in)
		l := &launch{kernel: e.String() + "_1", grid: [3]int{n}, group: [3]int{32},
			buffers: map[int][]byte{0: fill(e, n, func(i, _ int) uint64 { return in[i] }), 1: make([]byte, 64*n)}}
		for j := range unaries {
			l.buffers[2+j] = make([]byte, 8*n)
		}
		run(t, m, l)
		for j, op := range unaries {
			for i := range n {
				r, want, left := unary(op, e, in[i])
				if r == nil {
					continue
				}
				if have := laneOf(r, l.buffers[2+j], i, 0); !same(r, want, have, 0) {
					t.Errorf("%s of %s %s: %s, want %s", op, e, show(e, in[i]), show(r, have), show(r, want))
				}
				if have := laneOf(e, l.buffers[1], i*8+j, 0); !same(e, left, have, 0) {
					t.Errorf("%s of %s %s leaves %s, want %s", op, e, show(e, in[i]), show(e, have), show(e, left))
				}
			}
		}
	}
}
