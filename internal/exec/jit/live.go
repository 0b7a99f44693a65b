package jit

import (
	"math/bits"
	"slices"

	"github.com/puremetal/puremetal/internal/ir/lir"
)

// set is a set of variables.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

// newSets returns a number of sets in one piece of memory.
func newSets(number, n int) []set {
	each := (n + 63) / 64
	words, list := make(set, number*each), make([]set, number)
	for i := range list {
		list[i] = words[i*each : (i+1)*each]
	}
	return list
}

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

// meets reports whether two sets have an element in common.
func (s set) meets(o set) bool {
	for i, x := range o {
		if s[i]&x != 0 {
			return true
		}
	}
	return false
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
	// Liveness reaches further in another pass if a jump back leads to where it has changed.
	back := make([]bool, len(p.Code)+1)
	for pc := range p.Code {
		if in := &p.Code[pc]; in.Op.IsJump() && int(in.Target) <= pc {
			back[in.Target] = true
		}
	}
	before := newSet(len(p.Vars))
	for changed := true; changed; {
		changed = false
		for pc := len(p.Code) - 1; pc >= 0; pc-- {
			in, s := &p.Code[pc], l.at[pc]
			if back[pc] {
				copy(before, s)
			}
			if in.GoesOn() {
				copy(s, l.at[pc+1])
			} else {
				clear(s)
			}
			if in.Op.IsJump() {
				s.union(l.at[in.Target])
			}
			l.step(s, in, pc)
			changed = changed || back[pc] && !slices.Equal(before, s)
		}
	}
	// Merges do not end liveness, so it may reach back to where the place is another variable's.
	begin, end := newLists(len(l.at), len(p.Vars)), newLists(len(l.at), len(p.Vars))
	p.Holding(func(r lir.Ref, first, last int) {
		begin.add(first, r)
		end.add(last, r)
	})
	held := newSet(len(p.Vars))
	for pc := range l.at {
		for r := begin.first[pc]; r != 0; r = begin.next[r] {
			held.add(r)
		}
		l.at[pc].and(l.at[pc], held)
		for r := end.first[pc]; r != 0; r = end.next[r] {
			held.remove(r)
		}
	}
	return l
}

// lists are a linked list of variables for each instruction. A variable is in one of them.
type lists struct {
	first []lir.Ref // by instruction; 0 for none
	next  []lir.Ref // by variable
}

func newLists(n, vars int) lists { return lists{make([]lir.Ref, n), make([]lir.Ref, vars)} }

func (l lists) add(pc int, r lir.Ref) { l.first[pc], l.next[r] = r, l.first[pc] }

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
