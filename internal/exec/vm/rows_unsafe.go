package vm

import (
	"math/bits"
	"unsafe"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// rows describes the addresses of a memory operation with affine addresses. The lanes of a row,
// which differ only in x, are step bytes apart.
type rows struct {
	obj    *exec.Object
	h      lir.AffineHeader // offsets in the object
	limit  int64            // the last offset at which an element is in bounds; negative if there is none
	inside bool             // all lanes of the threadgroup are in bounds
	line   bool             // all lanes are evenly spaced
}

// maxOffset limits affine offsets, so that they do not wrap around into an object.
const maxOffset = 1 << 39

// rows computes the addresses of a memory operation, or returns false if they are not affine.
func (f *frame) rows(o *op, r *rows) bool {
	var lo, hi int64
	var id uint64
	if o.aa == lir.Once && o.ba == lir.Affine && o.b >= 0 && uint64(o.in.Scale) < 1<<16 {
		// A fast path for the common form: a root shared by all lanes and an affine index.
		b := f.affine(o.b)
		if b.Valid == 0 {
			return false
		}
		root := *word[uint64](f, o.a)
		id = root >> 40
		x, y, z := b.SX*f.far[0], b.SY*f.far[1], b.SZ*f.far[2]
		lo, hi = b.Base+min(x, 0)+min(y, 0)+min(z, 0), b.Base+max(x, 0)+max(y, 0)+max(z, 0)
		switch {
		case o.in.Disp < -maxOffset, o.in.Disp > maxOffset, // the sums below could wrap
			o.in.Ext == lir.ZExt && lo < 0, o.in.Ext == lir.SExt && hi >= 1<<31, lo < -maxOffset>>16, hi > maxOffset>>16:
			if !f.slowRows(o, r, &lo, &hi, &id) {
				return false
			}
		default:
			scale, start := o.in.Scale, int64(root&exec.OffsetMask)+o.in.Disp
			r.h = lir.AffineHeader{Valid: 1, Base: start + b.Base*scale, SX: b.SX * scale, SY: b.SY * scale, SZ: b.SZ * scale}
			lo, hi = start+lo*scale, start+hi*scale
		}
	} else if !f.slowRows(o, r, &lo, &hi, &id) {
		return false
	}
	r.obj = f.object(o.in.Space, id)
	r.limit = int64(len(r.obj.Data)) - int64(o.size)
	r.inside = lo >= 0 && hi <= r.limit
	if !r.inside && (lo < -maxOffset || hi >= maxOffset || r.limit >= maxOffset) {
		return false
	}
	r.line = f.oneRow || f.isLine(&r.h)
	return true
}

// slowRows is rows for all forms of addresses.
func (f *frame) slowRows(o *op, r *rows, lo, hi *int64, id *uint64) (ok bool) {
	if r.h, *id, ok = f.affineAddress(o); ok {
		*lo, *hi, ok = f.span(&r.h)
	}
	return ok
}

// affineAddress returns the lanes' addresses as offsets in an object, if they have that form.
func (f *frame) affineAddress(o *op) (at lir.AffineHeader, id uint64, ok bool) {
	in := o.in
	var h lir.AffineHeader
	switch o.aa {
	case lir.Once:
		h = lir.AffineHeader{Valid: 1, Base: *word[int64](f, o.a)}
	case lir.Affine:
		h = *f.affine(o.a)
	}
	if h.Valid == 0 {
		return h, 0, false
	}
	id = uint64(h.Base) >> 40
	h.Base = h.Base&exec.OffsetMask + in.Disp
	if o.b >= 0 {
		if o.ba != lir.Once && o.ba != lir.Affine {
			return h, 0, false
		}
		size := 8
		if in.Ext != lir.NoExt {
			size = 4
		}
		b := f.header(o.b, o.ba, size)
		if b.Valid != 0 && in.Ext != lir.NoExt {
			b, _ = f.extended(&b, ir.I32, in.Ext == lir.ZExt)
		}
		if b.Valid != 0 {
			b = f.times(&b, in.Scale)
		}
		if b.Valid == 0 {
			return h, 0, false
		}
		h.Base, h.SX, h.SY, h.SZ = h.Base+b.Base, h.SX+b.SX, h.SY+b.SY, h.SZ+b.SZ
	}
	return h, id, true
}

// isLine reports whether all lanes are evenly spaced in memory.
func (f *frame) isLine(h *lir.AffineHeader) bool {
	s := &f.g.p.lir.Shape
	return (s[1] == 1 || h.SY == h.SX*int64(s[0])) && (s[2] == 1 || h.SZ == h.SX*int64(s[0]*s[1]))
}

// row returns how many lanes from lane l on differ only in x, and the offset of l.
func (f *frame) row(r *rows, l int) (n int, off int64) {
	h := &r.h
	if r.line {
		return f.lanes - l, h.Base + h.SX*int64(f.first+l)
	}
	x := int(f.coords[0][l])
	return min(f.g.p.lir.Shape[0]-x, f.lanes-l),
		h.Base + h.SX*int64(x) + h.SY*int64(f.coords[1][l]) + h.SZ*int64(f.coords[2][l])
}

// clip returns which of n elements, starting at off and step apart, are in bounds.
func (r *rows) clip(n int, off, step int64) (from, to int) {
	if r.limit < 0 {
		return 0, 0
	}
	if last := off + step*int64(n-1); off >= 0 && off <= r.limit && last >= 0 && last <= r.limit {
		return 0, n
	}
	if step > 0 {
		if off < 0 {
			from = int(min((step-1-off)/step, int64(n)))
		}
		if off > r.limit {
			return 0, 0
		}
		return from, max(from, int(min((r.limit-off)/step+1, int64(n))))
	}
	for from < n && uint64(off+step*int64(from)) > uint64(r.limit) {
		from++
	}
	to = from
	for to < n && uint64(off+step*int64(to)) <= uint64(r.limit) {
		to++
	}
	return from, to
}

// loadRows loads whole rows, whatever the mask; out of bounds they are 0. Lanes outside the mask
// may load what another threadgroup is writing. Their values are unused, but the race detector
// would report a race that the kernel does not have, so under it masked loads go lane by lane.
func loadRows[T number](f *frame, o *op, r *rows) {
	base := unsafe.Pointer(unsafe.SliceData(r.obj.Data))
	d := col[T](f, o.d, f.lanes)
	if r.inside && r.line {
		loadRow(d, unsafe.Add(base, r.h.Base+r.h.SX*int64(f.first)), r.h.SX)
		return
	}
	if width := f.rowWidth; r.inside && width > 0 {
		off := r.h.Base + r.h.SY*int64(f.coords[1][0])
		for l := 0; l < len(d); l += width {
			loadRow(d[l:min(l+width, len(d))], unsafe.Add(base, off), r.h.SX)
			off += r.h.SY
		}
		return
	}
	for l := 0; l < len(d); {
		n, off := f.row(r, l)
		row := d[l : l+n]
		l += n
		if r.inside {
			loadRow(row, unsafe.Add(base, off), r.h.SX)
			continue
		}
		from, to := r.clip(n, off, r.h.SX)
		clear(row[:from])
		if from < to {
			loadRow(row[from:to], unsafe.Add(base, off+r.h.SX*int64(from)), r.h.SX)
		}
		clear(row[to:])
	}
}

func loadRow[T number](d []T, p unsafe.Pointer, step int64) {
	switch step {
	case int64(unsafe.Sizeof(d[0])):
		from := unsafe.Slice((*T)(p), len(d))
		if len(d) == 16 { // worth it for threadgroups of 16 by 16 threads
			*(*[16]T)(d) = *(*[16]T)(from)
			return
		}
		copy(d, from)
	case 0:
		fill(d, *(*T)(p))
	default:
		for i := range d {
			d[i] = *(*T)(p)
			if i < len(d)-1 {
				p = unsafe.Add(p, step)
			}
		}
	}
}

// fill sets all elements to one value.
func fill[T number](d []T, x T) {
	for len(d) >= 8 {
		e := (*[8]T)(d)
		e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7] = x, x, x, x, x, x, x, x
		d = d[8:]
	}
	for i := range d {
		d[i] = x
	}
}

