package command

import (
	"math/bits"
	"sync"

	"github.com/puremetal/puremetal/internal/exec/vm"
)

// inlineMemory keeps the memory of inline bytes. Each piece is an object of its own, so that a kernel that reads on behind its bytes finds
// zeros and not those of others.
type inlineMemory struct {
	memory Memory
	mu     sync.Mutex
	free   [inlineClasses][]*piece
	all    []*piece
}

// Sizes of pieces are powers of two from 64 bytes to 4096, which is the most that setBytes takes.
const (
	firstInline   = 6
	inlineClasses = 7
)

type piece struct {
	id    uint32
	class int
	data  []byte
}

// take returns a piece with a copy of b.
func (m *inlineMemory) take(b []byte) *piece {
	class := max(bits.Len(uint(len(b)-1)), firstInline) - firstInline
	m.mu.Lock()
	defer m.mu.Unlock()
	var p *piece
	if n := len(m.free[class]); n > 0 {
		p = m.free[class][n-1]
		m.free[class] = m.free[class][:n-1]
		copy(p.data, b)
		m.memory.Change(p.id, vm.Object{Data: p.data[:len(b):len(b)]})
		return p
	}
	p = &piece{class: class, data: make([]byte, 1<<(class+firstInline))}
	copy(p.data, b)
	p.id = m.memory.Add(vm.Object{Data: p.data[:len(b):len(b)]})
	m.all = append(m.all, p)
	return p
}

// give takes pieces back.
func (m *inlineMemory) give(ps []*piece) {
	if len(ps) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range ps {
		m.free[p.class] = append(m.free[p.class], p)
	}
}

func (m *inlineMemory) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.all {
		m.memory.Remove(p.id)
	}
	m.all, m.free = nil, [inlineClasses][]*piece{}
}
