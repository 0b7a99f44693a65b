package stream

import (
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// Hazards tracks the memory ranges read and written since the last barrier. Two accesses conflict
// if their ranges overlap and one of them writes.
type Hazards struct {
	buckets [hazardBuckets]int32 // 1 + the first span of a bucket
	spans   []Span
}

const hazardBuckets = 64

// maxSpans is how many accesses are tracked before a barrier is inserted anyway. It bounds the
// search.
const maxSpans = 512

// Span is one access.
type Span struct {
	Key      uint64 // of the memory, or of Metal's texture
	From, To uint   // bytes
	Writes   bool
	next     int32
}

func bucketOf(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> 58 }

// SpanOf returns the access to a range of memory. Memory has even keys; Metal textures that the
// program made itself have odd ones.
func SpanOf(v View, writes bool) Span {
	return Span{Key: v.Mem.Id << 1, From: v.Offset, To: v.Offset + v.Length, Writes: writes}
}

// SpansOf returns the accesses of a launch. They are computed once for all its runs.
func SpansOf(args []Argument) (spans []Span) {
	for i := range args {
		switch a := &args[i]; {
		case a.View.Mem != nil:
			spans = append(spans, SpanOf(a.View, a.Writes))
		case !a.Texture.IsNil():
			spans = append(spans, Span{Key: uint64(root(a.Texture).ID())<<1 | 1, To: ^uint(0), Writes: a.Writes})
		case a.Commands != nil:
			spans = append(spans, a.Commands.Span(true))
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
func (h *Hazards) conflicts(s *Span) bool {
	for i := h.buckets[bucketOf(s.Key)]; i != 0; {
		o := &h.spans[i-1]
		if o.Key == s.Key && (o.Writes || s.Writes) && o.From < s.To && s.From < o.To {
			return true
		}
		i = o.next
	}
	return false
}

// add tracks an access.
func (h *Hazards) add(s *Span) {
	b := bucketOf(s.Key)
	for i := h.buckets[b]; i != 0; {
		o := &h.spans[i-1]
		if o.Key == s.Key && o.From <= s.From && s.To <= o.To && (o.Writes || !s.Writes) {
			return // already covered
		}
		i = o.next
	}
	n := len(h.spans)
	h.spans = append(h.spans, *s)
	h.spans[n].next = h.buckets[b]
	h.buckets[b] = int32(n) + 1
}

// Clear removes all accesses, at a barrier.
func (h *Hazards) Clear() {
	h.buckets = [hazardBuckets]int32{}
	h.spans = h.spans[:0]
}

// Track reports whether a command with these accesses needs a barrier before it, and adds the
// accesses.
func (h *Hazards) Track(spans []Span) (barrier bool) {
	barrier = len(h.spans) > maxSpans
	for i := 0; i < len(spans) && !barrier; i++ {
		barrier = h.conflicts(&spans[i])
	}
	if barrier {
		h.Clear()
	}
	for i := range spans {
		h.add(&spans[i])
	}
	return barrier
}
