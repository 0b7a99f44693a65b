package emit

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// A lane runs at most so many iterations before the vectors execute one, at whose end fuel counts.
const soloIterations = 512

// To begin with a lane takes as long as several iterations of the vectors. So these execute some
// first, for the loops that end so soon, until the lanes that were left have run enough iterations
// solo on average.
const (
	vectorIterations = 4
	enoughIterations = 6
)

// solo is the code of a loop that lanes run solo. RDX is the lane, from the block's first, where
// their numbers are loaded and stored; steps use RAX and RCX.
type solo struct {
	*lanes
	s      *soloLoop
	rows   map[lir.Ref]soloRow
	copies map[lir.Ref]uint8 // registers with what an iteration found
	taken  uint64            // vector registers
	spare  []amd64.Reg       // general registers that are free
	loads  map[int]soloLoad
	// Numbers that loads have as indices, or that are compared, in general registers too.
	general map[lir.Ref]amd64.Reg
	current map[lir.Ref]bool // that the general register has the number
}

// soloLoad is where the elements of a load are: scale bytes apart, and as many as count says.
type soloLoad struct {
	inMemory bool // where the first is, is in the context, and not in a register
	reg      amd64.Reg
	at       amd64.Operand
	count    amd64.Operand
	scale    int64
	add      int64 // to the index
}

// soloRow is where the lanes' numbers are, 4 bytes each.
type soloRow struct {
	base amd64.Reg
	disp int32
}

// soloLoop is a loop that lanes run solo, with its places in the context.
type soloLoop struct {
	*plan.SoloLoop
	first int32 // the number of iterations that vectors execute before
	left  int32 // and of those that are left
}

// soloLoops gives the loops of a block that lanes run solo their places, by the segments where they
// begin.
func (c *compiler) soloLoops() map[int]*soloLoop {
	list := map[int]*soloLoop{}
	for _, x := range c.Solo {
		loop := &soloLoop{SoloLoop: x, first: c.Alloc(8, 8)} // the code changes it
		list[x.Segment] = loop
		if !c.forced.Solo {
			c.constants = append(c.constants, Constant{loop.first, []uint64{vectorIterations}})
		}
	}
	c.r.Solo = len(list)
	return list
}

// enterSolo compiles what comes before a loop, for the first of its iterations.
func (c *compiler) enterSolo(s *soloLoop) {
	s.left = c.Alloc(8, 8)
	c.load64(amd64.RAX, ctx(s.first))
	c.store64(ctx(s.left), amd64.RAX)
}

