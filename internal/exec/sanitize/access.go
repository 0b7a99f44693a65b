package sanitize

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/sanitizer"
)

// access checks an access of several lanes.
func (g *group) access(a *hook.Access, m mode) {
	kinds := g.launch.s.kinds
	g.limit(a)
	if kinds&sanitizer.Bounds != 0 && a.Out != (hook.Mask{}) {
		g.outside(a, m)
	}
	if kinds&sanitizer.Misaligned != 0 && a.Kind != ir.Void && a.Kind.Size() > 1 {
		g.aligned(a, m)
	}
	switch a.Space {
	case ir.Thread:
		if kinds&sanitizer.Uninitialized != 0 {
			g.thread(a, m)
		}
		return
	case ir.Constant:
		return
	}
	if kinds&sanitizer.Race == 0 && (kinds&sanitizer.Uninitialized == 0 || a.Space != ir.Threadgroup) {
		return
	}
	c := classOf(a.Space)
	n := g.record(a, c, m)
	for l := range a.Lanes.All {
		if a.Out.Has(l) || a.Size == 0 {
			continue
		}
		at := int(a.Addrs[l] & exec.OffsetMask)
		silent := m&writes != 0 && m&isAtomic == 0 && g.holds(a, l)
		g.object(a, a.Addrs[l]).each(at, a.Size, func(cell *cell, mask stamp) {
			g.touch(a, l, c, cell, makeStamp(n, l, mask), m, silent)
		})
		if m&writes != 0 && a.Space == ir.Threadgroup {
			g.keep(a, l)
		}
	}
}

// where says in a finding what a lane has accessed.
func (g *group) where(f *sanitizer.Finding, a *hook.Access, lane int) {
	f.Memory = g.launch.describe(g.id.fn, a.Space, a.Addrs[lane])
	f.Offset, f.Size = a.Addrs[lane]&exec.OffsetMask, a.Size
	if label := g.launch.s.Label; label != nil && (a.Space == ir.Device || a.Space == ir.Constant) {
		f.Label = label(a.Addrs[lane] >> exec.OffsetBits)
	}
}

// limit adds the lanes whose bytes are in a buffer, but not among those that the program uses.
func (g *group) limit(a *hook.Access) {
	if g.launch.s.Used == nil || a.Space != ir.Device && a.Space != ir.Constant {
		return
	}
	object, size := uint64(0), uint64(0)
	for l := range a.Lanes.All {
		if o := a.Addrs[l] >> exec.OffsetBits; o != object {
			object, size = o, uint64(max(g.launch.sizeOf(g.id.fn, a.Addrs[l]), 0))
		}
		if a.Addrs[l]&exec.OffsetMask+uint64(a.Size) > size {
			a.Out[l/32] |= 1 << (l % 32)
		}
	}
}

// outside reports the lanes that are out of bounds.
func (g *group) outside(a *hook.Access, m mode) {
	for l := range a.Lanes.All {
		if !a.Out.Has(l) {
			continue
		}
		address := a.Addrs[l]
		if a.Kind != ir.Void && m&isAtomic != 0 && address%uint64(a.Size) != 0 {
			continue // aligned reports it
		}
		f := g.finding(&a.Event, sanitizer.Bounds, a.First+l, m.String())
		g.where(f, a, l)
		size := g.launch.sizeOf(g.id.fn, address)
		switch {
		case address>>exec.OffsetBits == 0:
			f.Message = fmt.Sprintf("%s through a null pointer", noun(m))
			f.Advice = "bind a buffer to the argument"
		case size < 0:
			f.Message = fmt.Sprintf("%s outside of %s", noun(m), f.Memory)
		case int64(f.Offset<<(64-exec.OffsetBits))>>(64-exec.OffsetBits) < 0:
			f.Message = fmt.Sprintf("%s %d bytes before the beginning of %s", noun(m),
				-(int64(f.Offset<<(64-exec.OffsetBits)) >> (64 - exec.OffsetBits)), f.Memory)
		case int(f.Offset)+a.Size <= size:
			f.Message = fmt.Sprintf("%s of read-only memory", noun(m))
		default:
			f.Message = fmt.Sprintf("%s of %d bytes at offset %d of %s, which has %d", noun(m), a.Size, f.Offset,
				f.Memory, size)
		}
		g.launch.s.add(f)
		return
	}
}

