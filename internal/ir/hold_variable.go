package ir

// variableUses is how a function uses a variable in memory.
type variableUses struct {
	writes []*Instr
	other  bool // its address goes elsewhere, so that not all writes are known
	held   map[heldPlace]int64
}

// heldPlace is a value of a variable that a register holds: the chain that makes it, by the
// value at its end.
type heldPlace struct {
	off  int64
	load Type
	form *Value
}

// part is a value in a variable.
type part struct {
	uses *variableUses
	load *Instr
	off  int64
}

// variable returns the variable that an operand is loaded from, if registers can follow what is
// stored in it, or nil.
func (h *holder) variable(c *chain) *part {
	if len(c.leaves) != 1 || c.leaves[0].Def == nil {
		return nil
	}
	load := c.leaves[0].Def
	if load.Op != OpLoad || load.Flags&Volatile != 0 || load.Args[0].Type.Space != Thread {
		return nil
	}
	alloca, off := fieldOf(load.Args[0])
	if alloca == nil {
		return nil
	}
	if h.variables == nil {
		h.survey()
	}
	uses := h.variables[alloca]
	if uses == nil || uses.other {
		return nil
	}
	size := int64(load.Results[0].Type.Size())
	for _, w := range uses.writes {
		_, at := fieldOf(w.Args[0])
		if w.Op == OpClear {
			if at <= off && off+size <= at+w.Imm || at >= off+size || at+w.Imm <= off {
				continue
			}
			return nil
		}
		t := w.Args[1].Type
		if n := int64(t.Size()); at >= off+size || at+n <= off {
			continue
		}
		if _, ok := laneOf(t, load.Results[0].Type, off-at); !ok {
			return nil
		}
	}
	return &part{uses, load, off}
}

// fieldOf returns the variable that an address leads to and the offset in it, or nil if that is not
// known.
func fieldOf(v *Value) (alloca *Instr, off int64) {
	for v.Def != nil && v.Def.Op == OpField {
		off += v.Def.Imm
		v = v.Def.Args[0]
	}
	if v.Def == nil || v.Def.Op != OpAlloca {
		return nil, 0
	}
	return v.Def, off
}

// laneOf returns which lane of a stored value a load of another type yields, -1 for all of it.
func laneOf(stored, loaded Type, off int64) (lane int, ok bool) {
	if stored == loaded {
		return -1, off == 0
	}
	n := int64(stored.Element().Size())
	return int(off / n), stored.IsVector() && stored.Element() == loaded && off%n == 0
}

// survey finds how the function uses its variables.
func (h *holder) survey() {
	h.variables = map[*Instr]*variableUses{}
	of := func(alloca *Instr) *variableUses {
		u := h.variables[alloca]
		if u == nil {
			u = &variableUses{held: map[heldPlace]int64{}}
			h.variables[alloca] = u
		}
		return u
	}
	h.f.Body.Walk(func(in *Instr) bool {
		for i, a := range in.Args {
			if a.Type.Kind != Pointer {
				continue
			}
			alloca, _ := fieldOf(a)
			if alloca == nil {
				continue
			}
			switch u := of(alloca); {
			case i > 0:
				u.other = true
			case in.Op == OpStore, in.Op == OpClear:
				u.writes = append(u.writes, in)
			case in.Op != OpLoad && in.Op != OpField:
				u.other = true
			}
		}
		return true
	})
}

// stored returns the register that holds a part of a variable in the form of an operand, set by all
// that writes to it.
func (h *holder) stored(x *part, v *Value, c *chain) int64 {
	t := x.load.Results[0].Type
	key := heldPlace{x.off, t, nil}
	if len(c.moves) > 0 {
		key.form = v
	}
	if n, ok := x.uses.held[key]; ok {
		return n
	}
	number := h.take()
	x.uses.held[key] = number
	for _, w := range x.uses.writes {
		_, at := fieldOf(w.Args[0])
		put := func(list ...*Instr) { h.after[w] = append(h.after[w], list...) }
		var now *Value
		if w.Op == OpClear {
			if at > x.off || at+w.Imm <= x.off {
				continue
			}
			now = h.pure(OpConst, t, 0, w, put)
		} else {
			stored := w.Args[1]
			lane, ok := laneOf(stored.Type, t, x.off-at)
			if !ok || x.off < at || x.off >= at+int64(stored.Type.Size()) {
				continue
			}
			now = stored
			if lane >= 0 {
				now = h.pure(OpExtract, t, int64(lane), w, put, stored)
			}
		}
		if len(c.moves) > 0 {
			now = h.copy(c, v, x.load.Results[0], now, w.Parent, put)
		}
		h.register(now, number, w.Loc, put, w.Parent)
	}
	return number
}

// pure makes an instruction to be inserted beside another.
func (h *holder) pure(op Op, t Type, imm int64, beside *Instr, put func(...*Instr), args ...*Value) *Value {
	in := h.f.slab.instr()
	in.Op, in.Loc, in.Parent, in.Imm = op, beside.Loc, beside.Parent, imm
	if len(args) > 0 {
		in.Args = h.f.slab.list(args...)
	}
	if op == OpConst && t.IsVector() {
		in.Bits = make([]uint64, t.Lanes())
	}
	h.f.AddResult(in, t)
	put(in)
	return in.Results[0]
}
