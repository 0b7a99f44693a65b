package values

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// smallUnary are the functions of one number tested on all halves and bfloats, with the float64
// function for those not defined in floats.
var smallUnary = map[string]func(float64) float64{
	"fabs": nil, "ceil": nil, "floor": nil, "trunc": nil, "rint": nil, "round": nil, "fract": nil, "sqrt": nil,
	"sign": nil, "saturate": nil, "rsqrt": nil,
	"sinpi": nil, "cospi": nil, "tanpi": nil, "exp10": nil, "isnan": nil, "isinf": nil, "isfinite": nil, "isnormal": nil,
	"signbit": nil, "frexp": nil, "modf": nil, "ilogb": nil,
	"exp": math.Exp, "exp2": math.Exp2, "log": math.Log, "log2": math.Log2, "log10": math.Log10, "sin": math.Sin,
	"cos": math.Cos, "tan": math.Tan,
	"asin": math.Asin, "acos": math.Acos, "atan": math.Atan, "sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh,
	"asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
}

// small is an operation applied to every number of a type.
type small struct {
	text   string // an expression of x
	before string // statements
	out    *types.Basic
	ulps   float64
	want   func(bits uint64) uint64
}

// smallOperations are the operations on a 16-bit type. The library supports bfloat in few
// functions, and otherwise promotes it to float.
func smallOperations(e *types.Basic) (all []small) {
	for _, op := range unaries {
		if r, _, _ := unary(op, e, 0); r != nil {
			all = append(all, small{text: op, out: r, want: func(b uint64) uint64 { _, v, _ := unary(op, e, b); return v }})
		}
	}
	for _, to := range scalarTypes {
		if to != e {
			all = append(all, small{text: fmt.Sprintf("%s(x)", to), out: to,
				want: func(b uint64) uint64 { return converted(e, to, b) }})
		}
		if to.Size() == 2 && to != e {
			all = append(all, small{text: fmt.Sprintf("as_type<%s>(x)", to), out: to, want: func(b uint64) uint64 { return b }})
		}
	}
	for _, f := range builtin.All() {
		float64s, ok := smallUnary[f.Name]
		if !ok || f.Namespace != "metal" {
			continue
		}
		// A bfloat is widened, which is exact, and the result is rounded from float.
		elem := e
		if e == types.BFloat {
			elem = types.Float
		}
		define := floats[f.Op]
		wide := func(b uint64) uint64 { return converted(e, elem, b) }
		results := func(b uint64) []uint64 { return define(elem, []uint64{wide(b)}) }
		if float64s != nil {
			results = func(b uint64) []uint64 { return []uint64{nearest(elem, float64s(meaning(e, b)))} }
		}
		ulps := 0.0
		if _, ok := inexact[f.Op]; ok || float64s != nil {
			ulps = 1 // in the wide type
		}
		first := small{text: f.Name + "(x)", out: elem, ulps: ulps, want: func(b uint64) uint64 { return results(b)[0] }}
		if e == types.BFloat {
			first.text = f.Name + "(float(x))"
		}
		switch f.Name {
		case "isnan", "isinf", "isfinite", "isnormal", "signbit":
			first.out = types.Bool
			first.text = f.Name + "(x)"
			if e == types.BFloat {
				first.text = f.Name + "(bfloat2(x)).y"
				first.want = func(b uint64) uint64 { return define(e, []uint64{b})[0] }
			}
		case "ilogb":
			first.out = types.Int
		case "frexp", "modf":
			second := types.Int
			if f.Name == "modf" {
				second = elem
			}
			before := fmt.Sprintf("%s o; %s m = %s(%s(x), o);", second, elem, f.Name, elem)
			first.before, first.text = before, "m"
			all = append(all, small{before: before, text: "o", out: second,
				want: func(b uint64) uint64 { return results(b)[1] }})
		}
		all = append(all, first)
	}
	return all
}

