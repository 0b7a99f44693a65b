package vm

import "github.com/puremetal/puremetal/internal/ir/lir"

// chooseFused picks the loop for an f32 fma: operands are columns or the same in all lanes.
func chooseFused(o *op) func(*frame, *op) {
	column := func(c lir.Class) bool { return o.per == lir.Once || c == o.per }
	switch a, b, c := column(o.aa), column(o.ba), column(o.ca); {
	case a && b && c:
		return func(f *frame, o *op) {
			n := f.counts[o.per]
			d, a, b, c := col[float32](f, o.d, n), col[float32](f, o.a, n), col[float32](f, o.b, n), col[float32](f, o.c, n)
			for i := range d {
				d[i] = fused(a[i], b[i], c[i])
			}
		}
	case a && b:
		return func(f *frame, o *op) {
			n, z := f.counts[o.per], *word[float32](f, o.c)
			d, a, b := col[float32](f, o.d, n), col[float32](f, o.a, n), col[float32](f, o.b, n)
			for i := range d {
				d[i] = fused(a[i], b[i], z)
			}
		}
	case c && (a || b):
		if !a { // the factors of a product may be swapped
			return func(f *frame, o *op) { fusedRow(f, o, o.b, o.a) }
		}
		return func(f *frame, o *op) { fusedRow(f, o, o.a, o.b) }
	case a:
		return func(f *frame, o *op) { fusedLine(f, o, o.a, o.b) }
	case b:
		return func(f *frame, o *op) { fusedLine(f, o, o.b, o.a) }
	}
	return nil // only the last operand differs between lanes
}

// fusedRow multiplies a column by a number shared by all lanes.
func fusedRow(f *frame, o *op, column, common int32) {
	n, y := f.counts[o.per], *word[float32](f, common)
	d, a, c := col[float32](f, o.d, n), col[float32](f, column, n), col[float32](f, o.c, n)
	for i := range d {
		d[i] = fused(a[i], y, c[i])
	}
}

// fusedLine also adds a number shared by all lanes.
func fusedLine(f *frame, o *op, column, common int32) {
	n, y, z := f.counts[o.per], *word[float32](f, common), *word[float32](f, o.c)
	d, a := col[float32](f, o.d, n), col[float32](f, column, n)
	for i := range d {
		d[i] = fused(a[i], y, z)
	}
}

// chooseBitField picks the loop for an extraction.
func chooseBitField(o *op, sign bool) func(*frame, *op) {
	switch o.size {
	case 1:
		return func(f *frame, o *op) { bitField[uint8](f, o, sign) }
	case 2:
		return func(f *frame, o *op) { bitField[uint16](f, o, sign) }
	case 4:
		return func(f *frame, o *op) { bitField[uint32](f, o, sign) }
	}
	return func(f *frame, o *op) { bitField[uint64](f, o, sign) }
}

// bitField executes an extraction whose field has the same position and width in all lanes.
func bitField[T unsigned](f *frame, o *op, sign bool) {
	n := f.counts[o.per]
	d, a := col[T](f, o.d, n), col[T](f, o.a, n)
	width := uint32(o.size * 8)
	first := *word[uint32](f, o.b) % width
	count := min(*word[uint32](f, o.c), width-first)
	if count == 0 {
		clear(d)
		return
	}
	up, down := width-first-count, width-count
	if sign {
		var signs T
		for i := range d {
			x := a[i] << up
			if signs = 0; x>>(width-1) != 0 && down > 0 {
				signs = ^T(0) << (width - down)
			}
			d[i] = x>>down | signs
		}
		return
	}
	for i := range d {
		d[i] = a[i] << up >> down
	}
}
