package schedule

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/sanitizer"
)

// MaxThreadgroups is how many threadgroups the launches of a search may have.
const MaxThreadgroups = 1 << 22

// search looks for the smallest set of moves.
type search struct {
	seed  uint64
	sizes []Size
	first []int64 // number of each launch's first element among those of all launches
	total int64
	test  func(*Order) (bool, error)
	runs  int // left
	err   error
}

// Smallest returns moves of which none can be left out or made shorter, and with which the results
// still differ from those of the default order, as they do with everything moved to the places of a
// seed. sizes are the sizes of the run's launches, and differs runs them in an order. It is called
// at most some number of times; if that does not suffice, or nothing can be found, why says so.
func Smallest(seed uint64, sizes []Size, runs int, differs func(*Order) (bool, error)) (list []sanitizer.Move,
	why string, err error) {
	s := &search{seed: seed, sizes: sizes, test: differs, runs: runs}
	groups := int64(0)
	for i := range sizes {
		s.first = append(s.first, s.total)
		s.total += sizes[i].elements()
		if groups += sizes[i].threadgroups(); groups > MaxThreadgroups {
			return nil, fmt.Sprintf("no smaller difference is looked for in more than %d threadgroups",
				MaxThreadgroups), nil
		}
	}
	if s.differs(&Order{}) {
		return nil, "in the default order again, the results differ, too: they depend on more than the order", nil
	}
	set := s.start()
	switch {
	case set == nil && s.err == nil && s.runs > 0:
		return nil, "in the same order again, the results do not differ: they depend on more than the order", nil
	case set == nil:
		return nil, s.exhausted(), s.err
	}
	set = s.reduce(set)
	if n := count(set); n > maxMoves && s.err == nil {
		return nil, fmt.Sprintf("%d threadgroups and simdgroups must move; at most %d are listed", n, maxMoves), nil
	}
	moves := s.single(s.places(set))
	s.shorten(moves)
	if len(moves) == 1 {
		moves = s.other(moves[0])
	}
	for _, p := range moves {
		list = append(list, s.describe(p))
	}
	return list, s.exhausted(), s.err
}

func (s *search) exhausted() string {
	if s.runs > 0 {
		return ""
	}
	return "there may be a smaller difference: the limit of runs has been reached"
}

// differs reports whether the results differ with some moves. After an error, or at the limit of
// runs, nothing does.
func (s *search) differs(o *Order) bool {
	if s.err != nil || s.runs <= 0 {
		return false
	}
	s.runs--
	o.Seed = s.seed
	var is bool
	is, s.err = s.test(o)
	return is && s.err == nil
}

// launch returns the launch of an element, and the element's number in it.
func (s *search) launch(element int64) (launch int, in int64) {
	launch, ok := slices.BinarySearch(s.first, element)
	if !ok {
		launch--
	}
	return launch, element - s.first[launch]
}

// order returns the order in which ranges of elements move to the places of the seed.
func (s *search) order(set []Range) *Order {
	o := &Order{}
	for i := range s.sizes {
		m := Moves{Size: s.sizes[i]}
		for _, r := range set {
			x := Range{max(r.First-s.first[i], 0), min(r.End-s.first[i], s.sizes[i].elements())}
			if x.First < x.End {
				m.Ranges = append(m.Ranges, x)
			}
		}
		o.Launches = append(o.Launches, m)
	}
	return o
}

// start returns the elements to begin with, nil if moving them makes no difference: only
// threadgroups or only simdgroups, if that is enough.
func (s *search) start() []Range {
	var groups, simds []Range
	for i := range s.sizes {
		n := s.first[i] + s.sizes[i].threadgroups()
		groups = append(groups, Range{s.first[i], n})
		if end := s.first[i] + s.sizes[i].elements(); end > n {
			simds = append(simds, Range{n, end})
		}
	}
	for _, set := range [...][]Range{groups, simds, {{0, s.total}}} {
		if len(set) > 0 && s.differs(s.order(set)) {
			return set
		}
	}
	return nil
}

