package emit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Object is an object that a range accesses.
type Object struct {
	Pointer lir.Ref // a Once or Affine variable with an address in it
	Space   ir.Space
	Written bool // it is stored to; loads from the same have an Object of their own
	// Dynamic: the range itself computes the address, or loads it from memory. The code asks for
	// the object when it gets to an access, unless it is the one that it had there before.
	Dynamic bool
	At      int32
}

// An object in the context, in bytes from its begin. A bound is the number of offsets at which an
// element is inside.
const (
	ObjAddress = 0
	ObjLength  = 8  // and the bound of elements of 1 byte
	ObjBound4  = 16 // of 4 bytes
	ObjBound2  = 24
	ObjBound8  = 32
	ObjShort   = 40 // the length, or 0 if it is more than maxObject
	ObjHandle  = 48 // of a dynamic object
	objBytes   = 56
)

// maxObject is the most bytes of an object for which the offsets of all lanes are checked at once.
// So an offset that is inside comes from an index that has not wrapped. In a larger object, each
// lane checks its own.
const maxObject = 1 << 30

// handleShift is where the object is in an address.
const handleShift = 40

// objectState is where the objects of a range's instructions are.
type objectState struct {
	accessed  map[*lir.Inst]int32 // where the context has the object of a memory operation
	copyParts map[*lir.Inst]*copied
	copying   *copyPlaces // nil before the first copy
}

// findObjects gives each object that the range accesses a place in the context.
func (c *compiler) findObjects() {
	for pc := c.From; pc < c.To; pc++ {
		switch in := &c.Program.Code[pc]; {
		case plan.CopiesShared(in):
			parts := c.partsOf(in)
			c.findObject(&parts.from, pc)
			c.findObject(&parts.to, pc)
		case plan.AccessesMemory(in):
			c.findObject(in, pc)
		}
	}
}

// findObject gives the object of an access a place in the context.
func (c *compiler) findObject(in *lir.Inst, pc int) {
	o := Object{Space: in.Space, Written: plan.WritesMemory(in) && in.Op.IR() != ir.OpAtomicLoad}
	root, ok := c.ObjectOf([2]int{c.From, c.To}, in.A, pc)
	if o.Pointer = root; !ok {
		o.Pointer, o.Dynamic = in.A, true
	}
	i := slices.IndexFunc(c.r.Objects, func(have Object) bool {
		o.At = have.At
		return o == have
	})
	if i < 0 {
		o.At = c.Alloc(objBytes, 8)
		c.r.Objects = append(c.r.Objects, o)
	}
	c.accessed[in] = o.At
}

// resolve makes sure that the context has the object of an access, if it is dynamic. It uses RAX
// and RDX.
func (c *compiler) resolve(in *lir.Inst) {
	at := c.accessed[in]
	n := slices.IndexFunc(c.r.Objects, func(o Object) bool { return o.At == at })
	if !c.r.Objects[n].Dynamic {
		return
	}
	again, ask := c.NewLabel(), c.NewLabel()
	c.Bind(again)
	c.load64(amd64.RAX, c.place(in.A))
	c.Emit(amd64.SHR64Imm, amd64.Args{Y: amd64.G(amd64.RAX), Imm: handleShift})
	c.compare(amd64.CMP64, amd64.RAX, ctx(at+ObjHandle))
	c.Jcc(amd64.NE, ask)
	c.cold = append(c.cold, func() {
		c.Bind(ask)
		c.store64(ctx(CtxHandle), amd64.RAX)
		c.MovImm64(amd64.RAX, int64(n)+1)
		c.store64(ctx(CtxObject), amd64.RAX)
		c.MovImm64(amd64.RDX, Suspended)
		c.LeaLabel(amd64.RAX, again)
		c.Jmp(c.suspend)
	})
}

// ObjectLimits returns the numbers of an object of n bytes from ObjLength to ObjShort.
func ObjectLimits(n int) (length, bound4, bound2, bound8, short uint64) {
	if n <= maxObject {
		short = uint64(n)
	}
	return uint64(n), uint64(max(n-3, 0)), uint64(max(n-1, 0)), uint64(max(n-7, 0)), short
}
