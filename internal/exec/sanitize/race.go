package sanitize

import (
	"fmt"

	"github.com/puremetal/puremetal/sanitizer"
)

// conflicts reports whether an earlier access and one now are not both atomic.
func (g *group) conflicts(old stamp, c class, m mode) bool {
	return m&isAtomic == 0 || !g.at(c, old.record()).atomic
}

// ordered reports whether an earlier access happens before another one of this threadgroup. If the
// earlier one stands for several readers, all of them must.
func (g *group) ordered(old, now stamp, c class, s scope) bool {
	a, b := g.at(c, old.record()), g.at(c, now.record())
	if a.phase < b.phase {
		return true
	}
	if s == everywhere {
		return false
	}
	x, y := a.first+old.lane(), b.first+now.lane()
	if g.launch.fences && g.acquiredBy(a.class, y).covers(a, x) {
		return true
	}
	if a.group != b.group {
		return false
	}
	if s == oneThread && x == y || a.class == b.class && a.round < b.round {
		return true
	}
	if a.class != b.class {
		return g.orderedAcross(a, b, x, y)
	}
	if s > oneSimdgroup || x/32 != y/32 {
		return false
	}
	k := g.clocks[c][x/32]
	if k == nil {
		return false
	}
	before := a.simd[old.lane()/32]
	if s == oneThread {
		return k.since(before, x%32, y%32)
	}
	for _, m := range k.past {
		if m.time > before && m.lanes == g.lanesOf(x/32) {
			return true
		}
	}
	return false
}

// orderedAcross reports whether an access of a texel happens before one of a buffer's bytes, or the
// reverse, by another thread x or y of the threadgroup: that takes barriers for both kinds of
// memory. Of those of simdgroups, any will do.
func (g *group) orderedAcross(a, b *record, x, y int) bool {
	return a.round < b.cross && a.cross < b.round ||
		x/32 == y/32 && (g.clocks[a.class][x/32] != nil || g.clocks[b.class][x/32] != nil)
}

// merge adds a reader to the earlier ones of a cell. Of several, one of those that read plainly is
// kept, if there are any: these race with atomic writes too.
func (g *group) merge(to *cell, now stamp, c class) {
	old := to.read
	b := g.at(c, now.record())
	switch {
	case old == 0:
		to.read = now
		return
	case b.atomic && g.justNow(old, now, c):
		return
	case g.ordered(old, now, c, old.scope()):
		to.read = now
		return
	}
	a := g.at(c, old.record())
	s := old.scope()
	switch x, y := a.first+old.lane(), b.first+now.lane(); {
	case a.group != b.group:
		s = everywhere
	case x/32 != y/32:
		s = max(s, oneThreadgroup)
	case x != y:
		s = max(s, oneSimdgroup)
	default:
		to.read = now.spread(s)
		return
	}
	if a.atomic && b.atomic && old.scope() != oneThread {
		if r := g.at(c, to.also.record()); !r.atomic {
			if r.group == b.group && r.first+to.also.lane() == b.first+now.lane() {
				now = old
			}
			to.read = now.spread(s)
			return
		}
	}
	to.read, to.also = now.spread(s), old
}

// readers reports whether readers of a cell race with a write, and returns one of them.
func (g *group) readers(of *cell, now stamp, c class, m mode) (reader stamp, race bool) {
	races := func(r stamp, s scope) bool { return g.conflicts(r, c, m) && !g.ordered(r, now, c, s) }
	s := of.read.scope()
	if races(of.read, oneThread) {
		return of.read, true
	}
	if s != oneThread && races(of.also, oneThread) {
		return of.also, true
	}
	return of.read, s != oneThread && races(of.read, s)
}

// race reports two accesses that nothing orders.
func (g *group) race(t *touching, lane int, old stamp, does string) {
	a, m := t.access, t.mode
	r := g.at(t.class, old.record())
	if t.texels == nil && g.known(sanitizer.Race, a, r.instr) ||
		t.texels != nil && g.launch.seen(sanitizer.Race, a.Instr, r.instr, t.texels.Texture) {
		return
	}
	if r.atomic {
		does += " atomically"
	}
	f := g.finding(&a.Event, sanitizer.Race, a.First+lane, m.String())
	t.where(f, lane)
	f.Value = t.value(lane)
	other := r.group.thread(r.first + old.lane())
	if r.group == g.id && other.Index == a.First+lane {
		other = sanitizer.Thread{} // the last of several readers is this thread itself
	}
	f.Other = &sanitizer.Access{Place: placeOf(r.group.fn, r.instr.Loc), Kernel: r.group.fn.Name, Thread: other,
		Does: does, Value: t.earlier(lane, old, r)}
	mixed := m&isAtomic != 0 != r.atomic
	who, what := "two threads", "the same bytes"
	class := t.class.String()
	switch {
	case t.command != nil:
		what = fmt.Sprintf("command %d of the same indirect command buffer", t.command(lane).Offset)
	case r.class != t.class:
		what += ", of a buffer and of a texture in its memory,"
		class = fmt.Sprintf("%v and %v", deviceMemory, textureMemory)
	case t.texels != nil:
		what = "the texel" + t.name(lane)
	}
	switch {
	case r.group != g.id:
		who = "two threadgroups"
		f.Advice = "let each threadgroup write memory of its own, or use atomic operations"
		if g.launch.fences {
			f.Advice += "; to hand memory over, a fence that releases, with the scope of the device, must come before " +
				"an atomic write, and one that acquires after the atomic read of it"
		}
	case other.Known && other.Index/32 == (a.First+lane)/32:
		who = "two threads of a simdgroup"
		f.Advice = fmt.Sprintf("no barrier for %v memory is between %v and %v; threads of a simdgroup do not run "+
			"in step", class, f.Other.Place, f.Place)
	default:
		f.Advice = fmt.Sprintf("no threadgroup_barrier for %v memory is between %v and %v", class, f.Other.Place,
			f.Place)
	}
	switch {
	case mixed:
		f.Message = fmt.Sprintf("%s access %s without an order, one of them by an atomic operation and the other "+
			"plainly", who, what)
		f.Advice = "make both accesses atomic, or order them: " + f.Advice
	case r.group != g.id:
		f.Message = who + " access " + what + ", and nothing orders threadgroups"
	default:
		f.Message = who + " access " + what + " without an order"
	}
	g.found = append(g.found, f)
}
