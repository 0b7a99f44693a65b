package compute

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// shapeReport is what a pipeline of the software driver knows.
type shapeReport extension.ShapeReport

// Limits of searches.
const (
	maxSearches    = 32 // of a kernel: grids
	searchAfter    = 2  // launches of a grid
	worthSearching = time.Microsecond * 30
	shapeLine      = 64  // bytes of a processor's cache line
	maxCoarse      = 9   // shapes to begin with
	maxShapes      = 22  // in all
	likelyCost     = 2.2 // times the lowest: lines that a shape may take to be tried

	minWarming = 2                     // launches of a shape that do not count
	maxWarming = 24                    // of those, while the software device may yet have faster code
	longLaunch = 10 * time.Millisecond // and longer ones count several times
)

// heats are the eliminations of a search. All shapes that are left take turns until each has that
// many samples. Then a shape leaves if it is slower than the best by more than a factor, or if
// enough others are faster. Few samples say little where other work disturbs, so the first heats
// are lenient.
var heats = [...]struct {
	samples int
	within  float64
	left    int // at most
}{{3, 2.5, maxShapes}, {6, 1.6, maxShapes}, {10, 1.3, 8}, {16, 1.15, 4}, {28, 1, 4}}

// neighborHeat is the number of heats after which the neighbors of the best shape join.
const neighborHeat = 2

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
			if r, err := client.Read[extension.ShapeReport](&extension.ThreadgroupShapes, k.pipeline.ID()); err == nil {
				s.report = shapeReport(r)
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
// with shapes in which a simdgroup touches few lines, eliminates slow ones in heats, lets the
// neighbors of the best join, and ends for good with the best. Only time depends on it.
type groupSearch struct {
	grid  mtl.Size
	first mtl.Size // used until something better is known
	limit mtl.Size
	most  uint
	now   atomic.Uint64 // the best so far, packed
	ended atomic.Bool

	// mayImprove reports whether launches with a threadgroup are slower than later ones will be,
	// because the device is still compiling.
	mayImprove func(mtl.Size) bool

	mu     sync.Mutex
	seen   int     // launches
	shapes []shape // nil once it has ended
}

// shape is a threadgroup and its times.
type shape struct {
	size   mtl.Size
	warmed int             // launches that did not count
	warm   bool            // the next ones do
	begun  int             // samples, including those in flight
	times  []time.Duration // sorted
	heat   int             // the one that it is in
	out    bool
}

// least returns the shape's time. The minimum counts, because other work only ever adds to it.
func (s *shape) least() time.Duration { return s.times[0] }

// slower reports whether a shape takes longer than another by more than a factor. The medians have
// to agree: where a processor is rarely free, the minimum of few samples is a matter of luck.
func (s *shape) slower(than *shape, by float64) bool {
	return float64(s.times[0]) > by*float64(than.times[0]) &&
		float64(s.times[len(s.times)/2]) > by*float64(than.times[len(than.times)/2])
}

func packed(s mtl.Size) uint64 { return uint64(s.Width)<<32 | uint64(s.Height)<<16 | uint64(s.Depth) }

// best returns the best threadgroup that is known.
func (g *groupSearch) best() mtl.Size {
	p := g.now.Load()
	return mtl.Size{Width: uint(p >> 32), Height: uint(p >> 16 & 0xffff), Depth: uint(p & 0xffff)}
}

// newSearch begins a search for a grid.
func (k *Kernel) newSearch(grid mtl.Size) *groupSearch {
	g := &groupSearch{grid: grid, limit: k.acc.info.Limits.MaxThreadsPerThreadgroup,
		most: min(1024, k.limits.MaxTotalThreadsPerThreadgroup), mayImprove: k.mayImprove}
	g.begin(&k.shapes.report, k.chooseGroup(grid))
	return g
}

// begin adds the shapes to begin with: those that touch the fewest lines, and the usual one.
func (g *groupSearch) begin(report *shapeReport, usual mtl.Size) {
	grid := g.grid
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
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(distance(a.size, usual), distance(b.size, usual)))
	})
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
}

func (k *Kernel) mayImprove(s mtl.Size) bool {
	return client.Ask(&extension.MayImprove, k.pipeline.ID(), uintptr(s.Width), uintptr(s.Height), uintptr(s.Depth))
}

// distance returns how far shapes are apart: the sum of the powers of two between their sides.
func distance(a, b mtl.Size) (sum int) {
	for i, x := range axes(a) {
		d := bits.Len(x) - bits.Len(axes(b)[i])
		sum += max(d, -d)
	}
	return sum
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
	times := make([]time.Duration, 0, heats[len(heats)-1].samples)
	g.shapes = append(g.shapes, shape{size: s, times: times})
	return true
}

// groupTrial is a command buffer that measures a shape. The zero value measures none.
type groupTrial struct {
	search *groupSearch
	index  int
	size   mtl.Size
}

