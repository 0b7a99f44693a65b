package sanitizetest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/sanitizer"
)

// Mistake is something wrong that the oracle has seen.
type Mistake struct {
	Kind         sanitizer.Kinds
	Place, Other sanitizer.Place // Other is the earlier access of a race

	// Maybe is set if it depends on the order of the threads whether a store changes anything, which
	// decides whether it races.
	Maybe bool
}

// String describes a mistake.
func (m Mistake) String() string {
	s := fmt.Sprintf("%v at %v", m.Kind, m.Place)
	if m.Other != (sanitizer.Place{}) {
		s += fmt.Sprintf(" and %v", m.Other)
	}
	if m.Maybe {
		s += ", depending on the order"
	}
	return s
}

// vector is a vector clock: for each thread of the launch, how much of it is known to have
// happened.
type vector []uint32

// learn adds what another vector knows.
func (v vector) learn(o vector) {
	for i, n := range o {
		v[i] = max(v[i], n)
	}
}

// memories are the kinds of memory that barriers and fences order, each with clocks of its own.
var memories = [2]ir.MemMask{ir.MemDevice, ir.MemThreadgroup}

// clocks has a vector for each kind of memory.
type clocks [len(memories)]vector

func (c *clocks) learn(o *clocks, mem ir.MemMask) {
	for i := range c {
		if mem&memories[i] == 0 || o[i] == nil {
			continue
		}
		if c[i] == nil {
			c[i] = make(vector, len(o[i]))
		}
		c[i].learn(o[i])
	}
}

// thread is what the oracle knows of a thread.
type thread struct {
	number   int
	now      clocks
	released [2]clocks // at its last fences: for the device, for the threadgroup
	heard    [2]clocks // by its atomic reads: from the device, from the threadgroup
}

// tell begins a new step of the thread, and returns what it knows at the end of the last one.
func (t *thread) tell(mem ir.MemMask) *clocks {
	var known clocks
	for i := range t.now {
		if mem&memories[i] != 0 {
			known[i] = slices.Clone(t.now[i])
			t.now[i][t.number]++
		}
	}
	return &known
}

// stamp is an earlier access to a byte.
type stamp struct {
	thread *thread
	time   uint32
	instr  *ir.Instr
	atomic bool
	same   bool // a store of what was there
}

// cell is the history of a byte.
type cell struct {
	reads, writes []stamp
	written       bool
}

// memory identifies an object: of the device, of a threadgroup or of a thread.
type memory struct {
	object uint64
	group  int64
	thread int
}

// note is what goes with the value of an atomic variable.
type note struct {
	told  [2]clocks // to all of the device, to the threadgroup
	group int64
}

// oracle is a tracer that looks for mistakes.
type oracle struct {
	f       *ir.Func
	threads int // of the launch, at most
	group   int // threads of a full threadgroup
	known   map[ref.Thread]*thread
	bytes   map[memory]map[uint64]*cell
	notes   map[memory]map[uint64]*note
	found   map[Mistake]bool

	matrices map[matrixUse]*[ir.SimdWidth]int // how many elements each lane has loaded or stored

	compared int    // accesses with earlier ones
	stop     func() // the launch
}

// matrixUse is a load or store of matrices by a simdgroup.
type matrixUse struct {
	in    *ir.Instr
	group int64
	simd  int
}

// maxCompared limits the comparisons of a launch: each access of a byte is compared with all that
// came before it, and mutants may loop until their fuel is spent.
const maxCompared = 1 << 28

// errTooLarge is returned for launches that would take the oracle too long.
var errTooLarge = errors.New("too many threads or accesses for the oracle")

// MaxThreads limits the threads of a launch.
const MaxThreads = 4096

// Consult returns the mistakes that a launch makes, and the error with which it ends, if any.
func Consult(ctx context.Context, f *ir.Func, l *exec.Launch) (map[Mistake]bool, error) {
	g, err := l.Geometry()
	if err != nil {
		return nil, err
	}
	group := g.Group[0] * g.Group[1] * g.Group[2]
	if g.Total > MaxThreads || int(g.Total)*group > MaxThreads {
		return nil, errTooLarge
	}
	o := &oracle{f: f, threads: int(g.Total) * group, group: group, known: map[ref.Thread]*thread{},
		bytes: map[memory]map[uint64]*cell{}, notes: map[memory]map[uint64]*note{}, found: map[Mistake]bool{},
		matrices: map[matrixUse]*[ir.SimdWidth]int{}}
	ctx, o.stop = context.WithCancel(ctx)
	defer o.stop()
	err = ref.RunTraced(ctx, f, l, o)
	if o.compared > maxCompared {
		return nil, errTooLarge
	}
	for use, lanes := range o.matrices {
		x, y := use.group%int64(g.Groups[0]), use.group/int64(g.Groups[0])
		shape := g.Shape([3]int{int(x), int(y % int64(g.Groups[1])), int(y / int64(g.Groups[1]))})
		n := min(shape[0]*shape[1]*shape[2]-use.simd*ir.SimdWidth, ir.SimdWidth)
		for _, elements := range lanes[:n] {
			if elements != lanes[0] {
				o.mistake(sanitizer.Divergence, use.in)
			}
		}
	}
	if errors.Is(err, exec.ErrDivergentBarrier) {
		o.found[Mistake{Kind: sanitizer.Divergence}] = true // its place is in the text of the error
		err = nil
	}
	return o.found, err
}