// storeRows stores whole rows if all lanes take part; otherwise it goes by words of the mask and by
// lanes. Out-of-bounds stores are dropped. Lanes act in ascending order.
func storeRows[T number](f *frame, o *op, r *rows) {
	if r.obj.ReadOnly || r.limit < 0 {
		return
	}
	base := unsafe.Pointer(unsafe.SliceData(r.obj.Data))
	var values []T
	if o.ca == lir.Once {
		values = unsafe.Slice((*T)(unsafe.Pointer(&f.addrs)), f.lanes)
		fill(values, *word[T](f, o.c))
	} else {
		values = col[T](f, o.c, f.lanes)
	}
	store := func(l, n int, off int64) {
		from, to := 0, n
		if !r.inside {
			from, to = r.clip(n, off, r.h.SX)
		}
		if from < to {
			storeRow(values[l+from:l+to], unsafe.Add(base, off+r.h.SX*int64(from)), r.h.SX)
		}
	}
	m := f.mask(o.m)
	if *m == f.full {
		for l := 0; l < len(values); {
			n, off := f.row(r, l)
			store(l, n, off)
			l += n
		}
		return
	}
	for w, word := range m {
		word &= f.full[w]
		if r.line && word == ^uint32(0) {
			l := w * lir.SimdWidth
			store(l, lir.SimdWidth, r.h.Base+r.h.SX*int64(f.first+l))
			continue
		}
		for ; word != 0; word &= word - 1 {
			l := w*lir.SimdWidth + bits.TrailingZeros32(word)
			if off := r.h.Base + r.h.SX*int64(f.coords[0][l]) + r.h.SY*int64(f.coords[1][l]) +
				r.h.SZ*int64(f.coords[2][l]); uint64(off) <= uint64(r.limit) {
				*(*T)(unsafe.Add(base, off)) = values[l]
			}
		}
	}
}

func storeRow[T number](from []T, p unsafe.Pointer, step int64) {
	if step == int64(unsafe.Sizeof(from[0])) {
		copy(unsafe.Slice((*T)(p), len(from)), from)
		return
	}
	for i, x := range from {
		*(*T)(p) = x
		if i < len(from)-1 {
			p = unsafe.Add(p, step)
		}
	}
}
