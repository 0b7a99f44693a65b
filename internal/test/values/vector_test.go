package values

import (
	"fmt"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/msl/types"
)

// vectorOperator returns the element type of the result of an operator on vectors of one type, or
// nil if there is none. Elements are not promoted.
func vectorOperator(op string, t *types.Basic) *types.Basic {
	switch {
	case op == "&&" || op == "||":
		return types.Bool
	case t.IsFloat() && strings.Contains("% & | ^ << >>", op), t == types.Bool && !strings.Contains("& | ^ == !=", op):
		return nil
	case strings.Contains("< <= > >= == !=", op):
		return types.Bool
	}
	return t
}

// elementwise returns the result of an operator on elements of one type.
func elementwise(op string, t *types.Basic, x, y uint64) uint64 {
	if op == "&&" || op == "||" {
		return applied(op, types.Bool, converted(t, types.Bool, x), converted(t, types.Bool, y), nil)
	}
	if t == types.Bool && (op == "==" || op == "!=") {
		return isTrue((x == y) == (op == "=="))
	}
	return applied(op, t, x, y, t)
}

// TestVectorOperators tests each operator on vectors of each type: two vectors, a vector and a
// scalar, a scalar and a vector, and the assignment forms, to a vector and to some components of
// one.
func TestVectorOperators(t *testing.T) {
	forms := []string{"a[i] %s b[i]", "a[i] %s b[i].x", "a[i].x %s b[i]"}
	var text strings.Builder
	text.WriteString(head)
	for _, e := range scalarTypes {
		for n := 2; n <= 4; n++ {
			for f, form := range forms {
				fmt.Fprintf(&text, "kernel void %s%d_%d(device const %[1]s%[2]d *a [[buffer(0)]], device const %[1]s%[2]d *b [[buffer(1)]]", e, n, f)
				var body strings.Builder
				for j, op := range operators {
					if r := vectorOperator(op, e); r != nil {
						fmt.Fprintf(&text, ", device %s%d *r%d [[buffer(%d)]]", r, n, j, 2+j)
						x := fmt.Sprintf(form, op)
						fmt.Fprintf(&body, "static_assert(is_same_v<decltype(%s), %s%d>, \"\"); r%d[i] = %[1]s;\n", x, r, n, j)
					}
				}
				fmt.Fprintf(&text, ", uint i [[thread_position_in_grid]]) {\n%s}\n", body.String())
			}
			var body strings.Builder
			fmt.Fprintf(&text, "kernel void %s%d_3(device const %[1]s%[2]d *a [[buffer(0)]], device const %[1]s%[2]d *b [[buffer(1)]]", e, n)
			for j, op := range operators[:10] {
				if vectorOperator(op, e) != nil {
					fmt.Fprintf(&text, ", device %s%d *r%d [[buffer(%d)]]", e, n, j, 2+j)
					fmt.Fprintf(&body, "{ %s%d x = a[i]; x %s= b[i]; x.yx %[3]s= b[i].xy; x[%[4]d] %[3]s= b[i].y; r%[5]d[i] = x; }\n",
						e, n, op, n-1, j)
				}
			}
			fmt.Fprintf(&text, ", uint i [[thread_position_in_grid]]) {\n%s}\n", body.String())
		}
	}
	m := compile(t, "vectors.metal", text.String())
	for _, e := range scalarTypes {
		in := pairCases(e, e)
		for n := 2; n <= 4; n++ {
			threads := 300 / n
			v := types.VectorOf(e, n)
			for f := range 4 {
				l := &launch{kernel: fmt.Sprintf("%s%d_%d", e, n, f), grid: [3]int{threads}, group: [3]int{32},
					buffers: map[int][]byte{}}
				for j := range 2 {
					l.buffers[j] = fill(v, threads, func(i, lane int) uint64 { return in[j][(i*n+lane)*2%len(in[j])] })
				}
				for j := range operators {
					l.buffers[2+j] = make([]byte, 32*threads)
				}
				run(t, m, l)
				for j, op := range operators {
					r := vectorOperator(op, e)
					if r == nil || f == 3 && j >= 10 {
						continue
					}
					bad := 0
					for i := range threads {
						x, y, want := make([]uint64, n), make([]uint64, n), make([]uint64, n)
						for c := range n {
							x[c], y[c] = laneOf(v, l.buffers[0], i, c), laneOf(v, l.buffers[1], i, c)
						}
						for c := range n {
							want[c] = elementwise(op, e, x[[...]int{c, c, 0, c}[f]], y[[...]int{c, 0, c, c}[f]])
						}
						if f == 3 {
							r = e
							want[1] = converted(vectorOperator(op, e), e, elementwise(op, e, want[1], y[0]))
							want[0] = elementwise(op, e, want[0], y[1])
							want[n-1] = assigned(op, e, want[n-1], y[1])
						}
						for c := range n {
							if have := laneOf(types.VectorOf(r, n), l.buffers[2+j], i, c); !same(r, want[c], have, 0) {
								if bad++; bad <= 2 {
									t.Errorf("%s: %x %s %x, component %d: %s, want %s", l.kernel, x, op, y, c, show(r, have), show(r, want[c]))
								}
							}
						}
					}
				}
			}
		}
	}
}