// beginTrial lets a batch measure the next shape, if it consists of launches of one kernel with
// one grid.
func (a *Accelerator) beginTrial(works []work, timer *launchTimer) (t groupTrial) {
	first, ok := works[0].command.(*Launch)
	if !ok || first.search == nil || first.search.ended.Load() || timer != nil {
		return t
	}
	g := first.search
	for i := range works {
		if l, ok := works[i].command.(*Launch); !ok || l.search != g {
			return t
		}
	}
	if !client.Ask(&extension.RunsPlain, a.device.ID()) {
		return t
	}
	return g.trial()
}

// trial returns what to measure next: the first shape until it is known whether a search is worth
// it, then what is not warm, then in turn, so that other work on the machine slows all shapes
// alike.
func (g *groupSearch) trial() groupTrial {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.seen++; g.seen <= searchAfter || g.ended.Load() {
		return groupTrial{}
	}
	next := 0
	if g.shapes[0].heat > 0 || g.shapes[0].out {
		next = -1
		for i := range g.shapes {
			if s := &g.shapes[i]; !s.out && (next < 0 || s.before(&g.shapes[next])) {
				next = i
			}
		}
	}
	s := &g.shapes[next]
	s.begun++
	return groupTrial{g, next, s.size}
}

// before reports whether a shape's turn is before another's.
func (s *shape) before(t *shape) bool {
	if s.warm != t.warm {
		return !s.warm
	}
	return s.begun < t.begun
}

// group returns the threadgroup for a launch.
func (t *groupTrial) group(g *groupSearch) mtl.Size {
	if t.search == g {
		return t.size
	}
	return g.best()
}

// end takes the time of launches, or that one of them has failed.
func (t *groupTrial) end(took time.Duration, launches int, err error) {
	switch {
	case t.search == nil:
	case err != nil:
		t.search.failed(t.index)
	case took > 0:
		t.search.measured(t.index, took/time.Duration(launches))
	}
}

// measured takes the time of a launch with a shape.
func (g *groupSearch) measured(i int, d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended.Load() || g.shapes[i].out {
		return
	}
	s := &g.shapes[i]
	if !s.warm {
		s.warmed++
		if s.warm = s.warmed >= maxWarming || s.warmed >= minWarming && !g.mayImprove(s.size); s.warm {
			s.begun = 0
		}
		return
	}
	least := d
	if len(s.times) > 0 {
		least = min(d, s.least())
	}
	for range 1 + min(least/longLaunch, 3) { // short disturbances are a smaller part of long launches
		at, _ := slices.BinarySearch(s.times, d)
		s.times = slices.Insert(s.times, at, d)
	}
	s.begun = max(s.begun, len(s.times))
	best := g.fastest()
	g.now.Store(packed(best.size))
	for s.heat < len(heats) && len(s.times) >= heats[s.heat].samples {
		s.out = s.out || s.slower(best, heats[s.heat].within) || g.faster(s) >= heats[s.heat].left
		s.heat++
		if i == 0 && s.heat == 1 && s.least() < worthSearching {
			g.finish()
			return
		}
	}
	g.advance()
}

// failed drops a shape whose launch has failed: it has no time, and no other launch shall fail
// because of it.
func (g *groupSearch) failed(i int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.ended.Load() {
		g.shapes[i].out = true
		g.advance()
	}
}

// advance lets the neighbors of the best shape join after the first heats, and ends the search
// after the last.
func (g *groupSearch) advance() {
	if g.behind(neighborHeat) {
		return
	}
	if best := g.fastest(); best != nil {
		g.addNeighbors(best.size)
	}
	if !g.behind(len(heats)) {
		g.finish()
	}
}

// behind reports whether a shape has yet to run in one of the first n heats. The last one needs no
// other heats.
func (g *groupSearch) behind(n int) bool {
	left, behind := 0, false
	for i := range g.shapes {
		if s := &g.shapes[i]; !s.out {
			left++
			behind = behind || s.heat < n
		}
	}
	return behind && (left > 1 || n <= neighborHeat)
}

// fastest returns the shape with the least time, nil if none has any.
func (g *groupSearch) fastest() (best *shape) {
	for i := range g.shapes {
		if s := &g.shapes[i]; !s.out && len(s.times) > 0 && (best == nil || s.least() < best.least()) {
			best = s
		}
	}
	return best
}

// faster returns how many of the shapes that are left are faster than one.
func (g *groupSearch) faster(than *shape) (n int) {
	for i := range g.shapes {
		if s := &g.shapes[i]; !s.out && len(s.times) > 0 && s.least() < than.least() {
			n++
		}
	}
	return n
}

func (g *groupSearch) finish() {
	if best := g.fastest(); best != nil {
		g.now.Store(packed(best.size))
	} else {
		g.now.Store(packed(g.first))
	}
	g.ended.Store(true)
	g.shapes = nil
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
