package vm

import (
	"math/bits"
	"unsafe"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// object returns the memory that a number names in a space, or nothing. Thread space is not here.
func (f *frame) object(s ir.Space, id uint64) *Object {
	g := f.g
	if s == ir.Threadgroup {
		if i := id - firstShared; i < uint64(len(g.objs)) {
			return &g.objs[i]
		}
		if i := id - firstSharedArg; i < uint64(len(g.args)) {
			return &g.args[i]
		}
		return &noObject
	}
	if id > MaxObject {
		if i := id - firstGlobal; i < uint64(len(g.p.globals)) {
			return &g.p.globals[i]
		}
		return &noObject
	}
	if sp := g.r.l.Space; sp != nil {
		return sp.object(id)
	}
	return &noObject
}

// pointers works out the addresses of the first n elements, into f.addrs.
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

// fewPointers is pointers for one element, or one of each simdgroup.
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

// advance moves an address on inside its object.
func advance(a, by uint64) uint64 { return a&^offsetMask | (a+by)&offsetMask }

// extend makes 64 bits of an index.
func extend(x uint64, ext lir.Ext) uint64 {
	switch ext {
	case lir.ZExt:
		return uint64(uint32(x))
	case lir.SExt:
		return uint64(int64(int32(x)))
	}
	return x
}

// wide gives the lanes' numbers of 64 bits of a variable that is no Simd one.
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

// chooseLoad picks the function of a load.
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

// loadEach reads element by element: what all lanes or a simdgroup share, and truth values.
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
		f.setBits(o.d, o.size, i, truth(o, obj.load(f.addrs[i]&offsetMask, o.size)))
	}
}

// loadPointers reads from f.addrs for the lanes of the mask.
func (f *frame) loadPointers(o *op) {
	last, obj := ^uint64(0), &noObject
	for w, word := range f.mask(o.m) {
		for ; word != 0; word &= word - 1 {
			l := w*lir.SimdWidth + bits.TrailingZeros32(word)
			if id := f.addrs[l] >> 40; id != last {
				last, obj = id, f.object(o.in.Space, id)
			}
			f.setBits(o.d, o.size, l, truth(o, obj.load(f.addrs[l]&offsetMask, o.size)))
		}
	}
}

// truth makes a byte that is loaded as a truth value 0 or 1.
func truth(o *op, x uint64) uint64 {
	if o.in.Kind == ir.I1 && x != 0 {
		return 1
	}
	return x
}

// loadLanes reads an element for each lane of the mask.
func loadLanes[T number](f *frame, o *op) {
	var r rows
	if f.rows(o, &r) {
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

// indexed returns the offset that an index of 32 or 64 bits leads to.
func indexed(start uint64, in *lir.Inst, x uint64) uint64 {
	return (start + extend(x, in.Ext)*uint64(in.Scale)) & offsetMask
}

// indices returns the column of a memory operation's indices: one of the two.
func (f *frame) indices(o *op) (narrow []uint32, wide []uint64) {
	if o.in.Ext == lir.NoExt {
		return nil, col[uint64](f, o.b, f.lanes)
	}
	return col[uint32](f, o.b, f.lanes), nil
}

// gather reads one object at places that differ by lane.
func gather[T number](f *frame, o *op) {
	in := o.in
	root := *word[uint64](f, o.a)
	obj := f.object(in.Space, root>>40)
	d := col[T](f, o.d, f.lanes)
	m := f.mask(o.m)
	if len(obj.Data) < o.size {
		for w, word := range m {
			for ; word != 0; word &= word - 1 {
				d[w*lir.SimdWidth+bits.TrailingZeros32(word)] = 0
			}
		}
		return
	}
	start, limit := root&offsetMask+uint64(in.Disp), uint64(len(obj.Data)-o.size)
	base := unsafe.Pointer(unsafe.SliceData(obj.Data))
	narrow, wide := f.indices(o)
	for w, word := range m {
		for ; word != 0; word &= word - 1 {
			l := w*lir.SimdWidth + bits.TrailingZeros32(word)
			var x uint64
			if narrow != nil {
				x = uint64(narrow[l])
			} else {
				x = wide[l]
			}
			var v T
			if off := indexed(start, in, x); off <= limit {
				v = *(*T)(unsafe.Add(base, off))
			}
			d[l] = v
		}
	}
}

func (ob *Object) load(off uint64, size int) uint64 {
	if n := uint64(len(ob.Data)); off > n || uint64(size) > n-off {
		return 0
	}
	return peek(unsafe.Pointer(&ob.Data[off]), size)
}

func (ob *Object) store(off uint64, size int, x uint64) {
	if n := uint64(len(ob.Data)); ob.ReadOnly || off > n || uint64(size) > n-off {
		return
	}
	poke(unsafe.Pointer(&ob.Data[off]), size, x)
}

// chooseStore picks the function of a store.
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

// storeEach stores what all lanes or a simdgroup store.
func storeEach(f *frame, o *op) {
	n := f.counts[o.per]
	f.pointers(o, n)
	m := f.mask(o.m)
	for i := range n {
		if o.per == lir.Simd && m[i] == 0 {
			continue
		}
		obj := f.object(o.in.Space, f.addrs[i]>>40)
		obj.store(f.addrs[i]&offsetMask, o.size, f.operand(o.c, o.ca, o.size, i))
	}
}

// operand reads an element, or the one element of a Once operand.
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
		for ; word != 0; word &= word - 1 {
			l := w*lir.SimdWidth + bits.TrailingZeros32(word)
			if id := f.addrs[l] >> 40; id != last {
				last, obj = id, f.object(o.in.Space, id)
			}
			obj.store(f.addrs[l]&offsetMask, o.size, f.operand(o.c, o.ca, o.size, l))
		}
	}
}

