package observe

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// makeVector returns a vector of the addresses of some lanes.
func makeVector(size uint64, lane []int, addrs []uint64) *vector {
	v := &vector{n: len(addrs), size: size}
	for i, a := range addrs {
		v.addrs[i], v.lane[i] = a, uint8(lane[i])
	}
	v.classify()
	return v
}

// naive counts blocks one by one.
func naive(size uint64, addrs []uint64, shift uint) map[uint64]bool {
	set := map[uint64]bool{}
	for _, a := range addrs {
		for b := a; b < a+size; b++ {
			set[b>>shift] = true
		}
	}
	return set
}

// TestBlocks compares the counts of blocks, banks and meetings with those by the definition, over
// addresses of all patterns and any set of lanes.
func TestBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[pattern]int{}
	for range 6000 {
		size := []uint64{1, 2, 4, 8, 12, 16, 48}[r.IntN(7)]
		base := uint64(7)<<40 + uint64(1<<20+r.IntN(500))
		stride := []int64{0, int64(size), -int64(size), 64, 128, 256, int64(r.IntN(300) - 150)}[r.IntN(7)]
		width, pitch := []int{lanes, 2, 4, 8, 16}[r.IntN(5)], int64(r.IntN(4000)-2000)
		active := r.Uint32()
		switch r.IntN(8) {
		case 0, 1, 2, 3:
			active = 1<<32 - 1
		case 4:
			active = 1 << r.IntN(lanes)
		}
		scatter := r.IntN(3) == 0
		var lane []int
		var addrs []uint64
		for l := range lanes {
			a := base + uint64(stride*int64(l%width)+pitch*int64(l/width))
			if scatter {
				a = base + uint64(r.IntN(2000))
			}
			if active>>l&1 != 0 {
				lane, addrs = append(lane, l), append(addrs, a)
			}
		}
		if len(addrs) == 0 {
			continue
		}
		v := makeVector(size, lane, addrs)
		seen[v.shape.pattern]++
		require.EqualValues(t, len(naive(size, addrs, 0)), v.distinct(), "size %d, %v", size, addrs)
		var m measured
		m.set(v, linePeriod)
		for i, n := range m.lines {
			require.EqualValues(t, len(naive(size, addrs, uint(sectorShift+i))), n, "%d, size %d, %v", i, size, addrs)
		}
		require.Equal(t, naive(size, addrs, sectorShift), blocksOf(t, m.runs))
		require.Equal(t, naive(size, addrs, lineShift), blocksOf(t, m.long))
		for _, shift := range []uint{0, 2, 5, 6, 7} {
			want := naive(size, addrs, shift)
			have := map[uint64]bool{}
			v.eachRun(shift, func(first, last uint64) {
				for b := first; b <= last; b++ {
					require.False(t, have[b], "block %d twice", b)
					have[b] = true
				}
			})
			require.Equal(t, want, have)
		}
		inBank, most := map[uint64]int64{}, int64(0)
		for w := range naive(size, addrs, 2) {
			inBank[w%lanes]++
			most = max(most, inBank[w%lanes])
		}
		require.Equal(t, most, v.banks())
		meets, most := map[uint64]int64{}, int64(0)
		for _, a := range addrs {
			meets[a]++
			most = max(most, meets[a])
		}
		require.Equal(t, most, v.meeting(func(a uint64, n int64) {
			require.Equal(t, meets[a], n)
			delete(meets, a)
		}))
		require.Empty(t, meets)
	}
	for p := range patterns {
		assert.Greater(t, seen[p], 50, "pattern %d", p)
	}
}

// blocksOf returns the blocks of runs.
func blocksOf(t *testing.T, runs []run) map[uint64]bool {
	set := map[uint64]bool{}
	for _, r := range runs {
		for b := r.first; b < r.first+r.n; b++ {
			require.False(t, set[b], "block %d twice", b)
			set[b] = true
		}
	}
	return set
}

