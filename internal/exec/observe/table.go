package observe

import (
	"math"
	"slices"
)

// table counts numbers. It has room for a fixed number of different ones and counts the others
// together.
type table struct {
	keys  []int64
	sums  []int64 // 0 for a free slot
	used  int
	other int64
}

const (
	tableSlots = 1 << 10
	tableUsed  = tableSlots * 3 / 4
)

// add adds n, which is not 0, to the count of a number.
func (t *table) add(key, n int64) {
	if t.keys == nil {
		t.keys, t.sums = make([]int64, tableSlots), make([]int64, tableSlots)
	}
	i := mix(uint64(key)) % tableSlots
	for t.sums[i] != 0 && t.keys[i] != key {
		i = (i + 1) % tableSlots
	}
	if t.sums[i] == 0 {
		if t.used == tableUsed {
			t.other += n
			return
		}
		t.used++
		t.keys[i] = key
	}
	t.sums[i] += n
}

// merge adds the counts of another table.
func (t *table) merge(o *table) {
	for i, n := range o.sums {
		if n != 0 {
			t.add(o.keys[i], n)
		}
	}
	t.other += o.other
}

// classes counts numbers by class. Which class a number has is random, but always the same.
type classes []int64

const numClasses = 1 << 12

func (c *classes) add(x int64) {
	if *c == nil {
		*c = make(classes, numClasses)
	}
	(*c)[mix(uint64(x))%numClasses]++
}

func (c *classes) merge(o classes) {
	if *c == nil && o != nil {
		*c = make(classes, numClasses)
	}
	for i, n := range o {
		(*c)[i] += n
	}
}

// entropy returns the entropy of the classes in bits, which is at most that of the numbers.
func (c classes) entropy() float64 {
	var all, e float64
	for _, n := range c {
		all += float64(n)
	}
	for _, n := range c {
		if n > 0 {
			p := float64(n) / all
			e -= p * math.Log2(p)
		}
	}
	return max(e, 0)
}

// spread counts how many simdgroups or threadgroups executed a number of instructions.
type spread struct {
	counts  map[int64]int64
	rounded bool
}

// maxSpread is the largest number of different counts that a spread keeps exactly.
const maxSpread = 1 << 14

func (s *spread) add(key, n int64) {
	if s.rounded {
		key = round(key)
	}
	if s.counts == nil {
		s.counts = map[int64]int64{}
	}
	s.counts[key] += n
	if !s.rounded && len(s.counts) > maxSpread {
		s.round()
	}
}

func (s *spread) round() {
	old := s.counts
	s.counts, s.rounded = map[int64]int64{}, true
	for k, n := range old {
		s.counts[round(k)] += n
	}
}

func (s *spread) merge(o *spread) {
	if o.rounded && !s.rounded {
		s.round()
	}
	for k, n := range o.counts {
		s.add(k, n)
	}
}

// round rounds a number down to 8 binary digits.
func round(x int64) int64 {
	shift := 0
	for x>>shift > 0xff {
		shift++
	}
	return x >> shift << shift
}

// quantiles returns the smallest number, the median and the largest.
func (s *spread) quantiles() (low, median, high int64) {
	var keys []int64
	all := int64(0)
	for k, n := range s.counts {
		keys = append(keys, k)
		all += n
	}
	if all == 0 {
		return 0, 0, 0
	}
	slices.Sort(keys)
	seen := int64(0)
	for _, k := range keys {
		if seen += s.counts[k]; 2*seen >= all {
			median = k
			break
		}
	}
	return keys[0], median, keys[len(keys)-1]
}
