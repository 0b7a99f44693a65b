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

// key returns what an argument's memory is known by: buffers have even keys, textures odd ones.
func (a *argument) span() (span, bool) {
	switch {
	case a.view.mem != nil:
		return span{key: a.view.mem.id << 1, from: a.view.offset, to: a.view.offset + a.view.length, writes: a.writes}, true
	case !a.texture.IsNil():
		return span{key: uint64(a.texture.ID())<<1 | 1, to: ^uint(0), writes: a.writes}, true
	}
	return span{}, false
}

// meets reports whether an access has to wait for one since the last barrier.
func (h *hazards) meets(s span) bool {
	for i := h.buckets[bucketOf(s.key)]; i != 0; i = h.spans[i-1].next {
		o := &h.spans[i-1]
		if o.key == s.key && (o.writes || s.writes) && o.from < s.to && s.from < o.to {
			return true
		}
	}
	return false
}

// add remembers an access.
func (h *hazards) add(s span) {
	b := bucketOf(s.key)
	for i := h.buckets[b]; i != 0; i = h.spans[i-1].next {
		o := &h.spans[i-1]
		if o.key == s.key && o.from <= s.from && s.to <= o.to && (o.writes || !s.writes) {
			return // known already
		}
	}
	s.next = h.buckets[b]
	h.spans = append(h.spans, s)
	h.buckets[b] = int32(len(h.spans))
}

// clear forgets everything: a barrier was passed.
func (h *hazards) clear() {
	h.buckets = [hazardBuckets]int32{}
	h.spans = h.spans[:0]
}

// launch reports whether a barrier is due before a launch, and remembers its accesses.
func (h *hazards) launch(args []argument) (barrier bool) {
	barrier = len(h.spans) > maxSpans
	for i := range args {
		if s, ok := args[i].span(); ok && !barrier {
			barrier = h.meets(s)
		}
	}
	if barrier {
		h.clear()
	}
	for i := range args {
		if s, ok := args[i].span(); ok {
			h.add(s)
		}
	}
	return barrier
}

// copy is launch for a copy or a fill; from has no memory for a fill.
func (h *hazards) copy(from, to view) (barrier bool) {
	args := [2]argument{{view: from}, {view: to, writes: true}}
	return h.launch(args[:])
}
