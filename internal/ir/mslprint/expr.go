package mslprint

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
)

// longest is the length up to which an expression is printed where its value is used.
const longest = 60

// value returns an expression for a value, which needs no parentheses around it.
func (p *printer) value(v *ir.Value) string {
	if text, ok := p.texts[v]; ok {
		return text
	}
	in := v.Def
	if in == nil {
		p.unsupported("a parameter outside of its region")
	}
	switch in.Op {
	case ir.OpConst:
		return literal(in)
	case ir.OpArg:
		if len(in.Args) > 0 {
			return fmt.Sprintf("%s[%s]", p.args[in.Imm], bare(p.value(in.Args[0])))
		}
		a := &p.f.Args[in.Imm]
		if a.Kind == ir.ArgBuffer && v.Type.Space.String() != a.Space && a.Space != "" {
			p.unsupported("argument %q is in another space than its pointer", p.args[in.Imm])
		}
		return p.args[in.Imm]
	case ir.OpIn:
		return ir.Input(in.Imm).String()
	case ir.OpFConst:
		return p.consts[in.Imm]
	case ir.OpFConstDefined:
		return fmt.Sprintf("is_function_constant_defined(%s)", p.f.Constants[in.Imm].Name)
	case ir.OpSharedAddr:
		return p.shared[in.Imm]
	case ir.OpGlobalAddr:
		return p.globalName(int(in.Imm))
	case ir.OpSamplerConst:
		return p.samplerName(int(in.Imm))
	}
	p.unsupported("%v before its definition", in.Op)
	return ""
}

// bare returns an expression without the parentheses around the whole.
func bare(s string) string {
	if len(s) < 2 || s[0] != '(' || s[len(s)-1] != ')' {
		return s
	}
	depth := 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && i < len(s)-1 {
				return s
			}
		}
	}
	return s[1 : len(s)-1]
}

// define gives a value its expression: in place if it is short, pure and used once in the same
// region, and otherwise by a variable.
func (p *printer) define(in *ir.Instr, text string) {
	v := in.Result()
	pure := in.Op.Info().Has(ir.Pure)
	idle := pure || in.Op == ir.OpLoad && in.Flags&ir.Volatile == 0 // without effects
	switch uses := p.uses[v]; {
	case uses == 0 && idle:
		return
	case uses == 0:
		if strings.HasPrefix(text, p.typ(v.Type)+"(") {
			text = "(void)" + text // T(f(x)); would declare f
		}
		p.line("%s;", text)
		return
	case uses == 1 && pure && len(text) <= longest && p.usedIn(v, in.Parent):
		p.texts[v] = text
		return
	}
	name := p.temp(v.Type)
	p.line("%s %s = %s;", p.typ(v.Type), name, bare(text))
	p.texts[v] = name
}

// usedIn reports whether a region itself uses a value, not only regions inside.
func (p *printer) usedIn(v *ir.Value, r *ir.Region) bool {
	for _, in := range r.Instrs {
		for _, a := range in.Args {
			if a == v {
				return true
			}
		}
	}
	return false
}

// instr prints an instruction other than control flow.
func (p *printer) instr(in *ir.Instr) {
	switch in.Op.Group() {
	case ir.InputOps: // where they are used
	case ir.IntegerOps, ir.BitOps:
		p.define(in, p.integers(in))
	case ir.FloatOps, ir.MathOps:
		p.floats(in)
	case ir.ComparisonOps:
		p.define(in, p.comparison(in))
	case ir.SelectOps:
		p.selection(in)
	case ir.ConversionOps, ir.CastOps:
		p.define(in, p.conversion(in))
	case ir.VectorOps:
		p.vector(in)
	case ir.MemoryOps:
		p.memory(in)
	case ir.AtomicOps:
		p.atomic(in)
	case ir.BarrierOps:
		p.barrier(in)
	case ir.SimdOps, ir.QuadOps:
		if in.Op == ir.OpSimdHold { // which compilers know where it is needed
			p.define(in, p.arg(in, 0))
			return
		}
		p.define(in, p.among(in))
	case ir.MatrixOps:
		p.matrix(in)
	case ir.TextureOps:
		p.textures(in)
	default:
		p.unsupported("operation %v", in.Op)
	}
}

// arg returns the expression of an operand.
func (p *printer) arg(in *ir.Instr, i int) string { return p.value(in.Args[i]) }

