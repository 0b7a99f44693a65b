package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Groups with AVX2: a vector's lanes have four vectors of 32-bit elements, or two of 16-bit ones.
// As there are few registers, loaded elements wait in the context until they are due, if they find
// none.

// loadGroupNarrow loads a group's elements.
func (l *lanes) loadGroupNarrow(g *group, need int) {
	c := l.c
	const spareLocals = 3 // for the operations between the loads
	var r [4]uint8
	if len(l.free) >= need+spareLocals {
		for i := range r {
			r[i] = l.take()
		}
		l.elements(g, func(i int, element func(d uint8)) { element(r[i]) })
		l.allot(g, r)
		return
	}
	slots := c.groupSlots[g.first]
	if slots == 0 {
		if c.groupSlots == nil {
			c.groupSlots = map[int]int32{}
		}
		slots = c.Alloc(int(c.Column(0, 4, len(g.members))), 32)
		c.groupSlots[g.first] = slots
	}
	if l.waiting == nil {
		l.waiting = map[int]int32{}
	}
	l.elements(g, func(i int, element func(d uint8)) {
		at := c.Column(slots, 4, i)
		element(valueNarrow)
		c.Plain(amd64.VMOVUPSStore, amd64.Args{X: valueNarrow, Y: ctx(at)})
		l.waiting[g.members[i]] = at
	})
}

// setWaiting makes a place in the context the value of a variable.
func (l *lanes) setWaiting(in *lir.Inst, at int32) {
	c, from := l.c, source{reg: -1, memory: ctx(at)}
	if _, lives := c.HomeOf(in.D); !lives && len(c.Defs[in.D]) == 1 && !plan.Narrow(in.Kind) {
		l.folded.set(in.D, from)
		return
	}
	d := l.def(in.D)
	c.loadSource(d, from, 0)
	l.done(in.D, d)
}

// elements loads the memory of a group for a vector. For each member, set gets what brings its
// element into a register: one of the segment, or valueNarrow.
func (l *lanes) elements(g *group, set func(i int, element func(d uint8))) {
	const s0, s1, s2, s3 = indexNarrow, startNarrow, placeNarrow, valueNarrow
	c := l.c
	at := c.at(g.base, l.jj)
	load := func(d uint8, disp int32) { c.Plain(amd64.VMOVUPS, amd64.Args{D: d, Y: at.Plus(disp)}) }
	op := func(op amd64.Op, d, x uint8, y amd64.Operand, imm int64) {
		c.Plain(op, amd64.Args{D: d, X: x, Y: y, Imm: imm})
	}
	members := func(element func(d uint8, i int)) {
		for i, pc := range g.members {
			if pc >= 0 {
				set(i, func(d uint8) { element(d, i) })
			}
		}
	}
	if g.size == 2 {
		load(s0, 0)
		op(amd64.VSHUFPS, s1, s0, at.Plus(32), 0x88) // elements 0 and 1
		op(amd64.VSHUFPS, s2, s0, at.Plus(32), 0xdd)
		c.Plain(amd64.VPERMQImm, amd64.Args{D: s1, Y: vec(s1), Imm: 0xd8})
		c.Plain(amd64.VPERMQImm, amd64.Args{D: s2, Y: vec(s2), Imm: 0xd8})
		members(func(d uint8, i int) {
			from := []uint8{s1, s2}[i/2]
			if i%2 == 0 {
				c.Emit(amd64.VPANDD, amd64.Args{D: d, X: from, Y: c.constant32(0xffff)})
			} else {
				c.Plain(amd64.VPSRLDImm, amd64.Args{D: d, Y: vec(from), Imm: 16})
			}
		})
		return
	}
	load(s0, 0) // lanes 0 and 1, 2 and 3, to those that are 4 behind
	op(amd64.VPERM2F128, s1, s0, at.Plus(64), 0x31)
	op(amd64.VPERM2F128, s0, s0, at.Plus(64), 0x20)
	load(s2, 32)
	op(amd64.VPERM2F128, s3, s2, at.Plus(96), 0x31)
	op(amd64.VPERM2F128, s2, s2, at.Plus(96), 0x20)
	op(amd64.VUNPCKLPS, amd64.Spare, s0, vec(s1), 0) // elements 0 and 1
	op(amd64.VUNPCKHPS, s0, s0, vec(s1), 0)
	op(amd64.VUNPCKLPS, s1, s2, vec(s3), 0)
	op(amd64.VUNPCKHPS, s2, s2, vec(s3), 0)
	members(func(d uint8, i int) {
		x, y := []uint8{amd64.Spare, s0}[i/2], []uint8{s1, s2}[i/2]
		op(amd64.VSHUFPS, d, x, vec(y), []int64{0x44, 0xee}[i%2])
	})
}

