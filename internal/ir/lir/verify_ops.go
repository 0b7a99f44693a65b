package lir

import (
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
)

// computation checks an operation of package ir.
func (v *verifier) computation() {
	in := v.in
	op := in.Op.IR()
	info := op.Info()
	if in.Per >= Mask {
		v.errorf("works on %v", in.Per)
		return
	}
	switch {
	case op == ir.OpLoad, op == ir.OpStore:
		v.access()
	case op == ir.OpOffset:
		v.address(in.Per, in.Ext)
		v.is("result", in.D, ir.I64, in.Per)
		v.none(in.C, in.D2)
	case op == ir.OpSelect, op == ir.OpBitcast, info.Has(ir.Lanewise):
		v.lanewise(op)
	case op.AmongLanes():
		v.among(op)
	case op.IsBarrier():
		v.mask("the lanes that returned", in.A, false)
		for _, r := range in.More {
			v.is("the round of a loop", r, ir.I64, Once)
		}
		v.none(in.B, in.C, in.D, in.D2)
		v.none(in.Outs...)
	case op == ir.OpFence, op == ir.OpSimdBarrier, op == ir.OpTexFence: // which engines may ignore
	case op == ir.OpCopy, op == ir.OpClear:
		v.copies(op)
	case info.Group == ir.MatrixOps:
		v.matrix(op)
	case info.Group == ir.TextureOps:
		v.texture(op)
	case info.Has(ir.Atomic):
		v.atomic(op)
	case op == ir.OpIn, op == ir.OpArg, op == ir.OpFConst, op == ir.OpFConstDefined, op == ir.OpGlobalAddr,
		op == ir.OpSharedAddr, op == ir.OpSamplerConst, op == ir.OpAlloca:
		v.outside(op)
	case info.Group == ir.CommandOps:
		v.command(op)
	case op == ir.OpLogMessage:
		if in.Per != Lane {
			v.errorf("works on %v", in.Per)
		}
		v.components(op)
		v.none(in.Outs...)
	case info.Has(ir.Terminator) || op == ir.OpIf || op == ir.OpLoop || op == ir.OpBlock:
		v.errorf("control flow that has not been lowered")
	default:
		v.errorf("is not an operation of lowered programs")
	}
	if !info.Has(ir.Lanewise) && op != ir.OpSelect && op != ir.OpBitcast && in.From != ir.Void {
		v.errorf("converts from %v", in.From)
	}
}

// holds reports whether a word of an operation's signature allows elements of a kind.
func holds(word string, k ir.Kind) bool {
	word, _, _ = strings.Cut(strings.TrimSuffix(word, "!"), "~")
	switch strings.TrimSuffix(word, "1") {
	case "int":
		return k.IsInt()
	case "float":
		return k.IsFloat()
	case "bool":
		return k == ir.I1
	case "num":
		return k.IsInt() || k.IsFloat()
	case "bits", "equatable":
		return k.IsInt() || k == ir.I1
	case "data", "vec", "any":
		return k.Bits() > 0
	}
	return true
}

// operandClasses returns the classes that an instruction on elements of class per may read.
func operandClasses(per Class) []Class {
	if per == Once {
		return []Class{Once}
	}
	return []Class{per, Once}
}

// kinds returns the element kinds of an operation's operands and results. from and to are the
// instruction's From and Kind.
func kinds(op ir.Op, from, to ir.Kind) (args, results []ir.Kind) {
	before, after, _ := strings.Cut(op.Info().Sig, "->")
	parse := func(words string, isResult bool) (ks []ir.Kind) {
		for i, w := range strings.Fields(words) {
			name, ref, given := w, -1, strings.Contains(w, "~")
			if at := strings.IndexAny(w, "=~"); at >= 0 {
				name, ref = w[:at], int(w[at+1]-'0')
			}
			k := from
			switch t, err := ir.ParseType(name); {
			case isResult && given:
				k = to
			case err == nil && t.Kind >= ir.I1 && t.Kind <= ir.F32:
				k = t.Kind
			case ref >= 0 && ref < len(args):
				k = args[ref]
			case name == "bool" && i == 0 && op == ir.OpSelect:
				k = ir.I1
			}
			ks = append(ks, k)
		}
		return ks
	}
	args = parse(before, false)
	return args, parse(after, true)
}

