package vm

import (
	"math"

	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// sign says how numbers that become part of an address are extended to 64 bits.
type sign uint8

const (
	signedIndex sign = 1 << iota
	unsignedIndex
)

// indexes are a function's operations on 32-bit integers whose results, without any other operation
// than further arithmetic, are indices of memory.
type indexes map[*ir.Instr]sign

func indexesOf(f *ir.Func) indexes {
	x := indexes{}
	seen := map[*ir.Value]sign{}
	f.Body.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpOffset && len(in.Args) > 1 {
			x.add(in.Args[1], 0, seen)
		}
		return true
	})
	return x
}

// add follows an index to the operations that compute it.
func (x indexes) add(v *ir.Value, s sign, seen map[*ir.Value]sign) {
	in := v.Def
	if in == nil || seen[v]&s == s && s != 0 {
		return
	}
	seen[v] |= s
	switch in.Op {
	case ir.OpSExt:
		x.add(in.Args[0], signedIndex, seen)
	case ir.OpZExt:
		x.add(in.Args[0], unsignedIndex, seen)
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpShl:
		if v.Type == ir.TI32 && s != 0 {
			x[in] |= s
		}
		x.add(in.Args[0], s, seen)
		if in.Op != ir.OpShl {
			x.add(in.Args[1], s, seen)
		}
	}
}

// watchWraps returns a function that reports results that do not fit in 32 bits, and then executes
// the operation. An index may be extended either way: then a result that fits as a signed number or
// as an unsigned one is all right, so that adding 0xffffffff is subtracting 1.
func watchWraps(o *op, s sign, fn func(*frame, *op)) func(*frame, *op) {
	fits := func(irop ir.Op, a, b int64) bool {
		if r, ok := exact(irop, a, b); ok && r >= math.MinInt32 && r <= math.MaxInt32 {
			return true
		}
		if s&unsignedIndex == 0 {
			return false
		}
		if irop != ir.OpShl {
			b = int64(uint32(b))
		}
		r, ok := exact(irop, int64(uint32(a)), b)
		return ok && r >= 0 && r <= math.MaxUint32
	}
	irop := o.code.IR()
	return func(f *frame, o *op) {
		if !f.cannotWrap(o) {
			var w *hook.Wrap
			f.each(f.mask(o.m), func(l int) {
				a, b := f.element(o.a, o.aa, 4, l), f.element(o.b, o.ba, 4, l)
				if fits(irop, a, b) {
					return
				}
				if w == nil {
					w = &hook.Wrap{Event: f.newEvent(o), Left: a, Right: b}
					w.Lanes = hook.Mask{}
					if s&unsignedIndex != 0 {
						w.Left, w.Right = int64(uint32(a)), int64(uint32(b))
					}
				}
				w.Lanes[l/lir.SimdWidth] |= 1 << (l % lir.SimdWidth)
			})
			if w != nil {
				f.hook().Wrap(w)
			}
		}
		fn(f, o)
	}
}

// exact returns the result of an operation, false if it is too large.
func exact(op ir.Op, a, b int64) (int64, bool) {
	switch op {
	case ir.OpAdd:
		return a + b, true
	case ir.OpSub:
		return a - b, true
	case ir.OpShl:
		return a << (b & 31), true
	}
	if r := float64(a) * float64(b); math.Abs(r) >= 1<<62 {
		return 0, false
	}
	return a * b, true
}

// cannotWrap reports whether the ranges of the operands show that no result can be too large.
func (f *frame) cannotWrap(o *op) bool {
	alo, ahi, ok := f.rangeOf(o.a, o.aa)
	if !ok {
		return false
	}
	blo, bhi, ok := f.rangeOf(o.b, o.ba)
	if !ok {
		return false
	}
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for _, a := range [2]int64{alo, ahi} {
		for _, b := range [2]int64{blo, bhi} {
			r, ok := exact(o.code.IR(), a, b)
			if !ok {
				return false
			}
			lo, hi = min(lo, r), max(hi, r)
		}
	}
	return lo >= math.MinInt32 && hi <= math.MaxInt32
}

// rangeOf returns the range of a variable of 32 bits over the threadgroup, if it is cheap to know.
func (f *frame) rangeOf(off int32, class lir.Class) (lo, hi int64, ok bool) {
	if class != lir.Once && class != lir.Affine {
		return 0, 0, false
	}
	h := f.header(off, class, 4)
	if h.Valid == 0 {
		return 0, 0, false
	}
	if lo, hi, ok = f.span(&h); !ok || lo < math.MinInt32 || hi > math.MaxInt32 {
		return 0, 0, false
	}
	return lo, hi, true
}
