package vm

import (
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// access describes a load, store or atomic operation before it is executed, since that may
// overwrite the variables the address comes from. In a lean group the addresses may be left out.
func (f *frame) access(o *op) *hook.Access {
	a := f.newAccess(0, o, o.in.Space, o.in.Kind, o.size)
	a.Part = int(o.in.Comp) * o.size
	if f.affineRows(a, o) {
		return a
	}
	f.pointers(o, f.counts[o.per])
	f.addresses(a, o.per)
	f.bounds(a, o)
	return a
}

// addresses copies the addresses of the lanes.
func (f *frame) addresses(a *hook.Access, per lir.Class) {
	switch {
	case per == lir.Once:
		fill(a.Addrs[:f.lanes], f.addrs[0])
	case per == lir.Simd:
		for l := range a.Lanes.All {
			a.Addrs[l] = f.addrs[shared(per, l)]
		}
	default:
		copy(a.Addrs[:f.lanes], f.addrs[:f.lanes])
	}
}

// affineRows describes addresses by rows if they are affine and in bounds. It fills them in unless
// the group is lean.
func (f *frame) affineRows(a *hook.Access, o *op) bool {
	var r rows
	if a.Space == ir.Thread || o.per == lir.Simd || !f.rows(o, &r) || !r.inside || r.obj.ReadOnly && changes(o, a) {
		return false
	}
	_, id, ok := f.affineAddress(o)
	if !ok {
		return false
	}
	rows := &f.watched.rows[0]
	*rows = hook.Rows{Object: id, Base: r.h.Base, Step: [3]int64{r.h.SX, r.h.SY, r.h.SZ}}
	a.Rows = rows
	if !f.g.watched.Lean {
		a.From = noValues{}
		a.Fill()
	}
	return true
}

// noValues fills in no values, for accesses whose values nobody needs.
type noValues struct{}

// FillValues implements hook.Filler.
func (noValues) FillValues(*hook.Access) {}

// FillValues implements hook.Filler.
func (f *frame) FillValues(a *hook.Access) {
	o := f.watched.stored
	f.values(a, o.c, o.ca, o.size)
}

// place describes one side of a copy.
func (f *frame) place(i int, o *op, off int32, class lir.Class, space ir.Space) *hook.Access {
	a := f.newAccess(i, o, space, ir.Void, int(o.in.Imm))
	for l := range a.Lanes.All {
		a.Addrs[l] = uint64(f.element(off, class, 8, l))
	}
	f.bounds(a, o)
	return a
}

// matrixAccesses describes the load or store of a matrix before it is executed: the first and the
// second of each lane's two elements.
func (f *frame) matrixAccesses(o *op) [2]*hook.Access {
	var pair [2]*hook.Access
	for i := range pair {
		pair[i] = f.newAccess(i, o, o.in.Space, o.in.Kind, o.size)
	}
	for s := range f.simds {
		f.eachElement(o, s, func(lane, i int, id, off uint64) { pair[i%2].Addrs[lane] = id<<40 | off })
	}
	f.bounds(pair[0], o)
	f.bounds(pair[1], o)
	return pair
}

// matrixValues reads the lanes' elements of the matrix at off, or nothing if off is -1.
func (f *frame) matrixValues(pair [2]*hook.Access, o *op, off int32) [2]*hook.Access {
	for i, a := range pair {
		for l := range a.Lanes.All {
			if off >= 0 {
				a.Value[l] = f.bitsAt(off, o.size, l/lir.SimdWidth*matrixElements+2*ir.MatrixPair(l%lir.SimdWidth)+i)
			}
		}
	}
	return pair
}

// shared returns the index of a lane's element in a variable of a class.
func shared(c lir.Class, lane int) int {
	switch c {
	case lir.Once:
		return 0
	case lir.Simd:
		return lane / lir.SimdWidth
	}
	return lane
}

// values reads the lanes' elements of a variable.
func (f *frame) values(a *hook.Access, off int32, class lir.Class, size int) {
	switch {
	case class == lir.Lane && size == 4:
		for l, x := range col[uint32](f, off, f.lanes) {
			a.Value[l] = uint64(x)
		}
	case class == lir.Once:
		fill(a.Value[:f.lanes], f.bitsAt(off, size, 0))
	default:
		for l := range a.Lanes.All {
			a.Value[l] = f.bitsAt(off, size, shared(class, l))
		}
	}
}

// changes reports whether an access of an operation writes memory.
func changes(o *op, a *hook.Access) bool {
	switch o.code.IR() {
	case ir.OpLoad, ir.OpMatLoad, ir.OpAtomicLoad:
		return false
	case ir.OpCopy:
		return a.Space == o.in.Space
	}
	return true
}

// bounds records which lanes are out of bounds.
func (f *frame) bounds(a *hook.Access, o *op) {
	writes := changes(o, a)
	last, bound := ^uint64(0), uint64(0) // of the last object: the first offset that is too large
	for l := range a.Lanes.All {
		addr := a.Addrs[l]
		in := false
		if a.Space == ir.Thread {
			_, in = f.private(addr, a.Size)
		} else {
			if id := addr >> exec.OffsetBits; id != last {
				obj := f.object(a.Space, id)
				last, bound = id, uint64(max(len(obj.Data)-a.Size+1, 0))
				if writes && obj.ReadOnly {
					bound = 0
				}
			}
			in = addr&exec.OffsetMask < bound
		}
		if !in {
			a.Out[l/lir.SimdWidth] |= 1 << (l % lir.SimdWidth)
		}
	}
}
