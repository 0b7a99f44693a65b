package sanitize

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
)

// Fences order accesses together with atomic operations, as in C++: what a thread knows when it
// releases goes with each atomic write that follows, to those who read it and then acquire. Kernels
// without fences pay nothing for this.

// point is what a thread knows of its threadgroup at a fence that releases: what it has done
// itself, and what barriers have ordered before.
type point struct {
	round  uint32
	era    uint32
	thread int
	clock  *clock // of its simdgroup; nil for no barriers
}

// known is what is known of threadgroups. It is not changed once it has been made.
type known map[*groupID][]point

// covers reports whether a thread's access is among what is known.
func (k known) covers(r *record, thread int) bool {
	for _, p := range k[r.group] {
		if r.round < p.round || thread == p.thread && r.era <= p.era ||
			thread/32 == p.thread/32 && p.clock != nil &&
				p.clock.since(r.simd[(thread-r.first)/32], thread%32, p.thread%32) {
			return true
		}
	}
	return false
}

// and returns what two of them know together.
func (k known) and(o known) known {
	switch {
	case len(o) == 0:
		return k
	case len(k) == 0:
		return o
	}
	all := make(known, len(k)+len(o))
	for id, points := range k {
		all[id] = points
	}
	for id, points := range o {
		all[id] = merge(all[id], points)
	}
	return all
}

// merge returns the points of two lists, without those that others include.
func merge(a, b []point) []point {
	list := a[:len(a):len(a)]
	for _, p := range b {
		isNew := true
		for i, q := range list {
			if q.thread != p.thread {
				continue
			}
			if isNew = p.era > q.era; isNew {
				list = append(append([]point{}, list[:i]...), list[i+1:]...)
			}
			break
		}
		if isNew {
			list = append(list, p)
		}
	}
	return list
}

// news is what goes from thread to thread: to all of the device, and to those of the same
// threadgroup.
type news struct{ device, threadgroup [classes]known }

func (n *news) add(o *news) {
	for c := range classes {
		n.device[c] = n.device[c].and(o.device[c])
		n.threadgroup[c] = n.threadgroup[c].and(o.threadgroup[c])
	}
}

// message is what goes with the value of an atomic variable.
type message struct {
	news
	from *groupID // whose threads have written the part for the threadgroup
}

// threadOrder is what a thread has learned.
type threadOrder struct {
	released news           // goes with its atomic writes
	heard    news           // came with its atomic reads; acquired at a fence
	acquired [classes]known // happens before what it does now
}

// prepare looks for fences and for writes to textures.
func (l *launch) prepare(f *ir.Func) {
	f.Body.Walk(func(in *ir.Instr) bool {
		l.fences = l.fences || in.Op == ir.OpFence || isAtomicAccess(in.Op) && in.Order != ir.Relaxed
		return !l.fences
	})
	l.overlap = l.overlap || slices.ContainsFunc(f.Args, func(a ir.Arg) bool { return a.ArgumentBuffer })
	l.aliased = l.overlap && accessesTexels(f)
	l.textured = l.aliased || writesTexels(f)
	if l.fences {
		l.bytewise = true // cells stay where they are
		l.heard = map[uint64]*message{}
	}
}

// isAtomicAccess reports whether an operation is atomic and accesses device or threadgroup memory.
func isAtomicAccess(op ir.Op) bool { return op.Info().Group == ir.AtomicOps && op != ir.OpFence }

func acquires(o ir.Order) bool { return o == ir.Acquire || o == ir.AcqRel || o == ir.SeqCst }
func releases(o ir.Order) bool { return o == ir.Release || o == ir.AcqRel || o == ir.SeqCst }

func (g *group) orderOf(thread int) *threadOrder {
	o := g.threadOrders[thread]
	if o == nil {
		if g.threadOrders == nil {
			g.threadOrders = map[int]*threadOrder{}
		}
		o = &threadOrder{}
		g.threadOrders[thread] = o
	}
	return o
}