// place returns the position of an instruction.
func (o *oracle) place(in *ir.Instr) (p sanitizer.Place) {
	if n := int(in.Loc.File); n > 0 && n <= len(o.f.Module.Files) && in.Loc.Line > 0 {
		p = sanitizer.Place{File: o.f.Module.Files[n-1], Line: int(in.Loc.Line), Column: int(in.Loc.Col)}
	}
	return p
}

func (o *oracle) mistake(k sanitizer.Kinds, in *ir.Instr) {
	o.found[Mistake{Kind: k, Place: o.place(in)}] = true
}

func (o *oracle) thread(id ref.Thread) *thread {
	t := o.known[id]
	if t == nil {
		t = &thread{number: int(id.Group)*o.group + id.Index}
		for i := range t.now {
			t.now[i] = make(vector, o.threads)
			t.now[i][t.number] = 1
		}
		o.known[id] = t
	}
	return t
}

// kindOf returns the index in memories of a space.
func kindOf(s ir.Space) int {
	if s == ir.Threadgroup {
		return 1
	}
	return 0
}

// memoryOf returns the object that an access goes to.
func memoryOf(a *ref.Access) memory {
	m := memory{object: a.Address >> exec.OffsetBits, group: -1, thread: -1}
	if a.Space == ir.Threadgroup || a.Space == ir.Thread {
		m.group = a.Thread.Group
	}
	if a.Space == ir.Thread {
		m.thread = a.Thread.Index
	}
	return m
}

// Access implements ref.Tracer.
func (o *oracle) Access(a *ref.Access) {
	atomic := a.Instr.Op.Info().Has(ir.Atomic)
	if atomic {
		defer o.pass(a)
	}
	if op := a.Instr.Op; op == ir.OpMatLoad || op == ir.OpMatStore {
		key := matrixUse{a.Instr, a.Thread.Group, a.Thread.Index / ir.SimdWidth}
		use := o.matrices[key]
		if use == nil {
			use = new([ir.SimdWidth]int)
			o.matrices[key] = use
		}
		use[a.Thread.Index%ir.SimdWidth]++
	}
	to, at := uint64(a.Size), uint64(0)
	if op := a.Instr.Op; op == ir.OpLoad || op == ir.OpStore {
		if wanted, before := a.Instr.Alignment(); uint64(wanted) > to {
			to, at = uint64(wanted), uint64(before)+uint64(a.Part)
		}
	}
	if a.Kind != ir.Void && (a.Address-at)%to != 0 {
		o.mistake(sanitizer.Misaligned, a.Instr)
		if atomic {
			return // it does nothing
		}
	}
	if !a.Inside {
		o.mistake(sanitizer.Bounds, a.Instr)
		return
	}
	m := memoryOf(a)
	cells := o.bytes[m]
	if cells == nil {
		cells = map[uint64]*cell{}
		o.bytes[m] = cells
	}
	for i := range uint64(a.Size) {
		c := cells[a.Address+i]
		if c == nil {
			c = &cell{}
			cells[a.Address+i] = c
		}
		if a.Reads && a.Kind != ir.Void && !c.written && (a.Space == ir.Thread || a.Space == ir.Threadgroup) {
			o.mistake(sanitizer.Uninitialized, a.Instr)
		}
		if a.Reads && atomic && a.Space == ir.Threadgroup && c.written && !o.initialized(c, a) {
			o.mistake(sanitizer.Uninitialized, a.Instr)
		}
		if a.Space == ir.Threadgroup || a.Space == ir.Device {
			o.compare(c, a, atomic)
		}
		c.written = c.written || a.Writes
	}
}

// initialized reports whether any write of a byte comes before an access.
func (o *oracle) initialized(c *cell, a *ref.Access) bool {
	t, k := o.thread(a.Thread), kindOf(a.Space)
	now := stamp{thread: t}
	return slices.ContainsFunc(c.writes, func(w stamp) bool { return w.before(now, k) })
}

