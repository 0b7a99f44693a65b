package jit

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Registers. RDI and RSI hold their addresses throughout; the others hold values for an instruction
// or, those of accesses, for a segment.
const (
	ctxReg   = amd64.RDI
	frameReg = amd64.RSI
)

var accessRegs = [maxAccesses]amd64.Reg{amd64.RBX, amd64.R8, amd64.R9, amd64.R10, amd64.R11, amd64.R12, amd64.R13}

// unable is what a compiler panics with if it cannot compile a range.
type unable struct{ why string }

func (u unable) Error() string { return "jit: " + u.why }

func fail(format string, args ...any) { panic(unable{fmt.Sprintf(format, args...)}) }

// compiler compiles a range.
type compiler struct {
	*amd64.Asm
	*facts
	r      *Range
	from   int
	to     int
	vecs   int   // vectors of a strip
	u      int   // of them that run to the end of the range together
	j0     int   // first of the current block
	loop   bool  // blocks are iterations of a loop, with the same code
	number int32 // where the number of the iteration is

	simdgroup int // whose element of Simd variables place returns
	forced    Options

	*usage
	*workspace
	homes    []home              // of variables that live across segments, by their numbers
	homeless bool                // see solo: variables are not where vectors have them
	accessed map[*lir.Inst]int32 // where the context has the object of a memory operation
	spots    []spots             // by variable
	affs     []affine            // of the current block, by their numbers, as far as they were needed
	pool     map[[maxWidth]int32]int32
	words    map[uint64]int32

	size      int // of the context
	constants []constant
	unset     []uint64 // memory for those to come
	resume    int      // offset in the code

	text     *strings.Builder // the listing, or nil
	labels   []amd64.Label    // of segments
	suspend  amd64.Label
	cold     []func() // code that is rarely executed, after the block's
	rest     []part   // code that is compiled when it is first needed
	ops      int      // operations on lanes, once for each vector
	values   int32    // see valuesAt
	offsets  int32
	exchange int32    // see exchangeAt
	factors  [2]int32 // see converted
	masks    masks

	calls       bool // functions are subroutines
	subroutines map[routine]*subroutine
	called      []*subroutine // in the order of their first use
	caller      int32         // where the address is that a subroutine returns to

	textures    []*textureCode
	textureUses map[textureUse]*textureCode
	samples     *samplePlaces // nil before the first sample
	sizes       map[int]int32 // where objects of thread memory are, by their size
	lanesAt     int32         // see laneOffsets
	atomics     atomicPlaces
	zeros       int32 // a row of zeros
	ignored     int32 // a row that nothing reads
	copyParts   map[*lir.Inst]*copied
	copying     *copyPlaces
	invariant   []bool        // instructions that emitInvariants has emitted, or nil
	guessed     *guess        // what the current code of a segment assumes, or nil
	groupSlots  map[int]int32 // where elements of a group are that have no registers, by its first load
	groupRows   int32         // the memory of a group's lanes
	waitSlots   map[int]int32 // where values wait that have lost their registers, by when they are due
	// threadRows are where addresses of rows of thread memory are.
	threadRows map[routine]int32
}

// spots are where the context has a variable, or copies of it; 0 for nowhere.
type spots struct {
	own     int32 // see privateSlot, truthSlot, wideSlot and matrixSlot
	widened int32 // a narrow shared number with 32 bits
	evicted int32 // a value of a segment, while it has no register
	saved   int32 // a shared number that each block must find as the first did
}

// home is where a variable of lanes is that lives across segments.
type home struct {
	reg    int  // the first of u registers; negative if it is in memory
	mask   bool // a truth value: a bit for each lane, in the context
	apart  bool // a narrow number that has no register: 32 bits for each lane of a block, in the context
	wide   bool // 64 bits for each lane of a block, in the context
	matrix bool // the matrices of a block's simdgroups, in the context
	offset int32
	known  bool
}

// homeOf returns where a variable is that lives across segments; ok is false for others.
func (c *compiler) homeOf(r lir.Ref) (h *home, ok bool) {
	h = &c.homes[c.index[r]]
	return h, h.known && !c.homeless
}

func (c *compiler) setHome(r lir.Ref, h home) {
	h.known = true
	c.homes[c.index[r]] = h
}

