package emit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// lanes compiles a segment's operations on one vector of lanes.
type lanes struct {
	c     *compiler
	j, jj int // the vector in the strip, and in the block
	cold  bool
	pc    int
	free  []uint8
	fixed *table[uint8] // values that are the same for all vectors; nil for none
	freeK []uint8
	masks [4]uint8 // behind freeK
	*values
	*laneOps
	pending map[int]uint8 // registers of values that are not due yet, of a group's loads or of a pair
	waiting map[int]int32 // places in the context of others
}

// laneOps is what the vectors of a segment have in common.
type laneOps struct {
	inSegment bool // findReaders has found what reads its variables
	stores    []int
	access    accesses
	sums      map[lir.Ref]int32 // see sums
	pairs     map[int]plan.Pair
	extremes  map[int]plan.Extreme

	deferred []int     // operations on masks that follow those of all vectors
	kept     []lir.Ref // truth values that they need

	guarded bool // vectors without a lane in the segment's guard are skipped
}

// noOps is that of a vector outside of the operations on lanes of a segment.
var noOps laneOps

// accesses are the memory operations of a segment.
type accesses struct {
	from int // the segment's first instruction
	list []*access
}

// at returns that of an instruction, or nil.
func (a accesses) at(pc int) *access {
	if len(a.list) == 0 {
		return nil
	}
	return a.list[pc-a.from]
}

// addressed yields those whose address is in a register.
func (a accesses) addressed(yield func(*access) bool) {
	for _, x := range a.list {
		if x != nil && !x.gather && !yield(x) {
			return
		}
	}
}

// values is where a vector's values are that live within a segment.
type values struct {
	regs    *table[uint8]
	evicted *table[int32]  // those that have lost their registers
	folded  *table[source] // those that are still in memory
	truths  *table[uint8]  // mask registers
}

func newValues(p *lir.Program) *values {
	v := &values{&table[uint8]{}, &table[int32]{}, &table[source]{}, &table[uint8]{}}
	v.reset(p)
	return v
}

// reset empties the tables, for the variables of a program.
func (v *values) reset(p *lir.Program) {
	v.regs.reset(p)
	v.evicted.reset(p)
	v.folded.reset(p)
	v.truths.reset(p)
}

func (v *values) clear() {
	v.regs.clear()
	v.evicted.clear()
	v.folded.clear()
	v.truths.clear()
}

// findReaders finds the instructions among a segment's operations on lanes that read each variable.
// Those of a group of stores read theirs when the last of them is due.
func (c *compiler) findReaders(s *plan.Segment, groups []*group) {
	c.readers.clear()
	for _, pc := range s.Lanes {
		for _, r := range c.Reads(pc) {
			list := c.readers.entries[r].value // that of another segment has room
			if !c.readers.has(r) {
				list = list[:0]
			}
			c.readers.set(r, append(list, pc))
		}
	}
	for _, g := range groups {
		if !plan.WritesMemory(&c.Program.Code[g.last]) {
			continue
		}
		for _, pc := range g.members {
			v := c.Program.Code[pc].C
			if list := c.readers.at(v); list[len(list)-1] < g.last {
				c.readers.set(v, append(list, g.last))
			}
		}
	}
	c.findLastReads(s)
}

// findLastReads finds the variables that nothing in the segment reads after each of its operations
// on lanes.
func (c *compiler) findLastReads(s *plan.Segment) {
	last := func(r lir.Ref) int {
		if list := c.readers.at(r); len(list) > 0 {
			return list[len(list)-1]
		}
		return 0
	}
	c.unread, c.unreadEnds = c.unread[:0], c.unreadEnds[:0]
	for _, pc := range s.Lanes {
		for _, r := range c.Reads(pc) {
			if last(r) == pc {
				c.unread = append(c.unread, r)
			}
		}
		in := &c.Program.Code[pc]
		if in.D != 0 && last(in.D) < pc { // nothing reads it here
			c.unread = append(c.unread, in.D)
		}
		c.unreadEnds = append(c.unreadEnds, len(c.unread))
	}
}

// last returns the last instruction of the segment that reads a variable, or 0.
func (l *lanes) last(r lir.Ref) int {
	if !l.inSegment {
		return 0
	}
	if list := l.c.readers.at(r); len(list) > 0 {
		return list[len(list)-1]
	}
	return 0
}

