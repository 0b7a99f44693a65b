package dialects

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestOpenCLSubGroups runs 72 work-items in groups of 40: the sub-groups have 32, 8 and, in the
// last group, 32 work-items.
func TestOpenCLSubGroups(t *testing.T) {
	m := compileFile(t, "opencl/subgroups.cl")
	const n, group = 72, 40
	in := make([]int32, n)
	for i := range in {
		in[i] = int32((i*37 + 11) % 101)
	}
	first := func(i int) int { return i/group*group + i%group&^31 }
	size := func(i int) int { return min(32, min(n, i/group*group+group)-first(i)) }

	places := make([]uint32, n*8)
	run(t, m, "places", line(n, group), places)
	reduce, moves := make([]int32, n*16), make([]int32, n*8)
	run(t, m, "reduce", line(n, group), reduce, in)
	run(t, m, "moves", line(n, group), moves, in)
	ballots := make([]uint32, n*12)
	run(t, m, "ballots", line(n, group), ballots, in)
	for i := range n {
		all := in[first(i) : first(i)+size(i)]
		lane, s := i-first(i), size(i)
		items, groups := 40, 2
		if i >= group {
			items, groups = 32, 1
		}
		assert.Equal(t, []uint32{uint32(s), uint32(groups), uint32(i % group / 32), uint32(lane), 32, uint32(items), 40,
			2}, places[i*8:i*8+8], "work-item %d", i)

		sum := func(list []int32) (s int32) {
			for _, v := range list {
				s += v
			}
			return s
		}
		lower, upper := int32(math.MaxInt32), int32(math.MinInt32)
		if lane > 0 {
			lower, upper = slices.Min(all[:lane]), slices.Max(all[:lane])
		}
		or, and, xor := int32(0), int32(-1), int32(0)
		votes := int32(2)
		odd := uint32(0)
		for k, v := range all {
			or, and, xor = or|v, and&v, xor^v
			if v >= 90 {
				votes &^= 2
			}
			if v < 5 {
				votes |= 1
			}
			odd |= uint32(v&1) << k
		}
		two := int32(2)
		if lane == 0 {
			two = math.MaxInt32 // infinity saturates
		}
		assert.Equal(t, []int32{sum(all), slices.Min(all), slices.Max(all), sum(all[:lane+1]), sum(all[:lane]),
			slices.Min(all[:lane+1]), lower, slices.Max(all[:lane+1]), upper, all[5], votes, or, and, xor,
			sum(all[lane&^3 : lane&^3+4]), slices.Max(all[:lane+1]) - two}, reduce[i*16:i*16+16], "work-item %d", i)

		up, down := int32(-1), int32(-1)
		if lane > 0 {
			up = all[lane-1]
		}
		if lane < s-1 {
			down = all[lane+1]
		}
		before, after := all[(lane+s-3)%s]+1000, all[(lane+3)%s]
		if lane < 3 {
			before -= 1000
		}
		if lane+3 >= s {
			after += 1000
		}
		assert.Equal(t, []int32{all[s-1-lane], all[lane^1], up, down, before, after, all[2], all[(lane+1)%s]},
			moves[i*8:i*8+8], "work-item %d", i)

		whole := uint32(1)<<s - 1
		le := uint32(uint64(2)<<lane - 1)
		eq := uint32(1) << lane
		assert.Equal(t, []uint32{odd, 0, uint32(bits.OnesCount32(odd)), uint32(bits.OnesCount32(odd & le)),
			uint32(bits.OnesCount32(odd & (eq - 1))), uint32(bits.TrailingZeros32(odd)), uint32(bits.Len32(odd) - 1),
			uint32(all[lane] & 1), odd >> 3 & 1, whole &^ (eq - 1), whole | le, le}, ballots[i*12:i*12+12],
			"work-item %d", i)
	}

	u, out := make([]uint32, 2*n), make([]uint32, 2*n)
	for i := range u {
		u[i] = uint32(i * i)
	}
	run(t, m, "blocks", line(n, group), out, u)
	for i := range n {
		base, lane, s := first(i), i-first(i), size(i)
		assert.Equal(t, u[2*base+s+lane], out[2*base+lane], "work-item %d", i)
		assert.Equal(t, u[base+lane], out[2*base+s+lane], "work-item %d", i)
	}
	count, sums := []int32{0}, []uint32{0, 7}
	run(t, m, "flags", line(4, 1), []int32{0}, count, sums, int32(-3))
	assert.Equal(t, []int32{-12}, count)
	assert.Equal(t, []uint32{1<<32 - 12, 1<<32 - 3}, sums)
}
