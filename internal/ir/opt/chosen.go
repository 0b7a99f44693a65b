package opt

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
)

// mostPlaces is the maximum number of places that an address may be chosen among.
const mostPlaces = 8

// place is an address inside a variable.
type place struct {
	alloca *ir.Instr
	off    int64
}

// places are those that an address may lead to. If some are not known, all is false, and the
// offsets mean nothing.
type places struct {
	list []place
	all  bool
}

// choices finds the addresses in the thread space that are chosen at run time: by selects, and as
// results and parameters of constructs.
func choices(s *session) map[*ir.Value]*places {
	chosen := map[*ir.Value]*places{}
	var order []*ir.Value
	add := func(vs []*ir.Value) {
		for _, v := range vs {
			if v.Type.Kind == ir.Pointer && v.Type.Space == ir.Thread {
				chosen[v] = &places{all: true}
				order = append(order, v)
			}
		}
	}
	s.f.Body.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpSelect || len(in.Regions) > 0 {
			add(in.Results)
		}
		if in.Op == ir.OpLoop {
			add(in.Regions[0].Params)
		}
		return true
	})
	if len(order) == 0 {
		return nil
	}
	e := endsOf(s)
	for again := true; again; {
		again = false
		for _, v := range order {
			for _, from := range sources(v, e) {
				again = chosen[v].join(placesOf(from, chosen)) || again
			}
		}
	}
	return chosen
}

// sources returns the values that a chosen address may be.
func sources(v *ir.Value, e *ends) (list []*ir.Value) {
	var ends []*ir.Instr
	switch in := v.Def; {
	case in == nil:
		loop := v.Region.Owner
		list, ends = append(list, loop.Args[v.Index]), e.continues[loop]
	case in.Op == ir.OpSelect:
		return in.Args[1:]
	default:
		ends = e.results[in]
	}
	for _, end := range ends {
		list = append(list, end.Args[v.Index])
	}
	return list
}

// join adds places, and reports whether there are new ones.
func (p *places) join(q places) (grown bool) {
	if p.all && !q.all {
		p.all, grown = false, true
	}
	for _, x := range q.list {
		if !p.all {
			x.off = 0 // so that there are no more than variables
		}
		if !slices.Contains(p.list, x) {
			p.list, grown = append(p.list, x), true
		}
	}
	p.all = p.all && len(p.list) <= mostPlaces
	return grown
}

// placesOf returns the places that an address may lead to.
func placesOf(v *ir.Value, chosen map[*ir.Value]*places) places {
	root, off, fixed := rootOf(v)
	if root.Def != nil && root.Def.Op == ir.OpAlloca {
		return places{[]place{{root.Def, off}}, fixed}
	}
	p := chosen[root]
	if p == nil {
		return places{}
	}
	list := slices.Clone(p.list)
	for i := range list {
		list[i].off += off
	}
	return places{list, p.all && fixed}
}

// rootOf returns the address to which an address adds an offset, if that is fixed.
func rootOf(v *ir.Value) (root *ir.Value, off int64, fixed bool) {
	fixed = true
	for v.Def != nil {
		switch v.Def.Op {
		case ir.OpField:
			off += v.Def.Imm
		case ir.OpOffset:
			c, ok := allLanes(v.Def.Args[1])
			off, fixed = off+int64(c)*v.Def.Imm, fixed && ok
		default:
			return v, off, fixed
		}
		v = v.Def.Args[0]
	}
	return v, off, fixed
}

// passesOn reports whether an instruction only makes an operand, an address, one of the choices of
// another address, or compares it.
func passesOn(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpSelect, ir.OpLoop, ir.OpYield, ir.OpBreak, ir.OpContinue, ir.OpEq, ir.OpNe:
		return true
	}
	return false
}

// sameAddress returns whether two addresses are equal as a truth value that does not depend on
// addresses, or on fewer; nil if there is none.
func (w *rewriter) sameAddress(x, y *ir.Value, steps int) *ir.Value {
	if x == y {
		return w.constant(ir.TI1, 1)
	}
	a, offA, fixedA := placeOf(x)
	b, offB, fixedB := placeOf(y)
	if fixedA && !fixedB {
		x, y, b, fixedB, fixedA = y, x, a, true, false
	}
	switch {
	case !fixedB || steps == 0:
		return nil
	case fixedA:
		if a == b && (offA-offB)<<24 == 0 { // offsets have 40 bits
			return w.constant(ir.TI1, 1)
		}
		return w.constant(ir.TI1, 0)
	case x.Def == nil || x.Def.Op != ir.OpSelect:
		return nil
	}
	p, q := w.sameAddress(x.Def.Args[1], y, steps-1), w.sameAddress(x.Def.Args[2], y, steps-1)
	if p == nil || q == nil {
		return nil
	}
	in := &ir.Instr{Op: ir.OpSelect, Args: []*ir.Value{x.Def.Args[0], p, q}}
	if v := w.selection(in); v != nil {
		return v
	}
	return w.op(ir.OpSelect, ir.TI1, 0, in.Args...)
}