// lanes compiles the operations on lanes of a segment.
func (c *compiler) lanes(s *plan.Segment) {
	g := s.Assumed
	if g == nil || c.forced.Cold {
		c.lanesIf(s, nil)
		return
	}
	other, done := c.NewLabel(), c.NewLabel()
	c.checkAssumed(g, other)
	c.lanesIf(s, g)
	c.Bind(done)
	c.addPart(other, c.Block*len(s.Lanes), func() {
		c.lanesIf(s, nil)
		c.Jmp(done)
	})
}

// vectorCode compiles a segment's operations on lanes for one vector after another.
type vectorCode struct {
	c      *compiler
	s      *plan.Segment
	groups []*group
	empty  []lir.Ref // masks that are empty in vectors that are skipped
	ops    laneOps
	now    lanes     // the current vector
	regs   [32]uint8 // behind its free registers
}

// lanesIf compiles the operations on lanes of a segment, under assumptions if there are some.
func (c *compiler) lanesIf(s *plan.Segment, g *plan.Assumed) {
	if len(s.Lanes) == 0 {
		return
	}
	c.assumed = g
	defer func() { c.assumed = nil }()
	v := &vectorCode{c: c, s: s}
	cold, done := c.NewLabel(), c.NewLabel()
	registers := v.findAccesses()
	v.guard()
	v.ops.inSegment, v.ops.sums = true, c.sums(s)
	for a := range v.ops.access.addressed {
		c.check(a, cold, v.ops.guarded)
	}
	v.findKept()
	v.ops.pairs, v.ops.deferred, v.ops.extremes = s.Pairs, s.Deferred, s.Extremes
	c.ops += c.Block * len(s.Lanes)
	c.fixed.clear()
	free := c.appendFreeRegs(v.regs[:0])
	for jj := range c.Block {
		l, next := v.at(jj, false, free, c.fixed), c.NewLabel()
		if v.ops.guarded {
			l.skip(s.Guard, v.empty, next)
			if registers > 0 {
				v.checkVector(jj, next)
			}
		}
		l.all(s)
		c.Bind(next)
		free = l.free
	}
	c.Bind(done)
	c.deferred(s.Deferred)
	if registers > 0 {
		c.addPart(cold, c.Block*len(s.Lanes), func() { v.emitCold(done) })
	}
}

// at returns what compiles a vector. It is valid until the next call.
func (v *vectorCode) at(jj int, cold bool, free []uint8, fixed *table[uint8]) *lanes {
	c := v.c
	c.within.clear()
	v.now = lanes{c: c, j: c.j0 + jj, jj: jj, cold: cold, laneOps: &v.ops, free: free, fixed: fixed, values: c.within,
		masks: [4]uint8{7, 6, 5, 4}}
	v.now.freeK = v.now.masks[:]
	return &v.now
}

// findAccesses finds the memory operations, and prepares the objects that they access. It returns
// how many have registers.
func (v *vectorCode) findAccesses() (registers int) {
	c, s, ops := v.c, v.s, &v.ops
	ops.access.from = s.From
	var room []access // for those to come
	for _, pc := range s.Lanes {
		in := &c.Program.Code[pc]
		if plan.WritesTexture(in) || plan.CopiesShared(in) {
			ops.stores = append(ops.stores, pc)
		}
		if !plan.AccessesMemory(in) {
			continue
		}
		if ops.access.list == nil {
			ops.access.list = make([]*access, s.To-s.From)
		}
		if len(room) == 0 {
			room = make([]access, min(len(s.Lanes), plan.MaxAccesses))
		}
		c.access(&room[0], in)
		ops.access.list[pc-s.From], room = &room[0], room[1:]
		if plan.WritesMemory(in) {
			ops.stores = append(ops.stores, pc)
		}
	}
	v.groups = c.findGroups(s, ops.access)
	c.findReaders(s, v.groups)
	for a := range ops.access.addressed {
		if registers == len(accessRegs) {
			plan.Fail("more than %d addresses in a segment", len(accessRegs))
		}
		a.reg = accessRegs[registers]
		registers++
	}
	var asked []int32
	for _, a := range ops.access.list {
		if a != nil && !slices.Contains(asked, a.obj) {
			asked = append(asked, a.obj)
			c.resolve(a.in)
		}
	}
	return registers
}

