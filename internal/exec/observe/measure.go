package observe

import (
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
)

// measured is a vector with its figures. Executions of an access often have the same addresses but
// for a distance common to all lanes. If that is a multiple of the period, nothing is measured
// again.
type measured struct {
	v      vector
	form   form   // of a vector that came from rows
	origin uint64 // the address of lane 0 in such a vector, active or not

	unique int64
	passes int64    // in threadgroup memory
	lines  [3]int64 // in other memory, by event.LineSizes
	runs   []run    // the sectors, in ascending order
	long   []run    // the lines of 1<<lineShift bytes
}

// form is what addresses that come from rows depend on, apart from that of lane 0.
type form struct {
	step   [3]int64
	class  int32 // see place
	active uint32
}

// run is a number of blocks in a row.
type run struct{ first, n uint64 }

const (
	linePeriod = 1 << lineShift
	wordShift  = 2
	wordPeriod = ir.BankWord // which is 1 << wordShift; the order of banks does not matter
)

// measure measures a vector unless it is the last one moved by a multiple of the period. It returns
// the distance.
func (m *measured) measure(v *vector, period uint64) (by uint64) {
	if by, ok := m.moved(v, period); ok {
		return by
	}
	m.set(v, period)
	return 0
}

// moved returns the distance of a vector from the last one.
func (m *measured) moved(v *vector, period uint64) (by uint64, ok bool) {
	by = v.addrs[0] - m.v.addrs[0]
	if by%period != 0 || m.v.n != v.n || m.v.size != v.size {
		return 0, false
	}
	for i := range v.n {
		if v.addrs[i]-m.v.addrs[i] != by || v.lane[i] != m.v.lane[i] {
			return 0, false
		}
	}
	return by, true
}

// set measures a vector.
func (m *measured) set(v *vector, period uint64) {
	v.classify()
	m.v, m.form = *v, form{}
	m.unique = v.distinct()
	if period == wordPeriod {
		m.passes = v.banks()
		return
	}
	m.runs, m.long = m.runs[:0], m.long[:0]
	m.lines = [3]int64{}
	v.eachRun(sectorShift, func(first, last uint64) {
		m.runs = append(m.runs, run{first, last - first + 1})
	})
	next := [3]uint64{} // lines below have been counted
	for _, r := range m.runs {
		last := r.first + r.n - 1
		for i := range next {
			first := max(r.first>>i, next[i])
			n := last>>i + 1 - first
			m.lines[i] += int64(n)
			next[i] = first + n
			if i == lineShift-sectorShift && n > 0 {
				m.long = append(m.long, run{first, n})
			}
		}
	}
}

// place is where a simdgroup is in its threadgroup. In simdgroups of the same class, threads have
// the same positions relative to the first one.
type place struct {
	first [3]int64 // thread
	class int32
}

// arrange notes the places of the simdgroups of threadgroups of a shape.
func (c *collector) arrange(shape [3]int, n int) {
	if c.shape == shape {
		return
	}
	c.shape, c.places = shape, c.places[:0]
	row, layer := shape[0], shape[0]*shape[1]
	for i := range n {
		t := i * lanes
		p := place{first: [3]int64{int64(t % row), int64(t % layer / row), int64(t / layer)}}
		switch {
		case row-t%row >= lanes || shape[1]*shape[2] == 1: // its threads are in one row
		case shape[2] == 1:
			p.class = 1 + int32(t%row)
		default:
			p.class = 1 + int32(t%layer)
		}
		c.places = append(c.places, p)
	}
	for _, s := range c.sites {
		if s != nil {
			s.last.form = form{} // classes have changed
		}
	}
}

// affine counts an access by rows of some lanes of a simdgroup.
func (c *collector) affine(s *site, r *hook.Rows, simdgroup int, active uint32) {
	p, m := &c.places[simdgroup], &s.last
	at := func(p *[3]int64) uint64 {
		return r.Object<<exec.OffsetBits + uint64(r.Base+r.Step[0]*p[0]+r.Step[1]*p[1]+r.Step[2]*p[2])
	}
	origin, f, period := at(&p.first), form{r.Step, p.class, active}, s.period()
	if m.form == f && (origin-m.origin)%period == 0 {
		c.execution(s, origin-m.origin)
		return
	}
	v := &c.v
	v.n, v.size = 0, s.size
	for l, t := 0, p.first; l < lanes; l++ {
		if active>>l&1 != 0 {
			v.addrs[v.n], v.lane[v.n] = at(&t), uint8(l)
			v.n++
		}
		if t[0]++; t[0] == int64(c.shape[0]) {
			t[0] = 0
			if t[1]++; t[1] == int64(c.shape[1]) {
				t[1] = 0
				t[2]++
			}
		}
	}
	m.set(v, period)
	m.form, m.origin = f, origin
	c.execution(s, 0)
}
