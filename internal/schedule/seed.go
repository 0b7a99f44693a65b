package schedule

import (
	"math/bits"
	"math/rand/v2"
)

// Seed is an exec.Schedule that permutes everything at random; Seed(0) is the default order.
type Seed uint64

// Threadgroup implements exec.Schedule.
func (s Seed) Threadgroup(i, total int64) int64 {
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

// Simdgroups implements exec.Schedule.
func (s Seed) Simdgroups(threadgroup int64, barriers, n int, order []int) []int {
	order = inOrder(n, order)
	if s != 0 && n > 1 {
		r := rand.New(rand.NewPCG(uint64(s), mix(uint64(threadgroup))+uint64(barriers)))
		r.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return order
}

// inOrder returns the numbers from 0 to n-1, in the memory of an earlier order.
func inOrder(n int, order []int) []int {
	order = order[:0]
	for i := range n {
		order = append(order, i)
	}
	return order
}
