package split

import (
	"cmp"
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
)

// analysis is what is known of the kernel before it is split.
type analysis struct {
	pos      map[*ir.Instr]int // in text order
	end      map[*ir.Instr]int // position of the last instruction inside
	uses     map[*ir.Value][]*ir.Instr
	barriers []*ir.Instr
	inside   map[*ir.Instr][2]int // the barriers in an instruction, numbered from 1: from the first, to before the second
	roots    map[*ir.Value]*ir.Value
	returns  bool // threads may return before the end
	uniform  *ir.Uniformity

	cost    map[*ir.Value]int // of computing a value again; absent if that is impossible
	hoisted map[*ir.Instr]bool
	kept    [][]*ir.Value // the values live at each barrier, without those computed again
	slots   map[*ir.Value]*Slot
	memory  [][]*ir.Value // the variables live at each barrier: addresses of allocas and threadgroup variables
}

func newAnalysis() analysis {
	return analysis{pos: map[*ir.Instr]int{}, end: map[*ir.Instr]int{}, uses: map[*ir.Value][]*ir.Instr{},
		inside: map[*ir.Instr][2]int{}, roots: map[*ir.Value]*ir.Value{}, cost: map[*ir.Value]int{},
		hoisted: map[*ir.Instr]bool{}, slots: map[*ir.Value]*Slot{}}
}

// maxCost is the number of operations up to which a value is computed again instead of kept.
const maxCost = 12

// survey numbers instructions and barriers, and collects the uses of values.
func (s *splitter) survey(r *ir.Region) {
	for _, in := range r.Instrs {
		s.pos[in] = len(s.pos)
		for _, a := range in.Args {
			s.uses[a] = append(s.uses[a], in)
		}
		first := len(s.barriers) + 1
		switch in.Op {
		case ir.OpGridBarrier:
			s.barriers = append(s.barriers, in)
		case ir.OpReturn:
			s.returns = s.returns || r.Owner != nil
		}
		for _, sub := range in.Regions {
			s.survey(sub)
		}
		s.end[in] = len(s.pos) - 1
		if n := len(s.barriers) + 1; n > first {
			s.inside[in] = [2]int{first, n}
		}
		s.again(in)
	}
}

// again determines whether and at what cost a value can be computed again.
func (s *splitter) again(in *ir.Instr) {
	v := in.Result()
	if v == nil {
		return
	}
	cost := 0
	switch in.Op.Group() {
	case ir.InputOps:
	case ir.IntegerOps, ir.BitOps, ir.ComparisonOps, ir.SelectOps, ir.ConversionOps, ir.CastOps, ir.VectorOps:
		cost = 1
	case ir.MemoryOps:
		if cost = 1; in.Op != ir.OpOffset && in.Op != ir.OpField {
			return
		}
	default:
		return
	}
	for _, a := range in.Args {
		c, ok := s.cost[a]
		if !ok {
			return
		}
		cost += c
	}
	if cost <= maxCost {
		s.cost[v] = cost
	}
}

// hoist has a value computed at the start of every launch.
func (s *splitter) hoist(v *ir.Value) {
	if s.hoisted[v.Def] {
		return
	}
	s.hoisted[v.Def] = true
	for _, a := range v.Def.Args {
		s.hoist(a)
	}
}

// several stands for the object of a pointer that may point into more than one.
var several = &ir.Value{}

// objects finds the object of each pointer: the address of a variable, or an argument.
func (s *splitter) objects() {
	sources := map[*ir.Value][]*ir.Value{} // of results and parameters
	s.f.Body.Walk(func(in *ir.Instr) bool {
		flow := func(to, from []*ir.Value) {
			for i, v := range to {
				if v.Type.Kind == ir.Pointer && i < len(from) {
					sources[v] = append(sources[v], from[i])
				}
			}
		}
		switch in.Op {
		case ir.OpArg, ir.OpSharedAddr, ir.OpGlobalAddr, ir.OpAlloca:
			if v := in.Result(); v.Type.Kind == ir.Pointer && len(in.Args) == 0 {
				s.roots[v] = s.canonical(in)
			}
		case ir.OpOffset, ir.OpField:
			flow(in.Results, in.Args[:1])
		case ir.OpSelect:
			flow(in.Results, in.Args[1:2])
			flow(in.Results, in.Args[2:3])
		case ir.OpLoop:
			flow(in.Regions[0].Params, in.Args)
		case ir.OpYield:
			flow(in.Parent.Owner.Results, in.Args)
		case ir.OpBreak:
			flow(in.Target.Results, in.Args)
		case ir.OpContinue:
			flow(in.Target.Regions[0].Params, in.Args)
		case ir.OpIf, ir.OpBlock:
		default:
			for _, v := range in.Results {
				if v.Type.Kind == ir.Pointer {
					s.roots[v] = several
				}
			}
		}
		return true
	})
	for changed := true; changed; {
		changed = false
		for v, from := range sources {
			root := s.roots[v]
			for _, x := range from {
				switch r := s.roots[x]; {
				case r == nil || r == root:
				case root == nil:
					root = r
				default:
					root = several
				}
			}
			if root != s.roots[v] {
				s.roots[v], changed = root, true
			}
		}
	}
}

// canonical returns the first address of the same object as an instruction's.
func (s *splitter) canonical(in *ir.Instr) *ir.Value {
	for _, v := range s.bases {
		if v.Def.Op == in.Op && v.Def.Imm == in.Imm && in.Op != ir.OpAlloca {
			return v
		}
	}
	s.bases = append(s.bases, in.Result())
	return in.Result()
}

