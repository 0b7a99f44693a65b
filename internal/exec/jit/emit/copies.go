package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Copies of a known number of bytes, such as assignments of structures: those that clear a thread
// variable or copy one to another are, with AVX-512, loops over its words, for all lanes of a
// vector at once. Those between memory that lanes share copy for one lane after the other.

// copy compiles a copy.
func (l *lanes) copy(in *lir.Inst) {
	if plan.CopiesShared(in) {
		l.copyShared(in)
		return
	}
	const v = uint8(valueScratch)
	c := l.c
	to, _ := c.ThreadPlace(in.A, in.Imm)
	c.threadWord(amd64.RDX, to.Word)
	copies := in.Op.IR() == ir.OpCopy
	if copies {
		from, _ := c.ThreadPlace(in.B, in.Imm)
		c.threadWord(amd64.RCX, from.Word)
	}
	k := amd64.Mask(0)
	if in.Mask != 0 || c.Partial() {
		k = 1
		l.mask(1, in.Mask)
	}
	c.Emit(amd64.VPXORD, amd64.Args{D: v, X: v, Y: vec(v)})
	c.MovImm64(amd64.RAX, in.Imm/4)
	again := c.NewLabel()
	c.Bind(again)
	at := c.Column(0, 4, l.j)
	if copies {
		c.Emit(amd64.VMOVUPS, amd64.Args{D: v, Y: amd64.At(amd64.RCX, at), K: k})
		c.scalar(amd64.ADD64, amd64.RCX, ctx(c.threadMemory()+ThreadStride))
	}
	c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: amd64.At(amd64.RDX, at), K: k})
	c.scalar(amd64.ADD64, amd64.RDX, ctx(c.threadMemory()+ThreadStride))
	c.scalarImm(amd64.SUB64Imm, amd64.RAX, 1)
	c.Jcc(amd64.NE, again)
}

// threadWord sets a register to the address of a word of the strip's lanes.
func (c *compiler) threadWord(d amd64.Reg, word int64) {
	m := c.threadMemory()
	c.MovImm64(d, word)
	c.scalar(amd64.IMUL64, d, ctx(m+ThreadStride))
	c.scalar(amd64.ADD64, d, ctx(m+ThreadAt))
}

// copied is what a copy between memory that lanes share accesses, as if it were a load and a store
// of a word.
type copied struct{ from, to lir.Inst }

// partsOf returns what a copy accesses.
func (c *compiler) partsOf(in *lir.Inst) *copied {
	x, ok := c.copyParts[in]
	if !ok {
		x = &copied{lir.Inst{Op: lir.Op(ir.OpLoad), Kind: ir.I32, Per: lir.Lane, Space: in.FromSpace, A: in.B, Mask: in.Mask},
			lir.Inst{Op: lir.Op(ir.OpStore), Kind: ir.I32, Per: lir.Lane, Space: in.Space, A: in.A, Mask: in.Mask}}
		if c.copyParts == nil {
			c.copyParts = map[*lir.Inst]*copied{}
		}
		c.copyParts[in] = x
	}
	return x
}

// copyEnd is where the context has one end of a copy: the lanes' offsets, and the address of the
// object and its length.
type copyEnd struct{ offsets, object, length int32 }

// copyPlaces are in the context.
type copyPlaces struct {
	from, to   copyEnd
	bytes      int32 // of a lane
	lane, mask int32 // kept registers
}

func (c *compiler) copyEnd() copyEnd {
	return copyEnd{c.Alloc(8*c.Width, 64), c.Alloc(8, 8), c.Alloc(8, 8)}
}

// copyShared compiles a copy between memory that lanes share.
func (l *lanes) copyShared(in *lir.Inst) {
	c := l.c
	if c.copying == nil {
		c.copying = &copyPlaces{c.copyEnd(), c.copyEnd(), c.Alloc(plan.MaxCopied, 8), c.Alloc(8, 8), c.Alloc(8, 8)}
	}
	parts := c.partsOf(in)
	for _, x := range []struct {
		in *lir.Inst
		at *copyEnd
	}{{&parts.from, &c.copying.from}, {&parts.to, &c.copying.to}} {
		a := &access{in: x.in, obj: c.accessed[x.in], gather: true}
		l.laneAddresses(a)
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: placeScratch, Y: ctx(x.at.offsets)})
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: valueScratch, Y: ctx(c.Column(x.at.offsets, 4, 1))})
		c.store64(ctx(x.at.object), amd64.RCX)
		c.load64(amd64.RAX, ctx(a.obj+ObjLength))
		c.store64(ctx(x.at.length), amd64.RAX)
	}
	c.callLeaf(routine{"copy", [7]int64{int64(in.Imm)}}, l.pc, func() { c.emitCopy(in.Imm) })
}