// TestMeasured: figures that are kept for a vector that has moved are those of the vector.
func TestMeasured(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, period := range []uint64{wordPeriod, linePeriod} {
		var m measured
		var v vector
		kept := 0
		for range 5000 {
			if r.IntN(2) == 0 || v.n == 0 {
				v = vector{n: 1 + r.IntN(2*lanes), size: uint64(1 << r.IntN(4))}
				base := uint64(3)<<40 + uint64(1<<20+4*r.IntN(1000))
				for i := range v.n {
					v.addrs[i], v.lane[i] = base+uint64(r.IntN(3)*i*4), uint8(i)
				}
			} else { // the same, elsewhere
				v = vector{n: v.n, size: v.size, addrs: v.addrs, lane: v.lane}
				by := []uint64{0, 1, 4, 32, 128, 1 << 12, ^uint64(127)}[r.IntN(7)]
				for i := range v.n {
					v.addrs[i] += by
				}
				switch r.IntN(8) {
				case 0:
					v.lane[v.n-1]++
				case 1:
					v.addrs[v.n-1] += 4
				case 2:
					v.size *= 2
				}
			}
			if _, ok := m.moved(&v, period); ok && m.v.n > 0 {
				kept++
			}
			probe := v
			by := m.measure(&probe, period)
			var fresh measured
			probe = v
			fresh.set(&probe, period)
			require.Equal(t, fresh.v.shape, m.v.shape)
			require.Equal(t, fresh.v.first, m.v.first+by)
			require.Equal(t, v.addrs[v.n-1], m.v.addrs[v.n-1]+by)
			require.Equal(t, fresh.unique, m.unique)
			require.Equal(t, fresh.passes, m.passes)
			require.Equal(t, fresh.lines, m.lines)
			require.Equal(t, len(fresh.runs), len(m.runs))
			for i, x := range fresh.runs {
				require.Equal(t, x, run{m.runs[i].first + uint64(int64(by)>>sectorShift), m.runs[i].n})
			}
			require.Equal(t, len(fresh.long), len(m.long))
			for i, x := range fresh.long {
				require.Equal(t, x, run{m.long[i].first + uint64(int64(by)>>lineShift), m.long[i].n})
			}
		}
		assert.Greater(t, kept, 200)
	}
}

// TestClassify has an example of each pattern.
func TestClassify(t *testing.T) {
	all := make([]int, lanes)
	for l := range all {
		all[l] = l
	}
	at := func(f func(l int) int) (addrs []uint64) {
		for l := range lanes {
			addrs = append(addrs, uint64(1<<40+4096+f(l)))
		}
		return addrs
	}
	for _, c := range []struct {
		name    string
		lane    []int
		addrs   []uint64
		pattern pattern
		stride  int64
	}{
		{"one address", all, at(func(int) int { return 8 }), broadcast, 0},
		{"floats in a row", all, at(func(l int) int { return 4 * l }), sequential, 4},
		{"floats backwards", all, at(func(l int) int { return -4 * l }), strided, -4},
		{"a member of a structure", all, at(func(l int) int { return 12 * l }), strided, 12},
		{"8 by 4 of a picture", all, at(func(l int) int { return 4*(l%8) + 1024*(l/8) }), tiled, 4},
		{"a row of A for each half", all, at(func(l int) int { return 512 * (l / 16) }), tiled, 0},
		{"squares", all, at(func(l int) int { return 4 * l * l }), random, 0},
		{"rows of 3", all, at(func(l int) int { return 4*(l%3) + 1024*(l/3) }), random, 0},
		{"every third lane in a row", []int{0, 3, 6}, []uint64{4096, 4108, 4120}, sequential, 4},
		{"lanes that are not in a row", []int{0, 1, 6}, []uint64{4096, 4100, 4104}, random, 0},
		{"one lane", []int{5}, []uint64{4096}, single, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := makeVector(4, c.lane, c.addrs)
			assert.Equal(t, c.pattern, v.shape.pattern)
			assert.Equal(t, c.stride, v.shape.stride)
		})
	}
}

