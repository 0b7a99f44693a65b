package opt

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
)

// promote turns variables that are only loaded and stored at fixed offsets into values, one for
// each of their scalars. A value enters constructs that change it as a parameter and leaves them as
// a result. The passes redundant and dead remove results and parameters that turn out not to be
// needed. At an address that is chosen among a few, a load selects one of their values, and a store
// changes one of them: the address then only tells which.
func promote(s *session) {
	f := s.f
	p := &promoter{w: newRewriter(s), f: f, vars: variablesOf(s, false), cells: map[*ir.Instr]map[int64]int{},
		stored: map[*ir.Instr][]int{}, saved: map[*ir.Instr][]*ir.Value{}}
	for _, v := range p.vars.of {
		v.known = v.known && v.hasZeros(v.within(0, v.alloca.Imm))
	}
	p.vars.settle()
	f.Body.Walk(func(in *ir.Instr) bool {
		if v := p.vars.of[in]; v != nil && v.known {
			p.add(v)
		}
		return true
	})
	if len(p.cells) == 0 {
		return
	}
	p.scan(f.Body)
	p.now = make([]*ir.Value, len(p.types))
	w := p.w
	w.visit = p.visit
	w.enter = p.enter
	w.after = p.after
	w.rewrite()
}

type promoter struct {
	w      *rewriter
	f      *ir.Func
	vars   *variables
	cells  map[*ir.Instr]map[int64]int // of each alloca being promoted: by offset, the number of the value
	types  []ir.Type                   // of each value
	now    []*ir.Value                 // nil for the initial zero
	stored map[*ir.Instr][]int         // of constructs: the values they may change, ascending
	saved  map[*ir.Instr][]*ir.Value   // what they were before a construct
}

func (p *promoter) add(v *variable) {
	m := map[int64]int{}
	cells := v.within(0, v.alloca.Imm)
	if len(cells) == 0 && v.named {
		return
	}
	for _, off := range cells {
		m[off] = len(p.types)
		p.types = append(p.types, v.cells[off])
	}
	p.cells[v.alloca] = m
}

// scan records what constructs change.
func (p *promoter) scan(r *ir.Region) (all []int) {
	for _, in := range r.Instrs {
		if in.Op == ir.OpStore {
			for _, to := range p.places(in.Args[0]) {
				for _, part := range p.partsAt(to, in.Args[1].Type) {
					all = append(all, part.cell)
				}
			}
		}
		if len(in.Regions) > 0 {
			var inside []int
			for _, sub := range in.Regions {
				inside = append(inside, p.scan(sub)...)
			}
			slices.Sort(inside)
			p.stored[in] = slices.Compact(inside)
			all = append(all, p.stored[in]...)
		}
	}
	return all
}

// value returns the current value of a cell.
func (p *promoter) value(i int) *ir.Value {
	if v := p.now[i]; v != nil {
		return v
	}
	return p.w.zero(p.types[i])
}

func (p *promoter) visit(in *ir.Instr) bool {
	w := p.w
	switch in.Op {
	case ir.OpAlloca:
		if p.cells[in] != nil && !p.dropped(in) && in.Parent != p.f.Body {
			w.prelude = append(w.prelude, in) // an address that is compared may come from an earlier iteration
			in.Parent = p.f.Body
			return true
		}
		return p.dropped(in)
	case ir.OpField, ir.OpOffset:
		return p.dropped(variableOf(in.Args[0]))
	case ir.OpLoad:
		return p.load(in)
	case ir.OpStore:
		return p.store(in)
	case ir.OpYield:
		p.give(in, in.Parent.Owner)
	case ir.OpBreak, ir.OpContinue:
		p.give(in, in.Target)
	case ir.OpLoop:
		for _, i := range p.stored[in] {
			in.Args = append(in.Args[:len(in.Args):len(in.Args)], p.value(i))
			v := w.f.AddParam(in.Regions[0], p.types[i])
			p.now[i] = v
		}
		p.saved[in] = slices.Clone(p.now)
	case ir.OpIf, ir.OpBlock:
		p.saved[in] = slices.Clone(p.now)
	}
	return false
}

