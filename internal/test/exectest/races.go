package exectest

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
)

// Races is a hook that detects whether a kernel's results may depend on the order of its threads:
// two threads access the same byte, at least one changes it, and nothing orders the accesses.
// Barriers order the threads of a threadgroup or simdgroup, and so do operations among the lanes of
// a simdgroup; nothing orders those of different threadgroups. Atomic operations return values that
// depend on their order, so two on the same bytes count too. It requires an engine with one worker.
type Races struct {
	hook.None
	Found string // the first race found, or ""

	device map[uint64]*touch // by byte
	shared map[uint64]*touch // memory of the current threadgroup
	now    access            // the current threadgroup, and its barriers so far
	rounds map[int]int       // barriers so far, by thread
	simd   map[int]int       // barriers so far, by simdgroup
}

// access identifies who accessed memory, and when.
type access struct {
	group  int // threadgroups are counted from 1, in execution order
	round  int // number of preceding barriers
	simd   int
	within int // number of preceding barriers of the simdgroup
	thread int
	passed bool // a barrier has passed the thread over: no later one orders it
}

// touch records the accesses to a byte: the last write and the readers since.
type touch struct {
	writer access
	reader access // one of the readers not ordered before future accesses
	scope  scope
	known  bool // value is the current contents
	value  byte
}

// scope says how widely the readers are spread.
type scope uint8

const (
	oneThread scope = iota
	oneSimdgroup
	oneThreadgroup
	everywhere
)

// before reports whether all of a scope is ordered before an access.
func (a *access) before(s scope, b *access) bool {
	switch {
	case a.group == 0:
		return true
	case s == everywhere || a.group != b.group:
		return false
	case a.round < b.round && !a.passed || s == oneThread && a.thread == b.thread:
		return true
	}
	return s <= oneSimdgroup && a.simd == b.simd && a.within != b.within
}

// read records another reader.
func (t *touch) read(a *access) {
	if t.scope != everywhere && t.reader.before(t.scope, a) {
		t.reader, t.scope = *a, oneThread
		return
	}
	t.reader.passed = t.reader.passed || a.passed
	switch {
	case t.scope == everywhere:
	case t.reader.group != a.group:
		t.scope = everywhere
	case t.reader.simd != a.simd:
		t.scope = oneThreadgroup
	default:
		t.scope = max(t.scope, oneSimdgroup)
	}
}

// GroupBegin implements hook.Hook.
func (r *Races) GroupBegin(*hook.Group) {
	if r.device == nil {
		r.device = map[uint64]*touch{}
	}
	r.now.group++
	r.now.round = 0
	r.shared, r.simd, r.rounds = map[uint64]*touch{}, map[int]int{}, map[int]int{}
}

// Barrier implements hook.Hook.
func (r *Races) Barrier(events []hook.Event) {
	for i := range events {
		e := &events[i]
		for l := range e.Lanes.All {
			r.rounds[e.First+l]++
			r.now.round = max(r.now.round, r.rounds[e.First+l])
		}
	}
}

// Instruction implements hook.Hook.
func (r *Races) Instruction(e *hook.Event) {
	if op := e.Instr.Op; op == ir.OpSimdBarrier || op.AmongLanes() {
		for w, m := range e.Lanes {
			if m != 0 {
				r.simd[e.First/32+w]++
			}
		}
	}
}

// Load implements hook.Hook.
func (r *Races) Load(a *hook.Access) { r.each(a, false, a.Kind != ir.Void) }

// Store implements hook.Hook.
func (r *Races) Store(a *hook.Access) { r.each(a, true, a.Kind != ir.Void) }

// Atomic implements hook.Hook.
func (r *Races) Atomic(a *hook.Access) { r.each(a, a.Instr.Op != ir.OpAtomicLoad, false) }

// each processes each byte of an access. known means that the access includes the bytes.
func (r *Races) each(a *hook.Access, writes, known bool) {
	bytes := r.device
	switch a.Space {
	case ir.Thread:
		return
	case ir.Threadgroup:
		bytes = r.shared
	}
	for l := range a.Lanes.All {
		if a.Out.Has(l) || r.Found != "" {
			continue
		}
		who := r.now
		who.thread = a.First + l
		who.simd = who.thread / 32
		who.within = r.simd[who.simd]
		who.round = r.rounds[who.thread]
		who.passed = who.round < r.now.round
		for i := range uint64(a.Size) {
			t := bytes[a.Addrs[l]+i]
			if t == nil {
				t = &touch{}
				bytes[a.Addrs[l]+i] = t
			}
			r.touch(a, t, &who, writes, known, byte(a.Value[l]>>(8*(i&7))))
		}
	}
}

func (r *Races) touch(a *hook.Access, t *touch, who *access, writes, known bool, value byte) {
	changes := writes && !(known && t.known && t.value == value)
	switch {
	case !t.writer.before(oneThread, who) && (changes || !writes):
		r.found(a, who, &t.writer, writes, "has written")
	case changes && !t.reader.before(t.scope, who):
		r.found(a, who, &t.reader, writes, [...]string{"has read", "and others of its simdgroup have read",
			"and others of its threadgroup have read", "and others have read"}[t.scope])
	}
	if changes {
		t.writer, t.reader, t.scope = *who, access{}, oneThread
	} else if !writes {
		t.read(who)
	}
	if writes || known {
		t.value, t.known = value, known
	}
}

func (r *Races) found(a *hook.Access, who, other *access, writes bool, was string) {
	does := "reads"
	if writes {
		does = "writes"
	}
	r.Found = fmt.Sprintf("threadgroup %d, thread %d %s %v memory that thread %d of threadgroup %d %s", who.group-1,
		who.thread, does, a.Space, other.thread, other.group-1, was)
}
