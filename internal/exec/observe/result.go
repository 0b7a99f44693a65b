package observe

import (
	"cmp"
	"slices"

	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/internal/ir"
)

// add adds what another collector of the launch has counted.
func (c *collector) add(o *collector) {
	for i, n := range o.counts {
		c.counts[i].simdgroups += n.simdgroups
		c.counts[i].active += n.active
	}
	for i, s := range o.sites {
		switch {
		case s == nil:
		case c.sites[i] == nil:
			c.sites[i] = s
		default:
			c.sites[i].add(s)
		}
	}
	for i, p := range o.parts {
		q := &c.parts[i]
		q.entries += p.entries
		q.divergent += p.divergent
		q.active += p.active
		q.before += p.before
	}
	for i := range o.hot {
		from := &o.hot[i]
		to := c.hot.of(from.object)
		from.each(to.add)
	}
	c.groups.merge(&o.groups)
	c.simds.merge(&o.simds)
	c.reused += o.reused
	c.reuse.first += o.reuse.first
	for i, n := range o.reuse.again {
		c.reuse.again[i] += n
	}
}

// add adds the counts of the same site in another collector.
func (s *site) add(o *site) {
	if s.executions == 0 || o.name != s.name && o.executions > 0 {
		s.name = cmp.Or(min(s.name, o.name), o.name)
	}
	s.executions += o.executions
	s.accesses += o.accesses
	s.unique += o.unique
	s.outside += o.outside
	for i, n := range o.transactions {
		s.transactions[i] += n
	}
	for i, n := range o.bytes {
		s.bytes[i] += n
	}
	s.strides.merge(&o.strides)
	s.distances.merge(o.distances)
	s.passes += o.passes
	for i := range o.touched {
		s.touched.of(o.touched[i].object).merge(&o.touched[i])
	}
	s.serial += o.serial
	s.unmet += o.unmet
	s.addresses = max(s.addresses, o.addresses)
	s.combined += o.combined
	s.combining += o.combining
	if o.most.more(s.most) {
		s.most = o.most
	}
	for address, m := range o.met {
		if s.met == nil {
			s.met = map[uint64]meet{}
		}
		m.group = 0 // counted
		s.meets(address, m)
	}
}

// result fills in what was counted.
func (c *collector) result(r *event.Launch) {
	for i, n := range c.counts {
		r.Instructions += n.simdgroups
		r.ActiveLanes += n.active
		switch op := c.code.instrs[i].Op; {
		case op.Group() == ir.TextureOps:
			r.Textures += n.simdgroups
		case op == ir.OpFMA:
			r.FloatOperations += 2 * n.active
		case op == ir.OpMatMul, op == ir.OpMatMac:
			r.FloatOperations += matrixOperations * n.simdgroups
		case op.Group() == ir.FloatOps, op.Group() == ir.MathOps:
			r.FloatOperations += n.active
		}
	}
	r.Sites = []event.Site{}
	var touched extents
	for _, s := range c.sites {
		if s == nil {
			continue
		}
		r.Sites = append(r.Sites, s.result(c.code.place(s.instr)))
		for i := range s.touched {
			touched.of(s.touched[i].object).merge(&s.touched[i])
		}
	}
	slices.SortStableFunc(r.Sites, func(a, b event.Site) int { return comparePlaces(a.Place, b.Place) })
	r.Memories = c.launch.memories(touched, c.hot)
	r.Branches = c.branches()
	r.Lines = c.lines()
	r.Balance = event.Balance{Simdgroups: c.simds.result(), Threadgroups: c.groups.result()}
	r.Reuse = event.Reuse{Threadgroups: c.reused, First: c.reuse.first, Distances: []int64{}}
	for i, n := range c.reuse.again {
		if n > 0 {
			for len(r.Reuse.Distances) <= i {
				r.Reuse.Distances = append(r.Reuse.Distances, 0)
			}
			r.Reuse.Distances[i] = n
		}
	}
}

// matrixOperations is the number of operations of a product of matrices of 8 by 8.
const matrixOperations = 2 * 8 * 8 * 8

