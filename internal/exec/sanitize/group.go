package sanitize

import (
	"fmt"
	"math/bits"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/sanitizer"
)

// watcher passes the events of a launch to the state of their threadgroups. Its groups are lean:
// what else looks at an access must call Fill before it uses addresses.
type watcher struct {
	hook.None
	launch *launch
}

func groupOf(e *hook.Event) *group { return e.Group.State.(*group) }

// GroupBegin implements hook.Hook.
func (w *watcher) GroupBegin(g *hook.Group) {
	g.State = w.launch.group(g)
	g.Lean, g.Texels = true, w.launch.s.kinds&sanitizer.Race != 0
}

// GroupEnd implements hook.Hook.
func (w *watcher) GroupEnd(g *hook.Group) { w.launch.done(g.State.(*group)) }

// Instruction implements hook.Hook.
func (w *watcher) Instruction(e *hook.Event) {
	switch op := e.Instr.Op; {
	case op == ir.OpSimdBarrier:
		if e.Instr.Imm != ir.BarrierActive {
			groupOf(e).meetsSimdgroup(e, "waits at a barrier of its simdgroup", "barrier")
		}
		groupOf(e).simdBarrier(e)
	case op == ir.OpMatLoad, op == ir.OpMatStore, op == ir.OpMatMul, op == ir.OpMatMac:
		groupOf(e).meetsSimdgroup(e, "works on a simdgroup's matrix", "operation on matrices")
	case op == ir.OpTexFence:
		groupOf(e).fenceTexels(e)
	case w.launch.fences && op == ir.OpFence:
		if e.Instr.Mem&ir.MemTexture != 0 {
			groupOf(e).fenceTexels(e)
		}
		groupOf(e).fence(e)
	case w.launch.fences && isAtomicAccess(op):
		w.launch.order.Lock() // Atomic unlocks it
		groupOf(e).beforeAtomic(e)
	}
}

// Load implements hook.Hook.
func (w *watcher) Load(a *hook.Access) { groupOf(&a.Event).access(a, reads) }

// Store implements hook.Hook.
func (w *watcher) Store(a *hook.Access) { groupOf(&a.Event).access(a, writes) }

// Atomic implements hook.Hook.
func (w *watcher) Atomic(a *hook.Access) {
	if w.launch.fences {
		groupOf(&a.Event).afterAtomic(a)
		w.launch.order.Unlock()
	}
	groupOf(&a.Event).access(a, atomicMode(a.Instr.Op))
}

// Barrier implements hook.Hook.
func (w *watcher) Barrier(events []hook.Event) { groupOf(&events[0]).barrier(events) }

// Shuffle implements hook.Hook.
func (w *watcher) Shuffle(s *hook.Shuffle) { groupOf(&s.Event).shuffle(s) }

// Wrap implements hook.Hook.
func (w *watcher) Wrap(x *hook.Wrap) { groupOf(&x.Event).wrap(x) }

// Texel implements hook.Hook.
func (w *watcher) Texel(t *hook.Texel) { groupOf(&t.Event).texel(t) }

// Texels implements hook.Hook.
func (w *watcher) Texels(t *hook.Texels) { groupOf(&t.Event).texels(t) }

// atomicMode returns what an atomic operation does.
func atomicMode(op ir.Op) mode {
	switch op {
	case ir.OpAtomicLoad:
		return reads | isAtomic
	case ir.OpAtomicStore:
		return writes | isAtomic
	}
	return reads | writes | isAtomic
}

// mode says what an access does.
type mode uint8

const (
	reads mode = 1 << iota
	writes
	isAtomic
)

func (m mode) String() string {
	switch {
	case m == reads:
		return "reads"
	case m == writes:
		return "writes"
	case m == reads|isAtomic:
		return "reads atomically"
	case m == writes|isAtomic:
		return "writes atomically"
	}
	return "changes atomically"
}

// group is the state of a threadgroup. It is used again for later ones.
type group struct {
	launch  *launch
	id      *groupID
	threads int
	memory  func(object uint64) []byte // of the threadgroup
	shared  map[uint64]*shadow         // of threadgroup memory, by object
	private map[privateKey][]hook.Mask

	round  [classes]uint32
	era    [classes]uint32
	phase  uint32
	clocks [classes][maxSimds]*clock
	last   map[recordKey]uint64 // the last record of an instruction and strip
	own    []record             // of accesses to threadgroup memory, by number; the first is unused
	next   uint64               // record of the launch that is free, and
	end    uint64               // the end of these
	before [classes]uint64      // a record that is known to be of an earlier round

	fenced       map[int]uint32       // by thread: fences of texels so far when it last executed one
	threadOrders map[int]*threadOrder // where fences are used
	acquired     [classes]known       // by all threads
	heard        map[uint64]*message  // by address in threadgroup memory

	now   touching
	found []*sanitizer.Finding // to be reported once nothing is locked
}

const maxSimds = ir.MaxThreads / 32

