package ir

import "slices"

// HoldLanes makes shuffles read what a lane that is not active had in its register: it gives an
// operand whose lanes may not all be at the shuffle a register of its own, set where the operand is
// computed. Other operands have no lane that computed them and is not active, so that a shuffle
// gives 0 for such a lane anyway. The function must be valid.
//
//   - What only converts, casts or takes apart other values needs no register: such an operand is
//     in a lane's registers once they are, wherever the source writes the conversion.
//   - A constant is in the registers of all lanes from the start.
//   - An operand loaded from a variable at a fixed place is what the lane last stored there.
//
// It changes nothing if it is run again, nor in a function with a grid barrier: launches that take
// turns would have to pass the registers on.
func (f *Func) HoldLanes() {
	var shuffles []*Instr
	f.Body.Walk(func(in *Instr) bool {
		if in.Op.Exchanges() {
			shuffles = append(shuffles, in)
		}
		return true
	})
	if len(shuffles) == 0 || f.HasGridBarrier() {
		return
	}
	h := &holder{f: f, u: f.Uniformity(), order: map[*Instr]int32{}, loops: map[*Instr]bool{},
		held:  map[*Value]*Value{},
		after: map[*Instr][]*Instr{}, before: map[*Instr][]*Instr{}, start: map[*Region][]*Instr{}}
	f.Body.Walk(func(in *Instr) bool {
		h.order[in] = int32(len(h.order)) + 1
		switch in.Op {
		case OpSimdHold:
			h.next = max(h.next, in.Imm+1)
		case OpBreak, OpContinue, OpReturn, OpUnreachable:
			h.departures = append(h.departures, in)
		}
		return true
	})
	for _, in := range shuffles {
		h.shuffle(in)
	}
	h.insert(f.Body)
}

type holder struct {
	f          *Func
	u          *Uniformity
	order      map[*Instr]int32 // the number of an instruction in text order, from 1
	departures []*Instr         // branches that lanes may take out of a construct
	loops      map[*Instr]bool  // by loop: whether all lanes that begin it are in all its iterations
	next       int64            // the number of the next register
	held       map[*Value]*Value
	variables  map[*Instr]*variableUses

	// what to insert: in front of an instruction, after one, and at the start of a region
	before, after map[*Instr][]*Instr
	start         map[*Region][]*Instr
}

// home is where a value becomes known.
type home struct {
	region *Region
	def    *Instr // nil at the start of the region
	order  int32
}

func (h *holder) homeOf(v *Value) home {
	if v.Def != nil {
		return home{v.Def.Parent, v.Def, h.order[v.Def]}
	}
	return home{v.Region, nil, h.order[v.Region.Owner]}
}

// moves reports whether an instruction only brings values into another form.
func moves(in *Instr) bool {
	switch info := in.Op.Info(); info.Group {
	case VectorOps, ConversionOps, CastOps:
		return info.Has(Pure)
	}
	return in.Op == OpConst
}

// maxMoves limits the instructions that bring an operand into its form.
const maxMoves = 32

// chain is how an operand is made from values.
type chain struct {
	moves  []*Instr // in the order of execution
	leaves []*Value
	last   home // where all leaves are known
}

func (h *holder) chain(v *Value) *chain {
	c := &chain{last: home{region: h.f.Body}}
	seen, steps := map[*Value]bool{}, 0
	var visit func(v *Value)
	visit = func(v *Value) {
		if seen[v] {
			return
		}
		seen[v] = true
		if steps++; v.Def != nil && moves(v.Def) && steps <= maxMoves {
			for _, a := range v.Def.Args {
				visit(a)
			}
			c.moves = append(c.moves, v.Def)
			return
		}
		c.leaves = append(c.leaves, v)
		if at := h.homeOf(v); at.order >= c.last.order {
			c.last = at
		}
	}
	visit(v)
	return c
}

// shuffle gives the operands of a shuffle their registers, if one needs it.
func (h *holder) shuffle(in *Instr) {
	args := in.Args[:in.Op.Exchanged()]
	chains := make([]*chain, len(args))
	needed := false
	for i, v := range args {
		if v.Def != nil && v.Def.Op == OpSimdHold {
			return
		}
		chains[i] = h.chain(v)
		at := chains[i].last
		if h.variable(chains[i]) != nil {
			at = home{region: h.f.Body}
		}
		needed = needed || h.needed(in, at)
	}
	if !needed {
		return
	}
	for i, v := range args {
		args[i] = h.hold(in, v, chains[i])
	}
}

