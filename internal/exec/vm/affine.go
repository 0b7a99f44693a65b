package vm

import (
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// pos executes OpPos: the thread's coordinate.
func pos(f *frame, o *op) {
	h := lir.AffineHeader{Valid: 1}
	*[...]*int64{&h.SX, &h.SY, &h.SZ}[o.in.Imm] = 1
	*f.affine(o.d) = h
}

// header returns an affine or Once operand as a header, which is invalid if the operand is a
// column. size is that of the kind.
func (f *frame) header(off int32, class lir.Class, size int) lir.AffineHeader {
	if class == lir.Affine {
		return *f.affine(off)
	}
	x := int64(f.bitsAt(off, size, 0))
	if size == 4 {
		x = int64(int32(x))
	}
	return lir.AffineHeader{Valid: 1, Base: x}
}

// span returns the minimum and maximum of a header's values over the threadgroup. ok is false if
// they may overflow.
func (f *frame) span(h *lir.AffineHeader) (lo, hi int64, ok bool) {
	const limit = 1 << 61
	lo, hi = h.Base, h.Base
	if lo > limit || lo < -limit {
		return 0, 0, false
	}
	for i, s := range [3]int64{h.SX, h.SY, h.SZ} {
		if s > limit>>10 || s < -limit>>10 {
			return 0, 0, false
		}
		far := s * f.far[i]
		lo, hi = lo+min(far, 0), hi+max(far, 0)
	}
	return lo, hi, true
}

// fits reports whether a header satisfies the range guarantee of AffineHeader for elements of the
// given size.
func (f *frame) fits(h *lir.AffineHeader, size int) bool {
	lo, hi, ok := f.span(h)
	if !ok {
		return false
	}
	if size == 4 {
		return lo >= -1<<31 && hi < 1<<31 || lo >= 0 && hi < 1<<32
	}
	return true
}

// element returns the value of a lane of an affine variable, sign-extended from the kind's size.
func (f *frame) element(off int32, class lir.Class, size, lane int) int64 {
	var x int64
	switch {
	case class == lir.Once:
		x = int64(f.bitsAt(off, size, 0))
	case class == lir.Simd:
		x = int64(f.bitsAt(off, size, lane/lir.SimdWidth))
	case class == lir.Lane:
		x = int64(f.bitsAt(off, size, lane))
	default:
		h := f.affine(off)
		if h.Valid == 0 {
			x = int64(f.bitsAt(off+lir.AffineBytes, size, lane))
		} else {
			x = h.Base + h.SX*int64(f.coords[0][lane]) + h.SY*int64(f.coords[1][lane]) + h.SZ*int64(f.coords[2][lane])
		}
	}
	if size == 4 {
		x = int64(int32(x))
	}
	return x
}

// affineOp executes an operation with Affine or Once operands and an Affine result, on headers if
// possible and otherwise on columns.
func affineOp(f *frame, o *op) {
	in := o.in
	fromSize := o.size
	if in.From != ir.Void {
		fromSize = in.From.Size()
	}
	a := f.header(o.a, o.aa, fromSize)
	h := lir.AffineHeader{Valid: a.Valid}
	var b lir.AffineHeader
	if o.b >= 0 {
		b = f.header(o.b, o.ba, o.size)
		h.Valid &= b.Valid
	}
	if h.Valid != 0 {
		switch o.code.IR() {
		case ir.OpAdd:
			h.Base, h.SX, h.SY, h.SZ = a.Base+b.Base, a.SX+b.SX, a.SY+b.SY, a.SZ+b.SZ
		case ir.OpSub:
			h.Base, h.SX, h.SY, h.SZ = a.Base-b.Base, a.SX-b.SX, a.SY-b.SY, a.SZ-b.SZ
		case ir.OpNeg:
			h.Base, h.SX, h.SY, h.SZ = -a.Base, -a.SX, -a.SY, -a.SZ
		case ir.OpMul:
			if o.aa == lir.Once {
				a, b = b, a
			}
			h = f.times(&a, b.Base)
		case ir.OpShl:
			h = f.times(&a, 1<<(uint64(b.Base)&uint64(8*o.size-1)))
		case ir.OpZExt, ir.OpSExt:
			h, _ = f.extended(&a, in.From, o.code.IR() == ir.OpZExt)
		case ir.OpTrunc:
			h = a
		}
		if h.Valid != 0 && f.fits(&h, o.size) {
			*f.affine(o.d) = h
			return
		}
	}
	for l := range f.lanes {
		x := f.element(o.a, o.aa, fromSize, l)
		var y int64
		if o.b >= 0 {
			y = f.element(o.b, o.ba, o.size, l)
		}
		switch o.code.IR() {
		case ir.OpAdd:
			x += y
		case ir.OpSub:
			x -= y
		case ir.OpNeg:
			x = -x
		case ir.OpMul:
			x *= y
		case ir.OpShl:
			x <<= uint64(y) & uint64(8*o.size-1)
		case ir.OpZExt:
			if fromSize == 4 {
				x = int64(uint32(x))
			}
		}
		f.setBits(o.d+lir.AffineBytes, o.size, l, uint64(x))
	}
	*f.affine(o.d) = lir.AffineHeader{} // at last: the result may be an operand
}

// times returns a header multiplied by a number; it is invalid if that may overflow.
func (f *frame) times(a *lir.AffineHeader, by int64) lir.AffineHeader {
	const limit = 1 << 31
	if by > limit || by < -limit {
		return lir.AffineHeader{}
	}
	for _, x := range [...]int64{a.Base, a.SX, a.SY, a.SZ} {
		if x > limit || x < -limit {
			return lir.AffineHeader{}
		}
	}
	return lir.AffineHeader{Valid: 1, Base: a.Base * by, SX: a.SX * by, SY: a.SY * by, SZ: a.SZ * by}
}

// extended returns a header of 32-bit numbers extended to 64 bits, with zeros or the sign; false if
// it has no such form.
func (f *frame) extended(a *lir.AffineHeader, from ir.Kind, zero bool) (lir.AffineHeader, bool) {
	if from == ir.I64 {
		return *a, true
	}
	lo, hi, ok := f.span(a)
	h := *a
	switch {
	case !ok:
	case zero && lo >= 0, !zero && hi < 1<<31:
		return h, true
	case zero && hi < 0:
		h.Base += 1 << 32
		return h, true
	case !zero && lo >= 1<<31:
		h.Base -= 1 << 32
		return h, true
	}
	return lir.AffineHeader{}, false
}

// offset executes OpOffset, pointer plus index, for any class.
func offset(f *frame, o *op) {
	in := o.in
	if o.per == lir.Affine {
		a, b := f.header(o.a, o.aa, 8), lir.AffineHeader{Valid: 1}
		if o.b >= 0 {
			size := 8
			if in.Ext != lir.NoExt {
				size = 4
			}
			b = f.header(o.b, o.ba, size)
			if b.Valid != 0 && in.Ext != lir.NoExt {
				b, _ = f.extended(&b, ir.I32, in.Ext == lir.ZExt)
			}
			if b.Valid != 0 {
				b = f.times(&b, in.Scale)
			}
		}
		h := lir.AffineHeader{Valid: a.Valid & b.Valid, Base: a.Base + b.Base + in.Disp, SX: a.SX + b.SX, SY: a.SY + b.SY,
			SZ: a.SZ + b.SZ}
		if h.Valid != 0 {
			// All lanes must stay in the base pointer's object.
			low := h
			low.Base = h.Base & exec.OffsetMask
			lo, hi, ok := f.span(&low)
			if ok && lo >= 0 && hi <= exec.OffsetMask && h.Base>>40 == a.Base>>40 {
				*f.affine(o.d) = h
				return
			}
		}
		f.pointers(o, f.lanes)
		*f.affine(o.d) = lir.AffineHeader{}
		copy(col[uint64](f, o.d+lir.AffineBytes, f.lanes), f.addrs[:])
		return
	}
	n := f.counts[o.per]
	f.pointers(o, n)
	copy(col[uint64](f, o.d, n), f.addrs[:n])
}