// scatter writes one object at places that differ by lane.
func scatter[T number](f *frame, o *op) {
	in := o.in
	root := *word[uint64](f, o.a)
	obj := f.object(in.Space, root>>40)
	if obj.ReadOnly || len(obj.Data) < o.size {
		return
	}
	from := col[T](f, o.c, f.lanes)
	start, limit := root&offsetMask+uint64(in.Disp), uint64(len(obj.Data)-o.size)
	base := unsafe.Pointer(unsafe.SliceData(obj.Data))
	narrow, wide := f.indices(o)
	for w, word := range f.mask(o.m) {
		for ; word != 0; word &= word - 1 {
			l := w*lir.SimdWidth + bits.TrailingZeros32(word)
			var x uint64
			if narrow != nil {
				x = uint64(narrow[l])
			} else {
				x = wide[l]
			}
			if off := indexed(start, in, x); off <= limit {
				*(*T)(unsafe.Add(base, off)) = from[l]
			}
		}
	}
}

// loadPrivate and storePrivate access the lanes' thread space: whole columns when all lanes have one address that is a multiple of 4.
func loadPrivate(f *frame, o *op) {
	if p := f.privateColumn(o); p != nil {
		copy(col[uint32](f, o.d, f.lanes), unsafe.Slice((*uint32)(p), f.lanes))
		return
	}
	f.pointers(o, f.lanes)
	for w, word := range f.mask(o.m) {
		for ; word != 0; word &= word - 1 {
			l := w*lir.SimdWidth + bits.TrailingZeros32(word)
			f.setBits(o.d, o.size, l, truth(o, f.loadThread(f.addrs[l], l, o.size)))
		}
	}
}

func storePrivate(f *frame, o *op) {
	m := f.mask(o.m)
	if p := f.privateColumn(o); p != nil && o.ca == lir.Lane {
		mergeWords(unsafe.Slice((*uint32)(p), f.lanes), col[uint32](f, o.c, f.lanes), m, &f.full)
		return
	}
	f.pointers(o, f.lanes)
	for w, word := range m {
		for ; word != 0; word &= word - 1 {
			l := w*lir.SimdWidth + bits.TrailingZeros32(word)
			f.storeThread(f.addrs[l], l, o.size, f.operand(o.c, o.ca, o.size, l))
		}
	}
}

// privateColumn returns where 4 bytes of each lane lie side by side, or nil if the lanes' addresses differ or are no multiple of 4.
func (f *frame) privateColumn(o *op) unsafe.Pointer {
	if o.size != 4 || o.aa != lir.Once || o.b >= 0 && o.ba != lir.Once {
		return nil
	}
	f.pointers(o, 1)
	id, off := f.addrs[0]>>40-firstAlloca, f.addrs[0]&offsetMask
	p := f.g.p.lir
	if id >= uint64(len(p.AllocaSizes)) || off%4 != 0 || off+4 > uint64(p.AllocaSizes[id]) {
		return nil
	}
	return unsafe.Pointer(&f.thread[(p.Allocas[id]+int(off))*f.lanes])
}

// private returns where an address in the thread space leads to, in a lane's own count of bytes; false if not all of size lie in one variable.
func (f *frame) private(addr uint64, size int) (at int, ok bool) {
	id, off := addr>>40-firstAlloca, addr&offsetMask
	p := f.g.p.lir
	if id >= uint64(len(p.AllocaSizes)) || off > uint64(p.AllocaSizes[id]) || uint64(size) > uint64(p.AllocaSizes[id])-off {
		return 0, false
	}
	return p.Allocas[id] + int(off), true
}

// privateByte is where a byte of a lane lies: 4 of lane 0, 4 of lane 1, ...; then the next 4 of each.
func (f *frame) privateByte(at, lane int) *byte { return &f.thread[at/4*4*f.lanes+lane*4+at%4] }

func (f *frame) loadThread(addr uint64, lane, size int) (x uint64) {
	at, ok := f.private(addr, size)
	if !ok {
		return 0
	}
	for i := range size {
		x |= uint64(*f.privateByte(at+i, lane)) << (8 * i)
	}
	return x
}

func (f *frame) storeThread(addr uint64, lane, size int, x uint64) {
	at, ok := f.private(addr, size)
	if !ok {
		return
	}
	for i := range size {
		*f.privateByte(at+i, lane) = byte(x >> (8 * i))
	}
}
