package lir

import (
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
)

// outside checks an operation that reads something from the launch, the module or the function: it
// must exist.
func (v *verifier) outside(op ir.Op) {
	in, f := v.in, v.p.Func
	v.none(in.B, in.C, in.D2)
	v.none(in.More...)
	v.none(in.Outs...)
	if op != ir.OpArg {
		v.none(in.A)
	}
	count := func(what string, n int) {
		if in.Imm < 0 || in.Imm >= int64(n) {
			v.errorf("there is no %s %d", what, in.Imm)
		}
	}
	if f == nil && op != ir.OpIn && op != ir.OpAlloca {
		v.errorf("there is no function")
		return
	}
	kind := ir.I64
	switch op {
	case ir.OpIn:
		v.input()
		return
	case ir.OpArg:
		count("argument", len(f.Args))
		if in.Per == Affine {
			v.errorf("works on %v", in.Per)
		}
		if in.A != 0 {
			v.is("index", in.A, ir.I32, operandClasses(in.Per)...)
		}
		v.is("result", in.D, kind, in.Per)
		return
	case ir.OpFConst, ir.OpFConstDefined:
		count("function constant", len(f.Constants))
		if in.Disp < 0 || in.Disp > 3 {
			v.errorf("there is no component %d", in.Disp)
		}
		if kind = in.Kind; kind.Bits() == 0 || op == ir.OpFConstDefined && kind != ir.I1 {
			v.errorf("gives %v", kind)
		}
	case ir.OpGlobalAddr:
		count("global", len(f.Module.Globals))
	case ir.OpSharedAddr:
		count("threadgroup variable", len(f.Threadgroup))
	case ir.OpSamplerConst:
		count("sampler", len(f.Samplers))
	case ir.OpAlloca:
		count("variable", len(v.p.Allocas))
	}
	if in.Kind != kind {
		v.errorf("gives %v, want %v", in.Kind, kind)
	}
	v.is("result", in.D, kind, Once)
}

// input checks an operation that yields the thread's position: all threads of a threadgroup share
// it, except for the simdgroup's index.
func (v *verifier) input() {
	in := v.in
	if in.Disp < 0 || in.Disp > 2 {
		v.errorf("there is no component %d", in.Disp)
	}
	if in.Kind != ir.I32 {
		v.errorf("gives %v", in.Kind)
	}
	switch ir.Input(in.Imm) {
	case ir.SimdgroupIndexInThreadgroup:
		if v.p.Lanes > SimdWidth {
			v.is("result", in.D, ir.I32, Simd)
			return
		}
	case ir.ThreadgroupPositionInGrid, ir.ThreadsPerGrid, ir.GridOrigin, ir.GridSize, ir.DispatchThreadsPerThreadgroup,
		ir.ThreadgroupsPerGrid, ir.DispatchSimdgroupsPerThreadgroup,
		ir.DispatchQuadgroupsPerThreadgroup:
	default:
		v.errorf("input %d is fixed by the shape, or there is none", in.Imm)
	}
	v.is("result", in.D, ir.I32, Once)
}

// matrixOf checks an operand or result that is a matrix, and returns the kind of its elements.
func (v *verifier) matrixOf(what string, r Ref) ir.Kind {
	v.is(what, r, ir.Matrix, Lane)
	return v.p.Var(r).Elem
}

// matrix checks an operation on matrices.
func (v *verifier) matrix(op ir.Op) {
	in := v.in
	if in.Per != Lane {
		v.errorf("works on %v", in.Per)
	}
	v.none(in.Outs...)
	elem := func(what string, have ir.Kind) {
		if have != in.Kind {
			v.errorf("%s has elements of %v, want %v", what, have, in.Kind)
		}
	}
	if op != ir.OpMatLoad && op != ir.OpMatStore {
		v.none(in.More...)
	}
	if op != ir.OpMatGet {
		v.none(in.D2)
	}
	switch op {
	case ir.OpMatFill, ir.OpMatDiag, ir.OpMatSet:
		elem("the result", v.matrixOf("result", in.D))
		v.is("operand", in.A, in.Kind, Lane, Once)
		if op == ir.OpMatSet {
			v.is("second operand", in.B, in.Kind, Lane, Once)
		} else {
			v.none(in.B)
		}
		v.none(in.C)
	case ir.OpMatGet:
		elem("the operand", v.matrixOf("operand", in.A))
		v.is("result", in.D, in.Kind, Lane)
		v.is("second result", in.D2, in.Kind, Lane)
		v.none(in.B, in.C)
	case ir.OpMatLoad, ir.OpMatStore:
		if op == ir.OpMatLoad {
			elem("the result", v.matrixOf("result", in.D))
			v.none(in.C)
		} else {
			elem("the operand", v.matrixOf("operand", in.C))
			v.none(in.D)
		}
		v.space(in.Space)
		v.address(Lane, in.Ext)
		if len(in.More) != 3 {
			v.errorf("has %d more operands, want 3", len(in.More))
			return
		}
		for _, r := range in.More {
			v.is("distance, column or row", r, ir.I64, Once, Simd, Lane)
		}
	default:
		v.matrixOf("result", in.D)
		elem("the first operand", v.matrixOf("first operand", in.A))
		v.matrixOf("second operand", in.B)
		if op == ir.OpMatMac {
			v.matrixOf("third operand", in.C)
		} else {
			v.none(in.C)
		}
	}
}

// texture checks an operation on a texture. The operands' components are in More, the results' in
// Outs.
func (v *verifier) texture(op ir.Op) {
	in := v.in
	if !v.components(op) {
		return
	}
	if in.Per == Affine {
		v.errorf("works on %v", in.Per)
	}
	n := 0
	for _, r := range in.HIR.Results {
		for range r.Type.Lanes() {
			if n < len(in.Outs) {
				v.is("result", in.Outs[n], r.Type.Kind, in.Per)
			}
			n++
		}
	}
	if len(in.Outs) > n {
		v.errorf("has %d results, want %d", len(in.Outs), n)
	}
}

// components checks that More holds the components of the source instruction's operands, and
// reports whether they are present.
func (v *verifier) components(op ir.Op) bool {
	in := v.in
	v.none(in.A, in.B, in.C, in.D, in.D2)
	if in.HIR == nil || in.HIR.Op != op {
		v.errorf("has no source instruction")
		return false
	}
	n := 0
	for i, a := range in.HIR.Args {
		for range a.Type.Lanes() {
			if n >= len(in.More) {
				v.errorf("operand %d is missing", i)
				return false
			}
			kind := a.Type.Kind
			if kind >= ir.Pointer && kind <= ir.Sampler {
				kind = ir.I64
			}
			v.is("operand", in.More[n], kind, operandClasses(in.Per)...)
			n++
		}
	}
	v.none(in.More[n:]...)
	return true
}

// command checks an operation on indirect command buffers, component by component as texture does.
func (v *verifier) command(op ir.Op) {
	in := v.in
	v.none(in.A, in.B, in.C, in.D, in.D2)
	if in.Per != Lane {
		v.errorf("works on %v", in.Per)
	}
	components := func(words string, have []Ref, classes ...Class) {
		n := 0
		for w := range strings.FieldsSeq(words) {
			t, _ := ir.ParseType(w)
			for range t.Lanes() {
				if n < len(have) {
					v.is("operand or result", have[n], t.Kind, classes...)
				}
				n++
			}
		}
		if n != len(have) {
			v.errorf("has %d operands or results, want %d", len(have), n)
		}
	}
	before, after, _ := strings.Cut(op.Info().Sig, "->")
	components(before, in.More, Lane, Once)
	components(after, in.Outs, Lane)
}