// needed reports whether lanes that are not active at an instruction may know a value.
func (h *holder) needed(in *Instr, at home) bool {
	together := h.u.Flow[in] <= SharedBySimdgroup // but for lanes that have returned
	loop := outermostLoop(at.region)
	for _, d := range h.departures {
		if together && (d.Op != OpReturn || h.u.Flow[d] <= SharedBySimdgroup) {
			continue
		}
		if n := h.order[d]; n > at.order && n < h.order[in] || together && loop != nil && within(d.Parent, loop) {
			return true
		}
	}
	if together {
		return false
	}
	for r := in.Parent; r != at.region; r = r.Owner.Parent {
		if r.Owner.Op == OpIf && h.u.Values[r.Owner.Args[0].ID] > SharedBySimdgroup {
			return true
		}
	}
	if loop == nil {
		return false
	}
	for r := at.region; r.Owner != loop; r = r.Owner.Parent {
		if r.Owner.Op == OpIf && h.u.Values[r.Owner.Args[0].ID] > SharedBySimdgroup {
			return true
		}
	}
	return !h.steady(loop)
}

// steady reports whether lanes that begin a loop stay together in it.
func (h *holder) steady(loop *Instr) bool {
	if known, ok := h.loops[loop]; ok {
		return known
	}
	steady := true
	for _, d := range h.departures {
		if !within(d.Parent, loop) {
			continue
		}
		for r := d.Parent; r.Owner != loop; r = r.Owner.Parent {
			if r.Owner.Op == OpIf && h.u.Values[r.Owner.Args[0].ID] > SharedBySimdgroup {
				steady = false
			}
		}
	}
	h.loops[loop] = steady
	return steady
}

// within reports whether a region is inside a construct.
func within(r *Region, construct *Instr) bool {
	for ; r.Owner != nil; r = r.Owner.Parent {
		if r.Owner == construct {
			return true
		}
	}
	return false
}

func outermostLoop(r *Region) (loop *Instr) {
	for ; r.Owner != nil; r = r.Owner.Parent {
		if r.Owner.Op == OpLoop {
			loop = r.Owner
		}
	}
	return loop
}

// hold returns the operand of a shuffle as a register holds it.
func (h *holder) hold(in *Instr, v *Value, c *chain) *Value {
	if x := h.variable(c); x != nil {
		number := h.stored(x, v, c)
		put := func(list ...*Instr) { h.before[in] = append(h.before[in], list...) }
		return h.register(v, number, in.Loc, put, in.Parent)
	}
	if r := h.held[v]; r != nil {
		return r
	}
	put := func(list ...*Instr) {
		switch at := c.last; {
		case at.def != nil:
			h.after[at.def] = append(h.after[at.def], list...)
		default:
			h.start[at.region] = append(h.start[at.region], list...)
		}
	}
	x := v
	if len(c.moves) > 0 {
		x = h.copy(c, v, nil, nil, c.last.region, put)
	}
	r := h.register(x, h.take(), in.Loc, put, c.last.region)
	h.held[v] = r
	return r
}

func (h *holder) take() int64 {
	h.next++
	return h.next - 1
}

// register makes a register hold a value.
func (h *holder) register(v *Value, number int64, loc Loc, put func(...*Instr), r *Region) *Value {
	in := h.f.slab.instr()
	in.Op, in.Loc, in.Parent, in.Args, in.Imm = OpSimdHold, loc, r, h.f.slab.list(v), number
	h.f.AddResult(in, v.Type)
	put(in)
	return in.Results[0]
}

// copy repeats what makes an operand from values, with another value in place of one of them.
func (h *holder) copy(c *chain, v, leaf, instead *Value, r *Region, put func(...*Instr)) *Value {
	k := NewCloner(h.f)
	if leaf != nil {
		k.Map(leaf, instead)
	}
	for _, m := range c.moves {
		put(k.Instr(m, r))
	}
	return k.Value(v)
}

// insert adds what was to be inserted.
func (h *holder) insert(r *Region) {
	list := slices.Clone(h.start[r])
	for _, in := range r.Instrs {
		for _, sub := range in.Regions {
			h.insert(sub)
		}
		list = append(list, h.before[in]...)
		list = append(list, in)
		list = append(list, h.after[in]...)
	}
	r.Instrs = list
}
