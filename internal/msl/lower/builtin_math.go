package lower

import (
	"math"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// num returns a number in all lanes of the type of like.
func (l *lowerer) num(like *ir.Value, x float64) *ir.Value { return l.b.Float(like.Type, x) }

// math lowers math functions that expand to several operations.
func (c *libCall) math() val {
	b := c.b
	x := c.args[0].v
	arg := func(i int) *ir.Value { // an argument, broadcast to the first one's lanes
		v := c.args[i].v
		if v.Type.Lanes() == 1 {
			v = b.Splat(v, x.Type.Lanes())
		}
		return v
	}
	switch c.e.Op {
	case builtin.OpFMax3:
		return c.leaf(b.Op(ir.OpFMax, x, b.Op(ir.OpFMax, arg(1), arg(2))))
	case builtin.OpFMin3:
		return c.leaf(b.Op(ir.OpFMin, x, b.Op(ir.OpFMin, arg(1), arg(2))))
	case builtin.OpFMedian3:
		lo, hi := b.Op(ir.OpFMin, x, arg(1)), b.Op(ir.OpFMax, x, arg(1))
		return c.leaf(b.Op(ir.OpFMax, lo, b.Op(ir.OpFMin, hi, arg(2))))
	case builtin.OpFClamp:
		return c.leaf(b.Op(ir.OpFMin, b.Op(ir.OpFMax, x, arg(1)), arg(2)))
	case builtin.OpSaturate:
		return c.leaf(b.Op(ir.OpFMin, b.Op(ir.OpFMax, x, c.num(x, 0)), c.num(x, 1)))
	case builtin.OpMix:
		return c.leaf(b.Op(ir.OpFAdd, x, b.Op(ir.OpFMul, b.Op(ir.OpFSub, arg(1), x), arg(2))))
	case builtin.OpSign:
		one := b.Op(ir.OpCopySign, c.num(x, 1), x)
		zero := b.Op(ir.OpSelect, b.Op(ir.OpFEq, x, c.num(x, 0)), x, c.num(x, 0)) // keeps -0; 0 for NaN
		isNum := b.Op(ir.OpFNe, x, c.num(x, 0))
		isNum = b.Op(ir.OpAnd, isNum, b.Op(ir.OpFEq, x, x))
		return c.leaf(b.Op(ir.OpSelect, isNum, one, zero))
	case builtin.OpStep:
		return c.leaf(b.Op(ir.OpSelect, b.Op(ir.OpFLT, arg(1), x), c.num(x, 0), c.num(x, 1)))
	case builtin.OpSmoothstep:
		e0, e1, v := x, arg(1), arg(2)
		t := b.Op(ir.OpFDiv, b.Op(ir.OpFSub, v, e0), b.Op(ir.OpFSub, e1, e0))
		t = b.Op(ir.OpFMin, b.Op(ir.OpFMax, t, c.num(x, 0)), c.num(x, 1))
		s := b.Op(ir.OpFSub, c.num(x, 3), b.Op(ir.OpFMul, c.num(x, 2), t))
		return c.leaf(b.Op(ir.OpFMul, b.Op(ir.OpFMul, t, t), s))
	case builtin.OpFrexp:
		m, e := b.Op2(ir.OpFrExp, x)
		p := c.out(1)
		c.store(p, leafVal(p.typ, e))
		return c.leaf(m)
	case builtin.OpModf:
		f, i := b.Op2(ir.OpModF, x)
		p := c.out(1)
		c.store(p, leafVal(p.typ, i))
		return c.leaf(f)
	case builtin.OpSincos:
		p := c.out(1)
		c.store(p, leafVal(p.typ, b.Op(ir.OpCos, x)))
		return c.leaf(b.Op(ir.OpSin, x))
	}
	panic(c.noCase())
}

// integer lowers integer functions that expand to several operations.
func (c *libCall) integer() val {
	b := c.b
	signed := c.elem != nil && c.elem.IsSigned()
	pick := func(s, u ir.Op) ir.Op {
		if signed {
			return s
		}
		return u
	}
	lo, hi := pick(ir.OpSMin, ir.OpUMin), pick(ir.OpSMax, ir.OpUMax)
	arg := func(i int) *ir.Value {
		v := c.args[i].v
		if n := c.args[0].v.Type.Lanes(); v.Type.Lanes() == 1 {
			v = b.Splat(v, n)
		}
		return v
	}
	count := func(i int) *ir.Value { return c.index32(c.args[i].v, c.args[i].typ) }
	switch c.e.Op {
	case builtin.OpIAbs:
		if !signed {
			return c.args[0]
		}
		return c.leaf(b.Op(ir.OpSAbs, arg(0)))
	case builtin.OpIClamp:
		return c.leaf(b.Op(lo, b.Op(hi, arg(0), arg(1)), arg(2)))
	case builtin.OpIMax3:
		return c.leaf(b.Op(hi, arg(0), b.Op(hi, arg(1), arg(2))))
	case builtin.OpIMin3:
		return c.leaf(b.Op(lo, arg(0), b.Op(lo, arg(1), arg(2))))
	case builtin.OpIMedian3:
		return c.leaf(b.Op(hi, b.Op(lo, arg(0), arg(1)), b.Op(lo, b.Op(hi, arg(0), arg(1)), arg(2))))
	case builtin.OpMul24, builtin.OpMad24:
		v := b.Op(ir.OpMul, c.low24(arg(0), signed), c.low24(arg(1), signed))
		if c.e.Op == builtin.OpMad24 {
			v = b.Op(ir.OpAdd, v, arg(2))
		}
		return c.leaf(v)
	case builtin.OpMadhi:
		return c.leaf(b.Op(ir.OpAdd, b.Op(pick(ir.OpSMulHi, ir.OpUMulHi), arg(0), arg(1)), arg(2)))
	case builtin.OpMadsat:
		return c.leaf(c.madsat(arg(0), arg(1), arg(2), signed))
	case builtin.OpExtractBits:
		return c.leaf(b.Op(pick(ir.OpSExtract, ir.OpUExtract), arg(0), count(1), count(2)))
	case builtin.OpInsertBits:
		return c.leaf(b.Op(ir.OpBitInsert, arg(0), arg(1), count(2), count(3)))
	}
	panic(c.noCase())
}

func (l *lowerer) low24(v *ir.Value, signed bool) *ir.Value {
	n := l.b.Int(v.Type, 8)
	up := l.b.Op(ir.OpShl, v, n)
	if signed {
		return l.b.Op(ir.OpAShr, up, n)
	}
	return l.b.Op(ir.OpLShr, up, n)
}

// madsat is x*y+z clamped to the type's range. Up to 32 bits it is computed in 64 bits, otherwise
// in two halves.
func (c *libCall) madsat(x, y, z *ir.Value, signed bool) *ir.Value {
	b, t := c.b, x.Type
	if t.Kind == ir.I64 {
		return c.madsat64(x, y, z, signed)
	}
	wide := t.With(ir.I64)
	ext, lo, hi := ir.OpZExt, ir.OpUMin, ir.OpUMax
	minimum, maximum := int64(0), int64(1)<<t.Kind.Bits()-1
	if signed {
		ext, lo, hi = ir.OpSExt, ir.OpSMin, ir.OpSMax
		maximum >>= 1
		minimum = -maximum - 1
	}
	w := func(v *ir.Value) *ir.Value { return b.OpAs(ext, wide, v) }
	sum := b.Op(ir.OpAdd, b.Op(ir.OpMul, w(x), w(y)), w(z)) // cannot overflow 64 bits
	return b.OpAs(ir.OpTrunc, t, b.Op(hi, b.Op(lo, sum, b.Int(wide, maximum)), b.Int(wide, minimum)))
}

func (c *libCall) madsat64(x, y, z *ir.Value, signed bool) *ir.Value {
	b, t := c.b, x.Type
	product := b.Op(ir.OpMul, x, y)
	low := b.Op(ir.OpAdd, product, z)
	carry := b.Op(ir.OpULT, low, product)
	if !signed {
		over := b.Op(ir.OpOr, carry, b.Op(ir.OpNe, b.Op(ir.OpUMulHi, x, y), b.Int(t, 0)))
		return b.Op(ir.OpSelect, over, b.Int(t, -1), low)
	}
	sign := func(v *ir.Value) *ir.Value { return b.Op(ir.OpAShr, v, b.Int(t, 63)) }
	high := b.Op(ir.OpAdd, b.Op(ir.OpSMulHi, x, y), b.Op(ir.OpAdd, sign(z), b.OpAs(ir.OpZExt, t, carry)))
	end := b.Op(ir.OpXor, sign(high), b.Int(t, math.MaxInt64)) // the largest number, or the smallest if negative
	return b.Op(ir.OpSelect, b.Op(ir.OpEq, high, sign(low)), low, end)
}

// relation lowers relational functions and select.
func (c *libCall) relation() val {
	b := c.b
	var x *ir.Value
	if len(c.args) > 0 {
		x = c.args[0].v
	}
	switch c.e.Op {
	case builtin.OpAll, builtin.OpAny:
		if x.Type.Lanes() == 1 {
			return c.leaf(x)
		}
		op := ir.OpAllTrue
		if c.e.Op == builtin.OpAny {
			op = ir.OpAnyTrue
		}
		return c.leaf(b.Op(op, x))
	case builtin.OpIsfinite:
		return c.leaf(b.Op(ir.OpFLT, b.Op(ir.OpFAbs, x), c.inf(x)))
	case builtin.OpIsinf:
		return c.leaf(b.Op(ir.OpFEq, b.Op(ir.OpFAbs, x), c.inf(x)))
	case builtin.OpIsnan:
		return c.leaf(b.Op(ir.OpFNe, x, x))
	case builtin.OpIsnormal:
		least := map[ir.Kind]uint64{ir.F32: 1 << 23, ir.F16: 1 << 10, ir.BF16: 1 << 7}[x.Type.Kind]
		abs := b.Op(ir.OpFAbs, x)
		return c.leaf(b.Op(ir.OpAnd, b.Op(ir.OpFLE, b.Const(x.Type, least), abs), b.Op(ir.OpFLT, abs, c.inf(x))))
	case builtin.OpIsordered:
		y := c.args[1].v
		return c.leaf(b.Op(ir.OpAnd, b.Op(ir.OpFEq, x, x), b.Op(ir.OpFEq, y, y)))
	case builtin.OpIsunordered:
		y := c.args[1].v
		return c.leaf(b.Op(ir.OpOr, b.Op(ir.OpFNe, x, x), b.Op(ir.OpFNe, y, y)))
	case builtin.OpSelect:
		vs := c.values()
		return c.leaf(b.Op(ir.OpSelect, vs[2], vs[1], vs[0]))
	case builtin.OpSignbit:
		k := ir.I16
		if x.Type.Kind == ir.F32 {
			k = ir.I32
		}
		bits := b.OpAs(ir.OpBitcast, x.Type.With(k), x)
		return c.leaf(b.Op(ir.OpSLT, bits, b.Const(bits.Type, 0)))
	}
	panic(c.noCase())
}

// inf returns infinity in all lanes of the type of like.
func (l *lowerer) inf(like *ir.Value) *ir.Value {
	bits := map[ir.Kind]uint64{ir.F32: 0x7f800000, ir.F16: 0x7c00, ir.BF16: 0x7f80}[like.Type.Kind]
	return l.b.Const(like.Type, bits)
}

// geometry lowers vector and matrix functions.
func (c *libCall) geometry() val {
	b := c.b
	switch c.e.Op {
	case builtin.OpDeterminant:
		return c.leaf(c.determinant(c.args[0]))
	case builtin.OpTranspose:
		return c.transpose(c.args[0], c.e.Typ)
	}
	vs := c.values()
	x := vs[0]
	splat := func(v *ir.Value) *ir.Value { return b.Splat(v, x.Type.Lanes()) }
	switch c.e.Op {
	case builtin.OpCross:
		y := vs[1]
		p := b.Op(ir.OpFMul, b.Swizzle(x, x, 1, 2, 0), b.Swizzle(y, y, 2, 0, 1))
		q := b.Op(ir.OpFMul, b.Swizzle(x, x, 2, 0, 1), b.Swizzle(y, y, 1, 2, 0))
		return c.leaf(b.Op(ir.OpFSub, p, q))
	case builtin.OpDot:
		return c.leaf(c.dot(x, vs[1], x.Type.Kind.IsFloat()))
	case builtin.OpLength:
		return c.leaf(b.Op(ir.OpSqrt, c.dot(x, x, true)))
	case builtin.OpLengthSquared:
		return c.leaf(c.dot(x, x, true))
	case builtin.OpDistance, builtin.OpDistanceSquared:
		d := b.Op(ir.OpFSub, x, vs[1])
		d = c.dot(d, d, true)
		if c.e.Op == builtin.OpDistance {
			d = b.Op(ir.OpSqrt, d)
		}
		return c.leaf(d)
	case builtin.OpNormalize:
		return c.leaf(b.Op(ir.OpFMul, x, splat(b.Op(ir.OpRSqrt, c.dot(x, x, true)))))
	case builtin.OpFaceforward:
		d := c.dot(vs[2], vs[1], true)
		return c.leaf(b.Op(ir.OpSelect, b.Op(ir.OpFLT, d, c.num(d, 0)), x, b.Op(ir.OpFNeg, x)))
	case builtin.OpReflect:
		n := vs[1]
		d := c.dot(n, x, true)
		return c.leaf(b.Op(ir.OpFSub, x, b.Op(ir.OpFMul, splat(b.Op(ir.OpFMul, c.num(d, 2), d)), n)))
	case builtin.OpRefract:
		return c.leaf(c.refract(x, vs[1], vs[2]))
	}
	panic(c.noCase())
}

// refract computes the direction of light of direction x after it enters a surface of normal n.
func (c *libCall) refract(x, n, eta *ir.Value) *ir.Value {
	b := c.b
	splat := func(v *ir.Value) *ir.Value { return b.Splat(v, x.Type.Lanes()) }
	d := c.dot(n, x, true)
	one := c.num(d, 1)
	k := b.Op(ir.OpFSub, one, b.Op(ir.OpFMul, b.Op(ir.OpFMul, eta, eta), b.Op(ir.OpFSub, one, b.Op(ir.OpFMul, d, d))))
	r := b.Op(ir.OpFSub, b.Op(ir.OpFMul, splat(eta), x),
		b.Op(ir.OpFMul, splat(b.Op(ir.OpFAdd, b.Op(ir.OpFMul, eta, d), b.Op(ir.OpSqrt, k))), n))
	return b.Op(ir.OpSelect, b.Op(ir.OpFLT, k, c.num(d, 0)), b.Const(x.Type, 0), r)
}

func (l *lowerer) transpose(m val, t types.Type) val {
	out := val{typ: t}
	for i, p := range l.shape(t).parts {
		lanes := make([]*ir.Value, len(m.parts))
		for j := range m.parts {
			lanes[j] = l.b.Extract(m.parts[j].v, i)
		}
		out.parts = append(out.parts, l.fromScalars(p.typ, lanes))
	}
	return out
}

// determinant expands along the first column.
func (l *lowerer) determinant(m val) *ir.Value {
	n := len(m.parts)
	at := make([][]*ir.Value, n)
	for j := range at {
		for i := range n {
			at[j] = append(at[j], l.b.Extract(m.parts[j].v, i))
		}
	}
	return l.minor(at)
}

func (l *lowerer) minor(at [][]*ir.Value) *ir.Value {
	if len(at) == 1 {
		return at[0][0]
	}
	var sum *ir.Value
	for i := range at[0] {
		var rest [][]*ir.Value
		for _, col := range at[1:] {
			rest = append(rest, append(append([]*ir.Value(nil), col[:i]...), col[i+1:]...))
		}
		p := l.b.Op(ir.OpFMul, at[0][i], l.minor(rest))
		switch {
		case sum == nil:
			sum = p
		case i%2 == 1:
			sum = l.b.Op(ir.OpFSub, sum, p)
		default:
			sum = l.b.Op(ir.OpFAdd, sum, p)
		}
	}
	return sum
}