// acquiredBy returns what happens before the next access of a thread, apart from its own
// threadgroup's barriers.
func (g *group) acquiredBy(c class, thread int) known {
	if o := g.threadOrders[thread]; o != nil {
		return g.acquired[c].and(o.acquired[c])
	}
	return g.acquired[c]
}

// fence executes a fence for the lanes of an event.
func (g *group) fence(e *hook.Event) {
	wide := e.Instr.Imm != ir.FenceThreadgroup
	for l := range e.Lanes.All {
		if acquires(e.Instr.Order) {
			g.acquire(e.First+l, e.Instr.Mem, wide)
		}
	}
	if releases(e.Instr.Order) {
		g.release(e, e.Instr.Mem, wide)
	}
}

func (g *group) acquire(thread int, mem ir.MemMask, wide bool) {
	o := g.orderOf(thread)
	for c := range classes {
		if mem&c.flag() == 0 {
			continue
		}
		o.acquired[c] = o.acquired[c].and(o.heard.threadgroup[c])
		if wide {
			o.acquired[c] = o.acquired[c].and(o.heard.device[c])
		}
	}
}

func (g *group) release(e *hook.Event, mem ir.MemMask, wide bool) {
	for c := range classes {
		if mem&c.flag() == 0 {
			continue
		}
		for l := range e.Lanes.All {
			thread := e.First + l
			p := point{round: g.round[c], era: g.era[c], thread: thread}
			if k := g.clocks[c][thread/32]; k != nil {
				p.clock = k.clone()
			}
			o := g.orderOf(thread)
			all := g.acquiredBy(c, thread).and(known{g.id: {p}})
			o.released.threadgroup[c] = o.released.threadgroup[c].and(all)
			if wide {
				o.released.device[c] = o.released.device[c].and(all)
			}
		}
		g.era[c]++
	}
}

// beforeAtomic is called before an atomic operation.
func (g *group) beforeAtomic(e *hook.Event) {
	if releases(e.Instr.Order) {
		g.release(e, ir.MemDevice|ir.MemThreadgroup, true)
	}
}

// afterAtomic passes on what threads know with the variables of an atomic operation.
func (g *group) afterAtomic(a *hook.Access) {
	m := atomicMode(a.Instr.Op)
	for l := range a.Lanes.All {
		if a.Out.Has(l) {
			continue
		}
		box := g.launch.heard
		if a.Space == ir.Threadgroup {
			if g.heard == nil {
				g.heard = map[uint64]*message{}
			}
			box = g.heard
		}
		o := g.orderOf(a.First + l)
		now := box[a.Addrs[l]]
		if m&reads != 0 && now != nil {
			heard := now.news
			if now.from != g.id {
				heard.threadgroup = [classes]known{}
			}
			o.heard.add(&heard)
			if acquires(a.Instr.Order) {
				g.acquire(a.First+l, ir.MemDevice|ir.MemThreadgroup, true)
			}
		}
		if m&writes == 0 {
			continue
		}
		next := &message{news: o.released, from: g.id}
		if m&reads != 0 && now != nil { // it continues the sequence of releases
			if now.from != g.id {
				next.news.device = now.news.device
				for c := range classes {
					next.news.device[c] = next.news.device[c].and(o.released.device[c])
				}
			} else {
				next.news.add(&now.news)
			}
		}
		box[a.Addrs[l]] = next
	}
}

// shareAll lets all threads of a threadgroup know what some have acquired, at a barrier.
func (g *group) shareAll(c class) {
	for _, o := range g.threadOrders {
		g.acquired[c] = g.acquired[c].and(o.acquired[c])
		o.acquired[c] = nil
	}
}

// shareSimd is shareAll for lanes of a simdgroup.
func (g *group) shareSimd(c class, simd int, lanes uint32) {
	if len(g.threadOrders) == 0 {
		return
	}
	var all known
	for i := range 32 {
		if o := g.threadOrders[simd*32+i]; lanes>>i&1 != 0 && o != nil {
			all = all.and(o.acquired[c])
		}
	}
	for i := range 32 {
		if lanes>>i&1 != 0 && len(all) > 0 {
			g.orderOf(simd*32 + i).acquired[c] = all
		}
	}
}
