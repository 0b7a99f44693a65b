package values

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// vectors defines the functions of whole float vectors: each operation rounds, and sums go from the
// first lane to the last.
var vectors = map[builtin.Op]func(s steps, x [][]float64) []float64{
	builtin.OpCross: func(s steps, x [][]float64) []float64 {
		a, b := x[0], x[1]
		minor := func(i, j int) float64 { return s.sub(s.mul(a[i], b[j]), s.mul(a[j], b[i])) }
		return []float64{minor(1, 2), minor(2, 0), minor(0, 1)}
	},
	builtin.OpDot:           func(s steps, x [][]float64) []float64 { return []float64{s.dot(x[0], x[1])} },
	builtin.OpLengthSquared: func(s steps, x [][]float64) []float64 { return []float64{s.dot(x[0], x[0])} },
	builtin.OpLength: func(s steps,
		x [][]float64) []float64 {
		return []float64{s.to(math.Sqrt(s.dot(x[0], x[0])))}
	},
	builtin.OpDistance: func(s steps, x [][]float64) []float64 {
		d := s.minus(x[0], x[1])
		return []float64{s.to(math.Sqrt(s.dot(d, d)))}
	},
	builtin.OpDistanceSquared: func(s steps, x [][]float64) []float64 {
		d := s.minus(x[0], x[1])
		return []float64{s.dot(d, d)}
	},
	builtin.OpNormalize: func(s steps, x [][]float64) []float64 {
		return s.times(x[0], s.to(1/math.Sqrt(s.dot(x[0], x[0]))))
	},
	builtin.OpFaceforward: func(s steps, x [][]float64) []float64 {
		if s.dot(x[2], x[1]) < 0 {
			return x[0]
		}
		return s.times(x[0], -1)
	},
	builtin.OpReflect: func(s steps, x [][]float64) []float64 {
		return s.minus(x[0], s.times(x[1], s.mul(2, s.dot(x[1], x[0]))))
	},
	builtin.OpRefract: func(s steps, x [][]float64) []float64 {
		i, n, eta := x[0], x[1], x[2][0]
		d := s.dot(n, i)
		k := s.sub(1, s.mul(s.mul(eta, eta), s.sub(1, s.mul(d, d))))
		if k < 0 {
			return make([]float64, len(i))
		}
		return s.minus(s.times(i, eta), s.times(n, s.add(s.mul(eta, d), s.to(math.Sqrt(k)))))
	},
}

func (s steps) dot(x, y []float64) float64 {
	sum := s.mul(x[0], y[0])
	for i := 1; i < len(x); i++ {
		sum = s.add(sum, s.mul(x[i], y[i]))
	}
	return sum
}

func (s steps) minus(x, y []float64) (out []float64) {
	for i := range x {
		out = append(out, s.sub(x[i], y[i]))
	}
	return out
}

func (s steps) times(x []float64, k float64) (out []float64) {
	for i := range x {
		out = append(out, s.mul(x[i], k))
	}
	return out
}

// checkWhole runs the kernel of a function of whole vectors in several threads. want returns the
// expected results for the lanes of the arguments.
func (x *instance) checkWhole(t *testing.T, m *msl.Module, threads int, ulps float64,
	want func(args [][]uint64) []uint64) {
	l := x.prepare(threads, func(i, lane int) int { return (i*4 + lane) * 37 % x.numCases() })
	run(t, m, l)
	out := types.ElemOf(x.out[0])
	bad := 0
	for i := range threads {
		args := x.argsOf(l, i)
		for lane, wanted := range want(args) {
			if have := laneOf(x.out[0], l.buffers[firstOut], i, lane); !same(out, wanted, have, ulps) {
				if bad++; bad <= 3 {
					t.Errorf("%s: %s of %x, lane %d: %s, want %s", x.name, x.Fn.Signature(), args, lane, show(out, have),
						show(out, wanted))
				}
			}
		}
	}
	if bad > 3 {
		t.Errorf("%s: %d more", x.name, bad-3)
	}
}

// argsOf returns the lanes of a thread's arguments.
func (x *instance) argsOf(l *launch, thread int) (args [][]uint64) {
	for j, p := range x.in {
		var lanes []uint64
		for lane := range types.LenOf(p) {
			lanes = append(lanes, laneOf(p, l.buffers[j], thread, lane))
		}
		args = append(args, lanes)
	}
	return args
}

// TestGeometric tests every overload of the functions of whole vectors.
func TestGeometric(t *testing.T) {
	xs := instances(func(f *builtin.Func) bool { return vectors[f.Op] != nil })
	require.Greater(t, len(xs), 50)
	m := compile(t, "geometric.metal", program(xs))
	for _, x := range xs {
		elem, define := types.ElemOf(x.in[0]), vectors[x.Fn.Op]
		ulps := 0.0
		if x.Fn.Op == builtin.OpNormalize {
			ulps = 1
			if elem == types.Float {
				ulps = 3 // fast math allows 2 for rsqrt
			}
		}
		x.checkWhole(t, m, 400, ulps, func(args [][]uint64) (out []uint64) {
			var n [][]float64
			for _, a := range args {
				n = append(n, meanings(elem, a))
			}
			for _, f := range define(steps{elem}, n) {
				out = append(out, nearest(elem, f))
			}
			return out
		})
	}
}

// TestVotesOfLanes tests all and any.
func TestVotesOfLanes(t *testing.T) {
	xs := instances(func(f *builtin.Func) bool { return f.Op == builtin.OpAll || f.Op == builtin.OpAny })
	require.Len(t, xs, 8)
	m := compile(t, "votes.metal", program(xs))
	for _, x := range xs {
		x.checkWhole(t, m, 64, 0, func(args [][]uint64) []uint64 {
			and, or := uint64(1), uint64(0)
			for _, a := range args[0] {
				and, or = and&a, or|a
			}
			if x.Fn.Op == builtin.OpAll {
				return []uint64{and}
			}
			return []uint64{or}
		})
	}
}