func noun(m mode) string {
	if m&writes == 0 {
		return "read"
	}
	return "write"
}

// aligned reports an address that is not a multiple of the element's size.
func (g *group) aligned(a *hook.Access, m mode) {
	size := uint64(a.Kind.Size())
	for l := range a.Lanes.All {
		if a.Addrs[l]%size == 0 {
			continue
		}
		f := g.finding(&a.Event, sanitizer.Misaligned, a.First+l, m.String())
		g.where(f, a, l)
		f.Message = fmt.Sprintf("%s of %v at offset %d, which is not a multiple of %d", noun(m), a.Kind, f.Offset, size)
		f.Advice = "read the bytes separately, or use a packed type"
		g.launch.s.add(f)
		return
	}
}

// thread keeps track of which bytes of the threads' variables are initialized.
func (g *group) thread(a *hook.Access, m mode) {
	for l := range a.Lanes.All {
		if a.Out.Has(l) {
			continue
		}
		k := privateKey{a.First, a.Addrs[l] >> exec.OffsetBits}
		at := int(a.Addrs[l] & exec.OffsetMask)
		known := g.private[k]
		if at+a.Size > len(known) {
			known = append(known, make([]hook.Mask, at+a.Size-len(known))...)
			g.private[k] = known
		}
		word, bit := l/32, uint32(1)<<(l%32)
		if m&reads != 0 && a.Kind != ir.Void {
			for i := at; i < at+a.Size; i++ {
				if known[i][word]&bit == 0 {
					g.uninitialized(a, l, m)
					return
				}
			}
		}
		if m&writes != 0 {
			for i := at; i < at+a.Size; i++ {
				known[i][word] |= bit
			}
		}
	}
}

// uninitialized reports a read of bytes that nothing has written.
func (g *group) uninitialized(a *hook.Access, lane int, m mode) {
	f := g.finding(&a.Event, sanitizer.Uninitialized, a.First+lane, m.String())
	g.where(f, a, lane)
	f.Message = fmt.Sprintf("read of %s before anything has written it", f.Memory)
	g.launch.s.add(f)
}

// holds reports whether memory already holds the value that a lane stores.
func (g *group) holds(a *hook.Access, lane int) bool {
	if a.Kind == ir.Void {
		return false
	}
	var now []byte
	if a.Space == ir.Threadgroup {
		now = g.values[a.Addrs[lane]>>exec.OffsetBits]
		at := int(a.Addrs[lane] & exec.OffsetMask)
		now = now[min(at, len(now)):]
	} else {
		now = g.launch.space.Bytes(a.Addrs[lane])
	}
	if len(now) < a.Size || a.Size > 8 {
		return false
	}
	for i := range a.Size {
		if now[i] != byte(a.Value[lane]>>(8*i)) {
			return false
		}
	}
	return true
}

// keep remembers what threadgroup memory holds.
func (g *group) keep(a *hook.Access, lane int) {
	id, at := a.Addrs[lane]>>exec.OffsetBits, int(a.Addrs[lane]&exec.OffsetMask)
	v := g.values[id]
	if v == nil {
		v = make([]byte, max(g.launch.sizeOf(g.id.fn, a.Addrs[lane]), 0))
		g.values[id] = v
	}
	for i := range min(a.Size, 8) {
		v[at+i] = byte(a.Value[lane] >> (8 * i))
	}
}

