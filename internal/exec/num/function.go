package num

import (
	"math"

	"github.com/puremetal/puremetal/internal/ir"
)

// function returns a mathematical function of f32 numbers. For narrower kinds, the result is
// rounded again.
func function(op ir.Op, x, y float32) float32 {
	switch op {
	case ir.OpRSqrt:
		return RSqrt(x)
	case ir.OpSin:
		return Sin(x)
	case ir.OpCos:
		return Cos(x)
	case ir.OpTan:
		return Tan(x)
	case ir.OpASin:
		return ASin(x)
	case ir.OpACos:
		return ACos(x)
	case ir.OpATan:
		return ATan(x)
	case ir.OpSinH:
		return SinH(x)
	case ir.OpCosH:
		return CosH(x)
	case ir.OpTanH:
		return TanH(x)
	case ir.OpASinH:
		return ASinH(x)
	case ir.OpACosH:
		return ACosH(x)
	case ir.OpATanH:
		return ATanH(x)
	case ir.OpSinPi:
		return SinPi(x)
	case ir.OpCosPi:
		return CosPi(x)
	case ir.OpTanPi:
		return TanPi(x)
	case ir.OpExp:
		return Exp(x)
	case ir.OpExp2:
		return Exp2(x)
	case ir.OpExp10:
		return Exp10(x)
	case ir.OpLog:
		return Log(x)
	case ir.OpLog2:
		return Log2(x)
	case ir.OpLog10:
		return Log10(x)
	case ir.OpATan2:
		return ATan2(x, y)
	case ir.OpPow:
		return Pow(x, y)
	case ir.OpPowR:
		return PowR(x, y)
	}
	return float32(math.NaN())
}
