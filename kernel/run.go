package kernel

import (
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// The limits of a launch.
const (
	maxGroupThreads = 1024      // of a threadgroup, as in Metal
	maxDimension    = 1<<31 - 1 // of a grid in one dimension, so that positions are int32
	maxGridThreads  = 1 << 40   // of a grid
	maxCooperative  = 1 << 17   // of a grid that waits at a barrier
	maxSharedBytes  = 32 * 1024 // of a threadgroup, as in Metal
)

// Run calls fn for each thread of a grid, in threadgroups of the given size, where 0 for Y or Z
// means 1. If the grid is no multiple of it, the threadgroups at the edge are smaller. Run returns
// when all threads have returned. shared has the length of each [SharedSlice], in the order in
// which threads call it.
//
// Threadgroups run in parallel, as many as GOMAXPROCS. The threads of one run one after another,
// and take turns where they wait for each other, always in the same order. Under the race detector,
// each has a goroutine of its own, so that races between them are found.
//
// A thread that panics or calls runtime.Goexit, and threads that wait for others in vain, end the
// launch with an error that has the thread's position and the file and line. Of several, Run
// returns that of the first threadgroup. A thread must not wait in a loop for what another one
// writes: as on a GPU, the other may not run meanwhile.
func Run(grid, group Index, fn func(t *Thread), shared ...int) error {
	grid, group = grid.whole(), group.whole()
	if err := check(grid, group, fn == nil, shared); err != nil {
		return err
	}
	r := &launch{grid: grid, size: group, fn: fn, slices: shared,
		groups: Index{ceil(grid.X, group.X), ceil(grid.Y, group.Y), ceil(grid.Z, group.Z)}}
	r.count = uint64(r.groups.X) * uint64(r.groups.Y) * uint64(r.groups.Z)
	r.threads = uint64(grid.X) * uint64(grid.Y) * uint64(grid.Z)
	r.failedAt.Store(math.MaxUint64)
	return r.run()
}

func ceil(n, d uint32) uint32 { return uint32((uint64(n) + uint64(d) - 1) / uint64(d)) }

// whole returns the size with 1 for Y and Z that are not set.
func (i Index) whole() Index { return Index{i.X, max(i.Y, 1), max(i.Z, 1)} }

// product returns the number of threads of a size, or the largest number if it is too large.
func (i Index) product() uint64 {
	high, low := bits.Mul64(uint64(i.X)*uint64(i.Y), uint64(i.Z))
	if high != 0 {
		return math.MaxUint64
	}
	return low
}

// String returns the index as (X, Y, Z).
func (i Index) String() string { return fmt.Sprintf("(%d, %d, %d)", i.X, i.Y, i.Z) }

func check(grid, group Index, none bool, shared []int) error {
	switch {
	case none:
		return fmt.Errorf("kernel: Run: the function is nil")
	case grid.product() == 0:
		return fmt.Errorf("kernel: Run: grid %v has no threads; X must be at least 1", grid)
	case max(grid.X, grid.Y, grid.Z) > maxDimension:
		return fmt.Errorf("kernel: Run: grid %v has more than %d threads in a dimension", grid, maxDimension)
	case grid.product() > maxGridThreads:
		return fmt.Errorf("kernel: Run: grid %v has more than %d threads", grid, uint64(maxGridThreads))
	case group.product() == 0:
		return fmt.Errorf("kernel: Run: threadgroup %v has no threads; X must be at least 1", group)
	case group.product() > maxGroupThreads:
		return fmt.Errorf("kernel: Run: threadgroup %v has more than %d threads", group, maxGroupThreads)
	}
	for i, n := range shared {
		if n < 0 || n > maxSharedBytes {
			return fmt.Errorf("kernel: Run: length %d of shared slice %d is not between 0 and %d", n, i, maxSharedBytes)
		}
	}
	return nil
}

// launch is a running call of Run.
type launch struct {
	grid, size, groups Index
	fn                 func(t *Thread)
	slices             []int
	count              uint64 // threadgroups
	threads            uint64

	next     atomic.Uint64 // the next threadgroup to begin, or to go on with
	failedAt atomic.Uint64 // the first threadgroup that has failed

	mu      sync.Mutex
	err     error             // of threadgroup failedAt
	waiting []*group          // at a grid barrier
	texts   map[uint64][]byte // that threadgroups have printed
	printed int               // bytes of them
}

// run runs the grid from grid barrier to grid barrier.
func (r *launch) run() error {
	workers := make([]*worker, min(uint64(runtime.GOMAXPROCS(0)), r.count))
	for i := range workers {
		workers[i] = &worker{launch: r}
	}
	defer func() {
		for _, w := range workers {
			w.close()
		}
	}()
	r.phase(workers, r.count, func(i uint64) *group { return nil })
	for r.err == nil && len(r.waiting) > 0 {
		groups := r.ordered()
		if r.err != nil {
			break
		}
		r.phase(workers, r.count, func(i uint64) *group { return groups[i] })
	}
	for _, g := range r.waiting {
		g.abandon()
	}
	if err := r.print(); err != nil && r.err == nil {
		return err
	}
	return r.err
}

// phase lets the workers take all threadgroups, which at returns, or nil for those that have not
// begun.
func (r *launch) phase(workers []*worker, n uint64, at func(i uint64) *group) {
	r.next.Store(0)
	var all sync.WaitGroup
	for _, w := range workers {
		all.Go(func() {
			for i := r.next.Add(1) - 1; i < n && i < r.failedAt.Load(); i = r.next.Add(1) - 1 {
				w.advance(i, at(i))
			}
		})
	}
	all.Wait()
}

// ordered returns the threadgroups that wait at a grid barrier, if all of the grid wait at the
// same.
func (r *launch) ordered() []*group {
	groups := make([]*group, r.count)
	for _, g := range r.waiting {
		groups[g.number] = g
	}
	first := groups[slices.IndexFunc(groups, func(g *group) bool { return g != nil })]
	for i, g := range groups {
		switch {
		case g == nil:
			r.fail(first.number, fmt.Errorf("kernel: grid barrier at %s: threadgroup %v waits, threadgroup %v has ended",
				first.barrier.first.site.where(), first.pos, r.position(uint64(i))))
			return nil
		case g.barrier.first.site.stack != first.barrier.first.site.stack:
			r.fail(first.number, fmt.Errorf("kernel: threadgroup %v waits at the grid barrier at %s, threadgroup %v at %s",
				first.pos, first.barrier.first.site.where(), g.pos, g.barrier.first.site.where()))
			return nil
		}
	}
	r.waiting = nil
	return groups
}

// position returns the position of threadgroup i.
func (r *launch) position(i uint64) Index {
	return Index{uint32(i % uint64(r.groups.X)), uint32(i / uint64(r.groups.X) % uint64(r.groups.Y)),
		uint32(i / uint64(r.groups.X) / uint64(r.groups.Y))}
}

// fail ends the launch because threadgroup i failed.
func (r *launch) fail(i uint64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i < r.failedAt.Load() {
		r.failedAt.Store(i)
		r.err = err
	}
}

// wait keeps a threadgroup at a grid barrier.
func (r *launch) wait(g *group) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, g)
}
