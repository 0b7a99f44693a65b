package emit

import (
	"encoding/binary"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
)

// contextMemory is the memory of the context: constants, and where code keeps what has no register.
// It implements amd64.Memory.
type contextMemory struct {
	*plan.Plan // which says how much of it is in use
	words      map[uint64]int32
	vectors    map[[plan.MaxWidth]int32]int32
	constants  []Constant
	unset      []uint64 // memory for constants to come
}

func newContextMemory(p *plan.Plan) *contextMemory {
	return &contextMemory{Plan: p, words: map[uint64]int32{}, vectors: map[[plan.MaxWidth]int32]int32{}}
}

// VectorOf implements amd64.Memory.
func (m *contextMemory) VectorOf(x [plan.MaxWidth]int32) amd64.Operand { return ctx(m.vector(x)) }

// MaskPlace implements amd64.Memory.
func (m *contextMemory) MaskPlace() amd64.Operand { return ctx(m.Alloc(4*m.Width, 32)) }

// Fail implements amd64.Memory.
func (m *contextMemory) Fail(format string, args ...any) { plan.Fail(format, args...) }

// ctx returns a place in the context.
func ctx(off int32) amd64.Operand { return amd64.At(ctxReg, off) }

// word returns the place of a constant of 8 bytes.
func (m *contextMemory) word(x uint64) int32 {
	at, ok := m.words[x]
	if !ok {
		at = m.Alloc(8, 8)
		m.words[x] = at
		m.addConstants(at, 1)[0] = x
	}
	return at
}

// addConstants adds n words, for the caller to set, to what the context has from the start.
func (m *contextMemory) addConstants(at int32, n int) (words []uint64) {
	const enough = 64 // for most ranges
	if n > len(m.unset) {
		m.unset = make([]uint64, max(n, enough))
	}
	words, m.unset = m.unset[:n:n], m.unset[n:]
	m.constants = append(m.constants, Constant{at, words})
	return words
}

// constant32 returns a constant that all lanes of 4 bytes share.
func (m *contextMemory) constant32(x uint32) amd64.Operand {
	return m.constant64(uint64(x) | uint64(x)<<32)
}

// constant64 returns a constant that all lanes of 8 bytes share. Where instructions cannot
// broadcast, it is a whole vector.
func (m *contextMemory) constant64(x uint64) amd64.Operand {
	if m.Width == plan.MaxWidth {
		return ctx(m.word(x)).Broadcast()
	}
	var v [plan.MaxWidth]int32
	for i := 0; i < m.Width; i += 2 {
		v[i], v[i+1] = int32(uint32(x)), int32(uint32(x>>32))
	}
	return ctx(m.vector(v))
}

// vector returns the place of a constant vector of numbers of 32 bits.
func (m *contextMemory) vector(x [plan.MaxWidth]int32) int32 {
	at, ok := m.vectors[x]
	if !ok {
		at = m.Alloc(4*m.Width, 64)
		m.vectors[x] = at
		for i, words := 0, m.addConstants(at, m.Width/2); i < len(words); i++ {
			words[i] = uint64(uint32(x[2*i])) | uint64(uint32(x[2*i+1]))<<32
		}
	}
	return at
}

// bytes returns the place of constant bytes, a multiple of 8 of them.
func (m *contextMemory) bytes(x []byte) int32 {
	at := m.Alloc(len(x), 8)
	for i, words := 0, m.addConstants(at, len(x)/8); i < len(words); i++ {
		words[i] = binary.LittleEndian.Uint64(x[8*i:])
	}
	return at
}
