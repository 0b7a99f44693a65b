package types

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// halfByDefinition and bfloatByDefinition return the value of a bit pattern according to the
// definition of the format.
func halfByDefinition(bits uint64) float64 {
	sign, exp, mant := 1-2*float64(bits>>15), int(bits>>10&31), float64(bits&1023)
	switch exp {
	case 31:
		return sign * (math.Inf(1) * (1 - mant*0)) // NaN patterns are tested separately
	case 0:
		return sign * mant / (1 << 24)
	}
	return sign * (1 + mant/1024) * math.Pow(2, float64(exp-15))
}

func bfloatByDefinition(bits uint64) float64 {
	return float64(math.Float32frombits(uint32(bits) << 16))
}

func isNaNBits(k Kind, bits uint64) bool {
	if k == HalfKind {
		return bits&0x7fff > 0x7c00
	}
	return bits&0x7fff > 0x7f80
}

// TestAllPatterns tests every half and bfloat: to float and back, to integers, negation, !, bool.
func TestAllPatterns(t *testing.T) {
	for _, b := range []*Basic{Half, BFloat} {
		bad := 0
		check := func(ok bool, bits uint64, what string) {
			if !ok {
				if bad++; bad < 10 {
					t.Errorf("%v %#04x: %s", b, bits, what)
				}
			}
		}
		for bits := range uint64(1 << 16) {
			v := BitsValue(b, bits)
			f := v.Float()
			nan := isNaNBits(b.kind, bits)
			check(nan == (f != f), bits, "is NaN")
			wide, err := Convert(v, Float)
			check(err == nil, bits, "to float")
			back, err := Convert(wide, b)
			check(err == nil, bits, "from float")
			neg, err := Unary(Neg, v)
			check(err == nil && neg.Bits() == bits^0x8000, bits, "negated")
			not, err := Unary(Not, v)
			check(err == nil && not.Truth() == (f == 0), bits, "not")
			truth, err := Convert(v, Bool)
			check(err == nil && truth.Truth() == (f != 0), bits, "to bool")
			plus, err := Unary(Plus, v)
			check(err == nil && plus.Bits() == bits, bits, "plus")
			for _, to := range []*Basic{Char, UChar, Short, UShort, Int, UInt, Long, ULong} {
				n, err := Convert(v, to)
				check(err == nil && n.Equal(saturated(f, to)), bits, "to "+to.name)
			}
			if nan {
				check(isNaNBits(b.kind, back.Bits()), bits, "NaN through float")
				continue
			}
			check(back.Bits() == bits, bits, "through float")
			if b == BFloat {
				check(f == bfloatByDefinition(bits) && wide.Bits() == bits<<16, bits, "value")
			} else {
				check(f == halfByDefinition(bits), bits, "value")
			}
			check(RoundFloat(b.kind, f) == bits, bits, "rounded")
			sq, err := Binary(Mul, v, v)
			check(err == nil && sq.Bits() == exactRound(b.kind, new(big.Float).Mul(toBig(f), toBig(f)), f*f), bits, "squared")
		}
		assert.Zero(t, bad)
	}
}

// saturated is the conversion to an integer in arbitrary precision.
func saturated(f float64, to *Basic) Value {
	switch {
	case f != f:
		return IntValue(to, 0)
	case math.IsInf(f, 0):
		lo, hi := IntRange(to)
		if f < 0 {
			return IntValue(to, lo)
		}
		return UintValue(to, hi)
	}
	n, _ := big.NewFloat(f).Int(nil)
	lo, hi := IntRange(to)
	if n.Cmp(big.NewInt(lo)) < 0 {
		return IntValue(to, lo)
	}
	if n.Cmp(new(big.Int).SetUint64(hi)) > 0 {
		return UintValue(to, hi)
	}
	if n.Sign() < 0 {
		return IntValue(to, n.Int64())
	}
	return UintValue(to, n.Uint64())
}

func toBig(f float64) *big.Float {
	if math.IsInf(f, 0) {
		return new(big.Float).SetInf(f < 0)
	}
	return new(big.Float).SetPrec(2000).SetFloat64(f)
}