func (v *verifier) lanewise(op ir.Op) {
	in := v.in
	from := in.Kind
	if in.From != ir.Void {
		from = in.From
	}
	args, results := kinds(op, from, in.Kind)
	before, after, _ := strings.Cut(op.Info().Sig, "->")
	if words := strings.Fields(before); op != ir.OpSelect && op != ir.OpBitcast && len(words) > 0 && !holds(words[0],
		from) {
		v.errorf("works on %v", from)
	}
	if given := strings.Contains(after, "~"); given && !holds(strings.TrimSpace(after), in.Kind) {
		v.errorf("gives %v", in.Kind)
	} else if !given && op != ir.OpBitcast && in.From != ir.Void {
		v.errorf("converts from %v", in.From)
	}
	if in.Per == Affine {
		v.affine(op)
	}
	if op == ir.OpBitcast {
		results = []ir.Kind{in.Kind}
		if from.Bits() != in.Kind.Bits() {
			v.errorf("converts %v to %v", from, in.Kind)
		}
	}
	have := append([]Ref{in.A, in.B, in.C}, in.More...)
	for i, k := range args {
		if i >= len(have) {
			v.errorf("operand %d is missing", i)
			return
		}
		v.is("operand "+string(rune('0'+i)), have[i], k, operandClasses(in.Per)...)
	}
	v.none(have[min(len(args), len(have)):]...)
	v.none(in.Outs...)
	if len(results) < 2 {
		v.none(in.D2)
	}
	for i, k := range results {
		if r := [...]Ref{in.D, in.D2}[i]; i == 0 || r != 0 {
			v.is("result", r, k, in.Per)
		}
	}
}

// affine checks an operation on affine numbers: it must have an affine form, and a factor or shift
// count must be the same for all lanes.
func (v *verifier) affine(op ir.Op) {
	in := v.in
	class := func(r Ref) Class { return v.p.Var(r).Class }
	switch op {
	case ir.OpAdd, ir.OpSub, ir.OpNeg, ir.OpTrunc, ir.OpZExt, ir.OpSExt:
		if in.From != ir.Void && in.From != ir.I32 && in.From != ir.I64 {
			v.errorf("converts affine numbers of %v", in.From)
		}
	case ir.OpMul:
		if class(in.A) != Once && class(in.B) != Once {
			v.errorf("multiplies affine numbers")
		}
	case ir.OpShl:
		if class(in.B) != Once {
			v.errorf("shifts by affine numbers")
		}
	default:
		v.errorf("has no form for affine numbers")
	}
}

// among checks an operation among lanes. If there is only one simdgroup, a Once variable may hold
// what the simdgroup shares.
func (v *verifier) among(op ir.Op) {
	in := v.in
	args, results := kinds(op, in.Kind, in.Kind)
	before, _, _ := strings.Cut(op.Info().Sig, "->")
	if words := strings.Fields(before); len(words) > 0 && (args[0] != in.Kind || !holds(words[0], in.Kind)) {
		v.errorf("works on %v", in.Kind)
	}
	have := append([]Ref{in.A, in.B, in.C}, in.More...)
	for i, k := range args {
		if i >= len(have) {
			v.errorf("operand %d is missing", i)
			return
		}
		v.is("operand "+string(rune('0'+i)), have[i], k, Lane, Once)
	}
	v.none(have[min(len(args), len(have)):]...)
	v.none(in.D2)
	v.none(in.Outs...)
	classes := []Class{Lane}
	switch shares := op.Info().Has(ir.SimdUniform); {
	case in.Per != Simd && in.Per != Lane, in.Per == Simd != shares:
		v.errorf("works on %v", in.Per)
	case in.Per == Simd:
		classes = []Class{Simd}
		if v.p.Lanes <= SimdWidth {
			classes = []Class{Once}
		}
	}
	v.is("result", in.D, results[0], classes...)
}

