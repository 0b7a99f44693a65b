package lir

// SimplifyMasks replaces the mask operations that lowering emits with cheaper ones: adding a mask
// to an empty one gives that mask.
func (p *Program) SimplifyMasks() {
	paths := p.paths()
	cleared := make([]int, len(p.Vars)) // by variable: 1 + the index where it was cleared, if it has not been used since
	drop := make([]bool, len(p.Code))
	for i := range p.Code {
		in := &p.Code[i]
		if at := cleared[in.D] - 1; in.Op == OpMaskOr && in.A == in.D && in.B != in.D && at >= 0 && paths.closed(at, i) {
			in.Op, in.A, in.B = OpMaskCopy, in.B, 0
			drop[at] = true
		}
		in.Reads(func(r Ref) { cleared[r] = 0 })
		in.Writes(func(r Ref) { cleared[r] = 0 })
		if in.Op == OpMaskClear {
			cleared[in.D] = i + 1
		}
	}
	p.remove(drop)
}

// paths records where jumps come from and lead to.
type paths struct {
	p           *Program
	first, last []int32 // by instruction: the first and last jump to it, -1 for none
}

func (p *Program) paths() *paths {
	s := &paths{p, make([]int32, len(p.Code)+1), make([]int32, len(p.Code)+1)}
	for i := range s.first {
		s.first[i], s.last[i] = -1, -1
	}
	for i := range p.Code {
		if in := &p.Code[i]; in.Op.IsJump() {
			if s.first[in.Target] < 0 {
				s.first[in.Target] = int32(i)
			}
			s.last[in.Target] = int32(i)
		}
	}
	return s
}

// closed reports whether every path to instruction j goes through i, and from there only through
// the instructions between them, and every path from i leads to j, unless it ends the strip.
func (s *paths) closed(i, j int) bool {
	for k := i + 1; k <= j; k++ {
		if s.first[k] >= 0 && (int(s.first[k]) < i || int(s.last[k]) > j) {
			return false
		}
		if in := &s.p.Code[k]; k < j && in.Op.IsJump() && (int(in.Target) <= i || int(in.Target) > j) {
			return false
		}
	}
	return true
}