// inFrame reports whether a variable's home is its place in the frame.
func (h home) inFrame() bool { return h.reg < 0 && !h.mask && !h.apart && !h.wide && !h.matrix }

// ctx returns a place in the context.
func ctx(off int32) amd64.Operand { return amd64.At(ctxReg, off) }

// alloc reserves n bytes of the context.
func (c *compiler) alloc(n, align int) int32 {
	at := (c.size + align - 1) &^ (align - 1)
	c.size = at + n
	return int32(at)
}

// word returns the place of a constant of 8 bytes.
func (c *compiler) word(x uint64) int32 {
	at, ok := c.words[x]
	if !ok {
		at = c.alloc(8, 8)
		c.words[x] = at
		c.addConstants(at, 1)[0] = x
	}
	return at
}

// addConstants adds n words, for the caller to set, to what the context has from the start.
func (c *compiler) addConstants(at int32, n int) (words []uint64) {
	const enough = 64 // for most ranges
	if n > len(c.unset) {
		c.unset = make([]uint64, max(n, enough))
	}
	words, c.unset = c.unset[:n:n], c.unset[n:]
	c.constants = append(c.constants, constant{at, words})
	return words
}

// constant32 returns a constant that all lanes of 4 bytes share.
func (c *compiler) constant32(x uint32) amd64.Operand {
	return c.constant64(uint64(x) | uint64(x)<<32)
}

// constant64 returns a constant that all lanes of 8 bytes share. Where instructions cannot
// broadcast, it is a whole vector.
func (c *compiler) constant64(x uint64) amd64.Operand {
	if c.evex() {
		return ctx(c.word(x)).Broadcast()
	}
	var v [maxWidth]int32
	for i := 0; i < c.width; i += 2 {
		v[i], v[i+1] = int32(uint32(x)), int32(uint32(x>>32))
	}
	return ctx(c.vector(v))
}

// vector returns the place of a constant vector of numbers of 32 bits.
func (c *compiler) vector(x [maxWidth]int32) int32 {
	at, ok := c.pool[x]
	if !ok {
		at = c.alloc(4*c.width, 64)
		c.pool[x] = at
		for i, words := 0, c.addConstants(at, c.width/2); i < len(words); i++ {
			words[i] = uint64(uint32(x[2*i])) | uint64(uint32(x[2*i+1]))<<32
		}
	}
	return at
}

// bytes returns the place of constant bytes, a multiple of 8 of them.
func (c *compiler) bytes(x []byte) int32 {
	at := c.alloc(len(x), 8)
	for i, words := 0, c.addConstants(at, len(x)/8); i < len(words); i++ {
		words[i] = binary.LittleEndian.Uint64(x[8*i:])
	}
	return at
}

func (c *compiler) class(r lir.Ref) lir.Class { return c.p.Var(r).Class }

// place returns where a Once variable is, or the element of a Simd variable for the current
// simdgroup.
func (c *compiler) place(r lir.Ref) amd64.Operand {
	if c.class(r) == lir.Simd {
		return c.element(r, c.simdgroup)
	}
	if c.private.has(r) {
		return ctx(c.privateSlot(r))
	}
	return amd64.At(frameReg, c.p.Var(r).Off)
}

// element returns where the element of a Simd variable is for a simdgroup of the strip.
func (c *compiler) element(r lir.Ref, simdgroup int) amd64.Operand {
	v := c.p.Var(r)
	return amd64.At(frameReg, v.Off+int32(v.ElemSize()*simdgroup))
}

// privateSlot returns where a variable is that only the range uses.
func (c *compiler) privateSlot(r lir.Ref) int32 {
	at := &c.spots[r].own
	if *at == 0 {
		*at = c.alloc(8, 8)
	}
	return *at
}

