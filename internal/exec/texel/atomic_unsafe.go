package texel

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
)

// unaligned is held during atomic operations on texels that are not aligned in host memory.
var unaligned sync.Mutex

// Atomic executes an atomic operation on a texel of level 0 that holds one number of kind k, and
// returns the old value.
func (x *Image) Atomic(op ir.Op, k ir.Kind, at [3]uint32, layer uint32, v uint64) (old uint64) {
	return x.update(k, at, layer, func(old uint64) uint64 { return num.Modify(op, k, old, v) })
}

// CompareExchange replaces the number by v if it equals want. It returns the old value and whether
// it was replaced.
func (x *Image) CompareExchange(k ir.Kind, at [3]uint32, layer uint32, want, v uint64) (old uint64, done bool) {
	old = x.update(k, at, layer, func(old uint64) uint64 {
		if done = old == want; done {
			return v
		}
		return old
	})
	return old, done
}

func (x *Image) update(k ir.Kind, at [3]uint32, layer uint32, next func(uint64) uint64) (old uint64) {
	texel := x.texel(at, layer, 0, 0)
	if texel == nil || !x.Format.isInt() || x.Format.bytes != k.Size() {
		return 0
	}
	if x.ReadOnly {
		next = func(old uint64) uint64 { return old }
	}
	p := unsafe.Pointer(unsafe.SliceData(texel))
	switch {
	case uintptr(p)%uintptr(len(texel)) != 0:
		unaligned.Lock()
		defer unaligned.Unlock()
		old = getBits(k, texel)
		putBits(k, texel, next(old))
		return old
	case k == ir.I64:
		for {
			old = atomic.LoadUint64((*uint64)(p))
			if atomic.CompareAndSwapUint64((*uint64)(p), old, next(old)) {
				return old
			}
		}
	}
	for {
		old = uint64(atomic.LoadUint32((*uint32)(p)))
		if atomic.CompareAndSwapUint32((*uint32)(p), uint32(old), uint32(next(old))) {
			return old
		}
	}
}
