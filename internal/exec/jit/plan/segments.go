package plan

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Segment is a part of a range that ends with its only jump or end, if it has one. Its operations
// shared numbers come first, then those on lanes, vector by vector: nothing that a later one of the
// former writes is read by an earlier one of the latter.
type Segment struct {
	From, To  int
	Shared    []int
	Lanes     []int
	Simdgroup *lir.Inst // its only instruction, if that works among the lanes of simdgroups
	Jump      int       // or an end; -1 for neither
	Guard     lir.Ref   // only the lanes of this mask need the segment; 0 for all
	Empty     []lir.Ref // masks that are empty in vectors without such lanes
	Exits     []int     // instructions at which execution continues after it

	// See ChooseForms.
	Invariant []int           // of Shared: the same for all threadgroups of a row
	Deferred  []int           // operations on masks that follow those on lanes
	Pairs     map[int]Pair    // by their first functions
	Extremes  map[int]Extreme // selects and comparisons that are one instruction
	Assumed   *Assumed        // what its first code assumes, or nil
}

// segments divides a range. Variables with the same place must not be reordered: place returns the
// number of one, from 0 to twice the number of variables. spread reports whether the elements of an
// access have room for those of a group between them.
func segments(
	p *lir.Program, ops *operands, from, to int, place func(lir.Ref) int32, spread func(*lir.Inst) bool,
) (list []*Segment) {
	head, heads := make([]bool, len(p.Code)+1), 1
	begins := func(pc int) { head[pc], heads = true, heads+1 }
	for pc := from; pc < to; pc++ {
		switch in := &p.Code[pc]; {
		case in.Op.IsJump():
			begins(pc + 1)
			begins(int(in.Target))
		case endsSegment(in), in.Op == lir.OpEnd:
			begins(pc + 1)
		case onSimdgroup(in):
			begins(pc)
			begins(pc + 1)
		}
	}
	var s *Segment
	room := make([]Segment, heads) // for those to come
	list = make([]*Segment, 0, heads)
	read := make([]int32, 2*len(p.Vars)+1) // by place: the last segment whose operations on lanes read it
	allLanes, allShared := make([]int, 0, to-from), make([]int, 0, to-from)
	var accesses int
	var groups []bases // which may be one access
	var loads, stores bool
	begin := func(pc int) {
		if len(room) == 0 {
			room = make([]Segment, heads)
		}
		s, room = &room[0], room[1:]
		s.From, s.To, s.Jump = pc, pc, -1
		list = append(list, s)
		accesses, loads, stores, groups = 0, false, false, groups[:0]
	}
	for pc := from; pc < to; pc++ {
		in := &p.Code[pc]
		if head[pc] || s == nil {
			begin(pc)
		}
		lanes := onLanes(p, in)
		touches := AccessesMemory(in)
		switch {
		case in.Op.IsJump(), in.Op == lir.OpEnd, endsSegment(in), onSimdgroup(in):
		case lanes && touches:
			four := int64(4 * max(1, in.Kind.Size()))
			key := bases{in.A, in.B, in.Ext, in.Scale, in.Mask, in.Op, (in.Disp - (in.Disp%four+four)%four) / four}
			if !OwnAddresses(p, in) && !(slices.Contains(groups, key) && spread(in)) {
				if accesses == MaxAccesses {
					begin(pc)
				}
				accesses++
				groups = append(groups, key)
			}
			loads, stores = true, stores || WritesMemory(in)
		case lanes:
			copies := CopiesShared(in)
			loads, stores = loads || IsTexture(in) || copies, stores || WritesTexture(in) || copies
		default:
			hazard := touches && (stores || WritesMemory(in) && loads)
			for _, r := range ops.Writes(pc) {
				hazard = hazard || read[place(r)] == int32(len(list))
			}
			if hazard {
				begin(pc)
			}
		}
		s.To = pc + 1
		switch {
		case in.Op.IsJump(), in.Op == lir.OpEnd:
			s.Jump = pc
		case onSimdgroup(in):
			s.Simdgroup = in
		case endsSegment(in): // the segment ends
		case lanes:
			allLanes = append(allLanes, pc)
			s.Lanes = allLanes[len(allLanes)-len(s.Lanes)-1:]
			for _, r := range ops.Reads(pc) {
				read[place(r)] = int32(len(list))
			}
		default:
			allShared = append(allShared, pc)
			s.Shared = allShared[len(allShared)-len(s.Shared)-1:]
		}
	}
	exits := make([]int, 0, 2*len(list))
	for _, s := range list {
		n := len(exits)
		exits = s.appendExits(exits, p)
		s.Exits = exits[n:]
	}
	findGuards(p, from, to, list)
	return list
}

// appendExits appends the instructions at which execution continues after a segment.
func (s *Segment) appendExits(pcs []int, p *lir.Program) []int {
	if s.Jump < 0 {
		return append(pcs, s.To)
	}
	in := &p.Code[s.Jump]
	if in.Op != lir.OpEnd {
		pcs = append(pcs, int(in.Target))
	}
	if in.GoesOn() {
		pcs = append(pcs, s.To)
	}
	return pcs
}

// endsSegment reports whether nothing may be moved over an instruction.
func endsSegment(in *lir.Inst) bool {
	return in.Op.IR() == ir.OpBarrier || in.Op.IR() == ir.OpSimdBarrier
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

// bases is what the members of a group have in common.
type bases struct {
	a, b  lir.Ref
	ext   lir.Ext
	scale int64
	mask  lir.Ref
	op    lir.Op
	near  int64 // which four of the elements in a row
}

// MaxAccesses bounds the other memory operations of a segment, which have a register each.
const MaxAccesses = 7

// spread reports whether the lanes' elements of an access are as far apart as those of a group.
func (f *Facts) spread(in *lir.Inst) bool {
	by := int64(0)
	for _, x := range []struct {
		r     lir.Ref
		scale int64
	}{{in.A, 1}, {in.B, in.Scale}} {
		if x.r == 0 || f.Program.Var(x.r).Class != lir.Affine {
			continue
		}
		steps, _ := f.Strides.Of(x.r)
		if !steps[0].Constant {
			return false
		}
		by += steps[0].Value * x.scale
	}
	return by == 4*int64(in.Kind.Size())
}
