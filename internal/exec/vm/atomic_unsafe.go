package vm

import (
	"math"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// chooseAtomic picks the function for an atomic operation.
func chooseAtomic(o *op) func(*frame, *op) {
	in := o.in
	irop := o.code.IR()
	if o.size != 4 || in.Kind == ir.I1 || o.per != lir.Lane || in.Space == ir.Thread || irop == ir.OpAtomicCmpXchg ||
		irop == ir.OpAtomicLoad {
		return atomicOp
	}
	switch {
	case o.aa == lir.Once && (o.b < 0 || o.ba == lir.Once):
		return atomicUniform
	case irop == ir.OpAtomicAdd && o.d < 0 && o.aa == lir.Once && o.ba == lir.Lane:
		return atomicCount
	}
	return atomicWords
}

// atomicCount adds at addresses that differ by lane, without a result.
func atomicCount(f *frame, o *op) {
	root := *word[uint64](f, o.a)
	obj := f.object(o.in.Space, root>>40)
	if obj.ReadOnly {
		return
	}
	base, bound := unsafe.Pointer(unsafe.SliceData(obj.Data)), bound(obj, 4)
	offs, by := f.offsets(o, root), f.addends(o)
	shared := o.in.Space == ir.Threadgroup
	for w, word := range f.mask(o.m) {
		for word &= f.full[w]; word != 0; word &= word - 1 {
			l := w*lir.SimdWidth + bits.TrailingZeros32(word)
			off := offs[l]
			if off >= bound || off&3 != 0 {
				continue
			}
			if p := (*uint32)(unsafe.Add(base, off)); shared {
				*p += by[l]
			} else {
				atomic.AddUint32(p, by[l])
			}
		}
	}
}

// addends returns the values that the lanes add.
func (f *frame) addends(o *op) []uint32 {
	if o.ca != lir.Once {
		return col[uint32](f, o.c, f.lanes)
	}
	by := f.words[:f.lanes]
	fill(by, *word[uint32](f, o.c))
	return by
}

// atomicWords executes a 32-bit atomic operation for each lane of the mask, in ascending order.
func atomicWords(f *frame, o *op) {
	f.pointers(o, f.lanes)
	irop := o.code.IR()
	shared := o.in.Space == ir.Threadgroup // its strips run sequentially
	last, obj := ^uint64(0), &noObject
	var limit uint64
	for w, word := range f.mask(o.m) {
		for word &= f.full[w]; word != 0; word &= word - 1 {
			l := w*lir.SimdWidth + bits.TrailingZeros32(word)
			off := f.addrs[l] & exec.OffsetMask
			if id := f.addrs[l] >> 40; id != last {
				last, obj = id, f.object(o.in.Space, id)
				limit = uint64(len(obj.Data))
				if obj.ReadOnly {
					limit = 0
				}
			}
			var old uint32
			if off+4 <= limit && off&3 == 0 {
				p := (*uint32)(unsafe.Pointer(&obj.Data[off]))
				x := uint32(f.operand(o.c, o.ca, 4, l))
				switch {
				case shared:
					old = *p
					*p = combine32(irop, o.in.Kind, old, x)
				case irop == ir.OpAtomicAdd:
					old = atomic.AddUint32(p, x) - x
				default:
					for {
						old = atomic.LoadUint32(p)
						if atomic.CompareAndSwapUint32(p, old, combine32(irop, o.in.Kind, old, x)) {
							break
						}
					}
				}
			}
			if o.d >= 0 {
				*(*uint32)(unsafe.Add(f.base, int(o.d)+4*l)) = old
			}
		}
	}
}

// atomicUniform executes a 32-bit atomic operation at one address: it combines the lanes'
// operations in ascending order and applies them at once.
func atomicUniform(f *frame, o *op) {
	m := f.mask(o.m)
	irop := o.code.IR()
	var p *uint32
	addr := uint64(o.in.Disp)
	if o.b >= 0 {
		size := 8
		if o.in.Ext != lir.NoExt {
			size = 4
		}
		addr += extend(f.bitsAt(o.b, size, 0), o.in.Ext) * uint64(o.in.Scale)
	}
	addr = advance(*word[uint64](f, o.a), addr)
	obj := f.object(o.in.Space, addr>>40)
	if off := addr & exec.OffsetMask; off&3 == 0 && !obj.ReadOnly && off+4 <= uint64(len(obj.Data)) {
		p = (*uint32)(unsafe.Pointer(&obj.Data[off]))
	}
	if isEmpty(m) {
		return
	}
	for {
		var old uint32
		switch {
		case p == nil:
		case o.in.Space == ir.Threadgroup:
			old = *p
		default:
			old = atomic.LoadUint32(p)
		}
		now := old
		if irop == ir.OpAtomicAdd && o.d < 0 && o.ca == lir.Once {
			n := 0
			for _, word := range m {
				n += bits.OnesCount32(word)
			}
			now += uint32(n) * *word[uint32](f, o.c)
		} else {
			for w, word := range m {
				for word &= f.full[w]; word != 0; word &= word - 1 {
					l := w*lir.SimdWidth + bits.TrailingZeros32(word)
					if o.d >= 0 {
						if p == nil {
							now = 0
						}
						*(*uint32)(unsafe.Add(f.base, int(o.d)+4*l)) = now
					}
					now = combine32(irop, o.in.Kind, now, uint32(f.operand(o.c, o.ca, 4, l)))
				}
			}
		}
		switch {
		case p == nil:
			return
		case o.in.Space == ir.Threadgroup:
			*p = now
			return
		case atomic.CompareAndSwapUint32(p, old, now):
			return
		}
	}
}

// combine32 is combine for 32 bits.
func combine32(op ir.Op, k ir.Kind, old, x uint32) uint32 {
	switch op {
	case ir.OpAtomicAdd:
		return old + x
	case ir.OpAtomicStore, ir.OpAtomicXchg:
		return x
	case ir.OpAtomicUMin:
		return min(old, x)
	case ir.OpAtomicUMax:
		return max(old, x)
	case ir.OpAtomicOr:
		return old | x
	}
	return uint32(combine(op, k, uint64(old), uint64(x), 0))
}

// atomicOp executes an atomic operation for each lane of the mask, in ascending order.
func atomicOp(f *frame, o *op) {
	n := f.counts[o.per]
	f.pointers(o, n)
	do := func(l int) {
		var x, y uint64
		if o.c >= 0 {
			x = f.operand(o.c, o.ca, o.size, l)
		}
		if len(o.more) > 0 {
			y = f.operand(o.more[0].off, o.more[0].class, o.size, l)
		}
		old, done := f.atomic(o, l, f.addrs[l], x, y)
		if o.d >= 0 {
			f.setBits(o.d, o.size, l, old)
		}
		if o.d2 >= 0 {
			f.setBits(o.d2, 1, l, done)
		}
	}
	if n != f.lanes {
		for i := range n {
			do(i)
		}
		return
	}
	f.each(f.mask(o.m), do)
}

// atomic executes one lane's operation at an address; x is the operand, y the new value of a
// compare-exchange.
func (f *frame) atomic(o *op, lane int, addr, x, y uint64) (old, done uint64) {
	size := o.size
	if addr%uint64(size) != 0 {
		return 0, 0
	}
	irop := o.code.IR()
	next := func(old uint64) uint64 { return combine(irop, o.in.Kind, old, x, y) }
	if o.in.Space == ir.Thread {
		if _, ok := f.private(addr, size); !ok {
			return 0, 0
		}
		old = f.loadThread(addr, lane, size)
		f.storeThread(addr, lane, size, next(old))
		return old, same(irop, old, x)
	}
	obj := f.object(o.in.Space, addr>>40)
	off := addr & exec.OffsetMask
	if n := uint64(len(obj.Data)); off > n || uint64(size) > n-off || obj.ReadOnly && irop != ir.OpAtomicLoad {
		return 0, 0
	}
	p := unsafe.Pointer(&obj.Data[off])
	if o.in.Space == ir.Threadgroup { // its strips run sequentially
		old = peek(p, size)
		if irop != ir.OpAtomicLoad {
			poke(p, size, next(old))
		}
		return truth(o, old), same(irop, old, x)
	}
	old = update(p, size, irop == ir.OpAtomicLoad, next)
	return truth(o, old), same(irop, old, x)
}

// same is the second result of a compare-exchange.
func same(op ir.Op, old, want uint64) uint64 {
	if op == ir.OpAtomicCmpXchg && old == want {
		return 1
	}
	return 0
}

// update atomically replaces a number by next of it, and returns the old one.
func update(p unsafe.Pointer, size int, onlyLoad bool, next func(uint64) uint64) uint64 {
	switch size {
	case 8:
		w := (*uint64)(p)
		for {
			old := atomic.LoadUint64(w)
			if onlyLoad || atomic.CompareAndSwapUint64(w, old, next(old)) {
				return old
			}
		}
	case 4:
		w := (*uint32)(p)
		for {
			old := atomic.LoadUint32(w)
			if onlyLoad || atomic.CompareAndSwapUint32(w, old, uint32(next(uint64(old)))) {
				return uint64(old)
			}
		}
	}
	// A smaller number is part of a word. The word is in the same page, so it may be accessed even
	// if it extends past the end of the object.
	shift := uint(uintptr(p)&3) * 8
	w := (*uint32)(unsafe.Pointer(uintptr(p) &^ 3))
	mask := uint32(1<<(8*size)-1) << shift
	for {
		word := atomic.LoadUint32(w)
		old := uint64(word & mask >> shift)
		if onlyLoad || atomic.CompareAndSwapUint32(w, word, word&^mask|uint32(next(old))<<shift&mask) {
			return old
		}
	}
}

// combine returns the value that an atomic operation stores.
func combine(op ir.Op, k ir.Kind, old, x, y uint64) uint64 {
	w := k.Bits()
	if k == ir.I1 {
		w = 8
	}
	s := func(v uint64) int64 { return int64(v) << (64 - w) >> (64 - w) }
	fl := func(v uint64) float32 { return math.Float32frombits(uint32(v)) }
	switch op {
	case ir.OpAtomicLoad:
		return old
	case ir.OpAtomicStore, ir.OpAtomicXchg:
		return x
	case ir.OpAtomicAdd:
		return old + x
	case ir.OpAtomicSub:
		return old - x
	case ir.OpAtomicSMin:
		if s(x) < s(old) {
			return x
		}
		return old
	case ir.OpAtomicSMax:
		if s(x) > s(old) {
			return x
		}
		return old
	case ir.OpAtomicUMin:
		return min(old, x)
	case ir.OpAtomicUMax:
		return max(old, x)
	case ir.OpAtomicAnd:
		return old & x
	case ir.OpAtomicOr:
		return old | x
	case ir.OpAtomicXor:
		return old ^ x
	case ir.OpAtomicFAdd:
		return uint64(math.Float32bits(fl(old) + fl(x)))
	case ir.OpAtomicFSub:
		return uint64(math.Float32bits(fl(old) - fl(x)))
	case ir.OpAtomicFMin:
		return num.Combine(ir.OpFMin, k, old, x)
	case ir.OpAtomicFMax:
		return num.Combine(ir.OpFMax, k, old, x)
	case ir.OpAtomicCmpXchg:
		if old == x {
			return y
		}
	}
	return old
}
