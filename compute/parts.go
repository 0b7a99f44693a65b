package compute

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/plainmetal"
)

// ErrParts: the kernel cannot be launched in parts.
var ErrParts = errors.New("the kernel cannot run in parts")

// PartOptions configures [Stream.LaunchParts].
type PartOptions struct {
	// Target is the device time that a part should take. The default is 250 ms. macOS stops command
	// buffers that take some seconds, and the display may stutter before that.
	Target time.Duration
	// Independent says that no threadgroup waits for another one, although the kernel loads atomics
	// in a loop.
	Independent bool
	// Progress, if not nil, is called after each part, with the numbers of threads.
	Progress func(done, total uint64)
}

// PartRun says how a launch ran in parts.
type PartRun struct {
	Parts   int
	Threads uint64        // executed; all of the grid, unless there was an error
	Total   time.Duration // of all parts, on the device
	Longest time.Duration
	Host    bool // timed by the host's clock, because the device gave no time
}

// defaultPart is the default of PartOptions.Target.
const defaultPart = 250 * time.Millisecond

// Limits of a part's size: the first one of a kernel that has not run before is a fraction of the
// grid, and each later one at most some times as long as the one before.
const (
	firstPart  = 64
	growPart   = 4
	windowSize = plainmetal.WindowSize
)

// partResult is how a part ended.
type partResult struct {
	stream.PlainComposite
	took time.Duration // of the device
	err  error
}

func (r *partResult) Alone() bool { return true }

func (r *partResult) Ended(_ *stream.Work, took time.Duration, err error) { r.took, r.err = took, err }

// LaunchParts runs a long launch as several shorter ones, each on a part of the grid, and waits for
// them. Watchdogs do not stop it, and others can use the device between the parts. Their sizes
// follow from measured times: see PartOptions.Target. The kernel notices nothing: positions and
// sizes are those of the whole grid, and results those of [Stream.Launch].
//
// A part is a slice of whole threadgroups along the axis that has the most of them, so the smallest
// one has a single threadgroup along this axis. The kernel is compiled again at first use, in a
// form that takes the position of the part from a buffer; it must leave one of 31 buffer indices
// free.
// Errors wrap [ErrParts] for kernels that wait for other threadgroups: those that synchronize the
// grid, and, unless PartOptions.Independent says otherwise, those that load an atomic in a loop.
// Waits by other means are not found.
//
// If a part fails, the parts before it have been executed: [PartRun.Threads] has the number of
// threads. The failure is an *[ExecutionError], which Sync does not return again. If the context
// ends, the device may still execute the part that was waited for.
func (s *Stream) LaunchParts(ctx context.Context, k *Kernel, grid Grid, o PartOptions, args ...any) (r PartRun,
	err error) {
	l, err := s.bind(ctx, "LaunchParts", k, grid, args)
	if err != nil {
		return r, err
	}
	if o.Target < 0 {
		return r, fmt.Errorf("compute: LaunchParts: Target %v, want at least 0: %w", o.Target, ErrOption)
	}
	if o.Target == 0 {
		o.Target = defaultPart
	}
	p, err := l.parts(ctx, o)
	if err != nil {
		return r, &LaunchError{Kernel: k.core.Name, Err: err}
	}
	var site [1]uintptr
	runtime.Callers(2, site[:])
	k.core.Counters.Launches.Add(1)
	for p.next < p.groups && err == nil {
		err = p.run(ctx, s, &r, site[0])
		if err == nil && o.Progress != nil {
			o.Progress(r.Threads, l.core.Count)
		}
	}
	if err != nil { // also if the context has ended between two parts
		s.acc.core.SettleAccesses(l.core.Accesses(nil), err)
	}
	k.core.Counters.Threads.Add(r.Threads)
	return r, err
}

// parts are the parts of a launch, along an axis of the grid.
type parts struct {
	launch *Launch
	form   *Kernel // of the launch's kernel
	window uint    // the buffer that it has its position from
	target time.Duration

	axis         int
	groups, next uint // threadgroups along the axis: all of them, and the first that has not run
	size         uint // of the next part
	slice        int64
}

