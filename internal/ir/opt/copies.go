package opt

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
)

// copies turns copies between variables, copies from the program's own data, and clears of
// variables into loads and stores, if all accesses to the variables are known. Copies of buffers
// are kept: at the end of a buffer they work byte by byte, unlike loads.
func copies(s *session) {
	f := s.f
	c := &copier{f: f, vars: variablesOf(s, true).of}
	c.spread()
	w := newRewriter(s)
	w.visit = func(in *ir.Instr) bool {
		to, at, ok := c.side(in, 0)
		if !ok || in.Op != ir.OpCopy && in.Op != ir.OpClear {
			return false
		}
		cells := to.within(at, in.Imm)
		if in.Op == ir.OpClear && !to.hasZeros(cells) {
			return false
		}
		vals := make([]*ir.Value, len(cells))
		if in.Op == ir.OpCopy {
			if _, _, ok := c.source(in); !ok {
				return false
			}
			for i, off := range cells {
				vals[i] = w.op(ir.OpLoad, to.cells[off], 0, w.field(in.Args[1], off-at))
			}
		}
		for i, off := range cells {
			if vals[i] == nil {
				vals[i] = w.zero(to.cells[off])
			}
			w.append(&ir.Instr{Op: ir.OpStore, Loc: in.Loc, Args: []*ir.Value{w.field(in.Args[0], off-at), vals[i]}})
		}
		return true
	}
	w.rewrite()
}

// field returns an address plus an offset.
func (w *rewriter) field(v *ir.Value, by int64) *ir.Value {
	if by == 0 {
		return v
	}
	return w.op(ir.OpField, v.Type, by, v)
}

// zero returns the initial value of memory.
func (w *rewriter) zero(t ir.Type) *ir.Value {
	switch {
	case t.Kind.Bits() > 0:
		return w.constant(t, 0)
	case t.Kind == ir.Pointer:
		return w.op(ir.OpIntToPtr, t, 0, w.constant(ir.TI64, 0))
	}
	return nil
}

type copier struct {
	f    *ir.Func
	vars map[*ir.Instr]*variable
}

// side returns the variable that an operand of a copy or clear leads into.
func (c *copier) side(in *ir.Instr, i int) (v *variable, off int64, ok bool) {
	if in.Op != ir.OpCopy && in.Op != ir.OpClear || in.Flags&ir.Volatile != 0 {
		return nil, 0, false
	}
	alloca, off, ok := placeOf(in.Args[i])
	if !ok || c.vars[alloca] == nil || !c.vars[alloca].known {
		return nil, 0, false
	}
	return c.vars[alloca], off, true
}

// source returns the variable that a copy reads, or nil if it reads the program's data, in bounds.
func (c *copier) source(in *ir.Instr) (v *variable, off int64, ok bool) {
	if v, off, ok := c.side(in, 1); ok {
		return v, off, true
	}
	for p := in.Args[1]; p.Def != nil; p = p.Def.Args[0] {
		switch p.Def.Op {
		case ir.OpField:
			off += p.Def.Imm
		case ir.OpGlobalAddr:
			return nil, off, inside(off, in.Imm, int64(len(c.f.Module.Globals[p.Def.Imm].Data)))
		default:
			return nil, 0, false
		}
	}
	return nil, 0, false
}

// within returns the offsets of the cells in a range, ascending.
func (v *variable) within(off, n int64) (list []int64) {
	for at := range v.cells {
		if at >= off && at < off+n {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	return list
}

// spread gives variables that are copied to each other the same cells, and gives up on those whose
// cells a copy splits.
func (c *copier) spread() {
	for again := true; again; {
		again = false
		c.f.Body.Walk(func(in *ir.Instr) bool {
			if in.Op != ir.OpCopy && in.Op != ir.OpClear {
				return true
			}
			to, at, ok := c.side(in, 0)
			var from *variable
			var start int64
			fits := ok
			if in.Op == ir.OpCopy && ok {
				from, start, fits = c.source(in)
			}
			if ok && !fits { // the other side is not known: the copy is kept, and so is the variable
				to.known, again = false, true
				return true
			}
			if !ok {
				if in.Op == ir.OpCopy {
					if v, _, isVar := c.side(in, 1); isVar {
						v.known, again = false, true
					}
				}
				return true
			}
			again = to.cut(at, in.Imm) || again
			if from == nil {
				return true
			}
			again = from.cut(start, in.Imm) || again
			again = to.adopt(from, start, at, in.Imm) || again
			again = from.adopt(to, at, start, in.Imm) || again
			if to.known != from.known {
				to.known, from.known, again = false, false, true
			}
			return true
		})
	}
}

// adopt gives a variable the cells of a range of another, or of itself, at an offset, and reports
// whether some are new.
func (v *variable) adopt(from *variable, start, at, n int64) (grown bool) {
	for _, off := range from.within(start, n) {
		if t, ok := from.cells[off]; ok { // if a variable is copied to itself, it may have become part of another
			grown = v.cell(off-start+at, t) || grown
		}
	}
	return grown
}

// cut gives up on a variable if a range splits one of its cells, and reports whether it did so just
// now.
func (v *variable) cut(off, n int64) bool {
	if !v.known {
		return false
	}
	for _, edge := range [2]int64{off, off + n} {
		if own, ok := v.owner[edge]; ok && own != edge {
			v.known = false
			return true
		}
	}
	return false
}
