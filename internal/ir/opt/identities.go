package opt

import "github.com/puremetal/puremetal/internal/ir"

// identities replaces operations whose result is one of their operands, a constant, or the result
// of a cheaper operation. For floating-point numbers, this must preserve the sign of zero and the
// quieting of NaNs, so it is limited to operations on signs and quotients by powers of two.
func identities(s *session) {
	w := newRewriter(s)
	w.visit = func(in *ir.Instr) bool {
		if !in.Op.Info().Has(ir.Pure) || len(in.Results) != 1 || len(in.Args) == 0 {
			return false
		}
		v := w.identity(in)
		if v == nil {
			return false
		}
		w.replace(in.Results[0], v)
		return true
	}
	w.rewrite()
}

// identity returns the result of an operation if it can be computed without an operation or by a
// cheaper one; otherwise nil.
func (w *rewriter) identity(in *ir.Instr) *ir.Value {
	switch in.Op {
	case ir.OpSelect:
		return w.selection(in)
	case ir.OpNot, ir.OpNeg, ir.OpFNeg, ir.OpFAbs:
		return w.unary(in)
	case ir.OpTrunc, ir.OpZExt, ir.OpSExt, ir.OpBitcast, ir.OpPtrToInt, ir.OpIntToPtr:
		return w.conversion(in)
	case ir.OpExtract, ir.OpSwizzle, ir.OpBuild, ir.OpExtractDyn:
		return w.lanes(in)
	case ir.OpFDiv:
		return w.reciprocal(in)
	case ir.OpEq, ir.OpNe:
		if in.Args[0].Type.Kind == ir.Pointer {
			v := w.sameAddress(in.Args[0], in.Args[1], mostSteps)
			if v != nil && in.Op == ir.OpNe {
				v = w.op(ir.OpNot, v.Type, 0, v)
			}
			return v
		}
	case ir.OpMatSet: // lanes that are not active count as zero in either matrix
		if def := in.Args[0].Def; def != nil && def.Op == ir.OpMatGet && def.Args[0].Type == in.Results[0].Type {
			return def.Args[0]
		}
	}
	if len(in.Args) == 2 && in.Args[0].Type.Kind.Bits() > 0 && !in.Args[0].Type.Kind.IsFloat() {
		return w.integers(in)
	}
	return nil
}

// integers simplifies an operation on two integers or truth values.
func (w *rewriter) integers(in *ir.Instr) *ir.Value {
	x, y, t := in.Args[0], in.Args[1], in.Args[0].Type
	if commutes(in.Op) && isConst(x) && !isConst(y) {
		x, y = y, x
		in.Args[0], in.Args[1], w.changed = x, y, true
	}
	width := t.Kind.Bits()
	ones := ^uint64(0) >> (64 - width)
	same := x == y
	if same {
		switch in.Op {
		case ir.OpAnd, ir.OpOr, ir.OpSMin, ir.OpSMax, ir.OpUMin, ir.OpUMax:
			return x
		case ir.OpXor, ir.OpSub, ir.OpSSubSat, ir.OpUSubSat, ir.OpSAbsDiff, ir.OpUAbsDiff:
			return w.constant(t, 0)
		case ir.OpEq, ir.OpSLE, ir.OpULE:
			return w.constant(t.With(ir.I1), 1)
		case ir.OpNe, ir.OpSLT, ir.OpULT:
			return w.constant(t.With(ir.I1), 0)
		}
	}
	c, ok := allLanes(y)
	if !ok {
		if c, ok := allLanes(x); ok && c == 0 {
			switch in.Op {
			case ir.OpShl, ir.OpLShr, ir.OpAShr, ir.OpUDiv, ir.OpSDiv, ir.OpURem, ir.OpSRem:
				return x
			case ir.OpULE:
				return w.constant(t.With(ir.I1), 1)
			}
		}
		return nil
	}
	switch in.Op {
	case ir.OpAdd, ir.OpSub, ir.OpOr, ir.OpXor, ir.OpUAddSat, ir.OpUSubSat, ir.OpUMax, ir.OpUAbsDiff:
		if c == 0 {
			return x
		}
		if in.Op == ir.OpOr && c == ones {
			return y
		}
		if def := x.Def; in.Op == ir.OpAdd && def != nil && def.Op == ir.OpAdd {
			if d, ok := allLanes(def.Args[1]); ok {
				return w.op(ir.OpAdd, t, 0, def.Args[0], w.constant(t, c+d))
			}
		}
	case ir.OpAnd, ir.OpUMin:
		switch c {
		case 0:
			return y
		case ones:
			return x
		}
	case ir.OpMul:
		switch c {
		case 0:
			return y
		case 1:
			return x
		}
	case ir.OpShl, ir.OpLShr, ir.OpAShr, ir.OpRotL:
		if c&uint64(width-1) == 0 {
			return x
		}
	case ir.OpSDiv, ir.OpUDiv:
		if c == 1 {
			return x
		}
		return w.quotient(in, c)
	case ir.OpURem, ir.OpSRem:
		if c == 1 {
			return w.constant(t, 0)
		}
		return w.quotient(in, c)
	case ir.OpEq, ir.OpNe:
		if t.Kind != ir.I1 {
			return nil
		}
		if (in.Op == ir.OpEq) == (c == 1) {
			return x
		}
		return w.op(ir.OpNot, t, 0, x)
	case ir.OpULT:
		if c == 0 {
			return w.constant(t.With(ir.I1), 0)
		}
	}
	return nil
}

