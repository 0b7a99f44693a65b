package stream

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
)

// ShapeReport is what a pipeline of the software driver knows.
type ShapeReport extension.ShapeReport

// Limits of searches.
const (
	MaxSearches    = 32 // of a kernel: grids
	SearchAfter    = 2  // launches of a grid
	worthSearching = time.Microsecond * 30
	shapeLine      = 64  // bytes of a processor's cache line
	maxCoarse      = 9   // shapes to begin with
	maxShapes      = 22  // in all
	likelyCost     = 2.2 // times the lowest: lines that a shape may take to be tried

	MinWarming = 2                     // launches of a shape that do not count
	MaxWarming = 24                    // of those, while the software device may yet have faster code
	longLaunch = 10 * time.Millisecond // and longer ones count several times
)

// Heats are the eliminations of a search. All shapes that are left take turns until each has that
// many samples. Then a shape leaves if it is slower than the best by more than a factor, or if
// enough others are faster. Few samples say little where other work disturbs, so the first heats
// are lenient.
var Heats = [...]struct {
	Samples int
	within  float64
	left    int // at most
}{{3, 2.5, maxShapes}, {6, 1.6, maxShapes}, {10, 1.3, 8}, {16, 1.15, 4}, {28, 1, 4}}

// neighborHeat is the number of heats after which the neighbors of the best shape join.
const neighborHeat = 2

// lines estimates the cache lines that a simdgroup touches in threadgroups of a shape.
func (r *ShapeReport) lines(shape [3]uint) (sum float64) {
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

// GroupSearch finds the fastest threadgroup for a grid of a kernel by measuring launches. It begins
// with shapes in which a simdgroup touches few lines, eliminates slow ones in heats, lets the
// neighbors of the best join, and ends for good with the best. Only time depends on it.
type GroupSearch struct {
	Grid  mtl.Size
	First mtl.Size // used until something better is known
	Limit mtl.Size
	Most  uint
	now   atomic.Uint64 // the best so far, packed
	Ended atomic.Bool

	// mayImprove reports whether launches with a threadgroup are slower than later ones will be,
	// because the device is still compiling.
	MayImprove func(mtl.Size) bool

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

// Best returns the best threadgroup that is known.
func (g *GroupSearch) Best() mtl.Size {
	p := g.now.Load()
	return mtl.Size{Width: uint(p >> 32), Height: uint(p >> 16 & 0xffff), Depth: uint(p & 0xffff)}
}

// Begin adds the shapes to begin with: those that touch the fewest lines, and the usual one.
func (g *GroupSearch) Begin(report *ShapeReport, usual mtl.Size) {
	grid := g.Grid
	g.First = usual
	type candidate struct {
		size mtl.Size
		cost float64
	}
	var all []candidate
	least := report.lines(Axes(usual))
	budget := min(PreferredThreads, g.Most)
	for x := uint(1); x <= g.Most; x *= 2 {
		for y := uint(1); x*y <= g.Most; y *= 2 {
			for z := uint(1); x*y*z <= g.Most; z *= 2 {
				s := mtl.Size{Width: min(x, grid.Width), Height: min(y, grid.Height), Depth: min(z, grid.Depth)}
				if !g.allows(s) || slices.ContainsFunc(all, func(c candidate) bool { return c.size == s }) {
					continue
				}
				c := candidate{s, report.lines(Axes(s))}
				if n := s.Width * s.Height * s.Depth; n == budget && c.cost < 0.9*least {
					g.First, least = s, c.cost
				}
				all = append(all, c)
			}
		}
	}
	g.now.Store(packed(g.First))
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(Distance(a.size, usual), Distance(b.size, usual)))
	})
	g.add(g.First)
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

// Distance returns how far shapes are apart: the sum of the powers of two between their sides.
func Distance(a, b mtl.Size) (sum int) {
	for i, x := range Axes(a) {
		d := bits.Len(x) - bits.Len(Axes(b)[i])
		sum += max(d, -d)
	}
	return sum
}

// allows reports whether a shape is worth trying: at least a simdgroup, within the grid.
func (g *GroupSearch) allows(s mtl.Size) bool {
	n := s.Width * s.Height * s.Depth
	return n >= 32 && n <= g.Most && s.Width <= g.Limit.Width && s.Height <= g.Limit.Height && s.Depth <= g.Limit.Depth &&
		s.Width <= g.Grid.Width && s.Height <= g.Grid.Height && s.Depth <= g.Grid.Depth
}

// add adds a shape, and reports whether it is new.
func (g *GroupSearch) add(s mtl.Size) bool {
	if slices.ContainsFunc(g.shapes, func(x shape) bool { return x.size == s }) {
		return false
	}
	times := make([]time.Duration, 0, Heats[len(Heats)-1].Samples)
	g.shapes = append(g.shapes, shape{size: s, times: times})
	return true
}

