package lir

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/internal/ir"
)

// maxVerifyErrors is the maximum number of errors that Verify reports for one program.
const maxVerifyErrors = 10

// Verify checks what engines rely on: that each instruction works on variables of the right classes
// and kinds, that operands are present and have been written before, that jumps go forward and Back
// goes backward, and that masks are masks. After Allocate it also checks that each used variable is
// in the frame, and that no two variables that are live together share a place.
func (p *Program) Verify() error {
	v := &verifier{p: p, written: make([]bool, len(p.Vars))}
	v.program()
	for i := range p.Vars {
		v.variable(Ref(i))
	}
	v.frame()
	if len(v.errs) > 0 {
		return errors.Join(v.errs...)
	}
	if n := len(p.Code); n == 0 || p.Code[n-1].Op != OpEnd {
		v.errorf("the code does not end with end")
	}
	for pc := range p.Code {
		if len(v.errs) >= maxVerifyErrors {
			break
		}
		v.pc, v.in = pc, &p.Code[pc]
		if v.refs() {
			v.inst()
		}
		v.in.Writes(func(r Ref) {
			if int(r) < len(v.written) && r > 0 {
				v.written[r] = true
			}
		})
	}
	if v.in = nil; p.FrameBytes > 0 && len(v.errs) == 0 {
		v.places()
	}
	return errors.Join(v.errs...)
}

type verifier struct {
	p       *Program
	pc      int
	in      *Inst
	written []bool
	errs    []error
}

func (v *verifier) errorf(format string, args ...any) {
	if len(v.errs) >= maxVerifyErrors {
		return
	}
	s := fmt.Sprintf("lir: kernel %q: ", v.p.Name)
	if v.in != nil {
		s += fmt.Sprintf("instruction %d (%v): ", v.pc, v.in.Op)
	}
	v.errs = append(v.errs, errors.New(s+fmt.Sprintf(format, args...)))
}

func (v *verifier) variable(r Ref) {
	x := &v.p.Vars[r]
	switch {
	case r == 0:
	case x.Class >= numClasses:
		v.errorf("variable %d has no class", r)
	case x.Class == Mask && (x.Kind != ir.Void || x.Const):
		v.errorf("variable %d is a mask of %v", r, x.Kind)
	case x.Class != Mask && !isElement(x):
		v.errorf("variable %d has elements of %v", r, x.Kind)
	case x.Kind == ir.Matrix && x.Class != Lane:
		v.errorf("variable %d is a matrix of class %v", r, x.Class)
	case x.Const && x.Class != Once:
		v.errorf("variable %d is a constant of class %v", r, x.Class)
	case x.Class == Affine && x.Kind != ir.I32 && x.Kind != ir.I64:
		v.errorf("variable %d is affine, of %v", r, x.Kind)
	case x.Const && x.Kind.Bits() > 0 && x.Kind.Bits() < 64 && x.Bits>>x.Kind.Bits() != 0:
		v.errorf("variable %d has more bits than %v", r, x.Kind)
	}
}

// refs checks that variables exist, and are written before they are read.
func (v *verifier) refs() bool {
	ok := true
	exists := func(r Ref) bool {
		if r < 0 || int(r) >= len(v.p.Vars) {
			v.errorf("there is no variable %d", r)
			ok = false
		}
		return ok
	}
	v.in.Reads(func(r Ref) {
		if exists(r) && !v.written[r] && !v.p.Vars[r].Const && (v.in.Op != OpMerge || r != v.in.D) {
			v.errorf("%s is not written before", v.p.name(r))
		}
	})
	v.in.Writes(func(r Ref) {
		if exists(r) && v.p.Vars[r].Const {
			v.errorf("writes the constant %s", v.p.name(r))
		}
	})
	return ok
}

// is checks one operand or result: that it is present, of a class that the instruction accepts, and
// of the given kind.
func (v *verifier) is(what string, r Ref, kind ir.Kind, classes ...Class) {
	if r == 0 {
		v.errorf("%s is missing", what)
		return
	}
	x := v.p.Var(r)
	for _, c := range classes {
		if x.Class == c && x.Kind == kind {
			return
		}
	}
	v.errorf("%s is %s of %v, want %v of %v", what, v.p.name(r), x.Kind, classes, kind)
}

// mask checks a mask; 0 may mean the full mask.
func (v *verifier) mask(what string, r Ref, needed bool) {
	if r != 0 || needed {
		v.is(what, r, ir.Void, Mask)
	}
}

// none checks that operands an operation does not have are absent.
func (v *verifier) none(rs ...Ref) {
	for _, r := range rs {
		if r != 0 {
			v.errorf("has %s, which it does not use", v.p.name(r))
		}
	}
}

func (v *verifier) inst() {
	in := v.in
	v.mask("mask", in.Mask, in.Op == OpMerge)
	if in.Op.IsJump() {
		switch back := in.Op == OpBack; {
		case in.Target < 0 || int(in.Target) >= len(v.p.Code):
			v.errorf("jumps out of the code")
		case back != (int(in.Target) <= v.pc):
			v.errorf("jumps to %d", in.Target)
		}
	}
	switch in.Op {
	case OpMov:
		v.move()
	case OpMerge:
		k := v.p.Var(in.D).Kind
		v.is("result", in.D, k, Lane)
		if k == ir.Matrix {
			v.is("operand", in.A, k, Lane)
			if v.p.Var(in.A).Elem != v.p.Var(in.D).Elem {
				v.errorf("converts a matrix of %v to one of %v", v.p.Var(in.A).Elem, v.p.Var(in.D).Elem)
			}
		} else {
			v.is("operand", in.A, k, Lane, Once)
		}
		v.none(in.B, in.C, in.D2)
	case OpPos:
		v.is("result", in.D, ir.I32, Affine)
		if in.Imm < 0 || in.Imm > 2 {
			v.errorf("there is no coordinate %d", in.Imm)
		}
	case OpMaskAnd, OpMaskAndNot:
		v.is("result", in.D, ir.Void, Mask)
		v.mask("operand", in.A, false)
		v.is("condition", in.B, ir.I1, Once, Simd, Lane)
	case OpMaskOr, OpMaskSub:
		v.is("result", in.D, ir.Void, Mask)
		v.mask("first operand", in.A, false)
		v.mask("second operand", in.B, false)
	case OpMaskCopy, OpMaskClear:
		v.is("result", in.D, ir.Void, Mask)
		v.mask("operand", in.A, false)
	case OpJump, OpEnd:
		v.none(in.A, in.B, in.C, in.D)
	case OpJumpNone:
		v.mask("operand", in.A, true)
	case OpBack:
		v.mask("operand", in.A, false)
	case OpJumpIf, OpJumpUnless:
		v.is("condition", in.A, ir.I1, Once)
	default:
		if in.Op.IR() == ir.OpInvalid {
			v.errorf("there is no such operation")
			return
		}
		v.computation()
	}
}

func (v *verifier) move() {
	in := v.in
	if in.D == 0 || in.A == 0 {
		v.errorf("result or operand is missing")
		return
	}
	d, a := v.p.Var(in.D), v.p.Var(in.A)
	ok := d.Class == a.Class || a.Class == Once || a.Class == Simd && d.Class == Lane || a.Class == Affine &&
		d.Class == Lane
	if !ok || d.Class == Mask || a.Class == Mask {
		v.errorf("converts class %v to %v", a.Class, d.Class)
	}
	v.none(in.B, in.C, in.D2)
	if d.Kind != a.Kind || d.Elem != a.Elem {
		v.errorf("converts %v to %v", a.Kind, d.Kind)
	}
}