func (w *rewriter) selection(in *ir.Instr) *ir.Value {
	c, x, y := in.Args[0], in.Args[1], in.Args[2]
	if x == y {
		return x
	}
	if b, ok := allLanes(c); ok {
		return in.Args[2-b&1]
	}
	if x.Type.Kind != ir.I1 || c.Type != x.Type {
		return nil
	}
	a, okA := allLanes(x)
	b, okB := allLanes(y)
	switch {
	case okA && okB && a == 1: // and b is 0
		return c
	case okA && okB:
		return w.op(ir.OpNot, c.Type, 0, c)
	case okA && a == 1:
		return w.op(ir.OpOr, c.Type, 0, c, y)
	case okB && b == 0:
		return w.op(ir.OpAnd, c.Type, 0, c, x)
	}
	return nil
}

// opposite returns the comparison that is true when op is false, and whether its operands are
// swapped; OpInvalid if there is none.
func opposite(op ir.Op) (to ir.Op, swap bool) {
	switch op {
	case ir.OpEq:
		return ir.OpNe, false
	case ir.OpNe:
		return ir.OpEq, false
	case ir.OpFEq:
		return ir.OpFNe, false
	case ir.OpFNe:
		return ir.OpFEq, false
	case ir.OpSLT:
		return ir.OpSLE, true
	case ir.OpSLE:
		return ir.OpSLT, true
	case ir.OpULT:
		return ir.OpULE, true
	case ir.OpULE:
		return ir.OpULT, true
	}
	return ir.OpInvalid, false // with a NaN, both a comparison of floats and its opposite would be false
}

func (w *rewriter) unary(in *ir.Instr) *ir.Value {
	x := in.Args[0]
	def := x.Def
	if def == nil {
		return nil
	}
	switch {
	case in.Op == ir.OpFAbs && def.Op == ir.OpFAbs:
		return x
	case in.Op == ir.OpFAbs && def.Op == ir.OpFNeg:
		return w.op(ir.OpFAbs, x.Type, 0, def.Args[0])
	case in.Op == def.Op:
		return def.Args[0]
	case in.Op == ir.OpNot && x.Type.Kind == ir.I1:
		if to, swap := opposite(def.Op); to != ir.OpInvalid {
			a, b := def.Args[0], def.Args[1]
			if swap {
				a, b = b, a
			}
			return w.op(to, x.Type, 0, a, b)
		}
	}
	return nil
}

func (w *rewriter) conversion(in *ir.Instr) *ir.Value {
	x, to := in.Args[0], in.Results[0].Type
	if in.Op == ir.OpBitcast && x.Type == to {
		return x
	}
	def := x.Def
	if def == nil {
		return nil
	}
	inner := def.Op
	switch in.Op {
	case ir.OpPtrToInt:
		if inner == ir.OpIntToPtr {
			return def.Args[0]
		}
		return nil
	case ir.OpIntToPtr:
		if inner == ir.OpPtrToInt && def.Args[0].Type == to {
			return def.Args[0]
		}
		return nil
	case ir.OpBitcast:
		if inner == ir.OpBitcast {
			return w.again(ir.OpBitcast, def.Args[0], to)
		}
		return nil
	}
	if (inner == ir.OpExtract || inner == ir.OpSwizzle) && in.Op != ir.OpTrunc {
		return w.selected(in.Op, def, to)
	}
	if inner == ir.OpAdd || inner == ir.OpSub || inner == ir.OpMul {
		return w.truncated(in, def, to)
	}
	if inner != ir.OpTrunc && inner != ir.OpZExt && inner != ir.OpSExt {
		return nil
	}
	from := def.Args[0]
	switch {
	case in.Op == ir.OpTrunc && inner == ir.OpTrunc, in.Op == ir.OpZExt && inner == ir.OpZExt,
		in.Op == ir.OpSExt && inner == ir.OpSExt:
		return w.again(in.Op, from, to)
	case in.Op == ir.OpSExt && inner == ir.OpZExt: // its sign is 0
		return w.again(ir.OpZExt, from, to)
	case in.Op != ir.OpTrunc: // of a truncated number; it may have lost nothing
		switch {
		case inner != ir.OpTrunc || !keepsBits(in.Op, from, x.Type):
			return nil
		case to.Kind.Bits() < from.Type.Kind.Bits():
			return w.again(ir.OpTrunc, from, to)
		}
		return w.again(ir.OpZExt, from, to)
	case to.Kind.Bits() == from.Type.Kind.Bits():
		return w.again(ir.OpBitcast, from, to)
	case to.Kind.Bits() < from.Type.Kind.Bits():
		return w.again(ir.OpTrunc, from, to)
	}
	return w.again(inner, from, to)
}

