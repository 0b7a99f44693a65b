package schedule

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/sanitizer"
)

// executed is what an order has a run do: positions of threadgroups by launch, and the simdgroups
// of their parts.
type executed struct {
	groups [][]int64
	simds  map[[3]int][]int // by launch, threadgroup and part
}

func execute(o *Order, sizes []Size) executed {
	x := executed{simds: map[[3]int][]int{}}
	for n, s := range sizes {
		l := o.Launch(n, s.Kernel, s.Groups)
		var groups []int64
		total := s.threadgroups()
		for i := range total {
			g := l.Threadgroup(i, total)
			groups = append(groups, g)
			for part := range s.Parts {
				x.simds[[3]int{n, int(g), part}] = l.Simdgroups(g, part, s.Simdgroups, nil)
			}
		}
		x.groups = append(x.groups, groups)
	}
	return x
}

var sizes = []Size{
	{"a", [3]int{40, 5, 1}, 1, 1},
	{"b", [3]int{8, 2, 2}, 8, 3},
}

// TestPermuted: each threadgroup and each simdgroup runs once, in an order that depends on the
// seed; without moves, it is the default one, and the launches note their sizes.
func TestPermuted(t *testing.T) {
	none := execute(&Order{}, sizes)
	assert.True(t, slices.IsSorted(none.groups[0]))
	for seed := range uint64(5) {
		o := Permuted(seed, sizes)
		require.NoError(t, o.Check())
		x := execute(o, sizes)
		for i, list := range x.groups {
			assert.NotEqual(t, none.groups[i], list)
			assert.ElementsMatch(t, none.groups[i], list)
		}
		moved := 0
		for k, list := range x.simds {
			assert.ElementsMatch(t, none.simds[k], list)
			if !slices.Equal(none.simds[k], list) {
				moved++
			}
		}
		assert.Greater(t, moved, 80) // of 96 parts with several simdgroups
	}
	l := (&Order{}).Launch(0, "b", [3]int{8, 2, 2})
	l.Simdgroups(0, 2, 8, nil)
	assert.Equal(t, sizes[1], l.Size())
}

// TestSmallest: of a difference that depends on the order of two elements, their exchange is found,
// whatever the seed and whatever lies between them.
func TestSmallest(t *testing.T) {
	before := func(list []int64, a, b int64) bool { return slices.Index(list, a) < slices.Index(list, b) }
	for _, c := range []struct {
		differs func(executed) bool
		want    []string // one of them
	}{
		{func(x executed) bool { return x.groups[0][199] != 199 }, []string{"threadgroup (39,4,0) before (38,4,0)"}},
		{func(x executed) bool { return x.groups[0][0] != 0 }, []string{"threadgroup (1,0,0) before (0,0,0)"}},
		{func(x executed) bool { return before(x.groups[0], 8, 3) },
			[]string{"threadgroup (8,0,0) before (3,0,0)", "threadgroup (3,0,0) after (8,0,0)"}},
		{func(x executed) bool { return before(x.groups[1], 17, 16) },
			[]string{"threadgroup (1,0,1) before (0,0,1)"}},
		{func(x executed) bool { return x.simds[[3]int{1, 9, 2}][0] != 0 },
			[]string{"simdgroup 1 before 0 of threadgroup (1,1,0), after barrier 2"}},
		{func(x executed) bool { return x.simds[[3]int{1, 0, 0}][7] != 7 },
			[]string{"simdgroup 7 before 6 of threadgroup (0,0,0), before the first barrier"}},
	} {
		found := 0
		for seed := range uint64(20) {
			if !c.differs(execute(Permuted(seed, sizes), sizes)) {
				continue
			}
			found++
			runs := 0
			moves, why, err := Smallest(seed, sizes, 300, func(o *Order) (bool, error) {
				runs++
				require.NoError(t, o.Check())
				return c.differs(execute(o, sizes)), nil
			})
			require.NoError(t, err)
			assert.Empty(t, why)
			require.Len(t, moves, 1, "seed %d, %v", seed, c.want)
			assert.Contains(t, c.want, moves[0].String(), "seed %d", seed)
			assert.Less(t, runs, 100)
		}
		assert.Positive(t, found)
	}
}