// signed returns the expression of an integer operand as a signed number.
func (p *printer) signed(in *ir.Instr, i int) string {
	if x, ok := constant(in.Args[i]); ok && in.Args[i].Type == ir.TI32 && int32(x) >= 0 {
		return strconv.FormatUint(x, 10)
	}
	return fmt.Sprintf("%s(%s)", signedName(in.Args[i].Type), bare(p.arg(in, i)))
}

var binary = [ir.NumOps]string{ir.OpAdd: "+", ir.OpSub: "-", ir.OpMul: "*", ir.OpSDiv: "/", ir.OpUDiv: "/",
	ir.OpSRem: "%", ir.OpURem: "%", ir.OpAnd: "&", ir.OpOr: "|", ir.OpXor: "^", ir.OpFAdd: "+", ir.OpFSub: "-",
	ir.OpFMul: "*", ir.OpFDiv: "/", ir.OpEq: "==", ir.OpNe: "!=", ir.OpSLT: "<", ir.OpSLE: "<=", ir.OpULT: "<",
	ir.OpULE: "<=", ir.OpFEq: "==", ir.OpFNe: "!=", ir.OpFLT: "<", ir.OpFLE: "<="}

// integerCalls are functions of the library; signed ones have signed operands.
var integerCalls = [ir.NumOps]struct {
	name   string
	signed bool
}{ir.OpSMulHi: {"mulhi", true}, ir.OpUMulHi: {"mulhi", false}, ir.OpSMin: {"min", true}, ir.OpUMin: {"min", false},
	ir.OpSMax: {"max", true}, ir.OpUMax: {"max", false}, ir.OpSAddSat: {"addsat", true}, ir.OpUAddSat: {"addsat", false},
	ir.OpSSubSat: {"subsat", true}, ir.OpUSubSat: {"subsat", false}, ir.OpSAbsDiff: {"absdiff", true},
	ir.OpUAbsDiff: {"absdiff", false}, ir.OpSHAdd: {"hadd", true}, ir.OpUHAdd: {"hadd", false},
	ir.OpSRHAdd: {"rhadd", true}, ir.OpURHAdd: {"rhadd", false}, ir.OpRotL: {"rotate", false}, ir.OpSAbs: {"abs", true},
	ir.OpClz: {"clz", false}, ir.OpCtz: {"ctz", false}, ir.OpPopcount: {"popcount", false},
	ir.OpBitReverse: {"reverse_bits", false}}

// integers returns the expression of an operation on integers or truth values.
func (p *printer) integers(in *ir.Instr) string {
	t := in.Result().Type
	name := typeName(t)
	narrow := t.Kind == ir.I8 || t.Kind == ir.I16
	// narrow scalars are computed as int
	wrapped := func(text string) string {
		if narrow && t.Lanes() == 1 {
			return name + text
		}
		return text
	}
	if c := integerCalls[in.Op]; c.name != "" {
		var args []string
		for i := range in.Args {
			if c.signed {
				args = append(args, p.signed(in, i))
			} else {
				args = append(args, bare(p.arg(in, i)))
			}
		}
		text := fmt.Sprintf("%s(%s)", c.name, strings.Join(args, ", "))
		if c.signed || narrow {
			text = fmt.Sprintf("%s(%s)", name, text)
		}
		return text
	}
	if t.Kind == ir.I1 {
		return p.truth(in, name)
	}
	x := p.arg(in, 0)
	switch in.Op {
	case ir.OpMul:
		if t.Kind == ir.I16 && t.Lanes() == 1 { // as int, the product might overflow
			return fmt.Sprintf("%s(uint(%s) * uint(%s))", name, bare(x), bare(p.arg(in, 1)))
		}
	case ir.OpSDiv, ir.OpSRem:
		return fmt.Sprintf("%s(%s %s %s)", name, p.signed(in, 0), binary[in.Op], p.signed(in, 1))
	case ir.OpShl, ir.OpLShr, ir.OpAShr:
		return p.shift(in, name)
	case ir.OpNeg:
		return wrapped(fmt.Sprintf("(%s(0) - %s)", name, x))
	case ir.OpNot:
		return wrapped(fmt.Sprintf("(~%s)", x))
	case ir.OpSExtract:
		return fmt.Sprintf("%s(extract_bits(%s, %s, %s))", name, p.signed(in, 0), bare(p.arg(in, 1)), bare(p.arg(in, 2)))
	case ir.OpUExtract:
		return fmt.Sprintf("extract_bits(%s, %s, %s)", bare(x), bare(p.arg(in, 1)), bare(p.arg(in, 2)))
	case ir.OpBitInsert:
		return fmt.Sprintf("insert_bits(%s, %s, %s, %s)", bare(x), bare(p.arg(in, 1)), bare(p.arg(in, 2)),
			bare(p.arg(in, 3)))
	}
	op := binary[in.Op]
	if op == "" {
		p.unsupported("operation %v", in.Op)
	}
	return wrapped(fmt.Sprintf("(%s %s %s)", x, op, p.arg(in, 1)))
}