// TestSmallFloats tests every unary operation and conversion on all halves and bfloats, and the
// conversions to them of all 16-bit integers and of floats between two neighbors.
func TestSmallFloats(t *testing.T) {
	for _, e := range []*types.Basic{types.Half, types.BFloat} {
		ops := smallOperations(e)
		require.Greater(t, len(ops), 40)
		var text strings.Builder
		text.WriteString(head)
		const perKernel = 8
		for start := 0; start < len(ops); start += perKernel {
			fmt.Fprintf(&text, "kernel void k%d(uint i [[thread_position_in_grid]]", start)
			var body strings.Builder
			for j, op := range ops[start:min(start+perKernel, len(ops))] {
				fmt.Fprintf(&text, ", device %s *r%d [[buffer(%d)]]", op.out, j, j)
				fmt.Fprintf(&body, "{ %s x = first; %s r%d[i] = %s; }\n", e, op.before, j, op.text)
			}
			fmt.Fprintf(&text, ") {\n%s first = as_type<%[1]s>(ushort(i));\n%s}\n", e, body.String())
		}
		m := compileWith(t, "small.metal", text.String(), msl.Options{Math: "safe"}) // fast math has larger errors
		const n = 1 << 16
		for start := 0; start < len(ops); start += perKernel {
			l := &launch{kernel: fmt.Sprintf("k%d", start), grid: [3]int{n}, group: [3]int{64}, buffers: map[int][]byte{}}
			for j := range perKernel {
				l.buffers[j] = make([]byte, 8*n)
			}
			run(t, m, l)
			for j, op := range ops[start:min(start+perKernel, len(ops))] {
				bad := 0
				for i := range n {
					want, have := op.want(uint64(i)), laneOf(op.out, l.buffers[j], i, 0)
					if !same(op.out, want, have, op.ulps) {
						if bad++; bad <= 2 {
							t.Errorf("%s %s of %s: %s, want %s", e, op.text, show(e, uint64(i)), show(op.out, have), show(op.out, want))
						}
					}
				}
				if bad > 2 {
					t.Errorf("%s %s: %d more", e, op.text, bad-2)
				}
			}
		}
	}
}

// TestToSmallFloats rounds floats to half and bfloat: every number of these types, the midpoint to
// the next, and the floats beside that; and every 16-bit integer.
func TestToSmallFloats(t *testing.T) {
	const text = head + `
kernel void floats(device const float *a [[buffer(0)]], device half *h [[buffer(1)]], device bfloat *b [[buffer(2)]], device half4 *v [[buffer(3)]], uint i [[thread_position_in_grid]]) {
  h[i] = half(a[i]); b[i] = bfloat(a[i]); v[i] = half4(float4(a[i]));
}
kernel void integers(device half *h [[buffer(0)]], device bfloat *b [[buffer(1)]], device half *s [[buffer(2)]], device bfloat *c [[buffer(3)]], uint i [[thread_position_in_grid]]) {
  h[i] = half(ushort(i)); b[i] = bfloat(ushort(i)); s[i] = half(short(i)); c[i] = bfloat(short(i));
}`
	m := compile(t, "rounding.metal", text)
	const n = 1 << 16
	for _, e := range []*types.Basic{types.Half, types.BFloat} {
		for part := range 4 { // the number itself, and around the midpoint to the next
			l := &launch{kernel: "floats", grid: [3]int{n}, group: [3]int{64},
				buffers: map[int][]byte{1: make([]byte, 2*n), 2: make([]byte, 2*n), 3: make([]byte, 8*n)}}
			l.buffers[0] = fill(types.Float, n, func(i, _ int) uint64 {
				bits := uint64(i) << 16 // of a bfloat
				if e == types.Half {
					bits = nearest(types.Float, meaning(types.Half, uint64(i)))
				}
				if part == 0 {
					return bits
				}
				middle := uint64(1 << 15)
				if e == types.Half {
					next := nearest(types.Float, meaning(types.Half, uint64(i)&0x7fff+1))
					if next>>23 == 255 {
						return bits
					}
					middle = (next - bits&0x7fffffff) / 2
				}
				return bits + middle + uint64(part) - 2
			})
			run(t, m, l)
			for i := range n {
				f := laneOf(types.Float, l.buffers[0], i, 0)
				for slot, to := range map[int]*types.Basic{1: types.Half, 2: types.BFloat} {
					if have, want := laneOf(to, l.buffers[slot], i, 0),
						nearest(to, meaning(types.Float, f)); !same(to, want, have, 0) {
						t.Fatalf("%s of %s: %s, want %s", to, show(types.Float, f), show(to, have), show(to, want))
					}
				}
				if have, want := laneOf(types.Half, l.buffers[3], 4*i+3, 0), laneOf(types.Half, l.buffers[1], i, 0); have != want {
					t.Fatalf("half4 of %s: %#x, want %#x", show(types.Float, f), have, want)
				}
			}
		}
	}
	l := &launch{kernel: "integers", grid: [3]int{n}, group: [3]int{64},
		buffers: map[int][]byte{0: make([]byte, 2*n), 1: make([]byte, 2*n), 2: make([]byte, 2*n), 3: make([]byte, 2*n)}}
	run(t, m, l)
	for i := range n {
		for slot, c := range []struct{ from, to *types.Basic }{{types.UShort, types.Half}, {types.UShort, types.BFloat},
			{types.Short, types.Half}, {types.Short, types.BFloat}} {
			if have, want := laneOf(c.to, l.buffers[slot], i, 0),
				converted(c.from, c.to, uint64(i)); !same(c.to, want, have, 0) {
				t.Fatalf("%s of %s %s: %s, want %s", c.to, c.from, show(c.from, uint64(i)), show(c.to, have), show(c.to, want))
			}
		}
	}
}
