package compute

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// Private messages to the software driver: how a pipeline's accesses follow the axes of the grid,
// in JSON, and whether launches run at full speed and in the usual order, so that their times say
// something.
var (
	threadgroupShapes = objc.Method{Class: "PMSoftComputePipelineState", Selector: "threadgroupShapes", Encoding: "@@:"}
	runsPlain         = objc.Method{Class: "PMSoftDevice", Selector: "runsPlain", Encoding: "B@:"}
)

// shapeReport is what a pipeline of the software driver knows.
type shapeReport struct {
	Free     bool // results do not depend on the shape of threadgroups
	Accesses []shapeAccess
}

// shapeAccess is an access of memory: how often it is executed, relative to others, its bytes, and
// those between neighbors along each axis.
type shapeAccess struct {
	Weight, Size int
	Stride       [3]int
}

// Limits of searches.
const (
	maxSearches    = 32 // of a kernel: grids
	searchAfter    = 2  // launches of a grid
	worthSearching = time.Microsecond * 30
	shapeLine      = 64   // bytes of a processor's cache line
	maxCoarse      = 9    // shapes to begin with
	maxShapes      = 22   // in all
	badShape       = 1.5  // times the best: not measured further
	likelyCost     = 2.2  // times the lowest: lines that a shape may take to be tried
	closeShape     = 1.35 // times the best: measured again at the end

	minSamples  = 4
	maxSamples  = 20
	sampledFor  = 12 * time.Millisecond // in which the software device compiles hot code
	lastSamples = 8                     // more of the best
)

// shapeSearches has the searches for the threadgroups of a kernel, by grid.
type shapeSearches struct {
	mu     sync.Mutex
	asked  bool
	report shapeReport
	grids  map[mtl.Size]*groupSearch
}

// search returns the search for the best threadgroup of a grid, nil if the threadgroup must not
// depend on measurements: results may depend on it, or nothing is known about the kernel.
func (k *Kernel) search(grid mtl.Size) *groupSearch {
	if !k.acc.info.Software || k.acc.sanitize != 0 || k.phased != nil || k.phases > 1 ||
		k.limits.RequiredThreadsPerThreadgroup.Width > 0 {
		return nil
	}
	s := &k.shapes
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.asked {
		s.asked = true
		objc.Pool(func() {
			if json.Unmarshal([]byte(threadgroupShapes.CallString(k.pipeline.ID())), &s.report) != nil {
				s.report = shapeReport{}
			}
		})
	}
	if !s.report.Free {
		return nil
	}
	g := s.grids[grid]
	if g == nil && len(s.grids) < maxSearches {
		if s.grids == nil {
			s.grids = map[mtl.Size]*groupSearch{}
		}
		g = k.newSearch(grid)
		s.grids[grid] = g
	}
	return g
}

// lines estimates the cache lines that a simdgroup touches in threadgroups of a shape.
func (r *shapeReport) lines(shape [3]uint) (sum float64) {
	left := 32
	var lanes [3]int
	for i, n := range shape {
		lanes[i] = min(int(n), left)
		left = max(1, left/lanes[i])
	}
	for i := range r.Accesses {
		a := &r.Accesses[i]
		lines := 1.0
		for axis, n := range lanes {
			switch d := a.Stride[axis]; {
			case d >= shapeLine:
				lines *= float64(n)
			case d > 0:
				lines *= max(1, float64(n*d)/shapeLine)
			}
		}
		sum += float64(a.Weight) * lines
	}
	return sum * 32 / float64(lanes[0]*lanes[1]*lanes[2])
}

// groupSearch finds the fastest threadgroup for a grid of a kernel by measuring launches. It begins
// with shapes in which a simdgroup touches few lines, goes on with the neighbors of the best, and
// ends for good with the best of them. Only time depends on it.
type groupSearch struct {
	grid  mtl.Size
	first mtl.Size // used until something better is known
	limit mtl.Size
	most  uint
	now   atomic.Uint64 // the best so far, packed
	ended atomic.Bool

	mu      sync.Mutex
	seen    int // launches
	shapes  []shape
	current int // the one being measured
	last    bool
}

