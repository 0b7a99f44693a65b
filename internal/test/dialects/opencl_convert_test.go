package dialects

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/puremetal/puremetal/internal/msl/dialect"
)

// integers are the integer types of OpenCL C, with their bits.
var integers = []struct {
	name   string
	bits   int
	signed bool
}{{"char", 8, true}, {"uchar", 8, false}, {"short", 16, true}, {"ushort", 16, false}, {"int", 32, true},
	{"uint", 32, false}, {"long", 64, true}, {"ulong", 64, false}}

// limits returns the least and the greatest number of an integer type.
func limits(bits int, signed bool) (lo, hi *big.Int) {
	one := big.NewInt(1)
	if signed {
		hi = new(big.Int).Lsh(one, uint(bits-1))
		return new(big.Int).Neg(hi), new(big.Int).Sub(hi, one)
	}
	return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, uint(bits)), one)
}

// wrapped returns the value of type i with the low bits of x.
func wrapped(x *big.Int, bits int, signed bool) any {
	low := new(big.Int).And(x, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(bits)), big.NewInt(1))).Uint64()
	switch {
	case bits == 8 && signed:
		return int8(low)
	case bits == 8:
		return uint8(low)
	case bits == 16 && signed:
		return int16(low)
	case bits == 16:
		return uint16(low)
	case bits == 32 && signed:
		return int32(low)
	case bits == 32:
		return uint32(low)
	case signed:
		return int64(low)
	}
	return low
}

// roundedTo returns x rounded to an integer in a mode of OpenCL C; "" is rtz.
func roundedTo(x float64, mode string) float64 {
	switch mode {
	case "rte":
		return math.RoundToEven(x)
	case "rtp":
		return math.Ceil(x)
	case "rtn":
		return math.Floor(x)
	}
	return math.Trunc(x)
}

// bigMode is a rounding mode of OpenCL C for a big float.
var bigMode = map[string]big.RoundingMode{"": big.ToNearestEven, "_rte": big.ToNearestEven, "_rtz": big.ToZero,
	"_rtp": big.ToPositiveInf, "_rtn": big.ToNegativeInf}

