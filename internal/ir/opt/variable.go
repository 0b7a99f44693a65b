package opt

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
)

// The largest variables that are split into values.
const (
	mostBytes = 1024
	mostCells = 64
)

// variable is an alloca whose every use is known: a load or store at fixed offsets inside it, an
// address that is only chosen or compared, or, if wanted, a copy or clear.
type variable struct {
	alloca *ir.Instr
	known  bool
	named  bool              // its address is a value that is chosen or compared
	cells  map[int64]ir.Type // by offset: the scalars that are accessed, the largest of those that overlap
	owner  map[int64]int64   // by byte: the offset of its cell
}

// variables are those of a kernel.
type variables struct {
	of     map[*ir.Instr]*variable
	chosen choices
	groups [][]place // of each access at a chosen address, where it may lead
}

// variablesOf finds the variables of a kernel whose every use is known. With whole set, copies and
// clears are allowed.
func variablesOf(s *session, whole bool) *variables {
	vs := &variables{of: map[*ir.Instr]*variable{}, chosen: choicesOf(s)}
	s.f.Body.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpAlloca {
			vs.get(in)
		}
		for i, a := range in.Args {
			if a.Type.Kind == ir.Pointer && a.Type.Space == ir.Thread && in.Op != ir.OpField && in.Op != ir.OpOffset {
				vs.use(in, i, whole)
			}
		}
		return true
	})
	return vs
}

func (vs *variables) get(alloca *ir.Instr) *variable {
	v := vs.of[alloca]
	if v == nil {
		v = &variable{alloca: alloca, known: alloca.Imm <= mostBytes && !vs.chosen.lost[alloca],
			cells: map[int64]ir.Type{}, owner: map[int64]int64{}}
		vs.of[alloca] = v
	}
	return v
}

// use records what an instruction does with an operand, an address.
func (vs *variables) use(in *ir.Instr, i int, whole bool) {
	root, _, _ := rootOf(in.Args[i])
	direct := vs.chosen.of[root] == nil
	to := vs.chosen.places(in.Args[i])
	for _, p := range to.list {
		v := vs.get(p.alloca)
		switch {
		case !to.all || in.Flags&ir.Volatile != 0:
			v.known = false
		case in.Op == ir.OpLoad:
			v.access(p.off, in.Results[0].Type)
		case in.Op == ir.OpStore && i == 0:
			v.access(p.off, in.Args[1].Type)
		case direct && whole && (in.Op == ir.OpCopy || in.Op == ir.OpClear):
			v.known = v.known && inside(p.off, in.Imm, p.alloca.Imm)
		case passesOn(in):
			v.named = true
		default:
			v.known = false
		}
	}
	if !direct && (in.Op == ir.OpLoad || in.Op == ir.OpStore) {
		vs.groups = append(vs.groups, to.list)
	}
}

// settle gives up on variables if they are accessed at an address that may also lead to one that is
// not known.
func (vs *variables) settle() {
	for again := true; again; {
		again = false
		for _, list := range vs.groups {
			known := func(p place) bool { return vs.of[p.alloca].known }
			if !slices.ContainsFunc(list, known) || !slices.ContainsFunc(list, func(p place) bool { return !known(p) }) {
				continue
			}
			again = true
			for _, p := range list {
				vs.of[p.alloca].known = false
			}
		}
	}
}

// placeOf returns the variable and the offset in it that an address points to; false if the offset
// is not fixed.
func placeOf(v *ir.Value) (alloca *ir.Instr, off int64, fixed bool) {
	root, off, fixed := rootOf(v)
	if fixed && root.Def != nil && root.Def.Op == ir.OpAlloca {
		return root.Def, off, true
	}
	return nil, 0, false
}

// access records a load or store, lane by lane.
func (v *variable) access(off int64, t ir.Type) {
	e := t
	if t.IsVector() {
		e = t.Element()
	}
	size := int64(e.Size())
	for i := range int64(t.Lanes()) {
		v.cell(off+i*size, e)
	}
}

// hasZeros reports whether the types of cells have zeros: textures, samplers and matrices of
// simdgroups have none.
func (v *variable) hasZeros(cells []int64) bool {
	for _, off := range cells {
		if t := v.cells[off]; t.Kind != ir.Pointer && t.Kind.Bits() == 0 {
			return false
		}
	}
	return true
}