// findPrivate finds what the range reads and writes, and the Once variables that are only its own.
// Those have places in the context: in the frame, variables whose use does not overlap share
// places, and the code executes instructions in another order.
func (c *compiler) findPrivate() {
	n := len(c.p.Vars)
	sets := newSets(4, n)
	c.touched, c.written, c.private = sets[0], sets[1], sets[2]
	for pc := c.from; pc < c.to; pc++ {
		for _, r := range c.reads(pc) {
			c.touched.add(r)
		}
		for _, r := range c.writes(pc) {
			c.touched.add(r)
			c.written.add(r)
		}
	}
	known := sets[3]
	known.union(c.live.at(c.from))
	for _, pc := range exits(c.p, [2]int{c.from, c.to}) {
		known.union(c.live.at(pc))
	}
	for r := range c.written.all {
		// The frame keeps roots, in which other ranges find out what they access.
		if c.class(r) == lir.Once && !known.has(r) && (c.row || !c.keeps[r]) {
			c.private.add(r)
		}
	}
}

// attempt calls f and returns what it panics with as unable.
func attempt(f func()) (err error) {
	defer func() {
		if e := recover(); e != nil {
			x, ok := e.(unable)
			if !ok {
				panic(e)
			}
			err = x
		}
	}()
	f()
	return nil
}

// newCompiler returns a compiler of a range. Its usage of variables is found if it is not known.
// useBlocks must follow.
func newCompiler(f *facts, from, to int, o Options, known *usage) *compiler {
	c := &compiler{facts: f, from: from, to: to, vecs: f.vectorsOf(f.p), forced: o, usage: known,
		r: &Range{From: from, To: to, Lanes: f.width, Row: f.row}, spots: make([]spots, len(f.p.Vars))}
	if c.usage == nil {
		c.usage = c.findUsage()
	}
	return c
}

// useBlocks makes blocks have u vectors, and assigns registers. To find out which u is best, it may
// be called for each.
func (c *compiler) useBlocks(u int) {
	c.u, c.size = u, ctxData
	clear(c.spots)
	if c.u*c.width%lir.SimdWidth != 0 && c.u < c.vecs && c.whole {
		fail("a block of %d vectors has not whole simdgroups", c.u)
	}
	c.assign()
	if c.loop = c.u < c.vecs && c.canLoop(); c.u < c.vecs && !c.loop {
		c.checkBlocks()
	}
}

// compile compiles the range.
func (c *compiler) compile() (code []byte) {
	c.Asm = amd64.New(32 * c.width)
	c.VEX = !c.evex()
	c.forgetMasks()
	defer c.borrowWorkspace()()
	c.accessed = map[*lir.Inst]int32{}
	c.pool, c.words = map[[maxWidth]int32]int32{}, map[uint64]int32{}
	c.findObjects()
	c.list()
	c.emit()
	if c.Pos() > c.maxCode {
		fail("%d bytes of code, more than %d", c.Pos(), c.maxCode)
	}
	v := &version{}
	if c.forced.Cold || c.forced.Whole || c.restIsSmall() {
		v.rest = c.emitRest()
	}
	code = c.finish(v)
	c.r.now.Store(v)
	if v.rest == nil {
		c.clash = nil
		c.r.by = c
	}
	if c.text != nil {
		c.r.listing = c.text.String()
	}
	for pc := c.from; pc < c.to; pc++ {
		c.r.Work += c.p.Work(&c.p.Code[pc])
		c.r.Waits = c.r.Waits || c.p.Code[pc].Op.IR() == ir.OpBarrier
	}
	for r := range c.live.at(c.from).all {
		if c.class(r) == lir.Affine && c.touched.has(r) {
			c.r.Affine = append(c.r.Affine, r)
		}
	}
	return code
}

