package compute

import (
	"context"
	"runtime"

	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/mtl"
)

// Launch is a prepared launch: a kernel with its arguments and grid, checked once, to be run many
// times. It does not keep its kernel, buffers, textures and samplers alive; each run does, until it
// has ended. A Launch is immutable and safe for concurrent use.
type Launch struct {
	kernel      *Kernel
	grid, group mtl.Size
	threads     bool
	count       uint64 // of threads
	args        []argument
	spans       []span       // of the arguments
	bytes       int          // that the arguments span, for batching
	counts      view         // of the numbers of threadgroups, for a phase of a kernel that was split
	search      *groupSearch // for a better threadgroup than group; nil if that is given or must stay
}

// Bind checks arguments and grid and returns a prepared launch. Errors are a *[LaunchError]. A
// texture that the kernel only reads must not share texels with one that it writes, on any device:
// GPUs do not define what the kernel would read. Views of different levels or layers share none.
func (k *Kernel) Bind(grid Grid, args ...any) (*Launch, error) {
	if k.missing() {
		return nil, &LaunchError{Kernel: "nil", Err: nilError("kernel: Bind")}
	}
	if err := k.life.open(); err != nil {
		return nil, err
	}
	l := &Launch{kernel: k}
	var err error
	if l.grid, l.group, l.threads, err = k.checkGrid(grid); err != nil {
		return nil, &LaunchError{Kernel: k.name, Err: err}
	}
	if t, ok := grid.(Threads); ok && t.Group == (Extent{}) {
		l.search = k.search(l.grid)
	}
	l.countThreads()
	if l.args, err = k.arguments(args); err != nil {
		return nil, err
	}
	l.spans = spansOf(l.args)
	for i := range l.args {
		l.bytes += int(l.args[i].view.length)
	}
	return l, nil
}

// threadsOfGrid returns the size of the grid in threads.
func (l *Launch) threadsOfGrid() [3]uint {
	threads := axes(l.grid)
	if !l.threads {
		for i, n := range axes(l.group) {
			threads[i] *= n
		}
	}
	return threads
}

func (l *Launch) countThreads() {
	l.count = 1
	for _, n := range l.threadsOfGrid() {
		l.count *= uint64(n)
	}
}

// Group returns the threadgroup that the launch uses. One that is chosen may change while
// measurements go on; see [Threads].
func (l *Launch) Group() Extent {
	if l.missing() {
		return Extent{}
	}
	g := l.group
	if l.search != nil {
		g = l.search.best()
	}
	return Extent{int(g.Width), int(g.Height), int(g.Depth)}
}

// use keeps the launch's kernel and arguments alive until done.
func (l *Launch) use() error {
	if err := l.kernel.life.use(); err != nil {
		return err
	}
	for i := range l.args {
		if err := l.args[i].use(); err != nil {
			l.unuse(i)
			return err
		}
	}
	return nil
}

// use keeps what the argument refers to alive until done.
func (a *argument) use() error {
	switch {
	case a.view.mem != nil:
		return a.view.mem.use()
	case a.commands != nil:
		return a.commands.life.use()
	case a.used != nil:
		return a.used.use()
	}
	a.texture.Retain()
	a.sampler.Retain()
	return nil
}

// done ends a use.
func (a *argument) done() {
	switch {
	case a.view.mem != nil:
		a.view.mem.done()
	case a.commands != nil:
		a.commands.life.done()
	case a.used != nil:
		a.used.done()
	default:
		a.texture.Release()
		a.sampler.Release()
	}
}

// unuse ends a use of the kernel and of the first n arguments.
func (l *Launch) unuse(n int) {
	for i := range l.args[:n] {
		l.args[i].done()
	}
	l.kernel.life.done()
}

func (l *Launch) done() { l.unuse(len(l.args)) }

func (l *Launch) side() side        { return byDevice }
func (l *Launch) launched() *Launch { return l }
func (l *Launch) size() int         { return l.bytes }

func (l *Launch) hazards(spans []span) []span { return append(spans, l.spans...) }

func (l *Launch) summarize(s *commandSummary) { s.form, s.name = "%s", l.kernel.name }

func (l *Launch) tally(c *streamCounters) { c.launches.Add(1) }

func (l *Launch) observe(e *observe.RecordEvent) {
	e.Kind, e.Kernel, e.Threads, e.Bytes = observe.CommandLaunch, l.kernel.name, l.count, uint64(l.bytes)
	e.File, e.Line = l.kernel.file, l.kernel.line
}

func (l *Launch) encode(e *encoder, w *work) (err error) {
	if e.timer != nil {
		err = e.timed(w.number, func() error { return e.launch(l) })
	} else {
		err = e.launch(l)
	}
	e.used(w)
	return err
}

func (l *Launch) recorded() {
	l.kernel.counters.launches.Add(1)
	l.kernel.counters.threads.Add(l.count)
}

// Launch checks arguments and grid and records a launch on the stream. It returns immediately;
// [Stream.Sync] waits for the work. If too many commands are pending, Launch waits for room until
// ctx ends. Argument errors are a *[LaunchError].
//
// If a launch fails, or reads what failed work should have written, so does everything that reads
// what it writes. A buffer that the kernel may write counts as read too: to recover, launch again
// with [Overwrites] of it, or first overwrite it by an upload, a [Fill] or a [Copy].
func (s *Stream) Launch(ctx context.Context, k *Kernel, grid Grid, args ...any) error {
	if err := checkCall(ctx, "stream: Launch", s.missing()); err != nil {
		return err
	}
	if k.missing() {
		return &LaunchError{Kernel: "nil", Err: ErrNil}
	}
	if c := s.capture.Load(); c != nil {
		var site [1]uintptr
		runtime.Callers(2, site[:])
		return c.launch(k, grid, args, site[0])
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
	if err := checkCall(ctx, "stream: "+method, s.missing()); err != nil {
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
		return nil, &LaunchError{Kernel: k.name, Err: ErrAccelerator}
	}
	return l, nil
}

// Run records a prepared launch, as [Stream.Launch] does, without allocating.
func (s *Stream) Run(ctx context.Context, l *Launch) error {
	if err := checkCall(ctx, "stream: Run", s.missing()); err != nil {
		return err
	}
	return s.launch(ctx, l, false)
}

// launch must be called directly by an exported function, so that the program's call site is two
// frames up.
func (s *Stream) launch(ctx context.Context, l *Launch, cooperative bool) error {
	if l.missing() {
		return &LaunchError{Kernel: "nil", Err: ErrNil}
	}
	if l.kernel.acc != s.acc {
		return &LaunchError{Kernel: l.kernel.name, Err: ErrAccelerator}
	}
	if !cooperative {
		if err := l.ordinary(); err != nil {
			return err
		}
	}
	if l.kernel.phased != nil {
		return s.launchPhases(ctx, l)
	}
	if err := l.use(); err != nil {
		return err
	}
	var site [1]uintptr
	runtime.Callers(3, site[:])
	if err := s.record(ctx, work{command: l, site: site[0]}); err != nil {
		return err
	}
	l.recorded()
	return nil
}
