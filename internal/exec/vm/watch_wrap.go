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

// component is a component of a value, or of the result of the instruction that computes it.
type component[T any] struct {
	of T
	i  int
}

// indexes are a function's operations on 32-bit integers whose results, without any other operation
// than further arithmetic, are indices of memory.
type indexes map[component[*ir.Instr]]sign

// of returns how the result of an operation is extended, 0 if it is no index.
func (x indexes) of(o *op) sign { return x[component[*ir.Instr]{o.in.HIR, int(o.in.Comp)}] }

// indexSearch finds indexes.
type indexSearch struct {
	found  indexes
	seen   map[component[*ir.Value]]sign
	leaves map[*ir.Instr][]*ir.Instr // what gives a Loop, a Block or an If its results or parameters
}

func indexesOf(f *ir.Func) indexes {
	x := indexSearch{indexes{}, map[component[*ir.Value]]sign{}, map[*ir.Instr][]*ir.Instr{}}
	f.Body.Walk(func(in *ir.Instr) bool {
		switch in.Op {
		case ir.OpYield:
			x.leaves[in.Parent.Owner] = append(x.leaves[in.Parent.Owner], in)
		case ir.OpBreak, ir.OpContinue:
			x.leaves[in.Target] = append(x.leaves[in.Target], in)
		}
		return true
	})
	f.Body.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpOffset && len(in.Args) > 1 {
			x.add(in.Args[1], 0, 0)
		}
		return true
	})
	return x.found
}

// add follows a component of an index to the operations that compute it.
func (x *indexSearch) add(v *ir.Value, comp int, s sign) {
	k := component[*ir.Value]{v, comp}
	if old, ok := x.seen[k]; ok && old&s == s {
		return
	}
	x.seen[k] |= s
	if v.Def == nil {
		if loop := v.Region.Owner; loop != nil && loop.Op == ir.OpLoop {
			x.add(loop.Args[v.Index], comp, s)
			x.leave(loop, ir.OpContinue, v, comp, s)
		}
		return
	}
	switch in := v.Def; in.Op {
	case ir.OpSExt:
		x.add(in.Args[0], comp, signedIndex)
	case ir.OpZExt:
		x.add(in.Args[0], comp, unsignedIndex)
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpShl:
		if v.Type.Kind == ir.I32 && s != 0 {
			x.found[component[*ir.Instr]{in, comp}] |= s
		}
		x.add(in.Args[0], comp, s)
		if in.Op != ir.OpShl {
			x.add(in.Args[1], comp, s)
		}
	case ir.OpExtract:
		x.add(in.Args[0], int(in.Imm), s)
	case ir.OpBuild:
		x.add(in.Args[comp], 0, s)
	case ir.OpSplat:
		x.add(in.Args[0], 0, s)
	case ir.OpInsert:
		if int(in.Imm) == comp {
			x.add(in.Args[1], 0, s)
		} else {
			x.add(in.Args[0], comp, s)
		}
	case ir.OpSwizzle:
		n := in.Args[0].Type.Lanes()
		if from := int(in.Lane(comp)); from < n {
			x.add(in.Args[0], from, s)
		} else {
			x.add(in.Args[1], from-n, s)
		}
	case ir.OpIf, ir.OpBlock, ir.OpLoop:
		x.leave(in, ir.OpYield, v, comp, s)
		x.leave(in, ir.OpBreak, v, comp, s)
	}
}

// leave follows a result or parameter to what the branches of an operation give it.
func (x *indexSearch) leave(to *ir.Instr, op ir.Op, v *ir.Value, comp int, s sign) {
	for _, in := range x.leaves[to] {
		if in.Op == op {
			x.add(in.Args[v.Index], comp, s)
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
