package opt

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/ir"
)

// quotient returns a division of integers by a constant power of two, or its remainder, as shifts
// and masks; nil if that is not possible.
func (w *rewriter) quotient(in *ir.Instr, c uint64) *ir.Value {
	x, t := in.Args[0], in.Results[0].Type
	width := t.Kind.Bits()
	if c == 0 || c&(c-1) != 0 {
		return nil
	}
	k := uint64(bits.TrailingZeros64(c))
	signed := in.Op == ir.OpSDiv || in.Op == ir.OpSRem
	switch {
	case !signed || significant(x, mostSteps) < width && k < uint64(width-1):
		if in.Op == ir.OpUDiv || in.Op == ir.OpSDiv {
			return w.op(ir.OpLShr, t, 0, x, w.constant(t, k))
		}
		return w.op(ir.OpAnd, t, 0, x, w.constant(t, c-1))
	case t.Kind != ir.I32 || k == 0 || k == uint64(width-1):
		return nil // shorter and longer integers have no shifts in vectors
	}
	if !w.unrolled { // more operations, with which fewer loops could be unrolled
		return nil
	}
	// A shift rounds down, a division toward zero: c-1 is added to a negative dividend.
	sign := x
	if k > 1 {
		sign = w.op(ir.OpAShr, t, 0, x, w.constant(t, uint64(width-1)))
	}
	sum := w.op(ir.OpAdd, t, 0, x, w.op(ir.OpLShr, t, 0, sign, w.constant(t, uint64(width)-k)))
	if in.Op == ir.OpSDiv {
		return w.op(ir.OpAShr, t, 0, sum, w.constant(t, k))
	}
	return w.op(ir.OpSub, t, 0, x, w.op(ir.OpAnd, t, 0, sum, w.constant(t, -c)))
}

// mostSteps is how many operations significant looks through.
const mostSteps = 6

// significant returns a number of low bits such that all higher bits of an integer are known to be
// 0 in each lane. It looks through a few operations only.
func significant(v *ir.Value, steps int) int {
	width := v.Type.Kind.Bits()
	def := v.Def
	if def == nil || steps == 0 {
		return width
	}
	of := func(i int) int { return significant(def.Args[i], steps-1) }
	constant := func() (uint64, bool) { return allLanes(def.Args[1]) }
	n := width
	switch def.Op {
	case ir.OpConst:
		n = 0
		for i := range v.Type.Lanes() {
			n = max(n, bits.Len64(def.Lane(i)))
		}
	case ir.OpIn:
		n = ofInput(ir.Input(def.Imm))
	case ir.OpZExt, ir.OpTrunc, ir.OpSplat, ir.OpExtract:
		n = of(0)
	case ir.OpSExt:
		if m := of(0); m < def.Args[0].Type.Kind.Bits() {
			n = m
		}
	case ir.OpAnd, ir.OpUMin:
		n = min(of(0), of(1))
	case ir.OpOr, ir.OpXor, ir.OpUMax:
		n = max(of(0), of(1))
	case ir.OpSDiv, ir.OpSRem, ir.OpSMin, ir.OpSMax:
		a, b := of(0), of(1)
		switch {
		case a < width && b < width && (def.Op == ir.OpSDiv || def.Op == ir.OpSRem):
			n = a
		case a < width && b < width:
			n = max(a, b)
		case def.Op == ir.OpSMax:
			n = max(min(a, b), width-1) // one of them is not negative
		}
	case ir.OpSelect:
		n = max(of(1), of(2))
	case ir.OpBuild:
		n = 0
		for i := range def.Args {
			n = max(n, of(i))
		}
	case ir.OpAdd:
		n = max(of(0), of(1)) + 1
	case ir.OpMul:
		n = of(0) + of(1)
	case ir.OpShl:
		if c, ok := constant(); ok {
			n = of(0) + int(c&uint64(width-1))
		}
	case ir.OpLShr, ir.OpAShr:
		n = of(0)
		if c, ok := constant(); ok && (def.Op == ir.OpLShr || n < width) {
			n = max(0, n-int(c&uint64(width-1)))
		}
	case ir.OpUDiv:
		n = of(0)
		if c, ok := constant(); ok && c != 0 {
			n = max(0, n-bits.Len64(c)+1)
		}
	case ir.OpURem:
		n = of(0)
		if c, ok := constant(); ok && c != 0 {
			n = min(n, bits.Len64(c-1))
		}
	case ir.OpPopcount, ir.OpClz, ir.OpCtz:
		n = bits.Len(uint(width))
	}
	return min(n, width)
}

// keepsBits reports whether a number that is truncated and extended again stays the same.
func keepsBits(extension ir.Op, v *ir.Value, truncated ir.Type) bool {
	width := truncated.Kind.Bits()
	if extension == ir.OpSExt {
		width-- // the sign
	}
	return significant(v, mostSteps) <= width
}

// ofInput is significant for an input.
func ofInput(i ir.Input) int {
	switch i {
	case ir.ThreadIndexInQuadgroup:
		return 2
	case ir.ThreadIndexInSimdgroup, ir.SimdgroupIndexInThreadgroup:
		return 5
	case ir.ThreadsPerSimdgroup, ir.ThreadExecutionWidth, ir.SimdgroupsPerThreadgroup,
		ir.DispatchSimdgroupsPerThreadgroup:
		return 6
	case ir.ThreadIndexInThreadgroup, ir.ThreadPositionInThreadgroup, ir.QuadgroupIndexInThreadgroup:
		return 10
	case ir.ThreadsPerThreadgroup, ir.DispatchThreadsPerThreadgroup, ir.QuadgroupsPerThreadgroup,
		ir.DispatchQuadgroupsPerThreadgroup:
		return 11
	}
	return 32
}

// reciprocal returns a quotient by constant powers of two as a product, which is equal to the bit
// because the reciprocals are exact; nil if a divisor is something else, or its reciprocal is not a
// normal number.
func (w *rewriter) reciprocal(in *ir.Instr) *ir.Value {
	x, y := in.Args[0], in.Args[1]
	if !isConst(y) {
		return nil
	}
	width, mantissa := y.Type.Kind.Bits(), 23
	switch y.Type.Kind {
	case ir.F16:
		mantissa = 10
	case ir.BF16:
		mantissa = 7
	}
	most := uint64(1)<<(width-1-mantissa) - 1 // the exponent of infinity, which is twice the bias and 1
	lanes := make([]uint64, y.Type.Lanes())
	for i := range lanes {
		c := y.Def.Lane(i)
		exponent := c >> mantissa & most
		if c&(1<<mantissa-1) != 0 || exponent == 0 || exponent+1 >= most {
			return nil
		}
		lanes[i] = c>>(width-1)<<(width-1) | (most-1-exponent)<<mantissa
	}
	return w.op(ir.OpFMul, x.Type, 0, x, w.constant(y.Type, lanes...))
}
