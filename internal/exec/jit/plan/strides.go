package plan

import (
	"math"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Step is by how much an affine variable grows from lane to lane, if that is a constant.
type Step struct {
	Constant bool
	Value    int64
}

// Is reports whether the step is a constant.
func (n Step) Is(x int64) bool { return n.Constant && n.Value == x }

// ConstantOf returns a step that is a constant.
func ConstantOf(x int64) Step { return Step{Constant: true, Value: x} }

type stride struct {
	steps [3]Step
	known bool
}

// strides are the steps of affine variables as far as they are known in advance.
type strides struct {
	Numbers []int32  // of affine variables from 1 on, by variable; 0 for others
	List    []stride // by number
}

// Of returns the steps of a variable, or false.
func (s *strides) Of(r lir.Ref) (steps [3]Step, known bool) {
	x := &s.List[s.Numbers[r]]
	return x.steps, x.known
}

// findStrides finds the steps of a program's affine variables.
func findStrides(p *lir.Program) strides {
	s, n := strides{Numbers: make([]int32, len(p.Vars))}, int32(0)
	for r := range p.Vars {
		if p.Vars[r].Class == lir.Affine {
			n++
			s.Numbers[r] = n
		}
	}
	s.List = make([]stride, n+1)
	for changed := true; changed; {
		changed = false
		for pc := range p.Code {
			in := &p.Code[pc]
			if in.D == 0 || p.Var(in.D).Class != lir.Affine {
				continue
			}
			steps, ok := s.after(p, in)
			if !ok {
				continue
			}
			x := &s.List[s.Numbers[in.D]]
			if !x.known {
				*x, changed = stride{steps, true}, true
				continue
			}
			for i, old := range x.steps {
				if old.Constant && old != steps[i] {
					x.steps[i], changed = Step{}, true
				}
			}
		}
	}
	return s
}

// after returns the steps of an instruction's result; ok is false as long as an operand has none.
func (s *strides) after(p *lir.Program, in *lir.Inst) (steps [3]Step, ok bool) {
	get := func(r lir.Ref) ([3]Step, bool) {
		if p.Var(r).Class == lir.Once {
			return [3]Step{ConstantOf(0), ConstantOf(0), ConstantOf(0)}, true
		}
		return s.Of(r)
	}
	if in.Op == lir.OpPos {
		steps = [3]Step{ConstantOf(0), ConstantOf(0), ConstantOf(0)}
		steps[in.Imm] = ConstantOf(1)
		return steps, true
	}
	a, ok := get(in.A)
	if !ok {
		return steps, false
	}
	var b [3]Step
	if in.B != 0 {
		if b, ok = get(in.B); !ok {
			return steps, false
		}
	}
	for i := range steps {
		both := a[i].Constant && (in.B == 0 || b[i].Constant)
		switch op := in.Op.IR(); {
		case in.Op == lir.OpMov, op == ir.OpZExt, op == ir.OpSExt, op == ir.OpTrunc:
			steps[i] = a[i]
		case op == ir.OpAdd && both:
			steps[i] = ConstantOf(a[i].Value + b[i].Value)
		case op == ir.OpSub && both:
			steps[i] = ConstantOf(a[i].Value - b[i].Value)
		case op == ir.OpNeg && both:
			steps[i] = ConstantOf(-a[i].Value)
		case op == ir.OpMul && both && p.Var(in.A).Const:
			steps[i] = ConstantOf(factor(p.Var(in.A)) * b[i].Value)
		case op == ir.OpMul && both && p.Var(in.B).Const:
			steps[i] = ConstantOf(factor(p.Var(in.B)) * a[i].Value)
		case op == ir.OpMul && a[i].Is(0) && b[i].Is(0):
			steps[i] = ConstantOf(0)
		case op == ir.OpShl && both && p.Var(in.B).Const:
			steps[i] = ConstantOf(a[i].Value << (p.Var(in.B).Bits & uint64(8*in.Kind.Size()-1)))
		case op == ir.OpShl && a[i].Is(0):
			steps[i] = ConstantOf(0)
		case op == ir.OpOffset && both:
			steps[i] = a[i]
			if in.B != 0 {
				steps[i].Value += b[i].Value * in.Scale
			}
		}
	}
	return steps, true
}

// factor returns a constant as a signed number.
func factor(v *lir.Var) int64 {
	if Wide(v.Kind) {
		return int64(v.Bits)
	}
	return int64(int32(v.Bits))
}

// findBounded finds affine numbers of 32 bits that are not negative in any lane, and the most that
// each can be. Extended to 64 bits, they are still affine.
func (f *Facts) findBounded() {
	f.most = make([]int64, len(f.Strides.List))
	for i := range f.most {
		f.most[i] = -1
	}
	most := func(r lir.Ref) (n int64, ok bool) {
		if v := f.Program.Var(r); v.Const {
			return int64(uint32(v.Bits)), true
		}
		return f.most[f.Strides.Numbers[r]], f.isBounded(r)
	}
	for pc := range f.Program.Code {
		in := &f.Program.Code[pc]
		if d := f.Program.Var(in.D); in.D == 0 || d.Class != lir.Affine || d.Kind != ir.I32 || len(f.Defs[in.D]) > 1 {
			continue
		}
		if in.Op == lir.OpPos {
			f.most[f.Strides.Numbers[in.D]] = int64(f.Program.Shape[in.Imm] - 1)
			continue
		}
		n, ok := most(in.A)
		if in.B != 0 {
			m, known := most(in.B)
			ok = ok && known
			switch in.Op.IR() {
			case ir.OpAdd:
				n += m
			case ir.OpMul:
				n *= m
			default:
				ok = false
			}
		} else {
			ok = ok && in.Op == lir.OpMov
		}
		if ok && n <= math.MaxInt32 {
			f.most[f.Strides.Numbers[in.D]] = n
		}
	}
}

// isBounded reports whether findBounded has found a variable.
func (f *Facts) isBounded(r lir.Ref) bool { return f.most[f.Strides.Numbers[r]] >= 0 }

// indices returns the affine variables of 64 bits that have numbers, and not addresses.
func indices(p *lir.Program) map[lir.Ref]bool {
	list := map[lir.Ref]bool{}
	for changed := true; changed; {
		changed = false
		for pc := range p.Code {
			in := &p.Code[pc]
			if in.D == 0 || list[in.D] || p.Var(in.D).Class != lir.Affine || !Wide(p.Var(in.D).Kind) {
				continue
			}
			if !isAffineAddress(in) || in.Op == lir.OpMov && list[in.A] {
				list[in.D], changed = true, true
			}
		}
	}
	return list
}
