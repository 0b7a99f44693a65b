package vm

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
)

// atomicOp carries out an atomic operation for each lane of the mask, in ascending order.
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
	each(f.mask(o.m), do)
}

// atomic carries out one lane's operation at an address; x is the operand, y a compare-exchange's new value.
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
	off := addr & offsetMask
	if n := uint64(len(obj.Data)); off > n || uint64(size) > n-off || obj.ReadOnly && irop != ir.OpAtomicLoad {
		return 0, 0
	}
	p := unsafe.Pointer(&obj.Data[off])
	if o.in.Space == ir.Threadgroup { // its strips run one after the other
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

// update replaces a number by what next makes of it, indivisibly, and returns the old one.
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
	// A smaller number is part of a word. The word lies in the same page, so that it may be read even where the object ends.
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

// combine returns what an atomic operation stores.
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
