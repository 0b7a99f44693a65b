package exec

import (
	"math/bits"
	"math/rand/v2"
)

// Schedule is an order of a launch's threadgroups, and of the simdgroups of each between barriers.
// Results of a correct kernel do not depend on it. 0 is the engine's own order, with several
// workers at a time; any other number is the seed of a permutation, by which one worker executes
// the launch, so that the same number gives the same results.
type Schedule uint64

// threadgroup returns the number of the threadgroup that is executed as number i of total.
func (s Schedule) threadgroup(i, total int64) int64 {
	if s == 0 || total < 2 {
		return i
	}
	// A Feistel network permutes the numbers of an even number of bits. What is no threadgroup goes
	// through it again, until it is one.
	half := (bits.Len64(uint64(total-1)) + 1) / 2
	mask := uint64(1)<<half - 1
	x := uint64(i)
	for {
		left, right := x>>half, x&mask
		for round := range uint64(4) {
			left, right = right, left^mix(right+mix(uint64(s)+round))&mask
		}
		if x = left<<half | right; x < uint64(total) {
			return int64(x)
		}
	}
}

// mix is a hash of a number.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Order returns the order in which the n parts of a threadgroup go on after some barriers. It keeps
// it in the memory of an earlier order.
func (s Schedule) Order(number int64, barriers, n int, order []int) []int {
	order = order[:0]
	for i := range n {
		order = append(order, i)
	}
	if s != 0 && n > 1 {
		r := rand.New(rand.NewPCG(uint64(s), mix(uint64(number))+uint64(barriers)))
		r.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return order
}
