package plan

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// needsSimdgroups reports whether an instruction needs all vectors of a simdgroup in one block.
func (c *Plan) needsSimdgroups() bool {
	for pc := c.From; pc < c.To; pc++ {
		in := &c.Program.Code[pc]
		if in.Op.IR() == ir.OpSimdBarrier || onSimdgroup(in) || onMatrix(c.Program, in) ||
			in.D != 0 && c.Class(in.D) == lir.Simd {
			return true
		}
	}
	return false
}

// Usage is what the range reads and writes, by variable, and which of its variables of lanes live
// across segments.
type Usage struct {
	Segments []*Segment
	Touched  Set
	Written  Set
	Private  Set // Once variables that only the range uses

	order    []lir.Ref // of those that live across segments, the most used first
	truths   []lir.Ref // truth values among them
	wides    []lir.Ref // numbers of 64 bits among them
	matrices []lir.Ref
	Index    []int32     // by variable: the number from 1 of one that lives across segments, or 0
	Clash    []Set       // by number: the numbers of those that are live together
	uses     []int       // by number: weighted by loops
	copies   [][]lir.Ref // by number: those that one is copied to or from
	depth    []int       // how many loops are around each instruction
	work     work
	formed   bool // ChooseForms has been called
	whole    bool // an instruction needs all vectors of a simdgroup in one block
}

// findClashes finds which of the variables that live across segments, given by their numbers, are
// live together, and counts the uses of each.
func (v *Usage) findClashes(c *Plan, vars []lir.Ref) {
	v.Clash, v.uses = newSets(len(vars), len(vars)), make([]int, len(vars))
	live := NewSet(len(vars))
	for _, s := range v.Segments {
		clear(live)
		for _, x := range s.Exits {
			after := c.Live.At(x)
			for i, r := range vars {
				if after.Has(r) {
					live.Add(lir.Ref(i))
				}
			}
		}
		for pc := s.To - 1; pc >= s.From; pc-- {
			weight := 1 << (3 * min(v.depth[pc], 5))
			for _, d := range c.Writes(pc) {
				if i := v.Index[d]; i != 0 {
					v.uses[i] += weight
					v.Clash[i].union(live)
				}
			}
			if c.Program.Code[pc].Op != lir.OpMerge {
				for _, d := range c.Writes(pc) {
					live.Remove(lir.Ref(v.Index[d]))
				}
			}
			for _, r := range c.Reads(pc) {
				if i := v.Index[r]; i != 0 {
					v.uses[i] += weight
					live.Add(lir.Ref(i))
				}
			}
		}
		for i := range live.All { // at the segment's start
			v.Clash[i].union(live)
		}
	}
	for i := range vars {
		v.Clash[i].Remove(lir.Ref(i))
		for o := range v.Clash[i].All {
			v.Clash[o].Add(lir.Ref(i))
		}
	}
}

// findUsage finds the range's usage of variables.
func (c *Plan) findUsage() *Usage {
	v := &Usage{}
	c.Usage = v
	c.findPrivate()
	v.Segments = segments(c.Program, c.operands, c.From, c.To, func(r lir.Ref) int32 {
		if c.Private.Has(r) || c.Class(r) == lir.Affine && c.Written.Has(r) { // in the context
			return int32(r)
		}
		return int32(len(c.Program.Vars)) + c.places[r]
	}, c.spread)
	across := NewSet(len(c.Program.Vars))
	for _, s := range c.Segments {
		across.union(c.Live.At(s.From))
		for _, pc := range s.Exits {
			across.union(c.Live.At(pc))
		}
	}
	v.Index = make([]int32, len(c.Program.Vars))
	vars := []lir.Ref{0} // by number
	for r := range across.All {
		if c.Touched.Has(r) && c.Class(r) == lir.Lane {
			v.Index[r] = int32(len(vars))
			vars = append(vars, r)
		}
	}
	v.depth = c.depths()
	v.work, v.whole = c.estimateWork(), c.needsSimdgroups()
	v.findClashes(c, vars)
	v.copies = make([][]lir.Ref, len(vars))
	for pc := c.From; pc < c.To; pc++ {
		in := &c.Program.Code[pc]
		if d, a := v.Index[in.D], v.Index[in.A]; (in.Op == lir.OpMov || in.Op == lir.OpMerge) && d != 0 && a != 0 {
			v.copies[d], v.copies[a] = append(v.copies[d], in.A), append(v.copies[a], in.D)
		}
	}
	for _, r := range vars[1:] {
		switch k := c.Program.Var(r).Kind; {
		case c.IsTruth(r):
			v.truths = append(v.truths, r)
		case Wide(k):
			v.wides = append(v.wides, r)
		case k == ir.Matrix:
			v.matrices = append(v.matrices, r)
		case !InVector(k):
			Fail("a variable of %v lives across segments", k)
		default:
			v.order = append(v.order, r)
		}
	}
	slices.SortStableFunc(v.order, func(a, b lir.Ref) int { return v.uses[v.Index[b]] - v.uses[v.Index[a]] })
	return v
}

// findPrivate finds what the range reads and writes, and the Once variables that are only its own.
// Those have places in the context: in the frame, variables whose use does not overlap share
// places, and the code executes instructions in another order.
func (c *Plan) findPrivate() {
	n := len(c.Program.Vars)
	sets := newSets(4, n)
	c.Touched, c.Written, c.Private = sets[0], sets[1], sets[2]
	for pc := c.From; pc < c.To; pc++ {
		for _, r := range c.Reads(pc) {
			c.Touched.Add(r)
		}
		for _, r := range c.Writes(pc) {
			c.Touched.Add(r)
			c.Written.Add(r)
		}
	}
	known := sets[3]
	known.union(c.Live.At(c.From))
	for _, pc := range exits(c.Program, [2]int{c.From, c.To}) {
		known.union(c.Live.At(pc))
	}
	for r := range c.Written.All {
		// The frame keeps roots, in which other ranges find out what they access.
		if c.Class(r) == lir.Once && !known.Has(r) && (c.Row || !c.Keeps[r]) {
			c.Private.Add(r)
		}
	}
}

// depths returns how many loops are around each instruction.
func (c *Plan) depths() []int {
	d := make([]int, len(c.Program.Code))
	for pc := c.From; pc < c.To; pc++ {
		if in := &c.Program.Code[pc]; in.Op == lir.OpBack {
			for i := max(int(in.Target), c.From); i <= pc; i++ {
				d[i]++
			}
		}
	}
	return d
}
