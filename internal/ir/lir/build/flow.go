package build

import "github.com/puremetal/puremetal/internal/ir"

// flow describes how the lanes of a strip diverge and reconverge. It is computed together with the
// classes of values, since each depends on the other.
//
// A branch (break, continue, return) is direct if all lanes that are still in its target's region
// reach it together: then it becomes a jump. Otherwise its lanes are removed from the mask and the
// code continues for the others.
type flow struct {
	divergent map[*ir.Instr]bool // an If whose condition may differ between lanes of a strip
	masked    map[*ir.Instr]bool // a Loop or Block that some lanes may exit or continue without the others
	departs   map[*ir.Instr]bool // an If, Loop or Block past whose end some lanes may branch without the others
	indirect  map[*ir.Instr]bool // a branch that is not direct
	crosses   map[*ir.Instr]bool // a branch out of a Loop inside its target: it may be executed again for other lanes
	exits     map[*ir.Instr]int  // number of breaks and yields that supply a Loop's or Block's results
	backs     map[*ir.Instr]int  // number of continues of a Loop
	stops     map[*ir.Instr]bool // an If, Loop or Block after which no lane ever continues
	left      map[*ir.Instr]bool // a Loop or Block that a break exits
	changed   bool
}

func newFlow(f *ir.Func) *flow {
	fl := &flow{divergent: map[*ir.Instr]bool{}, masked: map[*ir.Instr]bool{}, departs: map[*ir.Instr]bool{},
		indirect: map[*ir.Instr]bool{},
		crosses:  map[*ir.Instr]bool{}, exits: map[*ir.Instr]int{}, backs: map[*ir.Instr]int{}, stops: map[*ir.Instr]bool{},
		left: map[*ir.Instr]bool{}}
	fl.reaches(f.Body)
	f.Body.Walk(func(in *ir.Instr) bool {
		switch in.Op {
		case ir.OpBlock:
			if t := in.Regions[0].Terminator(); t.Op == ir.OpYield {
				fl.exits[in]++
			}
		case ir.OpBreak:
			fl.exits[in.Target]++
		case ir.OpContinue:
			fl.backs[in.Target]++
		}
		return true
	})
	return fl
}

// reaches reports whether lanes may reach a region's yield, and records the constructs after which
// none ever continue.
func (fl *flow) reaches(r *ir.Region) bool {
	for _, in := range r.Instrs {
		on := len(in.Regions) == 0
		for _, sub := range in.Regions {
			on = fl.reaches(sub) || on
		}
		if on = on || fl.left[in]; !on {
			fl.stops[in] = true
			return false
		}
		if in.Op == ir.OpBreak {
			fl.left[in.Target] = true
		}
	}
	return r.Terminator().Op == ir.OpYield
}

func (fl *flow) set(m map[*ir.Instr]bool, in *ir.Instr) {
	if !m[in] {
		m[in], fl.changed = true, true
	}
}

// branch records the effects of a branch on its enclosing constructs. path lists them, outermost
// first.
func (fl *flow) branch(in *ir.Instr, path []*ir.Instr) {
	first := 0 // the first construct inside the target
	for i, c := range path {
		if c == in.Target {
			first = i + 1
		}
	}
	direct := true
	for _, c := range path[first:] {
		if fl.divergent[c] || fl.masked[c] {
			direct = false
		}
		if c.Op == ir.OpLoop {
			fl.crosses[in] = true
		}
	}
	if direct {
		return
	}
	fl.set(fl.indirect, in)
	if in.Target != nil {
		fl.set(fl.masked, in.Target)
	}
	for _, c := range path[first:] {
		fl.set(fl.departs, c)
	}
}

// mergesResults reports whether the results of a Loop or Block come from branches at which
// different lanes arrive, so that they must be merged lane by lane.
func (fl *flow) mergesResults(in, branch *ir.Instr) bool {
	return fl.masked[in] && (in.Op == ir.OpLoop || fl.exits[in] > 1 || fl.crosses[branch])
}

// mergesParams does the same for a Loop's parameters. Lanes that are not at the branch may still
// read theirs, unless it is direct.
func (fl *flow) mergesParams(loop, branch *ir.Instr) bool {
	return fl.masked[loop] && (fl.backs[loop] > 1 || fl.indirect[branch])
}