// privateKey identifies a variable of the threads of a strip.
type privateKey struct {
	first  int
	object uint64
}

type recordKey struct {
	instr *ir.Instr
	first int
	class class
}

// group returns the state of a threadgroup that begins.
func (l *launch) group(h *hook.Group) *group {
	l.once.Do(func() { l.prepare(h.Func) })
	l.mu.Lock()
	var g *group
	if n := len(l.idle); n > 0 {
		g, l.idle = l.idle[n-1], l.idle[:n-1]
	}
	l.mu.Unlock()
	if g == nil {
		g = &group{launch: l, shared: map[uint64]*shadow{}, private: map[privateKey][]hook.Mask{},
			last: map[recordKey]uint64{}, own: make([]record, 1)}
	}
	g.id = &groupID{h.Func, h.Position, h.Shape}
	g.threads, g.memory = h.Shape[0]*h.Shape[1]*h.Shape[2], h.Threadgroup
	return g
}

// done forgets what a threadgroup that has ended has done, except for its records of accesses to
// device memory.
func (l *launch) done(g *group) {
	for _, s := range g.shared {
		s.reset()
	}
	for _, known := range g.private {
		clear(known)
	}
	clear(g.last)
	g.round, g.era, g.clocks = [classes]uint32{}, [classes]uint32{}, [classes][maxSimds]*clock{}
	g.phase = 0
	g.own, g.before, g.acquired = g.own[:1], [classes]uint64{}, [classes]known{}
	clear(g.threadOrders)
	clear(g.fenced)
	clear(g.heard)
	l.mu.Lock()
	l.idle = append(l.idle, g)
	l.mu.Unlock()
}

// clock returns the clock of a simdgroup, by its number in the threadgroup.
func (g *group) clock(c class, simd int) *clock {
	k := g.clocks[c][simd]
	if k == nil {
		k = &clock{}
		g.clocks[c][simd] = k
	}
	return k
}

// wrap reports an index that does not fit in 32 bits.
func (g *group) wrap(w *hook.Wrap) {
	if g.launch.s.kinds&sanitizer.Overflow == 0 {
		return
	}
	if _, known := g.launch.known.LoadOrStore(seen{kind: sanitizer.Overflow, instr: w.Instr}, true); known {
		return
	}
	for l := range w.Lanes.All {
		sign := map[ir.Op]string{ir.OpAdd: "+", ir.OpSub: "-", ir.OpMul: "*", ir.OpShl: "<<"}[w.Instr.Op]
		f := g.finding(&w.Event, sanitizer.Overflow, w.First+l, "computes an index")
		f.Message = fmt.Sprintf("%d %s %d, which is part of an index, does not fit in 32 bits", w.Left, sign, w.Right)
		f.Advice = "compute the index with 64 bits: convert an operand to ulong or long"
		g.launch.s.add(f)
		return
	}
}

// lanesOf returns the lanes that a simdgroup has.
func (g *group) lanesOf(simd int) uint32 {
	if n := g.threads - 32*simd; n < 32 {
		return 1<<n - 1
	}
	return 1<<32 - 1
}

func (g *group) simdBarrier(e *hook.Event) {
	for w, lanes := range e.Lanes {
		simd := e.First/32 + w
		if lanes == 0 {
			continue
		}
		for c := range classes {
			if e.Instr.Mem&c.flag() != 0 {
				g.clock(c, simd).tick(lanes, g.lanesOf(simd))
				g.shareSimd(c, simd, lanes)
			}
		}
	}
}

// meetsSimdgroup checks that all threads of each simdgroup have come to an operation.
func (g *group) meetsSimdgroup(e *hook.Event, does, what string) {
	if g.launch.s.kinds&sanitizer.Divergence == 0 {
		return
	}
	for w, lanes := range e.Lanes {
		simd := e.First/ir.SimdWidth + w
		if lanes == 0 || lanes == g.lanesOf(simd) || g.launch.seen(sanitizer.Divergence, e.Instr, nil, 0) {
			continue
		}
		all := g.lanesOf(simd)
		f := g.finding(e, sanitizer.Divergence, simd*ir.SimdWidth+bits.TrailingZeros32(lanes), does)
		f.Message = fmt.Sprintf("%d of the simdgroup's %d threads do not reach this %s, the first of them %d: "+
			"they have returned or taken another branch", bits.OnesCount32(all&^lanes), bits.OnesCount32(all), what,
			simd*ir.SimdWidth+bits.TrailingZeros32(all&^lanes))
		f.Advice = "let all threads of the simdgroup reach it: move it out of the condition"
		g.launch.s.add(f)
	}
}

