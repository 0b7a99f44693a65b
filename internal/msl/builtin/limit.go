package builtin

import "github.com/puremetal/puremetal/internal/msl/types"

// floatLimits are the numeric_limits of a floating-point type.
type floatLimits struct {
	lowest, max, min, epsilon, roundError, infinity, quietNaN, signalingNaN, denormMin uint64 // bits
	digits, digits10, maxDigits10, minExp, minExp10, maxExp, maxExp10                  int64
}

var floats = [...]floatLimits{
	types.HalfKind: {lowest: 0xfbff, max: 0x7bff, min: 0x0400, epsilon: 0x1400, roundError: 0x3800, infinity: 0x7c00,
		quietNaN: 0x7e00, signalingNaN: 0x7d00,
		denormMin: 1, digits: 11, digits10: 3, maxDigits10: 5, minExp: -13, minExp10: -4, maxExp: 16, maxExp10: 4},
	types.BFloatKind: {lowest: 0xff7f, max: 0x7f7f, min: 0x0080, epsilon: 0x3c00, roundError: 0x3f00, infinity: 0x7f80,
		quietNaN: 0x7fc0, signalingNaN: 0x7fa0,
		denormMin: 1, digits: 8, digits10: 2, maxDigits10: 4, minExp: -125, minExp10: -37, maxExp: 128, maxExp10: 38},
	types.FloatKind: {lowest: 0xff7fffff, max: 0x7f7fffff, min: 0x00800000, epsilon: 0x34000000, roundError: 0x3f000000,
		infinity: 0x7f800000, quietNaN: 0x7fc00000,
		signalingNaN: 0x7fa00000, denormMin: 1, digits: 24, digits10: 6, maxDigits10: 9, minExp: -125, minExp10: -37,
		maxExp: 128, maxExp10: 38},
}

// limitsOf returns the limits of a floating-point type, or nil for other types.
func limitsOf(t *types.Basic) *floatLimits {
	if !t.IsFloat() {
		return nil
	}
	return &floats[t.Kind()]
}

// Limit returns a member of numeric_limits<t>. function says whether it is a function, like max(),
// or a constant, like digits.
func Limit(t *types.Basic, member string) (v types.Value, function, ok bool) {
	if !t.IsArithmetic() {
		return types.Value{}, false, false
	}
	var bits uint64
	if f := limitsOf(t); f != nil {
		bits, ok = f.function(member)
	} else {
		bits, ok = intFunction(t, member)
	}
	if ok {
		return types.BitsValue(t, bits), true, true
	}
	if b, ok := boolLimit(t, member); ok {
		return types.BoolValue(b), false, true
	}
	n, ok := intLimit(t, member)
	if !ok {
		return types.Value{}, false, false
	}
	return types.IntValue(types.Int, n), false, true
}

func (f *floatLimits) function(member string) (uint64, bool) {
	switch member {
	case "lowest":
		return f.lowest, true
	case "max":
		return f.max, true
	case "min":
		return f.min, true
	case "epsilon":
		return f.epsilon, true
	case "round_error":
		return f.roundError, true
	case "infinity":
		return f.infinity, true
	case "quiet_NaN":
		return f.quietNaN, true
	case "signaling_NaN":
		return f.signalingNaN, true
	case "denorm_min":
		return f.denormMin, true
	}
	return 0, false
}

func intFunction(t *types.Basic, member string) (uint64, bool) {
	lo, hi := types.IntRange(t)
	switch member {
	case "lowest", "min":
		return uint64(lo), true
	case "max":
		return hi, true
	case "epsilon", "round_error", "infinity", "quiet_NaN", "signaling_NaN", "denorm_min":
		return 0, true
	}
	return 0, false
}

func boolLimit(t *types.Basic, member string) (value, ok bool) {
	switch member {
	case "is_specialized", "is_bounded":
		return true, true
	case "is_signed":
		return t.IsSigned(), true
	case "is_integer", "is_exact":
		return t.IsInteger(), true
	case "has_infinity", "has_quiet_NaN", "has_signaling_NaN", "has_denorm", "is_iec559":
		return t.IsFloat(), true
	case "is_modulo":
		return t.IsInteger() && !t.IsSigned() && t != types.Bool, true
	case "has_denorm_loss", "traps", "tinyness_before":
		return false, true
	}
	return false, false
}

func intLimit(t *types.Basic, member string) (int64, bool) {
	f := limitsOf(t)
	if f == nil { // an integer
		f = &floatLimits{digits: int64(t.Bits())}
		if t.IsSigned() {
			f.digits--
		}
		f.digits10 = f.digits * 301 / 1000 // log10(2)
	}
	switch member {
	case "digits":
		return f.digits, true
	case "digits10":
		return f.digits10, true
	case "max_digits10":
		return f.maxDigits10, true
	case "radix":
		return 2, true
	case "min_exponent":
		return f.minExp, true
	case "min_exponent10":
		return f.minExp10, true
	case "max_exponent":
		return f.maxExp, true
	case "max_exponent10":
		return f.maxExp10, true
	case "round_style":
		if t.IsFloat() {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// EncodingMask returns a member of _fp_encoding_traits<t>, an unsigned integer of the type's width.
func EncodingMask(t *types.Basic, member string) (types.Value, bool) {
	f := limitsOf(t)
	if f == nil {
		return types.Value{}, false
	}
	sign := uint64(1) << (t.Bits() - 1)
	var mask uint64
	switch member {
	case "sign_mask":
		mask = sign
	case "exponent_mask", "inf_mask":
		mask = f.infinity
	case "mantissa_mask":
		mask = (sign - 1) &^ f.infinity
	case "nan_mask":
		mask = f.quietNaN
	default:
		return types.Value{}, false
	}
	if t == types.Float {
		return types.BitsValue(types.UInt, mask), true
	}
	return types.BitsValue(types.UShort, mask), true
}
