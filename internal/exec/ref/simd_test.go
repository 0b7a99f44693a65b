package ref

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// simdCase executes one operation in 32 lanes, with only the lanes in active taking part. Operand i
// of lane l is args[i](l).
type simdCase struct {
	op     string // followed by a result type: simd.add i32
	types  []string
	args   []func(l int) int64
	active uint32
}

// run returns each lane's result; lanes that do not take part keep 77.
func (c simdCase) run(t *testing.T) [32]uint64 {
	op, res, _ := strings.Cut(c.op, " ")
	launch := testlaunch.Launch{Grid: [3]int{32}, Group: [3]int{32}, Buffers: map[int]testlaunch.Buffer{}}
	var b strings.Builder
	fmt.Fprintf(&b, "kernel \"k\" {\n")
	for i := range len(c.types) + 1 {
		fmt.Fprintf(&b, "arg {\"kind\":\"buffer\",\"index\":%d}\n", i)
	}
	fmt.Fprintf(&b, "body {\n%%0 = input thread_index_in_simdgroup : i32\n%%1 = zext %%0 : i64\n%%2 = const %d : i32\n%%3 = lshr %%2, %%0 : i32\n%%4 = trunc %%3 : i1\n", int32(c.active))
	typ := ir.Type{}
	var names []string
	for i, name := range append(c.types, res) {
		var err error
		typ, err = ir.ParseType(name)
		require.NoError(t, err)
		data := make([]byte, 32*8)
		fmt.Fprintf(&b, "%%%d = arg #%d : ptr.device\n%%%d = offset %%%d, %%1 #8 : ptr.device\n", 10+i, i, 20+i, 10+i)
		if i < len(c.types) {
			names = append(names, fmt.Sprintf("%%%d", 30+i))
			fmt.Fprintf(&b, "%%%d = load %%%d : %s\n", 30+i, 20+i, name)
		}
		for l := range 32 {
			switch {
			case i == len(c.types):
				putBits(ir.I64, data[8*l:], 77)
			case typ.Kind.IsFloat():
				putBits(ir.I64, data[8*l:], ir.FloatBits(typ.Kind, float64(c.args[i](l))))
			default:
				putBits(ir.I64, data[8*l:], uint64(c.args[i](l)))
			}
		}
		launch.Buffers[i] = testlaunch.Buffer{Data: data}
	}
	fmt.Fprintf(&b, "if %%4 {\n%%50 = %s %s : %s\nstore %%%d, %%50\nyield\n} else {\nyield\n}\nreturn\n}\n}\n", op,
		strings.Join(names, ", "), res, 20+len(c.types))
	m, err := ir.Parse(b.String())
	require.NoError(t, err, b.String())
	require.NoError(t, launch.Run(context.Background(), m.Funcs[0], Run), b.String())
	covered(m)
	var out [32]uint64
	for l := range out {
		out[l] = getBits(ir.I64, launch.Buffers[len(c.types)].Data[8*l:])
		if c.active>>l&1 != 0 {
			out[l] = getBits(typ.Kind, launch.Buffers[len(c.types)].Data[8*l:])
		}
	}
	return out
}

func same(n int64) func(int) int64 { return func(int) int64 { return n } }

// simdWant defines an operation per lane: x is the first operand, w the width.
type simdWant func(l, w int, active func(int) bool) int64