// soloLoop compiles what comes before each iteration of a loop that lanes can run solo.
func (c *compiler) soloLoop(s *soloLoop) {
	vectors := c.NewLabel()
	c.Emit(amd64.SUB64Imm, amd64.Args{Y: ctx(s.left), Imm: 1})
	c.Jcc(amd64.NS, vectors)
	x := &solo{s: s, rows: map[lir.Ref]soloRow{}, copies: map[lir.Ref]uint8{}, spare: slices.Clone(accessRegs[:]),
		loads: map[int]soloLoad{}, general: map[lir.Ref]amd64.Reg{}, current: map[lir.Ref]bool{},
		lanes: &lanes{c: c, j: c.j0, laneOps: &noOps, values: newValues(c.Program), freeK: []uint8{7, 6, 5, 4}}}
	x.assign()
	saved := x.save()
	count := x.spare[0]
	x.spare = x.spare[1:]
	for _, pc := range s.Shared {
		c.note(pc)
		c.shared(&c.Program.Code[pc])
	}
	x.addresses()
	x.assignGeneral()
	mask, words := c.copyMask(s.Mask)
	word, bits, lane, gain := c.Alloc(8, 8), c.Alloc(8, 8), c.Alloc(8, 8), c.Alloc(8, 8)
	nextWord, nextLane, iterate, done := c.NewLabel(), c.NewLabel(), c.NewLabel(), c.NewLabel()
	stop, end := c.NewLabel(), c.NewLabel() // of an iteration that is not complete, and of the lane

	c.MovImm64(amd64.RAX, 0)
	c.store64(ctx(word), amd64.RAX)
	c.store64(ctx(gain), amd64.RAX)
	c.Bind(nextWord)
	c.load64(amd64.RAX, ctx(word))
	c.compare(amd64.CMP64, amd64.RAX, ctx(c.word(uint64(words))))
	c.Jcc(amd64.AE, done)
	c.load64(amd64.RCX, amd64.Index(ctxReg, amd64.RAX, 8, mask))
	c.scalarImm(amd64.ADD64Imm, amd64.RAX, 1)
	c.store64(ctx(word), amd64.RAX)
	c.store64(ctx(bits), amd64.RCX)

	c.Bind(nextLane)
	c.load64(amd64.RCX, ctx(bits))
	c.compare(amd64.TEST64, amd64.RCX, amd64.G(amd64.RCX))
	c.Jcc(amd64.E, nextWord)
	c.scalar(amd64.TZCNT64, amd64.RDX, amd64.G(amd64.RCX))
	c.scalar(amd64.BLSR64, amd64.RCX, amd64.G(amd64.RCX))
	c.store64(ctx(bits), amd64.RCX)
	c.load64(amd64.RAX, ctx(word))
	c.scalarImm(amd64.SHL64Imm, amd64.RAX, 6)
	c.scalar(amd64.LEA64, amd64.RDX, amd64.Index(amd64.RDX, amd64.RAX, 1, -64))
	c.store64(ctx(lane), amd64.RDX)
	for _, r := range s.Inputs {
		c.Emit(amd64.VMOVSS, amd64.Args{D: x.regs.at(r), Y: x.element(r)})
	}
	c.Homeless = true
	c.MovImm64(count, soloIterations)
	for _, pc := range s.Before {
		x.step(plan.SoloStep{PC: pc}, end)
	}
	for _, r := range slices.Sorted(maps.Keys(x.general)) {
		if !x.changes(r) {
			x.inGeneral(r, x.general[r])
		}
	}
	c.Bind(iterate)
	for _, r := range s.Kept {
		c.Emit(amd64.VMOVAPS, amd64.Args{D: x.copies[r], Y: vec(x.regs.at(r))})
	}
	for _, step := range s.Steps {
		x.step(step, stop)
	}
	c.Homeless = false
	c.scalarImm(amd64.SUB64Imm, count, 1)
	c.Jcc(amd64.NE, iterate)
	c.Jmp(end)

	c.Bind(stop)
	for _, r := range s.Kept {
		c.Emit(amd64.VMOVAPS, amd64.Args{D: x.regs.at(r), Y: vec(x.copies[r])})
	}
	c.Bind(end)
	c.load64(amd64.RDX, ctx(lane))
	for _, r := range s.Written {
		c.Emit(amd64.VMOVSSStore, amd64.Args{X: x.regs.at(r), Y: x.element(r)})
	}
	c.MovImm64(amd64.RAX, soloIterations)
	c.scalar(amd64.SUB64, amd64.RAX, amd64.G(count))
	c.scalar(amd64.LEA64, amd64.RCX, amd64.At(amd64.RAX, -enoughIterations))
	c.compare(amd64.ADD64Store, amd64.RCX, ctx(gain))
	c.scalar(amd64.IMUL64, amd64.RAX, ctx(c.word(uint64(s.Work))))
	c.compare(amd64.SUB64Store, amd64.RAX, ctx(CtxFuel))
	c.Jmp(nextLane)

	c.Bind(done)
	if !c.forced.Solo {
		little := c.NewLabel()
		c.load64(amd64.RAX, ctx(gain))
		c.MovImm64(amd64.RCX, vectorIterations)
		c.compare(amd64.TEST64, amd64.RAX, amd64.G(amd64.RAX))
		c.Jcc(amd64.LE, little)
		c.MovImm64(amd64.RCX, 0)
		c.Bind(little)
		c.store64(ctx(s.first), amd64.RCX)
	}
	x.restore(saved)
	c.Bind(vectors)
}