// touch checks an access to a cell against earlier ones and records it.
func (g *group) touch(a *hook.Access, lane int, c class, cell *cell, now stamp, m mode, silent bool) {
	kinds := g.launch.s.kinds
	if a.Space == ir.Threadgroup {
		if m&reads != 0 && a.Kind != ir.Void && kinds&sanitizer.Uninitialized != 0 && cell.write == 0 {
			g.uninitialized(a, lane, m)
		}
	}
	if kinds&sanitizer.Race != 0 && !silent {
		if w := cell.write; w != 0 && g.conflicts(w, m) && !g.ordered(w, now, c, oneThread) &&
			!same(a, lane, w, now, m) {
			g.race(a, lane, w, m, "writes")
		} else if r := cell.read; m&writes != 0 && r != 0 && g.conflicts(r, m) &&
			!g.ordered(r, now, c, r.scope()) {
			g.race(a, lane, r, m, "reads")
		}
	}
	switch {
	case m&writes != 0 && !silent:
		cell.write, cell.read = now, 0
	case m&writes != 0:
		if cell.write == 0 {
			cell.write = now // initialized now
		}
	default:
		cell.read = g.merge(cell.read, now, c)
	}
}

// same reports whether a lane stores what another one stores to the same place in the same event.
func same(a *hook.Access, lane int, old, now stamp, m mode) bool {
	return m == writes && a.Kind != ir.Void && old.record() == now.record() && a.Addrs[old.lane()] == a.Addrs[lane] &&
		a.Value[old.lane()] == a.Value[lane]
}

// conflicts reports whether an earlier access and one now are not both atomic.
func (g *group) conflicts(old stamp, m mode) bool {
	return m&isAtomic == 0 || !g.launch.log.at(old.record()).atomic
}

// ordered reports whether an earlier access, with all readers that it stands for, happens before
// another one of this threadgroup.
func (g *group) ordered(old, now stamp, c class, s scope) bool {
	if s == everywhere {
		return false
	}
	a, b := g.launch.log.at(old.record()), g.launch.log.at(now.record())
	if a.group != b.group {
		return false
	}
	x, y := a.first+old.lane(), b.first+now.lane()
	if s == oneThread && x == y || a.round < b.round {
		return true
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

// merge adds a reader to earlier ones.
func (g *group) merge(old, now stamp, c class) stamp {
	if old == 0 || g.ordered(old, now, c, old.scope()) {
		return now
	}
	a, b := g.launch.log.at(old.record()), g.launch.log.at(now.record())
	s := old.scope()
	switch x, y := a.first+old.lane(), b.first+now.lane(); {
	case a.group != b.group:
		s = everywhere
	case x/32 != y/32:
		s = max(s, oneThreadgroup)
	case x != y:
		s = max(s, oneSimdgroup)
	}
	return now.spread(s)
}

// race reports two accesses that nothing orders.
func (g *group) race(a *hook.Access, lane int, old stamp, m mode, does string) {
	r := g.launch.log.at(old.record())
	if r.atomic {
		does += " atomically"
	}
	f := g.finding(&a.Event, sanitizer.Race, a.First+lane, m.String())
	g.where(f, a, lane)
	other := r.group.thread(r.first + old.lane())
	if r.group == g.id && other.Index == a.First+lane {
		other = sanitizer.Thread{} // the last of several readers is this thread itself
	}
	f.Other = &sanitizer.Access{Place: placeOf(r.group.fn, r.instr.Loc), Kernel: r.group.fn.Name, Thread: other,
		Does: does}
	switch {
	case r.group != g.id:
		f.Message = "two threadgroups access the same bytes, and nothing orders threadgroups"
		f.Advice = "let each threadgroup write memory of its own, or use atomic operations"
	case other.Known && other.Index/32 == (a.First+lane)/32:
		f.Message = "two threads of a simdgroup access the same bytes without an order"
		f.Advice = fmt.Sprintf("no barrier for %v memory is between %v and %v; threads of a simdgroup do not run "+
			"in step", a.Space, f.Other.Place, f.Place)
	default:
		f.Message = "two threads access the same bytes without an order"
		f.Advice = fmt.Sprintf("no threadgroup_barrier for %v memory is between %v and %v", a.Space, f.Other.Place,
			f.Place)
	}
	if m&isAtomic != 0 != r.atomic {
		f.Advice += "; only one of the accesses is atomic"
	}
	g.launch.s.add(f)
}
