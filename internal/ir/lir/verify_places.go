package lir

import (
	"cmp"
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
)

// places checks the frame: variables must be inside it and aligned, and those that share bytes must
// never be live together.
func (v *verifier) places() {
	p := v.p
	used := make([]bool, len(p.Vars))
	for pc := range p.Code {
		p.Code[pc].Reads(func(r Ref) { used[r] = true })
		p.Code[pc].Writes(func(r Ref) { used[r] = true })
	}
	var list []Ref
	for i := range p.Vars {
		x := &p.Vars[i]
		switch n := x.Bytes(p.Lanes); {
		case !used[i] && (!x.Const || x.Off < 0): // engines write all constants that have a place
			continue
		case x.Off < 0 || int(x.Off)+n > p.FrameBytes:
			v.errorf("%s is at %d to %d of a frame of %d bytes", p.name(Ref(i)), x.Off, int(x.Off)+n, p.FrameBytes)
			continue
		case x.Off%8 != 0 || n > 8 && x.Class != Mask && x.Off%ColumnAlign != 0:
			v.errorf("%s is at %d, which is not aligned", p.name(Ref(i)), x.Off)
		}
		list = append(list, Ref(i))
	}
	slices.SortFunc(list, func(a, b Ref) int { return cmp.Compare(p.Vars[a].Off, p.Vars[b].Off) })
	var shared [][2]Ref
	for i, a := range list {
		end := p.Vars[a].Off + int32(p.Vars[a].Bytes(p.Lanes))
		for _, b := range list[i+1:] {
			if p.Vars[b].Off >= end {
				break
			}
			shared = append(shared, [2]Ref{a, b})
			x, y := &p.Vars[a], &p.Vars[b]
			if k := x.keeping(p.Lanes); k != y.keeping(p.Lanes) && (k.class != Once || y.keeping(p.Lanes).class != Once) ||
				k.class != Once && x.Off != y.Off {
				v.errorf("%s and %s, which are not alike, share a place", p.name(a), p.name(b))
			}
		}
	}
	if len(shared) == 0 {
		return
	}
	v.clashes(shared)
}

// clashes reports variables that share a place although one is written while the other is live. It
// computes liveness from the control flow, not from Allocate's spans.
func (v *verifier) clashes(shared [][2]Ref) {
	p := v.p
	live, written := p.liveness(), p.reaching()
	partners := make([][]Ref, len(p.Vars))
	for _, s := range shared {
		if p.Vars[s[0]].Const || p.Vars[s[1]].Const {
			v.errorf("the constant %s or %s shares its place", p.name(s[0]), p.name(s[1]))
		}
		partners[s[0]] = append(partners[s[0]], s[1])
		partners[s[1]] = append(partners[s[1]], s[0])
	}
	for pc := range p.Code {
		in := &p.Code[pc]
		v.pc, v.in = pc, in
		in.Writes(func(r Ref) {
			for _, other := range partners[r] {
				if live[pc+1].has(other) && written[pc].has(other) {
					v.errorf("writes %s at the place of %s, which is read later", p.name(r), p.name(other))
				}
				in.Writes(func(x Ref) {
					if x == other {
						v.errorf("gives %s and %s at one place", p.name(r), p.name(other))
					}
				})
				in.Reads(func(x Ref) {
					if x == other && !pointwise(in, p, r, other) {
						v.errorf("writes %s over its operand %s", p.name(r), p.name(other))
					}
				})
			}
		})
	}
	v.in = nil
}

// pointwise reports whether an instruction reads each element of an operand before it writes the
// same element of the result, so that the two may share a place.
func pointwise(in *Inst, p *Program, d, a Ref) bool {
	x, y := p.Var(d), p.Var(a)
	return in.Op.IR().Info().Has(ir.Lanewise) && x.Class == y.Class && x.ElemSize() == y.ElemSize() && x.Off == y.Off &&
		in.D2 == 0
}

// set is a set of variables.
type set []uint64

func (s set) has(r Ref) bool { return s[r/64]>>(r%64)&1 != 0 }
func (s set) add(r Ref)      { s[r/64] |= 1 << (r % 64) }
func (s set) drop(r Ref)     { s[r/64] &^= 1 << (r % 64) }

// merge adds the elements of another set, and reports whether any were new.
func (s set) merge(o set) (news bool) {
	for i, x := range o {
		if x&^s[i] != 0 {
			s[i] |= x
			news = true
		}
	}
	return news
}

// sets returns n empty sets for the program's variables.
func (p *Program) sets(n int) []set {
	words := (len(p.Vars) + 63) / 64
	list := make([]set, n)
	room := make(set, words*n)
	for i := range list {
		list[i] = room[i*words : (i+1)*words : (i+1)*words]
	}
	return list
}

// liveness returns, for each instruction, the variables that may be read from there on before they
// are written. A Merge does not count as a write: it keeps other lanes' values. If a jump skips
// code because no lanes reach it, no lane after it needs a variable that the code would have
// written completely: such a lane would have executed it.
func (p *Program) liveness() []set {
	live, out := p.sets(len(p.Code)+1), p.sets(1)[0]
	skipped := map[int]set{}
	for pc := range p.Code {
		if in := &p.Code[pc]; in.Op == OpJumpNone || in.Op == OpJumpIf || in.Op == OpJumpUnless {
			s := p.sets(1)[0]
			for k := pc + 1; k < int(in.Target); k++ {
				if p.Code[k].Op != OpMerge {
					p.Code[k].Writes(func(r Ref) {
						if p.Vars[r].Class != Mask {
							s.add(r)
						}
					})
				}
			}
			skipped[pc] = s
		}
	}
	for changed := true; changed; {
		changed = false
		for pc := len(p.Code) - 1; pc >= 0; pc-- {
			in := &p.Code[pc]
			clear(out)
			if in.GoesOn() {
				out.merge(live[pc+1])
			}
			if s := skipped[pc]; s != nil {
				for i, x := range live[in.Target] {
					out[i] |= x &^ s[i]
				}
			} else if in.Op.IsJump() {
				out.merge(live[in.Target])
			}
			if in.Op != OpMerge {
				in.Writes(out.drop)
			}
			in.Reads(out.add)
			changed = live[pc].merge(out) || changed
		}
	}
	return live
}

// reaching returns, for each instruction, the variables that may have been written on the way to
// it.
func (p *Program) reaching() []set {
	at, out := p.sets(len(p.Code)+1), p.sets(1)[0]
	for changed := true; changed; {
		changed = false
		for pc := range p.Code {
			in := &p.Code[pc]
			copy(out, at[pc])
			in.Writes(out.add)
			if in.GoesOn() {
				changed = at[pc+1].merge(out) && in.Op == OpBack || changed
			}
			if in.Op.IsJump() {
				changed = at[in.Target].merge(out) && in.Op == OpBack || changed
			}
		}
	}
	return at
}