// truth returns the expression of an operation on truth values.
func (p *printer) truth(in *ir.Instr, name string) string {
	x := p.arg(in, 0)
	if in.Op == ir.OpNot {
		return fmt.Sprintf("(!%s)", x)
	}
	op := map[ir.Op]string{ir.OpAnd: "&&", ir.OpOr: "||", ir.OpXor: "!="}[in.Op]
	if in.Result().Type.Lanes() == 1 && in.Op != ir.OpXor { // without a branch
		return fmt.Sprintf("%s(%s %s %s)", name, x, op[:1], p.arg(in, 1))
	}
	return fmt.Sprintf("(%s %s %s)", x, op, p.arg(in, 1))
}

// shift returns the expression of a shift by a number modulo the width.
func (p *printer) shift(in *ir.Instr, name string) string {
	x, by := p.arg(in, 0), p.arg(in, 1)
	t := in.Result().Type
	if d := in.Args[1].Def; d == nil || d.Op != ir.OpConst || t.Lanes() > 1 || d.Lane(0) >= uint64(t.Kind.Bits()) {
		by = fmt.Sprintf("(%s & %s(%d))", by, name, t.Kind.Bits()-1)
	}
	switch {
	case in.Op == ir.OpAShr:
		return fmt.Sprintf("%s(%s >> %s)", name, p.signed(in, 0), by)
	case in.Op == ir.OpLShr && t.Kind.Bits() >= 32:
		return fmt.Sprintf("(%s >> %s)", x, by)
	case in.Op == ir.OpLShr:
		return fmt.Sprintf("%s(%s >> %s)", name, x, by)
	case t.Kind.Bits() < 32:
		return fmt.Sprintf("%s(%s << %s)", name, x, by)
	}
	return fmt.Sprintf("(%s << %s)", x, by)
}

// comparison returns the expression of a comparison.
func (p *printer) comparison(in *ir.Instr) string {
	x, y := p.arg(in, 0), p.arg(in, 1)
	if in.Op == ir.OpSLT || in.Op == ir.OpSLE {
		x, y = p.signed(in, 0), p.signed(in, 1)
	}
	return fmt.Sprintf("(%s %s %s)", x, binary[in.Op], y)
}

// selection prints select, anytrue and alltrue.
func (p *printer) selection(in *ir.Instr) {
	x := p.arg(in, 0)
	if in.Op != ir.OpSelect {
		if in.Args[0].Type.Lanes() > 1 {
			x = fmt.Sprintf("%s(%s)", map[ir.Op]string{ir.OpAnyTrue: "any", ir.OpAllTrue: "all"}[in.Op], bare(x))
		}
		p.define(in, x)
		return
	}
	y, z := p.arg(in, 1), p.arg(in, 2)
	t := in.Result().Type
	switch {
	case in.Args[0].Type.Lanes() > 1 && t.Kind == ir.I1:
		p.define(in, fmt.Sprintf("((%s && %s) || (!%s && %s))", x, y, x, z))
	case in.Args[0].Type.Lanes() > 1:
		p.define(in, fmt.Sprintf("select(%s, %s, %s)", bare(z), bare(y), bare(x)))
	case t.Kind <= ir.F32:
		p.define(in, fmt.Sprintf("(%s ? %s : %s)", x, y, z))
	default:
		name := p.temp(t)
		p.line("%s %s = %s;", p.typ(t), name, bare(z))
		p.line("if (%s) %s = %s;", bare(x), name, bare(y))
		p.texts[in.Result()] = name
	}
}

