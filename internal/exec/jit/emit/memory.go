package emit

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// offsetMask is the part of an address that is an offset in an object.
const offsetMask = 1<<40 - 1

// affineOf returns the index of a memory operation or an OpOffset, 0 if it has none.
func (c *compiler) affineOf(in *lir.Inst) affine {
	if in.B == 0 {
		return affine{constantNumber(0), [3]number{constantNumber(0), constantNumber(0), constantNumber(0)}}
	}
	return c.affine(in.B)
}

// offset computes A + Disp + Scale*ext(index) of lane 0 of the threadgroup, without wrapping at
// 2^40. It uses RAX.
func (c *compiler) offset(d amd64.Reg, in *lir.Inst, index affine) {
	if !index.base.Is(0) {
		switch in.Ext {
		case lir.ZExt:
			c.load32(amd64.RAX, index.base.at)
		case lir.SExt:
			c.scalar(amd64.MOVSX32To64, amd64.RAX, index.base.at)
		default:
			c.load64(amd64.RAX, index.base.at)
		}
		c.scale(amd64.RAX, in.Scale)
	}
	switch {
	case d != amd64.RAX:
		c.load64(d, c.pointer(in.A))
		c.scalar(amd64.AND64, d, ctx(c.word(offsetMask)))
		if !index.base.Is(0) {
			c.scalar(amd64.ADD64, d, amd64.G(amd64.RAX))
		}
	default:
		c.load64(amd64.RCX, c.pointer(in.A))
		c.scalar(amd64.AND64, amd64.RCX, ctx(c.word(offsetMask)))
		if index.base.Is(0) {
			c.scalar(amd64.MOV64, d, amd64.G(amd64.RCX))
		} else {
			c.scalar(amd64.ADD64, d, amd64.G(amd64.RCX))
		}
	}
	c.addConstant(d, in.Disp)
}

// offsetIn sets a register to the offset in its object that offset computes.
func (c *compiler) offsetIn(d amd64.Reg, in *lir.Inst) {
	c.offset(d, in, c.affineOf(in))
	c.scalar(amd64.AND64, d, ctx(c.word(offsetMask)))
}

// pointer returns where an address is: that of lane 0 of the threadgroup if it is affine.
func (c *compiler) pointer(r lir.Ref) amd64.Operand {
	if c.Class(r) == lir.Affine {
		return c.affine(r).base.at
	}
	return c.place(r)
}

// scale multiplies a register by a constant.
func (c *compiler) scale(d amd64.Reg, by int64) {
	switch {
	case by == 1:
	case by > 0 && by&(by-1) == 0:
		c.scalarImm(amd64.SHL64Imm, d, int64(bits.TrailingZeros64(uint64(by))))
	default:
		c.scalar(amd64.IMUL64, d, ctx(c.word(uint64(by))))
	}
}

// addConstant adds a constant to a register.
func (c *compiler) addConstant(d amd64.Reg, x int64) {
	switch {
	case x == 0:
	case x == int64(int32(x)):
		c.scalarImm(amd64.ADD64Imm, d, x)
	default:
		c.scalar(amd64.ADD64, d, ctx(c.word(uint64(x))))
	}
}

// access is a memory operation of each lane.
type access struct {
	in     *lir.Inst
	index  affine
	obj    int32
	steps  [3]number // in bytes if they are constant; otherwise those of the index
	gather bool      // each lane has an address of its own
	same   bool      // all lanes of a vector have the same
	reg    amd64.Reg
	end    int32    // where the address behind the object is, if each vector is checked
	slots  [3]int32 // where the steps along x, y and z in bytes are, if they are not constant
	fixed  bool     // the address is the same for all vectors of a block

	group     *group     // that it is a member of, or nil
	groupable bool       // but for its step, the lanes' addresses are in a row
	disp      int64      // of the first element, if it is not that of the instruction
	bytes     int        // of each lane
	apart     []neighbor // other objects, which must not overlap this one
}

// lane returns the position of a lane of the strip relative to its first.
func (c *compiler) lane(l int) (d [3]int64) {
	s := c.Program.Shape
	l = min(l, s[0]*s[1]*s[2]-1)
	if l < s[0] { // without divisions, which take long
		return [3]int64{int64(l), 0, 0}
	}
	return [3]int64{int64(l % s[0]), int64(l / s[0] % s[1]), int64(l / s[0] / s[1])}
}

