package jit

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/ir/lir"
)

// set is a set of variables.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) has(r lir.Ref) bool { return s[r/64]>>(r%64)&1 != 0 }
func (s set) add(r lir.Ref)      { s[r/64] |= 1 << (r % 64) }
func (s set) remove(r lir.Ref)   { s[r/64] &^= 1 << (r % 64) }

// union adds the elements of o and reports whether there were new ones.
func (s set) union(o set) (changed bool) {
	for i, x := range o {
		changed = changed || x&^s[i] != 0
		s[i] |= x
	}
	return changed
}

// and makes the set what two others have in common.
func (s set) and(a, b set) {
	for i := range s {
		s[i] = a[i] & b[i]
	}
}

// all yields the elements in ascending order.
func (s set) all(yield func(lir.Ref) bool) {
	for i, x := range s {
		for ; x != 0; x &= x - 1 {
			if !yield(lir.Ref(i*64 + bits.TrailingZeros64(x))) {
				return
			}
		}
	}
}

// liveness says which variables have a value that is still needed.
type liveness struct {
	ops     *operands
	counted set   // variables but constants and masks
	at      []set // before each instruction, and after the last
}

// findLive computes the liveness of all variables but constants and masks.
func findLive(p *lir.Program, ops *operands) *liveness {
	l := &liveness{ops: ops, counted: newSet(len(p.Vars)), at: make([]set, len(p.Code)+1)}
	for r := range p.Vars {
		if v := &p.Vars[r]; !v.Const && v.Class != lir.Mask {
			l.counted.add(lir.Ref(r))
		}
	}
	words := len(l.counted)
	all := make(set, words*len(l.at))
	for i := range l.at {
		l.at[i] = all[i*words : (i+1)*words]
	}
	s := newSet(len(p.Vars))
	for changed := true; changed; {
		changed = false
		for pc := len(p.Code) - 1; pc >= 0; pc-- {
			in := &p.Code[pc]
			clear(s)
			if in.GoesOn() {
				s.union(l.at[pc+1])
			}
			if in.Op.IsJump() {
				s.union(l.at[in.Target])
			}
			l.step(s, in, pc)
			changed = l.at[pc].union(s) || changed
		}
	}
	// Merges do not end liveness, so it may reach back to where the place is another variable's.
	holds := p.Holding()
	for pc, s := range l.at {
		for r := range s.all {
			if !holds(r, pc) {
				s.remove(r)
			}
		}
	}
	return l
}

// step makes of what is live after an instruction what is live before it.
func (l *liveness) step(s set, in *lir.Inst, pc int) {
	if in.Op != lir.OpMerge {
		for _, r := range l.ops.writes(pc) {
			s.remove(r)
		}
	}
	for _, r := range l.ops.reads(pc) {
		if l.counted.has(r) {
			s.add(r)
		}
	}
}