// barrier checks that all threads have arrived, and orders memory. At a grid barrier, those that
// have returned count as arrived.
func (g *group) barrier(events []hook.Event) {
	if events[0].Instr.Op == ir.OpGridBarrier {
		g.phase++
		for c := range classes {
			g.pass(c)
		}
		return
	}
	arrived := 0
	for i := range events {
		arrived += events[i].Lanes.Count()
	}
	if arrived < g.threads && g.launch.s.kinds&sanitizer.Divergence != 0 {
		g.diverged(events, arrived)
	}
	for c := range classes {
		if events[0].Instr.Mem&c.flag() != 0 {
			g.pass(c)
		}
	}
}

// pass begins a new round of accesses to a kind of memory.
func (g *group) pass(c class) {
	g.round[c]++
	g.before[c] = 0
	g.shareAll(c)
}

// diverged reports a barrier that some threads have not reached.
func (g *group) diverged(events []hook.Event, arrived int) {
	missing := -1
	has := make([]bool, g.threads)
	there := -1
	for i := range events {
		for l := range events[i].Lanes.All {
			has[events[i].First+l] = true
			if there < 0 {
				there = events[i].First + l
			}
		}
	}
	for i, ok := range has {
		if !ok {
			missing = i
			break
		}
	}
	f := g.finding(&events[0], sanitizer.Divergence, there, "waits at a barrier")
	f.Message = fmt.Sprintf("%d of the threadgroup's %d threads do not reach this barrier, the first of them %d: "+
		"they have returned or taken another branch", g.threads-arrived, g.threads, missing)
	f.Advice = "let all threads of the threadgroup reach the barrier: move it out of the condition, or return after it"
	g.launch.s.add(f)
}

// shuffle checks that values come from active lanes.
func (g *group) shuffle(s *hook.Shuffle) {
	if g.launch.s.kinds&sanitizer.Simd == 0 {
		return
	}
	for l := range s.Lanes.All {
		from := int(s.From[l])
		if from >= 0 && s.Lanes.Has(from) {
			continue
		}
		f := g.finding(&s.Event, sanitizer.Simd, s.First+l, "takes another lane's value")
		switch {
		case from < 0:
			f.Message = "the value is taken from a lane that does not exist"
		case s.First+from >= g.threads:
			f.Message = fmt.Sprintf("the value is taken from lane %d, which has no thread", from%32)
		default:
			f.Message = fmt.Sprintf("the value is taken from lane %d, which is not active here", from%32)
		}
		f.Advice = "do the shuffle where all lanes involved are active"
		g.launch.s.add(f)
		return
	}
}

// finding begins a finding about a thread.
func (g *group) finding(e *hook.Event, k sanitizer.Kinds, thread int, does string) *sanitizer.Finding {
	return &sanitizer.Finding{Kind: k, Access: sanitizer.Access{Place: placeOf(g.id.fn, e.Instr.Loc),
		Kernel: g.id.fn.Name, Thread: g.id.thread(thread), Does: does}}
}

// thread describes a thread of the threadgroup.
func (g *groupID) thread(index int) sanitizer.Thread {
	x, y := max(g.shape[0], 1), max(g.shape[1], 1)
	return sanitizer.Thread{Known: true, Threadgroup: g.position,
		Position: [3]int{index % x, index / x % y, index / (x * y)}, Index: index}
}

// record returns the number of the record of an access.
func (g *group) record(a *hook.Access, c class, m mode) uint64 {
	k := recordKey{a.Instr, a.First, c}
	r := record{group: g.id, instr: a.Instr, first: a.First, round: g.round[c], era: g.era[c], phase: g.phase,
		atomic: m&isAtomic != 0, kind: a.Kind, class: c}
	if g.launch.aliased {
		r.cross = g.round[c.other()]
	}
	for w := range r.simd {
		if i := a.First/32 + w; i < maxSimds && g.clocks[c][i] != nil {
			r.simd[w] = g.clocks[c][i].time
		}
	}
	if n := g.last[k]; n != 0 && *g.at(c, n) == r {
		return n
	}
	n := uint64(len(g.own))
	if c == threadgroupMemory {
		g.own = append(g.own, r)
	} else {
		if g.next == g.end {
			g.next = g.launch.log.take()
			g.end = g.next + recordShare
		}
		n = g.next
		g.next++
		*g.launch.log.at(n) = r
	}
	g.last[k] = n
	return n
}

// at returns a record of accesses to a kind of memory.
func (g *group) at(c class, n uint64) *record {
	if c == threadgroupMemory {
		return &g.own[n]
	}
	return g.launch.log.at(n)
}

// object returns the shadow of an object in device or threadgroup memory, and where in the shadow
// its first byte is.
func (g *group) object(space ir.Space, id uint64) (of *shadow, base int) {
	if space != ir.Threadgroup {
		if data := g.launch.space.Object(id).Data; g.launch.aliased && len(data) > 0 {
			return &g.launch.far, int(addressOf(data))
		}
		return g.launch.shadowOf(id), 0
	}
	s := g.shared[id]
	if s == nil {
		s = newShadow(max(g.launch.sizeOf(g.id.fn, id<<exec.OffsetBits), 0))
		g.shared[id] = s
	}
	return s, 0
}