func TestSimd(t *testing.T) {
	x := func(l int) int64 { return int64((l*7 + 3) % 11) }
	from := func(l, w int, active func(int) bool) int64 {
		if l < 0 || !active(l) {
			return 0
		}
		return x(l)
	}
	fold := func(below bool, start int64, f func(a, b int64) int64) simdWant {
		return func(l, w int, active func(int) bool) int64 {
			r := start
			for k := l / w * w; k < (l/w+1)*w; k++ {
				if active(k) && (!below || k < l) {
					r = f(r, x(k))
				}
			}
			return r
		}
	}
	upTo := func(start int64, f func(a, b int64) int64) simdWant {
		return func(l, w int, active func(int) bool) int64 { return f(fold(true, start, f)(l, w, active), x(l)) }
	}
	add := func(a, b int64) int64 { return a + b }
	mul := func(a, b int64) int64 { return int64(int32(a * max(b, 1))) }
	lesser := func(a, b int64) int64 { return min(a, b) }
	more := func(a, b int64) int64 { return max(a, b) }
	base := func(l, w int) int { return l / w * w }
	// shift reads the value d lanes further, or this lane's own if that is outside the group.
	shift := func(d int) simdWant {
		return func(l, w int, active func(int) bool) int64 {
			if k := l + d; k >= base(l, w) && k < base(l, w)+w {
				return from(k, w, active)
			}
			return from(l, w, active)
		}
	}
	turn := func(d int) simdWant {
		return func(l, w int, active func(int) bool) int64 {
			return from(base(l, w)+((l-base(l, w)+d)%w+w)%w, w, active)
		}
	}
	mask := func(l, w int, active func(int) bool, want func(int) bool) (m int64) {
		for k := range w {
			if active(base(l, w)+k) && want(base(l, w)+k) {
				m |= 1 << k
			}
		}
		return m
	}
	yes := func(int) bool { return true }
	odd := func(k int) bool { return k%2 != 0 }
	parity := func(l int) int64 { return int64(l % 2) }
	truth := func(b bool) int64 { return int64(num.Truth(b)) }
	tests := []struct {
		op    string
		types string
		args  []func(int) int64
		want  simdWant
	}{
		{"add i32", "i32", nil, fold(false, 0, add)},
		{"add f32", "f32", nil, fold(false, 0, add)},
		{"add f16", "f16", nil, fold(false, 0, add)},
		{"add i8", "i8", nil, fold(false, 0, add)},
		{"smin i32", "i32", nil, fold(false, 100, lesser)},
		{"umin i16", "i16", nil, fold(false, 100, lesser)},
		{"smax i64", "i64", nil, fold(false, -1, more)},
		{"umax i32", "i32", nil, fold(false, -1, more)},
		{"fmin f32", "f32", nil, fold(false, 100, lesser)},
		{"fmax bf16", "bf16", nil, fold(false, -1, more)},
		{"and i32", "i32", nil, fold(false, -1, func(a, b int64) int64 { return a & b })},
		{"or i32", "i32", nil, fold(false, 0, func(a, b int64) int64 { return a | b })},
		{"xor i32", "i32", nil, fold(false, 0, func(a, b int64) int64 { return a ^ b })},
		{"scan.add i32", "i32", nil, upTo(0, add)},
		{"scan.add f32", "f32", nil, upTo(0, add)},
		{"xscan.add i32", "i32", nil, fold(true, 0, add)},
		{"xscan.add f16", "f16", nil, fold(true, 0, add)},
		{"broadcast i32", "i32 i32", []func(int) int64{x, same(2)},
			func(l, w int, active func(int) bool) int64 { return from(base(l, w)+2, w, active) }},
		{"shuffle i32", "i32 i32", []func(int) int64{x, func(l int) int64 { return int64(l*5%40 - 1) }},
			func(l, w int, active func(int) bool) int64 {
				if k := l*5%40 - 1; k >= 0 && k < w {
					return from(base(l, w)+k, w, active)
				}
				return 0
			}},
		{"xor_lane i32", "i32 i32", []func(int) int64{x, same(3)},
			func(l, w int, active func(int) bool) int64 { return from(l^3, w, active) }},
		{"up i32", "i32 i32", []func(int) int64{x, same(2)}, shift(-2)},
		{"down f32", "f32 i32", []func(int) int64{x, same(3)}, shift(3)},
		{"down i32", "i32 i32", []func(int) int64{x, same(-1)}, shift(1 << 40)},
		{"rotate_up i32", "i32 i32", []func(int) int64{x, same(3)}, turn(-3)},
		{"rotate_down i32", "i32 i32", []func(int) int64{x, same(37)}, turn(37)},
		{"fill_up i32", "i32 i32 i32 i32", []func(int) int64{x, func(l int) int64 { return 100 + int64(l) }, same(1),
			same(4)}, func(l, w int, active func(int) bool) int64 {
			if l%4 != 0 {
				return from(l-1, w, active)
			}
			return map[bool]int64{true: 100 + int64(l+3)}[active(l+3)]
		}},
		{"fill_down i32", "i32 i32 i32 i32", []func(int) int64{x, func(l int) int64 { return 100 + int64(l) }, same(1),
			same(4)}, func(l, w int, active func(int) bool) int64 {
			if l%4 != 3 {
				return from(l+1, w, active)
			}
			return map[bool]int64{true: 100 + int64(l-3)}[active(l-3)]
		}},
		{"first i32", "i32", nil, func(l, w int, active func(int) bool) int64 {
			for k := base(l, w); ; k++ {
				if active(k) {
					return x(k)
				}
			}
		}},
		{"ballot i64", "i1", []func(int) int64{parity},
			func(l, w int, active func(int) bool) int64 { return mask(l, w, active, odd) }},
		{"active i64", "", nil, func(l, w int, active func(int) bool) int64 { return mask(l, w, active, yes) }},
		{"all i1", "i1", []func(int) int64{parity}, func(l, w int, active func(int) bool) int64 {
			return truth(mask(l, w, active, odd) == mask(l, w, active, yes))
		}},
		{"any i1", "i1", []func(int) int64{parity},
			func(l, w int, active func(int) bool) int64 { return truth(mask(l, w, active, odd) != 0) }},
		{"is_first i1", "", nil, func(l, w int, active func(int) bool) int64 {
			return truth(mask(l, w, active, func(k int) bool { return k < l }) == 0)
		}},
		{"mul i32", "i32", []func(int) int64{func(l int) int64 { return max(x(l), 1) }}, fold(false, 1, mul)},
		{"scan.mul i32", "i32", []func(int) int64{func(l int) int64 { return max(x(l), 1) }}, upTo(1, mul)},
		{"xscan.mul i32", "i32", []func(int) int64{func(l int) int64 { return max(x(l), 1) }}, fold(true, 1, mul)},
	}
	for _, group := range []struct {
		name  string
		width int
	}{{"simd", 32}, {"quad", 4}} {
		for _, test := range tests {
			for _, act := range []uint32{0xffffffff, 0x55555555, 0x80f7a316, 1, 1 << 31} {
				t.Run(fmt.Sprintf("%s.%s/%#x", group.name, test.op, act), func(t *testing.T) {
					args := test.args
					if args == nil {
						args = []func(int) int64{x}
					}
					have := simdCase{group.name + "." + test.op, strings.Fields(test.types), args, act}.run(t)
					_, res, _ := strings.Cut(test.op, " ")
					typ, err := ir.ParseType(res)
					require.NoError(t, err)
					active := func(l int) bool { return l >= 0 && l < 32 && act>>l&1 != 0 }
					for l := range 32 {
						if !active(l) {
							assert.EqualValues(t, 77, have[l], "lane %d", l)
							continue
						}
						want := uint64(test.want(l, group.width, active))
						if typ.Kind.IsFloat() {
							want = ir.FloatBits(typ.Kind, float64(int64(want)))
						} else if w := typ.Kind.Bits(); w < 64 {
							want &= 1<<w - 1
						}
						assert.Equal(t, want, have[l], "lane %d", l)
					}
				})
			}
		}
	}
}

