package vm

import (
	"math/bits"
	"unsafe"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// noObject stands for every number without memory.
var noObject exec.Object

// object returns the memory with a number in a space other than ir.Thread, or noObject if there is
// none.
func (f *frame) object(s ir.Space, id uint64) *exec.Object {
	g := f.g
	if s == ir.Threadgroup {
		if i := id - exec.FirstShared; i < uint64(len(g.objs)) {
			return &g.objs[i]
		}
		if i := id - exec.FirstSharedArg; i < uint64(len(g.args)) {
			return &g.args[i]
		}
		return &noObject
	}
	if id > exec.MaxObject {
		if i := id - exec.FirstGlobal; i < uint64(len(g.p.globals)) {
			return &g.p.globals[i]
		}
		if id >= exec.FirstKept {
			return g.r.KeptObject(id - exec.FirstKept)
		}
		return &noObject
	}
	if sp := g.r.Launch.Space; sp != nil {
		return sp.Object(id)
	}
	return &noObject
}

// pointers computes the addresses of the first n elements into f.addrs.
func (f *frame) pointers(o *op, n int) {
	in := o.in
	addrs := f.addrs[:n]
	if o.per != lir.Lane && o.per != lir.Affine {
		f.fewPointers(o, addrs)
		return
	}
	f.wide(addrs, o.a, o.aa)
	if o.b < 0 {
		if in.Disp != 0 {
			for i, a := range addrs {
				addrs[i] = advance(a, uint64(in.Disp))
			}
		}
		return
	}
	scale, disp := uint64(in.Scale), uint64(in.Disp)
	switch {
	case o.ba == lir.Affine:
		if h := f.affine(o.b); h.Valid == 0 {
			f.moveOn(addrs, o, o.b+lir.AffineBytes)
		} else {
			for i, a := range addrs {
				x := uint64(h.Base + h.SX*int64(f.coords[0][i]) + h.SY*int64(f.coords[1][i]) + h.SZ*int64(f.coords[2][i]))
				addrs[i] = advance(a, disp+extend(x, in.Ext)*scale)
			}
		}
	case o.ba == lir.Once:
		size := 8
		if in.Ext != lir.NoExt {
			size = 4
		}
		x := disp + extend(f.bitsAt(o.b, size, 0), in.Ext)*scale
		for i, a := range addrs {
			addrs[i] = advance(a, x)
		}
	case o.ba == lir.Simd:
		size := 8
		if in.Ext != lir.NoExt {
			size = 4
		}
		for i, a := range addrs {
			addrs[i] = advance(a, disp+extend(f.bitsAt(o.b, size, i/lir.SimdWidth), in.Ext)*scale)
		}
	default:
		f.moveOn(addrs, o, o.b)
	}
}

// moveOn advances addresses by the index column at off.
func (f *frame) moveOn(addrs []uint64, o *op, off int32) {
	in := o.in
	scale, disp := uint64(in.Scale), uint64(in.Disp)
	if in.Ext == lir.NoExt {
		for i, x := range col[uint64](f, off, len(addrs)) {
			addrs[i] = advance(addrs[i], disp+x*scale)
		}
		return
	}
	for i, x := range col[uint32](f, off, len(addrs)) {
		addrs[i] = advance(addrs[i], disp+extend(uint64(x), in.Ext)*scale)
	}
}

// fewPointers is pointers for a single element, or for one per simdgroup.
func (f *frame) fewPointers(o *op, addrs []uint64) {
	in := o.in
	size := 8
	if in.Ext != lir.NoExt {
		size = 4
	}
	for i := range addrs {
		off := uint64(in.Disp)
		if o.b >= 0 {
			off += extend(uint64(f.element(o.b, o.ba, size, i*lir.SimdWidth)), in.Ext) * uint64(in.Scale)
		}
		addrs[i] = advance(uint64(f.element(o.a, o.aa, 8, i*lir.SimdWidth)), off)
	}
}

// advance adds an offset to an address within its object.
func advance(a, by uint64) uint64 { return a&^exec.OffsetMask | (a+by)&exec.OffsetMask }

// extend extends an index to 64 bits.
func extend(x uint64, ext lir.Ext) uint64 {
	switch ext {
	case lir.ZExt:
		return uint64(uint32(x))
	case lir.SExt:
		return uint64(int64(int32(x)))
	}
	return x
}

// wide copies the lanes' 64-bit numbers from a variable that is not Simd.
func (f *frame) wide(to []uint64, off int32, class lir.Class) {
	switch class {
	case lir.Once:
		fill(to, *word[uint64](f, off))
	case lir.Affine:
		h := f.affine(off)
		if h.Valid == 0 {
			copy(to, col[uint64](f, off+lir.AffineBytes, len(to)))
			return
		}
		for i := range to {
			to[i] = uint64(h.Base + h.SX*int64(f.coords[0][i]) + h.SY*int64(f.coords[1][i]) + h.SZ*int64(f.coords[2][i]))
		}
	case lir.Simd:
		for i := range to {
			to[i] = f.bitsAt(off, 8, i/lir.SimdWidth)
		}
	default:
		copy(to, col[uint64](f, off, len(to)))
	}
}

// chooseLoad picks the function for a load.
func chooseLoad(o *op) func(*frame, *op) {
	switch {
	case o.in.Space == ir.Thread:
		return loadPrivate
	case o.per != lir.Lane || o.in.Kind == ir.I1:
		return loadEach
	}
	switch o.size {
	case 1:
		return loadLanes[uint8]
	case 2:
		return loadLanes[uint16]
	case 4:
		return loadLanes[uint32]
	}
	return loadLanes[uint64]
}

// loadEach reads element by element: values shared by all lanes or a simdgroup, and truth values.
func loadEach(f *frame, o *op) {
	if o.per == lir.Lane {
		f.pointers(o, f.lanes)
		f.loadPointers(o)
		return
	}
	n := f.counts[o.per]
	f.pointers(o, n)
	for i := range n {
		obj := f.object(o.in.Space, f.addrs[i]>>40)
		f.setBits(o.d, o.size, i, truth(o, loadFrom(obj, f.addrs[i]&exec.OffsetMask, o.size)))
	}
}

// loadPointers reads from f.addrs for the lanes of the mask.
func (f *frame) loadPointers(o *op) {
	last, obj := ^uint64(0), &noObject
	for w, word := range f.mask(o.m) {
		for word &= f.full[w]; word != 0; word &= word - 1 {
			l := w*lir.SimdWidth + bits.TrailingZeros32(word)
			if id := f.addrs[l] >> 40; id != last {
				last, obj = id, f.object(o.in.Space, id)
			}
			f.setBits(o.d, o.size, l, truth(o, loadFrom(obj, f.addrs[l]&exec.OffsetMask, o.size)))
		}
	}
}

// truth normalizes a byte loaded as a truth value to 0 or 1.
func truth(o *op, x uint64) uint64 {
	if o.in.Kind == ir.I1 && x != 0 {
		return 1
	}
	return x
}

// loadLanes reads an element for each lane of the mask.
func loadLanes[T number](f *frame, o *op) {
	var r rows
	if f.rows(o, &r) && (!exec.RaceDetector || *f.mask(o.m) == f.full) {
		loadRows[T](f, o, &r)
		return
	}
	if o.aa == lir.Once && o.ba == lir.Lane {
		gather[T](f, o)
		return
	}
	f.pointers(o, f.lanes)
	f.loadPointers(o)
}

// offsets computes into f.addrs the offsets in an object for lanes with a common address and
// separate indices.
func (f *frame) offsets(o *op, address uint64) []uint64 {
	in, offs := o.in, f.addrs[:f.lanes]
	start, scale := address&exec.OffsetMask+uint64(in.Disp), uint64(in.Scale)
	switch in.Ext {
	case lir.ZExt:
		for i, x := range col[uint32](f, o.b, len(offs)) {
			offs[i] = (start + uint64(x)*scale) & exec.OffsetMask
		}
	case lir.SExt:
		for i, x := range col[int32](f, o.b, len(offs)) {
			offs[i] = (start + uint64(int64(x))*scale) & exec.OffsetMask
		}
	default:
		for i, x := range col[uint64](f, o.b, len(offs)) {
			offs[i] = (start + x*scale) & exec.OffsetMask
		}
	}
	return offs
}

// bound returns the first offset at which an element of the given size no longer fits in an object.
func bound(ob *exec.Object, size int) uint64 { return uint64(max(len(ob.Data)-size+1, 0)) }

// gather reads one object at offsets that differ by lane.
func gather[T number](f *frame, o *op) {
	root := *word[uint64](f, o.a)
	obj := f.object(o.in.Space, root>>40)
	base, bound := unsafe.Pointer(unsafe.SliceData(obj.Data)), bound(obj, o.size)
	offs, d := f.offsets(o, root), col[T](f, o.d, f.lanes)
	for w, word := range f.mask(o.m) {
		for word &= f.full[w]; word != 0; word &= word - 1 {
			l := w*lir.SimdWidth + bits.TrailingZeros32(word)
			var v T
			if off := offs[l]; off < bound {
				v = *(*T)(unsafe.Add(base, off))
			}
			d[l] = v
		}
	}
}

// loadFrom reads a number; out of bounds, it returns 0.
func loadFrom(ob *exec.Object, off uint64, size int) uint64 {
	if n := uint64(len(ob.Data)); off > n || uint64(size) > n-off {
		return 0
	}
	return peek(unsafe.Pointer(&ob.Data[off]), size)
}

// storeTo writes a number; out of bounds, it does nothing.
func storeTo(ob *exec.Object, off uint64, size int, x uint64) {
	if n := uint64(len(ob.Data)); ob.ReadOnly || off > n || uint64(size) > n-off {
		return
	}
	poke(unsafe.Pointer(&ob.Data[off]), size, x)
}

// chooseStore picks the function for a store.
func chooseStore(o *op) func(*frame, *op) {
	switch {
	case o.in.Space == ir.Thread:
		return storePrivate
	case o.per != lir.Lane:
		return storeEach
	}
	switch o.size {
	case 1:
		return storeLanes[uint8]
	case 2:
		return storeLanes[uint16]
	case 4:
		return storeLanes[uint32]
	}
	return storeLanes[uint64]
}

// storeEach stores values shared by all lanes or a simdgroup.
func storeEach(f *frame, o *op) {
	n := f.counts[o.per]
	f.pointers(o, n)
	m := f.mask(o.m)
	for i := range n {
		if o.per == lir.Simd && m[i] == 0 {
			continue
		}
		obj := f.object(o.in.Space, f.addrs[i]>>40)
		storeTo(obj, f.addrs[i]&exec.OffsetMask, o.size, f.operand(o.c, o.ca, o.size, i))
	}
}

// operand reads an element; for a Once operand, its only element.
func (f *frame) operand(off int32, class lir.Class, size, i int) uint64 {
	if class == lir.Once {
		i = 0
	}
	return f.bitsAt(off, size, i)
}

// storeLanes writes an element for each lane of the mask, in ascending order.
func storeLanes[T number](f *frame, o *op) {
	var r rows
	if f.rows(o, &r) {
		storeRows[T](f, o, &r)
		return
	}
	if o.aa == lir.Once && o.ba == lir.Lane && o.ca == lir.Lane {
		scatter[T](f, o)
		return
	}
	f.pointers(o, f.lanes)
	last, obj := ^uint64(0), &noObject
	for w, word := range f.mask(o.m) {
		for word &= f.full[w]; word != 0; word &= word - 1 {
			l := w*lir.SimdWidth + bits.TrailingZeros32(word)
			if id := f.addrs[l] >> 40; id != last {
				last, obj = id, f.object(o.in.Space, id)
			}
			storeTo(obj, f.addrs[l]&exec.OffsetMask, o.size, f.operand(o.c, o.ca, o.size, l))
		}
	}
}

// scatter writes one object at offsets that differ by lane.
func scatter[T number](f *frame, o *op) {
	root := *word[uint64](f, o.a)
	obj := f.object(o.in.Space, root>>40)
	if obj.ReadOnly {
		return
	}
	base, bound := unsafe.Pointer(unsafe.SliceData(obj.Data)), bound(obj, o.size)
	offs, from := f.offsets(o, root), col[T](f, o.c, f.lanes)
	for w, word := range f.mask(o.m) {
		for word &= f.full[w]; word != 0; word &= word - 1 {
			l := w*lir.SimdWidth + bits.TrailingZeros32(word)
			if off := offs[l]; off < bound {
				*(*T)(unsafe.Add(base, off)) = from[l]
			}
		}
	}
}
