package tokenizer

// piece is a part of a word that is being merged: a list, whose links are indexes.
type piece struct {
	prev, next int32 // -1 at the ends
	at, size   int32 // in the word, in bytes; a size of 0 was merged into the piece before it
	id         int32 // of the token, or of a string that merges know; -1 for none
}

// candidate is two neighbors that may be merged.
type candidate struct {
	order uint64 // the least comes first: its priority, then how far left it is
	size  uint32 // of both together; less than they have now if one was merged since
	id    int32  // of the result
}

// merger merges pieces, best pair first, with a heap: n log n for a word of n characters.
type merger struct {
	word   string
	pieces []piece
	heap   []candidate
}

// reset begins a word.
func (m *merger) reset(word string) {
	m.word, m.pieces, m.heap = word, m.pieces[:0], m.heap[:0]
}

// add appends a piece.
func (m *merger) add(at, size int, id int32) {
	n := int32(len(m.pieces))
	if n > 0 {
		m.pieces[n-1].next = n
	}
	m.pieces = append(m.pieces, piece{prev: n - 1, next: -1, at: int32(at), size: int32(size), id: id})
}

// pairing says whether two neighbors may be merged, with which priority, the least first, and what
// comes of it.
type pairing interface {
	pair(m *merger, left, right *piece) (priority uint32, id int32, ok bool)
}

// merge merges until no pair is left.
func (m *merger) merge(p pairing) {
	for i := 0; i+1 < len(m.pieces); i++ {
		if c, ok := m.candidate(p, int32(i)); ok {
			m.heap = append(m.heap, c)
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	for len(m.heap) > 0 {
		c := m.pop()
		at := int32(uint32(c.order))
		left := &m.pieces[at]
		if left.size == 0 || left.next < 0 {
			continue
		}
		right := &m.pieces[left.next]
		if uint32(left.size)+uint32(right.size) != c.size {
			continue
		}
		left.size += right.size
		left.id = c.id
		left.next = right.next
		right.size = 0
		if left.next >= 0 {
			m.pieces[left.next].prev = at
		}
		if left.prev >= 0 {
			m.push(p, left.prev)
		}
		m.push(p, at)
	}
}

func (m *merger) candidate(p pairing, at int32) (c candidate, ok bool) {
	left := &m.pieces[at]
	if left.next < 0 {
		return c, false
	}
	right := &m.pieces[left.next]
	priority, id, ok := p.pair(m, left, right)
	return candidate{uint64(priority)<<32 | uint64(at), uint32(left.size) + uint32(right.size), id}, ok
}

func (m *merger) push(p pairing, at int32) {
	c, ok := m.candidate(p, at)
	if !ok {
		return
	}
	h := append(m.heap, c)
	m.heap = h
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up].order <= c.order {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func (m *merger) pop() candidate {
	top, last := m.heap[0], len(m.heap)-1
	m.heap[0] = m.heap[last]
	m.heap = m.heap[:last]
	m.down(0)
	return top
}

func (m *merger) down(i int) {
	h := m.heap
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1].order < h[child].order {
			child++
		}
		if h[i].order <= h[child].order {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