// TestReductionOrder: sums are taken in the specified tree order; other orders would give other
// sums.
func TestReductionOrder(t *testing.T) {
	// 2^24 in lane 0, 1 elsewhere: the tree adds lane 16 to lane 0 first, and so on. Each 1 is
	// lost, except those combined with others before.
	vals := func(l int) int64 {
		if l == 0 {
			return 1 << 24
		}
		return 1
	}
	have := simdCase{"simd.add f32", []string{"f32"}, []func(int) int64{vals}, 0xffffffff}.run(t)
	// lane 0 gets +1 (lost), +2 (lane 8's), +4, +8, +16.
	assert.Equal(t, ir.FloatBits(ir.F32, 1<<24+30), have[5])
	up := simdCase{"simd.scan.add f32", []string{"f32"}, []func(int) int64{vals}, 0xffffffff}.run(t)
	assert.Equal(t, ir.FloatBits(ir.F32, 1<<24), up[31])
}

// matrixText loads a and b, computes a*b+c with c = a transposed, stores it, and stores this lane's
// elements of a.
const matrixText = `
kernel "mm" {
  arg {"kind":"buffer","index":0}
  arg {"kind":"buffer","index":1}
  arg {"kind":"buffer","index":2}
  arg {"kind":"buffer","index":3}
  arg {"kind":"buffer","index":4}
  body {
    %0 = arg #0 : ptr.device
    %1 = arg #1 : ptr.device
    %2 = arg #2 : ptr.device
    %3 = arg #3 : ptr.device
    %4 = arg #4 : ptr.device
    %5 = const 10 : i64
    %6 = const 1 : i64
    %7 = const 2 : i64
    %8 = mat.load %0, %5, %6, %7 : mat.f16
    %9 = mat.load %1, %5, %6, %7 : mat.f16
    %10 = mat.load %0, %5, %6, %7 transposed : mat.f32
    %11 = mat.load %4, %5, %6, %7 transposed : mat.f32
    %12 = mat.mac %8, %9, %11 : mat.f32
    mat.store %12, %2, %5, %6, %7
    %13 = mat.get %8 : f16x2
    %14 = input thread_index_in_simdgroup : i32
    %15 = zext %14 : i64
    %16 = offset %3, %15 #4 : ptr.device
    store %16, %13
    %17 = mat.set %13 : mat.f16
    %18 = const 2 : f16
    %19 = mat.diag %18 : mat.f16
    %20 = mat.mul %17, %19 : mat.f16
    %21 = const 400 : i64
    %22 = field %2 #400 : ptr.device
    mat.store %20, %22, %5, %6, %7 transposed
    %23 = mat.fill %18 : mat.f16
    %24 = field %2 #600 : ptr.device
    mat.store %23, %24, %5, %6, %7
    return
  }
}`

