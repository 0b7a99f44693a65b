package observe

import (
	"math/bits"

	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
)

// collector adds up what threadgroups do, one after another.
type collector struct {
	launch *Launch
	code   *code
	counts []count // by instruction
	sites  []*site // by instruction: its load or atomic operation, then its store
	parts  []part  // by region
	hot    heats   // of device and constant memory
	groups spread  // instructions of a threadgroup
	simds  spread  // instructions of a simdgroup
	reuse  reuse   // of some threadgroups
	reused int64   // threadgroups whose reuse was measured

	begun int64 // threadgroups

	// Of the current threadgroup.
	measures bool // reuse
	last     int32
	next     []int32 // the instruction that last followed another
	executed []int64 // instructions, by simdgroup
	shape    [3]int
	places   []place // by simdgroup
	strips   []strip
	v        vector
	half     hook.Access // the first half of a matrix access
}

// count is how often an instruction was executed.
type count struct {
	simdgroups, active int64
}

// part counts the executions of a region of an if or a loop.
type part struct {
	entry                              int32 // the first instruction of the region that has events, -1 if unknown
	entries, divergent, active, before int64
}

// strip is the state of threads that run together, by the number of the first one.
type strip struct {
	masks []hook.Mask // by region: the lanes of the last event
	seen  []bool      // by region
	at    []uint8     // by site: the component of a vector whose event is next
}

// site adds up the executions of an access.
type site struct {
	instr     *ir.Instr
	operation event.Operation
	space     ir.Space
	size      uint64
	name      string

	executions, accesses, unique, outside int64
	transactions                          [len(event.LineSizes)]int64
	bytes                                 [patterns]int64
	strides                               table
	distances                             classes // between neighbors, of random executions
	passes                                int64
	touched                               extents
	last                                  measured // execution

	serial    int64
	met       map[uint64]meet // by address
	unmet     int64           // operations whose addresses are not in met
	addresses int64           // in threadgroup memory: the most of a threadgroup
	group     int64           // of the collector that had the last operation, from 1
	combined  int64           // addresses of threadgroups, added up
	combining int64           // threadgroups with operations
	most      meet
}

// meet is how many operations an address has, from how many executions, and which threadgroup of
// the collector did the last.
type meet struct{ operations, executions, group int64 }

// more orders meets, so that the greatest does not depend on the order of threadgroups.
func (m meet) more(o meet) bool {
	return m.operations > o.operations || m.operations == o.operations && m.executions > o.executions
}

// maxMet is the largest number of addresses of atomic operations that are counted each.
const maxMet = 1 << 16

func newCollector(l *Launch) *collector {
	c := &collector{launch: l, code: l.code, counts: make([]count, len(l.code.instrs)),
		sites: make([]*site, 2*len(l.code.instrs)), parts: make([]part, len(l.code.regions)),
		next: make([]int32, len(l.code.instrs))}
	for i := range c.parts {
		c.parts[i].entry = -1
	}
	return c
}

// begin prepares for a threadgroup.
func (c *collector) begin(g *hook.Group, measures bool) {
	threads := g.Shape[0] * g.Shape[1] * g.Shape[2]
	if n := (threads + lanes - 1) / lanes; len(c.executed) != n {
		c.executed, c.strips = make([]int64, n), make([]strip, n)
	}
	c.arrange(g.Shape, len(c.executed))
	clear(c.executed)
	for i := range c.strips {
		clear(c.strips[i].seen)
		clear(c.strips[i].at)
	}
	c.last, c.measures = 0, measures
	c.begun++
	if measures {
		c.reuse.begin()
	}
}

// end adds up what is counted for each threadgroup.
func (c *collector) end() {
	all := int64(0)
	for _, n := range c.executed {
		c.simds.add(n, 1)
		all += n
	}
	c.groups.add(all, 1)
	if c.measures {
		c.reused++
	}
	for _, s := range c.sites {
		if s != nil && s.space == ir.Threadgroup && s.met != nil {
			s.settle()
		}
	}
}

// settle ends the addresses of a threadgroup's own memory.
func (s *site) settle() {
	s.addresses = max(s.addresses, int64(len(s.met)))
	for _, m := range s.met {
		if m.more(s.most) {
			s.most = m
		}
	}
	clear(s.met)
}

// stripOf returns the state of an event's strip.
func (c *collector) stripOf(e *hook.Event) *strip {
	s := &c.strips[e.First/lanes]
	if s.masks == nil {
		s.masks, s.seen = make([]hook.Mask, len(c.code.regions)), make([]bool, len(c.code.regions))
		s.at = make([]uint8, len(c.sites))
	}
	return s
}

// number returns the number of an instruction. It first tries the one that followed last time.
func (c *collector) number(in *ir.Instr) int32 {
	if i := c.last; c.code.instrs[i] == in {
		return i
	}
	n := c.next[c.last]
	if c.code.instrs[n] != in {
		n = c.code.number[in]
		c.next[c.last] = n
	}
	c.last = n
	return n
}

// instruction counts an instruction.
func (c *collector) instruction(e *hook.Event) {
	i := c.number(e.Instr)
	simds, active := int64(0), int64(0)
	base := e.First / lanes
	for w, x := range e.Lanes {
		if x != 0 {
			simds++
			active += int64(bits.OnesCount32(x))
			c.executed[base+w]++
		}
	}
	if simds == 0 {
		return
	}
	c.counts[i].simdgroups += simds
	c.counts[i].active += active
	r := c.code.region[i]
	s := c.stripOf(e)
	if c.code.owner[r] >= 0 {
		p := &c.parts[r]
		if p.entry < 0 {
			p.entry = i
		}
		if p.entry == i {
			c.enter(p, c.code.outer[r], s, &e.Lanes)
		}
	}
	s.masks[r], s.seen[r] = e.Lanes, true
}

