package lir

// SimplifyMasks replaces the mask operations that lowering emits with cheaper ones. Once the lanes
// in which a condition is true are known, those in which it is false are the rest; the condition is
// read once, and may then not be needed as a column at all. Adding a mask to an empty one gives
// that mask.
func (p *Program) SimplifyMasks() {
	type pair struct{ mask, truth Ref }
	type known struct {
		at       int
		versions [3]int32 // of the pair and of the result
	}
	paths := p.paths()
	version := make([]int32, len(p.Vars)) // by variable: number of writes so far
	cleared := make([]int, len(p.Vars))   // by variable: 1 + the index where it was cleared, if it has not been used since
	ands := map[pair]known{}
	drop := make([]bool, len(p.Code))
	for i := range p.Code {
		in := &p.Code[i]
		switch in.Op {
		case OpMaskAndNot:
			k, ok := ands[pair{in.A, in.B}]
			if !ok {
				break
			}
			and := p.Code[k.at].D
			if k.versions == [3]int32{version[in.A], version[in.B], version[and]} && paths.dominates(k.at, i) {
				in.Op, in.B = OpMaskSub, and
			}
		case OpMaskOr:
			if at := cleared[in.D] - 1; in.A == in.D && in.B != in.D && at >= 0 && paths.closed(at, i) {
				in.Op, in.A, in.B = OpMaskCopy, in.B, 0
				drop[at] = true
			}
		}
		in.Reads(func(r Ref) { cleared[r] = 0 })
		in.Writes(func(r Ref) { version[r]++; cleared[r] = 0 })
		switch {
		case in.Op == OpMaskClear:
			cleared[in.D] = i + 1
		case in.Op == OpMaskAnd && in.D != in.A:
			ands[pair{in.A, in.B}] = known{i, [3]int32{version[in.A], version[in.B], version[in.D]}}
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

// dominates reports whether every path to instruction j goes through i, and from there only through
// the instructions between them.
func (s *paths) dominates(i, j int) bool {
	for k := i + 1; k <= j; k++ {
		if s.first[k] >= 0 && (int(s.first[k]) < i || int(s.last[k]) > j) {
			return false
		}
	}
	return true
}

// closed reports whether, in addition, every path from i leads to j, unless it ends the strip.
func (s *paths) closed(i, j int) bool {
	for k := i + 1; k < j; k++ {
		if in := &s.p.Code[k]; in.Op.IsJump() && (int(in.Target) <= i || int(in.Target) > j) {
			return false
		}
	}
	return s.dominates(i, j)
}
