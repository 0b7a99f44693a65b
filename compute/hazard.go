package compute

import (
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// hazards tracks the memory ranges read and written since the last barrier. Two accesses conflict
// if their ranges overlap and one of them writes.
type hazards struct {
	buckets [hazardBuckets]int32 // 1 + the first span of a bucket
	spans   []span
}

const hazardBuckets = 64

// maxSpans is how many accesses are tracked before a barrier is inserted anyway. It bounds the
// search.
const maxSpans = 512

// span is one access.
type span struct {
	key      uint64 // of the memory, or of Metal's texture
	from, to uint   // bytes
	writes   bool
	next     int32
}

func bucketOf(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> 58 }

// spanOf returns the access to a range of memory. Memory has even keys; Metal textures that the
// program made itself have odd ones.
func spanOf(v view, writes bool) span {
	return span{key: v.mem.id << 1, from: v.offset, to: v.offset + v.length, writes: writes}
}

// spansOf returns the accesses of a launch. They are computed once for all its runs.
func spansOf(args []argument) (spans []span) {
	for i := range args {
		switch a := &args[i]; {
		case a.view.mem != nil:
			spans = append(spans, spanOf(a.view, a.writes))
		case !a.texture.IsNil():
			spans = append(spans, span{key: uint64(root(a.texture).ID())<<1 | 1, to: ^uint(0), writes: a.writes})
		case a.commands != nil:
			spans = append(spans, a.commands.span(true))
		}
	}
	return spans
}

// root returns the resource that holds a texture's texels: the texture itself, or if it is a view,
// the texture or buffer it was made from. A view keeps its root alive.
func root(t mtl.Texture) (r mtl.Resource) {
	objc.Pool(func() {
		for parent := t.ParentTexture(); !parent.IsNil(); parent = t.ParentTexture() {
			t = parent
		}
		if r = t.Buffer().Resource; r.IsNil() {
			r = t.Resource
		}
	})
	return r
}

// conflicts reports whether an access conflicts with one since the last barrier.
func (h *hazards) conflicts(s *span) bool {
	for i := h.buckets[bucketOf(s.key)]; i != 0; {
		o := &h.spans[i-1]
		if o.key == s.key && (o.writes || s.writes) && o.from < s.to && s.from < o.to {
			return true
		}
		i = o.next
	}
	return false
}

// add tracks an access.
func (h *hazards) add(s *span) {
	b := bucketOf(s.key)
	for i := h.buckets[b]; i != 0; {
		o := &h.spans[i-1]
		if o.key == s.key && o.from <= s.from && s.to <= o.to && (o.writes || !s.writes) {
			return // already covered
		}
		i = o.next
	}
	n := len(h.spans)
	h.spans = append(h.spans, *s)
	h.spans[n].next = h.buckets[b]
	h.buckets[b] = int32(n) + 1
}

// clear removes all accesses, at a barrier.
func (h *hazards) clear() {
	h.buckets = [hazardBuckets]int32{}
	h.spans = h.spans[:0]
}

// track reports whether a command with these accesses needs a barrier before it, and adds the
// accesses.
func (h *hazards) track(spans []span) (barrier bool) {
	barrier = len(h.spans) > maxSpans
	for i := 0; i < len(spans) && !barrier; i++ {
		barrier = h.conflicts(&spans[i])
	}
	if barrier {
		h.clear()
	}
	for i := range spans {
		h.add(&spans[i])
	}
	return barrier
}
