package sanitize

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/sanitizer"
)

// dispatcher passes the events of a launch to the state of their threadgroups.
type dispatcher struct {
	hook.None
	launch *launch
}

func groupOf(e *hook.Event) *group { return e.Group.State.(*group) }

// GroupBegin implements hook.Hook.
func (d *dispatcher) GroupBegin(g *hook.Group) { g.State = newGroup(d.launch, g) }

// Instruction implements hook.Hook.
func (d *dispatcher) Instruction(e *hook.Event) {
	if e.Instr.Op == ir.OpSimdBarrier {
		groupOf(e).simdBarrier(e)
	}
}

// Load implements hook.Hook.
func (d *dispatcher) Load(a *hook.Access) { groupOf(&a.Event).access(a, reads) }

// Store implements hook.Hook.
func (d *dispatcher) Store(a *hook.Access) { groupOf(&a.Event).access(a, writes) }

// Atomic implements hook.Hook.
func (d *dispatcher) Atomic(a *hook.Access) {
	m := reads | writes | isAtomic
	switch a.Instr.Op {
	case ir.OpAtomicLoad:
		m = reads | isAtomic
	case ir.OpAtomicStore:
		m = writes | isAtomic
	}
	groupOf(&a.Event).access(a, m)
}

// Barrier implements hook.Hook.
func (d *dispatcher) Barrier(events []hook.Event) { groupOf(&events[0]).barrier(events) }

// Shuffle implements hook.Hook.
func (d *dispatcher) Shuffle(s *hook.Shuffle) { groupOf(&s.Event).shuffle(s) }

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

// group is the state of a threadgroup.
type group struct {
	launch  *launch
	id      *groupID
	threads int
	shared  map[uint64]*shadow // of threadgroup memory, by object
	values  map[uint64][]byte  // what threadgroup memory holds
	private map[privateKey][]hook.Mask

	round  [classes]uint32
	clocks [classes]map[int]*clock // by simdgroup
	last   map[recordKey]uint64    // the last record of an instruction and strip
}

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

func newGroup(l *launch, g *hook.Group) *group {
	n := &group{launch: l, id: &groupID{g.Func, g.Position, g.Shape}, threads: g.Shape[0] * g.Shape[1] * g.Shape[2],
		shared: map[uint64]*shadow{}, values: map[uint64][]byte{}, private: map[privateKey][]hook.Mask{},
		last: map[recordKey]uint64{}}
	for c := range n.clocks {
		n.clocks[c] = map[int]*clock{}
	}
	return n
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
			}
		}
	}
}

// barrier checks that all threads have arrived, and orders memory.
func (g *group) barrier(events []hook.Event) {
	arrived := 0
	for i := range events {
		arrived += events[i].Lanes.Count()
	}
	if arrived < g.threads && g.launch.s.kinds&sanitizer.Divergence != 0 {
		g.diverged(events, arrived)
	}
	for c := range classes {
		if events[0].Instr.Mem&c.flag() != 0 {
			g.round[c]++
		}
	}
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
	r := record{group: g.id, instr: a.Instr, first: a.First, round: g.round[c], atomic: m&isAtomic != 0}
	for w := range r.simd {
		if k := g.clocks[c][a.First/32+w]; k != nil {
			r.simd[w] = k.time
		}
	}
	if n := g.last[k]; n != 0 && *g.launch.log.at(n) == r {
		return n
	}
	n := g.launch.log.add(r)
	g.last[k] = n
	return n
}

// object returns the shadow of the object at an address in device or threadgroup memory.
func (g *group) object(a *hook.Access, address uint64) *shadow {
	id := address >> exec.OffsetBits
	if a.Space != ir.Threadgroup {
		return g.launch.shadowOf(id)
	}
	s := g.shared[id]
	if s == nil {
		s = newShadow(max(g.launch.sizeOf(g.id.fn, address), 0))
		g.shared[id] = s
	}
	return s
}