// shape is a threadgroup and its times.
type shape struct {
	size     mtl.Size
	samples  int
	least    time.Duration
	total    time.Duration
	improved int // the sample that was much less than those before it
	wanted   int // more samples
	done     bool
}

func packed(s mtl.Size) uint64 { return uint64(s.Width)<<32 | uint64(s.Height)<<16 | uint64(s.Depth) }

// best returns the best threadgroup that is known.
func (g *groupSearch) best() mtl.Size {
	p := g.now.Load()
	return mtl.Size{Width: uint(p >> 32), Height: uint(p >> 16 & 0xffff), Depth: uint(p & 0xffff)}
}

// newSearch begins a search with the shapes that touch the fewest lines.
func (k *Kernel) newSearch(grid mtl.Size) *groupSearch {
	g := &groupSearch{grid: grid, limit: k.acc.info.Limits.MaxThreadsPerThreadgroup,
		most: min(1024, k.limits.MaxTotalThreadsPerThreadgroup)}
	report := &k.shapes.report
	usual := k.chooseGroup(grid)
	g.first = usual
	type candidate struct {
		size mtl.Size
		cost float64
	}
	var all []candidate
	least := report.lines(axes(usual))
	budget := min(preferredThreads, g.most)
	for x := uint(1); x <= g.most; x *= 2 {
		for y := uint(1); x*y <= g.most; y *= 2 {
			for z := uint(1); x*y*z <= g.most; z *= 2 {
				s := mtl.Size{Width: min(x, grid.Width), Height: min(y, grid.Height), Depth: min(z, grid.Depth)}
				if !g.allows(s) || slices.ContainsFunc(all, func(c candidate) bool { return c.size == s }) {
					continue
				}
				c := candidate{s, report.lines(axes(s))}
				if n := s.Width * s.Height * s.Depth; n == budget && c.cost < 0.9*least {
					g.first, least = s, c.cost
				}
				all = append(all, c)
			}
		}
	}
	g.now.Store(packed(g.first))
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.cost, b.cost) })
	g.add(g.first)
	g.add(usual)
	for _, n := range []uint{budget, 64, 1024, 32, 512, 128} { // few of each, so that shapes differ
		few := 0
		for _, c := range all {
			if m := c.size.Width * c.size.Height * c.size.Depth; m <= n && 2*m > n && c.cost <= likelyCost*least && few < 3 &&
				len(g.shapes) < maxCoarse && g.add(c.size) {
				few++
			}
		}
	}
	return g
}

// allows reports whether a shape is worth trying: at least a simdgroup, within the grid.
func (g *groupSearch) allows(s mtl.Size) bool {
	n := s.Width * s.Height * s.Depth
	return n >= 32 && n <= g.most && s.Width <= g.limit.Width && s.Height <= g.limit.Height && s.Depth <= g.limit.Depth &&
		s.Width <= g.grid.Width && s.Height <= g.grid.Height && s.Depth <= g.grid.Depth
}

// add adds a shape, and reports whether it is new.
func (g *groupSearch) add(s mtl.Size) bool {
	if slices.ContainsFunc(g.shapes, func(x shape) bool { return x.size == s }) {
		return false
	}
	g.shapes = append(g.shapes, shape{size: s, wanted: minSamples})
	return true
}

// groupTrial is a command buffer that measures a shape. The zero value measures none.
type groupTrial struct {
	search *groupSearch
	index  int
	size   mtl.Size
}