// enter counts the entry into a region by some lanes of those that were active in the region around
// it.
func (c *collector) enter(p *part, outer int32, s *strip, now *hook.Mask) {
	for outer >= 0 && !s.seen[outer] {
		outer = c.code.outer[outer]
	}
	before := now
	if outer >= 0 {
		before = &s.masks[outer]
	}
	for w, x := range now {
		if x == 0 {
			continue
		}
		p.entries++
		p.active += int64(bits.OnesCount32(x))
		p.before += int64(bits.OnesCount32(before[w] | x))
		if before[w]&^x != 0 {
			p.divergent++
		}
	}
}

// components returns how many events an access of a lane has.
func components(in *ir.Instr) int {
	switch in.Op {
	case ir.OpLoad:
		return in.Results[0].Type.Lanes()
	case ir.OpStore:
		return in.Args[1].Type.Lanes()
	case ir.OpMatLoad, ir.OpMatStore:
		return 2
	}
	return 1
}

// access counts an access. The events of a vector's components follow each other, and those of the
// two halves of a matrix access; each is one access.
func (c *collector) access(a *hook.Access, operation event.Operation) {
	if a.Space == ir.Thread || a.Size == 0 {
		return
	}
	i := 2 * c.number(a.Instr)
	if operation == event.Store {
		i++
	}
	n := components(a.Instr)
	matrix := a.Instr.Op == ir.OpMatLoad || a.Instr.Op == ir.OpMatStore
	if n > 1 {
		s := c.stripOf(&a.Event)
		at := s.at[i]
		s.at[i] = uint8((int(at) + 1) % n)
		switch {
		case matrix && at == 0:
			c.half = *a // with the first elements of the lanes
			return
		case !matrix && at > 0:
			return
		}
	}
	s := c.sites[i]
	if s == nil {
		s = &site{instr: a.Instr, operation: operation, space: a.Space, size: uint64(a.Size)}
		if !matrix {
			s.size *= uint64(n)
		}
		c.sites[i] = s
	}
	rows := a.Rows
	if operation == event.Atomic { // has its addresses; rows do not matter
		rows = nil
	}
	for w, x := range a.Lanes {
		if x == 0 {
			continue
		}
		if rows != nil {
			c.affine(s, rows, a.First/lanes+w, x)
			continue
		}
		c.v.n, c.v.size = 0, s.size
		if matrix {
			c.v.take(&c.half, w, &s.outside)
		}
		c.v.take(a, w, &s.outside)
		if matrix {
			c.v.sort()
		}
		if c.v.n > 0 {
			c.execution(s, s.last.measure(&c.v, s.period()))
		}
	}
}

// period returns the distance after which the figures of a vector repeat.
func (s *site) period() uint64 {
	if s.space == ir.Threadgroup {
		return wordPeriod
	}
	return linePeriod
}

// execution counts one execution, with the addresses of the site's last vector moved by a distance.
func (c *collector) execution(s *site, by uint64) {
	k := &s.last
	v := &k.v
	n := int64(v.n)
	bytes := n * int64(v.size)
	if s.executions == 0 {
		s.name = c.launch.regionOf(v.addrs[0] + by).name
	}
	s.executions++
	s.accesses += n
	s.bytes[v.shape.pattern] += bytes
	s.unique += k.unique
	switch v.shape.pattern {
	case strided, tiled:
		s.strides.add(v.shape.stride, bytes)
	case random:
		for i := 1; i < v.n; i++ {
			s.distances.add(int64(v.addrs[i] - v.addrs[i-1]))
		}
	}
	if s.operation == event.Atomic {
		s.atomic(v, by, c.begun)
	}
	if s.space == ir.Threadgroup {
		s.passes += k.passes
		return
	}
	for i := range event.LineSizes {
		s.transactions[i] += k.lines[i]
	}
	object := ^uint64(0)
	var touched *extent
	for _, r := range k.runs {
		first := r.first + uint64(int64(by)>>sectorShift)
		if o := first >> (exec.OffsetBits - sectorShift); o != object {
			object, touched = o, s.touched.of(o)
		}
		const inObject = 1<<(exec.OffsetBits-sectorShift) - 1
		touched.add(first&inObject, r.n)
	}
	object = ^uint64(0)
	var hot *heat
	for _, r := range k.long {
		first := r.first + uint64(int64(by)>>lineShift)
		if o := first >> (exec.OffsetBits - lineShift); o != object {
			object, hot = o, c.hot.of(o)
		}
		const inObject = 1<<(exec.OffsetBits-lineShift) - 1
		for line := first; line < first+r.n; line++ {
			hot.add(line&inObject, 1)
			if c.measures {
				c.reuse.access(line)
			}
		}
	}
}

// atomic counts an atomic operation.
func (s *site) atomic(v *vector, by uint64, group int64) {
	if s.met == nil {
		s.met = map[uint64]meet{}
	}
	s.serial += v.meeting(func(address uint64, n int64) { s.meets(address+by, meet{n, 1, group}) })
	if s.group != group {
		s.group = group
		s.combining++
	}
}

func (s *site) meets(address uint64, m meet) {
	old, ok := s.met[address]
	if !ok && len(s.met) >= maxMet {
		s.unmet += m.operations
		return
	}
	if m.group != 0 && old.group != m.group {
		s.combined++
	}
	s.met[address] = meet{old.operations + m.operations, old.executions + m.executions, m.group}
}