// reduce leaves out elements as long as the results differ, by Zeller's delta debugging.
func (s *search) reduce(set []Range) []Range {
	for parts := int64(2); count(set) > 1; {
		n := count(set)
		parts = min(parts, n)
		smaller := func(rest bool) []Range {
			for i := range parts {
				from, end := n*i/parts, n*(i+1)/parts
				x := slices.Concat(cut(set, 0, from), cut(set, end, n))
				if !rest {
					x = cut(set, from, end)
				}
				if s.differs(s.order(x)) {
					return x
				}
			}
			return nil
		}
		if x := smaller(false); x != nil {
			set, parts = x, 2
		} else if x := smaller(true); x != nil && parts > 2 {
			set, parts = x, max(parts-1, 2)
		} else if parts == n || s.runs <= 0 || s.err != nil {
			break
		} else {
			parts *= 2
		}
	}
	return set
}

func count(set []Range) (n int64) {
	for _, r := range set {
		n += r.End - r.First
	}
	return n
}

// cut returns the elements of a set from one position in it to before another.
func cut(set []Range, from, end int64) (list []Range) {
	at := int64(0)
	for _, r := range set {
		n := r.End - r.First
		x := Range{r.First + min(max(from-at, 0), n), r.First + min(max(end-at, 0), n)}
		if x.First < x.End {
			list = append(list, x)
		}
		at += n
	}
	return list
}

// maxMoves is how many moves are worth reading.
const maxMoves = 64

// places returns where the elements of a set move.
func (s *search) places(set []Range) (list []Place) {
	for _, r := range set {
		for e := r.First; e < r.End; e++ {
			l, in := s.launch(e)
			first, _ := s.sizes[l].siblings(in)
			list = append(list, Place{e, s.sizes[l].places(seedOf(s.seed, l), in)[in-first]})
		}
	}
	return list
}

// moved returns the order with some moves.
func (s *search) moved(list []Place) *Order {
	o := s.order(nil)
	for _, p := range list {
		l, in := s.launch(p.Element)
		o.Launches[l].To = append(o.Launches[l].To, Place{in, p.To})
	}
	return o
}

// single replaces several moves by one that puts one of the elements beside another, if that is
// enough: the seed may have moved both only halfway.
func (s *search) single(list []Place) []Place {
	if len(list) < 2 || len(list) > 8 {
		return list
	}
	for _, p := range list {
		l, in := s.launch(p.Element)
		first, n := s.sizes[l].siblings(in)
		for _, q := range list {
			to := q.Element - s.first[l] - first
			if q == p || to < 0 || to >= n {
				continue
			}
			if one := []Place{{p.Element, to}}; s.differs(s.moved(one)) {
				return one
			}
		}
	}
	return list
}

// shorten lets each element move as little as possible, by bisection.
func (s *search) shorten(list []Place) {
	for i := range list {
		p := &list[i]
		l, in := s.launch(p.Element)
		first, _ := s.sizes[l].siblings(in)
		from, to := in-first, p.To
		for same := from; to-same > 1 || same-to > 1; {
			p.To = same + (to-same)/2
			if s.differs(s.moved(list)) {
				to = p.To
			} else {
				same = p.To
			}
		}
		p.To = to
	}
}

// other returns a move, or the opposite one of the element that it passes last, if that is shorter:
// instead of a threadgroup that runs after the last one, the last one runs before its neighbor.
func (s *search) other(p Place) []Place {
	l, in := s.launch(p.Element)
	first, _ := s.sizes[l].siblings(in)
	from := in - first
	opposite := []Place{{s.first[l] + first + p.To, from}}
	if s.differs(s.moved(opposite)) {
		s.shorten(opposite)
		if distance(opposite[0].To, p.To) < distance(p.To, from) {
			return opposite
		}
	}
	return []Place{p}
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

// describe returns a move.
func (s *search) describe(p Place) sanitizer.Move {
	l, in := s.launch(p.Element)
	size := &s.sizes[l]
	first, _ := size.siblings(in)
	m := sanitizer.Move{Launch: l + 1, Kernel: size.Kernel, Before: p.To < in-first}
	other := first + p.To
	if p.To == in-first+1 { // to exchange two neighbors, the later one comes before the earlier
		in, other, m.Before = other, in, true
	}
	m.Threadgroup, m.Barriers, m.Simdgroup = size.position(in)
	m.OtherThreadgroup, _, m.OtherSimdgroup = size.position(other)
	return m
}
