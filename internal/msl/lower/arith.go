package lower

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// ops are the operations for an operator on signed integers, unsigned integers, floats and bools.
type ops struct{ signed, unsigned, float, boolean ir.Op }

var binaryOps = [...]ops{
	types.Add:        {ir.OpAdd, ir.OpAdd, ir.OpFAdd, ir.OpOr},
	types.Sub:        {ir.OpSub, ir.OpSub, ir.OpFSub, ir.OpXor},
	types.Mul:        {ir.OpMul, ir.OpMul, ir.OpFMul, ir.OpAnd},
	types.Div:        {ir.OpSDiv, ir.OpUDiv, ir.OpFDiv, ir.OpInvalid},
	types.Rem:        {ir.OpSRem, ir.OpURem, ir.OpFMod, ir.OpInvalid},
	types.And:        {ir.OpAnd, ir.OpAnd, ir.OpInvalid, ir.OpAnd},
	types.Or:         {ir.OpOr, ir.OpOr, ir.OpInvalid, ir.OpOr},
	types.Xor:        {ir.OpXor, ir.OpXor, ir.OpInvalid, ir.OpXor},
	types.Shl:        {ir.OpShl, ir.OpShl, ir.OpInvalid, ir.OpInvalid},
	types.Shr:        {ir.OpAShr, ir.OpLShr, ir.OpInvalid, ir.OpInvalid},
	types.Eq:         {ir.OpEq, ir.OpEq, ir.OpFEq, ir.OpEq},
	types.Ne:         {ir.OpNe, ir.OpNe, ir.OpFNe, ir.OpNe},
	types.Lt:         {ir.OpSLT, ir.OpULT, ir.OpFLT, ir.OpInvalid},
	types.Le:         {ir.OpSLE, ir.OpULE, ir.OpFLE, ir.OpInvalid},
	types.LogicalAnd: {ir.OpInvalid, ir.OpInvalid, ir.OpInvalid, ir.OpAnd},
	types.LogicalOr:  {ir.OpInvalid, ir.OpInvalid, ir.OpInvalid, ir.OpOr},
}

func (o ops) of(b *types.Basic) ir.Op {
	switch {
	case b == nil:
		return ir.OpInvalid
	case b == types.Bool:
		return o.boolean
	case b.IsFloat():
		return o.float
	case b.IsSigned():
		return o.signed
	}
	return o.unsigned
}

func (l *lowerer) binary(op types.Op, x, y val, t types.Type) val {
	switch op {
	case types.Gt:
		return l.binary(types.Lt, y, x, t)
	case types.Ge:
		return l.binary(types.Le, y, x, t)
	}
	_, mx := x.typ.(*types.Matrix)
	_, my := y.typ.(*types.Matrix)
	if mx || my {
		return l.matrixOp(op, x, y, t)
	}
	if x.v == nil || y.v == nil {
		l.unsupported(l.at, "operator '%s' on '%s'", op, x.typ)
	}
	if x.v.Type.Kind == ir.Matrix || y.v.Type.Kind == ir.Matrix {
		return l.simdgroupOp(op, x, y, t)
	}
	if x.v.Type.Kind == ir.Pointer || y.v.Type.Kind == ir.Pointer {
		return l.comparePointers(op, x, y, t)
	}
	if x.v.Type.Lanes() == 1 && y.v.Type.Lanes() > 1 {
		x.v, x.typ = l.b.Splat(x.v, y.v.Type.Lanes()), y.typ
	} else if y.v.Type.Lanes() == 1 && x.v.Type.Lanes() > 1 {
		y.v = l.b.Splat(y.v, x.v.Type.Lanes())
	}
	elem := types.ElemOf(x.typ)
	if op == types.Shl || op == types.Shr { // the count may have another type
		y.v = l.convKind(y.v, types.ElemOf(y.typ), elem)
	}
	irOp := ir.OpInvalid
	if int(op) < len(binaryOps) {
		irOp = binaryOps[op].of(elem)
	}
	if irOp == ir.OpInvalid && elem == types.Bool && op.IsComparison() { // false < true
		bx, by := l.convKind(x.v, types.Bool, types.UInt), l.convKind(y.v, types.Bool, types.UInt)
		return leafVal(t, l.b.Op(binaryOps[op].unsigned, bx, by))
	}
	if irOp == ir.OpInvalid {
		l.unsupported(l.at, "operator '%s' on '%s'", op, x.typ)
	}
	return leafVal(t, l.b.Op(irOp, x.v, y.v))
}