// inRow reports whether the lanes of vector j differ only in their x coordinates, and all exist.
func (c *compiler) inRow(j int) bool {
	first, last := c.lane(j*c.Width), c.lane((j+1)*c.Width-1)
	return last == [3]int64{first[0] + int64(c.Width) - 1, first[1], first[2]}
}

// last returns the largest coordinates in the block's vectors, lanes that do not exist included:
// vectors are read as a whole.
func (c *compiler) last() (most [3]int64) {
	for j := c.j0; j < c.j0+c.Block; j++ {
		at := c.lane(j * c.Width)
		at[0] += int64(c.Width) - 1
		for i := range most {
			most[i] = max(most[i], at[i])
		}
	}
	return most
}

// moves reports whether the lane that places are relative to is not the threadgroup's first.
func (c *compiler) moves() bool { return c.Program.Strips > 1 || c.Loop }

// access decides how an operation accesses memory.
func (c *compiler) access(a *access, in *lir.Inst) {
	*a = access{in: in, obj: c.accessed[in], disp: in.Disp, bytes: in.Kind.Size()}
	if a.gather = plan.OwnAddresses(c.Program, in); a.gather {
		if in.B != 0 && c.Class(in.B) == lir.Affine {
			a.index = c.affine(in.B)
		}
		return
	}
	a.index = c.affineOf(in)
	if c.assumed != nil && !a.index.steps[0].Constant {
		if step, ok := c.assumed.Steps[in.B]; ok {
			a.index.steps[0] = constantNumber(step)
		}
	}
	address, _ := c.Strides.Of(in.A)
	for axis, s := range a.index.steps {
		if s.Constant {
			s.Value *= in.Scale
		}
		if c.Class(in.A) == lir.Affine { // its steps are constant
			if by := address[axis]; s.Constant {
				s.Value += by.Value
			} else if by.Value != 0 {
				a.gather = true
			}
		}
		a.steps[axis] = s
	}
	step := int64(-1)
	if x := a.steps[0]; x.Constant {
		step = x.Value
	}
	store := in.Op.IR() == ir.OpStore
	row := step == int64(in.Kind.Size()) || step == 0 && !store
	a.gather = a.gather || !c.Straight() || in.B != 0 && in.Scale <= 0
	for i, s := range a.index.steps {
		a.gather = a.gather || s.Constant && s.Value < 0 || a.steps[i].Constant && (a.steps[i].Value < 0 ||
			a.steps[i].Value > 1<<20)
	}
	a.groupable = !a.gather
	a.gather = a.gather || !row
	a.same = step == 0
	a.fixed = true
	for axis, s := range a.steps {
		for l := c.j0 * c.Width; l < (c.j0+c.Block)*c.Width; l += c.Width {
			if !s.Is(0) && c.lane(l)[axis] != c.lane(c.j0 * c.Width)[axis] {
				a.fixed = false
			}
		}
	}
}

