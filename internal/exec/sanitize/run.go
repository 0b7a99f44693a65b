package sanitize

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/sanitizer"
)

// rows compares an access whose addresses are rows with earlier ones: many lanes at a time where
// consecutive lanes access consecutive elements, or the same one.
func (g *group) rows(a *hook.Access, m mode) {
	t := g.touching(a, classOf(a.Space), m)
	r, shape := a.Rows, &a.Group.Shape
	t.use(r.Object)
	base := r.Base + int64(t.base)
	even := (shape[1] == 1 || r.Step[1] == r.Step[0]*int64(shape[0])) && // over the whole threadgroup
		(shape[2] == 1 || r.Step[2] == r.Step[0]*int64(shape[0]*shape[1]))
	for l, n := nextLanes(&a.Lanes, 0); n > 0; l, n = nextLanes(&a.Lanes, l+n) {
		i := a.First + l
		if !even {
			n = min(n, shape[0]-i%shape[0])
		}
		at := base + r.Step[0]*int64(i%shape[0]) + r.Step[1]*int64(i/shape[0]%shape[1]) +
			r.Step[2]*int64(i/(shape[0]*shape[1]))
		switch step := int(r.Step[0]); {
		case step == a.Size:
			t.consecutive(l, n, int(at))
		case step == 0 && m == reads:
			t.together(l, n, int(at))
		default:
			for k := range n {
				t.bytes(l+k, int(at)+k*step, a.Size)
			}
		}
	}
	t.unlock()
}

// nextLanes returns the first lanes from a number on that are in a set without a gap, and how many
// there are.
func nextLanes(m *hook.Mask, from int) (first, n int) {
	for from < hook.MaxLanes {
		x := m[from/32] >> (from % 32)
		if x != 0 {
			from += bits.TrailingZeros32(x)
			break
		}
		from = from/32*32 + 32
	}
	first = from
	for from < hook.MaxLanes {
		left := 32 - from%32
		k := bits.TrailingZeros32(^(m[from/32] >> (from % 32)))
		if k < left {
			from += k
			break
		}
		from += left
	}
	return first, from - first
}

// together compares a read of the same element by n lanes with earlier accesses.
func (t *touching) together(lane, n, offset int) {
	p := t.at(offset)
	line, first := offset%pageSize/lineSize, offset%lineSize
	cells := p.separate(line, first, t.access.Size, false)
	for i := range cells {
		c := &cells[i]
		if c.write != 0 && t.g.past(c.write, t.class) || c.write == 0 && !t.needsWrite() {
			// What orders the first lane's read, orders those of all.
			t.g.merge(c, makeStamp(t.record, lane), t.class)
			if n > 1 {
				t.g.merge(c, makeStamp(t.record, lane+n-1), t.class)
			}
			continue
		}
		t.byte = offset + i*t.access.Size/len(cells)
		for k := range n {
			t.cell(lane+k, c)
		}
	}
}

// needsWrite reports whether a read of bytes that nothing has written is a mistake.
func (t *touching) needsWrite() bool {
	return t.class == threadgroupMemory && t.mode&reads != 0 && t.access.Kind != ir.Void &&
		t.g.launch.s.kinds&sanitizer.Uninitialized != 0
}

// consecutive compares accesses by n lanes to consecutive elements with earlier ones.
func (t *touching) consecutive(lane, n, offset int) {
	size := t.access.Size
	for n > 0 {
		k := min(n, (lineSize-offset%lineSize)/size)
		p, line := t.at(offset), offset%pageSize/lineSize
		switch {
		case k == lineSize/size && p.forms[line] == oneRun && t.run(&p.runs[line], lane):
		case size == unitSize:
			cells := p.separate(line, offset%lineSize, k*size, false)
			if len(cells) == k {
				for i := range cells {
					t.byte = offset + i*size
					t.cell(lane+i, &cells[i])
				}
				break
			}
			fallthrough
		default:
			for i := range k {
				t.bytes(lane+i, offset+i*size, size)
			}
		}
		lane, n, offset = lane+k, n-k, offset+k*size
	}
}

// run compares accesses to a whole line with an earlier run, and records them, if they make a run
// again and are no race. Else it does nothing.
func (t *touching) run(r *cell, lane int) bool {
	g, now := t.g, runOf(t.record, lane, t.access.Size)
	if r.write == 0 && t.needsWrite() ||
		r.write != 0 && !g.past(r.write, t.class) && !t.sameLanes(r.write, lane) {
		return false
	}
	ordered := r.read == 0 || r.read.scope() != everywhere && g.past(r.read, t.class) ||
		r.read.scope() == everywhere && g.at(t.class, r.read.record()).phase < g.phase ||
		r.read.scope() == oneThread && t.sameLanes(r.read, lane)
	if t.mode == reads {
		if ordered {
			r.read = now
			return true
		}
		s, ok := t.spread(r.read, lane)
		if !ok {
			return false
		}
		if !t.sameLanes(r.read, lane) {
			r.also = r.read
		}
		r.read = now.spread(s)
		return true
	}
	if !ordered {
		return false
	}
	if r.write == 0 && r.read == 0 {
		r.write = now
		return true
	}
	silent := 0
	lanes := lineSize / t.access.Size
	for i := range lanes {
		if t.silent(lane + i) {
			silent++
		}
	}
	switch silent {
	case 0:
		r.write, r.read = now, 0
	case lanes:
		if r.write == 0 {
			r.write = now
		}
	default:
		return false
	}
	return true
}

// sameLanes reports whether the threads of an earlier run are those that access the same elements
// now.
func (t *touching) sameLanes(old stamp, lane int) bool {
	r := t.g.at(t.class, old.record())
	return r.group == t.g.id && old.size() == t.access.Size && r.first+old.lane() == t.access.First+lane
}

// spread returns how widely the readers of a line are spread after one more run of them, if that is
// the same for all elements.
func (t *touching) spread(old stamp, lane int) (scope, bool) {
	r := t.g.at(t.class, old.record())
	if r.group != t.g.id {
		return everywhere, true
	}
	x, y := r.first+old.lane(), t.access.First+lane
	last := lineSize/t.access.Size - 1
	if old.size() != t.access.Size || x/32 != (x+last)/32 || y/32 != (y+last)/32 {
		return 0, false
	}
	s := old.scope()
	switch {
	case x/32 != y/32:
		s = max(s, oneThreadgroup)
	case x != y:
		if t.g.clocks[t.class][x/32] != nil {
			return 0, false // a barrier of the simdgroup may have ordered some
		}
		s = max(s, oneSimdgroup)
	}
	return s, true
}