// copyMask copies the block's part of a mask to a number of words of 64 bits in the context, at
// whose end there are zeros.
func (c *compiler) copyMask(m lir.Ref) (at int32, words int) {
	left := c.Bits(0, c.Block) // bytes
	words = int(left+7) / 8
	at = c.Alloc(8*words, 8)
	from, to := c.Bits(c.Program.Var(m).Off, c.j0), at
	for _, n := range []int32{8, 4, 2, 1} {
		for ; left >= n; left -= n {
			c.scalar(zeroExtended[n], amd64.RAX, amd64.At(frameReg, from))
			c.Emit(storesOf[n], amd64.Args{X: uint8(amd64.RAX), Y: ctx(to)})
			from, to = from+n, to+n
		}
	}
	return at, words
}

// assign gives registers to the variables that steps read and write.
func (x *solo) assign() {
	register := func(number int) uint8 {
		r := x.c.FirstScratch - 1 - number
		x.taken |= 1 << r
		return uint8(r)
	}
	for r, number := range x.s.Registers {
		x.regs.set(r, register(number))
	}
	for i, r := range x.s.Kept {
		x.copies[r] = register(x.s.Shares + i)
	}
}

// clobbers reports whether steps change registers of a variable.
func (x *solo) clobbers(h *plan.Home) bool {
	return x.taken>>h.Reg&(1<<x.c.Block-1) != 0
}

// save stores the variables whose registers the lanes need, and those that they load. It returns
// those that restore loads again.
func (x *solo) save() (saved []lir.Ref) {
	c := x.c
	row := func(store func(at amd64.Operand, jj int)) soloRow {
		at := c.Alloc(int(c.Column(0, 4, c.Block)), 64)
		for jj := range c.Block {
			store(ctx(c.Column(at, 4, jj)), jj)
		}
		return soloRow{ctxReg, at}
	}
	for r := range c.Live.At(x.s.Head).All {
		h, ok := c.HomeOf(r)
		if !ok || h.Mask || h.Wide || h.Matrix {
			continue
		}
		reads := slices.Contains(x.s.Inputs, r)
		switch {
		case h.Apart:
			x.rows[r] = soloRow{ctxReg, h.Offset}
		case h.Reg < 0:
			x.rows[r] = soloRow{frameReg, c.Column(h.Offset, 4, c.j0)}
		case reads || x.clobbers(h):
			x.rows[r] = row(func(at amd64.Operand, jj int) {
				c.Emit(amd64.VMOVUPSStore, amd64.Args{X: uint8(h.Reg + jj), Y: at})
			})
			if x.clobbers(h) || slices.Contains(x.s.Written, r) {
				saved = append(saved, r)
			}
		}
	}
	for _, r := range x.s.Inputs {
		if c.Class(r) == lir.Affine {
			a := c.affine(r)
			x.rows[r] = row(func(at amd64.Operand, jj int) {
				c.materialize(valueScratch, a, c.j0+jj)
				c.Emit(amd64.VMOVUPSStore, amd64.Args{X: valueScratch, Y: at})
			})
		}
	}
	return saved
}

// restore loads variables into their registers.
func (x *solo) restore(saved []lir.Ref) {
	for _, r := range saved {
		h, _ := x.c.HomeOf(r)
		for jj := range x.c.Block {
			x.c.Emit(amd64.VMOVUPS, amd64.Args{D: uint8(h.Reg + jj), Y: ctx(x.c.Column(x.rows[r].disp, 4, jj))})
		}
	}
}

// element returns where the number of the lane in RDX is.
func (x *solo) element(r lir.Ref) amd64.Operand {
	return amd64.Index(x.rows[r].base, amd64.RDX, 4, x.rows[r].disp)
}