// assigned is the value of a scalar after x op= y.
func assigned(op string, t *types.Basic, x, y uint64) uint64 {
	r, v := binaryOf(op, t, t, x, y)
	return converted(r, t, v)
}

// implicit reports whether one scalar type converts to another without a cast: neither half nor
// float converts to bfloat, nor bfloat to half.
func implicit(from, to *types.Basic) bool {
	switch {
	case from == to || !from.IsFloat() || !to.IsFloat():
		return true
	case to == types.BFloat:
		return false
	}
	return from != types.BFloat || to == types.Float
}

// TestConversions tests every conversion between scalar types, in each way to write one, and
// conversions of vectors.
func TestConversions(t *testing.T) {
	var text strings.Builder
	text.WriteString(head)
	for _, a := range scalarTypes {
		for _, b := range scalarTypes {
			first := fmt.Sprintf("%s x = a[i];", b)
			if !implicit(a, b) {
				first = fmt.Sprintf("%s x = %s(a[i]);", b, b)
			}
			fmt.Fprintf(&text, `kernel void %s_%s(device const %[1]s *a [[buffer(0)]], device %[2]s *r [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  %s
  device %[2]s *o = r + 13 * i;
  o[0] = x; o[1] = %[2]s(a[i]); o[2] = (%[2]s)a[i]; o[3] = static_cast<%[2]s>(a[i]);
  %[1]s2 v2 = %[1]s2(a[i], a[i ^ 1]); %[1]s3 v3 = %[1]s3(a[i], v2); packed_%[1]s4 v4 = %[1]s4(v2, v3.yz);
  %[2]s2 r2 = %[2]s2(v2); %[2]s3 r3 = %[2]s3(v3); %[2]s4 r4 = static_cast<%[2]s4>(%[1]s4(v4));
  o[4] = r2.x; o[5] = r2.y; o[6] = r3.x; o[7] = r3.y; o[8] = r3.z; o[9] = r4.x; o[10] = r4.y; o[11] = r4.z; o[12] = r4.w;
}
`, a, b, first)
		}
	}
	m := compile(t, "conversions.metal", text.String())
	for _, a := range scalarTypes {
		for _, b := range scalarTypes {
			const n = 160
			in := inputs(n, a)[0]
			l := &launch{kernel: fmt.Sprintf("%s_%s", a, b), grid: [3]int{n}, group: [3]int{32}, buffers: map[int][]byte{
				0: fill(a, n, func(i, _ int) uint64 { return in[i] }), 1: make([]byte, 13*n*b.Size())}}
			run(t, m, l)
			bad := 0
			for i := range n {
				x, y := converted(a, b, in[i]), converted(a, b, in[i^1])
				for j, want := range []uint64{x, x, x, x, x, y, x, x, y, x, y, x, y} {
					if have := laneOf(b, l.buffers[1], 13*i+j, 0); !same(b, want, have, 0) {
						if bad++; bad <= 2 {
							t.Errorf("%s: %s, form %d: %s, want %s", l.kernel, show(a, in[i]), j, show(b, have), show(b, want))
						}
					}
				}
			}
		}
	}
}