// storeGroupNarrow stores the values of a group's members.
func (l *lanes) storeGroupNarrow(g *group, in *lir.Inst) {
	const s0, s1, s2, s3 = indexNarrow, startNarrow, placeNarrow, valueNarrow
	c := l.c
	var v [4]uint8
	for i, pc := range g.members {
		v[i] = amd64.Physical(l.reg(c.Program.Code[pc].C, indexScratch+uint8(i)))
	}
	op := func(op amd64.Op, d, x, y uint8, imm int64) {
		c.Plain(op, amd64.Args{D: d, X: x, Y: vec(y), Imm: imm})
	}
	var rows []uint8 // the memory of the lanes
	if g.size == 2 {
		for i, d := range []uint8{s1, s3} { // elements 0 and 1, then 2 and 3
			c.Plain(amd64.VPSLLDImm, amd64.Args{D: d, Y: vec(v[2*i+1]), Imm: 16})
			c.Emit(amd64.VPORD, amd64.Args{D: d, X: d, Y: vec(v[2*i])})
			c.Plain(amd64.VPERMQImm, amd64.Args{D: d, Y: vec(d), Imm: 0xd8})
		}
		op(amd64.VUNPCKLPS, s0, s1, s3, 0)
		op(amd64.VUNPCKHPS, s2, s1, s3, 0)
		rows = []uint8{s0, s2}
	} else {
		op(amd64.VUNPCKLPS, amd64.Spare, v[0], v[1], 0) // elements 0 and 1 of lanes 0 and 1, 4 and 5
		op(amd64.VUNPCKHPS, s1, v[0], v[1], 0)
		op(amd64.VUNPCKLPS, s0, v[2], v[3], 0)
		op(amd64.VUNPCKHPS, s3, v[2], v[3], 0)
		op(amd64.VSHUFPS, s2, amd64.Spare, s0, 0x44) // lanes 0 and 4
		op(amd64.VSHUFPS, amd64.Spare, amd64.Spare, s0, 0xee)
		op(amd64.VSHUFPS, s0, s1, s3, 0x44)
		op(amd64.VSHUFPS, s1, s1, s3, 0xee)
		op(amd64.VPERM2F128, s3, s2, amd64.Spare, 0x20)
		op(amd64.VPERM2F128, s2, s2, amd64.Spare, 0x31)
		op(amd64.VPERM2F128, amd64.Spare, s0, s1, 0x20)
		op(amd64.VPERM2F128, s1, s0, s1, 0x31)
		rows = []uint8{s3, amd64.Spare, s2, s1}
	}
	at := c.at(g.base, l.jj)
	store := func(first amd64.Operand) {
		for i, x := range rows {
			c.Plain(amd64.VMOVUPSStore, amd64.Args{X: x, Y: first.Plus(32 * int32(i))})
		}
	}
	if in.Mask == 0 && !c.Partial() {
		store(at)
		return
	}
	disp := int32(c.displacement(g.base, l.jj))
	l.unlessAll(in, func() { store(at) }, func(l *lanes) {
		if c.groupRows == 0 {
			c.groupRows = c.Alloc(4*4*c.Width, 32)
		}
		store(ctx(c.groupRows))
		c.scalar(amd64.MOVZX8To32, laneMask, l.bitsOf(in.Mask))
		c.compare(amd64.TEST32, laneMask, amd64.G(laneMask))
		c.eachBit(func() {
			if g.size == 2 {
				c.load64(amd64.RCX, amd64.Index(ctxReg, amd64.RDX, 8, c.groupRows))
				c.store64(amd64.Index(g.base.reg, amd64.RDX, 8, disp), amd64.RCX)
				return
			}
			c.scalarImm(amd64.SHL64Imm, amd64.RDX, 4)
			c.Half(amd64.VMOVUPS, amd64.Args{D: s0, Y: amd64.Index(ctxReg, amd64.RDX, 1, c.groupRows)})
			c.Half(amd64.VMOVUPSStore, amd64.Args{X: s0, Y: amd64.Index(g.base.reg, amd64.RDX, 1, disp)})
		})
	})
}
