package ir

// ActiveArgs reports, for each argument, whether the function's effects depend on it: whether it is
// used by a write, a barrier, a volatile access or the control flow around them. An argument that
// is only read into unused values is not active. A value stored to a variable in memory counts as
// used.
func (f *Func) ActiveArgs() []bool {
	a := &activity{live: make([]bool, f.NumValues()), from: map[*Instr][]*Instr{}, args: make([]bool, len(f.Args))}
	f.Body.Walk(func(in *Instr) bool {
		switch in.Op {
		case OpBreak, OpContinue:
			a.from[in.Target] = append(a.from[in.Target], in)
		case OpYield:
			if in.Parent != nil && in.Parent.Owner != nil {
				a.from[in.Parent.Owner] = append(a.from[in.Parent.Owner], in)
			}
		}
		return true
	})
	a.effects(f.Body)
	for len(a.work) > 0 {
		v := a.work[len(a.work)-1]
		a.work = a.work[:len(a.work)-1]
		a.visit(v)
	}
	return a.args
}

type activity struct {
	live []bool              // by Value.ID
	work []*Value            // live values whose operands have yet to be visited
	from map[*Instr][]*Instr // the terminators that supply the results or parameters of an if, loop or block
	args []bool
}

func (a *activity) use(vs ...*Value) {
	for _, v := range vs {
		if !a.live[v.ID] {
			a.live[v.ID] = true
			a.work = append(a.work, v)
		}
	}
}

// effects marks the values used by the effects in a region, and reports whether there are any.
func (a *activity) effects(r *Region) bool {
	found := false
	for _, in := range r.Instrs {
		inside := false
		for _, sub := range in.Regions {
			inside = a.effects(sub) || inside
		}
		info := in.Op.Info()
		switch {
		case in.Op == OpYield:
		case in.Op == OpIf && inside:
			a.use(in.Args[0])
			found = true
		case len(in.Regions) > 0:
			found = found || inside
		case info.Has(Terminator):
			found = true
		case info.Has(WritesMemory) || info.Has(Atomic) || in.Flags&Volatile != 0 || info.Has(Convergent) &&
			len(in.Results) == 0:
			a.use(in.Args...)
			found = true
		}
	}
	return found
}

// visit marks the operands of a value as used.
func (a *activity) visit(v *Value) {
	in := v.Def
	if in == nil { // the parameter of a loop
		if in = v.Region.Owner; in == nil {
			return
		}
		a.use(in.Args[v.Index])
		for _, t := range a.from[in] {
			if t.Op == OpContinue {
				a.use(t.Args[v.Index])
			}
		}
		return
	}
	if in.Op == OpArg && int(in.Imm) < len(a.args) {
		a.args[in.Imm] = true
	}
	if len(in.Regions) == 0 {
		a.use(in.Args...)
		return
	}
	if in.Op == OpIf {
		a.use(in.Args[0])
	}
	for _, t := range a.from[in] {
		if t.Op != OpContinue {
			a.use(t.Args[v.Index])
		}
	}
}