// conversion returns the expression of a conversion or cast.
func (p *printer) conversion(in *ir.Instr) string {
	from, to := in.Args[0].Type, in.Result().Type
	x := bare(p.arg(in, 0))
	switch in.Op {
	case ir.OpTrunc:
		if to.Kind == ir.I1 {
			return fmt.Sprintf("((%s & %s(1)) != %[2]s(0))", p.arg(in, 0), typeName(from))
		}
	case ir.OpSExt:
		if from.Kind == ir.I1 {
			return fmt.Sprintf("%s(%[1]s(0) - %[1]s(%s))", typeName(to), x)
		}
		return fmt.Sprintf("%s(%s(%s(%s)))", typeName(to), signedName(to), signedName(from), x)
	case ir.OpSIToF:
		return fmt.Sprintf("%s(%s(%s))", typeName(to), signedName(from), x)
	case ir.OpFToSI:
		return fmt.Sprintf("%s(%s(%s))", typeName(to), signedName(to), x)
	case ir.OpBitcast:
		if from == to {
			return p.arg(in, 0)
		}
		return fmt.Sprintf("as_type<%s>(%s)", typeName(to), x)
	case ir.OpPtrToInt:
		if from.Kind != ir.Pointer {
			p.unsupported("the handle of a %v as a number", from)
		}
		return fmt.Sprintf("((ulong)%s)", p.arg(in, 0))
	case ir.OpIntToPtr:
		return fmt.Sprintf("((%s)%s)", p.typ(to), p.arg(in, 0))
	}
	return fmt.Sprintf("%s(%s)", typeName(to), x)
}

// letter returns the name of a lane.
func letter(i int) string { return "xyzw"[i : i+1] }

// lane returns the expression of a lane of an operand.
func (p *printer) lane(v *ir.Value, i int) string {
	if v.Type.Lanes() == 1 {
		return p.value(v)
	}
	return p.value(v) + "." + letter(i)
}

// vector prints an operation on the lanes of vectors.
func (p *printer) vector(in *ir.Instr) {
	t := in.Result().Type
	name := typeName(t)
	switch in.Op {
	case ir.OpBuild, ir.OpSplat:
		var args []string
		for i := range in.Args {
			args = append(args, bare(p.arg(in, i)))
		}
		p.define(in, fmt.Sprintf("%s(%s)", name, strings.Join(args, ", ")))
	case ir.OpExtract:
		p.define(in, p.lane(in.Args[0], int(in.Imm)))
	case ir.OpExtractDyn:
		n := in.Args[0].Type.Lanes()
		if at, ok := constant(in.Args[1]); ok {
			if at < uint64(n) {
				p.define(in, p.lane(in.Args[0], int(at)))
			} else {
				p.define(in, name+"(0)")
			}
			return
		}
		x, i := p.named(in.Args[0]), p.named(in.Args[1])
		p.define(in, fmt.Sprintf("(%s < %du ? %s[min(%s, %du)] : %s(0))", i, n, x, i, n-1, name))
	case ir.OpInsert, ir.OpInsertDyn:
		copied := p.temp(t)
		value := bare(p.arg(in, 1))
		p.line("%s %s = %s;", name, copied, bare(p.arg(in, 0)))
		at, ok := uint64(in.Imm), true
		if in.Op == ir.OpInsertDyn {
			at, ok = constant(in.Args[2])
		}
		switch {
		case ok && at < uint64(t.Lanes()):
			p.line("%s.%s = %s;", copied, letter(int(at)), value)
		case !ok:
			i := p.named(in.Args[2])
			p.line("if (%s < %du) %s[%s] = %s;", i, t.Lanes(), copied, i, value)
		}
		p.texts[in.Result()] = copied
	case ir.OpSwizzle:
		p.swizzle(in)
	}
}

// swizzle prints a selection of lanes.
func (p *printer) swizzle(in *ir.Instr) {
	t := in.Result().Type
	n := in.Args[0].Type.Lanes()
	places := in.Bits
	if t.Lanes() == 1 {
		places = []uint64{uint64(in.Imm)}
	}
	letters, other := "", false
	var args []string
	for _, at := range places {
		i := int(at)
		v := in.Args[0]
		if i >= n {
			v, i, other = in.Args[1], i-n, other || in.Args[1] != in.Args[0]
		}
		args = append(args, p.lane(v, i))
		letters += letter(i)
	}
	switch {
	case t.Lanes() == 1:
		p.define(in, args[0])
	case !other && n > 1:
		p.define(in, p.arg(in, 0)+"."+letters)
	default:
		p.define(in, fmt.Sprintf("%s(%s)", typeName(t), strings.Join(args, ", ")))
	}
}

// named returns a variable or literal with a value.
func (p *printer) named(v *ir.Value) string {
	text := p.value(v)
	if !strings.ContainsAny(text, "(. ") {
		return text
	}
	name := p.temp(v.Type)
	p.line("%s %s = %s;", p.typ(v.Type), name, bare(text))
	return name
}
