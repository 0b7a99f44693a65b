package plan

import (
	"maps"
	"math"
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// A loop that loads from an address of its own in each lane, and does little else, such as the
// product of a sparse matrix and a vector, gains nothing from vectors: a gather takes as long as
// the loads of its lanes one by one, and all lanes of a block go on until the longest loop ends. So
// each lane runs such a loop solo, from where it is to the iteration that is its last; the vectors
// then execute that one.
//
// A solo iteration changes nothing but variables of its lane, and those only when it is complete.
// Whatever it does not know how to do, such as a load outside of an object, or the lane's last
// iteration, it leaves to the vectors, with the variables as the iteration found them.
//
// Lanes get to their last iterations at other times than in vectors, so a loop in which they could
// notice that, because they write memory or work together, does not run solo.

// SoloLoop is a loop that lanes can run solo.
type SoloLoop struct {
	Segment    int             // that begins it
	Head, back int             // its first and its last instruction
	Mask       lir.Ref         // the lanes that are in the loop
	outside    Set             // variables that other instructions read
	earlier    Set             // truth values that an iteration, the last included, may read from before
	Shared     []int           // instructions on shared numbers, the same in all iterations
	Before     []int           // instructions that yield the same in all iterations
	Steps      []SoloStep      // of an iteration that is not the last
	Inputs     []lir.Ref       // lanes' variables and affine numbers that are read
	Written    []lir.Ref       // lanes' variables that have another value after an iteration
	Kept       []lir.Ref       // of those, the ones that change before it is sure that the iteration is complete
	Registers  map[lir.Ref]int // numbers of the variables' registers
	Shares     int             // how many there are
	Work       int64           // of an iteration of one lane
}

// SoloStep is an instruction of a solo iteration.
type SoloStep struct {
	PC    int
	Guard Guard // of the truth value that it yields
	only  bool  // nothing else needs that value
}

// Guard is what a truth value must be for an iteration to go on.
type Guard uint8

// The guards.
const (
	Unguarded Guard = iota
	MustBeTrue
	MustBeFalse
)

// OnlyCompares reports whether a step is a comparison of integers whose result only decides whether
// the iteration goes on.
func (s SoloStep) OnlyCompares(in *lir.Inst) bool {
	return s.Guard != Unguarded && s.only && in.Kind == ir.I32 && ComparesIntegers(in.Op.IR())
}

// inMask says whether the lane that runs a loop is in a mask.
type inMask uint8

const (
	maybeIn inMask = iota
	isOut
	isIn
)

// maxSolo is the most instructions of a loop that lanes run solo, and maxGuards that of the truth
// values that decide how an iteration goes on.
const (
	maxSolo   = 64
	maxGuards = 6
)

// soloLoops returns the loops that lanes run solo, in their order: those that are worth it, or, if
// force is set, all.
func (c *Plan) soloLoops(force bool) (list []*SoloLoop) {
	for i, s := range c.Segments {
		loop := c.soloLoopAt(s.From, force)
		if loop == nil {
			continue
		}
		loop.Segment = i
		if loop.Registers, loop.Shares = c.soloRegisters(loop); loop.Shares+len(loop.Kept) <= c.FirstScratch {
			list = append(list, loop)
		}
	}
	return list
}

// soloRegisters numbers the registers that the variables of a loop need, from 0 on, and returns how
// many there are. Variables of an iteration that are not needed at the same time share one.
func (c *Plan) soloRegisters(s *SoloLoop) (numbers map[lir.Ref]int, n int) {
	last := map[lir.Ref]int{} // the steps that read variables, or write what stays
	const always = math.MaxInt
	for i, pc := range s.Before {
		c.soloReads(&c.Program.Code[pc], func(r lir.Ref) { last[r] = i })
	}
	at := len(s.Before)
	for i, x := range s.Steps {
		in := &c.Program.Code[x.PC]
		c.soloReads(in, func(r lir.Ref) { last[r] = at + i })
		last[in.D] = max(last[in.D], at+i)
	}
	numbers = map[lir.Ref]int{}
	var free []int
	give := func(r lir.Ref) {
		if _, ok := numbers[r]; ok || c.IsTruth(r) {
			return
		}
		if len(free) == 0 {
			free, n = append(free, n), n+1
		}
		numbers[r], free = free[len(free)-1], free[:len(free)-1]
	}
	for _, r := range s.Inputs {
		if give(r); last[r] >= at {
			last[r] = always
		}
	}
	step := func(i, pc int) {
		in := &c.Program.Code[pc]
		give(in.D)
		if i < at && last[in.D] >= at {
			last[in.D] = always
		}
		done := []lir.Ref{in.D} // perhaps
		c.soloReads(in, func(r lir.Ref) { done = append(done, r) })
		slices.Sort(done)
		for _, r := range done {
			if x, ok := numbers[r]; ok && last[r] == i {
				free = append(free, x)
				last[r] = -1
			}
		}
	}
	for i, pc := range s.Before {
		step(i, pc)
	}
	for i, x := range s.Steps {
		step(at+i, x.PC)
	}
	return numbers, n
}

// soloLoopAt returns the loop that begins at an instruction, if lanes can run it solo and that is
// worth it or forced, or nil.
func (c *Plan) soloLoopAt(head int, force bool) *SoloLoop {
	i := slices.IndexFunc(c.Loops, func(l [2]int) bool { return l[0] == head })
	if i < 0 || c.Loops[i][1] >= c.To || c.Loops[i][1]-head > maxSolo {
		return nil
	}
	s := &SoloLoop{Head: head, back: c.Loops[i][1]}
	code := c.Program.Code[head : s.back+1]
	gathers := func(in lir.Inst) bool { return AccessesMemory(&in) && OwnAddresses(c.Program, &in) }
	if !force && !slices.ContainsFunc(code, gathers) || slices.ContainsFunc(code, noticed) {
		return nil
	}
	if s.Mask = c.Program.Code[s.back].A; s.Mask == 0 || !c.soloMasks(s) {
		return nil
	}
	s.outside, s.earlier = NewSet(len(c.Program.Vars)), NewSet(len(c.Program.Vars))
	for pc := range c.Program.Code {
		if pc < head || pc > s.back {
			for _, r := range c.Reads(pc) {
				s.outside.Add(r)
			}
		}
	}
	w := soloWalk{c: c, s: s, masks: map[lir.Ref]inMask{s.Mask: isIn}, truths: map[lir.Ref]bool{},
		origins: map[lir.Ref]int{}, unknown: map[lir.Ref]bool{}}
	if w.walk(head) != goesOn || !c.soloValues(s, w.steps) {
		return nil
	}
	s.Shared = w.shared
	if !force && !c.worthSolo(s) {
		return nil
	}
	for pc := head; pc <= s.back; pc++ {
		s.Work += c.Program.Work(&c.Program.Code[pc])
	}
	s.Work = max(1, s.Work/int64(c.Program.Lanes))
	return s
}

// noticed reports whether an instruction lets other lanes notice when a lane executes it.
func noticed(in lir.Inst) bool {
	g := in.Op.IR().Group()
	return WritesMemory(&in) || in.IsCopy() || g >= ir.AtomicOps && g <= ir.LogOps
}

// soloMasks reports whether the mask of a loop has the lanes that enter it and then those that
// stay: the loop reads it before it writes it. It must not contain another loop, nor be entered
// elsewhere.
func (c *Plan) soloMasks(s *SoloLoop) bool {
	for pc := range c.Program.Code {
		x := &c.Program.Code[pc]
		if x.Op.IsJump() && int(x.Target) > s.Head && int(x.Target) <= s.back && (pc < s.Head || pc > s.back) {
			return false
		}
	}
	enters := false
	for pc := s.Head; pc < s.back; pc++ {
		if c.Program.Code[pc].Op == lir.OpBack {
			return false
		}
		enters = enters || slices.Contains(c.Reads(pc), s.Mask)
		if slices.Contains(c.Writes(pc), s.Mask) {
			return enters
		}
	}
	return enters
}

// carries reports whether a mask that a loop writes may be read after the iteration.
func (c *Plan) carries(s *SoloLoop, m lir.Ref) bool {
	written, reached := false, true // on all ways to an instruction, and whether there is one
	jumps := map[int]bool{}         // the same for the jumps to an instruction
	for pc := s.Head; pc <= s.back; pc++ {
		x := &c.Program.Code[pc]
		if w, ok := jumps[pc]; ok {
			written, reached = w && (written || !reached), true
		}
		switch {
		case !reached:
		case slices.Contains(c.Reads(pc), m) && !written:
			return true
		case x.D == m:
			written = true
		case x.Op.IsJump():
			w, ok := jumps[int(x.Target)]
			jumps[int(x.Target)] = written && (w || !ok)
			reached = x.GoesOn()
		}
	}
	return s.outside.Has(m)
}

// soloWalk follows the lane through an iteration.
type soloWalk struct {
	c       *Plan
	s       *SoloLoop
	masks   map[lir.Ref]inMask
	truths  map[lir.Ref]bool // that are known
	origins map[lir.Ref]int  // the steps that yield the others
	unknown map[lir.Ref]bool // variables that have no value for the lane
	steps   []SoloStep
	shared  []int
	unable  bool // to run an instruction, which only a lane's last iteration may have
	guards  int
	walked  int // instructions
}

// soloEnd is how an iteration ends.
type soloEnd uint8

const (
	fails  soloEnd = iota // it cannot run solo
	leaves                // it is the lane's last
	goesOn
)

func (w *soloWalk) clone() *soloWalk {
	o := *w
	o.masks, o.unknown = maps.Clone(w.masks), maps.Clone(w.unknown)
	o.truths, o.origins = maps.Clone(w.truths), maps.Clone(w.origins)
	o.steps, o.shared = slices.Clone(w.steps), slices.Clone(w.shared)
	return &o
}

// walk follows the lane from an instruction to the end of the iteration. Where a truth value
// decides between the last iteration and another one, it becomes the guard of a step.
func (w *soloWalk) walk(pc int) soloEnd {
	c, s := w.c, w.s
	for {
		if pc < s.Head || pc > s.back {
			return leaves
		}
		if w.walked++; w.walked > 4*maxSolo {
			return fails
		}
		x := &c.Program.Code[pc]
		switch {
		case x.Op == lir.OpBack:
			end := [...]soloEnd{maybeIn: fails, isOut: leaves, isIn: goesOn}[w.masks[s.Mask]]
			if end == goesOn && w.unable {
				return fails
			}
			return end
		case x.Op == lir.OpJump:
			pc = int(x.Target)
			continue
		case x.Op == lir.OpJumpNone:
			switch w.masks[x.A] {
			case maybeIn:
				return fails
			case isOut: // what other lanes do there does not matter to this one
				pc = int(x.Target)
				continue
			}
		case x.Op.IsJump(), x.Op == lir.OpEnd:
			return fails
		case x.Op.OnMasks():
			if b := x.B; (x.Op == lir.OpMaskAnd || x.Op == lir.OpMaskAndNot) && w.masks[x.A] == isIn {
				if _, known := w.truths[b]; !known {
					return w.fork(pc, b)
				}
			}
			if !w.maskOp(x) {
				w.unable = true
			}
		default:
			if !w.op(pc, x) {
				w.unable = true
				for _, r := range c.Writes(pc) {
					w.forget(r)
					w.unknown[r] = true
				}
			}
		}
		pc++
	}
}

// fork goes on where a truth value decides. One of its values must make the iteration the last.
func (w *soloWalk) fork(pc int, truth lir.Ref) soloEnd {
	if w.guards++; w.guards > maxGuards {
		return fails
	}
	at, ok := w.origins[truth]
	if !ok || w.steps[at].Guard != Unguarded {
		return fails
	}
	yes, no := w.clone(), w.clone()
	for r, step := range w.origins {
		if step == at {
			yes.truths[r], no.truths[r] = true, false
		}
	}
	yes.steps[at].Guard, no.steps[at].Guard = MustBeTrue, MustBeFalse
	ifYes := yes.walk(pc)
	no.walked = yes.walked
	ifNo := no.walk(pc)
	switch {
	case ifYes == goesOn && ifNo == leaves:
		*w = *yes
		return goesOn
	case ifYes == leaves && ifNo == goesOn:
		*w = *no
		return goesOn
	case ifYes == leaves && ifNo == leaves:
		return leaves
	}
	return fails
}

// maskOp finds out whether the lane is in the mask that an instruction yields; ok is false if a
// mask changes that must not.
func (w *soloWalk) maskOp(x *lir.Inst) (ok bool) {
	a, b := w.masks[x.A], w.masks[x.B]
	if a != isOut {
		w.readTruths(x)
	}
	known := func(truth bool) inMask {
		switch t, ok := w.truths[x.B]; {
		case a == isOut || ok && t != truth:
			return isOut
		case a == isIn && ok:
			return isIn
		}
		return maybeIn
	}
	d, same := maybeIn, false // same: as before the instruction
	switch x.Op {
	case lir.OpMaskAnd:
		d = known(true)
	case lir.OpMaskAndNot:
		d = known(false)
	case lir.OpMaskOr:
		same = x.D == x.A && b == isOut || x.D == x.B && a == isOut
		switch {
		case a == isIn || b == isIn:
			d = isIn
		case a == isOut:
			d = b
		case b == isOut:
			d = a
		}
	case lir.OpMaskSub:
		same = x.D == x.A && b == isOut
		switch {
		case a == isOut || b == isIn:
			d = isOut
		case b == isOut:
			d = a
		}
	case lir.OpMaskCopy:
		if d = a; x.A == 0 {
			d = isIn
		}
	case lir.OpMaskClear:
		d = isOut
	}
	w.masks[x.D] = d
	return same || x.D == w.s.Mask || !w.c.carries(w.s, x.D)
}

// op adds an instruction to the steps, if the lane executes it.
func (w *soloWalk) op(pc int, x *lir.Inst) (ok bool) {
	c := w.c
	if x.Mask == 0 || w.masks[x.Mask] != isOut {
		w.readTruths(x)
	}
	if x.D != 0 && c.Class(x.D) == lir.Once {
		w.shared = append(w.shared, pc)
		return c.soloShared(w.s, x)
	}
	reads, writes := c.Reads(pc), c.Writes(pc)
	if slices.ContainsFunc(writes, func(r lir.Ref) bool { return c.Class(r) != lir.Lane }) {
		return false
	}
	if x.Mask != 0 && w.masks[x.Mask] != isIn {
		for _, r := range writes {
			if x.Op != lir.OpMerge { // which leaves the variable as it is
				w.forget(r)
				w.unknown[r] = true
			}
		}
		return w.masks[x.Mask] == isOut
	}
	if len(writes) != 1 || !c.soloUsable(w.s, x) {
		return false
	}
	unknown := false
	for _, r := range reads {
		// What a merge reads in its result is replaced, since the lane is in its mask.
		unknown = unknown || w.unknown[r] && !(x.Op == lir.OpMerge && r == x.D)
	}
	truth, known := w.truths[x.A]
	if v := c.Program.Var(x.A); v.Const {
		truth, known = v.Bits != 0, true
	}
	origin, has := w.origins[x.A]
	w.forget(x.D)
	if w.unknown[x.D] = unknown; unknown {
		return true
	}
	if c.IsTruth(x.D) {
		switch moves := x.Op == lir.OpMov || x.Op == lir.OpMerge; {
		case moves && known:
			w.truths[x.D] = truth
		case moves && has:
			w.origins[x.D] = origin
		case !moves:
			w.origins[x.D] = len(w.steps)
		}
	}
	w.steps = append(w.steps, SoloStep{PC: pc})
	return true
}

// readTruths notes which truth values an instruction reads that are from before the iteration.
func (w *soloWalk) readTruths(x *lir.Inst) {
	x.Reads(func(r lir.Ref) {
		_, known := w.truths[r]
		_, has := w.origins[r]
		replaced := x.Op == lir.OpMerge && r == x.D && r != x.A
		if w.c.IsTruth(r) && w.c.Class(r) == lir.Lane && !known && !has && !replaced {
			w.s.earlier.Add(r)
		}
	})
}

// forget says that a variable has another value.
func (w *soloWalk) forget(r lir.Ref) {
	delete(w.truths, r)
	delete(w.origins, r)
}

// soloShared reports whether an instruction on shared numbers yields the same in all iterations,
// and may be executed before them: its result has a place of its own.
func (c *Plan) soloShared(s *SoloLoop, in *lir.Inst) bool {
	ok := c.Private.Has(in.D) && len(c.Defs[in.D]) == 1 && SharedUsable(c.Program, in) && in.Op.IR() != ir.OpLoad
	in.Reads(func(r lir.Ref) { ok = ok && c.Class(r) == lir.Once && c.soloSame(s, r) })
	return ok
}

// soloSame reports whether a shared number is the same in all iterations.
func (c *Plan) soloSame(s *SoloLoop, r lir.Ref) bool {
	for _, pc := range c.Defs[r] {
		if pc >= s.Head && pc <= s.back && !c.soloShared(s, &c.Program.Code[pc]) {
			return false
		}
	}
	return true
}

// soloValues finds what the steps of a loop need. It reports whether that is all there when the
// loop begins.
func (c *Plan) soloValues(s *SoloLoop, steps []SoloStep) bool {
	after := c.soloStays(s)
	needed, written, read := map[lir.Ref]bool{}, map[lir.Ref]int{}, map[lir.Ref]bool{}
	for r := range after.All {
		needed[r] = c.Class(r) == lir.Lane
	}
	for _, x := range slices.Backward(steps) {
		in := &c.Program.Code[x.PC]
		if x.only = !needed[in.D]; x.only && x.Guard == Unguarded {
			continue
		}
		needed[in.D] = false
		written[in.D]++
		c.soloReads(in, func(r lir.Ref) { needed[r], read[r] = true, true })
		s.Steps = append(s.Steps, x)
	}
	slices.Reverse(s.Steps)
	for _, r := range slices.Sorted(maps.Keys(needed)) {
		if written[r] == 0 && !read[r] || !needed[r] && !after.Has(r) {
			continue
		}
		if c.IsTruth(r) || c.Class(r) == lir.Lane && !after.Has(r) {
			return false // it comes from before the iteration and has no place there
		}
		s.Inputs = append(s.Inputs, r)
	}
	c.hoistSolo(s, written)
	last := -1 // the last step that may leave the iteration to the vectors
	for i, x := range s.Steps {
		if x.Guard != Unguarded || c.Program.Code[x.PC].Op.IR() == ir.OpLoad {
			last = i
		}
	}
	for i, x := range s.Steps {
		d := c.Program.Code[x.PC].D
		if !after.Has(d) {
			continue
		}
		if !slices.Contains(s.Written, d) {
			s.Written = append(s.Written, d)
		}
		if i < last && !slices.Contains(s.Kept, d) {
			s.Kept = append(s.Kept, d)
		}
	}
	return true
}

// soloStays returns the variables that another iteration or what follows the loop may read.
// Iterations do not read truth values from before: see op.
func (c *Plan) soloStays(s *SoloLoop) Set {
	stays := slices.Clone(c.Live.At(s.Head))
	for r := range stays.All {
		if c.IsTruth(r) && !s.outside.Has(r) && !s.earlier.Has(r) {
			stays.Remove(r)
		}
	}
	return stays
}

// hoistSolo moves the steps that depend on nothing that an iteration changes before the iterations.
// written counts the steps that write a variable.
func (c *Plan) hoistSolo(s *SoloLoop, written map[lir.Ref]int) {
	fixed := map[lir.Ref]bool{}
	s.Steps = slices.DeleteFunc(s.Steps, func(x SoloStep) bool {
		in := &c.Program.Code[x.PC]
		ok := x.Guard == Unguarded && written[in.D] == 1 && !slices.Contains(s.Inputs, in.D) && !c.IsTruth(in.D)
		c.soloReads(in, func(r lir.Ref) { ok = ok && (written[r] == 0 || fixed[r]) })
		if ok {
			fixed[in.D] = true
			s.Before = append(s.Before, x.PC)
		}
		return ok
	})
}

// soloReads calls visit for each variable of lanes, and affine number, that a step reads.
func (c *Plan) soloReads(in *lir.Inst, visit func(lir.Ref)) {
	in.Reads(func(r lir.Ref) {
		if k := c.Class(r); (k == lir.Lane || k == lir.Affine) && !(in.Op == lir.OpMerge && r == in.D && in.A != r) {
			visit(r)
		}
	})
}

// soloUsable reports whether an instruction can be a step.
func (c *Plan) soloUsable(s *SoloLoop, in *lir.Inst) bool {
	ok := true
	in.Reads(func(r lir.Ref) {
		switch c.Class(r) {
		case lir.Simd:
			ok = false
		case lir.Once:
			ok = ok && c.soloSame(s, r)
		case lir.Affine:
			ok = ok && in.Op.IR() == ir.OpLoad && r == in.B && c.Program.Var(r).Kind == ir.I32 && r != in.A &&
				!slices.ContainsFunc(c.Defs[r], func(pc int) bool { return pc >= s.Head && pc <= s.back })
		case lir.Lane:
			ok = ok && (InVector(c.Program.Var(r).Kind) || c.IsTruth(r))
		}
	})
	switch {
	case !ok || !InVector(c.Program.Var(in.D).Kind) && !c.IsTruth(in.D):
		return false
	case in.Op.IR() == ir.OpLoad:
		return !OnThread(in) && LanesUsable(c.Program, in) && InVector(in.Kind) && c.Class(in.A) == lir.Once &&
			(in.B == 0 || in.Ext != lir.NoExt || c.Class(in.B) == lir.Once) && !c.HasIndex(in)
	case OnWide(c.Program, in), OnThread(in):
		return false
	}
	return FunctionOf(in) == nil && LanesUsable(c.Program, in)
}

// worthSolo reports whether lanes are faster solo. Vectors spend most of their time in gathers,
// which lanes do not need, but do everything else for all lanes at once. And vectors wait for 16
// loads at the same time: a lane whose next address comes from what it has just loaded waits for
// one.
func (c *Plan) worthSolo(s *SoloLoop) bool {
	gathers, others := 0, 2
	loaded := map[lir.Ref]bool{} // what loads in the loop decide
	for range 2 {
		for _, x := range s.Steps {
			in := &c.Program.Code[x.PC]
			from := false
			c.soloReads(in, func(r lir.Ref) { from = from || loaded[r] })
			loaded[in.D] = from || in.Op.IR() == ir.OpLoad
		}
	}
	for _, x := range s.Steps {
		in := &c.Program.Code[x.PC]
		switch {
		case in.Op.IR() != ir.OpLoad:
			others += soloCost(in)
			continue
		case in.B != 0 && slices.Contains(s.Written, in.B) && loaded[in.B]:
			return false
		case Narrow(in.Kind):
			gathers += 2
		default:
			gathers++
		}
	}
	return others <= c.Gather*gathers
}

// soloCost is about how many instructions an operation takes, which are as slow for one lane as for
// all.
func soloCost(in *lir.Inst) int {
	switch op := in.Op.IR(); {
	case IsDivision(op), op == ir.OpFDiv, op == ir.OpSqrt:
		return 20
	case op == ir.OpFMin, op == ir.OpFMax:
		return 6
	case OnNarrow(in), Converts(in), op == ir.OpSelect:
		return 2
	}
	return 1
}
