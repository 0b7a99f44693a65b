package builtin

import (
	"math"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/msl/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConstants recomputes the constants: mathematical ones by rounding, those of formats from
// their definitions.
func TestConstants(t *testing.T) {
	suffixes := map[string]*types.Basic{"F": types.Float, "H": types.Half, "BF": types.BFloat}
	for name, x := range map[string]float64{"M_E": math.E, "M_LOG2E": math.Log2E, "M_LOG10E": math.Log10E,
		"M_LN2": math.Ln2, "M_LN10": math.Ln10,
		"M_PI": math.Pi, "M_PI_2": math.Pi / 2, "M_PI_4": math.Pi / 4, "M_1_PI": 1 / math.Pi, "M_2_PI": 2 / math.Pi,
		"M_2_SQRTPI": 2 / math.Sqrt(math.Pi),
		"M_SQRT2":    math.Sqrt2, "M_SQRT1_2": math.Sqrt2 / 2} {
		for suffix, ty := range suffixes {
			c := LookupConst(name + "_" + suffix)
			require.NotNil(t, c, "%s_%s", name, suffix)
			assert.True(t, c.Value().Equal(types.FloatValue(ty, x)), "%s is %v", c.Name, c.Value())
		}
	}
	for _, f := range []struct {
		prefix string
		t      *types.Basic
	}{{"FLT", types.Float}, {"HALF", types.Half}, {"BFLT", types.BFloat}} {
		for suffix, member := range map[string]string{"MAX": "max", "MIN": "min", "EPSILON": "epsilon", "MANT_DIG": "digits",
			"DIG":     "digits10",
			"MAX_EXP": "max_exponent", "MIN_EXP": "min_exponent", "MAX_10_EXP": "max_exponent10", "MIN_10_EXP": "min_exponent10",
			"RADIX": "radix"} {
			limit, _, ok := Limit(f.t, member)
			require.True(t, ok)
			c := LookupConst(f.prefix + "_" + suffix)
			require.NotNil(t, c, "%s_%s", f.prefix, suffix)
			assert.True(t, c.Value().Equal(limit), "%s is %v, numeric_limits has %v", c.Name, c.Value(), limit)
		}
	}
	for name, want := range map[string]string{"INT_MIN": "-2147483648", "UINT_MAX": "4294967295u",
		"LONG_MAX": "9223372036854775807l", "UCHAR_MAX": "255",
		"SHRT_MIN": "-32768", "USHRT_MAX": "65535", "ULONG_MAX": "18446744073709551615ul", "CHAR_BIT": "8", "INFINITY": "inf",
		"NAN": "nan", "MAXHALF": "65504.0h",
		"INT8_MIN": "-128", "UINT64_MAX": "18446744073709551615ul"} {
		c := LookupConst(name)
		require.NotNil(t, c, name)
		assert.Equal(t, want, c.Value().String(), name)
	}
	for _, c := range Consts() {
		assert.Equal(t, c.Name != "os_log_default", c.Value().IsValid(), c.Name)
	}
}

// TestLimits derives the limits of each type from its number of bits.
func TestLimits(t *testing.T) {
	get := func(b *types.Basic, member string) types.Value {
		v, _, ok := Limit(b, member)
		require.True(t, ok, "%v %s", b, member)
		return v
	}
	for _, name := range strings.Fields("half bfloat float") {
		ty, _ := types.Named(name)
		b := ty.(*types.Basic)
		p := int(get(b, "digits").Float())
		emax := int(get(b, "max_exponent").Float())
		emin := int(get(b, "min_exponent").Float())
		assert.Equal(t, 2-(emax-1), emin, name)
		assert.Equal(t, math.Ldexp(1-math.Ldexp(1, -p), emax), get(b, "max").Float(), name)
		assert.Equal(t, -get(b, "max").Float(), get(b, "lowest").Float(), name)
		assert.Equal(t, math.Ldexp(1, emin-1), get(b, "min").Float(), name)
		assert.Equal(t, math.Ldexp(1, emin-p), get(b, "denorm_min").Float(), name)
		assert.Equal(t, math.Ldexp(1, 1-p), get(b, "epsilon").Float(), name)
		assert.Equal(t, 0.5, get(b, "round_error").Float(), name)
		assert.True(t, math.IsInf(get(b, "infinity").Float(), 1), name)
		assert.True(t, math.IsNaN(get(b, "quiet_NaN").Float()) && math.IsNaN(get(b, "signaling_NaN").Float()), name)
		assert.Equal(t, math.Floor(float64(p-1)*math.Log10(2)), get(b, "digits10").Float(), name)
		assert.Equal(t, math.Ceil(1+float64(p)*math.Log10(2)), get(b, "max_digits10").Float(), name)
		assert.Equal(t, math.Floor(float64(emax)*math.Log10(2)), get(b, "max_exponent10").Float(), name)
		assert.Equal(t, math.Ceil(float64(emin-1)*math.Log10(2)), get(b, "min_exponent10").Float(), name)
		assert.True(t, get(b, "is_iec559").Truth() && !get(b, "is_integer").Truth(), name)
		assert.Equal(t, "1", get(b, "round_style").String())
	}
	for name, want := range map[string][4]string{"bool": {"false", "true", "1", "0"}, "char": {"-128", "127", "7", "2"},
		"uchar": {"0", "255", "8", "2"},
		"short": {"-32768", "32767", "15", "4"}, "uint": {"0u", "4294967295u", "32", "9"},
		"long":  {"-9223372036854775808l", "9223372036854775807l", "63", "18"},
		"ulong": {"0ul", "18446744073709551615ul", "64", "19"}} {
		ty, _ := types.Named(name)
		b := ty.(*types.Basic)
		for i, m := range []string{"lowest", "max", "digits", "digits10"} {
			assert.Equal(t, want[i], get(b, m).String(), "%s %s", name, m)
		}
		assert.True(t, get(b, "lowest").Equal(get(b, "min")))
		assert.Equal(t, b.IsSigned(), get(b, "is_signed").Truth())
		assert.Equal(t, "0", get(b, "max_digits10").String())
	}
	_, function, _ := Limit(types.Int, "max")
	assert.True(t, function)
	_, function, _ = Limit(types.Int, "digits")
	assert.False(t, function)
	_, _, ok := Limit(types.Int, "largest")
	assert.False(t, ok)
	_, _, ok = Limit(types.Void, "max")
	assert.False(t, ok)
}

func TestEncodingMasks(t *testing.T) {
	for _, b := range []*types.Basic{types.Half, types.BFloat, types.Float} {
		sum := uint64(0)
		for _, m := range []string{"sign_mask", "exponent_mask", "mantissa_mask"} {
			v, ok := EncodingMask(b, m)
			require.True(t, ok)
			assert.Zero(t, sum&v.Bits(), "%v: %s overlaps", b, m)
			sum |= v.Bits()
		}
		assert.Equal(t, uint64(1)<<b.Bits()-1, sum, b.String())
	}
	v, _ := EncodingMask(types.Half, "mantissa_mask")
	assert.EqualValues(t, 0x3ff, v.Bits())
	_, ok := EncodingMask(types.Float, "mask")
	assert.False(t, ok)
	_, ok = EncodingMask(types.Int, "sign_mask")
	assert.False(t, ok)
}
