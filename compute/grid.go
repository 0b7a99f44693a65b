package compute

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// Grid is the number of threads of a launch: [Threads] or [Threadgroups].
type Grid interface {
	// check returns an error for an invalid size.
	check() error
	// size returns the grid, the requested threadgroup (zero to choose one), and whether the grid
	// counts threads.
	size() (grid, group mtl.Size, threads bool)
}

// Extent is a size in up to three dimensions. Zero in Y or Z means one.
type Extent struct{ X, Y, Z int }

func (e Extent) metal() mtl.Size {
	return mtl.Size{Width: uint(e.X), Height: uint(max(e.Y, 1)), Depth: uint(max(e.Z, 1))}
}

// String returns "64x4x1".
func (e Extent) String() string { return fmt.Sprintf("%dx%dx%d", e.X, max(e.Y, 1), max(e.Z, 1)) }

// maxThreads is the maximum size of a grid in one dimension: Metal counts threads with 32 bits.
const maxThreads = 1<<32 - 1

// check returns an error for an invalid size.
func (e Extent) check(what string) error {
	if e.X < 1 || e.Y < 0 || e.Z < 0 || e.X > maxThreads || e.Y > maxThreads || e.Z > maxThreads {
		return fmt.Errorf("%s is %v, want 1 to %d in each dimension: %w", what, e, uint(maxThreads), ErrRange)
	}
	return nil
}

// Threads is a grid counted in threads. If it is not a multiple of the threadgroup, the
// threadgroups at its edges are smaller. If Group is zero, a threadgroup is chosen: what the kernel
// requires, else 256 threads, as wide as a simdgroup where the grid allows it.
//
// On the software device, the choice also depends on how the kernel accesses memory and on the
// times of its launches, if its results cannot depend on the threadgroup: without data races, the
// kernel asks for nothing but positions in the grid and its size, uses no threadgroup memory,
// barriers, operations among the threads of a simdgroup or quad, or messages, and its only atomic
// operations are integer ones in buffers whose results it ignores, without stores and exchanges.
// All other kernels, and all kernels under [WithSanitizer], get the same threadgroup for the same
// grid each time.
type Threads struct {
	Grid  Extent
	Group Extent
}

// Threadgroups is a grid counted in threadgroups of a given size, which must be set.
type Threadgroups struct {
	Grid  Extent
	Group Extent
}

// Threads1D is a line of n threads.
func Threads1D(n int) Threads { return Threads{Grid: Extent{X: n}} }

// Threads2D is a rectangle of threads.
func Threads2D(x, y int) Threads { return Threads{Grid: Extent{X: x, Y: y}} }

// Threads3D is a box of threads.
func Threads3D(x, y, z int) Threads { return Threads{Grid: Extent{X: x, Y: y, Z: z}} }

// In returns the same grid with a threadgroup of the given size.
func (t Threads) In(group Extent) Threads { return Threads{t.Grid, group} }

func (t Threads) check() error {
	if err := t.Grid.check("grid"); err != nil || t.Group == (Extent{}) {
		return err
	}
	return t.Group.check("threadgroup")
}

func (t Threads) size() (mtl.Size, mtl.Size, bool) {
	if t.Group == (Extent{}) {
		return t.Grid.metal(), mtl.Size{}, true
	}
	return t.Grid.metal(), t.Group.metal(), true
}

func (g Threadgroups) check() error {
	if err := g.Grid.check("grid"); err != nil {
		return err
	}
	if g.Group == (Extent{}) {
		return fmt.Errorf("Threadgroups.Group is not set: a grid counted in threadgroups needs their size: %w", ErrRange)
	}
	return g.Group.check("threadgroup")
}

func (g Threadgroups) size() (mtl.Size, mtl.Size, bool) {
	return g.Grid.metal(), g.Group.metal(), false
}

// checkGrid checks a grid against the kernel and returns it with its threadgroup.
func (k *Kernel) checkGrid(g Grid) (grid, group mtl.Size, threads bool, err error) {
	if v := reflect.ValueOf(g); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return grid, group, false, fmt.Errorf("nil grid: %w", ErrRange)
	}
	if err = g.check(); err != nil {
		return grid, group, false, err
	}
	grid, group, threads = g.size()
	if group == (mtl.Size{}) {
		if s := k.search(grid); s != nil {
			group = s.First
		} else {
			group = k.chooseGroup(grid)
		}
	}
	limit := k.acc.info.Limits.MaxThreadsPerThreadgroup
	required := k.core.Made().Limits.RequiredThreadsPerThreadgroup
	switch all := group.Width * group.Height * group.Depth; {
	case required.Width > 0 && required != group:
		err = fmt.Errorf("threadgroup of %v threads, the kernel requires %v: %w", text(group), text(required), ErrRange)
	case group.Width > limit.Width || group.Height > limit.Height || group.Depth > limit.Depth:
		err = fmt.Errorf("threadgroup of %v threads, the device allows at most %v: %w", text(group), text(limit), ErrRange)
	case all > k.core.Made().Limits.MaxTotalThreadsPerThreadgroup:
		err = fmt.Errorf("threadgroup of %v = %d threads, the kernel allows at most %d; use a smaller group: %w",
			text(group), all, k.core.Made().Limits.MaxTotalThreadsPerThreadgroup, ErrRange)
	}
	most := uint(maxThreads)
	if slices.ContainsFunc(k.parameters, func(p Parameter) bool { return p.lengthOf > 0 }) {
		most = maxSlice // the translation of a kernel in Go relies on it
	}
	switch {
	case err != nil:
	case !threads && (grid.Width > most/group.Width || grid.Height > most/group.Height || grid.Depth > most/group.Depth):
		err = fmt.Errorf("grid of %v threadgroups of %v threads exceeds %d threads in a dimension: %w", text(grid),
			text(group), most, ErrRange)
	case threads && max(grid.Width, grid.Height, grid.Depth) > most:
		err = fmt.Errorf("grid of %v threads exceeds %d threads in a dimension: %w", text(grid), most, ErrRange)
	}
	return grid, group, threads, err
}

func text(s mtl.Size) string { return fmt.Sprintf("%dx%dx%d", s.Width, s.Height, s.Depth) }

// chooseGroup chooses a threadgroup for a grid of threads: one simdgroup along x, then as many rows
// and layers as the budget allows. If the grid has too few of those, it extends the group along x
// in whole simdgroups, within the grid.
func (k *Kernel) chooseGroup(grid mtl.Size) mtl.Size {
	if r := k.core.Made().Limits.RequiredThreadsPerThreadgroup; r.Width > 0 {
		return r
	}
	width := max(k.core.Made().Limits.ThreadExecutionWidth, 1)
	budget := min(stream.PreferredThreads, k.core.Made().Limits.MaxTotalThreadsPerThreadgroup)
	if budget < width { // a kernel with many registers: the group is smaller than a simdgroup
		return mtl.Size{Width: min(budget, grid.Width), Height: 1, Depth: 1}
	}
	limit := k.acc.info.Limits.MaxThreadsPerThreadgroup
	x := min(width, grid.Width, limit.Width)
	// If the grid is narrower than a simdgroup, several rows share one.
	y := min(budget/x, grid.Height, limit.Height)
	z := min(budget/(x*y), grid.Depth, limit.Depth)
	if x == width { // too few rows and layers may leave budget
		x = min(budget/(y*z)/width*width, grid.Width, limit.Width)
	}
	return mtl.Size{Width: x, Height: max(y, 1), Depth: max(z, 1)}
}