// inside reports whether n bytes starting at an offset are within a memory of the given size.
// Offsets may be any numbers.
func inside(off, n, size int64) bool { return off >= 0 && off <= size-n }

// cell records a scalar. One inside of another is a part of that cell, which is an integer then. No
// others may overlap. Types of one cell must be convertible to each other.
func (v *variable) cell(off int64, t ir.Type) (isNew bool) {
	size := int64(t.Size())
	if !v.known || !inside(off, size, v.alloca.Imm) {
		v.known = false
		return false
	}
	if start, ok := v.owner[off]; ok {
		old := v.cells[start]
		switch n := int64(old.Size()); {
		case n == size && start == off:
			v.known = v.unite(off, old, t)
			return false
		case start+n >= off+size:
			v.known = integerOf(t) != ir.TVoid && integerOf(old) != ir.TVoid
			v.cells[start] = integerOf(old)
			return false
		}
	}
	for i := range size {
		start, taken := v.owner[off+i]
		if !taken {
			continue
		}
		old := v.cells[start]
		if start < off || start+int64(old.Size()) > off+size || integerOf(old) == ir.TVoid || integerOf(t) == ir.TVoid {
			v.known = false
			return false
		}
		if off+i == start+int64(old.Size())-1 {
			delete(v.cells, start)
		}
		t = integerOf(t)
	}
	for i := range size {
		v.owner[off+i] = off
	}
	v.cells[off] = t
	v.known = len(v.cells) <= mostCells
	return true
}

// integerOf returns the integer type of the same size, or TVoid if bits of a type have no meaning
// of their own.
func integerOf(t ir.Type) ir.Type {
	if t.Kind != ir.Pointer && t.Kind.Bits() == 0 {
		return ir.TVoid
	}
	return [...]ir.Type{1: ir.TI8, 2: ir.TI16, 4: ir.TI32, 8: ir.TI64}[t.Size()]
}

// unite gives a cell a type from which both types can be made.
func (v *variable) unite(off int64, old, t ir.Type) bool {
	isData := func(t ir.Type) bool { return t.Kind.Bits() > 0 }
	switch {
	case old == t:
	case isData(old) && isData(t):
		if t.Kind == ir.I8 {
			v.cells[off] = t // a byte holds more than a truth value
		}
	case (isData(old) || old.Kind == ir.Pointer) && (isData(t) || t.Kind == ir.Pointer):
		v.cells[off] = ir.TI64
	default:
		return false
	}
	return true
}

// convert returns a value as a cell's type, or a cell as the type of a load.
func (w *rewriter) convert(v *ir.Value, t ir.Type) *ir.Value {
	from := v.Type
	switch {
	case from == t:
		return v
	case from.Kind == ir.I1: // to a byte
		return w.op(ir.OpZExt, t, 0, v)
	case t.Kind == ir.I1:
		return w.op(ir.OpNe, t, 0, v, w.constant(from, 0))
	case from.Kind == ir.Pointer:
		return w.convert(w.op(ir.OpPtrToInt, ir.TI64, 0, v), t)
	case t.Kind == ir.Pointer:
		return w.op(ir.OpIntToPtr, t, 0, w.convert(v, ir.TI64))
	}
	return w.op(ir.OpBitcast, t, 0, v)
}

// part returns a scalar that is part of a cell, with a number of bits below it.
func (w *rewriter) part(cell *ir.Value, below uint64, t ir.Type) *ir.Value {
	if cell.Type.Size() == t.Size() {
		return w.convert(cell, t)
	}
	if below > 0 {
		cell = w.op(ir.OpLShr, cell.Type, 0, cell, w.constant(cell.Type, below))
	}
	return w.convert(w.op(ir.OpTrunc, integerOf(t), 0, cell), t)
}

// withPart returns a cell with a part of it replaced.
func (w *rewriter) withPart(cell *ir.Value, below uint64, x *ir.Value) *ir.Value {
	t, size := cell.Type, x.Type.Size()
	if t.Size() == size {
		return w.convert(x, t)
	}
	x = w.op(ir.OpZExt, t, 0, w.convert(x, integerOf(x.Type)))
	if below > 0 {
		x = w.op(ir.OpShl, t, 0, x, w.constant(t, below))
	}
	mask := (uint64(1)<<(8*size) - 1) << below
	return w.op(ir.OpOr, t, 0, w.op(ir.OpAnd, t, 0, cell, w.constant(t, ^mask)), x)
}
