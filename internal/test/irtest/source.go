package irtest

import (
	"hash/fnv"
	"math/rand/v2"
)

// Source returns a source for the random choices that make up a kernel: each choice uses a byte of
// data until none are left, then numbers derived from all of data. A fuzzer that changes a byte
// thus changes one choice and its consequences.
func Source(data []byte) rand.Source {
	h := fnv.New64a()
	h.Write(data)
	return &byteSource{data, rand.NewPCG(h.Sum64(), 6)}
}

type byteSource struct {
	data []byte
	rest *rand.PCG
}

// Uint64 returns a number with the byte in both its highest and its lowest eight bits, since
// choices among a few use one or the other.
func (s *byteSource) Uint64() uint64 {
	x := s.rest.Uint64()
	if len(s.data) == 0 {
		return x
	}
	b := uint64(s.data[0])
	s.data = s.data[1:]
	return x&^(0xff<<56|0xff) | b<<56 | b
}