// give makes a terminator pass on the values that its target may change.
func (p *promoter) give(in, target *ir.Instr) {
	if target == nil {
		return
	}
	for _, i := range p.stored[target] {
		in.Args = append(in.Args[:len(in.Args):len(in.Args)], p.value(i))
	}
}

// enter begins a region with the values from before its construct, or with the loop's parameters.
func (p *promoter) enter(r *ir.Region) {
	if r.Owner != nil {
		copy(p.now, p.saved[r.Owner])
	}
}

// after continues with a construct's results.
func (p *promoter) after(in *ir.Instr) {
	copy(p.now, p.saved[in])
	delete(p.saved, in)
	for _, i := range p.stored[in] {
		p.now[i] = p.f.AddResult(in, p.types[i])
	}
}

// dropped reports whether no address of a variable is needed any more.
func (p *promoter) dropped(alloca *ir.Instr) bool {
	return p.cells[alloca] != nil && !p.vars.of[alloca].named
}

// places returns the places that the address of an access may lead to, nil if it leads to variables
// that are kept.
func (p *promoter) places(addr *ir.Value) []place {
	to := p.vars.chosen.places(addr)
	if !to.all || slices.ContainsFunc(to.list, func(x place) bool { return p.cells[x.alloca] == nil }) {
		return nil
	}
	return to.list
}

// part is where a scalar is in a value.
type part struct {
	cell  int
	below uint64 // bits of the value below it
}

// partsAt returns where the lanes of an access are.
func (p *promoter) partsAt(to place, t ir.Type) (list []part) {
	size := int64(t.Size() / t.Lanes())
	for i := range int64(t.Lanes()) {
		off := to.off + i*size
		start := p.vars.of[to.alloca].owner[off]
		list = append(list, part{p.cells[to.alloca][start], uint64(8 * (off - start))})
	}
	return list
}

// is returns whether an address that is chosen leads to a place.
func (p *promoter) is(addr *ir.Value, to place) *ir.Value {
	root, off, _ := rootOf(addr)
	return p.w.op(ir.OpEq, ir.TI1, 0, root, p.w.field(to.alloca.Results[0], to.off-off))
}

func (p *promoter) load(in *ir.Instr) bool {
	r := in.Results[0]
	e := r.Type.Element()
	list := p.places(in.Args[0])
	if len(list) == 0 {
		return false
	}
	lanes := make([]*ir.Value, r.Type.Lanes())
	for i, to := range slices.Backward(list) {
		var here *ir.Value
		if i < len(list)-1 {
			here = p.is(in.Args[0], to)
		}
		for l, x := range p.partsAt(to, r.Type) {
			v := p.w.part(p.value(x.cell), x.below, e)
			if here != nil && v != lanes[l] {
				v = p.w.op(ir.OpSelect, e, 0, here, v, lanes[l])
			}
			lanes[l] = v
		}
	}
	if r.Type.IsVector() {
		p.w.replace(r, p.w.op(ir.OpBuild, r.Type, 0, lanes...))
	} else {
		p.w.replace(r, lanes[0])
	}
	return true
}

func (p *promoter) store(in *ir.Instr) bool {
	v := in.Args[1]
	list := p.places(in.Args[0])
	var here *ir.Value
	for n, to := range list {
		other := n == 1 && len(list) == 2 // than the first
		if len(list) > 1 && !other {
			here = p.is(in.Args[0], to)
		}
		for l, at := range p.partsAt(to, v.Type) {
			x := v
			if v.Type.IsVector() {
				x = p.w.op(ir.OpExtract, v.Type.Element(), int64(l), v)
			}
			old := p.value(at.cell)
			x = p.w.withPart(old, at.below, x)
			switch {
			case other:
				x = p.w.op(ir.OpSelect, x.Type, 0, here, old, x)
			case here != nil:
				x = p.w.op(ir.OpSelect, x.Type, 0, here, x, old)
			}
			p.now[at.cell] = x
		}
	}
	return len(list) > 0
}
