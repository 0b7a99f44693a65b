package memory

import "slices"

// Heap divides a range of bytes into pieces. It is not safe for concurrent use.
type Heap struct {
	size uint64
	used uint64
	free []span // ascending, neither empty nor touching
}

type span struct{ start, end uint64 }

// NewHeap returns a heap of n bytes, all of them free.
func NewHeap(n uint64) *Heap {
	return &Heap{size: n, free: []span{{0, n}}}
}

// alignUp returns the first multiple of align that is at least n, or false if there is none.
func alignUp(n, align uint64) (uint64, bool) {
	up := (n + align - 1) &^ (align - 1)
	return up, up >= n
}

// Take returns the offset of a free piece: the smallest free range that holds it, so that large
// ones stay whole. align is a power of two.
func (h *Heap) Take(n, align uint64) (offset uint64, ok bool) {
	best, left := -1, uint64(0)
	for i, s := range h.free {
		start, fits := alignUp(s.start, align)
		if !fits || start > s.end || n > s.end-start {
			continue
		}
		if best < 0 || s.end-s.start < left {
			best, left, offset = i, s.end-s.start, start
		}
	}
	if best < 0 || n == 0 {
		return 0, false
	}
	s := h.free[best]
	var rest []span
	if offset > s.start {
		rest = append(rest, span{s.start, offset})
	}
	if end := offset + n; end < s.end {
		rest = append(rest, span{end, s.end})
	}
	h.free = slices.Replace(h.free, best, best+1, rest...)
	h.used += n
	return offset, true
}

// Give takes back a piece that Take returned.
func (h *Heap) Give(offset, n uint64) {
	i, _ := slices.BinarySearchFunc(h.free, offset, func(s span, at uint64) int {
		if s.start < at {
			return -1
		}
		return 1
	})
	s := span{offset, offset + n}
	from, to := i, i
	if i > 0 && h.free[i-1].end == s.start {
		from, s.start = i-1, h.free[i-1].start
	}
	if i < len(h.free) && h.free[i].start == s.end {
		to, s.end = i+1, h.free[i].end
	}
	h.free = slices.Replace(h.free, from, to, s)
	h.used -= n
}

// Used returns the bytes of the pieces that are taken.
func (h *Heap) Used() uint64 { return h.used }

// Largest returns the size of the largest piece of an alignment that Take would find.
func (h *Heap) Largest(align uint64) uint64 {
	var most uint64
	for _, s := range h.free {
		if start, ok := alignUp(s.start, align); ok && start < s.end {
			most = max(most, s.end-start)
		}
	}
	return most
}
