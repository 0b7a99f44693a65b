package observe

import (
	"cmp"
	"sync"
	"time"

	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
)

// Options configures the observation of a launch.
type Options struct {
	// Threadgroups is the maximum number of threadgroups to observe, 0 for all. The others run at
	// full speed.
	Threadgroups int64
	Seed         uint64 // selects the threadgroups
	// ReuseThreadgroups is the maximum number of threadgroups whose reuse distances are measured.
	ReuseThreadgroups int64
	// Used, if set, returns how many bytes of an object in device memory the program uses, -1 for all.
	Used func(object uint64) int
}

// DefaultReuseThreadgroups is a number of threadgroups that suffices for reuse distances.
const DefaultReuseThreadgroups = 32

// Launch is a hook that observes a launch.
type Launch struct {
	hook.None
	options  Options
	launch   *exec.Launch
	geometry exec.Geometry
	bound    []binding
	observed sample
	reused   sample
	start    time.Time

	mu    sync.Mutex
	code  *code
	all   []*collector
	free  []*collector
	began int64
	ended int64
}

// New returns a hook for a launch. It fails if the launch is invalid.
func New(l *exec.Launch, o Options) (*Launch, error) {
	g, err := l.Geometry()
	if err != nil {
		return nil, err
	}
	return &Launch{options: o, launch: l, geometry: g, bound: bindings(l.Buffers), start: time.Now(),
		observed: newSample(g.Total, o.Threadgroups, o.Seed),
		reused:   newSample(g.Total, o.ReuseThreadgroups, o.Seed)}, nil
}

// Wants implements hook.Sampler.
func (l *Launch) Wants(position [3]int) bool { return l.observed.has(l.number(position)) }

// number returns a threadgroup's index in the grid.
func (l *Launch) number(p [3]int) int64 {
	n := l.geometry.Groups
	return int64(p[0]) + int64(n[0])*(int64(p[1])+int64(n[1])*int64(p[2]))
}

// GroupBegin implements hook.Hook.
func (l *Launch) GroupBegin(g *hook.Group) {
	l.mu.Lock()
	if l.code == nil {
		l.code = newCode(g.Func)
	}
	l.began++
	var c *collector
	if n := len(l.free); n > 0 {
		c, l.free = l.free[n-1], l.free[:n-1]
	} else {
		c = newCollector(l)
		l.all = append(l.all, c)
	}
	l.mu.Unlock()
	c.begin(g, l.reused.has(l.number(g.Position)))
	g.State, g.Lean = c, true
}

// GroupEnd implements hook.Hook.
func (l *Launch) GroupEnd(g *hook.Group) {
	c := g.State.(*collector)
	c.end()
	l.mu.Lock()
	l.free = append(l.free, c)
	l.ended++
	l.mu.Unlock()
}

// Instruction implements hook.Hook.
func (l *Launch) Instruction(e *hook.Event) { e.Group.State.(*collector).instruction(e) }

// Load implements hook.Hook.
func (l *Launch) Load(a *hook.Access) { a.Group.State.(*collector).access(a, event.Load) }

// Store implements hook.Hook.
func (l *Launch) Store(a *hook.Access) { a.Group.State.(*collector).access(a, event.Store) }

// Atomic implements hook.Hook.
func (l *Launch) Atomic(a *hook.Access) { a.Group.State.(*collector).access(a, event.Atomic) }

// Barrier implements hook.Hook. The engine reports barriers in no other way.
func (l *Launch) Barrier(events []hook.Event) {
	for i := range events {
		events[i].Group.State.(*collector).instruction(&events[i])
	}
}

// Result returns what was observed. It is called once, when the launch has ended, with its error
// and its kernel; the memory of the launch must still be there.
func (l *Launch) Result(f *ir.Func, err error) *event.Launch {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &event.Launch{Kernel: f.Name, Grid: l.geometry.Grid, Threadgroup: l.geometry.Group, Start: l.start,
		End: time.Now(), Threadgroups: l.geometry.Total, Observed: l.ended}
	for _, v := range f.Threadgroup {
		r.ThreadgroupMemory += v.Size
	}
	for _, n := range l.launch.Threadgroup {
		r.ThreadgroupMemory += n
	}
	if err != nil {
		r.Error = err.Error()
	}
	if l.code == nil { // no threadgroup has begun
		l.code = newCode(f)
	}
	total := newCollector(l)
	for _, c := range l.all {
		total.add(c)
	}
	total.result(r)
	return r
}

// sample selects some of a number of things: it divides them into as many parts of equal size as it
// shall select, and selects one of each.
type sample struct {
	total, n int64
	seed     uint64
}

func newSample(total, n int64, seed uint64) sample {
	if n <= 0 || n > total {
		n = total
	}
	return sample{total, n, seed}
}

func (s *sample) has(i int64) bool {
	if s.n == s.total {
		return true
	}
	// The parts of the first rest parts have one more.
	size, rest := s.total/s.n, s.total%s.n
	part, at := i/(size+1), i%(size+1)
	if first := rest * (size + 1); i < first {
		size++
	} else {
		part, at = rest+(i-first)/size, (i-first)%size
	}
	return at == int64(mix(s.seed^mix(uint64(part)))%uint64(size))
}

// mix scrambles a number, as SplitMix64 does.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// code is the kernel, with its instructions and regions numbered.
type code struct {
	f       *ir.Func
	instrs  []*ir.Instr
	regions []*ir.Region
	number  map[*ir.Instr]int32
	region  []int32 // of an instruction
	owner   []int32 // of a region: the innermost if or loop, -1 for none
	outer   []int32 // of a region: the region of its owner, -1 for none
}

func newCode(f *ir.Func) *code {
	c := &code{f: f, number: map[*ir.Instr]int32{}}
	c.add(f.Body, -1, -1)
	return c
}

func (c *code) add(r *ir.Region, owner, outer int32) {
	n := int32(len(c.regions))
	c.regions = append(c.regions, r)
	c.owner, c.outer = append(c.owner, owner), append(c.outer, outer)
	for _, in := range r.Instrs {
		i := int32(len(c.instrs))
		c.number[in] = i
		c.instrs, c.region = append(c.instrs, in), append(c.region, n)
		for _, sub := range in.Regions {
			c.add(sub, i, n)
		}
	}
}

// place returns the position of an instruction.
func (c *code) place(in *ir.Instr) event.Place {
	l := in.Loc
	if l.Line == 0 || l.File == 0 || int(l.File) > len(c.f.Module.Files) {
		return event.Place{}
	}
	return event.Place{File: c.f.Module.Files[l.File-1], Line: int(l.Line), Column: int(l.Col)}
}

func comparePlaces(a, b event.Place) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
