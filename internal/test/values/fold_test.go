package values

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/msl/types"
)

// spelledConst returns the source of a constant of a type with given bits.
func spelledConst(t *types.Basic, bits uint64) string {
	switch {
	case t == types.Bool:
		return fmt.Sprint(bits != 0)
	case t == types.Float:
		return fmt.Sprintf("as_type<float>(%#xu)", bits)
	case t.IsFloat():
		return fmt.Sprintf("as_type<%s>(ushort(%#x))", t, bits)
	}
	return fmt.Sprintf("%s(%#xul)", t, bits)
}

// folded is a constant expression with its expected value.
type folded struct {
	text string
	t    *types.Basic
	want uint64
	// open says that C++ leaves the value undefined, so that the expression is not constant; its
	// value is then that at run time.
	open bool
}

// leftOpen reports whether C++ leaves the result of an operator undefined: a signed number out of
// range, or a shift by too much.
func leftOpen(op string, t *types.Basic, x, y *big.Int) bool {
	exact := new(big.Int)
	switch {
	case op == "<<" || op == ">>":
		return y.Sign() < 0 || y.Cmp(big.NewInt(int64(8*t.Size()))) >= 0
	case !t.IsSigned() || t.IsFloat():
		return false
	case op == "+":
		exact.Add(x, y)
	case op == "-":
		exact.Sub(x, y)
	case op == "*":
		exact.Mul(x, y)
	case op == "/" || op == "%":
		exact.Quo(x, y)
	}
	return number(t, clamped(t, exact)).Cmp(exact) != 0
}

// checkFolded has the compiler evaluate constant expressions, which must succeed, and checks the
// values in memory.
func checkFolded(t *testing.T, name string, all []folded) {
	var text strings.Builder
	text.WriteString(head)
	const chunk = 500 // expressions per kernel
	slots := map[*types.Basic]int{}
	for i, e := range scalarTypes {
		slots[e] = i
	}
	for start := 0; start < len(all); start += chunk {
		fmt.Fprintf(&text, "kernel void k%d(", start)
		for i, e := range scalarTypes {
			fmt.Fprintf(&text, "device %s *r%d [[buffer(%d)]], ", e, i, i)
		}
		text.WriteString("uint i [[thread_position_in_grid]]) {\n")
		for i, f := range all[start:min(start+chunk, len(all))] {
			qualifier := "constexpr"
			if f.open {
				qualifier = "const"
			}
			fmt.Fprintf(&text, "{ %s %s c = %s; r%d[%d] = c; }\n", qualifier, f.t, f.text, slots[f.t], i)
		}
		text.WriteString("}\n")
	}
	m := compile(t, name, text.String())
	bad := 0
	for start := 0; start < len(all); start += chunk {
		l := &launch{kernel: fmt.Sprintf("k%d", start), grid: [3]int{1}, group: [3]int{1}, buffers: map[int][]byte{}}
		for i := range scalarTypes {
			l.buffers[i] = make([]byte, 8*chunk)
		}
		run(t, m, l)
		for i, f := range all[start:min(start+chunk, len(all))] {
			if have := laneOf(f.t, l.buffers[slots[f.t]], i, 0); !same(f.t, f.want, have, 0) {
				if bad++; bad <= 20 {
					t.Errorf("%s: %s, want %s", f.text, show(f.t, have), show(f.t, f.want))
				}
			}
		}
	}
	if bad > 20 {
		t.Errorf("%d more", bad-20)
	}
}

// TestFoldedOperators: constant expressions give the same results as TestOperators at run time.
func TestFoldedOperators(t *testing.T) {
	var all []folded
	for _, a := range scalarTypes {
		for _, b := range scalarTypes {
			in := pairCases(a, b)
			step := 9
			if a == b {
				step = 17
			}
			for k := 0; k < len(in[0]); k += step {
				x, y := in[0][k], in[1][k]
				for _, op := range operators {
					l, right, r := operandsOf(op, a, b)
					if r == nil || !l.IsFloat() && strings.Contains("/%", op) && converted(b, right, y) == 0 {
						continue // a division by zero is not constant
					}
					r, want := binaryOf(op, a, b, x, y)
					all = append(all, folded{fmt.Sprintf("%s %s %s", spelledConst(a, x), op, spelledConst(b, y)), r, want,
						leftOpen(op, l, number(l, converted(a, l, x)), number(right, converted(b, right, y)))})
				}
				if implicit(a, b) {
					all = append(all, folded{spelledConst(a, x), b, converted(a, b, x), false})
				}
				all = append(all, folded{fmt.Sprintf("(%s)%s", b, spelledConst(a, x)), b, converted(a, b, x), false})
			}
		}
		for _, x := range inputs(numSpecials+20, a)[0] {
			for _, op := range unaries[:4] {
				if r, want, _ := unary(op, a, x); r != nil {
					all = append(all, folded{strings.Replace(op, "x", "("+spelledConst(a, x)+")", 1), r, want,
						op == "-x" && leftOpen("-", r, new(big.Int), number(r, converted(a, r, x)))})
				}
			}
		}
	}
	checkFolded(t, "folded.metal", all)
}