// addresses computes where the elements of loads are. The elements at which an index, 0 at least,
// is inside of the object are those from an address on that are not more than a number.
func (x *solo) addresses() {
	c := x.c
	loads := slices.Clone(x.s.Before)
	for _, step := range x.s.Steps {
		loads = append(loads, step.PC)
	}
	loads = slices.DeleteFunc(loads, func(pc int) bool { return c.Program.Code[pc].Op.IR() != ir.OpLoad })
	slices.Reverse(loads) // those within iterations first
	for _, pc := range loads {
		c.resolve(&c.Program.Code[pc])
	}
	for _, pc := range loads {
		in := c.Program.Code[pc]
		object := c.accessed[&c.Program.Code[pc]]
		l := soloLoad{scale: 1, count: ctx(c.Alloc(8, 8))}
		if s := in.Scale; s == 2 || s == 4 || s == 8 {
			l.scale = s
		}
		if in.B != 0 && c.Class(in.B) != lir.Once && in.Disp%l.scale == 0 {
			in.Disp, l.add = 0, in.Disp/l.scale
		}
		index := affine{base: constantNumber(0)}
		if in.B != 0 && c.Class(in.B) == lir.Once {
			index.base = number{at: c.place(in.B)}
		}
		over := c.NewLabel()
		c.offset(amd64.RAX, &in, index)
		c.MovImm64(amd64.RCX, 0)
		c.load64(amd64.RDX, c.bound(&access{in: &in, obj: object}))
		c.compare(amd64.CMP64, amd64.RAX, amd64.G(amd64.RDX))
		c.Jcc(amd64.AE, over)
		c.scalar(amd64.SUB64, amd64.RDX, amd64.G(amd64.RAX))
		c.scalar(amd64.LEA64, amd64.RCX, amd64.At(amd64.RDX, int32(l.scale-1)))
		c.scalarImm(amd64.SHR64Imm, amd64.RCX, int64(bits.TrailingZeros64(uint64(l.scale))))
		c.Bind(over)
		c.store64(l.count, amd64.RCX)
		c.scalar(amd64.ADD64, amd64.RAX, ctx(object))
		if l.inMemory = len(x.spare) == 0; l.inMemory {
			l.at = ctx(c.Alloc(8, 8))
			c.store64(l.at, amd64.RAX)
		} else {
			l.reg, x.spare = x.spare[0], x.spare[1:]
			c.scalar(amd64.MOV64, l.reg, amd64.G(amd64.RAX))
		}
		x.loads[pc] = l
	}
}

// assignGeneral gives general registers that are left to integers that steps need there.
func (x *solo) assignGeneral() {
	c := x.c
	free := append(x.spare, amd64.RDX)
	give := func(r lir.Ref) {
		if _, ok := x.general[r]; r != 0 && !ok && x.regs.has(r) && len(free) > 0 {
			x.general[r], free = free[0], free[1:]
		}
	}
	for _, step := range x.s.Steps {
		switch in := &c.Program.Code[step.PC]; {
		case in.Op.IR() == ir.OpLoad:
			give(in.B)
		case step.OnlyCompares(in):
			give(in.A)
			give(in.B)
		}
	}
}

// changes reports whether steps write a variable.
func (x *solo) changes(r lir.Ref) bool {
	return slices.ContainsFunc(x.s.Steps, func(s plan.SoloStep) bool { return x.c.Program.Code[s.PC].D == r })
}

// inGeneral returns a general register with an integer: that of the variable, or the one given.
func (x *solo) inGeneral(r lir.Ref, other amd64.Reg) amd64.Reg {
	c := x.c
	d, ok := x.general[r]
	if !ok {
		d = other
	}
	if x.current[r] {
		return d
	}
	if v, lane := x.regs.get(r); lane {
		c.EmitBits(128, amd64.VMOVDToReg, amd64.Args{D: uint8(d), Y: vec(v)})
		x.current[r] = ok
	} else {
		c.load32(d, c.place(r))
	}
	return d
}

