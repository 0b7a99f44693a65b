package compute

import (
	"context"
	"runtime"

	"github.com/puremetal/puremetal/compute/internal/stream"
)

// Launch is a prepared launch: a kernel with its arguments and grid, checked once, to be run many
// times. It does not keep its kernel, buffers, textures and samplers alive; each run does, until it
// has ended. A Launch is immutable and safe for concurrent use.
type Launch struct {
	kernel *Kernel
	core   stream.Launch
}

// Bind checks arguments and grid and returns a prepared launch. Errors are a *[LaunchError]. A
// texture that the kernel only reads must not share texels with one that it writes, on any device:
// GPUs do not define what the kernel would read. Views of different levels or layers share none.
func (k *Kernel) Bind(grid Grid, args ...any) (*Launch, error) {
	if k.missing() {
		return nil, &LaunchError{Kernel: "nil", Err: stream.NilError("kernel: Bind")}
	}
	if err := k.core.Life.Open(); err != nil {
		return nil, err
	}
	l := &Launch{kernel: k, core: stream.Launch{Kernel: &k.core, Epoch: k.acc.core.Epoch.Load()}}
	var err error
	if l.core.Grid, l.core.Group, l.core.Threads, err = k.checkGrid(grid); err != nil {
		return nil, &LaunchError{Kernel: k.core.Name, Err: err}
	}
	if t, ok := grid.(Threads); ok && t.Group == (Extent{}) {
		l.core.Search = k.search(l.core.Grid)
	}
	l.core.CountThreads()
	if l.core.Args, err = k.arguments(args); err != nil {
		return nil, err
	}
	l.core.Spans = stream.SpansOf(l.core.Args)
	for i := range l.core.Args {
		l.core.Bytes += int(l.core.Args[i].View.Length)
	}
	return l, nil
}

// Group returns the threadgroup that the launch uses. One that is chosen may change while
// measurements go on; see [Threads].
func (l *Launch) Group() Extent {
	if l.missing() {
		return Extent{}
	}
	g := l.core.Group
	if l.core.Search != nil {
		g = l.core.Search.Best()
	}
	return Extent{int(g.Width), int(g.Height), int(g.Depth)}
}

// Launch checks arguments and grid and records a launch on the stream. It returns immediately;
// [Stream.Sync] waits for the work. If too many commands are pending, Launch waits for room until
// ctx ends. Argument errors are a *[LaunchError].
//
// If a launch fails, or reads what failed work should have written, so does everything that reads
// what it writes. A buffer that the kernel may write counts as read too: to recover, launch again
// with [Overwrites] of it, or first overwrite it by an upload, a [Fill] or a [Copy].
func (s *Stream) Launch(ctx context.Context, k *Kernel, grid Grid, args ...any) error {
	if err := stream.CheckCall(ctx, "stream: Launch", s.missing()); err != nil {
		return err
	}
	if k.missing() {
		return &LaunchError{Kernel: "nil", Err: ErrNil}
	}
	if c := s.capture.Load(); c != nil {
		var site [1]uintptr
		runtime.Callers(2, site[:])
		return c.Launch(k, grid, args, site[0])
	}
	l, err := k.Bind(grid, args...)
	if err != nil {
		return err
	}
	return s.launch(ctx, l, false)
}

// bind checks a call of a method, and binds the kernel's arguments. It refuses streams that are
// being captured.
func (s *Stream) bind(ctx context.Context, method string, k *Kernel, grid Grid, args []any) (*Launch, error) {
	if err := stream.CheckCall(ctx, "stream: "+method, s.missing()); err != nil {
		return nil, err
	}
	if k.missing() {
		return nil, &LaunchError{Kernel: "nil", Err: ErrNil}
	}
	if err := s.capturing(method); err != nil {
		return nil, err
	}
	l, err := k.Bind(grid, args...)
	if err != nil {
		return nil, err
	}
	if k.acc != s.acc {
		return nil, &LaunchError{Kernel: k.core.Name, Err: ErrAccelerator}
	}
	return l, nil
}

// Run records a prepared launch, as [Stream.Launch] does, without allocating.
func (s *Stream) Run(ctx context.Context, l *Launch) error {
	if err := stream.CheckCall(ctx, "stream: Run", s.missing()); err != nil {
		return err
	}
	return s.launch(ctx, l, false)
}

// launch must be called directly by an exported function, so that the program's call site is two
// frames up.
func (s *Stream) launch(ctx context.Context, l *Launch, cooperative bool) error {
	var site [1]uintptr
	runtime.Callers(3, site[:])
	return s.launchAt(ctx, l, cooperative, site[0])
}

// launchAt records a launch for the program's call at site.
func (s *Stream) launchAt(ctx context.Context, l *Launch, cooperative bool, site uintptr) error {
	if l.missing() {
		return &LaunchError{Kernel: "nil", Err: ErrNil}
	}
	if l.kernel.acc != s.acc {
		return &LaunchError{Kernel: l.kernel.core.Name, Err: ErrAccelerator}
	}
	if !cooperative {
		if err := l.ordinary(); err != nil {
			return err
		}
	}
	if l.kernel.phased != nil {
		return s.launchPhases(ctx, l, site)
	}
	if err := l.core.Use(); err != nil {
		return err
	}
	if err := s.record(ctx, stream.Work{Command: &l.core, Site: site}); err != nil {
		return err
	}
	l.core.Recorded()
	return nil
}
