package dialects

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/msl/dialect"
)

// integerFunctions are the functions of integers of one type: the number of operands, and the exact
// result before it is wrapped.
var integerFunctions = map[string]func(bits int, lo, hi *big.Int, x [3]*big.Int) *big.Int{
	"abs/1":      func(_ int, _, _ *big.Int, x [3]*big.Int) *big.Int { return new(big.Int).Abs(x[0]) },
	"abs_diff/2": func(_ int, _, _ *big.Int, x [3]*big.Int) *big.Int { return sub(x[0], x[1]).Abs(sub(x[0], x[1])) },
	"add_sat/2":  func(_ int, lo, hi *big.Int, x [3]*big.Int) *big.Int { return within(add(x[0], x[1]), lo, hi) },
	"sub_sat/2":  func(_ int, lo, hi *big.Int, x [3]*big.Int) *big.Int { return within(sub(x[0], x[1]), lo, hi) },
	"hadd/2":     func(_ int, _, _ *big.Int, x [3]*big.Int) *big.Int { return rsh(add(x[0], x[1]), 1) },
	"rhadd/2": func(_ int, _, _ *big.Int, x [3]*big.Int) *big.Int {
		return rsh(add(add(x[0], x[1]), big.NewInt(1)), 1)
	},
	"mul_hi/2": func(n int, _, _ *big.Int, x [3]*big.Int) *big.Int { return rsh(mul(x[0], x[1]), n) },
	"mad_hi/3": func(n int, _, _ *big.Int, x [3]*big.Int) *big.Int { return add(rsh(mul(x[0], x[1]), n), x[2]) },
	"mad_sat/3": func(_ int, lo, hi *big.Int, x [3]*big.Int) *big.Int {
		return within(add(mul(x[0], x[1]), x[2]), lo, hi)
	},
	"clamp/3": func(_ int, _, _ *big.Int, x [3]*big.Int) *big.Int {
		if x[1].Cmp(x[2]) > 0 {
			return nil
		}
		return within(x[0], x[1], x[2])
	},
	"max/2": func(_ int, _, _ *big.Int, x [3]*big.Int) *big.Int {
		if x[0].Cmp(x[1]) < 0 {
			return x[1]
		}
		return x[0]
	},
	"min/2": func(_ int, _, _ *big.Int, x [3]*big.Int) *big.Int {
		if x[0].Cmp(x[1]) > 0 {
			return x[1]
		}
		return x[0]
	},
	"rotate/2": func(n int, _, _ *big.Int, x [3]*big.Int) *big.Int {
		u, k := pattern(x[0], n), int(pattern(x[1], n)%uint64(n))
		return new(big.Int).SetUint64(u<<k | u>>(n-k))
	},
	"clz/1": func(n int, _, _ *big.Int, x [3]*big.Int) *big.Int {
		return big.NewInt(int64(bits.LeadingZeros64(pattern(x[0], n)) - (64 - n)))
	},
	"ctz/1": func(n int, _, _ *big.Int, x [3]*big.Int) *big.Int {
		return big.NewInt(int64(min(n, bits.TrailingZeros64(pattern(x[0], n)))))
	},
	"popcount/1": func(n int, _, _ *big.Int, x [3]*big.Int) *big.Int {
		return big.NewInt(int64(bits.OnesCount64(pattern(x[0], n))))
	},
}

func add(x, y *big.Int) *big.Int       { return new(big.Int).Add(x, y) }
func sub(x, y *big.Int) *big.Int       { return new(big.Int).Sub(x, y) }
func mul(x, y *big.Int) *big.Int       { return new(big.Int).Mul(x, y) }
func rsh(x *big.Int, n int) *big.Int   { return new(big.Int).Rsh(x, uint(n)) }
func pattern(x *big.Int, n int) uint64 { return wrapped(x, 64, false).(uint64) << (64 - n) >> (64 - n) }
func within(x, lo, hi *big.Int) *big.Int {
	switch {
	case x.Cmp(lo) < 0:
		return lo
	case x.Cmp(hi) > 0:
		return hi
	}
	return x
}

func TestOpenCLInteger(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 37))
	var list []value
	for _, i := range integers {
		lo, hi := limits(i.bits, i.signed)
		pool := []*big.Int{lo, hi, big.NewInt(0), big.NewInt(1), big.NewInt(3), sub(hi, big.NewInt(1)),
			add(lo, big.NewInt(1))}
		if i.signed {
			pool = append(pool, big.NewInt(-1))
		}
		for range 6 {
			x := new(big.Int).SetUint64(random.Uint64())
			pool = append(pool, add(lo, x.Mod(x, sub(hi, lo))))
		}
		for name, model := range integerFunctions {
			name, n, _ := strings.Cut(name, "/")
			for range 12 {
				var x [3]*big.Int
				args := make([]string, n[0]-'0')
				for k := range x {
					x[k] = pool[random.IntN(len(pool))]
					if k < len(args) {
						args[k] = fmt.Sprintf("(%s)(%dul + zero)", i.name, wrapped(x[k], 64, false))
					}
				}
				want := model(i.bits, lo, hi, x)
				if want == nil {
					continue
				}
				typ, signed := i.name, i.signed
				if strings.HasPrefix(name, "abs") && signed {
					typ, signed = "u"+typ, false
				}
				list = append(list, value{typ, name + "(" + strings.Join(args, ", ") + ")",
					wrapped(want, i.bits, signed)})
			}
		}
	}
	list = append(list,
		value{"short", "upsample((char)(zero - 2), (uchar)255)", int16(-257)},
		value{"ushort", "upsample((uchar)(zero + 2), (uchar)255)", uint16(767)},
		value{"int", "upsample((short)(zero - 2), (ushort)65535)", int32(-65537)},
		value{"uint", "upsample((ushort)(zero + 2), (ushort)65535)", uint32(196607)},
		value{"long", "upsample(zero - 2, 0xffffffffu)", int64(-4294967297)},
		value{"ulong", "upsample((uint)zero + 2, 0xffffffffu)", uint64(12884901887)},
		value{"short2", "upsample((char2)(-2, 1), (uchar2)(255, 2))", [2]int16{-257, 258}},
		value{"long2", "upsample((int2)(-2, 1), (uint2)(0xffffffffu, 2))", [2]int64{-4294967297, 4294967298}},
		value{"int", "mul24(zero - 5, 8388607)", int32(-41943035)},
		value{"uint", "mul24((uint)zero + 16777215, 2u)", uint32(33554430)},
		value{"int", "mad24(zero - 5, 3, 1)", int32(-14)},
		value{"uchar4", "add_sat((uchar4)(250), (uchar4)(1, 10, 5, 6))", [4]uint8{251, 255, 255, 255}},
		value{"uchar2", "abs((char2)(-128, 3))", [2]uint8{128, 3}},
		value{"uint4", "abs_diff((int4)(-5, 5, 0, 7), (int4)(5))", [4]uint32{10, 0, 5, 2}},
		value{"char4", "clz((char4)(0, 1, -1, 64))", [4]int8{8, 7, 0, 1}},
	)
	values(t, dialect.OpenCL, "", "", list)
}