// step compiles an instruction. If the lane cannot execute it, or its guard fails, the code jumps
// to stop.
func (x *solo) step(step plan.SoloStep, stop amd64.Label) {
	c, in := x.c, &x.c.Program.Code[step.PC]
	x.pc = step.PC
	c.note(step.PC)
	switch {
	case in.Op.IR() == ir.OpLoad:
		x.load(in, stop)
	case in.Op == lir.OpMerge && c.IsTruth(in.D):
		d := x.defTruth(in.D)
		c.Emit(amd64.KMOVW, amd64.Args{D: d, Y: amd64.K(amd64.Mask(x.truth(in.A, 1)))})
		x.doneTruth(in.D, d)
	case in.Op == lir.OpMerge:
		c.loadSource(x.regs.at(in.D), x.source(in.A), 0)
	case step.OnlyCompares(in):
		x.compareIntegers(in, step.Guard, stop)
		return
	default:
		x.op(in)
	}
	x.current[in.D] = false
	if step.Guard != plan.Unguarded {
		c.scalar(amd64.KMOVWToReg, amd64.RAX, amd64.K(amd64.Mask(x.truth(in.D, 1))))
		c.Emit(amd64.TEST32Imm, amd64.Args{Y: amd64.G(amd64.RAX), Imm: 1})
		x.leaveUnless(amd64.NE, step.Guard, stop)
	}
	for k := range uint8(scratchMasks) {
		c.DropMask(k + 1)
	}
}

// compareIntegers jumps to stop unless a comparison has the result that a guard wants.
func (x *solo) compareIntegers(in *lir.Inst, g plan.Guard, stop amd64.Label) {
	c := x.c
	c.compare(amd64.CMP32, x.inGeneral(in.A, amd64.RAX), amd64.G(x.inGeneral(in.B, amd64.RCX)))
	x.leaveUnless(conditions[in.Op.IR()], g, stop)
}

// leaveUnless jumps to stop unless a truth value, which is true if a condition holds, is what its
// guard wants.
func (x *solo) leaveUnless(holds amd64.Cond, g plan.Guard, stop amd64.Label) {
	if g == plan.MustBeTrue {
		holds = holds.Not()
	}
	x.c.Jcc(holds, stop)
}

// load loads an element, if it is inside of its object.
func (x *solo) load(in *lir.Inst, stop amd64.Label) {
	c, l := x.c, x.loads[x.pc]
	index := amd64.RAX
	if in.B == 0 || c.Class(in.B) == lir.Once {
		c.MovImm64(index, 0)
	} else {
		index = x.inGeneral(in.B, amd64.RAX)
		if in.Ext == lir.SExt {
			c.scalar(amd64.MOVSX32To64, amd64.RAX, amd64.G(index))
			index = amd64.RAX
		}
		if in.Scale != l.scale || l.add != 0 {
			c.scalar(amd64.MOV64, amd64.RAX, amd64.G(index))
			index = amd64.RAX
		}
		if in.Scale != l.scale {
			c.scale(index, in.Scale)
		}
		c.addConstant(index, l.add)
	}
	c.compare(amd64.CMP64, index, l.count)
	c.Jcc(amd64.AE, stop)
	base := l.reg
	if l.inMemory {
		base = amd64.RCX
		c.load64(base, l.at)
	}
	from, d := amd64.Index(base, index, uint8(l.scale), 0), x.regs.at(in.D)
	if in.Kind.Size() == 4 {
		c.Emit(amd64.VMOVSS, amd64.Args{D: d, Y: from})
		return
	}
	c.scalar(zeroExtended[in.Kind.Size()], amd64.RAX, from)
	c.EmitBits(128, amd64.VMOVD, amd64.Args{D: d, Y: amd64.G(amd64.RAX)})
}
