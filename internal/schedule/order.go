// Package schedule finds the smallest change of the order of threadgroups and simdgroups that
// changes the results of launches.
//
// A seed permutes the order of everything (see [Seed]). Each threadgroup, and each simdgroup in
// each part of a threadgroup between barriers, is an element, which has a place in the default
// order, which is that of the grid, and another one in the permuted order. [Order] moves some
// elements to their permuted places and leaves the others in the default order, so that the search
// can leave out moves until only those remain that matter.
package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"sync/atomic"
)

// Order is the order of a run's launches, as the device gets it in JSON. The zero Order is the
// default one.
type Order struct {
	Seed     uint64  `json:"seed"`     // of the elements' places in the permuted order
	Launches []Moves `json:"launches"` // by number; of others, nothing moves
}

// Moves are the elements of a launch that move.
type Moves struct {
	Size   Size    `json:"size"`
	Ranges []Range `json:"ranges,omitempty"` // to the places of the seed; sorted, without overlaps
	To     []Place `json:"to,omitempty"`     // to other places
}

// Range is some elements, from the first to before the last.
type Range struct{ First, End int64 }

// Place is where an element moves.
type Place struct{ Element, To int64 }

// Permuted returns the order in which all elements of launches move.
func Permuted(seed uint64, sizes []Size) *Order {
	o := &Order{Seed: seed}
	for i := range sizes {
		o.Launches = append(o.Launches, Moves{Size: sizes[i], Ranges: []Range{{0, sizes[i].elements()}}})
	}
	return o
}

// maxElements bounds the numbers of elements, so that they do not overflow.
const maxElements = 1 << 62

// Check returns an error if the order is not one that Permuted or Smallest could have made.
func (o *Order) Check() error {
	for i := range o.Launches {
		m := &o.Launches[i]
		n := int64(1)
		for _, x := range [...]int{m.Size.Groups[0], m.Size.Groups[1], m.Size.Groups[2], max(m.Size.Simdgroups, 1),
			max(m.Size.Parts, 1) + 1} {
			if x < 1 || m.Size.Simdgroups < 0 || m.Size.Parts < 0 || int64(x) > maxElements/n {
				return fmt.Errorf("launch %d: bad size %+v", i, m.Size)
			}
			n *= int64(x)
		}
		n = m.Size.elements()
		last := int64(0)
		for _, r := range m.Ranges {
			if r.First < last || r.End <= r.First || r.End > n {
				return fmt.Errorf("launch %d: bad range %+v of %d elements", i, r, n)
			}
			last = r.End
		}
		for j, p := range m.To {
			if p.Element < 0 || p.Element >= n || p.To < 0 ||
				slices.ContainsFunc(m.To[:j], func(q Place) bool { return q.Element == p.Element }) {
				return fmt.Errorf("launch %d: bad place %+v of %d elements", i, p, n)
			}
		}
		if len(m.Ranges) > 0 && len(m.To) > 0 {
			return fmt.Errorf("launch %d: both ranges and places", i)
		}
	}
	return nil
}

// Size says which elements a launch has: its threadgroups, and then the simdgroups of each of their
// parts between barriers.
type Size struct {
	Kernel     string `json:"kernel"`
	Groups     [3]int `json:"groups"`
	Simdgroups int    `json:"simdgroups"` // at most, of a threadgroup
	Parts      int    `json:"parts"`      // at most, of a threadgroup
}

// threadgroups returns the number of elements that are threadgroups.
func (s *Size) threadgroups() int64 {
	return int64(s.Groups[0]) * int64(s.Groups[1]) * int64(s.Groups[2])
}

// elements returns the number of all elements.
func (s *Size) elements() int64 {
	if s.Simdgroups < 2 {
		return s.threadgroups()
	}
	return s.threadgroups() * (1 + int64(s.Parts)*int64(s.Simdgroups))
}

// part returns the number of the first simdgroup's element of a part of a threadgroup, -1 if there
// is none.
func (s *Size) part(threadgroup int64, part int) int64 {
	if s.Simdgroups < 2 || part >= s.Parts {
		return -1
	}
	return s.threadgroups() + (threadgroup*int64(s.Parts)+int64(part))*int64(s.Simdgroups)
}

// siblings returns the elements that an element can change places with, itself among them: the
// first one, and how many there are.
func (s *Size) siblings(element int64) (first, n int64) {
	if n = s.threadgroups(); element < n {
		return 0, n
	}
	return element - (element-n)%int64(s.Simdgroups), int64(s.Simdgroups)
}

// position returns which threadgroup an element is, or a simdgroup of which part of which one.
func (s *Size) position(element int64) (threadgroup [3]int, part, simdgroup int) {
	simdgroup = -1
	if n := s.threadgroups(); element >= n {
		element -= n
		simdgroup, element = int(element%int64(s.Simdgroups)), element/int64(s.Simdgroups)
		part, element = int(element%int64(s.Parts)), element/int64(s.Parts)
	}
	x, y := int64(s.Groups[0]), int64(s.Groups[1])
	return [3]int{int(element % x), int(element / x % y), int(element / x / y)}, part, simdgroup
}

