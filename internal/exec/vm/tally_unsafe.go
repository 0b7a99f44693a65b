package vm

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// tally accumulates relaxed atomic additions with unused results, to words of one object, and adds
// the sums to memory later: additions may be combined in any order, and other threads are only
// guaranteed to see them once something orders them. So it is flushed before a worker's threads do
// anything else to device memory, before barriers and fences that order it, when a strip checks its
// fuel (so that threads waiting for a sum eventually see it), and when the worker has finished its
// threadgroups. A load from another object does not flush it.
//
// It is a direct-mapped table: the upper half of a slot is the index of a word, the lower half its
// sum. Tallying must save more than flushing costs: while it does not, additions go directly to
// memory.
type tally struct {
	data  []byte // of the object
	slots [tallySlots]uint64
	added int // additions since it was empty, except those that evicted another word
	rest  int // number of times still to bypass it
}

const (
	tallySlots = 1 << 10
	// Emptying is worthwhile if tallyEarned additions have been accumulated for each word it adds
	// to memory, plus tallyLook for scanning the slots.
	tallyEarned = 2
	tallyLook   = 128
	tallyRest   = 256
)

// tallies reports whether an operation's additions may be tallied.
func tallies(o *op) bool {
	in := o.in
	return o.code.IR() == ir.OpAtomicAdd && in.Space == ir.Device && in.Order == ir.Relaxed && in.Kind == ir.I32 &&
		o.per == lir.Lane && o.d < 0 && o.aa == lir.Once && o.b >= 0 && o.ba == lir.Lane
}

// tally gives groups a tally if an operation can use it, and makes all other accesses to device
// memory flush it first.
func (p *program) tally() {
	if p.watched {
		return
	}
	for i := range p.ops {
		if p.ops[i].fn != nil && tallies(&p.ops[i]) {
			p.tallied = true
		}
	}
	if !p.tallied {
		return
	}
	for i := range p.ops {
		o := &p.ops[i]
		irop, fn := o.code.IR(), o.fn
		switch info := irop.Info(); {
		case fn == nil || irop == ir.OpInvalid || !info.Has(ir.ReadsMemory) && !info.Has(ir.WritesMemory):
		case isLocal(o.in.Space) && (irop != ir.OpCopy || isLocal(o.in.FromSpace)):
		case irop == ir.OpLoad:
			o.fn = func(f *frame, o *op) {
				if t := f.g.tally; t.data != nil && f.touches(o, t.data) {
					t.empty()
				}
				fn(f, o)
			}
		case tallies(o):
			o.fn = tallyCount
		default:
			o.fn = func(f *frame, o *op) {
				f.g.settle()
				fn(f, o)
			}
		}
	}
}

// isLocal reports whether a space is not device memory.
func isLocal(s ir.Space) bool { return s == ir.Thread || s == ir.Threadgroup }

// settle flushes the tally, if there is one.
func (g *group) settle() {
	if g.tally != nil && g.tally.data != nil {
		g.tally.empty()
	}
}

// touches reports whether a load may read some memory: whether its object, if all lanes use the
// same one, overlaps it.
func (f *frame) touches(o *op, data []byte) bool {
	if o.aa != lir.Once {
		return true
	}
	return share(f.object(o.in.Space, *word[uint64](f, o.a)>>40).Data, data)
}

// share reports whether two pieces of memory have common bytes.
func share(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	x, y := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return x < y+uintptr(len(b)) && y < x+uintptr(len(a))
}

// tallyCount is atomicCount through the group's tally.
func tallyCount(f *frame, o *op) {
	t, root := f.g.tally, *word[uint64](f, o.a)
	obj := f.object(o.in.Space, root>>40)
	const most = 1 << 34 // bytes whose words have numbers of 32 bits
	if t.rest > 0 || len(obj.Data) < 4 || len(obj.Data) > most || obj.ReadOnly {
		t.rest = max(t.rest-1, 0)
		f.g.settle()
		atomicCount(f, o)
		return
	}
	if t.data == nil || unsafe.SliceData(t.data) != unsafe.SliceData(obj.Data) || len(t.data) != len(obj.Data) {
		f.g.settle()
		t.data = obj.Data
	}
	base, bound := unsafe.Pointer(unsafe.SliceData(obj.Data)), bound(obj, 4)
	offs, by := f.offsets(o, root), f.addends(o)
	for w, word := range f.mask(o.m) {
		for word &= f.full[w]; word != 0; word &= word - 1 {
			l := w*lir.SimdWidth + bits.TrailingZeros32(word)
			off, x := offs[l], by[l]
			if off >= bound || off&3 != 0 {
				continue
			}
			number := off >> 2
			slot := &t.slots[number%tallySlots]
			if old := *slot; old>>32 == number {
				*slot = old&^(1<<32-1) | uint64(uint32(old)+x)
				t.added++
			} else {
				if uint32(old) != 0 {
					atomic.AddUint32((*uint32)(unsafe.Add(base, old>>32<<2)), uint32(old))
					t.added -= tallyEarned
				}
				*slot = number<<32 | uint64(x)
			}
		}
	}
}

// empty adds all sums to memory.
func (t *tally) empty() {
	base, words := unsafe.Pointer(unsafe.SliceData(t.data)), 0
	for i, slot := range t.slots {
		if uint32(slot) != 0 {
			atomic.AddUint32((*uint32)(unsafe.Add(base, slot>>32<<2)), uint32(slot))
			words++
		}
		t.slots[i] = 0
	}
	if t.added < tallyEarned*words+tallyLook {
		t.rest = tallyRest
	}
	t.added, t.data = 0, nil
}