// truncated returns what is left of sums, differences and products of numbers that were extended,
// when their result is truncated to the type from which they were extended: it is computed in that
// type. Otherwise it returns nil.
func (w *rewriter) truncated(in, operation *ir.Instr, to ir.Type) *ir.Value {
	if in.Op != ir.OpTrunc || to.Kind != ir.I32 || !extended(operation.Results[0], to, mostNarrowed) {
		return nil
	}
	return w.narrowed(operation.Results[0], to, mostNarrowed)
}

// mostNarrowed is how many operations, one on the result of the other, are computed in another type
// at a time. An operation whose result is used twice is computed twice, until both are found equal.
const mostNarrowed = 4

// extended reports whether one of the numbers that a sum, difference or product is made of was
// extended from a type.
func extended(v *ir.Value, from ir.Type, steps int) bool {
	if v.Def == nil || steps < 0 {
		return false
	}
	switch v.Def.Op {
	case ir.OpZExt, ir.OpSExt:
		return v.Def.Args[0].Type == from
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		return extended(v.Def.Args[0], from, steps-1) || extended(v.Def.Args[1], from, steps-1)
	}
	return false
}

// narrowed returns the lowest bits of a number.
func (w *rewriter) narrowed(v *ir.Value, to ir.Type, steps int) *ir.Value {
	if !extended(v, to, steps) {
		return w.op(ir.OpTrunc, to, 0, v)
	}
	args := v.Def.Args
	if v.Def.Op == ir.OpZExt || v.Def.Op == ir.OpSExt {
		return args[0]
	}
	return w.op(v.Def.Op, to, 0, w.narrowed(args[0], to, steps-1), w.narrowed(args[1], to, steps-1))
}

// selected returns lanes selected from truncated vectors and extended again, selected from what was
// truncated if that keeps their bits; otherwise nil.
func (w *rewriter) selected(extension ir.Op, selection *ir.Instr, to ir.Type) *ir.Value {
	var from []*ir.Value
	for _, a := range selection.Args {
		if a.Def == nil || a.Def.Op != ir.OpTrunc {
			return nil
		}
		x := a.Def.Args[0]
		if x.Type.Kind != to.Kind || !keepsBits(extension, x, a.Type) {
			return nil
		}
		from = append(from, x)
	}
	return w.op(selection.Op, to, selection.Imm, from...)
}

// again converts the operand of an inner conversion directly.
func (w *rewriter) again(op ir.Op, from *ir.Value, to ir.Type) *ir.Value {
	if from.Type == to {
		return from
	}
	return w.op(op, to, 0, from)
}

// lanes looks through operations that assemble vectors.
func (w *rewriter) lanes(in *ir.Instr) *ir.Value {
	t := in.Results[0].Type
	switch in.Op {
	case ir.OpExtract:
		return w.lane(in.Args[0], int(in.Imm))
	case ir.OpExtractDyn:
		if c, ok := allLanes(in.Args[1]); ok && uint64(uint32(c)) < uint64(in.Args[0].Type.Lanes()) {
			return w.op(ir.OpExtract, t, int64(c), in.Args[0])
		}
	case ir.OpSwizzle:
		if t != in.Args[0].Type {
			break
		}
		for i := range t.Lanes() {
			if in.Lane(i) != uint64(i) {
				return nil
			}
		}
		return in.Args[0]
	case ir.OpBuild:
		var from *ir.Value
		for i, a := range in.Args {
			if a.Def == nil || a.Def.Op != ir.OpExtract || a.Def.Imm != int64(i) || from != nil && a.Def.Args[0] != from {
				return nil
			}
			from = a.Def.Args[0]
		}
		if from.Type == t {
			return from
		}
	}
	return nil
}

// lane returns a lane of a vector without an extract, or extracts it from a vector closer to its
// origin; nil if there is nothing to look through.
func (w *rewriter) lane(v *ir.Value, i int) *ir.Value {
	start, e := v, v.Type.Element()
	for def := v.Def; def != nil; def = v.Def {
		switch def.Op {
		case ir.OpBuild:
			return def.Args[i]
		case ir.OpSplat:
			return def.Args[0]
		case ir.OpConst:
			return w.constant(e, def.Lane(i))
		case ir.OpInsert:
			if def.Imm == int64(i) {
				return def.Args[1]
			}
			v = def.Args[0]
			continue
		case ir.OpSwizzle:
			p := int(def.Lane(i))
			if v = def.Args[0]; p >= v.Type.Lanes() {
				p -= v.Type.Lanes()
				v = def.Args[1]
			}
			if i = p; !v.Type.IsVector() {
				return v
			}
			continue
		}
		break
	}
	if v == start {
		return nil
	}
	return w.op(ir.OpExtract, e, int64(i), v)
}
