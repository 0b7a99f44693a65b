package vm

import (
	"math/bits"
	"unsafe"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// loadPrivate and storePrivate access the lanes' thread space. If all lanes have the same address
// and it is a multiple of 4, they access whole columns.
func loadPrivate(f *frame, o *op) {
	if p := f.privateColumn(o); p != nil {
		copy(col[uint32](f, o.d, f.lanes), unsafe.Slice((*uint32)(p), f.lanes))
		return
	}
	f.pointers(o, f.lanes)
	for w, word := range f.mask(o.m) {
		for word &= f.full[w]; word != 0; word &= word - 1 {
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
		for word &= f.full[w]; word != 0; word &= word - 1 {
			l := w*lir.SimdWidth + bits.TrailingZeros32(word)
			f.storeThread(f.addrs[l], l, o.size, f.operand(o.c, o.ca, o.size, l))
		}
	}
}

// privateColumn returns the address at which 4 bytes of each lane are contiguous, or nil if the
// lanes' addresses differ or are not multiples of 4.
func (f *frame) privateColumn(o *op) unsafe.Pointer {
	if o.size != 4 || o.aa != lir.Once || o.b >= 0 && o.ba != lir.Once {
		return nil
	}
	f.pointers(o, 1)
	id, off := f.addrs[0]>>40-exec.FirstAlloca, f.addrs[0]&exec.OffsetMask
	p := f.g.p.lir
	if id >= uint64(len(p.AllocaSizes)) || off%4 != 0 || off+4 > uint64(p.AllocaSizes[id]) {
		return nil
	}
	return unsafe.Pointer(&f.thread[(p.Allocas[id]+int(off))*f.width])
}

// private returns the offset of a thread-space address in a lane's own memory, or false if the size
// bytes there are not all inside one variable.
func (f *frame) private(addr uint64, size int) (at int, ok bool) {
	id, off := addr>>40-exec.FirstAlloca, addr&exec.OffsetMask
	p := f.g.p.lir
	if id >= uint64(len(p.AllocaSizes)) || off > uint64(p.AllocaSizes[id]) ||
		uint64(size) > uint64(p.AllocaSizes[id])-off {
		return 0, false
	}
	return p.Allocas[id] + int(off), true
}

// privateByte returns the address of a byte of a lane. Lanes are interleaved: 4 bytes of lane 0, 4
// of lane 1, ...; then the next 4 of each.
func (f *frame) privateByte(at, lane int) *byte { return &f.thread[at/4*4*f.width+lane*4+at%4] }

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