// exactRound rounds an exact number to a format by searching its neighbors. approx only gives the
// start of the search, and decides about zeros and infinities.
func exactRound(k Kind, x *big.Float, approx float64) uint64 {
	if x.IsInf() || x.Sign() == 0 {
		return RoundFloat(k, approx)
	}
	fm := formatOf(k)
	sign := uint64(0)
	if x.Sign() < 0 {
		sign = 1 << (fm.mant + fm.exp)
		x = new(big.Float).Neg(x)
	}
	inf := (uint64(1)<<fm.exp - 1) << fm.mant
	// Find the first number above x by bisecting the bits, which are in order.
	lo, hi := uint64(0), inf
	for lo < hi {
		mid := (lo + hi) / 2
		if mid == inf || toBig(FloatFromBits(k, mid)).Cmp(x) >= 0 {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo == 0 {
		return sign
	}
	above := toBig(FloatFromBits(k, lo))
	if lo == inf { // as if the exponent range continued
		above = toBig(math.Ldexp(1, 1<<(fm.exp-1)))
	}
	below := toBig(FloatFromBits(k, lo-1))
	up := new(big.Float).SetPrec(3000).Sub(above, x)
	down := new(big.Float).SetPrec(3000).Sub(x, below)
	if c := down.Cmp(up); c < 0 || c == 0 && (lo-1)&1 == 0 {
		return sign | (lo - 1)
	}
	return sign | lo
}

// TestRounding compares rounding with exact arithmetic: random numbers, ties, integers beyond 2^53.
func TestRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		for _, k := range []Kind{HalfKind, BFloatKind, FloatKind} {
			f := math.Float64frombits(r.Uint64())
			if r.IntN(2) == 0 { // near the format's numbers and their midpoints
				fm := formatOf(k)
				f = FloatFromBits(k, r.Uint64N(1<<(fm.mant+fm.exp)))
				if r.IntN(2) == 0 {
					f = (f + FloatFromBits(k, RoundFloat(k, f)+1)) / 2
				}
				f *= 1 + float64(r.IntN(3)-1)*0x1p-52
			}
			if f != f || math.IsInf(f, 0) {
				continue
			}
			require.Equal(t, exactRound(k, toBig(f), f), RoundFloat(k, f), "kind %d: %x", k, f)
			if k == FloatKind {
				require.Equal(t, uint64(math.Float32bits(float32(f))), RoundFloat(k, f), "%x", f)
			}
			n := r.Uint64() >> r.IntN(64)
			want := exactRound(k, new(big.Float).SetPrec(64).SetUint64(n), float64(n))
			require.Equal(t, want, UintValue(BasicOf(k), n).Bits(), "kind %d: %d", k, n)
			i := int64(n)
			want = exactRound(k, new(big.Float).SetPrec(64).SetInt64(i), float64(i))
			require.Equal(t, want, IntValue(BasicOf(k), i).Bits(), "kind %d: %d", k, i)
		}
	}
	tie := uint64(1<<63 + 1<<55)
	assert.EqualValues(t, 0x5f00, UintValue(BFloat, tie).Bits(), "a tie goes to even")
	assert.EqualValues(t, 0x5f01, UintValue(BFloat, tie+1).Bits(), "one above the tie does not")
	assert.EqualValues(t, 0x7c00, FloatValue(Half, 65520).Bits())
	assert.EqualValues(t, 0x7bff, FloatValue(Half, 65519.996).Bits())
	assert.EqualValues(t, 0x8001, FloatValue(Half, -0x1p-24).Bits())
	assert.EqualValues(t, 0x0000, FloatValue(Half, 0x1p-25).Bits())
	assert.EqualValues(t, 0x0001, FloatValue(Half, 0x1.8p-25).Bits())
}

// TestArithmeticRounding compares each operation of the narrow formats with exact arithmetic.
func TestArithmeticRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 4000 {
		for _, b := range []*Basic{Half, BFloat, Float} {
			v, w := BitsValue(b, r.Uint64()), BitsValue(b, r.Uint64())
			x, y := v.Float(), w.Float()
			if x != x || y != y || math.IsInf(x, 0) || math.IsInf(y, 0) {
				continue
			}
			exact := func() *big.Float { return new(big.Float).SetPrec(2000) }
			for op, want := range map[Op]uint64{
				Add: exactRound(b.kind, exact().Add(toBig(x), toBig(y)), x+y),
				Sub: exactRound(b.kind, exact().Sub(toBig(x), toBig(y)), x-y),
				Mul: exactRound(b.kind, exact().Mul(toBig(x), toBig(y)), x*y),
			} {
				got, err := Binary(op, v, w)
				require.NoError(t, err)
				require.Equal(t, want, got.Bits(), "%v %v %v", v, op, w)
			}
			if y != 0 && x != 0 {
				got, err := Binary(Div, v, w)
				require.NoError(t, err)
				require.Equal(t, exactRound(b.kind, exact().Quo(toBig(x), toBig(y)), x/y), got.Bits(), "%v / %v", v, w)
			}
		}
	}
}

func TestParseLiteral(t *testing.T) {
	for text, want := range map[string]uint64{"0.1": 0x2e66, "65504": 0x7bff, "65520": 0x7c00,
		"65519.99999999999999999999": 0x7bff, "1e-8": 0,
		"2.98023223876953125e-8": 0, "2.980232238769531250000000000000001e-8": 1, "0x1p-24": 1, "1": 0x3c00,
		"1.00048828125":                          0x3c00,
		"1.000488281250000000000000000000000001": 0x3c01} {
		v, err := ParseFloat(Half, text)
		require.NoError(t, err)
		assert.Equal(t, want, v.Bits(), text)
	}
	v, err := ParseFloat(Float, "3.4028235677973366e38") // below the midpoint to the next number
	require.NoError(t, err)
	assert.EqualValues(t, 0x7f7fffff, v.Bits())
	v, err = ParseFloat(Float, "3.4028235677973367e38")
	require.NoError(t, err)
	assert.EqualValues(t, 0x7f800000, v.Bits())
	_, err = ParseFloat(Float, "1.2.3")
	assert.Error(t, err)
	_, err = ParseFloat(Int, "1")
	assert.Error(t, err)
	v, err = ParseFloat(BFloat, "1e999999")
	require.NoError(t, err)
	assert.EqualValues(t, 0x7f80, v.Bits())
	v, err = ParseFloat(Half, "1e-999999")
	require.NoError(t, err)
	assert.Zero(t, v.Bits())
}