// check makes the register of an access the address of the block's first vector, and jumps to cold
// if not all lanes of the block are inside of the object or their indices wrap.
//
// Steps are not negative, and objects have at most 2^30 bytes. So if the lanes with the smallest
// and the largest offset are inside of the object, no index wraps.
//
// If each is true, it does not check the far end: checkVector does so for each vector.
func (c *compiler) check(a *access, cold amd64.Label, each bool) {
	if c.forced.Cold {
		c.Jmp(cold)
	}
	for _, other := range a.apart {
		c.checkApart(a, other, cold)
	}
	r, in := a.reg, *a.in
	in.Disp = a.disp
	c.offset(r, &in, a.index)
	first, last := c.lane(c.j0*c.Width), c.last()
	var far, near int64 // of constant steps
	for axis, s := range a.steps {
		most := last[axis]
		if s.Constant {
			far += s.Value * most
			near += s.Value * first[axis]
			if c.moves() && s.Value != 0 {
				c.load64(amd64.RAX, ctx(CtxFirst+8*int32(axis)))
				c.scale(amd64.RAX, s.Value)
				c.scalar(amd64.ADD64, r, amd64.G(amd64.RAX))
			}
			continue
		}
		c.load64(amd64.RAX, s.at)
		c.compare(amd64.TEST64, amd64.RAX, amd64.G(amd64.RAX))
		c.Jcc(amd64.S, cold)
		c.compare(amd64.CMP64, amd64.RAX, ctx(c.word(1<<31)))
		c.Jcc(amd64.A, cold)
		c.scale(amd64.RAX, in.Scale)
		a.slots[axis] = c.Alloc(8, 8)
		c.store64(ctx(a.slots[axis]), amd64.RAX)
		if c.moves() {
			c.scalar(amd64.MOV64, amd64.RCX, amd64.G(amd64.RAX))
			c.scalar(amd64.IMUL64, amd64.RCX, ctx(CtxFirst+8*int32(axis)))
			c.scalar(amd64.ADD64, r, amd64.G(amd64.RCX))
		}
	}
	if !each {
		c.scalar(amd64.MOV64, amd64.RDX, amd64.G(r))
		c.addConstant(amd64.RDX, far+int64(a.bytes))
		for axis, s := range a.steps {
			if !s.Constant {
				c.addTimes(amd64.RDX, a.slots[axis], last[axis])
				c.addTimes(r, a.slots[axis], first[axis])
			}
		}
		c.compare(amd64.CMP64, amd64.RDX, ctx(a.obj+ObjShort))
		c.Jcc(amd64.A, cold)
	}
	c.compare(amd64.TEST64, r, amd64.G(r))
	c.Jcc(amd64.S, cold)
	c.addConstant(r, near)
	c.scalar(amd64.ADD64, r, ctx(a.obj))
	if each {
		a.end = c.Alloc(8, 8)
		c.load64(amd64.RAX, ctx(a.obj))
		c.scalar(amd64.ADD64, amd64.RAX, ctx(a.obj+ObjShort))
		c.store64(ctx(a.end), amd64.RAX)
	}
}

// checkApart jumps to cold if another object overlaps that of an access, and accesses to both
// cannot change places.
func (c *compiler) checkApart(a *access, other neighbor, cold amd64.Label) {
	over := c.NewLabel()
	if x := other.meets; x != nil {
		c.load64(amd64.RAX, c.place(a.in.A))
		c.scalar(amd64.AND64, amd64.RAX, ctx(c.word(offsetMask)))
		c.scalar(amd64.ADD64, amd64.RAX, ctx(a.obj+ObjAddress))
		c.load64(amd64.RCX, c.place(x.A))
		c.scalar(amd64.AND64, amd64.RCX, ctx(c.word(offsetMask)))
		c.scalar(amd64.ADD64, amd64.RCX, ctx(other.obj+ObjAddress))
		c.compare(amd64.CMP64, amd64.RAX, amd64.G(amd64.RCX))
		c.Jcc(amd64.E, over)
	}
	c.load64(amd64.RAX, ctx(a.obj+ObjAddress))
	c.scalar(amd64.ADD64, amd64.RAX, ctx(a.obj+ObjLength))
	c.compare(amd64.CMP64, amd64.RAX, ctx(other.obj+ObjAddress))
	c.Jcc(amd64.BE, over)
	c.load64(amd64.RAX, ctx(other.obj+ObjAddress))
	c.scalar(amd64.ADD64, amd64.RAX, ctx(other.obj+ObjLength))
	c.compare(amd64.CMP64, amd64.RAX, ctx(a.obj+ObjAddress))
	c.Jcc(amd64.A, cold)
	c.Bind(over)
}

// checkVector jumps to cold if the access of vector jj exceeds the object.
func (c *compiler) checkVector(a *access, jj int, cold amd64.Label) {
	last := int64(a.bytes)
	if s := a.steps[0]; !a.same {
		last += s.Value * int64(c.Width-1)
	}
	at := c.displacement(a, jj)
	c.Emit(amd64.LEA64, amd64.Args{D: uint8(amd64.RAX), Y: amd64.At(a.reg, int32(at+last))})
	c.compare(amd64.CMP64, amd64.RAX, ctx(a.end))
	c.Jcc(amd64.A, cold)
}