// checkBlocks fails if blocks may disturb each other. The columns of numbers of two sizes must not
// have the same place. And no block may leave other shared numbers behind than the others: code
// that a mask lets one block skip and another not must not change them.
func (c *compiler) checkBlocks() {
	sizes := map[int32]int{} // for a simdgroup, of what has a place
	use := func(vars set) {
		for r := range vars.all {
			v := c.p.Var(r)
			if !c.touched.has(r) || v.Class != lir.Lane && v.Class != lir.Simd {
				continue
			}
			bytes := v.ElemSize()
			if v.Class == lir.Lane {
				bytes *= lir.SimdWidth
			}
			if n, ok := sizes[v.Off]; ok && n != bytes {
				fail("a block may write over what another reads: both %d and %d bytes have a place", n, bytes)
			}
			sizes[v.Off] = bytes
		}
	}
	use(c.live.at(c.from))
	for _, pc := range exits(c.p, [2]int{c.from, c.to}) {
		use(c.live.at(pc))
	}
	here := newSet(len(c.p.Vars)) // what is in the frame within the range
	for r := range c.touched.all {
		if h, ok := c.homeOf(r); c.class(r) == lir.Simd || ok && h.inFrame() {
			here.add(r)
		}
	}
	use(here)
	var skipped [][2]int // what blocks execute unequal numbers of times
	for pc := c.from; pc < c.to; pc++ {
		switch in := &c.p.Code[pc]; {
		case in.Op == lir.OpJumpNone:
			skipped = append(skipped, [2]int{pc, int(in.Target)})
		case in.Op == lir.OpBack && in.A != 0:
			skipped = append(skipped, [2]int{int(in.Target), pc})
		}
	}
	left := func(r lir.Ref) bool { // in the frame, by code that may be skipped
		return slices.ContainsFunc(exits(c.p, [2]int{c.from, c.to}), func(pc int) bool { return c.live.at(pc).has(r) }) &&
			slices.ContainsFunc(c.defs[r], func(pc int) bool {
				return slices.ContainsFunc(skipped, func(s [2]int) bool { return s[0] <= pc && pc < s[1] })
			})
	}
	for r := range c.written.all {
		if len(skipped) > 0 && c.class(r) == lir.Once && !c.private.has(r) && !c.keeps[r] ||
			c.class(r) == lir.Affine && left(r) {
			fail("variable %d is shared, and its value may depend on the block", r)
		}
	}
}

// needsSimdgroups reports whether an instruction needs all vectors of a simdgroup in one block.
func (c *compiler) needsSimdgroups() bool {
	for pc := c.from; pc < c.to; pc++ {
		in := &c.p.Code[pc]
		if in.Op.IR() == ir.OpSimdBarrier || isAmong(in) || onMatrix(c.p, in) || in.D != 0 && c.class(in.D) == lir.Simd {
			return true
		}
	}
	return false
}

// isTruth reports whether a variable is a truth value of each lane.
func (c *compiler) isTruth(r lir.Ref) bool { return c.p.Var(r).Kind == ir.I1 }

// usage is what the range reads and writes, by variable, and which of its variables of lanes live
// across segments.
type usage struct {
	segs    []*segment
	touched set
	written set
	private set // Once variables that only the range uses

	order    []lir.Ref // of those that live across segments, the most used first
	truths   []lir.Ref // truth values among them
	wides    []lir.Ref // numbers of 64 bits among them
	matrices []lir.Ref
	index    []int32     // numbers from 1 of those that live across segments, by variable; 0 for others
	clash    []set       // by number: the numbers of those that are live together
	uses     []int       // by number: weighted by loops
	copies   [][]lir.Ref // by number: those that one is copied to or from
	depth    []int       // how many loops are around each instruction
	work     work
	whole    bool // an instruction needs all vectors of a simdgroup in one block
}

// findUsage finds the range's usage of variables.
func (c *compiler) findUsage() *usage {
	v := &usage{}
	c.usage = v
	c.findPrivate()
	v.segs = segments(c.p, c.operands, c.from, c.to, func(r lir.Ref) int32 {
		if c.private.has(r) || c.class(r) == lir.Affine && c.written.has(r) { // in the context
			return int32(r)
		}
		return int32(len(c.p.Vars)) + c.places[r]
	}, c.spread)
	across := newSet(len(c.p.Vars))
	for _, s := range c.segs {
		across.union(c.live.at(s.from))
		for _, pc := range s.exits {
			across.union(c.live.at(pc))
		}
	}
	v.index = make([]int32, len(c.p.Vars))
	vars := []lir.Ref{0} // by number
	for r := range across.all {
		if c.touched.has(r) && c.class(r) == lir.Lane {
			v.index[r] = int32(len(vars))
			vars = append(vars, r)
		}
	}
	v.depth = c.depths()
	v.work, v.whole = c.guessWork(), c.needsSimdgroups()
	v.findClashes(c, vars)
	v.copies = make([][]lir.Ref, len(vars))
	for pc := c.from; pc < c.to; pc++ {
		in := &c.p.Code[pc]
		if d, a := v.index[in.D], v.index[in.A]; (in.Op == lir.OpMov || in.Op == lir.OpMerge) && d != 0 && a != 0 {
			v.copies[d], v.copies[a] = append(v.copies[d], in.A), append(v.copies[a], in.D)
		}
	}
	for _, r := range vars[1:] {
		switch k := c.p.Var(r).Kind; {
		case c.isTruth(r):
			v.truths = append(v.truths, r)
		case wide(k):
			v.wides = append(v.wides, r)
		case k == ir.Matrix:
			v.matrices = append(v.matrices, r)
		case !inVector(k):
			fail("a variable of %v lives across segments", k)
		default:
			v.order = append(v.order, r)
		}
	}
	slices.SortStableFunc(v.order, func(a, b lir.Ref) int { return v.uses[v.index[b]] - v.uses[v.index[a]] })
	return v
}

