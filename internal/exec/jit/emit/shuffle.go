package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// reader is the values of a simdgroup's lanes, in two registers or, with AVX2, in memory.
type reader struct {
	c      *compiler
	lo, hi uint8
	at     int32
}

// reader makes the values of a variable readable, in registers that are given or in memory.
// Inactive lanes have 0, unless they hold something.
func (c *compiler) reader(r lir.Ref, in *lir.Inst, g int, free []uint8) *reader {
	list := c.vectorsIn(g)
	if c.evex() {
		return &reader{c: c, lo: list[0].active(free[0], r, in, 0), hi: list[1].active(free[1], r, in, 0)}
	}
	x := &reader{c: c, at: c.exchangeAt()}
	for i, l := range list {
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: l.active(free[0], r, in, 0), Y: ctx(c.Column(x.at, 4, i))})
	}
	return x
}

// read sets a register to the values of lanes whose numbers are in another, modulo the lanes of a
// simdgroup. It uses t and u, with AVX2.
func (x *reader) read(d, index, t, u uint8) {
	c := x.c
	if c.evex() {
		c.Emit(amd64.VMOVAPS, amd64.Args{D: d, Y: vec(index)})
		c.Emit(amd64.VPERMI2PS, amd64.Args{D: d, X: x.lo, Y: vec(x.hi)})
		return
	}
	choose := func(to, other uint8, bit int64) { // by a bit of the index, which becomes the sign
		c.Plain(amd64.VPSLLDImm, amd64.Args{D: amd64.Spare, Y: vec(index), Imm: 31 - bit})
		c.Plain(amd64.VBLENDVPS, amd64.Args{D: to, X: to, Y: vec(other), Imm: amd64.Spare})
	}
	d, index, t, u = amd64.Physical(d), amd64.Physical(index), amd64.Physical(t), amd64.Physical(u)
	for i, to := range []uint8{d, u} {
		c.Plain(amd64.VPERMPS, amd64.Args{D: to, X: index, Y: ctx(c.Column(x.at, 4, 2*i))})
		c.Plain(amd64.VPERMPS, amd64.Args{D: t, X: index, Y: ctx(c.Column(x.at, 4, 2*i+1))})
		choose(to, t, 3)
	}
	choose(d, u, 4)
}

// readLanes sets a register to the values of the lanes with the given numbers, one for each lane of
// a vector; there is 0 for a number that no lane of a simdgroup has. It uses t.
func (x *reader) readLanes(d uint8, from []uint32, t uint8) {
	c := x.c
	var index, within [plan.MaxWidth]int32
	zeros := false
	for i, n := range from {
		index[i] = int32(n % lir.SimdWidth)
		if n < lir.SimdWidth {
			within[i] = -1
		} else {
			zeros = true
		}
	}
	if c.evex() {
		c.Emit(amd64.VMOVUPS, amd64.Args{D: d, Y: ctx(c.vector(index))})
		c.Emit(amd64.VPERMI2PS, amd64.Args{D: d, X: x.lo, Y: vec(x.hi)})
	} else {
		x.gatherLanes(d, index, t)
	}
	if zeros {
		c.Emit(amd64.VPANDD, amd64.Args{D: d, X: d, Y: ctx(c.vector(within))})
	}
}

// gatherLanes reads lanes with AVX2, from those of the vectors in memory that have some.
func (x *reader) gatherLanes(d uint8, index [plan.MaxWidth]int32, t uint8) {
	c := x.c
	width := int32(c.Width)
	d, t = amd64.Physical(d), amd64.Physical(t)
	var inside [plan.MaxWidth]int32 // of a vector
	inOrder := true
	for i := range width {
		inside[i] = index[i] % width
		inOrder = inOrder && inside[i] == i
	}
	to := d
	for j := range width / 2 { // vectors
		var here [plan.MaxWidth]int32
		any := false
		for i := range width {
			if index[i]/width == j {
				here[i], any = -1, true
			}
		}
		if !any {
			continue
		}
		from := ctx(c.Column(x.at, 4, int(j)))
		if inOrder {
			c.Plain(amd64.VMOVUPS, amd64.Args{D: to, Y: from})
		} else {
			c.Plain(amd64.VMOVUPS, amd64.Args{D: amd64.Spare, Y: ctx(c.vector(inside))})
			c.Plain(amd64.VPERMPS, amd64.Args{D: to, X: amd64.Spare, Y: from})
		}
		if to == t {
			c.Plain(amd64.VMOVUPS, amd64.Args{D: amd64.Spare, Y: ctx(c.vector(here))})
			c.Plain(amd64.VBLENDVPS, amd64.Args{D: d, X: d, Y: vec(t), Imm: amd64.Spare})
		}
		to = t
	}
}