func TestOpenCLConvert(t *testing.T) {
	floats := []float32{0, 0.5, -0.5, 1.5, 2.5, -2.5, 127.5, -128.5, 255.5, -1, 32767.5, -32768.5, 65535.5,
		2147483520, 2147483648, -2147483904, 4294967040, 9.2233715e18, 9.223372e18, -9.223372e18,
		1.8446742e19, 1.8446744e19, -1e30, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	var list []value
	for _, i := range integers {
		lo, hi := limits(i.bits, i.signed)
		for _, x := range floats {
			for _, mode := range []string{"", "rte", "rtz", "rtp", "rtn"} {
				var want *big.Int
				r := roundedTo(float64(x), mode)
				switch {
				case math.IsNaN(r):
					want = new(big.Int)
				case math.IsInf(r, 1):
					want = hi
				case math.IsInf(r, -1):
					want = lo
				default:
					want, _ = big.NewFloat(r).Int(nil)
				}
				inRange := !math.IsNaN(r) && want.Cmp(lo) >= 0 && want.Cmp(hi) <= 0 && !math.IsInf(r, 0)
				if want.Cmp(lo) < 0 {
					want = lo
				} else if want.Cmp(hi) > 0 {
					want = hi
				}
				suffix := ""
				if mode != "" {
					suffix = "_" + mode
				}
				arg := fmt.Sprintf("as_float((int)(%d + zero))", int32(math.Float32bits(x)))
				list = append(list, value{i.name, "convert_" + i.name + "_sat" + suffix + "(" + arg + ")",
					wrapped(want, i.bits, i.signed)})
				if inRange {
					list = append(list, value{i.name, "convert_" + i.name + suffix + "(" + arg + ")",
						wrapped(want, i.bits, i.signed)})
				}
			}
		}
		for _, j := range integers {
			from, to := limits(j.bits, j.signed)
			for _, x := range []*big.Int{from, to, big.NewInt(1), new(big.Int).Sub(to, big.NewInt(100))} {
				arg := fmt.Sprintf("(%s)(%dul + zero)", j.name, wrapped(x, 64, false))
				list = append(list, value{i.name, fmt.Sprintf("convert_%s(%s)", i.name, arg),
					wrapped(x, i.bits, i.signed)})
				y := x
				if y.Cmp(lo) < 0 {
					y = lo
				} else if y.Cmp(hi) > 0 {
					y = hi
				}
				list = append(list, value{i.name, fmt.Sprintf("convert_%s_sat(%s)", i.name, arg),
					wrapped(y, i.bits, i.signed)})
			}
		}
		for _, k := range []string{"0", "1", "16777217", "33554435", "2147483647", "4294967295", "9223372036854775807",
			"9223371761976868863", "18446744073709551615", "-16777217", "-2147483647", "-9223372036854775807", "127",
			"-128"} {
			x, _ := new(big.Int).SetString(k, 10)
			if x.Cmp(lo) < 0 || x.Cmp(hi) > 0 {
				continue
			}
			for suffix, mode := range bigMode {
				f, _ := new(big.Float).SetMode(mode).SetPrec(24).SetInt(x).Float32()
				list = append(list, value{"float", fmt.Sprintf("convert_float%s((%s)(%dul + zero))", suffix, i.name,
					wrapped(x, 64, false)), f})
			}
		}
	}
	list = append(list,
		value{"int4", "convert_int4_sat_rte((float4)(1.5, -2.5, 3e9, NAN))", [4]int32{2, -2, math.MaxInt32, 0}},
		value{"uchar3", "convert_uchar3_sat((int3)(-1, 256, 7))", [3]uint8{0, 255, 7}},
		value{"uchar4", "convert_uchar4((int4)(-1, 256, 7, 8))", [4]uint8{255, 0, 7, 8}},
		value{"float2", "convert_float2_rtp((int2)(16777217, -16777217))", [2]float32{16777218, -16777216}},
		value{"float4", "convert_float4((uchar4)(1, 2, 3, 255))", [4]float32{1, 2, 3, 255}},
		value{"int4", "as_int4((float4)(1, 2, 3, 4))", [4]int32{0x3f800000, 0x40000000, 0x40400000, 0x40800000}},
		value{"uchar4", "as_uchar4(0x04030201 + zero)", [4]uint8{1, 2, 3, 4}},
		value{"int", "as_int((uchar4)(1, 2, 3, 4))", int32(0x04030201)},
		value{"float3", "as_float3((int3)(0x3f800000))", [3]float32{1, 1, 1}},
		value{"short2", "as_short2(0x00020001 + zero)", [2]int16{1, 2}},
	)
	values(t, dialect.OpenCL, "", "", list)
}

// halfOf returns the bits of the half that x rounds to in a mode.
func halfOf(x float32, mode string) uint16 {
	sign := uint16(math.Float32bits(x) >> 31 << 15)
	a := new(big.Float).SetPrec(200).SetFloat64(math.Abs(float64(x)))
	// The halves in order of size are their bits; find the greatest that is at most a.
	lo, hi := 0, 0x7c00
	for lo < hi-1 {
		if mid := (lo + hi) / 2; halfValue(mid).Cmp(a) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	if halfValue(lo).Cmp(a) == 0 {
		return sign | uint16(lo)
	}
	up := false
	switch mode {
	case "", "_rte":
		middle := new(big.Float).Quo(new(big.Float).Add(halfValue(lo), halfValue(hi)), big.NewFloat(2))
		k := a.Cmp(middle)
		up = k > 0 || k == 0 && lo&1 == 1
	case "_rtp":
		up = sign == 0
	case "_rtn":
		up = sign != 0
	}
	if up {
		return sign | uint16(hi)
	}
	return sign | uint16(lo)
}

// halfValue returns the value of the half with these bits; infinity is 2^16.
func halfValue(bits int) *big.Float {
	e, m := bits>>10, bits&0x3ff
	if e == 0 {
		return big.NewFloat(math.Ldexp(float64(m), -24))
	}
	return big.NewFloat(math.Ldexp(float64(m+1024), e-25))
}

func TestOpenCLHalf(t *testing.T) {
	var list []value
	for _, x := range []float32{0, 1, 1.0004, 1.0005, 1.00049, -1.0004, -1.0005, 65504, 65510, 65519.9, 65520, 70000,
		-65510,
		-70000, 1e-8, 2e-8, 3e-8, 5.9e-8, 8.9e-8, -1e-8, 6.1e-5, 6.09e-5, 3.1415927, 1e30} {
		for mode := range bigMode {
			arg := fmt.Sprintf("as_float((int)(%d + zero))", int32(math.Float32bits(x)))
			list = append(list, value{"half", "convert_half" + mode + "(" + arg + ")", halfOf(x, mode)})
		}
	}
	list = append(list, value{"half", "convert_half_rtz(70000 + zero)", uint16(0x7bff)},
		value{"half", "convert_half_rte(2049 + zero)", uint16(0x6800)},
		value{"half", "convert_half_rtp(2049 + zero)", uint16(0x6801)})
	values(t, dialect.OpenCL, "", "", list)
}
