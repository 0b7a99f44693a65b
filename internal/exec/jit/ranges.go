package jit

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
			case isAmong(in):
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

// enteredAt returns the first instruction inside of a range that a jump from elsewhere reaches.
func enteredAt(r [2]int, jumps [][2]int) (first int, ok bool) {
	for _, j := range jumps {
		from, to := j[0], j[1]
		if r[0] < to && to < r[1] && (from < r[0] || from >= r[1]) && (!ok || to < first) {
			first, ok = to, true
		}
	}
	return first, ok
}

// onLanes reports whether an instruction works on each lane, masks included, and not only on
// numbers that all lanes share.
func onLanes(p *lir.Program, in *lir.Inst) bool {
	if in.Op.IsJump() || in.Op == lir.OpEnd {
		return false
	}
	if in.D != 0 {
		switch p.Var(in.D).Class {
		case lir.Once, lir.Simd, lir.Affine:
			return false
		}
		return true
	}
	return in.Per == lir.Lane
}

// accessesMemory reports whether an instruction is a load or a store, or an atomic operation, of
// memory that lanes share.
func accessesMemory(in *lir.Inst) bool {
	return (in.Op.IR() == ir.OpLoad || in.Op.IR() == ir.OpMatLoad || writesMemory(in)) && !onThread(in)
}

// writesMemory reports whether an instruction is a store or an atomic operation.
func writesMemory(in *lir.Inst) bool {
	op := in.Op.IR()
	return (op == ir.OpStore || isAtomic(in) || op == ir.OpMatStore) && !onThread(in)
}

// segment is a part of a range that ends with its only jump or end, if it has one. Its operations
// shared numbers come first, then those on lanes, vector by vector: nothing that a later one of the
// former writes is read by an earlier one of the latter.
type segment struct {
	from, to int
	shared   []int
	lanes    []int
	among    *lir.Inst // its only instruction, if that works among lanes
	jump     int       // or an end; -1 for neither
	guard    lir.Ref   // only the lanes of this mask need the segment; 0 for all
	empty    []lir.Ref // masks that are empty in vectors without such lanes
	exits    []int     // instructions at which execution continues after it
}

// endsSegment reports whether nothing may be moved over an instruction.
func endsSegment(in *lir.Inst) bool {
	return in.Op.IR() == ir.OpBarrier || in.Op.IR() == ir.OpSimdBarrier
}

// ownAddresses reports whether each lane has an address of its own for a memory operation.
func ownAddresses(p *lir.Program, in *lir.Inst) bool {
	own := func(r lir.Ref) bool { return r != 0 && (p.Var(r).Class == lir.Lane || p.Var(r).Class == lir.Simd) }
	return own(in.A) || own(in.B) || wide(in.Kind) || isAtomic(in)
}

// bases is what the members of a group have in common.
type bases struct {
	a, b  lir.Ref
	ext   lir.Ext
	scale int64
	mask  lir.Ref
	op    lir.Op
	near  int64 // which four of the elements in a row
}

// maxAccesses bounds the other memory operations of a segment, which have a register each.
const maxAccesses = 7

// segments divides a range. Variables with the same place must not be reordered: place returns the
// number of one, from 0 to twice the number of variables. spread reports whether the elements of an
// access have room for those of a group between them.
func segments(
	p *lir.Program, ops *operands, from, to int, place func(lir.Ref) int32, spread func(*lir.Inst) bool,
) (list []*segment) {
	head, heads := make([]bool, len(p.Code)+1), 1
	begins := func(pc int) { head[pc], heads = true, heads+1 }
	for pc := from; pc < to; pc++ {
		switch in := &p.Code[pc]; {
		case in.Op.IsJump():
			begins(pc + 1)
			begins(int(in.Target))
		case endsSegment(in), in.Op == lir.OpEnd:
			begins(pc + 1)
		case isAmong(in):
			begins(pc)
			begins(pc + 1)
		}
	}
	var s *segment
	room := make([]segment, heads) // for those to come
	list = make([]*segment, 0, heads)
	read := make([]int32, 2*len(p.Vars)+1) // by place: the last segment whose operations on lanes read it
	allLanes, allShared := make([]int, 0, to-from), make([]int, 0, to-from)
	var accesses int
	var groups []bases // which may be one access
	var loads, stores bool
	begin := func(pc int) {
		if len(room) == 0 {
			room = make([]segment, heads)
		}
		s, room = &room[0], room[1:]
		s.from, s.to, s.jump = pc, pc, -1
		list = append(list, s)
		accesses, loads, stores, groups = 0, false, false, groups[:0]
	}
	for pc := from; pc < to; pc++ {
		in := &p.Code[pc]
		if head[pc] || s == nil {
			begin(pc)
		}
		lanes := onLanes(p, in)
		touches := accessesMemory(in)
		switch {
		case in.Op.IsJump(), in.Op == lir.OpEnd, endsSegment(in), isAmong(in):
		case lanes && touches:
			four := int64(4 * max(1, in.Kind.Size()))
			key := bases{in.A, in.B, in.Ext, in.Scale, in.Mask, in.Op, (in.Disp - (in.Disp%four+four)%four) / four}
			if !ownAddresses(p, in) && !(slices.Contains(groups, key) && spread(in)) {
				if accesses == maxAccesses {
					begin(pc)
				}
				accesses++
				groups = append(groups, key)
			}
			loads, stores = true, stores || writesMemory(in)
		case lanes:
			copies := copiesShared(in)
			loads, stores = loads || isTexture(in) || copies, stores || writesTexture(in) || copies
		default:
			hazard := touches && (stores || writesMemory(in) && loads)
			for _, r := range ops.writes(pc) {
				hazard = hazard || read[place(r)] == int32(len(list))
			}
			if hazard {
				begin(pc)
			}
		}
		s.to = pc + 1
		switch {
		case in.Op.IsJump(), in.Op == lir.OpEnd:
			s.jump = pc
		case isAmong(in):
			s.among = in
		case endsSegment(in): // the segment ends
		case lanes:
			allLanes = append(allLanes, pc)
			s.lanes = allLanes[len(allLanes)-len(s.lanes)-1:]
			for _, r := range ops.reads(pc) {
				read[place(r)] = int32(len(list))
			}
		default:
			allShared = append(allShared, pc)
			s.shared = allShared[len(allShared)-len(s.shared)-1:]
		}
	}
	exits := make([]int, 0, 2*len(list))
	for _, s := range list {
		n := len(exits)
		exits = s.appendExits(exits, p)
		s.exits = exits[n:]
	}
	findGuards(p, from, to, list)
	return list
}