func (l *lowerer) comparePointers(op types.Op, x, y val, t types.Type) val {
	if x.v.Type != y.v.Type {
		x.v, y.v = l.address(x.v), l.address(y.v)
	}
	switch op {
	case types.Eq:
		return leafVal(t, l.b.Op(ir.OpEq, x.v, y.v))
	case types.Ne:
		return leafVal(t, l.b.Op(ir.OpNe, x.v, y.v))
	}
	return leafVal(t, l.b.Op(binaryOps[op].unsigned, l.address(x.v), l.address(y.v)))
}

func (l *lowerer) address(v *ir.Value) *ir.Value {
	if v.Type.Kind == ir.Pointer {
		return l.b.Op(ir.OpPtrToInt, v)
	}
	return v
}

func (l *lowerer) matrixOp(op types.Op, x, y val, t types.Type) val {
	mx, _ := x.typ.(*types.Matrix)
	my, _ := y.typ.(*types.Matrix)
	columns := func(n int, column func(i int) val) val {
		out := val{typ: t, parts: make([]val, n)}
		for i := range n {
			out.parts[i] = column(i)
		}
		return out
	}
	switch op {
	case types.Eq, types.Ne:
		var all *ir.Value
		for i := range x.parts {
			c := l.b.Op(ir.OpAllTrue, l.b.Op(ir.OpFEq, x.parts[i].v, y.parts[i].v))
			if all != nil {
				c = l.b.Op(ir.OpAnd, all, c)
			}
			all = c
		}
		if op == types.Ne {
			all = l.b.Op(ir.OpNot, all)
		}
		return leafVal(t, all)
	case types.Mul:
		switch {
		case mx != nil && my != nil:
			return columns(my.Cols, func(i int) val { return l.matrixVector(x, y.parts[i]) })
		case mx != nil && isVector(y.typ):
			v := l.matrixVector(x, y)
			v.typ = t
			return v
		case my != nil && isVector(x.typ):
			lanes := make([]*ir.Value, my.Cols)
			for i := range lanes {
				lanes[i] = l.dot(x.v, y.parts[i].v, true)
			}
			return l.fromScalars(t, lanes)
		}
	}
	part := func(v val, i int) val {
		if v.parts != nil {
			return v.parts[i]
		}
		return v
	}
	return columns(max(len(x.parts), len(y.parts)), func(i int) val {
		a, b := part(x, i), part(y, i)
		ct := a.typ
		if isVector(b.typ) {
			ct = b.typ
		}
		return l.binary(op, a, b, ct)
	})
}

// matrixVector computes m * v, summing columns in order.
func (l *lowerer) matrixVector(m, v val) val {
	var sum *ir.Value
	for k := range m.parts {
		col := m.parts[k].v
		p := l.b.Op(ir.OpFMul, col, l.b.Splat(l.b.Extract(v.v, k), col.Type.Lanes()))
		if sum != nil {
			p = l.b.Op(ir.OpFAdd, sum, p)
		}
		sum = p
	}
	return leafVal(m.parts[0].typ, sum)
}

// dot sums the products of lanes in order.
func (l *lowerer) dot(x, y *ir.Value, float bool) *ir.Value {
	mul, add := ir.OpFMul, ir.OpFAdd
	if !float {
		mul, add = ir.OpMul, ir.OpAdd
	}
	p := l.b.Op(mul, x, y)
	sum := l.b.Extract(p, 0)
	for i := 1; i < p.Type.Lanes(); i++ {
		sum = l.b.Op(add, sum, l.b.Extract(p, i))
	}
	return sum
}

