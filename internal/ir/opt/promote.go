package opt

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
)

// promote turns variables that are only loaded and stored at fixed offsets into values, one for
// each of their scalars. A value enters constructs that change it as a parameter and leaves them as
// a result. The passes redundant and dead remove results and parameters that turn out not to be
// needed.
func promote(s *session) {
	f := s.f
	p := &promoter{w: newRewriter(s), f: f, cells: map[*ir.Instr]map[int64]int{}, stored: map[*ir.Instr][]int{},
		saved: map[*ir.Instr][]*ir.Value{}}
	vars := variables(f, false)
	f.Body.Walk(func(in *ir.Instr) bool {
		if v := vars[in]; v != nil && v.known {
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
	cells  map[*ir.Instr]map[int64]int // of each alloca being promoted: by offset, the number of the value
	types  []ir.Type                   // of each value
	now    []*ir.Value                 // nil for the initial zero
	stored map[*ir.Instr][]int         // of constructs: the values they may change, ascending
	saved  map[*ir.Instr][]*ir.Value   // what they were before a construct
}

func (p *promoter) add(v *variable) {
	m := map[int64]int{}
	cells := v.within(0, v.alloca.Imm)
	if !v.hasZeros(cells) {
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
			if alloca, off, ok := placeOf(in.Args[0]); ok && p.cells[alloca] != nil {
				size := int64(in.Args[1].Type.Size() / in.Args[1].Type.Lanes())
				for i := range int64(in.Args[1].Type.Lanes()) {
					all = append(all, p.cells[alloca][off+i*size])
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
		return p.cells[in] != nil
	case ir.OpField, ir.OpOffset:
		return p.cells[variableOf(in.Args[0])] != nil
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

// cellsAt returns the numbers of the values that an access touches, and the type of its lanes.
func (p *promoter) cellsAt(addr *ir.Value, t ir.Type) (list []int, e ir.Type) {
	alloca, off, ok := placeOf(addr)
	if !ok || p.cells[alloca] == nil {
		return nil, e
	}
	if e = t; t.IsVector() {
		e = t.Element()
	}
	for i := range int64(t.Lanes()) {
		list = append(list, p.cells[alloca][off+i*int64(e.Size())])
	}
	return list, e
}

func (p *promoter) load(in *ir.Instr) bool {
	r := in.Results[0]
	cells, e := p.cellsAt(in.Args[0], r.Type)
	if cells == nil {
		return false
	}
	lanes := make([]*ir.Value, len(cells))
	for l, i := range cells {
		lanes[l] = p.w.convert(p.value(i), e)
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
	cells, e := p.cellsAt(in.Args[0], v.Type)
	if cells == nil {
		return false
	}
	for l, i := range cells {
		x := v
		if v.Type.IsVector() {
			x = p.w.op(ir.OpExtract, e, int64(l), v)
		}
		p.now[i] = p.w.convert(x, p.types[i])
	}
	return true
}
