package plan

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Set is a set of variables.
type Set []uint64

// NewSet returns an empty set of variables below n.
func NewSet(n int) Set { return make(Set, (n+63)/64) }

// newSets returns a number of sets in one piece of memory.
func newSets(number, n int) []Set {
	each := (n + 63) / 64
	words, list := make(Set, number*each), make([]Set, number)
	for i := range list {
		list[i] = words[i*each : (i+1)*each]
	}
	return list
}

// Has reports whether the set has a variable.
func (s Set) Has(r lir.Ref) bool { return s[r/64]>>(r%64)&1 != 0 }

// Add adds a variable.
func (s Set) Add(r lir.Ref) { s[r/64] |= 1 << (r % 64) }

// Remove removes a variable.
func (s Set) Remove(r lir.Ref) { s[r/64] &^= 1 << (r % 64) }

// union adds the elements of o and reports whether there were new ones.
func (s Set) union(o Set) (changed bool) {
	for i, x := range o {
		changed = changed || x&^s[i] != 0
		s[i] |= x
	}
	return changed
}

// meets reports whether two sets have an element in common.
func (s Set) meets(o Set) bool {
	for i, x := range o {
		if s[i]&x != 0 {
			return true
		}
	}
	return false
}

// All yields the elements in ascending order.
func (s Set) All(yield func(lir.Ref) bool) {
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
	p       *lir.Program
	ops     *operands
	counted Set     // variables but constants and masks
	held    []held  // by variable
	raw     []Set   // before the instructions with a number in kept, but for what held excludes
	kept    []int32 // by instruction, and after the last: an index of raw, or -1

	mu    sync.Mutex // ranges of a program share it
	found []Set      // what at has returned
	known []int32    // by instruction: 1 more than its index in found, or 0
	room  []Set      // for those to come
}

// held says between which instructions a variable has its place.
type held struct{ first, last int }

// KeepEach is how many instructions may be between two whose liveness is kept.
const KeepEach = 64

// findLive computes the liveness of all variables but constants and masks.
func findLive(p *lir.Program, ops *operands) *liveness {
	n := len(p.Code)
	l := &liveness{p: p, ops: ops, counted: NewSet(len(p.Vars)), kept: make([]int32, n+1), known: make([]int32, n+1)}
	for r := range p.Vars {
		if v := &p.Vars[r]; !v.Const && v.Class != lir.Mask {
			l.counted.Add(lir.Ref(r))
		}
	}
	// Liveness reaches further in another pass if a jump back leads to where it has changed.
	const yes, back = 1, 2
	l.kept[n] = yes
	for pc := 0; pc < n; pc += KeepEach {
		l.kept[pc] = yes
	}
	for pc := range p.Code {
		if in := &p.Code[pc]; in.Op.IsJump() {
			l.kept[in.Target] = max(l.kept[in.Target], yes)
			if int(in.Target) <= pc {
				l.kept[in.Target] = back
			}
		}
	}
	again := make([]bool, 0, n/KeepEach+8) // by index of raw: passes repeat if the set has changed
	for pc, k := range l.kept {
		l.kept[pc] = -1
		if k != 0 {
			l.kept[pc] = int32(len(again))
			again = append(again, k == back)
		}
	}
	l.raw = newSets(len(again)+1, len(p.Vars))
	now := l.raw[len(again)]
	for changed := true; changed; {
		changed = false
		clear(now)
		for pc := n - 1; pc >= 0; pc-- {
			l.step(now, pc)
			if i := l.kept[pc]; i >= 0 {
				changed = changed || again[i] && !slices.Equal(l.raw[i], now)
				copy(l.raw[i], now)
			}
		}
	}
	l.held = make([]held, len(p.Vars))
	p.Holding(func(r lir.Ref, first, last int) { l.held[r] = held{first, last} })
	return l
}

// At returns what is live before an instruction, or after the last. The set must not be changed.
func (l *liveness) At(pc int) Set {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := l.known[pc]; i != 0 {
		return l.found[i-1]
	}
	from := pc
	for l.kept[from] < 0 {
		from++
	}
	if len(l.room) == 0 {
		l.room = newSets(16, len(l.p.Vars))
	}
	s := l.room[0]
	l.room = l.room[1:]
	copy(s, l.raw[l.kept[from]])
	for from > pc {
		from--
		l.step(s, from)
	}
	// Merges do not end liveness, so it may reach back to where the place is another variable's.
	for r := range s.All {
		if h := l.held[r]; pc < h.first || pc > h.last {
			s.Remove(r)
		}
	}
	l.found = append(l.found, s)
	l.known[pc] = int32(len(l.found))
	return s
}

// step makes of what is live after an instruction what is live before it.
func (l *liveness) step(s Set, pc int) {
	in := &l.p.Code[pc]
	if !in.GoesOn() {
		clear(s)
	}
	if in.Op.IsJump() {
		s.union(l.raw[l.kept[in.Target]])
	}
	if in.Op != lir.OpMerge {
		for _, r := range l.ops.Writes(pc) {
			s.Remove(r)
		}
	}
	for _, r := range l.ops.Reads(pc) {
		if l.counted.Has(r) {
			s.Add(r)
		}
	}
}