func (l *lowerer) unary(op types.Op, x val, t types.Type) val {
	if x.parts != nil {
		out := val{typ: t, parts: make([]val, len(x.parts))}
		for i := range x.parts {
			out.parts[i] = l.unary(op, x.parts[i], x.parts[i].typ)
		}
		return out
	}
	k := x.v.Type.Kind
	switch {
	case op == types.Plus:
		return x
	case op == types.Neg && k.IsFloat():
		return leafVal(t, l.b.Op(ir.OpFNeg, x.v))
	case op == types.Neg:
		return leafVal(t, l.b.Op(ir.OpNeg, x.v))
	case op == types.Not && k != ir.I1:
		return leafVal(t, l.b.Op(ir.OpEq, x.v, l.b.Const(x.v.Type, 0)))
	case op == types.Not, op == types.BitNot:
		return leafVal(t, l.b.Op(ir.OpNot, x.v))
	}
	l.unsupported(l.at, "operator '%s' on '%s'", op, x.typ)
	return val{}
}

// convKind converts the lanes of v between scalar types.
func (l *lowerer) convKind(v *ir.Value, from, to *types.Basic) *ir.Value {
	if from == to || from == nil || to == nil {
		return v
	}
	t := ir.Vector(kindOf(to), v.Type.Lanes())
	switch {
	case to == types.Bool:
		if v.Type.Kind == ir.I1 {
			return v
		}
		op := ir.OpNe
		if from.IsFloat() {
			op = ir.OpFNe
		}
		return l.b.Op(op, v, l.b.Const(v.Type, 0))
	case from == types.Bool && to.IsFloat():
		return l.b.Op(ir.OpSelect, v, l.b.Float(t, 1), l.b.Float(t, 0))
	case from.IsFloat() && to.IsFloat():
		return l.b.OpAs(ir.OpFConv, t, v)
	case from.IsFloat():
		if to.IsSigned() {
			return l.b.OpAs(ir.OpFToSI, t, v)
		}
		return l.b.OpAs(ir.OpFToUI, t, v)
	case to.IsFloat():
		if from.IsSigned() {
			return l.b.OpAs(ir.OpSIToF, t, v)
		}
		return l.b.OpAs(ir.OpUIToF, t, v)
	case v.Type.Kind == t.Kind:
		return v
	case v.Type.Kind.Bits() > t.Kind.Bits():
		return l.b.OpAs(ir.OpTrunc, t, v)
	case from.IsSigned():
		return l.b.OpAs(ir.OpSExt, t, v)
	}
	return l.b.OpAs(ir.OpZExt, t, v)
}

func (l *lowerer) convert(e *typed.Convert) val {
	switch e.Kind {
	case typed.ConvDecay:
		p := l.addressed(e.X)
		if p.arg != 0 {
			return val{typ: e.Typ, arg: p.arg}
		}
		if p.addr == nil {
			p = place{typ: p.typ, addr: l.materialize(l.load(p), "")}
		}
		return l.pointer(e, p.addr, e.Typ)
	case typed.ConvVoid:
		l.effect(e.X)
		return val{typ: e.Typ}
	}
	return l.convertVal(e.Kind, l.expr(e.X), e.Typ)
}

