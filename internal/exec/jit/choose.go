package jit

import (
	"math"
	"math/bits"
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// facts are what the compiler knows of a program.
type facts struct {
	target
	p    *lir.Program
	live *liveness
	*operands
	places []int32   // see findPlaces
	keeps  []bool    // see lir.Program.Roots
	roots  []lir.Ref // by variable, as far as rootOf has found them; manyRoots for several
	s      strides
	most   []int64          // see findBounded; by the same numbers, -1 for others
	defs   [][]int          // the instructions that write each variable
	loops  [][2]int         // first and last instructions
	known  []bool           // whether the compiler knows each instruction
	kinds  []laneKind       // of operations on lanes, as far as they have been compiled
	lifted map[lir.Ref]bool // see lift
	row    bool             // the range is all of the program, and given numbers are part of it
	adds   bool             // the program adds to device memory by atomic operations
}

func newFacts(p *lir.Program, t target) *facts {
	ops := findOperands(p)
	f := &facts{target: t, operands: ops, live: findLive(p, ops), keeps: p.Roots(), roots: make([]lir.Ref, len(p.Vars)),
		defs: ops.definitions(len(p.Vars)), places: findPlaces(p)}
	f.p, f.lifted = lift(p, t, f.defs)
	f.s = findStrides(f.p)
	f.findBounded()
	for pc := range p.Code {
		in := &p.Code[pc]
		if in.Op == lir.OpBack {
			f.loops = append(f.loops, [2]int{int(in.Target), pc})
		}
		f.adds = f.adds || in.Op.IR() == ir.OpAtomicAdd && in.Space == ir.Device
	}
	f.known, f.kinds = make([]bool, len(p.Code)), make([]laneKind, len(p.Code))
	for pc := range p.Code {
		f.known[pc] = f.isUsable(&f.p.Code[pc])
	}
	return f
}

// findPlaces returns for each variable which is the first that has its place in the frame.
func findPlaces(p *lir.Program) []int32 {
	const unit = 8                                           // bytes: no places are closer
	first := make([]int32, 1<<bits.Len(2*uint(len(p.Vars)))) // a hash table by place
	places := make([]int32, len(p.Vars))
	for r := 1; r < len(p.Vars); r++ {
		off := p.Vars[r].Off
		at := int(off/unit) & (len(first) - 1)
		for first[at] != 0 && p.Vars[first[at]].Off != off {
			at = (at + 1) & (len(first) - 1)
		}
		if first[at] == 0 {
			first[at] = int32(r)
		}
		places[r] = first[at]
	}
	return places
}

// candidate is a range that can probably be compiled.
type candidate struct {
	from, to int
	by       *compiler   // which has found the ways, and compiles the best
	ways     []way       // the best first
	instead  []candidate // if all ways fail
}

// way is a way to compile a range.
type way struct {
	u       int // vectors in a block
	spilled int // see compiler.assign
	cost    int // see compiler.estimate
}

// compiled is a range with its code.
type compiled struct {
	r    *Range
	code []byte
}

// A range of a single block of vectors may contain what several blocks must do together: it may
// wait at barriers, store shared numbers, and leave by a jump that depends on a mask. But fewer
// variables have registers then. choose compares each such range with the ranges that it consists
// of otherwise, and compiles what costs less.
func (f *facts) choose(o Options) []compiled {
	if to, ok := rowEnd(f.p); ok {
		f.row = true
		if list := f.candidates(o); isWhole(list, to) {
			if done := f.compileAll(list, o, nil); len(done) == 1 && done[0].r.To == to {
				return done
			}
		}
		f.row = false
	}
	return f.compileAll(f.candidates(o), o, func(x candidate) []candidate { return f.halves(x, o) })
}

// isWhole reports whether all of a program is one range.
func isWhole(list []candidate, end int) bool {
	return len(list) == 1 && list[0].from == 0 && list[0].to == end
}

// candidates returns the ranges that choose compiles.
func (f *facts) candidates(o Options) []candidate {
	candidates := func(single bool) (list []candidate) {
		for _, r := range f.ranges(f.usable(single), single) {
			if x := f.candidate(r, single, o); len(x.ways) > 0 {
				list = append(list, x)
			}
		}
		return list
	}
	end, _ := rowEnd(f.p)
	least := 0
	if f.row {
		least = f.leastCost(end)
	}
	anyBlocks := o.Blocks == 0 || o.Blocks == f.vectorsOf(f.p)
	var singles []candidate
	if least > 0 && anyBlocks {
		if singles = candidates(true); isWhole(singles, end) && f.cost(0, end, singles) < least {
			return singles
		}
	}
	list := candidates(false)
	if f.row && isWhole(list, end) || !anyBlocks {
		return list
	}
	if least == 0 {
		singles = candidates(true)
	}
	for _, c := range singles {
		first := slices.IndexFunc(list, func(x candidate) bool { return x.to > c.from })
		if first < 0 {
			first = len(list)
		}
		last := first
		for last < len(list) && list[last].from < c.to {
			last++
		}
		parts := slices.Clone(list[first:last])
		if len(parts) == 1 && parts[0].from == c.from && parts[0].to == c.to {
			continue
		}
		if f.cost(c.from, c.to, []candidate{c}) < f.cost(c.from, c.to, parts) {
			c.instead = parts
			list = slices.Replace(list, first, last, c)
		}
	}
	return list
}

// compileAll compiles ranges, and what halves, if it is not nil, makes of one whose code is too
// long.
func (f *facts) compileAll(list []candidate, o Options, halves func(candidate) []candidate) (done []compiled) {
	for _, x := range list {
		by, code := x.by, []byte(nil)
		if !slices.ContainsFunc(x.ways, func(w way) (ok bool) {
			var err error
			if by, code, err = by.compileRange(w.u); err != nil {
				by = newCompiler(f, x.from, x.to, o, x.by.usage)
			}
			return err == nil
		}) {
			instead := x.instead
			if len(instead) == 0 && halves != nil {
				instead = halves(x)
			}
			done = append(done, f.compileAll(instead, o, halves)...)
			continue
		}
		done = append(done, compiled{by.r, code})
	}
	return done
}

// halves returns the ranges of which one consists without an instruction near its middle, in as few
// loops as possible.
func (f *facts) halves(x candidate, o Options) (list []candidate) {
	const least = 32 // instructions
	n := x.to - x.from
	if n < least {
		return nil
	}
	usable, best, fewest := make([]bool, len(f.p.Code)), 0, len(f.loops)+1
	for pc := x.from; pc < x.to; pc++ {
		usable[pc] = f.known[pc]
		depth := 0
		for _, l := range f.loops {
			if l[0] <= pc && pc <= l[1] {
				depth++
			}
		}
		if pc >= x.from+n/4 && pc < x.to-n/4 && (depth < fewest || depth == fewest && pc <= (x.from+x.to)/2) {
			best, fewest = pc, depth
		}
	}
	usable[best] = false
	for _, r := range f.ranges(usable, false) {
		if x := f.candidate(r, false, o); len(x.ways) > 0 {
			list = append(list, x)
		}
	}
	return list
}

// What a call of a range and an interpreted instruction cost, if a use of a variable that has no
// register costs 1.
const (
	callCost        = 40
	interpretedCost = 20
)

// cost estimates what a part of the program costs if the ranges in it are compiled.
func (f *facts) cost(from, to int, ranges []candidate) (sum int) {
	covered := make([]bool, to-from)
	for _, c := range ranges {
		sum += f.weight(c.from, c.to) * (callCost + c.ways[0].spilled)
		for pc := max(from, c.from); pc < min(to, c.to); pc++ {
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
func (f *facts) leastCost(end int) (sum int) {
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

// weight guesses how often a part of the program is executed, by the loops around it.
func (f *facts) weight(from, to int) int {
	weight := 1
	for _, l := range f.loops {
		if l[0] <= from && l[1] >= to {
			weight = min(8*weight, 1<<15)
		}
	}
	return weight
}

// usable says for each instruction whether the compiler knows it, in a range of a single block or
// of several.
func (f *facts) usable(single bool) []bool {
	list := make([]bool, len(f.p.Code))
	end, _ := rowEnd(f.p)
	for pc := range list {
		in := &f.p.Code[pc]
		list[pc] = f.known[pc] || single && (f.onlySingle(in) || f.atomicKnown(in)) ||
			in.Op == lir.OpEnd && f.row && pc < end
	}
	return list
}

// isUsable reports whether the compiler knows an instruction.
func (f *facts) isUsable(in *lir.Inst) bool {
	p := f.p
	switch {
	case in.IsCopy():
		return f.copyUsable(in)
	case isTexture(in):
		return textureUsable(p, in) && !(isAtomicOnTexture(in) && f.inLoop(in))
	case isQuery(in):
		return queryUsable(p, in)
	case onThread(in):
		return f.threadUsable(in)
	case isAtomic(in):
		return f.atomicUsable(in)
	case isAmong(in):
		return f.amongUsable(in)
	case in.D != 0 && p.Var(in.D).Class == lir.Affine && wide(p.Var(in.D).Kind) && isAffineAddress(in):
		return f.affineAddressUsable(in)
	case in.D != 0 && p.Var(in.D).Class == lir.Affine && wide(p.Var(in.D).Kind):
		return f.indexUsable(in)
	case onMatrix(p, in):
		return f.matrixUsable(in)
	case in.Op.IR() == ir.OpSimdBarrier: // nothing to do: it ends a segment
		return true
	case in.Op == lir.OpEnd, in.Op.IR().IsBarrier():
		return false
	case in.Op.IsJump():
		return true
	case onQuads(in):
		return f.quadUsable(in)
	case onLanes(p, in):
		return lanesUsable(p, in)
	case isGiven(p, in):
		return true
	}
	return sharedUsable(p, in)
}

// onlySingle reports whether the compiler knows an instruction in ranges of a single block: a
// barrier at which the threads of one strip wait, all of them, or a store of a shared number. The
// interpreter may hold back atomic additions until a barrier that orders device memory.
func (f *facts) onlySingle(in *lir.Inst) bool {
	switch in.Op.IR() {
	case ir.OpBarrier:
		return f.p.Strips == 1 && in.Mask == 0 && (in.Mem&^ir.MemThreadgroup == 0 || !f.adds)
	case ir.OpStore:
		return in.Per == lir.Once && sharedStoreUsable(f.p, in)
	}
	return false
}

// ranges returns the ranges to compile: instructions that do not fit into one divide it.
func (f *facts) ranges(usable []bool, single bool) (list [][2]int) {
	for again := true; again; {
		again = false
		list = findRanges(f.p, usable)
		for _, r := range list {
			if bad := f.firstBad(r, single); bad >= 0 {
				usable[bad], again = false, true
				break
			}
		}
	}
	return slices.DeleteFunc(list, func(r [2]int) bool { return r[1]-r[0] > maxRange })
}

// candidate finds the ways to compile a range: with blocks of different sizes, or with all vectors
// in a single block.
func (f *facts) candidate(r [2]int, single bool, o Options) candidate {
	vecs, x := f.vectorsOf(f.p), candidate{from: r[0], to: r[1]}
	if attempt(func() { x.by = newCompiler(f, x.from, x.to, o, nil) }) != nil {
		return x
	}
	for u := vecs; u >= 1 && (u == vecs || !single); u-- {
		if vecs%u != 0 || o.Blocks != 0 && u != o.Blocks {
			continue
		}
		_ = attempt(func() {
			x.by.useBlocks(u)
			x.ways = append(x.ways, way{u, x.by.r.spilled, x.by.estimate()})
		})
	}
	slices.SortStableFunc(x.ways, func(a, b way) int { return a.cost - b.cost })
	return x
}

// estimate returns what a way to compile a range costs relative to others: uses of variables in
// memory, and what each block computes for all lanes, unless that hides behind other work.
func (c *compiler) estimate() int {
	shared, own, bytes := c.work.shared, c.work.own, c.work.bytes
	perBlock := c.loop || c.u == c.vecs && c.r.Row // blocks have the same code
	lanes, copies := c.u*c.width, c.vecs
	if c.loop {
		copies = c.u
	}
	switch {
	case perBlock && c.work.thread > own/4:
		// Measured with an insertion sort: vectors wait for the thread memory, and two at a time
		// are as fast as more.
		return max(2-c.u, c.u-2)
	case perBlock && c.straightLine():
		// Measured: more lanes than these gain less than 2 %, and their code takes longer to
		// compile.
		const least, most, perShared = 32, 128, 133
		enough := least
		for enough < most && enough*own < perShared*shared {
			enough *= 2
		}
		return c.r.spilled + max(enough-lanes, lanes-enough)/c.width
	case perBlock && c.evex():
		// In a loop, the operations of one vector often wait for each other: a Mandelbrot set takes
		// 1.2 times as long with 32 lanes, although more have no registers for all variables.
		const enough, spillCost = 64, 0.75
		waiting := 0.0
		if lanes < enough {
			waiting = 0.2
		}
		if lanes < enough/2 {
			waiting = 0.3
		}
		return int(float64(own)/instructionBytes*waiting+float64(c.r.spilled)*spillCost) + max(0, lanes-mostLanes)
	}
	cost := c.r.spilled*c.vecs + shared*c.vecs/c.u + int(float64(own*c.vecs)*tooMuchCode(bytes*copies))
	if perBlock && lanes > mostLanes {
		cost *= 2
	}
	return cost
}

// mostLanes is the most lanes of a block in a loop. Rows of memory a power of two apart, one for
// each vector, compete for 8 places in a cache: a product of matrices takes 1.6 times as long in
// blocks of 256 lanes.
const mostLanes = 128

// instructionBytes is the length of most instructions with AVX2.
const instructionBytes = 12

// work is a guess of the range's work for all lanes, in instructions, and of the bytes of code for
// a vector: executed, those of them that access thread memory, and in all.
type work struct{ shared, own, thread, bytes int }

func (c *compiler) guessWork() (w work) {
	const sharedCost, accessCost = 4, 16 // instructions
	for pc := c.from; pc < c.to; pc++ {
		in := &c.p.Code[pc]
		weight := 1 << (3 * min(c.depth[pc], 5))
		switch {
		case accessesMemory(in):
			w.shared += accessCost * weight
		case !onLanes(c.p, in):
			w.shared += sharedCost * weight
			continue
		}
		n := c.codeOf(in)
		w.own, w.bytes = w.own+n*weight, w.bytes+n
		if onThread(in) {
			w.thread += n * weight
		}
	}
	return w
}

// codeOf guesses how many bytes of code with AVX2 an operation on lanes takes for a vector.
func (c *compiler) codeOf(in *lir.Inst) int {
	const plain, gather, texture, step = instructionBytes, 200, 120, 10
	switch f := functionOf(in); {
	case f != nil:
		return step * len(f.Steps)
	case isTexture(in):
		return texture
	case accessesMemory(in) && ownAddresses(c.p, in):
		return gather
	}
	return plain
}

// tooMuchCode guesses what executing a byte of code costs, in instructions, if there is so much of
// it that the processor's caches of code are too small. SHA-256 and a blur of 25 texels, in blocks
// of all vectors, took 1.4 and 1.7 times as long as in the best ones.
func tooMuchCode(bytes int) float64 {
	const enough, perDoubling, instruction = 24 << 10, 0.2, 8
	return max(0, math.Log2(float64(bytes)/enough)) * perDoubling / instruction
}

// firstBad returns an instruction that does not fit into a range, or -1.
func (f *facts) firstBad(r [2]int, single bool) int {
	p := f.p
	var ends []int
	for pc := r[0]; pc < r[1]; pc++ {
		in := &p.Code[pc]
		target := int(in.Target)
		out := in.Op.IsJump() && (target < r[0] || target > r[1])
		switch {
		case out && !single && !f.row && (in.Op == lir.OpJumpNone || in.Op == lir.OpBack && in.A != 0):
			return pc // blocks could end at different places; those of a whole program are all its end
		case in.Op == lir.OpBack && target == r[1]:
			return pc
		case copiesShared(in):
			for _, at := range []lir.Ref{in.A, in.B} {
				if _, ok := f.objectOf(r, at, pc); !ok {
					return pc
				}
			}
		case accessesMemory(in):
			if _, ok := f.objectOf(r, in.A, pc); !ok && !f.isDynamic(in) {
				return pc
			}
			if steps, ok := f.s.of(in.A); p.Var(in.A).Class == lir.Affine && (!ok || !steps[0].constant ||
				!steps[1].constant || !steps[2].constant) {
				return pc
			}
		}
		if f.liftedBad(r, in) {
			return pc
		}
		if in.D != 0 && p.Var(in.D).Class == lir.Affine && !f.exportable(r, in.D) {
			if ends == nil {
				ends = exits(p, r)
			}
			for _, x := range ends {
				if f.live.at(x).has(in.D) {
					return pc
				}
			}
		}
	}
	return -1
}

// exits returns the instructions at which execution may continue after a range.
func exits(p *lir.Program, r [2]int) (pcs []int) {
	pcs = append(pcs, r[1])
	for pc := r[0]; pc < r[1]; pc++ {
		if in := &p.Code[pc]; in.Op.IsJump() && (int(in.Target) < r[0] || int(in.Target) >= r[1]) {
			pcs = append(pcs, int(in.Target))
		}
	}
	return pcs
}