// findClashes finds which of the variables that live across segments, given by their numbers, are
// live together, and counts the uses of each.
func (v *usage) findClashes(c *compiler, vars []lir.Ref) {
	v.clash, v.uses = newSets(len(vars), len(vars)), make([]int, len(vars))
	live := newSet(len(vars))
	for _, s := range v.segs {
		clear(live)
		for _, x := range s.exits {
			after := c.live.at(x)
			for i, r := range vars {
				if after.has(r) {
					live.add(lir.Ref(i))
				}
			}
		}
		for pc := s.to - 1; pc >= s.from; pc-- {
			weight := 1 << (3 * min(v.depth[pc], 5))
			for _, d := range c.writes(pc) {
				if i := v.index[d]; i != 0 {
					v.uses[i] += weight
					v.clash[i].union(live)
				}
			}
			if c.p.Code[pc].Op != lir.OpMerge {
				for _, d := range c.writes(pc) {
					live.remove(lir.Ref(v.index[d]))
				}
			}
			for _, r := range c.reads(pc) {
				if i := v.index[r]; i != 0 {
					v.uses[i] += weight
					live.add(lir.Ref(i))
				}
			}
		}
		for i := range live.all { // at the segment's start
			v.clash[i].union(live)
		}
	}
	for i := range vars {
		v.clash[i].remove(lir.Ref(i))
		for o := range v.clash[i].all {
			v.clash[o].add(lir.Ref(i))
		}
	}
}

// assign gives registers to values that live across segments, or leaves them in the frame.
func (c *compiler) assign() {
	c.homes = slices.Grow(c.homes[:0], len(c.clash))[:len(c.clash)]
	clear(c.homes)
	for _, r := range c.truths {
		c.setHome(r, home{reg: -1, mask: true, offset: c.alloc(int(c.bits(0, max(c.vecs, 32))), 8)})
	}
	for _, r := range c.wides {
		c.setHome(r, home{reg: -1, wide: true, offset: c.wideSlot(r)})
	}
	for _, r := range c.matrices {
		c.setHome(r, home{reg: -1, matrix: true, offset: c.matrixSlot(r)})
	}
	groups := min((c.firstScratch-c.minLocals)/c.u, len(c.order))
	if c.forced.Spill {
		groups = 0
	}
	spilled := 0
	used := 0
	inRegs := newSets(groups, len(c.clash)) // numbers of variables, by the group of registers that they have
	for _, r := range c.order {
		clash := c.clash[c.index[r]]
		free := func(g int) bool { return !inRegs[g].meets(clash) }
		g := 0
		for g < groups && !free(g) {
			g++
		}
		// A copy is free if both have the same registers.
		for _, o := range c.copies[c.index[r]] {
			if h, ok := c.homeOf(o); ok && h.reg >= 0 && free(h.reg/c.u) {
				g = h.reg / c.u
			}
		}
		if g == groups {
			spilled += c.uses[c.index[r]]
			h := home{reg: -1, offset: c.p.Var(r).Off}
			if narrow(c.p.Var(r).Kind) {
				h = home{reg: -1, apart: true, offset: c.alloc(int(c.column(0, 4, c.u)), 64)}
			}
			c.setHome(r, h)
			continue
		}
		inRegs[g].add(lir.Ref(c.index[r]))
		used = max(used, (g+1)*c.u)
		c.setHome(r, home{reg: g * c.u})
	}
	c.r.locals, c.r.spilled = c.firstScratch-used, spilled
}