// shuffle moves values between the lanes of a simdgroup.
func (c *compiler) shuffle(in *lir.Inst, g int) {
	free := c.freeRegs()
	x := c.reader(in.A, in, g, free)
	results := free[:4]
	if c.evex() {
		results = free[2:4]
	}
	op := in.Op.IR()
	for i, l := range c.vectorsIn(g) {
		d := results[0]
		if c.evex() {
			d = results[i] // both before the first is set: a source may have its place
		}
		if n := c.Program.Var(in.B); n.Const {
			from := make([]uint32, c.Width)
			for k := range from {
				from[k] = op.ReadLane(uint32(i*c.Width+k), uint32(n.Bits), lir.SimdWidth)
			}
			x.readLanes(d, from, placeScratch)
		} else {
			l.laneNumbers(op, in.B, i*c.Width, lir.SimdWidth)
			x.read(d, indexScratch, placeScratch, valueScratch)
			l.onlyExisting(op, d, lir.SimdWidth)
		}
		if !c.evex() {
			l.set(in.D, d)
		}
	}
	if c.evex() {
		for i, l := range c.vectorsIn(g) {
			l.set(in.D, results[i])
		}
	}
}

// laneNumbers sets indexScratch to the numbers of the lanes that a shuffle by a variable reads,
// among width lanes. first is the number of the vector's first lane. It uses startScratch and K1.
func (l *lanes) laneNumbers(op ir.Op, by lir.Ref, first, width int) {
	c := l.c
	const d, s = uint8(indexScratch), uint8(startScratch)
	var own, above [plan.MaxWidth]int32
	for i := range own {
		own[i] = int32((first + i) % width)
		above[i] = int32(width) - own[i]
	}
	n := l.reg(by, s)
	lane := ctx(c.vector(own))
	add := func(op amd64.Op) {
		c.Emit(amd64.VMOVUPS, amd64.Args{D: d, Y: lane})
		c.Emit(op, amd64.Args{D: d, X: d, Y: vec(n)})
	}
	within := func(imm int64, limit amd64.Operand) { // else the lane reads itself
		c.Emit(amd64.VPCMPUD, amd64.Args{D: 1, X: n, Y: limit, Imm: imm})
		c.Emit(amd64.VMOVUPS, amd64.Args{D: s, Y: lane})
		c.Emit(amd64.VBLENDMPS, amd64.Args{D: d, X: s, Y: vec(d), K: 1})
	}
	switch op {
	case ir.OpSimdBroadcast, ir.OpSimdShuffle:
		c.Emit(amd64.VMOVAPS, amd64.Args{D: d, Y: vec(n)})
	case ir.OpSimdShuffleXor:
		c.Emit(amd64.VPXORD, amd64.Args{D: d, X: n, Y: lane})
	case ir.OpSimdShuffleUp:
		add(amd64.VPSUBD)
		within(2, lane)
	case ir.OpSimdShuffleDown:
		add(amd64.VPADDD)
		within(1, ctx(c.vector(above)))
	case ir.OpSimdRotateUp:
		add(amd64.VPSUBD)
	case ir.OpSimdRotateDown:
		add(amd64.VPADDD)
	}
}

// onlyExisting clears a register in lanes that, by the numbers in indexScratch, read none of the
// simdgroup or quad. Only some shuffles have such lanes.
func (l *lanes) onlyExisting(op ir.Op, d uint8, width int) {
	if op != ir.OpSimdBroadcast && op != ir.OpSimdShuffle && op != ir.OpSimdShuffleXor {
		return
	}
	c := l.c
	var limit [plan.MaxWidth]int32
	for i := range limit {
		limit[i] = int32(width)
	}
	c.Emit(amd64.VPCMPUD, amd64.Args{D: 1, X: indexScratch, Y: ctx(c.vector(limit)), Imm: 1})
	c.Emit(amd64.VMOVAPS, amd64.Args{D: d, Y: vec(d), K: 1, Zero: true})
}

// shiftAndFill shifts within segments, by a constant; vacated lanes are filled from the second
// operand.
func (c *compiler) shiftAndFill(in *lir.Inst, g int) {
	free := c.freeRegs()
	up := in.Op.IR() == ir.OpSimdFillUp
	size := uint32(c.Program.Var(in.More[0]).Bits)
	if size == 0 || size > lir.SimdWidth || size&(size-1) != 0 {
		size = lir.SimdWidth
	}
	by := uint32(c.Program.Var(in.C).Bits) % size
	const none = uint32(lir.SimdWidth)
	var from [2][lir.SimdWidth]uint32 // of the values, and of those that fill
	for i := range uint32(lir.SimdWidth) {
		at := i % size
		to := i - at + (at+by)%size
		fills := at+by >= size
		if up {
			to = i - at + (at+size-by)%size
			fills = at < by
		}
		from[0][i], from[1][i] = to, none
		if fills {
			from[0][i], from[1][i] = none, to
		}
	}
	list := c.vectorsIn(g)
	// The values wait in memory, since the result may have the place of an operand.
	results := c.Alloc(4*lir.SimdWidth, 64)
	for n, r := range []lir.Ref{in.A, in.B} {
		x := c.reader(r, in, g, free)
		d := free[2]
		for i := range list {
			x.readLanes(d, from[n][i*c.Width:(i+1)*c.Width], placeScratch)
			at := ctx(c.Column(results, 4, i))
			if n > 0 {
				c.Emit(amd64.VPORD, amd64.Args{D: d, X: d, Y: at})
			}
			c.Emit(amd64.VMOVUPSStore, amd64.Args{X: d, Y: at})
		}
	}
	for i, l := range list {
		c.Emit(amd64.VMOVUPS, amd64.Args{D: free[0], Y: ctx(c.Column(results, 4, i))})
		l.set(in.D, free[0])
	}
}