// TestReuse compares reuse distances with those of a list in the order of last access.
func TestReuse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var m reuse
	var want reuse
	for _, lines := range []int{1, 10, 3000, 10000} { // the last ones need more than one tree
		m.begin()
		var list []uint64 // last accessed last
		for range 12000 {
			line := uint64(r.IntN(lines))
			if r.IntN(2) == 0 {
				line = uint64(r.IntN(min(lines, 20)))
			}
			m.access(line)
			at := -1
			for i := len(list) - 1; i >= 0; i-- {
				if list[i] == line {
					at = i
					break
				}
			}
			if at < 0 {
				want.first++
			} else {
				n := len(list) - 1 - at
				b := 0
				for ; n > 0; n >>= 1 {
					b++
				}
				want.again[b]++
				list = append(list[:at], list[at+1:]...)
			}
			list = append(list, line)
		}
	}
	assert.Equal(t, want.first, m.first)
	assert.Equal(t, want.again, m.again)
	assert.Greater(t, len(m.tree), reuseTimes+1, "the tree has grown")
}

// TestSample: a sample has as many threadgroups as it shall, spread over the grid; another seed
// selects others.
func TestSample(t *testing.T) {
	for _, c := range []struct{ total, n, want int64 }{{10, 0, 10}, {10, 20, 10}, {10, 10, 10}, {10, 3, 3}, {1000, 7, 7},
		{1, 1, 1}, {17, 16, 16}} {
		s := newSample(c.total, c.n, 1)
		n := int64(0)
		for i := range c.total {
			if s.has(i) {
				n++
				assert.Equal(t, n-1, i*c.want/c.total, "number %d of %+v is not in its part", i, c)
			}
		}
		assert.Equal(t, c.want, n, c)
	}
	a, b := newSample(1000, 10, 1), newSample(1000, 10, 2)
	differ := false
	for i := range int64(1000) {
		differ = differ || a.has(i) != b.has(i)
	}
	assert.True(t, differ)
}

// TestTable: numbers beyond the table's room are counted together.
func TestTable(t *testing.T) {
	var x table
	for i := range int64(2 * tableSlots) {
		x.add(i, 2)
	}
	assert.EqualValues(t, 2*(2*tableSlots-tableUsed), x.other)
	assert.Equal(t, tableUsed, x.used)
	var y table
	y.add(5, 1)
	y.add(-5, 2)
	y.merge(&x)
	assert.EqualValues(t, x.other+2, y.other, "there is room for all but one of the numbers of x")
}

// TestEntropy: equal numbers have none, n different ones log2(n) bits, up to collisions.
func TestEntropy(t *testing.T) {
	var c, none classes
	assert.Zero(t, none.entropy())
	for range 100 {
		c.add(7)
	}
	assert.Zero(t, c.entropy())
	c = nil
	for i := range int64(256) {
		c.add(i * 12)
	}
	assert.InDelta(t, 8, c.entropy(), 0.1)
	before := c.entropy()
	none.merge(c)
	none.merge(c)
	assert.InDelta(t, before, none.entropy(), 1e-9)
}

// TestSpread: quantiles are exact, and rounded if there are very many different numbers.
func TestSpread(t *testing.T) {
	var s spread
	for i := range int64(100) {
		s.add(1000+i, 1)
	}
	low, median, high := s.quantiles()
	assert.Equal(t, []int64{1000, 1049, 1099}, []int64{low, median, high})
	assert.False(t, s.rounded)
	for i := range int64(maxSpread) {
		s.add(100000+i, 1)
	}
	assert.True(t, s.rounded)
	_, _, high = s.quantiles()
	assert.Equal(t, round(100000+maxSpread-1), high)
	assert.LessOrEqual(t, len(s.counts), 1000)
}