// beginTrial lets the batch measure the next shape, if it consists of launches of one kernel with
// one grid.
func (b *batch) beginTrial() (t groupTrial) {
	w := &b.works[0]
	if w.kind != launchWork || w.launch.search == nil || w.launch.search.ended.Load() || b.timer != nil {
		return t
	}
	g := w.launch.search
	for i := range b.works {
		if b.works[i].kind != launchWork || b.works[i].launch.search != g {
			return t
		}
	}
	if runsPlain.Call(b.stream.acc.device.ID())&0xff == 0 {
		return t
	}
	return g.trial()
}

// trial returns what to measure next.
func (g *groupSearch) trial() groupTrial {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.seen++; g.seen <= searchAfter {
		return groupTrial{}
	}
	if g.last { // in turn, so that other work on the machine slows all of them
		for i := range g.shapes {
			if s := &g.shapes[i]; !s.done && s.samples < g.shapes[g.current].samples {
				g.current = i
			}
		}
	}
	return groupTrial{g, g.current, g.shapes[g.current].size}
}

// group returns the threadgroup for a launch.
func (t *groupTrial) group(g *groupSearch) mtl.Size {
	if t.search == g {
		return t.size
	}
	return g.best()
}

// end takes the time of launches.
func (t *groupTrial) end(took time.Duration, launches int) {
	if t.search != nil && took > 0 {
		t.search.measured(t.index, took/time.Duration(launches))
	}
}

// measured takes the time of a launch with a shape.
func (g *groupSearch) measured(i int, d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := &g.shapes[i]
	s.samples++
	s.total += d
	if s.samples == 1 || d < s.least {
		if s.samples == 1 || float64(d) < 0.9*float64(s.least) {
			s.improved = s.samples
		}
		s.least = d
	}
	if g.ended.Load() || s.done || i != g.current && !g.last {
		return
	}
	best := g.fastest()
	warm := s.samples >= minSamples && (s.total >= sampledFor || s.samples >= maxSamples)
	switch {
	case i > 0 && !g.last && warm && float64(s.least) > badShape*float64(best.least):
	case s.samples < s.wanted || !g.last && (!warm || s.samples < s.improved+2):
		return
	}
	s.done = true
	if i == 0 && s.least < worthSearching {
		g.finish()
		return
	}
	g.next()
}

// fastest returns the shape with the least time.
func (g *groupSearch) fastest() *shape {
	best := &g.shapes[0]
	for i := range g.shapes {
		if s := &g.shapes[i]; s.samples > 0 && s.least < best.least {
			best = s
		}
	}
	return best
}

// next goes on to the next shape: those that are left, then the neighbors of the best, then the
// best once more.
func (g *groupSearch) next() {
	g.now.Store(packed(g.fastest().size))
	pending := func() bool {
		g.current = slices.IndexFunc(g.shapes, func(s shape) bool { return !s.done })
		return g.current >= 0
	}
	if pending() {
		return
	}
	if !g.last {
		g.addNeighbors(g.fastest().size)
		if pending() {
			return
		}
		g.last = true
		best := g.fastest().least
		for i := range g.shapes {
			if s := &g.shapes[i]; float64(s.least) <= closeShape*float64(best) {
				s.done, s.wanted = false, s.samples+lastSamples
			}
		}
		if pending() {
			return
		}
	}
	g.finish()
}

func (g *groupSearch) finish() {
	g.now.Store(packed(g.fastest().size))
	g.current = 0
	g.ended.Store(true)
}

// addNeighbors adds the shapes that are twice or half as long in one direction, and those of the
// same size that are longer in one and shorter in another.
func (g *groupSearch) addNeighbors(s mtl.Size) {
	from := axes(s)
	try := func(x [3]uint) {
		if n := sizeOfAxes(x); x[0]*x[1]*x[2] > 0 && len(g.shapes) < maxShapes && g.allows(n) {
			g.add(n)
		}
	}
	for i := range from {
		longer, shorter := from, from
		longer[i] *= 2
		shorter[i] /= 2
		try(longer)
		try(shorter)
		for j := range from {
			if j != i {
				moved := longer
				moved[j] /= 2
				try(moved)
			}
		}
	}
}
