package jit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
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
	at      int32
}

// An object in the context, in bytes from its begin. A bound is the number of offsets at which an
// element is inside.
const (
	objAddress = 0
	objLength  = 8  // and the bound of elements of 1 byte
	objBound4  = 16 // of 4 bytes
	objBound2  = 24
	objBound8  = 32
	objShort   = 40 // the length, or 0 if it is more than maxObject
	objHandle  = 48 // of a dynamic object
	objBytes   = 56
)

// objectLimits returns the numbers of an object of n bytes from objLength to objShort.
func objectLimits(n int) (length, bound4, bound2, bound8, short uint64) {
	if n <= maxObject {
		short = uint64(n)
	}
	return uint64(n), uint64(max(n-3, 0)), uint64(max(n-1, 0)), uint64(max(n-7, 0)), short
}

// maxObject is the most bytes of an object for which the offsets of all lanes are checked at once.
// So an offset that is inside comes from an index that has not wrapped. In a larger object, each
// lane checks its own.
const maxObject = 1 << 30

// handleShift is where the object is in an address.
const handleShift = 40

// findObjects gives each object that the range accesses a place in the context.
func (c *compiler) findObjects() {
	for pc := c.from; pc < c.to; pc++ {
		switch in := &c.p.Code[pc]; {
		case copiesShared(in):
			parts := c.partsOf(in)
			c.findObject(&parts.from, pc)
			c.findObject(&parts.to, pc)
		case accessesMemory(in):
			c.findObject(in, pc)
		}
	}
}

// findObject gives the object of an access a place in the context.
func (c *compiler) findObject(in *lir.Inst, pc int) {
	o := Object{Space: in.Space, Written: writesMemory(in) && in.Op.IR() != ir.OpAtomicLoad}
	root, ok := c.objectOf([2]int{c.from, c.to}, in.A, pc)
	if o.Pointer = root; !ok {
		o.Pointer, o.Dynamic = in.A, true
	}
	i := slices.IndexFunc(c.r.Objects, func(have Object) bool {
		o.at = have.at
		return o == have
	})
	if i < 0 {
		o.at = c.alloc(objBytes, 8)
		c.r.Objects = append(c.r.Objects, o)
	}
	c.accessed[in] = o.at
}

// isDynamic reports whether an access whose object is not known in advance can ask for it.
func (f *facts) isDynamic(in *lir.Inst) bool { return f.p.Var(in.A).Class == lir.Once }

// resolve makes sure that the context has the object of an access, if it is dynamic. It uses RAX
// and RDX.
func (c *compiler) resolve(in *lir.Inst) {
	at := c.accessed[in]
	n := slices.IndexFunc(c.r.Objects, func(o Object) bool { return o.at == at })
	if !c.r.Objects[n].Dynamic {
		return
	}
	again, ask := c.NewLabel(), c.NewLabel()
	c.Bind(again)
	c.load64(amd64.RAX, c.place(in.A))
	c.Emit(amd64.SHR64Imm, amd64.Args{Y: amd64.G(amd64.RAX), Imm: handleShift})
	c.compare(amd64.CMP64, amd64.RAX, ctx(at+objHandle))
	c.Jcc(amd64.NE, ask)
	c.cold = append(c.cold, func() {
		c.Bind(ask)
		c.store64(ctx(ctxHandle), amd64.RAX)
		c.MovImm64(amd64.RAX, int64(n)+1)
		c.store64(ctx(ctxObject), amd64.RAX)
		c.MovImm64(amd64.RDX, suspended)
		c.LeaLabel(amd64.RAX, again)
		c.Jmp(c.suspend)
	})
}
