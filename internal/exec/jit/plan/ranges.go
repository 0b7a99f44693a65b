package plan

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// minLaneOps is the number of operations on lanes from which a range is worth a call. One among
// lanes is too.
const minLaneOps = 3

// findRanges returns the ranges of a program that can be compiled, as pairs of the first
// instruction and the one after the last. usable says for each instruction whether the compiler
// knows it.
func findRanges(p *lir.Program, usable []bool) (ranges [][2]int) {
	var jumps [][2]int // from one instruction to another
	for pc := range p.Code {
		if in := &p.Code[pc]; in.Op.IsJump() {
			jumps = append(jumps, [2]int{pc, int(in.Target)})
		}
	}
	var work [][2]int
	for pc := 0; pc < len(usable); {
		if !usable[pc] {
			pc++
			continue
		}
		end := pc
		for end < len(usable) && usable[end] {
			end++
		}
		work = append(work, [2]int{pc, end})
		pc = end
	}
	for len(work) > 0 {
		r := work[0]
		work = work[1:]
		if at, ok := enteredAt(r, jumps); ok {
			work = slices.Insert(work, 0, [2]int{r[0], at}, [2]int{at, r[1]})
			continue
		}
		lanes := 0
		for pc := r[0]; pc < r[1]; pc++ {
			switch in := &p.Code[pc]; {
			case onSimdgroup(in):
				lanes += minLaneOps
			case onLanes(p, in):
				lanes++
			}
		}
		if lanes >= minLaneOps {
			ranges = append(ranges, r)
		}
	}
	return ranges
}

// ranges returns the ranges to compile: instructions that do not fit into one divide it.
func (f *Facts) ranges(usable []bool, single bool) (list [][2]int) {
	for again := true; again; {
		again = false
		list = findRanges(f.Program, usable)
		for _, r := range list {
			if bad := f.firstBad(r, single); bad >= 0 {
				usable[bad], again = false, true
				break
			}
		}
	}
	return slices.DeleteFunc(list, func(r [2]int) bool { return r[1]-r[0] > maxRange })
}

// firstBad returns an instruction that does not fit into a range, or -1.
func (f *Facts) firstBad(r [2]int, single bool) int {
	p := f.Program
	var ends []int
	for pc := r[0]; pc < r[1]; pc++ {
		in := &p.Code[pc]
		target := int(in.Target)
		out := in.Op.IsJump() && (target < r[0] || target > r[1])
		switch {
		case out && !single && !f.Row && (in.Op == lir.OpJumpNone || in.Op == lir.OpBack && in.A != 0):
			return pc // blocks could end at different places; those of a whole program are all its end
		case in.Op == lir.OpBack && target == r[1]:
			return pc
		case CopiesShared(in):
			for _, at := range []lir.Ref{in.A, in.B} {
				if _, ok := f.ObjectOf(r, at, pc); !ok {
					return pc
				}
			}
		case AccessesMemory(in):
			if _, ok := f.ObjectOf(r, in.A, pc); !ok && !f.isDynamic(in) {
				return pc
			}
			if steps, ok := f.Strides.Of(in.A); p.Var(in.A).Class == lir.Affine && (!ok || !steps[0].Constant ||
				!steps[1].Constant || !steps[2].Constant) {
				return pc
			}
		}
		if f.liftedBad(r, in) {
			return pc
		}
		if in.D != 0 && p.Var(in.D).Class == lir.Affine && !f.exportable(r, in.D) {
			if ends == nil {
				ends = exits(p, r)
			}
			for _, x := range ends {
				if f.Live.At(x).Has(in.D) {
					return pc
				}
			}
		}
	}
	return -1
}

// exits returns the instructions at which execution may continue after a range.
func exits(p *lir.Program, r [2]int) (pcs []int) {
	pcs = append(pcs, r[1])
	for pc := r[0]; pc < r[1]; pc++ {
		if in := &p.Code[pc]; in.Op.IsJump() && (int(in.Target) < r[0] || int(in.Target) >= r[1]) {
			pcs = append(pcs, int(in.Target))
		}
	}
	return pcs
}

// RowEnd returns where a program's range ends if it could execute rows: what follows must be ends.
func RowEnd(p *lir.Program) (to int, ok bool) {
	if p.Strips != 1 {
		return 0, false
	}
	to = len(p.Code)
	for to > 0 && p.Code[to-1].Op == lir.OpEnd {
		to--
	}
	return to, to < len(p.Code)
}

// maxRange is the most instructions of a range: the time to compile one grows faster than its
// length.
const maxRange = 2000

// exportable reports whether a range can leave an affine variable in the frame. It is no address,
// whose header has other rules. The range must not find it there either: the blocks after the first
// would.
func (f *Facts) exportable(r [2]int, v lir.Ref) bool {
	steps, known := f.Strides.Of(v)
	if !known || f.lifted[v] || f.Live.At(r[0]).Has(v) {
		return false
	}
	for _, s := range steps {
		if s.Constant && (s.Value > maxStep || s.Value < -maxStep) {
			return false
		}
	}
	if f.Program.Var(v).Kind == ir.I32 {
		return true
	}
	for _, pc := range f.Defs[v] {
		if isAffineAddress(&f.Program.Code[pc]) {
			return false
		}
	}
	return steps[0].Constant && steps[1].Constant && steps[2].Constant
}

// maxStep bounds the constant steps of variables that a range leaves in the frame.
const maxStep = 1 << 40
