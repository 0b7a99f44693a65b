package sanitize

import (
	"bytes"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/sanitizer"
)

// touching is an access to shadowed memory while it is compared with earlier ones.
type touching struct {
	g      *group
	access *hook.Access
	class  class
	mode   mode
	record uint64

	texels  *hook.Texels          // of an access to textures
	command func(lane int) Holder // of an access to commands: which it is

	object uint64
	shadow *shadow
	base   int   // where the object begins in it
	page   *page // the one that is locked
	number int   // of the page

	byte  int    // the first byte of the cell that is compared
	data  []byte // what the object holds; read when it is needed
	lane  int    // whose store is known to change nothing, or something; -1 for none
	quiet bool   // it changes nothing
}

func (g *group) touching(a *hook.Access, c class, m mode) *touching {
	t := &g.now
	*t = touching{g: g, access: a, class: c, mode: m, record: g.record(a, c, m), lane: -1}
	return t
}

// use goes on to an object.
func (t *touching) use(object uint64) {
	if t.shadow != nil && t.object == object {
		return
	}
	t.unlock()
	t.object, t.data = object, nil
	t.shadow, t.base = t.g.object(t.access.Space, object)
}

// at locks and returns the page of an offset.
func (t *touching) at(offset int) *page {
	if i := offset / pageSize; t.page == nil || t.number != i {
		t.unlock()
		t.page, t.number = t.shadow.page(i), i
		if t.class != threadgroupMemory { // else no other goroutine uses it
			t.page.mu.Lock()
		}
	}
	return t.page
}

func (t *touching) unlock() {
	if t.page != nil && t.class != threadgroupMemory {
		t.page.mu.Unlock()
	}
	t.page = nil
}

// bytes touches a range of bytes for a lane.
func (t *touching) bytes(lane, offset, size int) {
	for end := offset + size; offset < end; {
		p := t.at(offset)
		line, first := offset%pageSize/lineSize, offset%lineSize
		n := min(lineSize-first, end-offset)
		cells := p.separate(line, first, n, t.g.launch.bytewise)
		for i := range cells {
			t.byte = offset + i*n/len(cells)
			t.cell(lane, &cells[i])
		}
		offset += n
	}
}

// silent reports whether a lane stores what memory already holds.
func (t *touching) silent(lane int) bool {
	if x := t.texels; x != nil {
		return t.mode == writes && bytes.Equal(x.Bytes[lane], x.Next[lane][:t.access.Size])
	}
	if t.mode != writes || t.access.Kind == ir.Void {
		return false
	}
	if t.lane != lane {
		t.lane, t.quiet = lane, t.holds(lane)
	}
	return t.quiet
}

func (t *touching) holds(lane int) bool {
	a := t.access
	a.Fill()
	data, at := t.contents(), int(a.Addrs[lane]&exec.OffsetMask)
	if a.Size > 8 || at+a.Size > len(data) {
		return false
	}
	x := a.Value[lane]
	for _, b := range data[at:][:a.Size] {
		if b != byte(x) {
			return false
		}
		x >>= 8
	}
	return true
}

// overwrites reports whether an earlier lane stores something else to the same place in the same
// event.
func (t *touching) overwrites(lane int, old stamp) bool {
	from := old.lane()
	if old.record() != t.record || from >= lane || !t.access.Lanes.Has(from) {
		return false
	}
	if x := t.texels; x != nil {
		return &x.Bytes[from][0] == &x.Bytes[lane][0] && x.Next[from] != x.Next[lane]
	}
	a := t.access
	a.Fill()
	return a.Addrs[from] == a.Addrs[lane] && a.Value[from] != a.Value[lane]
}

// cell compares a lane's access with earlier ones of the same bytes, and records it.
func (t *touching) cell(lane int, cell *cell) {
	g, m, c := t.g, t.mode, t.class
	now := makeStamp(t.record, lane)
	if m&reads != 0 && c == threadgroupMemory && cell.write == 0 {
		if t.access.Kind != ir.Void && g.launch.s.kinds&sanitizer.Uninitialized != 0 {
			g.uninitialized(t.access, lane, m)
		}
	}
	if m&isAtomic != 0 && c == threadgroupMemory && g.launch.s.kinds&sanitizer.Uninitialized != 0 {
		t.initialized(lane, cell.write, now)
	}
	if cell.write == 0 && cell.read == 0 {
		if m&writes != 0 {
			cell.write = now
		} else {
			cell.read = now
		}
		if g.launch.fences && m&writes == 0 {
			t.page.addReader(cell, now, nil)
		}
		return
	}
	silent := t.silent(lane) && !t.overwrites(lane, cell.write)
	if !silent && g.launch.s.kinds&sanitizer.Race != 0 {
		t.check(lane, cell, now)
	}
	switch {
	case m&writes != 0 && !silent:
		// An atomic operation does not hide what the same thread has just done plainly: atomic
		// operations of others race with that.
		if m&isAtomic == 0 || !g.justNow(cell.write, now, c) {
			cell.write = now
		}
		if m&isAtomic == 0 || cell.read.scope() != oneThread || !g.justNow(cell.read, now, c) {
			cell.read = 0
		}
		if g.launch.fences && cell.read == 0 {
			delete(t.page.readers, cell)
		}
	case m&writes != 0:
		if cell.write == 0 {
			cell.write = now // initialized now
		}
	default:
		g.merge(cell, now, c)
		if g.launch.fences {
			atomic := m&isAtomic != 0
			t.page.addReader(cell, now, func(old stamp) bool {
				return g.ordered(old, now, c, oneThread) && !(atomic && g.justNow(old, now, c))
			})
		}
	}
}

