package exec

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/exec/message"
	"github.com/puremetal/puremetal/internal/ir"
)

// Launch describes one execution of a kernel over a grid. It may be reused; Run does not keep it.
type Launch struct {
	Grid  [3]int // threads; a component 0 counts as 1
	Group [3]int // threads of a threadgroup; threadgroups at the grid's edge may be smaller

	Space       *Space         // resolves addresses and handles; nil for an empty one
	Buffers     []uint64       // addresses by slot, 0 for none
	Threadgroup []int          // lengths of threadgroup memory in bytes, by slot
	Textures    []uint64       // handles by slot, 0 for none
	Samplers    []uint64       // handles by slot, 0 for the default sampler
	Constants   map[int][]byte // values of function constants by index, in the language's layout
	Commands    Commands       // indirect command buffers; nil for none
	Fuel        int64          // limit of the work of all threads together, accurate to an eighth; 0 for no limit
	Budget      int64          // that Fuel is what is left of, for errors; 0 for Fuel itself
	Left        int64          // what is left of Fuel when the launch has ended; set by Run
	Scratch     Scratch        // accounts for the engine's working memory; nil for no accounting
	Log         message.Sink   // receives log messages of the kernel; nil drops them
	Priority    Priority       // relative to other launches of the engine

	// Cooperative, if not nil, lets threadgroups wait for each other at grid barriers. A kernel that
	// has some is launched in no other way. Run sets what it counts.
	Cooperative *Cooperative

	Schedule Schedule // the order of threadgroups and simdgroups; nil for the engine's own, on all workers

	// Hook, if not nil, observes every instruction and memory access. Such a launch executes the
	// kernel without optimization.
	Hook hook.Hook
}

// Scratch accounts for the working memory of engines during a launch: the variables of running
// threads, and threadgroup memory. Workers call the methods concurrently.
type Scratch interface {
	// TakeScratch reserves n bytes. It fails if the memory is not available; see Run.takeScratch.
	TakeScratch(n int64) error
	// GiveScratch returns n reserved bytes.
	GiveScratch(n int64)
}

// Commands are the indirect command buffers that kernels encode. Workers call the methods
// concurrently.
type Commands interface {
	// Count returns the number of commands in a buffer, 0 for an unknown handle.
	Count(buffer uint64) uint32
	// At returns the handle of a command, or 0 if there is none.
	At(buffer uint64, index uint32) uint64
	// Set applies op to the command with the given handle; unknown handles are ignored.
	Set(command uint64, op ir.CommandOp, handle uint64, first, second [3]uint32)
}

// MaxThreadgroups is the maximum number of threadgroups in a grid.
const MaxThreadgroups = 1 << 48

// Geometry is the shape of a launch.
type Geometry struct {
	Grid   [3]int // threads, each component at least 1
	Group  [3]int // threads of a full threadgroup, each component at least 1
	Groups [3]int // threadgroups
	Total  int64  // total number of threadgroups
}

// Geometry checks the sizes of a launch and counts its threadgroups.
func (l *Launch) Geometry() (g Geometry, err error) {
	g.Total = 1
	threads := 1
	for i := range 3 {
		if l.Grid[i] < 0 || l.Group[i] < 0 {
			return g, fmt.Errorf("%w: a grid of %v threads in threadgroups of %v", ErrLaunch, l.Grid, l.Group)
		}
		g.Grid[i], g.Group[i] = max(l.Grid[i], 1), max(l.Group[i], 1)
		g.Groups[i] = 1
		if g.Grid[i] > g.Group[i] {
			g.Groups[i] = (g.Grid[i]-1)/g.Group[i] + 1
		}
		if n := g.Groups[i]; n > 1 && int64(n) > MaxThreadgroups/g.Total {
			return g, fmt.Errorf("%w: a grid of %v threads in threadgroups of %v has more than %d threadgroups",
				ErrLaunch, l.Grid, l.Group, int64(MaxThreadgroups))
		}
		g.Total *= int64(g.Groups[i])
		threads *= min(g.Group[i], ir.MaxThreads+1)
	}
	if threads > ir.MaxThreads {
		return g, fmt.Errorf("%w: %v is more than %d threads in a threadgroup", ErrLaunch, l.Group, ir.MaxThreads)
	}
	return g, nil
}

// Shape returns the size of the threadgroup at a position, which may be smaller at the grid's edge.
func (g *Geometry) Shape(pos [3]int) (shape [3]int) {
	for i := range 3 {
		shape[i] = min(g.Group[i], g.Grid[i]-pos[i]*g.Group[i])
	}
	return shape
}

// checkMemory checks the threadgroup memory of a kernel's launch.
func (l *Launch) checkMemory(f *ir.Func) error {
	total := 0
	for _, v := range f.Threadgroup {
		total += min(v.Size, ir.MaxThreadgroupBytes+1)
	}
	for slot, n := range l.Threadgroup {
		if n < 0 || n > ir.MaxThreadgroupBytes {
			return fmt.Errorf("%w: %d bytes of threadgroup memory in slot %d, want 0 to %d", ErrLaunch, n, slot,
				ir.MaxThreadgroupBytes)
		}
		total += n
	}
	if total > ir.MaxThreadgroupBytes {
		return fmt.Errorf("%w: %d bytes of threadgroup memory, more than %d", ErrLaunch, total, ir.MaxThreadgroupBytes)
	}
	return nil
}

// Check checks everything about a launch of a valid function that does not depend on the engine. It
// returns the launch's geometry and the values of the function's constants, in the order of
// f.Constants.
func (l *Launch) Check(f *ir.Func) (Geometry, []Constant, error) {
	g, err := l.check(f)
	if err == nil {
		err = l.checkGrid(f.HasGridBarrier(), func() error { return gridFlow(f, nil) })
	}
	if err != nil {
		return g, nil, err
	}
	constants, err := readConstants(f, constantTypes(f), l.Constants, nil)
	return g, constants, err
}

// check is Check without the constants.
func (l *Launch) check(f *ir.Func) (Geometry, error) {
	g, err := l.Geometry()
	if err == nil {
		err = l.checkMemory(f)
	}
	return g, err
}