// parts prepares a launch in parts.
func (l *Launch) parts(ctx context.Context, o PartOptions) (*parts, error) {
	k := l.kernel
	if k.phased != nil {
		return nil, fmt.Errorf("%w: it synchronizes the grid", ErrParts)
	}
	form, err := k.from.form(ctx, formKey{kernel: k.function, window: true})
	if err != nil {
		if ctx.Err() != nil || errors.Is(err, ErrClosed) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", ErrParts, err)
	}
	if at := form.translated.Waits; at != nil && !o.Independent {
		return nil, fmt.Errorf("%w: it may wait for other threadgroups: %s:%d:%d: %s; see PartOptions.Independent",
			ErrParts, at.File, at.Line, at.Column, at.Message)
	}
	p := &parts{launch: l, window: uint(form.translated.Window), target: o.Target}
	if p.form, err = form.program.KernelContext(ctx, k.function, k.constants...); err != nil {
		return nil, err
	}
	if most, n := p.form.MaxThreads(), int(l.core.Group.Width*l.core.Group.Height*l.core.Group.Depth); n > most {
		return nil, fmt.Errorf("%w: threadgroup of %v = %d threads, this form of the kernel allows at most %d",
			ErrParts, text(l.core.Group), n, most)
	}
	all := stream.Axes(l.core.Extent())
	for axis := range 3 {
		if all[axis] >= p.groups { // of equals the last, whose slices are contiguous in memory more often
			p.axis, p.groups = axis, all[axis]
		}
	}
	p.slice = int64(all[0] * all[1] * all[2] / p.groups)
	p.size = max(1, p.groups/firstPart)
	if per := k.perGroup.Load(); per > 0 {
		p.size = p.fitting(per)
	}
	return p, nil
}

// fitting returns the length of a part that takes the target, given the time of a threadgroup.
func (p *parts) fitting(perGroup int64) uint {
	return uint(min(max(1, float64(p.target)/(float64(perGroup)*float64(p.slice))), float64(p.groups)))
}

// part returns the launch of the next part, which has n threadgroups along the axis.
func (p *parts) part(n uint) *Launch {
	l := *p.launch
	l.core.Search = nil
	grid, group, groups, threads := stream.Axes(l.core.Grid), stream.Axes(l.core.Group), stream.Axes(l.core.Extent()),
		l.core.ThreadsOfGrid()
	first := p.next * group[p.axis]
	b := make([]byte, windowSize)
	word := func(at int, v uint) { binary.LittleEndian.PutUint32(b[at:], uint32(v)) }
	word(plainmetal.FirstThread+4*p.axis, first)
	word(plainmetal.FirstGroup+4*p.axis, p.next)
	for i := range 3 {
		word(plainmetal.GridThreads+4*i, threads[i])
		word(plainmetal.GridGroups+4*i, groups[i])
	}
	if l.core.Threads {
		grid[p.axis] = min(n*group[p.axis], threads[p.axis]-first)
	} else {
		grid[p.axis] = n
	}
	l.kernel, l.core.Kernel, l.core.Grid = p.form, &p.form.core, stream.SizeOfAxes(grid)
	l.core.CountThreads()
	l.core.Args = slices.Clone(l.core.Args)
	for i := range l.core.Args { // only all parts together overwrite it
		l.core.Args[i].Partial = l.core.Args[i].Partial || p.next+n < p.groups
	}
	l.core.Args = append(l.core.Args, stream.Argument{Kind: stream.BufferParameter, Index: p.window, Bytes: b})
	return &l
}

// run executes the next part.
func (p *parts) run(ctx context.Context, s *Stream, r *PartRun, site uintptr) error {
	n := min(p.size, p.groups-p.next)
	l, ended := p.part(n), &partResult{}
	if err := l.core.Use(); err != nil {
		return err
	}
	began := s.acc.now()
	number, err := s.recordNumber(ctx, stream.Work{Command: &l.core, Site: site, Of: ended})
	if err != nil {
		return err
	}
	if err := s.waitNumber(ctx, number, "a part of "+p.launch.kernel.core.Name); err != nil {
		return err
	}
	if ended.err != nil {
		s.failures.forget(ended.err)
		return ended.err
	}
	took := ended.took
	if took == 0 {
		took, r.Host = s.acc.now().Sub(began), true
	}
	r.Parts++
	r.Threads += l.core.Count
	r.Total += took
	r.Longest = max(r.Longest, took)
	p.ran(n, took)
	return nil
}

// ran notes that a part of n threadgroups along the axis has been executed.
func (p *parts) ran(n uint, took time.Duration) {
	p.next += n
	per := max(1, int64(took)/(int64(n)*p.slice))
	p.launch.kernel.perGroup.Store(per)
	p.size = min(p.fitting(per), growPart*n)
}
