package compute

// hazards knows which ranges of memory have been read and written since the last barrier. Two accesses are in each other's way when their ranges meet and one
// of them writes.
type hazards struct {
	buckets [hazardBuckets]int32 // 1 + the first span of a bucket
	spans   []span
}

const hazardBuckets = 64

// maxSpans is how many accesses are remembered before a barrier is due anyway, which bounds the search.
const maxSpans = 512

// span is one access.
type span struct {
	key      uint64 // of the memory, or of the texture
	from, to uint   // bytes
	writes   bool
	next     int32
}

func bucketOf(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> 58 }

// spanOf returns the access of a range of memory. Buffers have even keys, textures odd ones.
func spanOf(v view, writes bool) span {
	return span{key: v.mem.id << 1, from: v.offset, to: v.offset + v.length, writes: writes}
}

// spansOf returns the accesses of a launch, computed once for all times that it runs.
func spansOf(args []argument) (spans []span) {
	for i := range args {
		switch a := &args[i]; {
		case a.view.mem != nil:
			spans = append(spans, spanOf(a.view, a.writes))
		case !a.texture.IsNil():
			spans = append(spans, span{key: uint64(a.texture.ID())<<1 | 1, to: ^uint(0), writes: a.writes})
		}
	}
	return spans
}

// meets reports whether an access has to wait for one since the last barrier.
func (h *hazards) meets(s *span) bool {
	for i := h.buckets[bucketOf(s.key)]; i != 0; {
		o := &h.spans[i-1]
		if o.key == s.key && (o.writes || s.writes) && o.from < s.to && s.from < o.to {
			return true
		}
		i = o.next
	}
	return false
}

// add remembers an access.
func (h *hazards) add(s *span) {
	b := bucketOf(s.key)
	for i := h.buckets[b]; i != 0; {
		o := &h.spans[i-1]
		if o.key == s.key && o.from <= s.from && s.to <= o.to && (o.writes || !s.writes) {
			return // known already
		}
		i = o.next
	}
	n := len(h.spans)
	h.spans = append(h.spans, *s)
	h.spans[n].next = h.buckets[b]
	h.buckets[b] = int32(n) + 1
}

// clear forgets everything: a barrier was passed.
func (h *hazards) clear() {
	h.buckets = [hazardBuckets]int32{}
	h.spans = h.spans[:0]
}

// pass reports whether a barrier is due before a command with these accesses, and remembers them.
func (h *hazards) pass(spans []span) (barrier bool) {
	barrier = len(h.spans) > maxSpans
	for i := 0; i < len(spans) && !barrier; i++ {
		barrier = h.meets(&spans[i])
	}
	if barrier {
		h.clear()
	}
	for i := range spans {
		h.add(&spans[i])
	}
	return barrier
}

// transfer is pass for a copy or a fill.
func (h *hazards) transfer(from, to view) (barrier bool) {
	var spans [2]span
	n := 0
	if from.mem != nil {
		spans[0] = spanOf(from, false)
		n++
	}
	spans[n] = spanOf(to, true)
	return h.pass(spans[:n+1])
}
