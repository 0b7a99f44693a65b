package emit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Operations on masks that nothing in their segment needs are late: they follow its operations on
// lanes, for all lanes of the block at once. In general registers they take an instruction for 64
// lanes, where mask registers need a load and a store for each vector.

// findLate returns the late operations of a segment.
func (c *compiler) findLate(s *plan.Segment) (late []int) {
	if !slices.ContainsFunc(s.Lanes, func(pc int) bool { return c.Program.Code[pc].Op.OnMasks() }) {
		return nil
	}
	var read, written []int32 // places of masks, by operations that are not late
	var truths []lir.Ref      // that they write
	isMask := func(r lir.Ref) bool { return r != 0 && c.Class(r) == lir.Mask }
	place := func(r lir.Ref) int32 { return c.Program.Var(r).Off }
	for _, pc := range slices.Backward(s.Lanes) {
		in := &c.Program.Code[pc]
		ok := isMask(in.D) && in.Op.OnMasks() && !slices.Contains(read, place(in.D)) &&
			!slices.Contains(written, place(in.D))
		for _, r := range c.Reads(pc) {
			switch {
			case isMask(r):
				ok = ok && !slices.Contains(written, place(r))
			case c.Class(r) != lir.Once:
				ok = ok && c.Class(r) == lir.Lane && !slices.Contains(truths, r)
			}
		}
		if ok {
			late = append(late, pc)
			continue
		}
		for _, r := range c.Reads(pc) {
			if isMask(r) {
				read = append(read, place(r))
			}
		}
		for _, r := range c.Writes(pc) {
			if isMask(r) {
				written = append(written, place(r))
			} else {
				truths = append(truths, r)
			}
		}
	}
	slices.Reverse(late)
	return late
}

// lateRegs hold masks; those of accesses are not needed any more.
var lateRegs = [...]amd64.Reg{amd64.RAX, amd64.RCX, amd64.RDX, amd64.RBX, amd64.R8, amd64.R9, amd64.R10, amd64.R11,
	amd64.R12, amd64.R13}

// lateMasks compiles late operations for some bytes of the block's masks.
type lateMasks struct {
	c     *compiler
	at    int32 // of the block's first
	bytes int32 // 1, 2, 4 or 8
	in    []inLateReg
	next  uint8
}

// inLateReg says which register, an index of lateRegs, has a mask or a truth value.
type inLateReg struct {
	k   lateKey
	reg uint8
}

// lateKey is a mask's place in the frame, or a truth value.
type lateKey struct {
	place int32
	truth lir.Ref
}

// late compiles late operations.
func (c *compiler) late(pcs []int) {
	if len(pcs) == 0 {
		return
	}
	for at, left := int32(0), c.Bits(0, c.Block); left > 0; {
		x := lateMasks{c: c, at: at, bytes: 8, in: make([]inLateReg, 0, 2*len(lateRegs))}
		for x.bytes > left {
			x.bytes /= 2
		}
		for _, pc := range pcs {
			c.note(pc)
			x.op(&c.Program.Code[pc])
		}
		at, left = at+x.bytes, left-x.bytes
	}
	c.forgetMasks()
}

// take returns a register that is none of some others.
func (x *lateMasks) take(but ...uint8) uint8 {
	for {
		x.next = (x.next + 1) % uint8(len(lateRegs))
		if !slices.Contains(but, x.next) {
			break
		}
	}
	x.in = slices.DeleteFunc(x.in, func(in inLateReg) bool { return in.reg == x.next })
	return x.next
}

// load brings bytes from memory into a register.
func (x *lateMasks) load(k lateKey, from amd64.Operand, but ...uint8) uint8 {
	if r, ok := x.find(k); ok {
		return r
	}
	r := x.take(but...)
	x.c.scalar(zeroExtended[x.bytes], lateRegs[r], from)
	x.set(k, r)
	return r
}

// find returns the register that has a mask or a truth value.
func (x *lateMasks) find(k lateKey) (reg uint8, ok bool) {
	for _, in := range x.in {
		if in.k == k {
			return in.reg, true
		}
	}
	return 0, false
}

// set says that a register has a mask or a truth value, and no other has it.
func (x *lateMasks) set(k lateKey, reg uint8) {
	x.in = slices.DeleteFunc(x.in, func(in inLateReg) bool { return in.k == k })
	x.in = append(x.in, inLateReg{k, reg})
}

// mask returns the register with a mask.
func (x *lateMasks) mask(m lir.Ref, but ...uint8) uint8 {
	c := x.c
	switch {
	case m != 0:
		at := c.Program.Var(m).Off
		return x.load(lateKey{place: at}, amd64.At(frameReg, c.Bits(at, c.j0)+x.at), but...)
	case c.Partial():
		return x.load(lateKey{place: -1}, ctx(c.Bits(CtxFull, c.j0)+x.at), but...)
	}
	r := x.take(but...)
	c.MovImm64(lateRegs[r], -1)
	return r
}

// truth returns the register with a truth value.
func (x *lateMasks) truth(t lir.Ref, but ...uint8) uint8 {
	c, k := x.c, lateKey{truth: t}
	if c.Class(t) == lir.Lane {
		return x.load(k, ctx(c.Bits(c.truthSlot(t), c.j0)+x.at), but...)
	}
	r, ok := x.find(k)
	if !ok {
		r = x.take(but...)
		c.scalar(amd64.MOVZX8To32, lateRegs[r], c.place(t))
		c.Emit(amd64.NEG64, amd64.Args{Y: amd64.G(lateRegs[r])})
		x.set(k, r)
	}
	return r
}

// op compiles an operation.
func (x *lateMasks) op(in *lir.Inst) {
	c := x.c
	var d uint8
	switch in.Op {
	case lir.OpMaskClear:
		d = x.take()
		c.MovImm64(lateRegs[d], 0)
	case lir.OpMaskCopy:
		d = x.mask(in.A)
	default:
		a := x.mask(in.A)
		var b uint8
		op := amd64.AND64
		switch in.Op {
		case lir.OpMaskAnd, lir.OpMaskAndNot:
			b = x.truth(in.B, a)
		case lir.OpMaskOr:
			b, op = x.mask(in.B, a), amd64.OR64
		case lir.OpMaskSub:
			b = x.mask(in.B, a)
		default:
			plan.Fail("%v", in.Op)
		}
		d = x.take(a, b)
		c.scalar(amd64.MOV64, lateRegs[d], amd64.G(lateRegs[b]))
		if in.Op == lir.OpMaskAndNot || in.Op == lir.OpMaskSub {
			c.Emit(amd64.NOT64, amd64.Args{Y: amd64.G(lateRegs[d])})
		}
		c.scalar(op, lateRegs[d], amd64.G(lateRegs[a]))
	}
	at := c.Program.Var(in.D).Off
	c.Emit(storesOf[x.bytes], amd64.Args{X: uint8(lateRegs[d]), Y: amd64.At(frameReg, c.Bits(at, c.j0)+x.at)})
	x.set(lateKey{place: at}, d)
}
