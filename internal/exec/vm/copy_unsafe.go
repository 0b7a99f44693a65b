package vm

import (
	"math/bits"
	"unsafe"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// copyBytes copies or clears a small number of bytes for each lane.
func copyBytes(f *frame, o *op) {
	for w, word := range f.mask(o.m) {
		for word &= f.full[w]; word != 0; word &= word - 1 {
			_ = f.copyLane(o, w*lir.SimdWidth+bits.TrailingZeros32(word), false)
		}
	}
}

// copyLarge copies or clears a large number of bytes for each lane, paying for them as it goes.
func (f *frame) copyLarge(o *op) (err error) {
	if f.g.p.watched {
		f.watchCopy(o)
	}
	f.g.settle()
	for w, word := range f.mask(o.m) {
		for word &= f.full[w]; word != 0 && err == nil; word &= word - 1 {
			err = f.copyLane(o, w*lir.SimdWidth+bits.TrailingZeros32(word), true)
		}
	}
	return err
}

// copyLane copies or clears for one lane. It only visits bytes that can be written, since a copy
// may specify more bytes than exist. All source bytes are read before they are overwritten.
func (f *frame) copyLane(o *op, lane int, pays bool) error {
	in := o.in
	to := uint64(f.element(o.a, o.aa, 8, lane))
	there := f.extent(in.Space, to>>40)
	first, n := overlap(to&exec.OffsetMask, uint64(in.Imm), there.size)
	if n == 0 || there.obj != nil && there.obj.ReadOnly {
		return nil
	}
	d := there.from((to+first)&exec.OffsetMask, n)
	before, read := n, uint64(0) // zeros before the source's first byte, and the number of source bytes
	if o.b >= 0 {
		from := advance(uint64(f.element(o.b, o.ba, 8, lane)), first)
		source := f.extent(in.FromSpace, from>>40)
		if before, read = overlap(from&exec.OffsetMask, n, source.size); read == 0 {
			before = n
		} else {
			part := source.from((from+before)&exec.OffsetMask, read)
			if err := f.move(o, lane, d.from(before, read), part, pays); err != nil {
				return err
			}
		}
	}
	if err := f.zero(o, lane, d.from(0, before), pays); err != nil {
		return err
	}
	return f.zero(o, lane, d.from(before+read, n-before-read), pays)
}

// move copies between two extents of the same size, in the direction that does not overwrite bytes
// yet to be copied. If it pays, it works in chunks.
func (f *frame) move(o *op, lane int, to, from extent, pays bool) error {
	backward := to.isInside(from)
	return f.chunks(o, to.size, pays, func(done, n uint64) {
		at := done
		if backward {
			at = to.size - done - n
		}
		f.moveChunk(lane, to.from(at, n), from.from(at, n), backward)
	})
}

// zero clears an extent in the same way.
func (f *frame) zero(o *op, lane int, to extent, pays bool) error {
	return f.chunks(o, to.size, pays, func(done, n uint64) {
		if part := to.from(done, n); part.obj != nil {
			clear(part.data())
		} else {
			for i := range int(n) {
				*f.privateByte(int(part.at)+i, lane) = 0
			}
		}
	})
}

// chunks calls do for chunks of size bytes, or once for all of them if the copy does not pay as it
// goes.
func (f *frame) chunks(o *op, size uint64, pays bool, do func(done, n uint64)) error {
	if !pays {
		do(0, size)
		return nil
	}
	for done := uint64(0); done < size; {
		n := min(copyChunk, size-done)
		if err := f.pay(o.in.CopyWork(int64(n))); err != nil {
			return err
		}
		do(done, n)
		done += n
	}
	return nil
}

func (f *frame) moveChunk(lane int, to, from extent, backward bool) {
	n := int(to.size)
	switch {
	case to.obj != nil && from.obj != nil:
		copy(to.data(), from.data())
	case to.obj != nil:
		d := to.data()
		for i := range d {
			d[i] = *f.privateByte(int(from.at)+i, lane)
		}
	case from.obj != nil:
		for i, x := range from.data() {
			*f.privateByte(int(to.at)+i, lane) = x
		}
	case backward:
		for i := n - 1; i >= 0; i-- {
			*f.privateByte(int(to.at)+i, lane) = *f.privateByte(int(from.at)+i, lane)
		}
	default:
		for i := range n {
			*f.privateByte(int(to.at)+i, lane) = *f.privateByte(int(from.at)+i, lane)
		}
	}
}

// overlap returns which of n bytes at an offset are in an object of the given size: how many
// precede them, and how many there are. Offsets wrap around to 0.
func overlap(off, n, size uint64) (first, count uint64) {
	if off >= size {
		first, off = exec.OffsetMask+1-off, 0
	}
	if size == 0 || first >= n {
		return 0, 0
	}
	return first, min(n-first, size-off)
}

// extent is a piece of memory: size bytes of an object, or of each lane's thread space, from byte
// at on.
type extent struct {
	obj  *exec.Object
	at   uint64
	size uint64
}

// from returns the n bytes that start at an offset.
func (e extent) from(off, n uint64) extent { return extent{e.obj, e.at + off, n} }

// data returns the bytes of an object.
func (e extent) data() []byte { return e.obj.Data[e.at:][:e.size] }

// isInside reports whether memory starts inside other memory of the same size, after its first
// byte.
func (e extent) isInside(other extent) bool {
	switch {
	case e.size == 0 || (e.obj == nil) != (other.obj == nil):
		return false
	case e.obj == nil:
		return e.at > other.at && e.at < other.at+other.size
	}
	// Two objects may share memory.
	a, b := uintptr(unsafe.Pointer(&e.data()[0])), uintptr(unsafe.Pointer(&other.data()[0]))
	return a > b && a < b+uintptr(other.size)
}

// extent returns the memory of an object number.
func (f *frame) extent(s ir.Space, id uint64) extent {
	if s != ir.Thread {
		obj := f.object(s, id)
		return extent{obj: obj, size: uint64(len(obj.Data))}
	}
	p := f.g.p.lir
	if i := id - exec.FirstAlloca; i < uint64(len(p.AllocaSizes)) {
		return extent{at: uint64(p.Allocas[i]), size: uint64(p.AllocaSizes[i])}
	}
	return extent{}
}
