package vm

import (
	"math"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// A matrix variable holds 64 elements for each simdgroup, in row-major order, even for a partial
// last simdgroup.
const (
	matrixSide     = ir.MatrixSide
	matrixElements = matrixSide * matrixSide
)

// pairs converts a mask of lanes to one of pairs of elements.
func pairs(lanes uint32) (m uint32) {
	if lanes == math.MaxUint32 {
		return lanes
	}
	for l := range lir.SimdWidth {
		m |= lanes >> l & 1 << ir.MatrixPair(l)
	}
	return m
}

// block returns a simdgroup's elements.
func block[T number](f *frame, off int32, simd int) *[matrixElements]T {
	return (*[matrixElements]T)(col[T](f, off, (simd+1)*matrixElements)[simd*matrixElements:])
}

// chooseMatrix picks the function for an operation on matrices, including moves and merges of them.
func chooseMatrix(o *op, p *program) func(*frame, *op) {
	kindOf := func(r lir.Ref) ir.Kind {
		if v := p.lir.Var(r); v.Kind == ir.Matrix {
			return v.Elem
		}
		return p.lir.Var(r).Kind
	}
	switch o.code {
	case lir.Op(ir.OpMatMul), lir.Op(ir.OpMatMac):
		a, b, c, d := kindOf(o.in.A), kindOf(o.in.B), ir.F32, kindOf(o.in.D)
		if o.c >= 0 {
			c = kindOf(o.in.C)
		}
		return func(f *frame, o *op) { matMac(f, o, a, b, c, d) }
	}
	elem := kindOf(o.in.D)
	if o.d < 0 {
		elem = kindOf(o.in.C) // a store
	}
	o.size = elem.Size()
	if o.size == 2 {
		return chooseMatrixOf[uint16](o)
	}
	return chooseMatrixOf[uint32](o)
}

func chooseMatrixOf[T number](o *op) func(*frame, *op) {
	switch o.code {
	case lir.OpMov:
		return func(f *frame, o *op) {
			n := f.simds * matrixElements
			copy(col[T](f, o.d, n), col[T](f, o.a, n))
		}
	case lir.OpMerge:
		return matMerge[T]
	case lir.Op(ir.OpMatGet):
		return matGet[T]
	case lir.Op(ir.OpMatSet):
		return matSet[T]
	case lir.Op(ir.OpMatFill), lir.Op(ir.OpMatDiag):
		return matFill[T]
	case lir.Op(ir.OpMatLoad):
		return matLoad[T]
	}
	return matStore[T]
}

func matMerge[T number](f *frame, o *op) {
	m := f.mask(o.m)
	for s := range f.simds {
		d, a := block[T](f, o.d, s), block[T](f, o.a, s)
		switch which := pairs(m[s]); which {
		case math.MaxUint32:
			*d = *a
		case 0:
		default:
			for i := range d {
				if which>>(i/2)&1 != 0 {
					d[i] = a[i]
				}
			}
		}
	}
}

func matGet[T number](f *frame, o *op) {
	x, y := col[T](f, o.d, f.lanes), col[T](f, o.d2, f.lanes)
	for l := range x {
		a, at := block[T](f, o.a, l/lir.SimdWidth), 2*ir.MatrixPair(l%lir.SimdWidth)
		x[l], y[l] = a[at], a[at+1]
	}
}

func matSet[T number](f *frame, o *op) {
	for l := range f.lanes {
		d, at := block[T](f, o.d, l/lir.SimdWidth), 2*ir.MatrixPair(l%lir.SimdWidth)
		d[at], d[at+1] = at2[T](f, o.a, o.aa, l), at2[T](f, o.b, o.ba, l)
	}
}

// at2 returns a lane's element of a Once or Lane variable.
func at2[T number](f *frame, off int32, class lir.Class, lane int) T {
	if class == lir.Once {
		lane = 0
	}
	return col[T](f, off, lane+1)[lane]
}

func matFill[T number](f *frame, o *op) {
	diagonal := o.code == lir.Op(ir.OpMatDiag)
	for s := range f.simds {
		d := block[T](f, o.d, s)
		if diagonal {
			clear(d[:])
		}
		if o.aa == lir.Once {
			x, step := *word[T](f, o.a), 1
			if diagonal {
				step = matrixSide + 1
			}
			for i := 0; i < matrixElements; i += step {
				d[i] = x
			}
			continue
		}
		first := s * lir.SimdWidth
		for l := range min(lir.SimdWidth, f.lanes-first) {
			x, at := at2[T](f, o.a, o.aa, first+l), 2*ir.MatrixPair(l)
			for i := at; i < at+2; i++ {
				if !diagonal || i/matrixSide == i%matrixSide {
					d[i] = x
				}
			}
		}
	}
}

// matrixAt is the location of a matrix in memory.
type matrixAt struct{ base, stride, x, y uint64 }

// at returns the offset of an element in the object.
func (m *matrixAt) at(row, column, size uint64) uint64 {
	return (m.base + ((m.y+row)*m.stride+m.x+column)*size) & exec.OffsetMask
}

// matrixOf returns the location of the matrix addressed by a lane.
func (f *frame) matrixOf(o *op, lane int) (m matrixAt) {
	in := o.in
	base := uint64(f.element(o.a, o.aa, 8, lane))
	by := uint64(in.Disp)
	if o.b >= 0 {
		size := 8
		if in.Ext != lir.NoExt {
			size = 4
		}
		x := f.element(o.b, o.ba, size, lane)
		if in.Ext == lir.ZExt {
			x = int64(uint32(x))
		}
		by += uint64(x) * uint64(in.Scale)
	}
	m.base = base&^exec.OffsetMask | (base+by)&exec.OffsetMask
	for i, to := range [...]*uint64{&m.stride, &m.x, &m.y} {
		*to = uint64(f.element(o.more[i].off, o.more[i].class, 8, lane))
	}
	return m
}

// commonMatrix returns the location of a simdgroup's matrix if all lanes are active and address the
// same one.
func (f *frame) commonMatrix(o *op, simd int) (m matrixAt, ok bool) {
	if f.mask(o.m)[simd] != math.MaxUint32 {
		return m, false
	}
	first := simd * lir.SimdWidth
	m = f.matrixOf(o, first)
	shared := o.aa <= lir.Simd && (o.b < 0 || o.ba <= lir.Simd)
	for _, p := range o.more {
		shared = shared && p.class <= lir.Simd
	}
	for l := 1; l < lir.SimdWidth && !shared; l++ {
		if f.matrixOf(o, first+l) != m {
			return m, false
		}
	}
	return m, true
}

// rows returns the first offset of a matrix and the distance between its rows, if all of it is
// within n bytes.
func (m *matrixAt) rows(n, size int) (first, step int, ok bool) {
	const reasonable = 1 << 36
	at := m.at(0, 0, uint64(size))
	if at >= reasonable || m.stride >= reasonable/64 {
		return 0, 0, false
	}
	first, step = int(at), int(m.stride)*size
	return first, step, first+(matrixSide-1)*step+matrixSide*size <= n
}

func matLoad[T number](f *frame, o *op) {
	transposed := o.in.Flags&ir.Transposed != 0
	for s := range f.simds {
		d := block[T](f, o.d, s)
		if m, ok := f.commonMatrix(o, s); ok && o.in.Space != ir.Thread {
			obj := f.object(o.in.Space, m.base>>40)
			if first, step, ok := m.rows(len(obj.Data), o.size); ok {
				loadMatrix(d, obj.Data[first:], step, transposed)
				continue
			}
		}
		f.eachElement(o, s, func(lane, i int, id, off uint64) {
			if o.in.Space == ir.Thread {
				d[i] = T(f.loadThread(id<<40|off, lane, o.size))
				return
			}
			obj := f.object(o.in.Space, id)
			d[i] = T(loadFrom(obj, off, o.size))
		})
	}
}

func matStore[T number](f *frame, o *op) {
	transposed := o.in.Flags&ir.Transposed != 0
	for s := range f.simds {
		c := block[T](f, o.c, s)
		if m, ok := f.commonMatrix(o, s); ok && o.in.Space != ir.Thread {
			obj := f.object(o.in.Space, m.base>>40)
			// Overlapping rows are written in lane order.
			if first, step, ok := m.rows(len(obj.Data), o.size); ok && !obj.ReadOnly && step >= matrixSide*o.size {
				storeMatrix(c, obj.Data[first:], step, transposed)
				continue
			}
		}
		f.eachElement(o, s, func(lane, i int, id, off uint64) {
			if o.in.Space == ir.Thread {
				f.storeThread(id<<40|off, lane, o.size, uint64(c[i]))
				return
			}
			obj := f.object(o.in.Space, id)
			storeTo(obj, off, o.size, uint64(c[i]))
		})
	}
}

// eachElement visits the elements of a simdgroup's active lanes: the lane, the element's index in
// the block, and its object and offset in memory.
func (f *frame) eachElement(o *op, simd int, visit func(lane, i int, id, off uint64)) {
	active := f.mask(o.m)[simd]
	for l := range lir.SimdWidth {
		if active>>l&1 == 0 {
			continue
		}
		lane, first := simd*lir.SimdWidth+l, 2*ir.MatrixPair(l)
		m := f.matrixOf(o, lane)
		for i := first; i < first+2; i++ {
			row, column := uint64(i/matrixSide), uint64(i%matrixSide)
			if o.in.Flags&ir.Transposed != 0 {
				row, column = column, row
			}
			visit(lane, i, m.base>>40, m.at(row, column, uint64(o.size)))
		}
	}
}

// matMac multiplies two matrices and adds a third, with elements of these kinds.
func matMac(f *frame, o *op, ka, kb, kc, kd ir.Kind) {
	m := f.mask(o.m)
	var wa, wb, wc, out [matrixElements]float32
	for s := range f.simds {
		if m[s] == 0 {
			continue
		}
		which := pairs(m[s])
		a := f.widened(o.a, s, ka, which, &wa)
		b := f.widened(o.b, s, kb, which, &wb)
		c := &wc
		if o.c >= 0 {
			c = f.widened(o.c, s, kc, which, &wc)
		}
		multiplyAdd(&out, a, b, c)
		switch kd {
		case ir.F32:
			*block[float32](f, o.d, s) = out
		case ir.F16:
			d := block[uint16](f, o.d, s)
			for i, x := range out {
				d[i] = narrowHalf(x)
			}
		default:
			d := block[uint16](f, o.d, s)
			for i, x := range out {
				d[i] = narrowBrain(x)
			}
		}
	}
}

// widened returns a simdgroup's matrix as f32, with zeros for inactive lanes. It uses scratch
// unless the matrix already has that form.
func (f *frame) widened(off int32, simd int, k ir.Kind, which uint32,
	scratch *[matrixElements]float32) *[matrixElements]float32 {
	switch k {
	case ir.F32:
		x := block[float32](f, off, simd)
		if which == math.MaxUint32 {
			return x
		}
		*scratch = *x
	case ir.F16:
		for i, x := range block[uint16](f, off, simd) {
			scratch[i] = widenHalf(x)
		}
	default:
		for i, x := range block[uint16](f, off, simd) {
			scratch[i] = widenBrain(x)
		}
	}
	if which != math.MaxUint32 {
		for i := range scratch {
			if which>>(i/2)&1 == 0 {
				scratch[i] = 0
			}
		}
	}
	return scratch
}

// multiplyAdd sets d to c plus the product of a and b. The products are added in ascending order,
// and each product and sum is rounded.
func multiplyAdd(d, a, b, c *[matrixElements]float32) {
	for i := 0; i < matrixElements; i += matrixSide {
		row, sum, to := (*[matrixSide]float32)(a[i:]), (*[matrixSide]float32)(c[i:]), (*[matrixSide]float32)(d[i:])
		s0, s1, s2, s3, s4, s5, s6, s7 := sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7]
		for k, x := range row {
			y := (*[matrixSide]float32)(b[k*matrixSide:])
			s0 += float32(x * y[0])
			s1 += float32(x * y[1])
			s2 += float32(x * y[2])
			s3 += float32(x * y[3])
			s4 += float32(x * y[4])
			s5 += float32(x * y[5])
			s6 += float32(x * y[6])
			s7 += float32(x * y[7])
		}
		to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7] = s0, s1, s2, s3, s4, s5, s6, s7
	}
}
