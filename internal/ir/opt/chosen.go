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

// places are those that an address may lead to. If all is false, there may be others.
type places struct {
	list []place
	all  bool
}

// choices are the addresses in the thread space that are chosen at run time: by selects, and as
// results and parameters of constructs.
type choices struct {
	of   map[*ir.Value]*places
	lost map[*ir.Instr]bool // the allocas that an address whose places are not known may lead to
}

func choicesOf(s *session) choices {
	chosen := choices{of: map[*ir.Value]*places{}, lost: map[*ir.Instr]bool{}}
	var order []*ir.Value
	add := func(vs []*ir.Value) {
		for _, v := range vs {
			if v.Type.Kind == ir.Pointer && v.Type.Space == ir.Thread {
				chosen.of[v] = &places{all: true}
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
		return chosen
	}
	e := endsOf(s)
	for again := true; again; {
		again = false
		for _, v := range order {
			for _, from := range sources(v, e) {
				again = chosen.join(chosen.of[v], chosen.places(from)) || again
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

// join adds places, and reports whether there are new ones. Those of an address with too many, or
// with some that are not known, are not listed but lost.
func (c choices) join(p *places, q places) (grown bool) {
	had := p.all
	p.all = p.all && q.all
	for _, x := range q.list {
		if !p.all {
			c.lost[x.alloca] = true
		} else if !slices.Contains(p.list, x) {
			p.list, grown = append(p.list, x), true
		}
	}
	p.all = p.all && len(p.list) <= mostPlaces
	if p.all || !had {
		return grown
	}
	for _, x := range p.list {
		c.lost[x.alloca] = true
	}
	p.list = nil
	return true
}

// places returns the places that an address may lead to.
func (c choices) places(v *ir.Value) places {
	root, off, fixed := rootOf(v)
	if root.Def != nil && root.Def.Op == ir.OpAlloca {
		return places{[]place{{root.Def, off}}, fixed}
	}
	p := c.of[root]
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
