package dialects

import (
	"math"
	"math/big"
	"strconv"
	"testing"

	"github.com/puremetal/puremetal/internal/msl/dialect"
)

// cuda checks what expressions are in CUDA C++.
func cuda(t *testing.T, program, before string, list []value) {
	t.Helper()
	values(t, dialect.CUDA, program, before, list)
}

// rounded returns an exact value in float by a rounding mode of CUDA's suffixes.
func rounded(x *big.Float, mode string) float32 {
	m := map[string]big.RoundingMode{"rn": big.ToNearestEven, "rz": big.ToZero, "ru": big.ToPositiveInf,
		"rd": big.ToNegativeInf}[mode]
	if x.Sign() == 0 {
		f, _ := x.Float32()
		return f
	}
	prec := uint(24)
	if e := x.MantExp(nil); e < -125 { // subnormal: the last bit is 2^-149
		prec = uint(max(0, 24-(-125-e)))
	}
	if prec == 0 {
		least := math.Float32frombits(1)
		nearest := m == big.ToNearestEven && x.MantExp(nil) == -149 && new(big.Float).Abs(x).MinPrec() > 1
		switch {
		case m == big.ToPositiveInf && x.Sign() > 0, nearest && x.Sign() > 0:
			return least
		case m == big.ToNegativeInf && x.Sign() < 0, nearest:
			return -least
		}
		return float32(math.Copysign(0, float64(x.Sign())))
	}
	r := new(big.Float).SetMode(m).SetPrec(prec).Set(x)
	f, _ := r.Float32()
	if math.IsInf(float64(f), 0) && (m == big.ToZero || m == big.ToPositiveInf && x.Sign() < 0 ||
		m == big.ToNegativeInf && x.Sign() > 0) {
		return float32(math.Copysign(math.MaxFloat32, float64(x.Sign())))
	}
	return f
}

func TestCUDARounding(t *testing.T) {
	var list []value
	add := func(typ, expr string, want any) { list = append(list, value{typ, expr, want}) }
	floats := []float32{1, -1.5, 3.1415927, 1e-30, -7e20, 3e38, 1.17549435e-38, 1.4e-45, 0.1, 16777217, 5e-40}
	wide := func(f float32) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(float64(f)) }
	hex := func(f float32) string {
		return "__int_as_float(zero + " + big.NewInt(int64(int32(math.Float32bits(f)))).String() + ")"
	}
	for i, a := range floats {
		b := floats[(i*3+2)%len(floats)]
		c := floats[(i*5+1)%len(floats)]
		for _, mode := range []string{"rn", "rz", "ru", "rd"} {
			sum := new(big.Float).SetPrec(600).Add(wide(a), wide(b))
			product := new(big.Float).SetPrec(600).Mul(wide(a), wide(b))
			fused := new(big.Float).SetPrec(600).Add(product, wide(c))
			add("float", "__fadd_"+mode+"("+hex(a)+", "+hex(b)+")", rounded(sum, mode))
			add("float", "__fmul_"+mode+"("+hex(a)+", "+hex(b)+")", rounded(product, mode))
			add("float", "__fmaf_"+mode+"("+hex(a)+", "+hex(b)+", "+hex(c)+")", rounded(fused, mode))
			add("float", "__fdiv_"+mode+"("+hex(a)+", "+hex(b)+")",
				rounded(new(big.Float).SetPrec(600).Quo(wide(a), wide(b)), mode))
			if a > 0 {
				add("float", "__fsqrt_"+mode+"("+hex(a)+")", rounded(new(big.Float).SetPrec(600).Sqrt(wide(a)), mode))
			}
			add("int", "__float2int_"+mode+"("+hex(a)+")", toInt(float64(a), mode))
		}
	}
	for _, n := range []int64{0, 1, 16777217, -16777219, math.MaxInt64, math.MinInt64, -5, 123456789123} {
		for _, mode := range []string{"rn", "rz", "ru", "rd"} {
			add("float", "__ll2float_"+mode+"("+integer(n)+" + zero)",
				rounded(new(big.Float).SetPrec(200).SetInt64(n), mode))
		}
	}
	cuda(t, "", "", list)
}

func toInt(x float64, mode string) int32 {
	switch mode {
	case "rn":
		x = math.RoundToEven(x)
	case "rz":
		x = math.Trunc(x)
	case "ru":
		x = math.Ceil(x)
	case "rd":
		x = math.Floor(x)
	}
	return int32(max(math.MinInt32, min(math.MaxInt32, x)))
}

// integer is an integer in the language, which has no literal for the least.
func integer(n int64) string {
	if n == math.MinInt64 {
		return "(-0x7fffffffffffffffLL - 1)"
	}
	return strconv.FormatInt(n, 10) + "LL"
}