// address checks A + ext(B): its parts must be shared at least as widely as the elements that the
// instruction works on.
func (v *verifier) address(per Class, ext Ext) {
	in := v.in
	if ext > SExt {
		v.errorf("extends its index in way %d", ext)
	}
	classes := []Class{Once}
	switch per {
	case Simd:
		classes = []Class{Once, Simd}
	case Affine:
		classes = []Class{Once, Affine}
	case Lane:
		classes = []Class{Once, Simd, Affine, Lane}
	}
	v.is("address", in.A, ir.I64, classes...)
	index := ir.I64
	if ext != NoExt {
		index = ir.I32
	}
	if in.B != 0 {
		v.is("index", in.B, index, classes...)
	}
}

// space checks the space that an instruction acts on. Thread space is private to each lane.
func (v *verifier) space(s ir.Space) {
	switch {
	case s == ir.NoSpace:
		v.errorf("has no space")
	case s > ir.Constant:
		v.errorf("acts on %v", s)
	}
}

func (v *verifier) access() {
	in := v.in
	v.space(in.Space)
	if in.Per == Affine || in.Per != Lane && in.Space == ir.Thread {
		v.errorf("works on %v in %v", in.Per, in.Space)
	}
	if in.Kind.Bits() == 0 {
		v.errorf("is of %v", in.Kind)
	}
	v.none(in.D2)
	v.none(in.More...)
	v.none(in.Outs...)
	v.address(in.Per, in.Ext)
	if in.Op.IR() == ir.OpLoad {
		v.is("result", in.D, in.Kind, in.Per)
		v.none(in.C)
		return
	}
	v.is("value", in.C, in.Kind, operandClasses(in.Per)...)
	v.none(in.D)
}

// maxCopy is the maximum number of bytes in a copy, as in package ir.
const maxCopy = 1 << 32

func (v *verifier) copies(op ir.Op) {
	in := v.in
	v.space(in.Space)
	v.is("address", in.A, ir.I64, Once, Lane)
	if op == ir.OpCopy {
		v.is("source", in.B, ir.I64, Once, Lane)
		v.space(in.FromSpace)
	} else {
		v.none(in.B)
	}
	v.none(in.C, in.D, in.D2)
	if in.Imm < 0 || in.Imm > maxCopy {
		v.errorf("%d bytes", in.Imm)
	}
}

// atomic checks an atomic operation on memory. A load may read a value that all lanes share; other
// operations act for each lane.
func (v *verifier) atomic(op ir.Op) {
	in := v.in
	v.space(in.Space)
	v.address(in.Per, in.Ext)
	v.none(in.Outs...)
	words := strings.Fields(strings.ReplaceAll(op.Info().Sig, "->", " "))
	for _, w := range words {
		if !strings.HasPrefix(w, "ptr") && !strings.HasPrefix(w, "=") && w != "i1" && !holds(w, in.Kind) {
			v.errorf("works on %v", in.Kind)
		}
	}
	if in.Kind.Bits() == 0 {
		v.errorf("works on %v", in.Kind)
	}
	switch op {
	case ir.OpAtomicFAdd, ir.OpAtomicFSub, ir.OpAtomicFMin, ir.OpAtomicFMax:
		if in.Kind != ir.F32 {
			v.errorf("works on %v", in.Kind)
		}
	case ir.OpAtomicLoad:
		if in.Per == Affine || in.Per != Lane && in.Space == ir.Thread {
			v.errorf("works on %v in %v", in.Per, in.Space)
		}
		v.is("result", in.D, in.Kind, in.Per)
		v.none(in.C, in.D2)
		v.none(in.More...)
		return
	}
	if in.Per != Lane {
		v.errorf("works on %v", in.Per)
	}
	v.is("value", in.C, in.Kind, Lane, Once)
	if in.D != 0 {
		v.is("result", in.D, in.Kind, Lane)
	}
	if op != ir.OpAtomicCmpXchg {
		v.none(in.D2)
		v.none(in.More...)
		return
	}
	if len(in.More) != 1 {
		v.errorf("has %d more operands, want 1", len(in.More))
		return
	}
	v.is("new value", in.More[0], in.Kind, Lane, Once)
	if in.D2 != 0 {
		v.is("second result", in.D2, ir.I1, Lane)
	}
}
