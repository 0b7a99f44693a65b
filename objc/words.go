package objc

import (
	"math"
	"unsafe"
)

// Bool returns b as an argument word.
func Bool(b bool) uintptr {
	if b {
		return 1
	}
	return 0
}

// F32 returns f as an argument word.
func F32(f float32) uintptr { return uintptr(math.Float32bits(f)) }

// F64 returns f as an argument word.
func F64(f float64) uintptr { return uintptr(math.Float64bits(f)) }

// ToF32 returns the float that a result word holds.
func ToF32(w uintptr) float32 { return math.Float32frombits(uint32(w)) }

// ToF64 returns the double that a result word holds.
func ToF64(w uintptr) float64 { return math.Float64frombits(uint64(w)) }

// Pack returns the memory image of a structure of at most 8 bytes as an argument word. T must not
// contain Go pointers.
func Pack[T any](v T) uintptr {
	var w uintptr
	copyImage(unsafe.Pointer(&w), unsafe.Pointer(&v), unsafe.Sizeof(w), unsafe.Sizeof(v))
	return w
}

// WordAt returns the i-th word of the memory image of a structure, for structures that are passed
// as several argument words. T must not contain Go pointers.
func WordAt[T any](v T, i int) uintptr {
	var w uintptr
	at := uintptr(i) * unsafe.Sizeof(w)
	if i < 0 || at >= unsafe.Sizeof(v) {
		return 0
	}
	copyImage(unsafe.Pointer(&w), unsafe.Add(unsafe.Pointer(&v), at), unsafe.Sizeof(w), unsafe.Sizeof(v)-at)
	return w
}

// Pack2 returns the memory image of a structure of 9 to 16 bytes as two argument words. T must not
// contain Go pointers.
func Pack2[T any](v T) (uintptr, uintptr) {
	var w [2]uintptr
	copyImage(unsafe.Pointer(&w), unsafe.Pointer(&v), unsafe.Sizeof(w), unsafe.Sizeof(v))
	return w[0], w[1]
}

// Unpack returns the structure whose memory image is in words. T must not contain Go pointers.
// Missing words read as zero; extra words are ignored.
func Unpack[T any](words ...uintptr) T {
	var v T
	if len(words) > 0 {
		copyImage(unsafe.Pointer(&v), unsafe.Pointer(&words[0]), unsafe.Sizeof(v),
			uintptr(len(words))*unsafe.Sizeof(words[0]))
	}
	return v
}

func copyImage(dst, src unsafe.Pointer, dstLen, srcLen uintptr) {
	n := min(dstLen, srcLen)
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}

// heapSink is never written. The compiler cannot know that, so it moves whatever heapAddr sees to
// the heap.
var heapSink struct {
	on bool
	p  unsafe.Pointer
}

// heapAddr returns an address that stays valid during the call. A goroutine's stack moves when it
// grows, even during a message that calls back into Go, so memory whose address is passed to C must
// never be on it.
func heapAddr(p unsafe.Pointer) uintptr {
	if heapSink.on {
		heapSink.p = p
	}
	return uintptr(p)
}

// Slice returns the address of the first element of s as an argument word, or 0 for an empty slice.
// The elements are forced onto the heap. The caller must keep s alive until the message has
// returned (runtime.KeepAlive).
func Slice[T any](s []T) uintptr {
	if len(s) == 0 {
		return 0
	}
	return heapAddr(unsafe.Pointer(unsafe.SliceData(s)))
}

// Addr returns the address of *p as an argument word, or 0 for nil. The rules of [Slice] apply.
func Addr[T any](p *T) uintptr { return heapAddr(unsafe.Pointer(p)) }

// View returns n bytes of foreign memory at addr as a slice, or nil if addr or n is 0. The view
// does not keep the memory alive.
func View(addr uintptr, n int) []byte {
	if addr == 0 || n <= 0 {
		return nil
	}
	return unsafe.Slice((*byte)(foreign(addr)), n)
}

// foreign turns an address outside the Go heap into a pointer. Vet mistakes a direct conversion for
// a Go pointer that was stored as an integer, hence the detour through memory.
func foreign(addr uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }

// noescape hides s from escape analysis. Callers pass s to code that uses it during the call only.
// The result is still a pointer, so it stays valid when the stack grows. Nothing may be called
// between the two conversions, hence nosplit.
//
//go:nosplit
func noescape(s []uintptr) []uintptr {
	x := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	return unsafe.Slice((*uintptr)(*(*unsafe.Pointer)(unsafe.Pointer(&x))), len(s))
}