// emitCopy emits a subroutine that copies a number of bytes for each lane of K1, in ascending
// order.
func (c *compiler) emitCopy(n int64) {
	from, to := &c.copying.from, &c.copying.to
	offset := func(e *copyEnd) amd64.Operand { return amd64.Index(ctxReg, amd64.RDX, 8, e.offsets) }
	var slow []func()
	c.Emit(amd64.KMOVWToReg, amd64.Args{D: uint8(laneMask), Y: amd64.K(1)})
	c.compare(amd64.TEST32, laneMask, amd64.G(laneMask))
	c.eachBit(func() {
		each, done := c.NewLabel(), c.NewLabel()
		for _, x := range []struct {
			d amd64.Reg
			e *copyEnd
		}{{amd64.RAX, from}, {amd64.RCX, to}} {
			c.load64(x.d, offset(x.e))
			c.addConstant(x.d, n)
			c.compare(amd64.CMP64, x.d, ctx(x.e.length))
			c.Jcc(amd64.A, each)
			c.scalar(amd64.ADD64, x.d, ctx(x.e.object))
		}
		// All is read before it is written.
		var stores []func()
		at, reg := int32(-n), uint8(indexScratch)
		for _, part := range []struct {
			bytes       int32
			bits        int
			load, store amd64.Op
		}{{64, 512, amd64.VMOVUPS, amd64.VMOVUPSStore}, {32, 256, amd64.VMOVUPS, amd64.VMOVUPSStore},
			{16, 128, amd64.VMOVUPS, amd64.VMOVUPSStore}, {8, 128, amd64.VMOVQ, amd64.VMOVQStore},
			{4, 128, amd64.VMOVD, amd64.VMOVDStore}} {
			if part.bits > 32*c.Width {
				continue
			}
			for -at >= part.bytes {
				here, x := at, reg
				c.EmitBits(part.bits, part.load, amd64.Args{D: x, Y: amd64.At(amd64.RAX, here)})
				stores = append(stores, func() {
					c.EmitBits(part.bits, part.store, amd64.Args{X: x, Y: amd64.At(amd64.RCX, here)})
				})
				at, reg = at+part.bytes, reg+1
			}
		}
		for _, store := range stores {
			store()
		}
		c.Bind(done)
		slow = append(slow, func() {
			c.Bind(each)
			c.copyBytes(n)
			c.Jmp(done)
		})
	})
	end := c.NewLabel()
	c.Jmp(end)
	for _, f := range slow {
		f()
	}
	c.Bind(end)
}

// copyBytes copies a number of bytes for the lane in RDX, one after the other. Those that are not
// inside of an object are 0, and not written.
func (c *compiler) copyBytes(n int64) {
	const counter = laneMask
	x := c.copying
	c.store64(ctx(x.lane), amd64.RDX)
	c.store64(ctx(x.mask), laneMask)
	for _, e := range []*copyEnd{&x.from, &x.to} {
		again, over := c.NewLabel(), c.NewLabel()
		c.load64(amd64.RAX, ctx(x.lane))
		c.load64(amd64.RDX, amd64.Index(ctxReg, amd64.RAX, 8, e.offsets))
		c.MovImm64(counter, 0)
		c.Bind(again)
		here := amd64.Index(ctxReg, counter, 1, x.bytes)
		if e == &x.from {
			c.MovImm64(amd64.RAX, 0)
		} else {
			c.scalar(amd64.MOVZX8To32, amd64.RAX, here)
		}
		c.scalar(amd64.MOV64, amd64.RCX, amd64.G(amd64.RDX))
		c.scalar(amd64.AND64, amd64.RCX, ctx(c.word(offsetMask)))
		c.compare(amd64.CMP64, amd64.RCX, ctx(e.length))
		c.Jcc(amd64.AE, over)
		c.scalar(amd64.ADD64, amd64.RCX, ctx(e.object))
		if e == &x.from {
			c.scalar(amd64.MOVZX8To32, amd64.RAX, amd64.At(amd64.RCX, 0))
		} else {
			c.Emit(amd64.MOV8Store, amd64.Args{X: uint8(amd64.RAX), Y: amd64.At(amd64.RCX, 0)})
		}
		c.Bind(over)
		if e == &x.from {
			c.Emit(amd64.MOV8Store, amd64.Args{X: uint8(amd64.RAX), Y: here})
		}
		c.scalarImm(amd64.ADD64Imm, amd64.RDX, 1)
		c.scalarImm(amd64.ADD64Imm, counter, 1)
		c.Emit(amd64.CMP64Imm, amd64.Args{Y: amd64.G(counter), Imm: n})
		c.Jcc(amd64.B, again)
	}
	c.load64(amd64.RDX, ctx(x.lane))
	c.load64(laneMask, ctx(x.mask))
}