// maxStrides is the number of strides in a result.
const maxStrides = 32

func (s *spread) result() event.Spread {
	low, median, high := s.quantiles()
	return event.Spread{Min: low, Median: median, Max: high, Rounded: s.rounded}
}

func (s *site) result(p event.Place) event.Site {
	r := event.Site{Place: p, Operation: s.operation, Space: event.Space(s.space.String()), Memory: s.name,
		Size: int(s.size), Executions: s.executions, Accesses: s.accesses, Bytes: s.accesses * int64(s.size),
		Unique: s.unique, Outside: s.outside, Transactions: s.transactions, BankPasses: s.passes, Strides: []event.Stride{}}
	for i := range s.touched {
		r.Footprint += s.touched[i].count() << sectorShift
	}
	r.Patterns = event.Patterns{Broadcast: s.bytes[broadcast], Sequential: s.bytes[sequential],
		Strided: s.bytes[strided], Tiled: s.bytes[tiled], Random: s.bytes[random], Single: s.bytes[single]}
	for i, n := range s.strides.sums {
		if n != 0 {
			r.Strides = append(r.Strides, event.Stride{Stride: s.strides.keys[i], Bytes: n})
		}
	}
	slices.SortFunc(r.Strides, func(a, b event.Stride) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Stride, b.Stride))
	})
	r.Truncated = s.strides.other > 0 || len(r.Strides) > maxStrides
	r.Strides = r.Strides[:min(len(r.Strides), maxStrides)]
	r.Entropy = s.distances.entropy()
	if s.operation == event.Atomic {
		r.Contention = s.contention()
	}
	return r
}

func (s *site) contention() *event.Contention {
	k := &event.Contention{Operations: s.accesses, Serial: s.serial, Truncated: s.unmet > 0}
	addresses, most := s.addresses, s.most
	for _, m := range s.met { // of device memory; that of threadgroups is settled
		if m.more(most) {
			most = m
		}
	}
	k.Addresses = max(addresses, int64(len(s.met)))
	k.Most, k.Simdgroups = most.operations, most.executions
	if s.space != ir.Threadgroup {
		k.Combined, k.Threadgroups = s.combined, s.combining
	}
	return k
}

// branches returns the parts of the kernel that lanes may leave out.
func (c *collector) branches() []event.Branch {
	list := []event.Branch{}
	for i, p := range c.parts {
		if p.entries == 0 {
			continue
		}
		in := c.code.instrs[c.code.owner[i]]
		b := event.Branch{Place: c.code.place(in), Kind: "if", Entries: p.entries, Divergent: p.divergent,
			Active: p.active, Before: p.before}
		switch {
		case in.Op == ir.OpLoop:
			b.Kind = "loop"
		case in.Op == ir.OpIf && in.Regions[0] != c.code.regions[i]:
			b.Kind = "else"
		case in.Op != ir.OpIf: // a block: all lanes enter it
			continue
		}
		list = append(list, b)
	}
	slices.SortStableFunc(list, func(a, b event.Branch) int { return comparePlaces(a.Place, b.Place) })
	return list
}

// lines adds the counts up by line of the source.
func (c *collector) lines() []event.Line {
	type key struct {
		file string
		line int
	}
	by := map[key]*event.Line{}
	at := func(in *ir.Instr) *event.Line {
		p := c.code.place(in)
		if p.Line == 0 {
			return &event.Line{} // is not reported
		}
		k := key{p.File, p.Line}
		if by[k] == nil {
			by[k] = &event.Line{File: p.File, Line: p.Line}
		}
		return by[k]
	}
	for i, n := range c.counts {
		if n.simdgroups > 0 {
			l := at(c.code.instrs[i])
			l.Instructions += n.simdgroups
			l.ActiveLanes += n.active
		}
	}
	for _, s := range c.sites {
		if s != nil {
			l := at(s.instr)
			for i, n := range s.transactions {
				l.Transactions[i] += n
			}
		}
	}
	list := []event.Line{}
	for _, l := range by {
		list = append(list, *l)
	}
	slices.SortFunc(list, func(a, b event.Line) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return list
}
