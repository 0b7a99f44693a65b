package vm

import (
	"encoding/binary"

	"github.com/puremetal/puremetal/internal/ir/lir"
)

// maskOps are the mask operations.
var maskOps = [lir.NumOps]func(*frame, *op){
	lir.OpMaskAnd: maskAnd, lir.OpMaskAndNot: maskAndNot, lir.OpMaskOr: maskOr, lir.OpMaskSub: maskSub,
	lir.OpMaskCopy: maskCopy, lir.OpMaskClear: maskClear,
}

// truths returns the mask of the lanes in which a truth value is true.
func (f *frame) truths(off int32, class lir.Class) (m [lir.MaskWords]uint32) {
	switch class {
	case lir.Once:
		if *word[uint8](f, off) != 0 {
			m = f.full
		}
	case lir.Simd:
		for w, x := range col[uint8](f, off, f.simds) {
			m[w] = -uint32(x)
		}
	default:
		// Eight bytes of 0 or 1 become eight bits. Columns are padded, so that whole words can be read.
		b := col[uint8](f, off, f.simds*lir.SimdWidth)
		for i := 0; i < len(b); i += 8 {
			x := binary.LittleEndian.Uint64(b[i:]) & 0x0101010101010101 * 0x0102040810204080 >> 56
			m[i/lir.SimdWidth] |= uint32(x) << (i % lir.SimdWidth)
		}
	}
	return m
}

func maskAnd(f *frame, o *op) {
	t, a, d := f.truths(o.b, o.ba), f.mask(o.a), f.mask(o.d)
	for w := range d {
		d[w] = a[w] & t[w]
	}
}

func maskAndNot(f *frame, o *op) {
	t, a, d := f.truths(o.b, o.ba), f.mask(o.a), f.mask(o.d)
	for w := range d {
		d[w] = a[w] &^ t[w]
	}
}

func maskOr(f *frame, o *op) {
	a, b, d := f.mask(o.a), f.mask(o.b), f.mask(o.d)
	for w := range d {
		d[w] = a[w] | b[w]
	}
}

func maskSub(f *frame, o *op) {
	a, b, d := f.mask(o.a), f.mask(o.b), f.mask(o.d)
	for w := range d {
		d[w] = a[w] &^ b[w]
	}
}

func maskCopy(f *frame, o *op) { *f.mask(o.d) = *f.mask(o.a) }

func maskClear(f *frame, o *op) { clear(f.mask(o.d)[:]) }
