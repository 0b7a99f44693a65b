package vm

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/ir/lir"
)

// chooseMov picks the function for a Mov.
func chooseMov(o *op, p *program) func(*frame, *op) {
	o.size = p.lir.Var(o.in.D).ElemSize()
	switch {
	case o.da == lir.Affine && o.aa == lir.Once:
		return func(f *frame, o *op) { *f.affine(o.d) = f.header(o.a, o.aa, o.size) }
	case o.da == lir.Affine:
		return func(f *frame, o *op) {
			h := f.affine(o.a)
			*f.affine(o.d) = *h
			if h.Valid == 0 {
				copy(col[uint8](f, o.d+lir.AffineBytes, f.lanes*o.size), col[uint8](f, o.a+lir.AffineBytes, f.lanes*o.size))
			}
		}
	case o.da == lir.Once:
		return func(f *frame, o *op) { *word[uint64](f, o.d) = *word[uint64](f, o.a) }
	case o.da == o.aa:
		return func(f *frame, o *op) {
			n := f.counts[o.da] * o.size
			copy(col[uint8](f, o.d, n), col[uint8](f, o.a, n))
		}
	}
	switch o.size {
	case 1:
		return chooseSpread[uint8](o)
	case 2:
		return chooseSpread[uint16](o)
	case 4:
		return chooseSpread[uint32](o)
	}
	return chooseSpread[uint64](o)
}

// chooseSpread picks the function that copies to each element of D the element of A shared by its
// lanes.
func chooseSpread[T number](o *op) func(*frame, *op) {
	switch o.aa {
	case lir.Once:
		return func(f *frame, o *op) {
			x := *word[T](f, o.a)
			d := col[T](f, o.d, f.counts[o.da])
			for i := range d {
				d[i] = x
			}
		}
	case lir.Simd:
		return func(f *frame, o *op) {
			d := col[T](f, o.d, f.lanes)
			for s, x := range col[T](f, o.a, f.simds) {
				row := d[s*lir.SimdWidth : min((s+1)*lir.SimdWidth, len(d))]
				for i := range row {
					row[i] = x
				}
			}
		}
	}
	return expand[T]
}

// expand expands an affine variable to a column.
func expand[T number](f *frame, o *op) {
	h := f.affine(o.a)
	d := col[T](f, o.d, f.lanes)
	if h.Valid == 0 {
		copy(d, col[T](f, o.a+lir.AffineBytes, f.lanes))
		return
	}
	x, y, z := &f.coords[0], &f.coords[1], &f.coords[2]
	switch {
	case h.SY == 0 && h.SZ == 0:
		for i := range d {
			d[i] = T(uint64(h.Base + h.SX*int64(x[i&(lir.MaxLanes-1)])))
		}
	default:
		for i := range d {
			l := i & (lir.MaxLanes - 1)
			d[i] = T(uint64(h.Base + h.SX*int64(x[l]) + h.SY*int64(y[l]) + h.SZ*int64(z[l])))
		}
	}
}

// chooseMerge picks the function for a Merge.
func chooseMerge(o *op) func(*frame, *op) {
	switch o.size {
	case 1:
		return merge[uint8]
	case 2:
		return merge[uint16]
	case 4:
		return merge[uint32]
	}
	return merge[uint64]
}

func merge[T number](f *frame, o *op) {
	d, m := col[T](f, o.d, f.lanes), f.mask(o.m)
	if o.aa == lir.Lane {
		mergeWords(d, col[T](f, o.a, f.lanes), m, &f.full)
		return
	}
	x := *word[T](f, o.a)
	for w, word := range m {
		for word &= f.full[w]; word != 0; word &= word - 1 {
			d[w*lir.SimdWidth+bits.TrailingZeros32(word)] = x
		}
	}
}

// mergeWords copies the elements of a mask's lanes.
func mergeWords[T number](d, a []T, m, full *[lir.MaskWords]uint32) {
	if *m == *full {
		copy(d, a)
		return
	}
	for w, word := range m {
		word &= full[w]
		if word == ^uint32(0) {
			copy(d[w*lir.SimdWidth:(w+1)*lir.SimdWidth], a[w*lir.SimdWidth:])
			continue
		}
		for ; word != 0; word &= word - 1 {
			l := w*lir.SimdWidth + bits.TrailingZeros32(word)
			d[l] = a[l]
		}
	}
}

// chooseSelect picks the function for a select.
func chooseSelect(o *op) func(*frame, *op) {
	if o.per == lir.Once || o.aa == lir.Once {
		return selectEach
	}
	switch o.size {
	case 1:
		return selectLanes[uint8]
	case 2:
		return selectLanes[uint16]
	case 4:
		return selectLanes[uint32]
	}
	return selectLanes[uint64]
}

func selectEach(f *frame, o *op) {
	for i := range f.counts[o.per] {
		x := f.operand(o.b, o.ba, o.size, i)
		if f.operand(o.a, o.aa, 1, i) == 0 {
			x = f.operand(o.c, o.ca, o.size, i)
		}
		f.setBits(o.d, o.size, i, x)
	}
}

func selectLanes[T number](f *frame, o *op) {
	n := f.counts[o.per]
	d, t := col[T](f, o.d, n), col[uint8](f, o.a, n)
	switch {
	case o.ba == lir.Once && o.ca == lir.Once:
		b, c := *word[T](f, o.b), *word[T](f, o.c)
		for i := range d {
			x := c
			if t[i] != 0 {
				x = b
			}
			d[i] = x
		}
	case o.ba == lir.Once:
		b, c := *word[T](f, o.b), col[T](f, o.c, n)
		for i := range d {
			x := c[i]
			if t[i] != 0 {
				x = b
			}
			d[i] = x
		}
	case o.ca == lir.Once:
		b, c := col[T](f, o.b, n), *word[T](f, o.c)
		for i := range d {
			x := c
			if t[i] != 0 {
				x = b[i]
			}
			d[i] = x
		}
	default:
		b, c := col[T](f, o.b, n), col[T](f, o.c, n)
		for i := range d {
			x := c[i]
			if t[i] != 0 {
				x = b[i]
			}
			d[i] = x
		}
	}
}