// guard decides whether vectors without a lane in the segment's guard are skipped.
func (v *vectorCode) guard() {
	v.ops.guarded = v.s.Guard != 0 && v.c.Block > 2
	for _, a := range v.ops.access.list {
		if a == nil {
			continue
		}
		for _, step := range a.index.steps { // addresses move on from vector to vector
			v.ops.guarded = v.ops.guarded && (a.gather || step.Constant)
		}
	}
}

// findKept finds what deferred operations read, and the masks that others write.
func (v *vectorCode) findKept() {
	c, ops := v.c, &v.ops
	for _, pc := range v.s.Deferred {
		for _, r := range c.Reads(pc) {
			if c.Class(r) == lir.Lane {
				ops.kept = append(ops.kept, r)
			}
		}
	}
	for _, m := range v.s.Empty {
		writes := func(pc int) bool { return c.Program.Code[pc].D == m && !slices.Contains(v.s.Deferred, pc) }
		if slices.ContainsFunc(v.s.Lanes, writes) {
			v.empty = append(v.empty, m)
		}
	}
}

// checkVector makes a vector whose accesses are not all inside of their objects run apart, with
// checks of each lane, and go on at a label.
func (v *vectorCode) checkVector(jj int, next amd64.Label) {
	c, cold := v.c, v.c.NewLabel()
	for a := range v.ops.access.addressed {
		c.checkVector(a, jj, cold)
	}
	c.addPart(cold, len(v.s.Lanes), func() {
		c.findReaders(v.s, v.groups)
		v.at(jj, true, c.appendFreeRegs(v.regs[:0]), nil).all(v.s)
		c.Jmp(next)
	})
}

// emitCold emits the operations with checks of each lane.
func (v *vectorCode) emitCold(done amd64.Label) {
	c := v.c
	c.findReaders(v.s, v.groups)
	for jj := range c.Block {
		l, next := v.at(jj, true, c.appendFreeRegs(v.regs[:0]), nil), c.NewLabel()
		if v.ops.guarded {
			l.skip(v.s.Guard, v.empty, next)
		}
		l.all(v.s)
		c.Bind(next)
	}
	c.Jmp(done)
}

// skip jumps to next if no lane of the vector is in a segment's guard, and makes masks empty then.
func (l *lanes) skip(guard lir.Ref, empty []lir.Ref, next amd64.Label) {
	c := l.c
	load, store := c.bitOps()
	c.scalar(load, amd64.RAX, l.maskBits(guard))
	c.compare(amd64.TEST32, amd64.RAX, amd64.G(amd64.RAX))
	if len(empty) == 0 {
		c.Jcc(amd64.E, next)
		return
	}
	some := c.NewLabel()
	c.Jcc(amd64.NE, some)
	for _, m := range empty { // with what RAX is
		c.Emit(store, amd64.Args{X: uint8(amd64.RAX), Y: l.maskBits(m)})
	}
	c.Jmp(next)
	c.Bind(some)
}

// freeRegs returns the registers of values within segments.
func (c *compiler) freeRegs() []uint8 { return c.appendFreeRegs(make([]uint8, 0, c.Locals)) }

func (c *compiler) appendFreeRegs(free []uint8) []uint8 {
	for r := c.FirstScratch - 1; r >= c.FirstScratch-c.Locals; r-- {
		free = append(free, uint8(r))
	}
	return free
}

// all compiles the operations.
func (l *lanes) all(s *plan.Segment) {
	l.c.simdgroup = l.c.SimdgroupOf(l.j)
	begin := 0
	for i, pc := range s.Lanes {
		l.pc = pc
		l.c.note(pc)
		in := &l.c.Program.Code[pc]
		if in.D != 0 {
			l.folded.remove(in.D)
		}
		switch x := l.extremes[pc]; {
		case x == plan.Lesser, x == plan.Greater:
			l.choose(in, x)
		case x == plan.Absorbed, slices.Contains(l.deferred, pc):
		default:
			kind := &l.c.Kinds[pc]
			if *kind == 0 {
				*kind = l.c.KindOf(in)
			}
			l.opOf(*kind, in)
		}
		for k := range uint8(scratchMasks) {
			l.c.DropMask(k + 1)
		}
		end := l.c.unreadEnds[i]
		for _, r := range l.c.unread[begin:end] {
			l.release(r)
		}
		begin = end
	}
	for r := range l.regs.all {
		l.release(r)
	}
}
