package num

import (
	"math"
	"math/bits"

	"github.com/puremetal/puremetal/internal/ir"
)

// Signed returns the low w bits as a signed number.
func Signed(x uint64, w int) int64 { return int64(x<<(64-w)) >> (64 - w) }

// Truth returns a truth value as a number.
func Truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// ClampSigned clamps x to the signed range of w bits.
func ClampSigned(x int64, w int) uint64 {
	limit := int64(1) << (w - 1)
	return uint64(min(max(x, -limit), limit-1))
}

// integer executes an operation on integers or truth values of w bits; the caller truncates the
// result to its width.
func integer(op ir.Op, w int, v [4]uint64) uint64 {
	x, y := v[0], v[1]
	if w == 0 {
		w = 64 // an address
	}
	sx, sy := Signed(x, w), Signed(y, w)
	mask := ^uint64(0) >> (64 - w)
	count := y % uint64(w)
	switch op {
	case ir.OpAdd:
		return x + y
	case ir.OpSub:
		return x - y
	case ir.OpMul:
		return x * y
	case ir.OpNeg:
		return -x
	case ir.OpSDiv:
		switch {
		case sy == 0:
			return 0
		case sy == -1:
			return -x
		}
		return uint64(sx / sy)
	case ir.OpUDiv:
		if y == 0 {
			return 0
		}
		return x / y
	case ir.OpSRem:
		switch sy {
		case 0:
			return x
		case -1:
			return 0
		}
		return uint64(sx % sy)
	case ir.OpURem:
		if y == 0 {
			return x
		}
		return x % y
	case ir.OpUMulHi:
		hi, lo := bits.Mul64(x, y)
		if w == 64 {
			return hi
		}
		return lo >> w
	case ir.OpSMulHi:
		if w < 64 {
			return uint64(sx * sy >> w)
		}
		hi, _ := bits.Mul64(x, y)
		if sx < 0 {
			hi -= y
		}
		if sy < 0 {
			hi -= x
		}
		return hi
	case ir.OpSMin:
		return uint64(min(sx, sy))
	case ir.OpSMax:
		return uint64(max(sx, sy))
	case ir.OpUMin:
		return min(x, y)
	case ir.OpUMax:
		return max(x, y)
	case ir.OpSAddSat:
		if s := sx + sy; w < 64 {
			return ClampSigned(s, w)
		} else if sx < 0 && sy < 0 && s >= 0 {
			return 1 << 63
		} else if sx >= 0 && sy >= 0 && s < 0 {
			return math.MaxInt64
		} else {
			return uint64(s)
		}
	case ir.OpSSubSat:
		if s := sx - sy; w < 64 {
			return ClampSigned(s, w)
		} else if sx < 0 && sy >= 0 && s >= 0 {
			return 1 << 63
		} else if sx >= 0 && sy < 0 && s < 0 {
			return math.MaxInt64
		} else {
			return uint64(s)
		}
	case ir.OpUAddSat:
		if s := x + y; s < x || s > mask {
			return mask
		} else {
			return s
		}
	case ir.OpUSubSat:
		return x - min(x, y)
	case ir.OpSAbsDiff:
		return uint64(max(sx, sy)) - uint64(min(sx, sy))
	case ir.OpUAbsDiff:
		return max(x, y) - min(x, y)
	// x+y = 2*(x&y) + (x^y), and also = 2*(x|y) - (x^y).
	case ir.OpSHAdd:
		return uint64(sx&sy + (sx^sy)>>1)
	case ir.OpUHAdd:
		return x&y + (x^y)>>1
	case ir.OpSRHAdd:
		return uint64(sx | sy - (sx^sy)>>1)
	case ir.OpURHAdd:
		return x | y - (x^y)>>1
	case ir.OpShl:
		return x << count
	case ir.OpLShr:
		return x >> count
	case ir.OpAShr:
		return uint64(sx >> count)
	case ir.OpRotL:
		return x<<count | x>>(uint64(w)-count)
	case ir.OpSAbs:
		return uint64(max(sx, -sx))
	case ir.OpClz:
		return uint64(bits.LeadingZeros64(x) - (64 - w))
	case ir.OpCtz:
		return uint64(min(bits.TrailingZeros64(x), w))
	case ir.OpPopcount:
		return uint64(bits.OnesCount64(x))
	case ir.OpBitReverse:
		return bits.Reverse64(x) >> (64 - w)
	case ir.OpSExtract, ir.OpUExtract:
		first := int(y % uint64(w))
		n := min(int(min(v[2], 64)), w-first)
		if n == 0 {
			return 0
		}
		field := x >> first & (^uint64(0) >> (64 - n))
		if op == ir.OpSExtract {
			return uint64(Signed(field, n))
		}
		return field
	case ir.OpBitInsert:
		first := int(v[2] % uint64(w))
		n := min(int(min(v[3], 64)), w-first)
		if n == 0 {
			return x
		}
		field := ^uint64(0) >> (64 - n) << first
		return x&^field | y<<first&field
	case ir.OpAnd:
		return x & y
	case ir.OpOr:
		return x | y
	case ir.OpXor:
		return x ^ y
	case ir.OpNot:
		return ^x
	case ir.OpEq:
		return Truth(x == y)
	case ir.OpNe:
		return Truth(x != y)
	case ir.OpSLT:
		return Truth(sx < sy)
	case ir.OpSLE:
		return Truth(sx <= sy)
	case ir.OpULT:
		return Truth(x < y)
	case ir.OpULE:
		return Truth(x <= y)
	}
	return 0
}

// Convert executes a conversion of one number.
func Convert(op ir.Op, from, to ir.Kind, x uint64) uint64 {
	w := to.Bits()
	mask := ^uint64(0) >> (64 - w)
	switch op {
	case ir.OpTrunc, ir.OpZExt:
		return x & mask
	case ir.OpSExt:
		return uint64(Signed(x, from.Bits())) & mask
	case ir.OpUIToF:
		return ir.FloatBits(to, fromUint(x))
	case ir.OpSIToF:
		if s := Signed(x, from.Bits()); s < 0 {
			return ir.FloatBits(to, -fromUint(-uint64(s)))
		}
		return ir.FloatBits(to, fromUint(x))
	case ir.OpFConv:
		return Round(to, ir.BitsFloat(from, x))
	}
	f := math.Trunc(ir.BitsFloat(from, x))
	switch {
	case f != f:
		return 0
	case op == ir.OpFToUI && f <= 0:
		return 0
	case op == ir.OpFToUI && f >= math.Ldexp(1, w):
		return mask
	case op == ir.OpFToUI:
		return uint64(f)
	case f >= math.Ldexp(1, w-1):
		return mask >> 1
	case f < -math.Ldexp(1, w-1):
		return 1 << (w - 1)
	}
	return uint64(int64(f)) & mask
}

// fromUint returns x or, if it does not fit in 53 bits, a number that rounds to fewer bits like x.
func fromUint(x uint64) float64 {
	if x >= 1<<53 && x&0x7ff != 0 {
		x = x&^0x7ff | 0x800
	}
	return float64(x)
}