// places returns the places that a seed gives to an element and its siblings.
func (s *Size) places(seed Seed, element int64) []int64 {
	first, n := s.siblings(element)
	list := make([]int64, n)
	if first == 0 {
		for i := range n {
			list[seed.Threadgroup(i, n)] = i
		}
		return list
	}
	i := (first - s.threadgroups()) / n
	for place, x := range seed.Simdgroups(i/int64(s.Parts), int(i%int64(s.Parts)), int(n), nil) {
		list[x] = int64(place)
	}
	return list
}

// Launch is the order of one launch, an exec.Schedule. It notes the launch's size.
type Launch struct {
	size       Size // without the two:
	simdgroups atomic.Int64
	parts      atomic.Int64

	seed  Seed
	moves Moves
	order []int64 // of threadgroups; nil for the default order
	ready bool
}

// Launch returns the order of launch number n, whose kernel and threadgroups are for Size.
func (o *Order) Launch(n int, kernel string, groups [3]int) *Launch {
	l := &Launch{size: Size{Kernel: kernel, Groups: groups}, seed: seedOf(o.Seed, n)}
	if n < len(o.Launches) {
		l.moves = o.Launches[n]
	}
	return l
}

// Size returns the launch's size, which is complete once the launch has ended.
func (l *Launch) Size() Size {
	s := l.size
	s.Simdgroups, s.Parts = int(l.simdgroups.Load()), int(l.parts.Load())
	return s
}

// seedOf returns the seed of a launch. It is not 0, which would be the default order.
func seedOf(seed uint64, launch int) Seed {
	return Seed(seed*0x9e3779b97f4a7c15 + uint64(launch) | 1<<63)
}

// Threadgroup implements exec.Schedule.
func (l *Launch) Threadgroup(i, total int64) int64 {
	m := &l.moves
	switch {
	case m.Size.threadgroups() != total: // the launch is another one than in the first run
		return i
	case len(m.To) == 0 && len(m.Ranges) == 1 && m.Ranges[0].First == 0 && m.Ranges[0].End >= total:
		return l.seed.Threadgroup(i, total) // in little memory, as all of them move
	case !l.ready:
		l.ready, l.order = true, arrange(total, m.places(l.seed, 0, total))
	}
	if l.order == nil {
		return i
	}
	return l.order[i]
}

// Simdgroups implements exec.Schedule.
func (l *Launch) Simdgroups(threadgroup int64, barriers, n int, order []int) []int {
	if int64(n) > l.simdgroups.Load() { // one worker calls the method
		l.simdgroups.Store(int64(n))
	}
	if int64(barriers) >= l.parts.Load() {
		l.parts.Store(int64(barriers) + 1)
	}
	order = inOrder(n, order)
	m := &l.moves
	if first := m.Size.part(threadgroup, barriers); first >= 0 && threadgroup < m.Size.threadgroups() {
		for i, x := range arrange(int64(n), m.places(l.seed, first, int64(n))) {
			order[i] = int(x)
		}
	}
	return order
}

// places returns where n elements from first on move, as numbers from first.
func (m *Moves) places(seed Seed, first, n int64) (list []Place) {
	var to []int64
	i := sort.Search(len(m.Ranges), func(i int) bool { return m.Ranges[i].End > first })
	for _, r := range m.Ranges[i:] {
		if r.First >= first+n {
			break
		}
		if to == nil {
			to = m.Size.places(seed, first)
		}
		for e := max(r.First-first, 0); e < min(r.End-first, n); e++ {
			list = append(list, Place{e, to[e]})
		}
	}
	for _, p := range m.To {
		if p.Element >= first && p.Element < first+n {
			list = append(list, Place{p.Element - first, p.To})
		}
	}
	return list
}

// arrange returns the numbers from 0 to n-1 with some of them moved, nil if none are. What moves to
// an earlier place comes just before the number that has it by default, what moves to a later one
// just behind it.
func arrange(n int64, moves []Place) []int64 {
	if len(moves) == 0 {
		return nil
	}
	behind := func(p Place) bool { return p.Element < p.To }
	slices.SortFunc(moves, func(a, b Place) int {
		c := cmp.Compare(a.To, b.To)
		if c == 0 && behind(a) != behind(b) {
			if c = -1; behind(a) {
				c = 1
			}
		}
		return cmp.Or(c, cmp.Compare(a.Element, b.Element))
	})
	moved := make([]bool, n)
	for _, p := range moves {
		moved[p.Element] = true
	}
	order := make([]int64, 0, n)
	for i := range n {
		if moved[i] {
			continue
		}
		for len(moves) > 0 && (moves[0].To < i || moves[0].To == i && !behind(moves[0])) {
			order = append(order, moves[0].Element)
			moves = moves[1:]
		}
		order = append(order, i)
	}
	for _, p := range moves {
		order = append(order, p.Element)
	}
	return order
}
