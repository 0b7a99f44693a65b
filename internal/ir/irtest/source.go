package irtest

import (
	"hash/fnv"
	"math/rand/v2"
)

// Source returns a source of the choices that make a kernel: a byte of data for each, as long as
// there are any, then numbers that follow from all of data. A fuzzer that changes a byte changes
// one choice, and what comes of it.
func Source(data []byte) rand.Source {
	h := fnv.New64a()
	h.Write(data)
	return &byteSource{data, rand.NewPCG(h.Sum64(), 6)}
}

type byteSource struct {
	data []byte
	rest *rand.PCG
}

// Uint64 returns a number of which the byte is the first and the last eight bits: choices among a
// few take one or the other.
func (s *byteSource) Uint64() uint64 {
	x := s.rest.Uint64()
	if len(s.data) == 0 {
		return x
	}
	b := uint64(s.data[0])
	s.data = s.data[1:]
	return x&^(0xff<<56|0xff) | b<<56 | b
}