// justNow reports whether an earlier plain access was by the same thread, with nothing in between
// that could order others after the one and not after the other.
func (g *group) justNow(old, now stamp, c class) bool {
	if old == 0 {
		return false
	}
	a, b := g.at(c, old.record()), g.at(c, now.record())
	return !a.atomic && a.class == b.class && a.group == b.group && a.first+old.lane() == b.first+now.lane() &&
		a.round == b.round && a.era == b.era && a.simd == b.simd
}

// check reports a race of a lane's access with earlier ones.
func (t *touching) check(lane int, cell *cell, now stamp) {
	g, m, c := t.g, t.mode, t.class
	if w := cell.write; w != 0 && c == textureMemory && m == reads && g.unfenced(w, now) {
		g.stale(t, lane, w)
		return
	}
	if w := cell.write; w != 0 && !g.past(w, c) && g.conflicts(w, c, m) && !g.ordered(w, now, c, oneThread) &&
		!t.same(lane, w, now) {
		g.race(t, lane, w, "writes")
		return
	}
	if m&writes == 0 || cell.read == 0 {
		return
	}
	if g.launch.fences {
		for _, r := range t.page.readers[cell] {
			if g.conflicts(r, c, m) && !g.ordered(r, now, c, oneThread) {
				g.race(t, lane, r, "reads")
			}
		}
		return
	}
	if r, race := g.readers(cell, now, c, m); race {
		g.race(t, lane, r, "reads")
	}
}

// same reports whether a lane stores what another one stores to the same place in the same event.
func (t *touching) same(lane int, old, now stamp) bool {
	a := t.access
	if t.mode != writes || old.record() != now.record() {
		return false
	}
	if x := t.texels; x != nil {
		return &x.Bytes[old.lane()][0] == &x.Bytes[lane][0] && x.Next[old.lane()] == x.Next[lane]
	}
	if a.Kind == ir.Void {
		return false
	}
	a.Fill()
	return a.Addrs[old.lane()] == a.Addrs[lane] && a.Value[old.lane()] == a.Value[lane]
}

// past reports whether an access happens before all that this threadgroup does now, because it was
// in an earlier round.
func (g *group) past(old stamp, c class) bool {
	n := old.record()
	if n == g.before[c] {
		return true
	}
	r := g.at(c, n)
	if r.phase >= g.phase && (r.group != g.id || r.round >= g.round[r.class] ||
		r.class != c && r.cross >= g.round[c]) {
		return false
	}
	g.before[c] = n
	return true
}

// addReader adds a reader to those of a cell, in place of those that come before it.
func (p *page) addReader(c *cell, now stamp, before func(stamp) bool) {
	list := p.readers[c][:0]
	for _, old := range p.readers[c] {
		if !before(old) {
			list = append(list, old)
		}
	}
	if p.readers == nil {
		p.readers = map[*cell][]stamp{}
	}
	p.readers[c] = append(list, now)
}

// initialized looks for atomic operations on bytes that another thread has initialized atomically,
// without an order. That is no race, but the bytes may be read before they are initialized.
func (t *touching) initialized(lane int, last, now stamp) {
	g, p := t.g, t.page
	if last == 0 {
		if p.began == nil {
			p.began = map[int]stamp{}
		}
		p.began[t.byte] = now
		return
	}
	first, known := p.began[t.byte]
	switch {
	case !known || g.ordered(first, now, t.class, oneThread):
		if known && g.past(first, t.class) {
			delete(p.began, t.byte)
		}
	case t.mode&reads == 0: // this thread initializes them too
		delete(p.began, t.byte)
	case !g.ordered(last, now, t.class, oneThread):
		g.early(t, lane, first)
	}
}