// GroupTrial is a command buffer that measures a shape. The zero value measures none.
type GroupTrial struct {
	Search *GroupSearch
	index  int
	Size   mtl.Size
}

// BeginTrial lets a batch measure the next shape, if it consists of launches of one kernel with
// one grid.
func (a *Device) BeginTrial(works []Work, timer *LaunchTimer) (t GroupTrial) {
	first, ok := works[0].Command.(*Launch)
	if !ok || first.Search == nil || first.Search.Ended.Load() || timer != nil {
		return t
	}
	g := first.Search
	for i := range works {
		if l, ok := works[i].Command.(*Launch); !ok || l.Search != g {
			return t
		}
	}
	if !client.Ask(&extension.RunsPlain, a.Device.ID()) {
		return t
	}
	return g.Trial()
}

// Trial returns what to measure next: the first shape until it is known whether a search is worth
// it, then what is not warm, then in turn, so that other work on the machine slows all shapes
// alike.
func (g *GroupSearch) Trial() GroupTrial {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.seen++; g.seen <= SearchAfter || g.Ended.Load() {
		return GroupTrial{}
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
	return GroupTrial{g, next, s.size}
}

// before reports whether a shape's turn is before another's.
func (s *shape) before(t *shape) bool {
	if s.warm != t.warm {
		return !s.warm
	}
	return s.begun < t.begun
}

// Group returns the threadgroup for a launch.
func (t *GroupTrial) Group(g *GroupSearch) mtl.Size {
	if t.Search == g {
		return t.Size
	}
	return g.Best()
}

// End takes the time of launches, or that one of them has failed.
func (t *GroupTrial) End(took time.Duration, launches int, err error) {
	switch {
	case t.Search == nil:
	case err != nil:
		t.Search.failed(t.index)
	case took > 0:
		t.Search.Measured(t.index, took/time.Duration(launches))
	}
}

// Measured takes the time of a launch with a shape.
func (g *GroupSearch) Measured(i int, d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.Ended.Load() || g.shapes[i].out {
		return
	}
	s := &g.shapes[i]
	if !s.warm {
		s.warmed++
		if s.warm = s.warmed >= MaxWarming || s.warmed >= MinWarming && !g.MayImprove(s.size); s.warm {
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
	for s.heat < len(Heats) && len(s.times) >= Heats[s.heat].Samples {
		s.out = s.out || s.slower(best, Heats[s.heat].within) || g.faster(s) >= Heats[s.heat].left
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
func (g *GroupSearch) failed(i int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.Ended.Load() {
		g.shapes[i].out = true
		g.advance()
	}
}

// advance lets the neighbors of the best shape join after the first heats, and ends the search
// after the last.
func (g *GroupSearch) advance() {
	if g.behind(neighborHeat) {
		return
	}
	if best := g.fastest(); best != nil {
		g.addNeighbors(best.size)
	}
	if !g.behind(len(Heats)) {
		g.finish()
	}
}

// behind reports whether a shape has yet to run in one of the first n heats. The last one needs no
// other heats.
func (g *GroupSearch) behind(n int) bool {
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
func (g *GroupSearch) fastest() (best *shape) {
	for i := range g.shapes {
		if s := &g.shapes[i]; !s.out && len(s.times) > 0 && (best == nil || s.least() < best.least()) {
			best = s
		}
	}
	return best
}

// faster returns how many of the shapes that are left are faster than one.
func (g *GroupSearch) faster(than *shape) (n int) {
	for i := range g.shapes {
		if s := &g.shapes[i]; !s.out && len(s.times) > 0 && s.least() < than.least() {
			n++
		}
	}
	return n
}

func (g *GroupSearch) finish() {
	if best := g.fastest(); best != nil {
		g.now.Store(packed(best.size))
	} else {
		g.now.Store(packed(g.First))
	}
	g.Ended.Store(true)
	g.shapes = nil
}

// addNeighbors adds the shapes that are twice or half as long in one direction, and those of the
// same size that are longer in one and shorter in another.
func (g *GroupSearch) addNeighbors(s mtl.Size) {
	from := Axes(s)
	try := func(x [3]uint) {
		if n := SizeOfAxes(x); x[0]*x[1]*x[2] > 0 && len(g.shapes) < maxShapes && g.allows(n) {
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

// PreferredThreads is the maximum size of a chosen threadgroup: enough simdgroups to hide latency,
// few enough that several threadgroups fit on a core. Metal.jl and MLX use 256 to 1024 for
// element-wise kernels.
const PreferredThreads = 256

// Axes returns the components of a size.
func Axes(s mtl.Size) [3]uint { return [3]uint{s.Width, s.Height, s.Depth} }

// SizeOfAxes is the inverse of axes.
func SizeOfAxes(x [3]uint) mtl.Size { return mtl.Size{Width: x[0], Height: x[1], Depth: x[2]} }