func TestMatrix(t *testing.T) {
	m, err := ir.Parse(matrixText)
	require.NoError(t, err)
	const stride, x0, y0 = 10, 1, 2
	a, b, c := make([]byte, 2*stride*10), make([]byte, 2*stride*10), make([]byte, 4*stride*10)
	at := func(r, col int) int { return (y0+r)*stride + x0 + col }
	av := func(r, c int) float64 { return float64(r*8 + c) }
	bv := func(r, c int) float64 { return float64((r*5+c*3)%7) - 3 }
	for r := range 8 {
		for k := range 8 {
			putBits(ir.F16, a[2*at(r, k):], ir.FloatBits(ir.F16, av(r, k)))
			putBits(ir.F16, b[2*at(r, k):], ir.FloatBits(ir.F16, bv(r, k)))
			putBits(ir.F32, c[4*at(r, k):], ir.FloatBits(ir.F32, float64(100*r+k)))
		}
	}
	out, mine := make([]byte, 1000), make([]byte, 128)
	l := testlaunch.Launch{Grid: [3]int{32}, Group: [3]int{32},
		Buffers: map[int]testlaunch.Buffer{0: {Data: a}, 1: {Data: b}, 2: {Data: out}, 3: {Data: mine}, 4: {Data: c}}}
	require.NoError(t, l.Run(context.Background(), m.Funcs[0], Run))
	covered(m)
	for r := range 8 {
		for k := range 8 {
			want := float64(100*k + r) // c, transposed
			for i := range 8 {
				want += av(r, i) * bv(i, k)
			}
			assert.Equal(t, want, ir.BitsFloat(ir.F32, getBits(ir.F32, out[4*at(r, k):])), "row %d column %d", r, k)
			assert.Equal(t, 2*av(r, k), ir.BitsFloat(ir.F16, getBits(ir.F16, out[400+2*at(k, r):])),
				"row %d column %d of the transposed", r, k)
			assert.Equal(t, 2.0, ir.BitsFloat(ir.F16, getBits(ir.F16, out[600+2*at(r, k):])))
		}
	}
	for lane := range 32 {
		row, col := ((lane>>2)&4)+((lane>>1)&3), ((lane>>2)&2)*2+(lane&1)*2
		for i := range 2 {
			assert.Equal(t, av(row, col+i), ir.BitsFloat(ir.F16, getBits(ir.F16, mine[4*lane+2*i:])), "lane %d", lane)
		}
	}
}

// TestHeld: lanes that are not active give what they held last, in an earlier iteration of a loop
// or before they left it, and 0 if they have never held anything.
func TestHeld(t *testing.T) {
	m, err := ir.Parse(`kernel "k" {
  arg {"kind":"buffer","index":0}
  body {
    %0 = arg : ptr.device
    %1 = input thread_index_in_simdgroup : i32
    %2 = zext %1 : i64
    %3 = offset %0, %2 #4 : ptr.device
    %4 = const 0 : i32
    %5 = const 1 : i32
    %6 = const 2 : i32
    %7 = const 100 : i32
    loop ^0 (%8 : i32 = %4) {
      %9 = ule %1, %8 : i1
      if %9 {
        break ^0
      } else {
        yield
      }
      %10 = add %8, %7 : i32
      %11 = simd.hold %10 #3 : i32
      %12 = simd.shuffle %11, %6 : i32
      %13 = simd.shuffle %10, %6 : i32
      %14 = mul %13, %7 : i32
      %15 = add %12, %14 : i32
      store %3, %15
      %16 = add %8, %5 : i32
      continue ^0 %16
    }
    return
  }
}`)
	require.NoError(t, err)
	require.NoError(t, m.Verify())
	l := testlaunch.Launch{Grid: [3]int{8}, Group: [3]int{8},
		Buffers: map[int]testlaunch.Buffer{0: {Data: make([]byte, 32)}}}
	require.NoError(t, l.Run(context.Background(), m.Funcs[0], Run))
	for i, want := range []uint32{0, 100 * 101, 101 * 101, 101, 101, 101, 101, 101} {
		assert.EqualValues(t, want, getBits(ir.I32, l.Buffers[0].Data[4*i:]), i)
	}
	coverage[ir.OpSimdHold] = true
}
