package emit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// deferredRegs hold masks; those of accesses are not needed any more.
var deferredRegs = [...]amd64.Reg{amd64.RAX, amd64.RCX, amd64.RDX, amd64.RBX, amd64.R8, amd64.R9, amd64.R10, amd64.R11,
	amd64.R12, amd64.R13}

// deferredMasks compiles deferred operations for some bytes of the block's masks.
type deferredMasks struct {
	c     *compiler
	at    int32 // of the block's first
	bytes int32 // 1, 2, 4 or 8
	in    []inDeferredReg
	next  uint8
}

// inDeferredReg says which register, an index of deferredRegs, has a mask or a truth value.
type inDeferredReg struct {
	k   deferredKey
	reg uint8
}

// deferredKey is a mask's place in the frame, or a truth value.
type deferredKey struct {
	place int32
	truth lir.Ref
}

// deferred compiles operations that follow those on lanes.
func (c *compiler) deferred(pcs []int) {
	if len(pcs) == 0 {
		return
	}
	for at, left := int32(0), c.Bits(0, c.Block); left > 0; {
		x := deferredMasks{c: c, at: at, bytes: 8, in: make([]inDeferredReg, 0, 2*len(deferredRegs))}
		for x.bytes > left {
			x.bytes /= 2
		}
		for _, pc := range pcs {
			c.note(pc)
			x.op(&c.Program.Code[pc])
		}
		at, left = at+x.bytes, left-x.bytes
	}
	c.ForgetMasks()
}

// take returns a register that is none of some others.
func (x *deferredMasks) take(but ...uint8) uint8 {
	for {
		x.next = (x.next + 1) % uint8(len(deferredRegs))
		if !slices.Contains(but, x.next) {
			break
		}
	}
	x.in = slices.DeleteFunc(x.in, func(in inDeferredReg) bool { return in.reg == x.next })
	return x.next
}

// load brings bytes from memory into a register.
func (x *deferredMasks) load(k deferredKey, from amd64.Operand, but ...uint8) uint8 {
	if r, ok := x.find(k); ok {
		return r
	}
	r := x.take(but...)
	x.c.scalar(zeroExtended[x.bytes], deferredRegs[r], from)
	x.set(k, r)
	return r
}

// find returns the register that has a mask or a truth value.
func (x *deferredMasks) find(k deferredKey) (reg uint8, ok bool) {
	for _, in := range x.in {
		if in.k == k {
			return in.reg, true
		}
	}
	return 0, false
}

// set says that a register has a mask or a truth value, and no other has it.
func (x *deferredMasks) set(k deferredKey, reg uint8) {
	x.in = slices.DeleteFunc(x.in, func(in inDeferredReg) bool { return in.k == k })
	x.in = append(x.in, inDeferredReg{k, reg})
}

// mask returns the register with a mask.
func (x *deferredMasks) mask(m lir.Ref, but ...uint8) uint8 {
	c := x.c
	switch {
	case m != 0:
		at := c.Program.Var(m).Off
		return x.load(deferredKey{place: at}, amd64.At(frameReg, c.Bits(at, c.j0)+x.at), but...)
	case c.Partial():
		return x.load(deferredKey{place: -1}, ctx(c.Bits(CtxFull, c.j0)+x.at), but...)
	}
	r := x.take(but...)
	c.MovImm64(deferredRegs[r], -1)
	return r
}

// truth returns the register with a truth value.
func (x *deferredMasks) truth(t lir.Ref, but ...uint8) uint8 {
	c, k := x.c, deferredKey{truth: t}
	if c.Class(t) == lir.Lane {
		return x.load(k, ctx(c.Bits(c.truthSlot(t), c.j0)+x.at), but...)
	}
	r, ok := x.find(k)
	if !ok {
		r = x.take(but...)
		c.scalar(amd64.MOVZX8To32, deferredRegs[r], c.place(t))
		c.Emit(amd64.NEG64, amd64.Args{Y: amd64.G(deferredRegs[r])})
		x.set(k, r)
	}
	return r
}

// op compiles an operation.
func (x *deferredMasks) op(in *lir.Inst) {
	c := x.c
	var d uint8
	switch in.Op {
	case lir.OpMaskClear:
		d = x.take()
		c.MovImm64(deferredRegs[d], 0)
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
		c.scalar(amd64.MOV64, deferredRegs[d], amd64.G(deferredRegs[b]))
		if in.Op == lir.OpMaskAndNot || in.Op == lir.OpMaskSub {
			c.Emit(amd64.NOT64, amd64.Args{Y: amd64.G(deferredRegs[d])})
		}
		c.scalar(op, deferredRegs[d], amd64.G(deferredRegs[a]))
	}
	at := c.Program.Var(in.D).Off
	c.Emit(storesOf[x.bytes], amd64.Args{X: uint8(deferredRegs[d]), Y: amd64.At(frameReg, c.Bits(at, c.j0)+x.at)})
	x.set(deferredKey{place: at}, d)
}
