package mslprint

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/ir"
)

// floatCalls are functions of the library.
var floatCalls = [ir.NumOps]string{ir.OpFMod: "fmod", ir.OpFMin: "fmin", ir.OpFMax: "fmax", ir.OpCopySign: "copysign",
	ir.OpFDim: "fdim", ir.OpNextAfter: "nextafter", ir.OpFAbs: "fabs", ir.OpSqrt: "sqrt", ir.OpFloor: "floor",
	ir.OpCeil: "ceil", ir.OpFTrunc: "trunc", ir.OpRint: "rint", ir.OpRound: "round", ir.OpFract: "fract",
	ir.OpFMA: "fma", ir.OpLdExp: "ldexp", ir.OpILogB: "ilogb",
	ir.OpRSqrt: "rsqrt", ir.OpSin: "sin", ir.OpCos: "cos", ir.OpTan: "tan", ir.OpASin: "asin", ir.OpACos: "acos",
	ir.OpATan: "atan", ir.OpSinH: "sinh", ir.OpCosH: "cosh", ir.OpTanH: "tanh", ir.OpASinH: "asinh",
	ir.OpACosH: "acosh", ir.OpATanH: "atanh", ir.OpSinPi: "sinpi", ir.OpCosPi: "cospi", ir.OpTanPi: "tanpi",
	ir.OpExp: "exp", ir.OpExp2: "exp2", ir.OpExp10: "exp10", ir.OpLog: "log", ir.OpLog2: "log2", ir.OpLog10: "log10",
	ir.OpATan2: "atan2", ir.OpPow: "pow", ir.OpPowR: "powr"}

// viaFloat are the functions of bfloat numbers, which the library lacks, that give the same bits
// when computed as float and rounded again.
var viaFloat = [ir.NumOps]bool{ir.OpFMod: true, ir.OpFMin: true, ir.OpFMax: true, ir.OpFDim: true, ir.OpSqrt: true,
	ir.OpFloor: true, ir.OpCeil: true, ir.OpFTrunc: true, ir.OpRint: true, ir.OpRound: true, ir.OpILogB: true}

// floats prints an operation on floating-point numbers.
func (p *printer) floats(in *ir.Instr) {
	t := in.Args[0].Type
	name := typeName(t)
	x := p.arg(in, 0)
	bits := lanes("ushort", t.Lanes())
	brain := t.Kind == ir.BF16
	if t.Kind == ir.F32 {
		bits = lanes("uint", t.Lanes())
	}
	switch in.Op {
	case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv:
		if in.Op == ir.OpFDiv && in.Flags&ir.Fast != 0 && t.Kind == ir.F32 {
			p.define(in, fmt.Sprintf("fast::divide(%s, %s)", bare(x), bare(p.arg(in, 1))))
			return
		}
		p.define(in, fmt.Sprintf("(%s %s %s)", x, binary[in.Op], p.arg(in, 1)))
		return
	case ir.OpFNeg:
		p.define(in, fmt.Sprintf("(-%s)", x))
		return
	case ir.OpFrExp, ir.OpModF:
		p.parts(in, name)
		return
	case ir.OpFAbs:
		if brain {
			p.define(in, fmt.Sprintf("as_type<%s>(%s(as_type<%[2]s>(%s) & %[2]s(0x7fff)))", name, bits, bare(x)))
			return
		}
	case ir.OpCopySign:
		if brain {
			part := func(v *ir.Value, mask string) string {
				return fmt.Sprintf("(as_type<%s>(%s) & %[1]s(%[3]s))", bits, bare(p.value(v)), mask)
			}
			p.define(in, fmt.Sprintf("as_type<%s>(%s(%s | %s))", name, bits, part(in.Args[0], "0x7fff"),
				part(in.Args[1], "0x8000")))
			return
		}
	}
	call := floatCalls[in.Op]
	if call == "" || brain && !viaFloat[in.Op] {
		p.unsupported("operation %v of %v", in.Op, t)
	}
	if t.Kind == ir.F32 {
		space := "precise"
		if in.Flags&ir.Fast != 0 {
			space = "fast"
		}
		if in.Op != ir.OpFMA && in.Op != ir.OpNextAfter { // which have no variants
			call = space + "::" + call
		}
	}
	text := ""
	for i, a := range in.Args {
		if i > 0 {
			text += ", "
		}
		arg := bare(p.value(a))
		switch {
		case brain:
			arg = fmt.Sprintf("%s(%s)", lanes("float", t.Lanes()), arg)
		case a.Type.Kind == ir.I32:
			arg = fmt.Sprintf("%s(%s)", signedName(a.Type), arg)
		}
		text += arg
	}
	text = fmt.Sprintf("%s(%s)", call, text)
	if r := in.Result().Type; brain || r.Kind == ir.I32 {
		text = fmt.Sprintf("%s(%s)", typeName(r), text)
	}
	p.define(in, text)
}

// parts prints frexp or modf.
func (p *printer) parts(in *ir.Instr, name string) {
	t := in.Args[0].Type
	call, second := "frexp", lanes("int", t.Lanes())
	if in.Op == ir.OpModF {
		call, second = "modf", name
	}
	x, wide := bare(p.arg(in, 0)), name
	switch t.Kind {
	case ir.BF16: // exact as float
		wide = lanes("float", t.Lanes())
		x = fmt.Sprintf("%s(%s)", wide, x)
		if in.Op == ir.OpModF {
			second = wide
		}
		call = "precise::" + call
	case ir.F32:
		call = "precise::" + call
	}
	other, first := p.name("part"), p.temp(t)
	p.line("%s %s;", second, other)
	p.line("%s %s = %s(%s(%s, %s));", name, first, name, call, x, other)
	p.texts[in.Results[0]] = first
	p.texts[in.Results[1]] = other
	if r := in.Results[1].Type; typeName(r) != second {
		p.texts[in.Results[1]] = fmt.Sprintf("%s(%s)", typeName(r), other)
	}
}