// TestSmallestOfSeveral: where two moves are needed, both are found; the launch is told.
func TestSmallestOfSeveral(t *testing.T) {
	differs := func(x executed) bool { return x.groups[0][199] != 199 && x.groups[1][0] != 0 }
	require.True(t, differs(execute(Permuted(3, sizes), sizes)))
	moves, why, err := Smallest(3, sizes, 300,
		func(o *Order) (bool, error) { return differs(execute(o, sizes)), nil })
	require.NoError(t, err)
	assert.Empty(t, why)
	assert.Equal(t, []sanitizer.Move{
		{Launch: 1, Kernel: "a", Threadgroup: [3]int{39, 4, 0}, Simdgroup: -1, Before: true,
			OtherThreadgroup: [3]int{38, 4, 0}, OtherSimdgroup: -1},
		{Launch: 2, Kernel: "b", Threadgroup: [3]int{1, 0, 0}, Simdgroup: -1, Before: true, OtherSimdgroup: -1},
	}, moves)
}

// TestSmallestGivesUp: a search that cannot succeed says why, and ends with the first error.
func TestSmallestGivesUp(t *testing.T) {
	moves, why, err := Smallest(1, sizes, 300, func(*Order) (bool, error) { return false, nil })
	require.NoError(t, err)
	assert.Empty(t, moves)
	assert.Contains(t, why, "they depend on more than the order")

	moves, why, err = Smallest(1, sizes, 300, func(*Order) (bool, error) { return true, nil })
	require.NoError(t, err)
	assert.Empty(t, moves)
	assert.Contains(t, why, "in the default order again")

	last := func(o *Order) (bool, error) { return execute(o, sizes).groups[0][199] != 199, nil }
	moves, why, err = Smallest(1, sizes, 4, last)
	require.NoError(t, err)
	assert.NotEmpty(t, why)
	for _, m := range moves {
		assert.Equal(t, "a", m.Kernel)
	}

	runs := 0
	failed := errors.New("failed")
	_, _, err = Smallest(1, sizes, 300, func(o *Order) (bool, error) {
		if runs++; runs == 5 {
			return true, failed
		}
		return last(o)
	})
	require.ErrorIs(t, err, failed)
	assert.Equal(t, 5, runs)

	_, why, err = Smallest(1, []Size{{"k", [3]int{1 << 30, 1, 1}, 1, 1}}, 300, nil)
	require.NoError(t, err)
	assert.Contains(t, why, "4194304 threadgroups")
}

// TestCheck: orders that would overflow or move nothing that there is are refused.
func TestCheck(t *testing.T) {
	ok := Size{"k", [3]int{4, 1, 1}, 2, 2}
	require.NoError(t, (&Order{Launches: []Moves{{Size: ok, To: []Place{{3, 0}}}}}).Check())
	for _, m := range []Moves{
		{},
		{Size: Size{"k", [3]int{1 << 40, 1 << 40, 1}, 2, 2}},
		{Size: Size{"k", [3]int{1, -1, 1}, 2, 2}},
		{Size: Size{"k", [3]int{1, 1, 1}, -2, 2}},
		{Size: ok, Ranges: []Range{{0, 21}}},
		{Size: ok, Ranges: []Range{{2, 3}, {1, 4}}},
		{Size: ok, To: []Place{{20, 0}}},
		{Size: ok, To: []Place{{1, -1}}},
		{Size: ok, To: []Place{{1, 0}, {1, 2}}},
	} {
		assert.Error(t, (&Order{Launches: []Moves{m}}).Check(), "%+v", m)
	}
}
