package vm

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// copyBytes copies or clears for each lane, and reads everything before it writes. It looks only at
// what may be written: a copy may name more bytes than there are.
func copyBytes(f *frame, o *op) {
	var few [256]byte
	for w, word := range f.mask(o.m) {
		for ; word != 0; word &= word - 1 {
			l := w*lir.SimdWidth + bits.TrailingZeros32(word)
			f.copyLane(o, l, &few)
		}
	}
}

// copyLane is copyBytes for one lane.
func (f *frame) copyLane(o *op, lane int, few *[256]byte) {
	in := o.in
	to := uint64(f.element(o.a, o.aa, 8, lane))
	there := f.extent(in.Space, to>>40)
	first, n := overlap(to&exec.OffsetMask, uint64(in.Imm), there.size)
	if n == 0 {
		return
	}
	buf := few[:]
	if n > uint64(len(buf)) {
		if n > uint64(cap(f.bytes)) {
			f.bytes = make([]byte, n)
		}
		buf = f.bytes
	}
	buf = buf[:n]
	clear(buf)
	if o.b >= 0 {
		from := advance(uint64(f.element(o.b, o.ba, 8, lane)), first)
		source := f.extent(in.FromSpace, from>>40)
		skip, n := overlap(from&exec.OffsetMask, n, source.size)
		off := (from + skip) & exec.OffsetMask
		if source.obj != nil {
			copy(buf[skip:skip+n], source.obj.Data[min(off, source.size):])
		} else {
			for i := range n {
				buf[skip+i] = *f.privateByte(source.at+int(off+i), lane)
			}
		}
	}
	off := (to + first) & exec.OffsetMask
	switch {
	case there.obj == nil:
		for i, x := range buf {
			*f.privateByte(there.at+int(off)+i, lane) = x
		}
	case !there.obj.ReadOnly:
		copy(there.obj.Data[off:], buf)
	}
}

// overlap returns which of n bytes from an offset on lie in an object of a size: how many come
// before them, and how many they are. Offsets begin again at 0 behind the last.
func overlap(off, n, size uint64) (first, count uint64) {
	if off >= size {
		first, off = exec.OffsetMask+1-off, 0
	}
	if size == 0 || first >= n {
		return 0, 0
	}
	return first, min(n-first, size-off)
}

// extent is memory that a number names: an object, or from a byte on of each lane's thread space.
type extent struct {
	obj  *exec.Object
	at   int
	size uint64
}

func (f *frame) extent(s ir.Space, id uint64) extent {
	if s != ir.Thread {
		obj := f.object(s, id)
		return extent{obj: obj, size: uint64(len(obj.Data))}
	}
	p := f.g.p.lir
	if i := id - exec.FirstAlloca; i < uint64(len(p.AllocaSizes)) {
		return extent{at: p.Allocas[i], size: uint64(p.AllocaSizes[i])}
	}
	return extent{}
}