// field is a field of a packed number.
type field struct{ width, top int } // top is the number that stands for 1

var packings = map[builtin.Op][]field{
	builtin.OpPackUnorm4x8:  {{8, 255}, {8, 255}, {8, 255}, {8, 255}},
	builtin.OpPackSnorm4x8:  {{8, -127}, {8, -127}, {8, -127}, {8, -127}},
	builtin.OpPackUnorm2x16: {{16, 65535}, {16, 65535}},
	builtin.OpPackSnorm2x16: {{16, -32767}, {16, -32767}},
	builtin.OpPackUnorm10A2: {{10, 1023}, {10, 1023}, {10, 1023}, {2, 3}},
	builtin.OpPackUnorm565:  {{5, 31}, {6, 63}, {5, 31}},
}

var unpackings = map[builtin.Op]builtin.Op{
	builtin.OpUnpackUnorm4x8: builtin.OpPackUnorm4x8, builtin.OpUnpackSnorm4x8: builtin.OpPackSnorm4x8,
	builtin.OpUnpackUnorm2x16: builtin.OpPackUnorm2x16, builtin.OpUnpackSnorm2x16: builtin.OpPackSnorm2x16,
	builtin.OpUnpackUnorm10A2: builtin.OpPackUnorm10A2, builtin.OpUnpackUnorm565: builtin.OpPackUnorm565,
}

// TestPacking tests the functions that pack and unpack numbers.
func TestPacking(t *testing.T) {
	xs := instances(func(f *builtin.Func) bool { return packings[f.Op] != nil || unpackings[f.Op] != builtin.OpInvalid })
	require.Len(t, xs, 24)
	m := compile(t, "packing.metal", program(xs))
	for _, x := range xs {
		elem := types.ElemOf(x.in[0])
		if fields := packings[x.Fn.Op]; fields != nil {
			x.checkWhole(t, m, 400, 0, func(args [][]uint64) []uint64 {
				var packed uint64
				at := 0
				for i, f := range fields {
					packed |= f.pack(meaning(elem, args[0][i])) << at
					at += f.width
				}
				return []uint64{packed}
			})
			continue
		}
		x.checkWhole(t, m, 256, 0, func(args [][]uint64) (out []uint64) {
			rest := args[0][0]
			for _, f := range packings[unpackings[x.Fn.Op]] {
				n := int64(rest & (1<<f.width - 1))
				if f.top < 0 {
					n = n << (64 - f.width) >> (64 - f.width)
				}
				// The quotient is rounded to float, and then to half.
				q, _ := new(big.Rat).SetFrac64(n, int64(max(f.top, -f.top))).Float64()
				out = append(out, nearest(types.ElemOf(x.out[0]), float64(float32(max(q, -1)))))
				rest >>= f.width
			}
			return out
		})
	}
}

// pack returns the bits of a number in the field: the product is rounded to float and then to an
// integer; NaN becomes 0.
func (f field) pack(x float64) uint64 {
	low := 0.0
	if f.top < 0 {
		low = -1
	}
	if x != x {
		x = 0
	}
	x = min(max(x, low), 1)
	return uint64(int64(math.RoundToEven(float64(float32(x*float64(max(f.top, -f.top))))))) & (1<<f.width - 1)
}

// TestSRGB tests the functions that pack and unpack colors: red, green and blue by the sRGB curve,
// alpha linearly. A field may be off by one where the curve, computed in float, is close to a half.
func TestSRGB(t *testing.T) {
	xs := instances(func(f *builtin.Func) bool {
		return f.Op == builtin.OpPackUnorm4x8Srgb || f.Op == builtin.OpUnpackUnorm4x8Srgb
	})
	require.Len(t, xs, 4)
	m := compile(t, "srgb.metal", program(xs))
	for _, x := range xs {
		l := x.prepare(256, func(_, lane int) int { return lane })
		if x.Fn.Op == builtin.OpUnpackUnorm4x8Srgb {
			l.buffers[0] = fill(types.UInt, 256, func(i, _ int) uint64 { return uint64(i) * 0x03050701 & 0xffffffff })
		} else {
			elem := types.ElemOf(x.in[0])
			l.buffers[0] = fill(x.in[0], 256, func(i, lane int) uint64 { return nearest(elem, float64(i*4+lane-100)/800) })
		}
		run(t, m, l)
		for i := range 256 {
			args := x.argsOf(l, i)[0]
			for lane := range 4 {
				if x.Fn.Op == builtin.OpUnpackUnorm4x8Srgb {
					out := types.ElemOf(x.out[0])
					v := float64(args[0]>>(8*lane)&255) / 255
					if lane < 3 {
						v = linear(v)
					}
					have := laneOf(x.out[0], l.buffers[firstOut], i, lane)
					require.LessOrEqual(t, distance(out, nearest(out, v), have), 16.0, "%s of %#x, lane %d: %s, want %g", x.name,
						args[0], lane, show(out, have), v)
					continue
				}
				v := min(max(meaning(types.ElemOf(x.in[0]), args[lane]), 0), 1)
				if lane < 3 {
					v = curved(v)
				}
				have := float64(laneOf(types.UInt, l.buffers[firstOut], i, 0) >> (8 * lane) & 255)
				require.LessOrEqual(t, math.Abs(have-v*255), 0.5001, "%s of %x, lane %d", x.name, args, lane)
			}
		}
	}
}

func linear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func curved(v float64) float64 {
	if v <= 0.0031308 {
		return v * 12.92
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}
