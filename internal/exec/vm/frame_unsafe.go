package vm

import (
	"math/bits"
	"unsafe"

	"github.com/puremetal/puremetal/internal/ir/lir"
)

// frame is the memory of a strip: its variables and its lanes' thread space.
type frame struct {
	base   unsafe.Pointer // of the variables, aligned to lir.ColumnAlign
	vars   []uint64       // keeps the variables alive
	thread []byte         // the thread space: 4 bytes of lane 0, of lane 1, ...; then the next 4 bytes of each

	g      *group
	first  int                   // index of lane 0 in the threadgroup
	width  int                   // number of existing lanes
	all    [lir.MaskWords]uint32 // the existing lanes as a mask
	coords *[3][lir.MaxLanes]int32
	far    [3]int64 // the largest coordinates in the threadgroup
	oneRow bool     // the threadgroup has one row

	rowWidth int // lanes per row if the strip consists of rows of one plane, otherwise 0

	// The current length of the strip: all lanes, or fewer in a region that the others do not need
	// (narrow.go).
	lanes   int
	simds   int
	blocks  int                   // of 16 lanes
	counts  [4]int                // elements of a Once, Simd, Affine and Lane variable
	full    [lir.MaskWords]uint32 // the lanes
	extents []int                 // lanes in each region

	pc      int
	fuel    int64 // work left until the next check whether the launch wants the strip to stop
	stopped stop
	passed  [lir.MaskWords]uint32 // lanes that a barrier has passed over
	addrs   [lir.MaxLanes]uint64  // scratch: an address per lane
	words   [lir.MaxLanes]uint32  // scratch
	texels  *texels               // scratch, if there are textures
	watched *watching             // the memory of events, if there is a hook

	contexts  []prepared // of the ranges that are machine code, or nil before the first runs
	suspended bool       // one ran out of fuel
	broken    error      // why one cannot continue
	called    *frame     // in which they call the engine
}

// newVars allocates the variables.
func (f *frame) newVars(bytes int) {
	f.vars = make([]uint64, bytes/8+lir.ColumnAlign/8)
	p := unsafe.Pointer(unsafe.SliceData(f.vars))
	f.base = unsafe.Add(p, -uintptr(p)&(lir.ColumnAlign-1))
}

// number is an element type of columns.
type number interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int8 | ~int16 | ~int32 | ~int64 | ~float32
}

// col returns n elements of the variable at off.
func col[T number](f *frame, off int32, n int) []T {
	return unsafe.Slice((*T)(unsafe.Add(f.base, off)), n)
}

// word returns the only element of the variable at off.
func word[T number](f *frame, off int32) *T { return (*T)(unsafe.Add(f.base, off)) }

func (f *frame) affine(off int32) *lir.AffineHeader {
	return (*lir.AffineHeader)(unsafe.Add(f.base, off))
}

// mask returns the words of a mask; offset -1 is the full mask.
func (f *frame) mask(off int32) *[lir.MaskWords]uint32 {
	if off < 0 {
		return &f.full
	}
	return (*[lir.MaskWords]uint32)(unsafe.Add(f.base, off))
}

// simdScratch returns scratch for the elements of a simdgroup.
func simdScratch[T number](f *frame) *[lir.SimdWidth]T {
	return (*[lir.SimdWidth]T)(unsafe.Pointer(&f.addrs))
}

// bitsAt reads element i of the given size as a number.
func (f *frame) bitsAt(off int32, size, i int) uint64 {
	p := unsafe.Add(f.base, int(off)+i*size)
	switch size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// setBits writes element i.
func (f *frame) setBits(off int32, size, i int, x uint64) {
	p := unsafe.Add(f.base, int(off)+i*size)
	switch size {
	case 1:
		*(*uint8)(p) = uint8(x)
	case 2:
		*(*uint16)(p) = uint16(x)
	case 4:
		*(*uint32)(p) = uint32(x)
	default:
		*(*uint64)(p) = x
	}
}

// each calls visit for the lanes of a mask in ascending order.
func (f *frame) each(m *[lir.MaskWords]uint32, visit func(lane int)) {
	for w, word := range m {
		for word &= f.full[w]; word != 0; word &= word - 1 {
			visit(w*lir.SimdWidth + bits.TrailingZeros32(word))
		}
	}
}

// sameLanes reports whether masks are equal, without a call.
func sameLanes(a, b *[lir.MaskWords]uint32) bool {
	return (a[0]^b[0])|(a[1]^b[1])|(a[2]^b[2])|(a[3]^b[3])|(a[4]^b[4])|(a[5]^b[5])|(a[6]^b[6])|(a[7]^b[7]) == 0
}

func isEmpty(m *[lir.MaskWords]uint32) bool {
	return m[0]|m[1]|m[2]|m[3]|m[4]|m[5]|m[6]|m[7] == 0
}

// peek and poke read and write memory known to exist.
func peek(p unsafe.Pointer, size int) uint64 {
	switch size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

func poke(p unsafe.Pointer, size int, x uint64) {
	switch size {
	case 1:
		*(*uint8)(p) = uint8(x)
	case 2:
		*(*uint16)(p) = uint16(x)
	case 4:
		*(*uint32)(p) = uint32(x)
	default:
		*(*uint64)(p) = x
	}
}
