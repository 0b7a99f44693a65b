package plan

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Affine numbers of 64 bits, such as an index that is extended and multiplied by a stride, are
// compiled as numbers of each lane: extended from 32 bits, where sums may have wrapped, they need
// not be affine. The frame has them in another form, so a range must not share them with the rest
// of the program. An index, which is affine for certain, stays so.

// lift returns the program with such variables made those of each lane, and which they are. The
// instructions are the same.
func lift(p *lir.Program, t Target, defs [][]int) (*lir.Program, map[lir.Ref]bool) {
	isAffine := func(r lir.Ref) bool {
		return r != 0 && p.Var(r).Class == lir.Affine && Wide(p.Var(r).Kind)
	}
	if !slices.ContainsFunc(p.Vars, func(v lir.Var) bool { return v.Class == lir.Affine && Wide(v.Kind) }) {
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
		f := &Facts{Target: t, Program: &q, Strides: findStrides(&q), Defs: defs}
		f.findBounded()
		for pc := range p.Code {
			in := &p.Code[pc]
			in.Reads(func(r lir.Ref) {
				if index[r] && !f.takesIndex(in, r) {
					changed = lift(r) || changed
				}
			})
			if !isAffine(in.D) ||
				!lifted[in.D] && (isAffineAddress(in) && f.affineAddressUsable(in) || f.indexUsable(in)) {
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
func (f *Facts) liftedBad(r [2]int, in *lir.Inst) (bad bool) {
	if len(f.lifted) == 0 {
		return false
	}
	in.Reads(func(x lir.Ref) { bad = bad || f.lifted[x] && f.Live.At(r[0]).Has(x) })
	in.Writes(func(x lir.Ref) {
		leaves := func(pc int) bool { return f.Live.At(pc).Has(x) }
		bad = bad || f.lifted[x] && slices.ContainsFunc(exits(f.Program, r), leaves)
	})
	return bad
}
