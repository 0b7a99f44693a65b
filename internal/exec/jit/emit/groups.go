package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// group is a number of loads or stores of a segment that access, lane for lane, four numbers of 32
// or 16 bits in a row: the components of a vector. Instead of four gathers or scatters, the memory
// of a vector's lanes is accessed as a whole, and transposed.
type group struct {
	size    int64  // of an element
	members [4]int // instructions, or -1
	first   int    // of them, in the order of execution
	last    int
	base    *access // of the first
}

// groupable reports whether an access may be part of a group.
func (c *compiler) groupable(a *access) bool {
	size := int64(a.in.Kind.Size())
	return a.groupable && (size == 4 || size == 2) && a.steps[0].Is(4*size)
}

// findGroups finds the groups of a segment. Those of loads have at least two
// members, those of stores all four.
func (c *compiler) findGroups(s *plan.Segment, accesses accesses) (groups []*group) {
	for i, pc := range s.Lanes {
		a := accesses.at(pc)
		if a == nil || a.group != nil || !c.groupable(a) {
			continue
		}
		if g := c.groupOf(s.Lanes[i:], accesses); g != nil {
			groups = append(groups, g)
			for _, m := range g.members {
				if m >= 0 {
					accesses.at(m).group = g
				}
			}
		}
	}
	return groups
}

// groupOf returns the group that begins with the first of these instructions, or nil.
func (c *compiler) groupOf(pcs []int, accesses accesses) *group {
	first := &c.Program.Code[pcs[0]]
	stores, size := plan.WritesMemory(first), int64(first.Kind.Size())
	var between []int // accesses of other memory, between the group's
	found := []int{pcs[0]}
	disp := func(in *lir.Inst) int64 { return in.Disp + c.behind(in) }
	least, most := disp(first), disp(first)
	var values []lir.Ref // of stores, which must keep them until the last
	for _, pc := range pcs[1:] {
		in := &c.Program.Code[pc]
		a := accesses.at(pc)
		if plan.IsTexture(in) || plan.CopiesShared(in) {
			break
		}
		if in.D != 0 && (in.D == first.Mask || stores && in.D == first.C) {
			break
		}
		for _, v := range values {
			if in.D == v {
				return nil
			}
		}
		if a == nil {
			continue
		}
		same := c.groupable(a) && in.Op == first.Op && c.sameBase(in, first) && in.B == first.B && in.Ext == first.Ext &&
			in.Scale == first.Scale && int64(in.Kind.Size()) == size && in.Mask == first.Mask && in.Space == first.Space
		lo, hi := min(least, disp(in)), max(most, disp(in))
		if same && hi-lo < 4*size && (disp(in)-disp(first))%size == 0 {
			found, least, most = append(found, pc), lo, hi
			if stores {
				values = append(values, in.C)
			}
		} else if stores != plan.WritesMemory(in) && !plan.IsAtomic(in) && a.obj != accesses.at(pcs[0]).obj {
			between = append(between, pc)
		} else if stores || plan.WritesMemory(in) {
			break
		}
		if len(found) == 4 {
			break
		}
	}
	g := &group{size: size, members: [4]int{-1, -1, -1, -1}, first: pcs[0], last: found[len(found)-1],
		base: accesses.at(pcs[0])}
	for _, pc := range found {
		n := (disp(&c.Program.Code[pc]) - least) / size
		if g.members[n] >= 0 {
			return nil
		}
		g.members[n] = pc
	}
	if len(found) < 2 || stores && len(found) < 4 {
		return nil
	}
	g.base.gather, g.base.disp, g.base.bytes = false, least-c.behind(first), int(4*size)
	for _, pc := range between {
		if pc > g.last {
			break
		}
		g.base.apart = append(g.base.apart, neighbor{c.accessed[&c.Program.Code[pc]], c.meets(g, pc)})
	}
	return g
}

// neighbor is an object that must not overlap the one of a group, since the group's accesses
// change places with another access. At the same address, an access that meets the group's does no
// harm.
type neighbor struct {
	obj   int32
	meets *lir.Inst // or nil
}

// meets returns an access between those of a group if, at the same address, each lane accesses one
// of the group's elements, and no member changes places with an access of its own element.
func (c *compiler) meets(g *group, pc int) *lir.Inst {
	in, first := &c.Program.Code[pc], &c.Program.Code[g.first]
	if c.Class(in.A) != lir.Once || c.Class(first.A) != lir.Once || in.B != first.B || in.Ext != first.Ext ||
		in.Scale != first.Scale || int64(in.Kind.Size()) != g.size || in.Disp < g.base.disp ||
		in.Disp >= g.base.disp+4*g.size || (in.Disp-g.base.disp)%g.size != 0 {
		return nil
	}
	// Stores are late, and loads are early.
	stores := plan.WritesMemory(first)
	member := g.members[(in.Disp-g.base.disp)/g.size]
	if member >= 0 && (stores && member < pc || !stores && member > pc) {
		return nil
	}
	return in
}

// loadGroup loads the numbers of a group's members into registers when the first is due, and sets
// each when it is.
func (l *lanes) loadGroup(g *group, in *lir.Inst) {
	c := l.c
	need := len(g.members)
	if len(g.base.apart) > 0 { // they stay in registers for longer
		need += 4
	}
	switch {
	case l.pc != g.first:
	case !c.evex():
		l.loadGroupNarrow(g, need)
	case len(l.free) >= need:
		l.transpose(g)
	}
	if at, ok := l.waiting[l.pc]; ok {
		l.setWaiting(in, at)
		return
	}
	x, ok := l.pending[l.pc]
	if !ok {
		l.gather(l.access.at(l.pc))
		return
	}
	l.setFrom(in.D, x)
}

