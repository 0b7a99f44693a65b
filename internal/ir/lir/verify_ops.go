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
	case op == ir.OpSelect, op == ir.OpBitcast, info.Has(ir.Lanewise):
		v.lanewise(op)
	case op >= ir.OpSimdAdd && op <= ir.OpQuadIsFirst:
		v.among(op)
	case op == ir.OpBarrier:
		v.mask("the lanes that returned", in.A, false)
	case op == ir.OpCopy, op == ir.OpClear:
		v.is("address", in.A, ir.I64, Once, Lane)
		if op == ir.OpCopy {
			v.is("source", in.B, ir.I64, Once, Lane)
		}
		if in.Imm < 0 {
			v.errorf("%d bytes", in.Imm)
		}
	case info.Has(ir.Atomic) && len(in.Outs)+len(in.More) == 0 && in.Space != ir.NoSpace:
		v.atomic(op)
	case op == ir.OpIn, op == ir.OpArg, op == ir.OpFConst, op == ir.OpFConstDefined, op == ir.OpGlobalAddr, op == ir.OpSharedAddr, op == ir.OpSamplerConst, op == ir.OpAlloca:
		if in.D == 0 {
			v.errorf("result is missing")
		} else if k := v.p.Var(in.D).Kind; k != in.Kind {
			v.errorf("result is of %v, want %v", k, in.Kind)
		}
		if op == ir.OpAlloca && (in.Imm < 0 || int(in.Imm) >= len(v.p.Allocas)) {
			v.errorf("there is no variable %d", in.Imm)
		}
	}
	if op.Info().Has(ir.Terminator) || op == ir.OpIf || op == ir.OpLoop || op == ir.OpBlock {
		v.errorf("control flow that has not been lowered")
	}
}

// operandClasses are those of which an instruction on elements of class per may read.
func operandClasses(per Class) []Class {
	if per == Once {
		return []Class{Once}
	}
	return []Class{per, Once}
}

// kinds returns the kinds of the elements that an operation works on, operand by operand, and gives. from and to are those of the instruction.
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
	if op == ir.OpBitcast {
		results = []ir.Kind{in.Kind}
		if from.Bits() != in.Kind.Bits() {
			v.errorf("leads from %v to %v", from, in.Kind)
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
	for i, k := range results {
		if r := [...]Ref{in.D, in.D2}[i]; i == 0 || r != 0 {
			v.is("result", r, k, in.Per)
		}
	}
}

// among checks an operation among lanes: what a simdgroup shares may be given to a Once variable when there is one simdgroup.
func (v *verifier) among(op ir.Op) {
	in := v.in
	args, results := kinds(op, in.Kind, in.Kind)
	have := append([]Ref{in.A, in.B, in.C}, in.More...)
	for i, k := range args {
		if i < len(have) {
			v.is("operand "+string(rune('0'+i)), have[i], k, Lane, Once)
		}
	}
	classes := []Class{Lane}
	if in.Per == Simd {
		classes = []Class{Simd}
		if v.p.Lanes <= SimdWidth {
			classes = []Class{Once}
		}
	}
	v.is("result", in.D, results[0], classes...)
}

// address checks A + ext(B): nothing in it may differ more than the elements that the instruction works on.
func (v *verifier) address(per Class, ext Ext) {
	in := v.in
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

func (v *verifier) access() {
	in := v.in
	if in.Space == ir.NoSpace {
		v.errorf("has no space")
	}
	if in.Per == Affine {
		v.errorf("works on %v", in.Per)
	}
	v.address(in.Per, in.Ext)
	if in.Op.IR() == ir.OpLoad {
		v.is("result", in.D, in.Kind, in.Per)
		return
	}
	v.is("value", in.C, in.Kind, operandClasses(in.Per)...)
}

// atomic checks an atomic operation on memory. A load may be of what all lanes share; others act for each lane.
func (v *verifier) atomic(op ir.Op) {
	in := v.in
	v.address(in.Per, in.Ext)
	if op == ir.OpAtomicLoad {
		v.is("result", in.D, in.Kind, in.Per)
		return
	}
	if in.Per != Lane {
		v.errorf("works on %v", in.Per)
	}
	v.is("value", in.C, in.Kind, Lane, Once)
	if in.D != 0 {
		v.is("result", in.D, in.Kind, Lane)
	}
}
