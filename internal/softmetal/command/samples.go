package command

import (
	"encoding/binary"
	"sync"
)

// Samples is a buffer of timestamps, taken at the boundaries of encoders.
type Samples struct {
	mu     sync.Mutex
	values []uint64
}

// NewSamples returns a buffer of n samples. One that has not been taken is 0.
func NewSamples(n int) *Samples { return &Samples{values: make([]uint64, n)} }

// Len returns the number of samples.
func (s *Samples) Len() int { return len(s.values) }

// Set takes a sample, and reports false where the index is none.
func (s *Samples) Set(index, value uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if index >= uint64(len(s.values)) {
		return false
	}
	s.values[index] = value
	return true
}

// Clear forgets n samples from first on, as far as there are any.
func (s *Samples) Clear(first, n uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first < uint64(len(s.values)) {
		clear(s.values[first:min(uint64(len(s.values)), first+n)])
	}
}

// Read returns n samples starting at first, 8 bytes each, or nil if there are not that many.
func (s *Samples) Read(first, n uint64) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if size := uint64(len(s.values)); first > size || n > size-first {
		return nil
	}
	out := make([]byte, 0, 8*n)
	for _, v := range s.values[first : first+n] {
		out = binary.LittleEndian.AppendUint64(out, v)
	}
	return out
}

// sample takes the samples of one boundary of an encoder.
func (p *pass) sample(g *GPU, index func(*Boundary) uint64) error {
	for i := range p.samples {
		s := &p.samples[i]
		if at := index(s); at != DontSample && !s.Samples.Set(at, g.Now()) {
			return failure(CodeInvalidResource, "encoder %q: sample index is %d, the counter sample buffer has %d samples",
				p.label, at, s.Samples.Len())
		}
	}
	return nil
}
