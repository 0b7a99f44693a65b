package jit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Affine numbers of 64 bits, such as an index that is extended and multiplied by a stride, are
// compiled as numbers of each lane: extended from 32 bits, where sums may have wrapped, they need
// not be affine. The frame has them in another form, so a range must not share them with the rest
// of the program. An index, which is affine for certain, stays so.

// isAffineAddress reports whether an instruction with an affine result of 64 bits yields an address
// that can stay affine.
func isAffineAddress(in *lir.Inst) bool { return in.Op.IR() == ir.OpOffset || in.Op == lir.OpMov }

// lift returns the program with such variables made those of each lane, and which they are. The
// instructions are the same.
func lift(p *lir.Program, t target, defs [][]int) (*lir.Program, map[lir.Ref]bool) {
	isAffine := func(r lir.Ref) bool {
		return r != 0 && p.Var(r).Class == lir.Affine && wide(p.Var(r).Kind)
	}
	if !slices.ContainsFunc(p.Vars, func(v lir.Var) bool { return v.Class == lir.Affine && wide(v.Kind) }) {
		return p, nil
	}
	lifted, index := map[lir.Ref]bool{}, indices(p)
	q := *p
	q.Vars = slices.Clone(p.Vars)
	lift := func(r lir.Ref) bool {
		if !isAffine(r) || lifted[r] {
			return false
		}
		lifted[r], q.Vars[r].Class = true, lir.Lane
		return true
	}
	for changed := true; changed; {
		changed = false
		f := &facts{target: t, p: &q, s: findStrides(&q), defs: defs}
		f.findBounded()
		for pc := range p.Code {
			in := &p.Code[pc]
			in.Reads(func(r lir.Ref) {
				if index[r] && !f.takesIndex(in, r) {
					changed = lift(r) || changed
				}
			})
			if !isAffine(in.D) || !lifted[in.D] && (isAffineAddress(in) && f.affineAddressUsable(in) || f.indexUsable(in)) {
				continue
			}
			for _, r := range []lir.Ref{in.D, in.A, in.B} {
				changed = lift(r) || changed
			}
		}
	}
	return &q, lifted
}

// liftedBad reports whether an instruction of a range reads a lifted variable that others write, or
// writes one that others read.
func (f *facts) liftedBad(r [2]int, in *lir.Inst) (bad bool) {
	if len(f.lifted) == 0 {
		return false
	}
	in.Reads(func(x lir.Ref) { bad = bad || f.lifted[x] && f.live.at(r[0]).has(x) })
	in.Writes(func(x lir.Ref) {
		bad = bad || f.lifted[x] && slices.ContainsFunc(exits(f.p, r), func(pc int) bool { return f.live.at(pc).has(x) })
	})
	return bad
}