// addTimes adds a number in the context, times a constant, to a register. It uses RAX.
func (c *compiler) addTimes(d amd64.Reg, slot int32, by int64) {
	switch by {
	case 0:
	case 1:
		c.scalar(amd64.ADD64, d, ctx(slot))
	case -1:
		c.scalar(amd64.SUB64, d, ctx(slot))
	default:
		c.MovImm64(amd64.RAX, by)
		c.scalar(amd64.IMUL64, amd64.RAX, ctx(slot))
		c.scalar(amd64.ADD64, d, amd64.G(amd64.RAX))
	}
}

// at returns the memory of an access for vector jj of a block. It is called for each in order.
func (c *compiler) at(a *access, jj int) amd64.Operand {
	for axis, s := range a.steps {
		if !s.Constant {
			here, before := c.lane((c.j0+jj)*c.Width), c.lane((c.j0+max(jj-1, 0))*c.Width)
			c.addTimes(a.reg, a.slots[axis], here[axis]-before[axis])
		}
	}
	return amd64.At(a.reg, int32(c.displacement(a, jj)))
}

// displacement returns how far the access of vector jj is from that of the block's first, as far as
// that is known in advance.
func (c *compiler) displacement(a *access, jj int) (disp int64) {
	if jj == 0 {
		return 0
	}
	first, here := c.lane(c.j0*c.Width), c.lane((c.j0+jj)*c.Width)
	for axis, s := range a.steps {
		if s.Constant {
			disp += s.Value * (here[axis] - first[axis])
		}
	}
	if disp > 1<<30 {
		plan.Fail("an access %d bytes away", disp)
	}
	return disp
}

// sums computes what affine variables of 32 bits are for the first lane of the strip, for all
// vectors of a block to which a segment moves them. It returns where the context has them. It uses
// RAX and RCX.
func (c *compiler) sums(s *plan.Segment) (at map[lir.Ref]int32) {
	if !c.moves() || c.Block == 1 {
		return nil
	}
	for _, pc := range s.Lanes {
		in := &c.Program.Code[pc]
		if in.Op != lir.OpMov || c.Class(in.A) != lir.Affine || plan.Wide(c.Program.Var(in.A).Kind) {
			continue
		}
		if _, ok := at[in.A]; ok {
			continue
		}
		if at == nil {
			at = map[lir.Ref]int32{}
		}
		at[in.A] = c.Alloc(8, 8)
		c.sum(c.affine(in.A))
		c.store64(ctx(at[in.A]), amd64.RAX)
	}
	return at
}

// sum sets RAX to what an affine variable of 32 bits is for the first lane of the strip. It uses
// RCX.
func (c *compiler) sum(x affine) {
	c.load32(amd64.RAX, x.base.at)
	for axis, s := range x.steps {
		if s.Is(0) {
			continue
		}
		c.loadNumber(amd64.RCX, s)
		c.scalar(amd64.IMUL64, amd64.RCX, ctx(CtxFirst+8*int32(axis)))
		c.scalar(amd64.ADD64, amd64.RAX, amd64.G(amd64.RCX))
	}
}

// materialize sets a vector register to an affine variable of 32 bits for the lanes of vector j.
func (c *compiler) materialize(d uint8, x affine, j int) {
	if c.moves() {
		c.sum(x)
		c.Emit(amd64.VPBROADCASTDReg, amd64.Args{D: d, Y: amd64.G(amd64.RAX)})
	} else {
		c.Emit(amd64.VBROADCASTSS, amd64.Args{D: d, Y: x.base.at})
	}
	c.addSteps(d, x, j)
}