func (l *lowerer) convertVal(kind typed.ConvKind, x val, to types.Type) val {
	from := types.ElemOf(x.typ)
	elem := types.ElemOf(to)
	switch kind {
	case typed.ConvNone:
		x.typ = to
		return x
	case typed.ConvArith, typed.ConvVector:
		if x.v == nil {
			break
		}
		return leafVal(to, l.convKind(x.v, from, elem))
	case typed.ConvSplat:
		v := l.convKind(x.v, from, elem)
		return leafVal(to, l.b.Splat(v, types.LenOf(to)))
	case typed.ConvMatrix:
		out := val{typ: to, parts: make([]val, len(x.parts))}
		for i, p := range l.shape(to).parts {
			out.parts[i] = leafVal(p.typ, l.convKind(x.parts[i].v, from, elem))
		}
		return out
	case typed.ConvReinterpret:
		return l.reinterpret(x, to)
	case typed.ConvPointer:
		if x.fn != nil || x.arg != 0 {
			x.typ = to
			return x
		}
		t := l.leafType(to)
		switch {
		case x.v.Type == t, l.specPointer(x.v, t):
			return leafVal(to, x.v)
		case x.v.Type.Kind == ir.I64: // nullptr
			return leafVal(to, l.b.OpAs(ir.OpIntToPtr, t, x.v))
		}
		return leafVal(to, l.b.OpAs(ir.OpIntToPtr, t, l.address(x.v)))
	case typed.ConvPtrToInt:
		return leafVal(to, l.convKind(l.address(x.v), types.ULong, elem))
	case typed.ConvIntToPtr:
		return leafVal(to, l.b.OpAs(ir.OpIntToPtr, l.leafType(to), l.index64(x.v, x.typ)))
	case typed.ConvPtrToBool:
		if x.fn != nil {
			return leafVal(to, l.b.Bool(true))
		}
		return leafVal(to, l.b.Op(ir.OpNe, l.address(x.v), l.b.Int(ir.TI64, 0)))
	case typed.ConvDiagonal:
		out := val{typ: to}
		m := to.(*types.Matrix)
		v := l.convKind(x.v, from, elem)
		for i, p := range l.shape(to).parts {
			col := l.b.Const(ir.Vector(kindOf(elem), m.Rows), 0)
			if i < m.Rows {
				col = l.b.OpImm(ir.OpInsert, ir.TVoid, int64(i), col, v)
			}
			out.parts = append(out.parts, leafVal(p.typ, col))
		}
		return out
	case typed.ConvSimdFill:
		return leafVal(to, l.b.OpAs(ir.OpMatDiag, l.leafType(to), l.convKind(x.v, from, elem)))
	}
	l.unsupported(l.at, "a conversion from '%s' to '%s'", x.typ, to)
	return val{}
}

func (l *lowerer) reinterpret(x val, to types.Type) val {
	t := l.leafType(to)
	switch {
	case x.v == nil:
	case x.v.Type == t:
		return leafVal(to, x.v)
	case x.v.Type.Kind == ir.I1 || t.Kind == ir.I1 || x.v.Type.Size() != t.Size():
	default:
		return leafVal(to, l.b.OpAs(ir.OpBitcast, t, x.v))
	}
	l.unsupported(l.at, "as_type from '%s' to '%s'", x.typ, to)
	return val{}
}

// simdgroupOp applies an operator to simdgroup matrices: their product, or element-wise sums and
// differences.
func (l *lowerer) simdgroupOp(op types.Op, x, y val, t types.Type) val {
	to := l.leafType(t)
	xm, ym := x.v.Type.Kind == ir.Matrix, y.v.Type.Kind == ir.Matrix
	if op == types.Mul && xm && ym {
		return leafVal(t, l.b.OpAs(ir.OpMatMul, to, x.v, y.v))
	}
	irOp := ir.OpInvalid
	if int(op) < len(binaryOps) && !op.IsComparison() {
		irOp = binaryOps[op].float
	}
	if irOp == ir.OpInvalid || to.Kind != ir.Matrix {
		l.unsupported(l.at, "operator '%s' on '%s'", op, t)
	}
	lane := ir.Vector(to.Elem, 2)
	part := func(v val) *ir.Value {
		switch {
		case v.v.Type == to:
			return l.b.Op(ir.OpMatGet, v.v)
		case v.v.Type == lane.Element():
			return l.b.Splat(v.v, 2)
		}
		l.unsupported(l.at, "operator '%s' on '%s' and '%s'", op, x.typ, y.typ)
		return nil
	}
	return leafVal(t, l.b.OpAs(ir.OpMatSet, to, l.b.Op(irOp, part(x), part(y))))
}
