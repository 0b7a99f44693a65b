package plan

import "slices"

// Forced are rarely used ways of compiling ranges, for tests.
type Forced struct {
	Blocks int  // vectors of a block; 0 if the cheapest is looked for
	Spill  bool // no variable has a register across segments
}

// Candidate is a range that can probably be compiled.
type Candidate struct {
	From, To int
	By       *Plan       // which has found the ways
	Ways     []Way       // the best first
	Instead  []Candidate // if all ways fail
}

// Way is a way to compile a range.
type Way struct {
	Block   int // vectors in a block
	spilled int // see Plan.assign
	cost    int // see Plan.estimate
}

// Candidates returns the ranges to compile. A range of a single block of vectors may contain what
// several blocks must do together: it may wait at barriers, store shared numbers, and leave by a
// jump that depends on a mask. But fewer variables have registers then. So each such range is
// compared with the ranges that it consists of otherwise, and what costs less is returned.
func (f *Facts) Candidates(o Forced) []Candidate {
	candidates := func(single bool) (list []Candidate) {
		for _, r := range f.ranges(f.usable(single), single) {
			if x := f.candidate(r, single, o); len(x.Ways) > 0 {
				list = append(list, x)
			}
		}
		return list
	}
	end, _ := RowEnd(f.Program)
	least := 0
	if f.Row {
		least = f.leastCost(end)
	}
	anyBlocks := o.Blocks == 0 || o.Blocks == f.vectorsOf(f.Program)
	var singles []Candidate
	if least > 0 && anyBlocks {
		if singles = candidates(true); IsWhole(singles, end) && f.cost(0, end, singles) < least {
			return singles
		}
	}
	list := candidates(false)
	if f.Row && IsWhole(list, end) || !anyBlocks {
		return list
	}
	if least == 0 {
		singles = candidates(true)
	}
	for _, c := range singles {
		first := slices.IndexFunc(list, func(x Candidate) bool { return x.To > c.From })
		if first < 0 {
			first = len(list)
		}
		last := first
		for last < len(list) && list[last].From < c.To {
			last++
		}
		parts := slices.Clone(list[first:last])
		if len(parts) == 1 && parts[0].From == c.From && parts[0].To == c.To {
			continue
		}
		if f.cost(c.From, c.To, []Candidate{c}) < f.cost(c.From, c.To, parts) {
			c.Instead = parts
			list = slices.Replace(list, first, last, c)
		}
	}
	return list
}

// candidate finds the ways to compile a range: with blocks of different sizes, or with all vectors
// in a single block.
func (f *Facts) candidate(r [2]int, single bool, o Forced) Candidate {
	vecs, x := f.vectorsOf(f.Program), Candidate{From: r[0], To: r[1]}
	if Attempt(func() { x.By = New(f, x.From, x.To, o.Spill, nil) }) != nil {
		return x
	}
	for u := vecs; u >= 1 && (u == vecs || !single); u-- {
		if vecs%u != 0 || o.Blocks != 0 && u != o.Blocks {
			continue
		}
		_ = Attempt(func() {
			x.By.UseBlocks(u)
			x.Ways = append(x.Ways, Way{u, x.By.spilled, x.By.estimate()})
		})
	}
	slices.SortStableFunc(x.Ways, func(a, b Way) int { return a.cost - b.cost })
	return x
}

// Halves returns the ranges of which one consists without an instruction near its middle, in as few
// loops as possible.
func (f *Facts) Halves(x Candidate, o Forced) (list []Candidate) {
	const least = 32 // instructions
	n := x.To - x.From
	if n < least {
		return nil
	}
	usable, best, fewest := make([]bool, len(f.Program.Code)), 0, len(f.Loops)+1
	for pc := x.From; pc < x.To; pc++ {
		usable[pc] = f.known[pc]
		depth := 0
		for _, l := range f.Loops {
			if l[0] <= pc && pc <= l[1] {
				depth++
			}
		}
		if pc >= x.From+n/4 && pc < x.To-n/4 && (depth < fewest || depth == fewest && pc <= (x.From+x.To)/2) {
			best, fewest = pc, depth
		}
	}
	usable[best] = false
	for _, r := range f.ranges(usable, false) {
		if x := f.candidate(r, false, o); len(x.Ways) > 0 {
			list = append(list, x)
		}
	}
	return list
}

// cost estimates what a part of the program costs if the ranges in it are compiled.
func (f *Facts) cost(from, to int, ranges []Candidate) (sum int) {
	covered := make([]bool, to-from)
	for _, c := range ranges {
		sum += f.weight(c.From, c.To) * (callCost + c.Ways[0].spilled)
		for pc := max(from, c.From); pc < min(to, c.To); pc++ {
			covered[pc-from] = true
		}
	}
	for pc := from; pc < to; pc++ {
		if !covered[pc-from] {
			sum += interpretedCost * f.weight(pc, pc)
		}
	}
	return sum
}

// leastCost returns a bound of what the instructions before an end cost in ranges of several
// blocks, if some do not fit into those, otherwise 0.
func (f *Facts) leastCost(end int) (sum int) {
	usable, known := f.usable(false), 0 // known counts instructions since one that does not fit
	for pc := range end {
		if usable[pc] {
			known++
			continue
		}
		sum += min(callCost, known*interpretedCost) + interpretedCost*f.weight(pc, pc)
		known = 0
	}
	if sum > 0 {
		sum += min(callCost, known*interpretedCost)
	}
	return sum
}

// weight estimates how often a part of the program is executed, by the loops around it.
func (f *Facts) weight(from, to int) int {
	weight := 1
	for _, l := range f.Loops {
		if l[0] <= from && l[1] >= to {
			weight = min(8*weight, 1<<15)
		}
	}
	return weight
}

// IsWhole reports whether all of a program is one range.
func IsWhole(list []Candidate, end int) bool {
	return len(list) == 1 && list[0].From == 0 && list[0].To == end
}

// What a call of a range and an interpreted instruction cost, if a use of a variable that has no
// register costs 1.
const (
	callCost        = 40
	interpretedCost = 20
)