// addSteps adds what an affine variable of 32 bits is for the lanes of vector j to what it is for
// the first of the strip.
func (c *compiler) addSteps(d uint8, x affine, j int) {
	var constant [plan.MaxWidth]int32
	any := false
	first, inRow := c.lane(j*c.Width), c.inRow(j)
	for l := range c.Width {
		at := first
		if at[0] += int64(l); !inRow {
			at = c.lane(j*c.Width + l)
		}
		for axis := range x.steps {
			if s := &x.steps[axis]; s.Constant {
				constant[l] += int32(s.Value * at[axis])
			}
		}
		any = any || constant[l] != 0
	}
	if any {
		c.Emit(amd64.VPADDD, amd64.Args{D: d, X: d, Y: ctx(c.vector(constant))})
	}
	for axis, s := range x.steps {
		if s.Constant {
			continue
		}
		var at [plan.MaxWidth]int32
		for l := range c.Width {
			at[l] = int32(c.lane(j*c.Width + l)[axis])
		}
		const scratch = 30
		c.load64(amd64.RAX, s.at)
		c.Emit(amd64.VPBROADCASTDReg, amd64.Args{D: scratch, Y: amd64.G(amd64.RAX)})
		c.Emit(amd64.VPMULLD, amd64.Args{D: scratch, X: scratch, Y: ctx(c.vector(at))})
		c.Emit(amd64.VPADDD, amd64.Args{D: d, X: d, Y: amd64.V(scratch)})
	}
}

// Scratch registers of gather and scatter.
const (
	indexScratch = 28
	startScratch = 29
	placeScratch = 30
	valueScratch = 31
)

// offsets computes the 64-bit offsets of half of the lanes into placeScratch, and the mask of those
// inside of the object, of the lanes of K1, into K2. h is the half.
func (l *lanes) offsets(a *access, i laneIndex, h int) {
	c := l.c
	p := uint8(placeScratch)
	l.halfOffsets(p, a, i, h)
	if h == 1 {
		c.Emit(amd64.KSHIFTRW, amd64.Args{D: 1, Y: amd64.K(1), Imm: 8})
	}
	c.Emit(amd64.VPCMPUQ, amd64.Args{D: 2, X: p, Y: c.bound(a).Broadcast(), K: 1, Imm: 1}) // less than
}

// halfOffsets computes the 64-bit offsets of half h of the lanes into d.
func (l *lanes) halfOffsets(d uint8, a *access, i laneIndex, h int) {
	c := l.c
	if i.none {
		c.Emit(amd64.VMOVAPS, amd64.Args{D: d, Y: amd64.V(startScratch)})
	} else {
		l.index(d, a.in, i, h)
		c.Emit(amd64.VPADDQ, amd64.Args{D: d, X: d, Y: amd64.V(startScratch)})
	}
	switch c.Class(a.in.A) {
	case lir.Affine:
		l.addLanes(d, a.in.A, 1, h)
	case lir.Lane:
		c.Emit(amd64.VPADDQ, amd64.Args{D: d, X: d, Y: l.half(a.in.A, h)})
	}
	if c.HasIndex(a.in) {
		l.addLanes(d, a.in.B, a.in.Scale, h)
	}
	c.Emit(amd64.VPANDQ, amd64.Args{D: d, X: d, Y: c.constant64(offsetMask)})
}

// index sets a register to the indices of half of the lanes, extended to 64 bits and scaled.
func (l *lanes) index(d uint8, in *lir.Inst, i laneIndex, h int) {
	c := l.c
	if i.wide {
		c.Emit(amd64.VMOVDQU64, amd64.Args{D: d, Y: l.half(in.B, h)})
	} else {
		extend := amd64.VPMOVZXDQ
		if in.Ext == lir.SExt {
			extend = amd64.VPMOVSXDQ
		}
		from := i.reg
		if h == 1 {
			c.Emit(amd64.VEXTRACTI64X4, amd64.Args{D: d, Y: amd64.V(amd64.Vec(from)), Imm: 1})
			from = d
		}
		c.Emit(extend, amd64.Args{D: d, Y: amd64.V(amd64.Vec(from))})
	}
	switch s := in.Scale; {
	case s == 1:
	case s > 0 && s&(s-1) == 0:
		c.Emit(amd64.VPSLLQImm, amd64.Args{D: d, Y: amd64.V(amd64.Vec(d)), Imm: int64(bits.TrailingZeros64(uint64(s)))})
	default:
		c.Emit(amd64.VPMULLQ, amd64.Args{D: d, X: d, Y: c.constant64(uint64(s))})
	}
}

// bound returns where the number of offsets is at which an element is inside of the object.
func (c *compiler) bound(a *access) amd64.Operand {
	switch a.in.Kind.Size() {
	case 1:
		return ctx(a.obj + ObjLength)
	case 2:
		return ctx(a.obj + ObjBound2)
	case 8:
		return ctx(a.obj + ObjBound8)
	}
	return ctx(a.obj + ObjBound4)
}

