package command

import (
	"sync"

	"github.com/puremetal/puremetal/internal/exec"
)

// inlineMemory keeps the memory of inline bytes. Each piece is a separate object, exactly as long
// as its bytes, so that a kernel that reads past the end gets zeros and not another piece's bytes.
// A piece is reused for bytes of the same length, so that dispatches need not allocate new object
// numbers each time.
type inlineMemory struct {
	memory Memory
	mu     sync.Mutex
	free   map[int][]*piece // by length
	kept   int              // of all lengths
}

// maxInlinePieces is how many pieces are kept for use.
const maxInlinePieces = 1 << 13

type piece struct {
	id   uint32
	data []byte
}

// take returns a piece of n bytes, whatever is in them.
func (m *inlineMemory) take(n int) *piece {
	m.mu.Lock()
	if list := m.free[n]; len(list) > 0 {
		p := list[len(list)-1]
		m.free[n] = list[:len(list)-1]
		m.kept--
		m.mu.Unlock()
		return p
	}
	m.mu.Unlock()
	more := m.make(n)
	m.give(more[1:])
	return more[0]
}

// make makes several pieces at once: a program that encodes one dispatch with such bytes encodes
// many.
func (m *inlineMemory) make(n int) []*piece {
	const align = 16
	stride := (n + align - 1) &^ (align - 1)
	list := make([]piece, min(max(batchBytes/stride, 1), maxBatch))
	slab := make([]byte, stride*len(list))
	out := make([]*piece, len(list))
	for i := range list {
		p := &list[i]
		p.data = slab[i*stride : i*stride+n : i*stride+n]
		p.id = m.memory.Add(exec.Object{Data: p.data})
		out[i] = p
	}
	return out
}

// How many pieces are made at a time, and of how many bytes together.
const (
	batchBytes = 1 << 14
	maxBatch   = 256
)

// give takes pieces back.
func (m *inlineMemory) give(ps []*piece) {
	if len(ps) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.free == nil {
		m.free = map[int][]*piece{}
	}
	for _, p := range ps {
		if m.kept >= maxInlinePieces {
			m.memory.Remove(p.id)
			continue
		}
		m.kept++
		m.free[len(p.data)] = append(m.free[len(p.data)], p)
	}
}

func (m *inlineMemory) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, list := range m.free {
		for _, p := range list {
			m.memory.Remove(p.id)
		}
	}
	m.free, m.kept = nil, 0
}
