package schedule

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSchedulePermutes: each threadgroup is executed once, in an order that depends on the seed.
func TestSchedulePermutes(t *testing.T) {
	for _, total := range []int64{1, 2, 3, 7, 64, 100, 1025} {
		moved := 0
		for seed := range Seed(20) {
			seen := map[int64]bool{}
			for i := range total {
				n := seed.Threadgroup(i, total)
				assert.False(t, seen[n] || n < 0 || n >= total, "seed %d: %d of %d", seed, n, total)
				seen[n] = true
				if n != i {
					moved++
				}
				if seed == 0 {
					assert.Equal(t, i, n)
				}
			}
		}
		assert.Equal(t, total > 1, moved > 0, "%d threadgroups", total)
	}
}

// TestScheduleOrder: the parts of a threadgroup are permuted, differently after each barrier.
func TestScheduleOrder(t *testing.T) {
	assert.Equal(t, []int{0, 1, 2, 3}, Seed(0).Simdgroups(5, 1, 4, nil))
	orders := map[[8]int]bool{}
	for barriers := range 10 {
		order := Seed(3).Simdgroups(5, barriers, 8, nil)
		assert.ElementsMatch(t, []int{0, 1, 2, 3, 4, 5, 6, 7}, order)
		orders[[8]int(order)] = true
	}
	assert.Greater(t, len(orders), 5)
}