// appendExits appends the instructions at which execution continues after a segment.
func (s *segment) appendExits(pcs []int, p *lir.Program) []int {
	if s.jump < 0 {
		return append(pcs, s.to)
	}
	in := &p.Code[s.jump]
	if in.Op != lir.OpEnd {
		pcs = append(pcs, int(in.Target))
	}
	if in.GoesOn() {
		pcs = append(pcs, s.to)
	}
	return pcs
}

// depths returns how many loops are around each instruction.
func (c *compiler) depths() []int {
	d := make([]int, len(c.p.Code))
	for pc := c.from; pc < c.to; pc++ {
		if in := &c.p.Code[pc]; in.Op == lir.OpBack {
			for i := max(int(in.Target), c.from); i <= pc; i++ {
				d[i]++
			}
		}
	}
	return d
}

// endLabels are the labels of ends of the range or of a block, by the instruction to continue at.
type endLabels []endLabel

type endLabel struct {
	pc    int
	label amd64.Label
}

// of returns the label of an end, a new one the first time.
func (e *endLabels) of(c *compiler, pc int) amd64.Label {
	for _, x := range *e {
		if x.pc == pc {
			return x.label
		}
	}
	*e = append(*e, endLabel{pc, c.NewLabel()})
	return (*e)[len(*e)-1].label
}

func (e endLabels) sorted() endLabels {
	slices.SortFunc(e, func(a, b endLabel) int { return a.pc - b.pc })
	return e
}

// emit emits the code of the range.
func (c *compiler) emit() {
	c.findCalls()
	c.suspend = c.NewLabel()
	c.Emit(amd64.MOV64, amd64.Args{D: uint8(frameReg), Y: ctx(ctxFrame)})
	begin, block := c.NewLabel(), c.NewLabel()
	if c.r.Row {
		c.emitInvariants()
	}
	c.Bind(begin)
	c.keepShared()
	if c.loop {
		c.beginBlocks(block)
	}
	var ends, blockEnds endLabels
	solo := c.soloLoops()
	for c.j0 = 0; c.j0 < c.vecs; c.j0 += c.u {
		if c.j0 > 0 {
			c.restoreShared()
		}
		c.affs = make([]affine, len(c.s.list))
		c.labels = c.labels[:0]
		for range c.segs {
			c.labels = append(c.labels, c.NewLabel())
		}
		c.loadLive(c.from)
		blockEnds = blockEnds[:0]
		for i, s := range c.segs {
			loop := solo[i]
			if loop != nil {
				c.enterSolo(loop)
			}
			c.Bind(c.labels[i])
			if loop != nil {
				c.soloLoop(loop)
			}
			c.segment(i, s, &blockEnds)
		}
		next := c.NewLabel()
		for _, end := range blockEnds.sorted() {
			pc := end.pc
			c.Bind(end.label)
			c.storeLive(pc)
			if c.r.Row {
				pc = c.to // all exits are ends
			}
			if !c.loop && c.j0+c.u < c.vecs {
				c.Jmp(next)
				continue
			}
			c.Jmp(ends.of(c, pc))
		}
		c.emitCold()
		c.Bind(next)
		if c.Pos() > c.maxCode {
			fail("more than %d bytes of code", c.maxCode)
		}
		if c.loop {
			break
		}
	}
	for _, end := range ends.sorted() {
		c.Bind(end.label)
		if c.loop {
			c.nextBlock(block)
		}
		if c.r.Row {
			c.nextGroup(begin)
		}
		c.Vzeroupper()
		c.Emit(amd64.MOV32Imm, amd64.Args{D: uint8(amd64.RAX), Imm: int64(len(c.r.Exits))})
		c.r.Exits = append(c.r.Exits, end.pc)
		c.Ret()
	}
	c.emitSubroutines(0)
	c.emitSuspend()
	c.emitWants()
}

// emitCold emits the cold code so far.
func (c *compiler) emitCold() {
	for len(c.cold) > 0 {
		f := c.cold[0]
		c.cold = c.cold[1:]
		f()
	}
}
