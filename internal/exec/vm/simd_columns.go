package vm

import (
	"math"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// chooseSimd picks the function for an operation among the lanes of simdgroups or quads. It
// combines a loop for simdgroups with all lanes active, if there is one, with the general function
// for the others.
func chooseSimd(o *op) func(*frame, *op) {
	operation, width := simdForm(o)
	switch operation {
	case ir.OpSimdBallot, ir.OpSimdAll, ir.OpSimdAny, ir.OpSimdActive:
		if width == lir.SimdWidth {
			return vote
		}
		return simdOperation
	}
	if o.a < 0 {
		return simdOperation
	}
	if fn := reducing(operation, o.in.Kind); fn != nil {
		return chooseReduction(fn, width, false)
	}
	scan := operation
	switch operation {
	case ir.OpSimdXScanAdd:
		scan = ir.OpSimdScanAdd
	case ir.OpSimdXScanMul:
		scan = ir.OpSimdScanMul
	}
	if fn := scanning(scan, o.in.Kind); fn != nil {
		return chooseReduction(fn, width, true)
	}
	switch operation {
	case ir.OpSimdBroadcast, ir.OpSimdFirst, ir.OpSimdShuffle, ir.OpSimdShuffleXor,
		ir.OpSimdShuffleUp, ir.OpSimdShuffleDown, ir.OpSimdRotateUp, ir.OpSimdRotateDown:
		switch o.size {
		case 1:
			return shuffle[uint8]
		case 2:
			return shuffle[uint16]
		case 4:
			return shuffle[uint32]
		}
		return shuffle[uint64]
	}
	return simdOperation
}

// simdForm returns the simdgroup form of the operation, and how many lanes take part in it.
func simdForm(o *op) (operation ir.Op, width int) {
	if operation = o.code.IR(); operation.Group() == ir.QuadOps {
		return operation.OfSimdgroup(), ir.QuadWidth
	}
	return operation, lir.SimdWidth
}

// vote executes a query about a truth value in all lanes of a simdgroup.
func vote(f *frame, o *op) {
	m := f.mask(o.m)
	held := *m
	if o.a >= 0 {
		held = f.truths(o.a, o.aa)
	}
	for s := range f.simds {
		held := held[s] & m[s]
		switch o.code.IR() {
		case ir.OpSimdAll:
			f.setBits(o.d, 1, s, truthOf(held == m[s]))
		case ir.OpSimdAny:
			f.setBits(o.d, 1, s, truthOf(held != 0))
		default:
			f.setBits(o.d, 8, s, uint64(held))
		}
	}
}

// chooseReduction builds the function of a reduction or scan from one on the values of a whole
// simdgroup.
func chooseReduction(fn any, width int, scan bool) func(*frame, *op) {
	switch fn := fn.(type) {
	case func(*[lir.SimdWidth]uint8, int):
		return reduction(fn, width, scan)
	case func(*[lir.SimdWidth]uint16, int):
		return reduction(fn, width, scan)
	case func(*[lir.SimdWidth]uint32, int):
		return reduction(fn, width, scan)
	case func(*[lir.SimdWidth]uint64, int):
		return reduction(fn, width, scan)
	case func(*[lir.SimdWidth]float32, int):
		return reduction(fn, width, scan)
	}
	return simdOperation
}

func reduction[T number](fn func(*[lir.SimdWidth]T, int), width int, scan bool) func(*frame, *op) {
	return func(f *frame, o *op) {
		m := f.mask(o.m)
		x := simdScratch[T](f)
		for s := range f.simds {
			if m[s] != math.MaxUint32 {
				simdOperationOf(f, o, s)
				continue
			}
			if o.aa == lir.Once {
				v := *word[T](f, o.a)
				for i := range x {
					x[i] = v
				}
			} else {
				*x = *simdOf[T](f, o.a, s)
			}
			fn(x, width)
			switch {
			case scan:
				giveScan(f, o, s, width, x)
			case o.per == lir.Simd:
				col[T](f, o.d, s+1)[s] = x[0]
			default:
				d := simdOf[T](f, o.d, s)
				for i := range d {
					d[i] = x[i&^(width-1)]
				}
			}
		}
	}
}

// simdOf returns the elements of a whole simdgroup.
func simdOf[T number](f *frame, off int32, simd int) *[lir.SimdWidth]T {
	return (*[lir.SimdWidth]T)(col[T](f, off, (simd+1)*lir.SimdWidth)[simd*lir.SimdWidth:])
}

// giveScan assigns the running sums or products to their lanes.
func giveScan[T number](f *frame, o *op, simd, width int, x *[lir.SimdWidth]T) {
	d := simdOf[T](f, o.d, simd)
	var first uint64
	switch operation, _ := simdForm(o); operation {
	case ir.OpSimdScanAdd, ir.OpSimdScanMul:
		*d = *x
		return
	case ir.OpSimdXScanMul:
		if first = 1; o.in.Kind.IsFloat() {
			first = ir.FloatBits(o.in.Kind, 1)
		}
	}
	for i := range d {
		if i&(width-1) != 0 {
			d[i] = x[i-1]
		} else {
			f.setBits(o.d, o.size, simd*lir.SimdWidth+i, first)
		}
	}
}

// shuffle exchanges values between lanes.
func shuffle[T number](f *frame, o *op) {
	m := f.mask(o.m)
	operation, size := simdForm(o)
	width := uint32(size)
	var a, x [lir.SimdWidth]T
	var by [lir.SimdWidth]uint32
	for s := range f.simds {
		if m[s] != math.MaxUint32 {
			simdOperationOf(f, o, s)
			continue
		}
		if o.aa == lir.Once {
			v := *word[T](f, o.a)
			for i := range a {
				a[i] = v
			}
		} else {
			a = *simdOf[T](f, o.a, s)
		}
		switch {
		case operation == ir.OpSimdFirst:
		case o.ba == lir.Once:
			v := *word[uint32](f, o.b)
			for i := range by {
				by[i] = v
			}
		default:
			by = *simdOf[uint32](f, o.b, s)
		}
		for i := range uint32(lir.SimdWidth) {
			first, lane := i&^(width-1), i&(width-1)
			from := lane
			switch n := by[i]; operation {
			case ir.OpSimdFirst:
				from = 0
			case ir.OpSimdBroadcast, ir.OpSimdShuffle:
				from = n
			case ir.OpSimdShuffleXor:
				from = lane ^ n
			case ir.OpSimdShuffleUp:
				if n <= lane {
					from = lane - n
				}
			case ir.OpSimdShuffleDown:
				if n < width-lane {
					from = lane + n
				}
			case ir.OpSimdRotateUp:
				from = (lane - n) & (width - 1)
			case ir.OpSimdRotateDown:
				from = (lane + n) & (width - 1)
			}
			var v T
			if from < width {
				v = a[(first+from)&(lir.SimdWidth-1)]
			}
			x[i] = v
		}
		if o.per == lir.Simd { // for a simdgroup, the first lane's value
			col[T](f, o.d, s+1)[s] = x[0]
			continue
		}
		*simdOf[T](f, o.d, s) = x
	}
}