// setFrom makes a register that was taken the value of a variable.
func (l *lanes) setFrom(r lir.Ref, x uint8) {
	_, lives := l.c.HomeOf(r)
	if _, ok := l.memory(r); !lives && !ok && !l.regs.has(r) {
		l.regs.set(r, x)
		return
	}
	l.set(r, x)
	l.free = append(l.free, x)
}

// transpose loads the memory of a group for a vector, and gives each member a register.
func (l *lanes) transpose(g *group) {
	c := l.c
	if g.size == 2 {
		l.transposeNarrow(g)
		return
	}
	at := c.at(g.base, l.jj)
	for i := range uint8(4) {
		c.Emit(amd64.VMOVUPS, amd64.Args{D: indexScratch + i, Y: at.Plus(64 * int32(i))})
	}
	var r [4]uint8
	for i := range r {
		r[i] = l.take()
	}
	for half := range 2 { // elements 0 and 1, then 2 and 3
		var index [plan.MaxWidth]int32
		for i := range index {
			lane := int32(i % 8)
			index[i] = 16*(lane/4) + 4*(lane%4) + int32(2*half+i/8)
		}
		lo, hi := r[2*half], r[2*half+1]
		for i, x := range []uint8{lo, hi} { // lanes 0 to 7, then 8 to 15
			c.Emit(amd64.VMOVUPS, amd64.Args{D: x, Y: ctx(c.vector(index))})
			c.Emit(amd64.VPERMI2PS, amd64.Args{D: x, X: indexScratch + uint8(2*i), Y: vec(indexScratch + uint8(2*i+1))})
		}
	}
	for half := range 2 {
		lo, hi := r[2*half], r[2*half+1]
		const s = uint8(valueScratch)
		c.Emit(amd64.VSHUFF64X2, amd64.Args{D: s, X: lo, Y: vec(hi), Imm: 0x44})
		c.Emit(amd64.VSHUFF64X2, amd64.Args{D: hi, X: lo, Y: vec(hi), Imm: 0xee})
		c.Emit(amd64.VMOVAPS, amd64.Args{D: lo, Y: vec(s)})
	}
	l.allot(g, r)
}

// allot makes registers what the members of a group of loads yield later, and frees those of
// elements that none loads.
func (l *lanes) allot(g *group, r [4]uint8) {
	for i, pc := range g.members {
		if pc < 0 {
			l.free = append(l.free, r[i])
			continue
		}
		l.wait(pc, r[i])
	}
}

// storeGroup stores the values of a group's members when the last is due.
func (l *lanes) storeGroup(g *group, in *lir.Inst) {
	c := l.c
	if l.pc != g.last {
		return
	}
	if !c.evex() {
		l.storeGroupNarrow(g, in)
		return
	}
	if len(l.free) < len(g.members) {
		for _, pc := range g.members {
			l.scatter(l.access.at(pc))
		}
		return
	}
	if g.size == 2 {
		l.storeNarrowGroup(g, in)
		return
	}
	var value, t [4]uint8
	for i, pc := range g.members {
		value[i] = l.reg(c.Program.Code[pc].C, indexScratch+uint8(i))
	}
	for i := range t {
		t[i] = l.take()
	}
	for i, x := range t { // elements 0 and 1 of lanes 0 to 7, of 8 to 15, elements 2 and 3
		c.Emit(amd64.VSHUFF64X2, amd64.Args{D: x, X: value[i/2*2], Y: vec(value[i/2*2+1]), Imm: []int64{0x44, 0xee}[i%2]})
	}
	const rows = uint8(indexScratch) // four lanes each
	for i := range uint8(4) {
		var index [plan.MaxWidth]int32
		for j := range index {
			lane, element := int32(j/4), int32(j%4)
			index[j] = lane + 4*int32(i%2) + 8*(element%2) + 16*(element/2)
		}
		c.Emit(amd64.VMOVUPS, amd64.Args{D: rows + i, Y: ctx(c.vector(index))})
		c.Emit(amd64.VPERMI2PS, amd64.Args{D: rows + i, X: t[i/2], Y: vec(t[2+i/2])})
	}
	at := c.at(g.base, l.jj)
	all := func() {
		for i := range uint8(4) {
			c.Emit(amd64.VMOVUPSStore, amd64.Args{X: rows + i, Y: at.Plus(64 * int32(i))})
		}
	}
	if in.Mask == 0 && !c.Partial() {
		all()
	} else {
		l.unlessAll(in, all, func(l *lanes) {
			l.mask(1, in.Mask)
			c.Emit(amd64.VPMOVM2D, amd64.Args{D: t[0], Y: amd64.K(1)})
			for i := range uint8(4) {
				var spread [plan.MaxWidth]int32
				for j := range spread {
					spread[j] = int32(j/4) + 4*int32(i)
				}
				c.Emit(amd64.VMOVUPS, amd64.Args{D: t[1], Y: ctx(c.vector(spread))})
				c.Emit(amd64.VPERMD, amd64.Args{D: t[1], X: t[1], Y: vec(t[0])})
				c.Emit(amd64.VPMOVD2M, amd64.Args{D: 2, Y: vec(t[1])})
				c.Emit(amd64.VMOVUPSStore, amd64.Args{X: rows + i, Y: at.Plus(64 * int32(i)), K: 2})
			}
		})
	}
	l.free = append(l.free, t[:]...)
}