// root returns the address of a pointer's object, or nil if it is not known.
func (s *splitter) root(v *ir.Value) *ir.Value {
	if r := s.roots[v]; r != several {
		return r
	}
	return nil
}

// reaches reports whether one of the positions is executed after a barrier: behind it, or in a loop
// around it that begins after start.
func (s *splitter) reaches(barrier, loop *ir.Instr, users []*ir.Instr) bool {
	for _, in := range users {
		if at := s.pos[in]; at > s.pos[barrier] || loop != nil && at > s.pos[loop] && at <= s.end[loop] {
			return true
		}
	}
	return false
}

// live finds what is live at each barrier.
func (s *splitter) live() {
	s.objects()
	for _, barrier := range s.barriers {
		var kept []*ir.Value
		var loop *ir.Instr // the outermost around the barrier that is inside the region
		add := func(vs []*ir.Value) {
			for _, v := range vs {
				if s.reaches(barrier, loop, s.uses[v]) {
					kept = append(kept, v)
				}
			}
		}
		at := barrier
		for r := barrier.Parent; ; r = at.Parent {
			add(r.Params)
			for _, in := range r.Instrs {
				if in == at {
					break
				}
				add(in.Results)
			}
			if at = r.Owner; at == nil {
				break
			}
			if at.Op == ir.OpLoop {
				loop = at
			}
		}
		kept = slices.DeleteFunc(kept, func(v *ir.Value) bool {
			if _, ok := s.cost[v]; ok {
				s.hoist(v)
				return true
			}
			return false
		})
		s.kept = append(s.kept, kept)
		s.memory = append(s.memory, s.variables(barrier, loop))
	}
	for _, v := range s.bases {
		s.hoist(v)
	}
}

// variables returns the variables that may be accessed after a barrier, given the outermost loop
// around it.
func (s *splitter) variables(barrier, loop *ir.Instr) (live []*ir.Value) {
	for _, base := range s.bases {
		if op := base.Def.Op; op != ir.OpAlloca && op != ir.OpSharedAddr {
			continue
		}
		var users []*ir.Instr
		for v, root := range s.roots {
			if root == base || root == several && v.Type.Space == base.Type.Space {
				users = append(users, s.uses[v]...)
			}
		}
		if s.reaches(barrier, loop, users) {
			live = append(live, base)
		}
	}
	return live
}

// stored returns the type in which a value is kept.
func (s *splitter) stored(v *ir.Value) ir.Type {
	switch {
	case v.Type.Kind == ir.Matrix:
		return ir.Vector(v.Type.Elem, 2)
	case v.Type.Kind == ir.Pointer && s.root(v) != nil:
		return ir.TI64
	}
	return v.Type
}

// layout gives values and variables their slots. Values that are never live at the same barrier may
// share one.
func (s *splitter) layout() {
	type place struct {
		Slot
		at map[int]bool // barriers at which it is in use
	}
	var places []*place
	of := map[*ir.Value]*place{}
	for i, kept := range s.kept {
		for _, v := range kept {
			if of[v] == nil {
				grid := s.uniform.Values[v.ID] == ir.SharedByGrid
				of[v] = &place{Slot: Slot{Type: s.stored(v), Grid: grid}, at: map[int]bool{}}
				of[v].Size = int64(of[v].Type.Size())
			}
			of[v].at[i] = true
		}
	}
	values := make([]*ir.Value, 0, len(of))
	for v := range of {
		values = append(values, v)
	}
	slices.SortFunc(values, func(x, y *ir.Value) int { return cmp.Compare(x.ID, y.ID) })
	for _, v := range values {
		want := of[v]
		i := slices.IndexFunc(places, func(p *place) bool {
			if p.Type != want.Type || p.Grid != want.Grid {
				return false
			}
			for k := range want.at {
				if p.at[k] {
					return false
				}
			}
			return true
		})
		if i < 0 {
			places = append(places, want)
			continue
		}
		for k := range want.at {
			places[i].at[k] = true
		}
		of[v] = places[i]
	}
	group := map[*ir.Value]bool{}
	for _, vs := range s.memory {
		for _, base := range vs {
			if base.Def.Op == ir.OpSharedAddr {
				group[base] = true
			} else if of[base] == nil {
				of[base] = &place{Slot: Slot{Name: base.Def.Name, Size: (base.Def.Imm + 15) &^ 15}}
				places = append(places, of[base])
			}
		}
	}
	if s.returns {
		s.done = &Slot{Name: "returned", Type: ir.TI8, Size: 1}
	}
	// the sizes before a slot are multiples of its alignment
	align := func(p *place) int { return cmp.Or(p.Type.Kind.Size(), 16) }
	slices.SortStableFunc(places, func(x, y *place) int { return cmp.Compare(align(y), align(x)) })
	s.k.ControlBytes = controlHead
	for _, p := range places {
		before := &s.k.ThreadBytes
		if p.Grid {
			before = &s.k.ControlBytes
		}
		p.Before = *before
		*before += p.Size
		s.k.Slots = append(s.k.Slots, p.Slot)
	}
	s.k.ControlBytes = (s.k.ControlBytes + 15) &^ 15
	if s.done != nil {
		s.done.Before = s.k.ThreadBytes
		s.k.ThreadBytes++
		s.k.Slots = append(s.k.Slots, *s.done)
	}
	for v, p := range of {
		s.slots[v] = &p.Slot
	}
	for _, base := range s.bases { // in a fixed order
		if group[base] {
			s.shared = append(s.shared, base)
			s.k.GroupBytes += int64(s.f.Threadgroup[base.Def.Imm].Size+15) &^ 15
		}
	}
}
