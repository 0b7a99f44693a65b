package kernel

import (
	"math"
	"sync/atomic"
	"unsafe"
)

// Integer is a type of integers that threads may change at the same time.
type Integer interface {
	~int32 | ~uint32
}

// word returns the bits of a number.
func word[T Number](p *T) *uint32 { return (*uint32)(unsafe.Pointer(p)) }

// change replaces a value by what f returns for it, and returns that.
func change[T Integer](p *T, f func(old T) T) T {
	for {
		old := AtomicLoad(p)
		if v := f(old); atomic.CompareAndSwapUint32(word(p), uint32(old), uint32(v)) {
			return v
		}
	}
}

// AtomicAdd adds v to a value that other threads may change at the same time and returns the new
// value. The order in which threads add floats, and with it the rounding, is not defined.
func AtomicAdd[T Number](p *T, v T) T {
	if kindOf[T]() != float {
		return fromBits[T](atomic.AddUint32(word(p), bitsOf(v)))
	}
	for {
		old := atomic.LoadUint32(word(p))
		sum := math.Float32bits(math.Float32frombits(old) + float32(v))
		if atomic.CompareAndSwapUint32(word(p), old, sum) {
			return fromBits[T](sum)
		}
	}
}

// AtomicMin replaces a value by v if v is less, and returns the new value.
func AtomicMin[T Integer](p *T, v T) T { return change(p, func(old T) T { return min(old, v) }) }

// AtomicMax replaces a value by v if v is greater, and returns the new value.
func AtomicMax[T Integer](p *T, v T) T { return change(p, func(old T) T { return max(old, v) }) }

// AtomicAnd replaces a value by value & v, and returns the new value.
func AtomicAnd[T Integer](p *T, v T) T { return change(p, func(old T) T { return old & v }) }

// AtomicOr replaces a value by value | v, and returns the new value.
func AtomicOr[T Integer](p *T, v T) T { return change(p, func(old T) T { return old | v }) }

// AtomicXor replaces a value by value ^ v, and returns the new value.
func AtomicXor[T Integer](p *T, v T) T { return change(p, func(old T) T { return old ^ v }) }

// AtomicExchange replaces a value by v and returns the old value.
func AtomicExchange[T Number](p *T, v T) T {
	return fromBits[T](atomic.SwapUint32(word(p), bitsOf(v)))
}

// AtomicCompareAndSwap replaces a value by v if it is old, and reports whether it was.
func AtomicCompareAndSwap[T Integer](p *T, old, v T) bool {
	return atomic.CompareAndSwapUint32(word(p), uint32(old), uint32(v))
}

// AtomicLoad returns a value that other threads may change at the same time.
func AtomicLoad[T Number](p *T) T { return fromBits[T](atomic.LoadUint32(word(p))) }

// AtomicStore sets a value that other threads may read at the same time.
func AtomicStore[T Number](p *T, v T) { atomic.StoreUint32(word(p), bitsOf(v)) }
