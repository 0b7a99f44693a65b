package lir

import (
	"cmp"
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
)

// Allocate assigns a place in the frame to each used variable and -1 to the others, and sets
// FrameBytes. Variables that are never live together may share a place. Constants come first and do
// not share theirs, and Roots keep their own. Masks share only with masks, and affine numbers only
// with those of their kind: if a jump skips the instruction that writes such a variable, its place
// still holds a valid mask or affine number, without nonexistent lanes or an invalid header.
// Engines may rely on that.
func (p *Program) Allocate() {
	spans := p.spans()
	end := 0
	place := func(bytes int) int32 {
		at := align(end)
		if bytes <= 8 {
			at = (end + 7) &^ 7
		}
		end = at + bytes
		return int32(at)
	}
	for i := range p.Vars {
		p.Vars[i].Off = -1
		if p.Vars[i].Const && spans[i].used {
			p.Vars[i].Off = place(8)
		}
	}
	order := make([]Ref, 0, len(p.Vars))
	for i := range p.Vars {
		if spans[i].used && !p.Vars[i].Const {
			order = append(order, Ref(i))
		}
	}
	slices.SortFunc(order, func(a, b Ref) int {
		return cmp.Or(cmp.Compare(spans[a].first, spans[b].first), cmp.Compare(a, b))
	})
	type busy struct {
		last int
		off  int32
		kept keeping
	}
	var live []busy
	free := map[keeping][]int32{}
	for _, r := range order {
		s := spans[r]
		live = slices.DeleteFunc(live, func(b busy) bool {
			if b.last >= s.first {
				return false
			}
			free[b.kept] = append(free[b.kept], b.off)
			return true
		})
		v := &p.Vars[r]
		kept := v.keeping(p.Lanes)
		if list := free[kept]; len(list) > 0 {
			v.Off = list[len(list)-1]
			free[kept] = list[:len(list)-1]
		} else {
			v.Off = place(kept.bytes)
		}
		live = append(live, busy{s.last, v.Off, kept})
	}
	p.FrameBytes = align(end)
}

// Roots returns the Once variables that are addresses of a launch's memory and are written by one
// instruction: arguments, threadgroup memory, and program data. All addresses in an object are
// computed from its root. Their places hold them from that instruction to the end of the program.
//
// The result says of each variable whether it is one.
func (p *Program) Roots() []bool {
	roots, written := make([]bool, len(p.Vars)), make([]bool, len(p.Vars))
	var op ir.Op
	write := func(r Ref) {
		roots[r] = !written[r] && p.Vars[r].Class == Once &&
			(op == ir.OpArg || op == ir.OpSharedAddr || op == ir.OpGlobalAddr)
		written[r] = true
	}
	for pc := range p.Code {
		op = p.Code[pc].Op.IR()
		p.Code[pc].Writes(write)
	}
	return roots
}

// Holding calls visit for each variable that is used, with the first instruction and the last one
// before which it has a value in its place: in between, no other has that place.
func (p *Program) Holding(visit func(r Ref, first, last int)) {
	for r, s := range p.spans() {
		if s.used {
			visit(Ref(r), s.first, s.last)
		}
	}
}

// LiveAfter returns the variables that instructions after the one at pc may read as earlier ones
// have written them, constants excepted.
func (p *Program) LiveAfter(pc int) (live []Ref) {
	for r, s := range p.spans() {
		if s.used && s.first < pc && s.last > pc && !p.Vars[r].Const {
			live = append(live, Ref(r))
		}
	}
	return live
}

// keeping describes what a place may hold: that many bytes, of any kind of variable if class is
// Once.
type keeping struct {
	bytes int
	class Class
	kind  ir.Kind
}

func (v *Var) keeping(lanes int) keeping {
	switch v.Class {
	case Mask, Affine:
		return keeping{v.Bytes(lanes), v.Class, v.Kind}
	}
	return keeping{bytes: v.Bytes(lanes)}
}

// span is the range of code in which a variable is live: from its first write to its last read,
// extended over any loop that carries it. The end includes the writer's own instruction, so that
// results do not share a place with operands of a later one only.
type span struct {
	used        bool
	first, last int
}

type loop struct{ head, back int }

func (p *Program) spans() []span {
	spans := make([]span, len(p.Vars))
	var loops []loop
	for pc := range p.Code {
		if in := &p.Code[pc]; in.Op == OpBack {
			loops = append(loops, loop{int(in.Target), pc})
		}
	}
	// Several back edges to one head form one loop, which ends at the last of them.
	slices.SortFunc(loops, func(a, b loop) int { return cmp.Or(cmp.Compare(a.head, b.head), cmp.Compare(b.back, a.back)) })
	loops = slices.CompactFunc(loops, func(a, b loop) bool { return a.head == b.head })

	carried := make([]bool, len(p.Vars)) // its first use in the code does not write all of it
	touch := func(r Ref, pc int, whole bool) {
		s := &spans[r]
		if !s.used {
			*s = span{true, pc, pc}
			carried[r] = !whole
		}
		s.last = pc
	}
	for pc := range p.Code {
		in := &p.Code[pc]
		in.Reads(func(r Ref) { touch(r, pc, false) })
		in.Writes(func(r Ref) { touch(r, pc, true) })
	}
	for r, is := range p.Roots() {
		if is {
			spans[r].last = len(p.Code) - 1
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range spans {
			s := &spans[i]
			if !s.used {
				continue
			}
			for _, l := range loops {
				if s.last < l.head || s.first > l.back || s.first <= l.head && s.last >= l.back {
					continue
				}
				inside := s.first >= l.head && s.last <= l.back
				if inside && !carried[i] {
					continue
				}
				first, last := min(s.first, l.head), max(s.last, l.back)
				if first != s.first || last != s.last {
					s.first, s.last, changed = first, last, true
				}
			}
		}
	}
	return spans
}