// compare compares an access to a byte with all earlier ones, and keeps it.
func (o *oracle) compare(c *cell, a *ref.Access, atomic bool) {
	if o.compared += len(c.writes) + len(c.reads); o.compared > maxCompared {
		o.stop()
		return
	}
	t, k := o.thread(a.Thread), kindOf(a.Space)
	now := stamp{t, t.now[k][t.number], a.Instr, atomic, a.Same}
	for _, s := range c.writes {
		o.race(c, s, now, k)
	}
	if !a.Writes {
		if n := len(c.reads); n == 0 || c.reads[n-1] != now {
			c.reads = append(c.reads, now)
		}
		return
	}
	for _, s := range c.reads {
		o.race(c, s, now, k)
	}
	if n := len(c.writes); n == 0 || c.writes[n-1] != now {
		c.writes = append(c.writes, now)
	}
}

// race reports two accesses to a byte that are not ordered.
func (o *oracle) race(c *cell, s, now stamp, k int) {
	if s.atomic && now.atomic || s.before(now, k) {
		return
	}
	maybe := s.same || now.same
	for _, w := range c.writes { // of the same value: either of them may be the one that changes something
		maybe = maybe || w.same && w.instr == s.instr && w.before(now, k)
	}
	o.found[Mistake{sanitizer.Race, o.place(now.instr), o.place(s.instr), maybe}] = true
}

// before reports whether an access comes before a later one.
func (s *stamp) before(now stamp, k int) bool {
	return s.thread == now.thread || now.thread.now[k][s.thread.number] >= s.time
}

// Fence implements ref.Tracer.
func (o *oracle) Fence(id ref.Thread, in *ir.Instr) {
	t := o.thread(id)
	if in.Order != ir.Relaxed && in.Order != ir.Release {
		t.now.learn(&t.heard[1], in.Mem)
		if in.Imm != ir.FenceThreadgroup {
			t.now.learn(&t.heard[0], in.Mem)
		}
	}
	if in.Order != ir.Relaxed && in.Order != ir.Acquire {
		known := t.tell(in.Mem)
		t.released[1].learn(known, in.Mem)
		if in.Imm != ir.FenceThreadgroup {
			t.released[0].learn(known, in.Mem)
		}
	}
}

// pass passes on what threads know along with the value of an atomic variable.
func (o *oracle) pass(a *ref.Access) {
	const all = ir.MemDevice | ir.MemThreadgroup
	t, m := o.thread(a.Thread), memoryOf(a)
	if o.notes[m] == nil {
		o.notes[m] = map[uint64]*note{}
	}
	acquires := a.Instr.Order != ir.Relaxed && a.Instr.Order != ir.Release
	releases := a.Instr.Order != ir.Relaxed && a.Instr.Order != ir.Acquire
	old := o.notes[m][a.Address]
	if a.Reads && old != nil {
		t.heard[0].learn(&old.told[0], all)
		if old.group == a.Thread.Group {
			t.heard[1].learn(&old.told[1], all)
		}
		if acquires {
			t.now.learn(&t.heard[0], all)
			t.now.learn(&t.heard[1], all)
		}
	}
	if !a.Writes {
		return
	}
	if releases {
		known := t.tell(all)
		t.released[0].learn(known, all)
		t.released[1].learn(known, all)
	}
	n := &note{group: a.Thread.Group}
	for i := range n.told {
		n.told[i].learn(&t.released[i], all)
		if a.Reads && old != nil && (i == 0 || old.group == a.Thread.Group) { // the sequence of releases goes on
			n.told[i].learn(&old.told[i], all)
		}
	}
	o.notes[m][a.Address] = n
}

// Meet implements ref.Tracer.
func (o *oracle) Meet(in *ir.Instr, threads []ref.Thread, all int) {
	switch in.Op {
	case ir.OpBarrier, ir.OpMatMul, ir.OpMatMac, ir.OpSimdBarrier:
		if len(threads) < all && (in.Op != ir.OpSimdBarrier || in.Imm != ir.BarrierActive) {
			o.mistake(sanitizer.Divergence, in)
		}
	}
	mem, told := in.Mem, clocks{}
	if in.Op == ir.OpGridBarrier {
		mem = ir.MemDevice | ir.MemThreadgroup
	}
	for _, id := range threads {
		told.learn(o.thread(id).tell(mem), mem)
	}
	for _, id := range threads {
		o.thread(id).now.learn(&told, mem)
	}
}

// Lost implements ref.Tracer.
func (o *oracle) Lost(_ ref.Thread, in *ir.Instr) { o.mistake(sanitizer.Simd, in) }