// addLanes adds to the 64-bit numbers of half of the lanes what an affine address or index with
// constant steps has in each lane more than in the strip's first, times a number.
func (l *lanes) addLanes(d uint8, r lir.Ref, by int64, h int) {
	c := l.c
	var part [plan.MaxWidth]int32
	steps, _ := c.Strides.Of(r)
	for i := range c.Width / 2 {
		at, sum := c.lane(l.j*c.Width+h*c.Width/2+i), int64(0)
		for axis, s := range steps {
			sum += s.Value * by * at[axis]
		}
		part[2*i], part[2*i+1] = int32(sum), int32(sum>>32)
	}
	c.Emit(amd64.VPADDQ, amd64.Args{D: d, X: d, Y: ctx(c.vector(part))})
}

// start sets startScratch to the offset where the indices of an access count from, and RCX to where
// its object is.
func (l *lanes) start(a *access) {
	l.startOf(a.in)
	l.c.load64(amd64.RCX, ctx(a.obj))
}

// startOf sets startScratch to what all lanes add to their indices and to the addresses that they
// have of their own.
func (l *lanes) startOf(in *lir.Inst) {
	c := l.c
	switch c.Class(in.A) {
	case lir.Lane:
		c.MovImm64(amd64.RAX, 0)
	case lir.Affine:
		c.load64(amd64.RAX, c.pointer(in.A))
		if !c.moves() {
			break
		}
		steps, _ := c.Strides.Of(in.A)
		for axis, s := range steps {
			if s.Value != 0 {
				c.load64(amd64.RCX, ctx(CtxFirst+8*int32(axis)))
				c.scale(amd64.RCX, s.Value)
				c.scalar(amd64.ADD64, amd64.RAX, amd64.G(amd64.RCX))
			}
		}
	default:
		c.load64(amd64.RAX, c.place(in.A))
	}
	if c.HasIndex(in) {
		c.addIndex(in)
	} else if b := in.B; b != 0 && c.Class(b) <= lir.Simd {
		switch in.Ext {
		case lir.ZExt:
			c.load32(amd64.RCX, c.place(b))
		case lir.SExt:
			c.scalar(amd64.MOVSX32To64, amd64.RCX, c.place(b))
		default:
			c.load64(amd64.RCX, c.place(b))
		}
		c.scale(amd64.RCX, in.Scale)
		c.scalar(amd64.ADD64, amd64.RAX, amd64.G(amd64.RCX))
	}
	c.addConstant(amd64.RAX, in.Disp)
	c.Emit(amd64.VPBROADCASTQReg, amd64.Args{D: startScratch, Y: amd64.G(amd64.RAX)})
}

// laneIndex is where the lanes have their indices.
type laneIndex struct {
	none bool  // all have the same, if any
	wide bool  // in the context, with 64 bits
	reg  uint8 // with 32 bits
}

// indexOf returns where the index of each lane is.
func (l *lanes) indexOf(a *access) laneIndex { return l.indicesOf(a.in, a.index) }

func (l *lanes) indicesOf(in *lir.Inst, x affine) laneIndex {
	switch {
	case in.B == 0 || l.c.Class(in.B) <= lir.Simd || l.c.HasIndex(in):
		return laneIndex{none: true}
	case in.Ext == lir.NoExt:
		return laneIndex{wide: true}
	case l.c.Class(in.B) == lir.Lane:
		return laneIndex{reg: l.reg(in.B, indexScratch)}
	}
	l.c.materialize(indexScratch, x, l.j)
	return laneIndex{reg: indexScratch}
}

// gather loads an element for each lane of the mask; out of bounds it is 0.
func (l *lanes) gather(a *access) {
	if l.c.evex() {
		l.gatherLanes(a)
	} else {
		l.gatherNarrow(a)
	}
	l.set(a.in.D, valueScratch)
}

// scatter stores an element for each lane of the mask, in ascending order; out of bounds it does
// nothing.
func (l *lanes) scatter(a *access) {
	if l.c.evex() {
		l.scatterLanes(a)
	} else {
		l.scatterNarrow(a)
	}
}
