package tree

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/graph"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/plainmetal"
)

// Level describes a level of a [Run].
type Level struct {
	Launches      int           // by kernels of the level above; 1 for level 0
	Threads       uint64        // of these
	Continuations int           // of the level's kernels, and of continuations themselves
	Time          time.Duration // of the launches; 0 without LaunchTreeOptions.Timing
	Continuing    time.Duration // of the continuations
}

// Run is a run of a [Tree].
type Run struct{ run *run }

// run is what the commands of a run are parts of.
type run struct {
	tree   *Tree
	first  *launch      // nil if the run was captured
	stream stream.Queue // nil likewise, and within loops of graphs
	number uint64       // of the last command

	mu sync.Mutex // of the times and the error, which are noted while the run is under way

	// These are set before the last command counts as completed.
	before uint64 // failures of the stream before the run
	levels []Level
	err    error
}

// Launch launches a kernel that may launch the tree's kernels, which may launch further ones. It
// need not be one of the tree itself. The launcher is not among the arguments. As with
// [compute.Stream.Launch], arguments are checked at once and the run is recorded. access lists
// buffers that launched kernels access, besides those in args, which later levels access as the
// first kernel does; see [compute.Reads] and [compute.Writes]: they may be among args.
//
// If kernels launch too many or wrongly, nothing of that level and below runs, continuations
// neither, and [Run.Wait] and [compute.Stream.Sync] return an error that wraps [ErrLaunch].
//
// A stream that is being captured adds the run to the graph, as [Tree.AddTo] does; Wait and Levels
// of the result then return an error that wraps [compute.ErrCapture].
func (t *Tree) Launch(ctx context.Context, s *compute.Stream, k *compute.Kernel, grid compute.Grid,
	args ...any) (*Run, error) {
	q := stream.QueueOf(s)
	if err := stream.CheckCall(ctx, "tree: Launch", q == nil || t.missing()); err != nil {
		return nil, err
	}
	if t.core != q.Device() {
		return nil, fmt.Errorf("compute: %v %w", t, compute.ErrAccelerator)
	}
	l, err := t.bind(ctx, k, grid, args)
	if err != nil {
		return nil, err
	}
	var site [1]uintptr
	runtime.Callers(2, site[:])
	if c := q.Capture(); c != nil {
		if err := c.Given(stream.Work{Command: l, Site: site[0]}, args); err != nil {
			return nil, err
		}
		return &Run{&run{tree: t}}, nil
	}
	r, works := l.run()
	r.stream = q
	for i := range works {
		works[i].Site = site[0]
	}
	q.Share(works)
	if err := stream.UseAll(works); err != nil {
		return nil, fmt.Errorf("compute: %v: %w", t, err)
	}
	if r.number, err = q.RecordAll(ctx, works); err != nil {
		return nil, err
	}
	l.Recorded()
	return &Run{r}, nil
}

// AddTo adds a run to a graph, with its first launch. Errors are those of [Tree.Launch]. All runs
// of a tree use the same memory, so they run one at a time. Several instances with the same tree
// must be replayed on one stream, or be ordered by events.
func (t *Tree) AddTo(ctx context.Context, g *graph.Graph, k *compute.Kernel, grid compute.Grid,
	args ...any) (graph.Node, error) {
	if err := stream.CheckCall(ctx, "tree: AddTo", t.missing()); err != nil {
		return 0, err
	}
	nodes, err := g.Record(ctx, func(ctx context.Context, s *compute.Stream) error {
		q := stream.QueueOf(s)
		if t.core != q.Device() {
			return fmt.Errorf("compute: %v %w", t, compute.ErrAccelerator)
		}
		l, err := t.bind(ctx, k, grid, args)
		if err != nil {
			return err
		}
		return q.Capture().Given(stream.Work{Command: l}, args)
	})
	if err != nil {
		return 0, err
	}
	return nodes[0], nil
}

// launch is the checked first launch of runs. It is immutable.
type launch struct {
	tree      *Tree
	kernel    *compute.Kernel // as the program knows it
	core      *stream.Kernel
	root      *stream.Launch
	execution *stream.Execution // of each step
}

// bind checks the first launch of a run.
func (t *Tree) bind(ctx context.Context, k *compute.Kernel, grid compute.Grid, args []any) (*launch, error) {
	core := stream.KernelOf(k)
	switch {
	case core == nil:
		return nil, &compute.LaunchError{Kernel: "nil", Err: compute.ErrNil}
	case core.Acc != t.core:
		return nil, &compute.LaunchError{Kernel: core.Name, Err: compute.ErrAccelerator}
	}
	if err := t.life.Use(); err != nil {
		return nil, err
	}
	defer t.life.Done()
	first, err := t.memory.Slice(treeQueues, treeQueues+2*queueBytes)
	if err != nil {
		return nil, err
	}
	given, err := k.Bind(grid, append(slices.Clone(args), compute.At(launcherIndex, first))...)
	if err != nil {
		return nil, err
	}
	if err := stream.Ordinary(core); err != nil {
		return nil, err
	}
	b, err := stream.BindlessOf(ctx, k)
	if err != nil {
		return nil, &compute.LaunchError{Kernel: core.Name, Err: err}
	}
	root, err := b.Launch(given, grid)
	if err != nil {
		return nil, err
	}
	for i := range t.records { // which the launcher points to
		root.Args = append(root.Args, t.pointed(t.records[i]))
	}
	if t.later != nil {
		root.Args = append(root.Args, t.pointed(t.later))
	}
	root.Spans = stream.SpansOf(root.Args)
	access, err := t.accesses(root)
	if err != nil {
		return nil, err
	}
	return &launch{t, k, core, root, t.execution(access)}, nil
}

func (l *launch) Use() error { return l.root.Use() }

func (l *launch) Done() { l.root.Done() }

func (l *launch) Side() stream.Side { return stream.ByDevice }

func (l *launch) Encode(e *stream.Encoder, w *stream.Work) error { return l.root.Encode(e, w) }

func (l *launch) Launched() *stream.Launch { return l.root }

func (l *launch) Size() int { return l.root.Size() }

func (l *launch) Accesses(list []stream.RangeAccess) []stream.RangeAccess {
	return l.root.Accesses(list)
}

func (l *launch) Hazards(spans []stream.Span) []stream.Span { return l.root.Hazards(spans) }

func (l *launch) Summarize(s *stream.CommandSummary) { l.root.Summarize(s) }

func (l *launch) Observe(e *observe.RecordEvent) { l.root.Observe(e) }

func (l *launch) Tally(c *stream.Counters) { l.root.Tally(c) }

// Recorded counts the first launch of a run.
func (l *launch) Recorded() {
	l.core.Counters.Launches.Add(1)
	l.core.Counters.Threads.Add(l.root.Count)
}

// pointed is an argument that a kernel reaches through a pointer.
func (t *Tree) pointed(b *compute.Buffer[byte]) stream.Argument {
	return stream.Argument{Kind: stream.OtherParameter, Writes: true, View: stream.BufferOf(b)}
}

// The parts of a run.
const (
	resetPart = iota
	rootPart
	lookPart  // whether there are more steps
	endPart   // where the host reads the figures
	firstStep // and those of the later steps
)

// accesses returns what launched kernels may access.
func (t *Tree) accesses(root *stream.Launch) (access []stream.Listed, err error) {
	for i := range root.Args {
		a := &root.Args[i]
		if !a.Texture.IsNil() || !a.Sampler.IsNil() {
			access = append(access, stream.Listed{Object: a})
			continue
		}
		if a.View.Mem == nil {
			continue
		}
		if err := a.View.Mem.Stay(); err != nil { // kernels have its address
			return nil, err
		}
		access = append(access, stream.Listed{View: a.View, Writes: a.Writes})
	}
	return append(access, stream.Listed{View: stream.BufferOf(t.memory), Writes: true}), nil
}

// run returns a run with its commands, whose uses are not counted.
func (l *launch) run() (*run, []stream.Work) {
	t := l.tree
	r := &run{tree: t, first: l, levels: make([]Level, t.options.Depth+1)}
	r.levels[0].Launches, r.levels[0].Threads = 1, l.root.Count
	works := []stream.Work{{Command: t.reset, Of: r, Part: resetPart}, {Command: l.root, Of: r,
		Part: rootPart}}
	execution := l.execution.Current()
	for i, step := range t.steps {
		works = append(works, stream.Work{Command: step, Of: r, Part: firstStep + uint64(i)},
			stream.Work{Command: execution})
	}
	if rest := t.maxSteps() - len(t.steps); t.options.Continuations > 0 && rest > 0 {
		more := stream.BufferOf(t.memory)
		more.Offset, more.Length = more.Offset+treeMore, 4
		l := &stream.Loop{Cond: more, Flag: more, Once: works[2:], Each: len(t.steps), Most: rest}
		works = append(works, stream.Work{Command: &stream.Branch{Loop: l, Top: true}, Of: r, Part: lookPart})
	}
	end := &stream.HostCopy{At: stream.BufferOf(t.memory), Bytes: uint64(t.memory.Size())}
	end.Call = func(failed error) error {
		r.fail(cmp.Or(failed, r.read()))
		if failed != nil {
			return nil // it is reported
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.err == nil {
			levels := slices.Clone(r.levels)
			t.last.Store(&levels)
		}
		return r.err
	}
	return r, append(works, stream.Work{Command: end, Of: r, Part: endPart})
}

// Expand implements stream.Template: each replay is a run of its own.
func (l *launch) Expand() []stream.Work {
	_, works := l.run()
	return works
}

// Rebind implements stream.Template.
func (l *launch) Rebind(ctx context.Context, grid any, args []any) (stream.Template, error) {
	g, _ := grid.(compute.Grid)
	bound, err := l.tree.bind(ctx, l.kernel, g, args)
	if err != nil {
		return nil, err
	}
	return bound, nil
}

// Replaces implements stream.Template: the launches may be of different forms of the kernel.
func (l *launch) Replaces(t stream.Template) bool {
	o, ok := t.(*launch)
	return ok && o.tree == l.tree && o.kernel == l.kernel
}

// String names the tree.
func (l *launch) String() string { return l.tree.String() }

func (r *run) Alone() bool { return r.tree.options.Timing }

func (r *run) Ended(w *stream.Work, took time.Duration, err error) {
	if r.Alone() && w.Launched() != nil && err == nil {
		r.note(w.Part, took)
	}
}

// Replayed counts the first launch of the run, which is the program's only one.
func (r *run) Replayed(w *stream.Work) {
	if w.Part == rootPart {
		r.first.Recorded()
	}
}

func (r *run) FailedBefore(batch []stream.Work, failures func() uint64) bool {
	begins := func(w stream.Work) bool { return w.Of == r && w.Part == resetPart }
	return !slices.ContainsFunc(batch, begins) && failures() != r.before
}

// note notes the time of a part of the run, which has ended.
func (r *run) note(part uint64, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if part < firstStep {
		r.levels[0].Time += took // resetting costs nearly nothing
		return
	}
	var word [4]byte
	v := stream.BufferOf(r.tree.memory)
	if v.Mem.Read(v.Offset+treeTrace+4*uint(part-firstStep), word[:]) != nil {
		return
	}
	switch queue := binary.LittleEndian.Uint32(word[:]); {
	case queue == noTreeQueue:
	case queue%2 != 0:
		r.levels[queue/2].Continuing += took
	case queue/2+1 < uint32(len(r.levels)):
		r.levels[queue/2+1].Time += took
	}
}

// fail makes an error that of the run, unless it is nil or the run has one.
func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = cmp.Or(r.err, err)
}

// Settle notes whether a command of the run has failed. It is called for its commands when they and
// all earlier ones have ended, with the failure of their batch and the number of failures of the
// stream. The stream's lock is held.
func (r *run) Settle(w *stream.Work, failed error, failures uint64) {
	switch w.Part {
	case lookPart: // nothing of the batch is after it
		r.fail(failed)
	case endPart:
		if failures != r.before {
			r.fail(fmt.Errorf("compute: %v: a command of the run failed, see Stream.Sync: %w", r.tree, compute.ErrExecution))
		}
	case resetPart:
		if r.before = failures; failed != nil {
			r.before--
		}
	}
}

// read reads the figures of a run that has ended, and returns what kernels did wrong.
func (r *run) read() error {
	t := r.tree
	raw := make([]byte, t.memory.Size())
	v := stream.BufferOf(t.memory)
	if err := v.Mem.Read(v.Offset, raw); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var first error
	waiting := false // something that is not wrong
	for level := range r.levels {
		for i := range 2 {
			var q queue
			if _, err := binary.Decode(raw[treeQueues+(2*level+i)*queueBytes:], binary.LittleEndian, &q); err != nil {
				return err
			}
			if err := t.wrong(level, i == 1, &q); err != nil {
				first = cmp.Or(first, err)
			} else {
				waiting = waiting || q.Wanted > 0
			}
			switch {
			case i == 1:
				r.levels[level].Continuations = int(q.Launched)
			case level < t.options.Depth:
				r.levels[level+1].Launches, r.levels[level+1].Threads = int(q.Launched), q.Threads
			}
		}
	}
	if waiting && first == nil {
		first = fmt.Errorf("%v: the run is not over after %d steps, which Options.Steps limits: %w", t,
			t.maxSteps(), ErrLaunch)
	}
	return first
}

// wrong returns what is wrong with a queue, nil if nothing is.
func (t *Tree) wrong(level int, continuations bool, q *queue) error {
	if q.Wanted > q.Capacity {
		return &OverflowError{Tree: t.String(), Level: level, Continuations: continuations, Wanted: int(q.Wanted),
			Capacity: int(q.Capacity), Depth: t.options.Depth}
	}
	if q.Wrong == 0 {
		return nil
	}
	code, id, i := q.Wrong>>24, q.Wrong>>8&0xffff, q.Wrong&0xff
	var name string
	var what error
	if code == 1 {
		return fmt.Errorf("%v: a kernel of level %d launches kernel %d, and the tree has %d: %w", t, level, q.Value,
			len(t.kernels), ErrLaunch)
	}
	if int(id) < len(t.kernels) {
		k := t.kernels[id]
		name = stream.KernelOf(k).Name
		d := &t.described[id]
		i := min(i, maxTreeArguments-1)
		switch code {
		case 2:
			what = fmt.Errorf("%d arguments, want %d", q.Value, d.Parameters)
		case 3:
			what = fmt.Errorf("argument %d has %d bytes, want %d", i, q.Value, d.Sizes[i])
		case 4:
			what = fmt.Errorf("argument %d is a value of %d bytes, want a pointer to device memory", i, q.Value)
		case 5:
			what = fmt.Errorf("%d threads in a threadgroup, want 1 to %d", q.Value, d.Most)
		case 14:
			what = fmt.Errorf("a threadgroup of another shape, with %d threads, and the kernel requires %dx%dx%d", q.Value,
				d.Group[0], d.Group[1], d.Group[2])
		case 7:
			what = fmt.Errorf("argument %d is a pointer or a value, want puremetal::threadgroup_memory", i)
		case 8:
			what = fmt.Errorf("argument %d is threadgroup memory, want a buffer or a value", i)
		case 10:
			what = fmt.Errorf("argument %d is no texture, want %v", i, plainmetal.TextureKind(d.Kinds[i]))
		case 11:
			what = fmt.Errorf("argument %d is a %v, want %v", i, plainmetal.TextureKind(q.Value),
				plainmetal.TextureKind(d.Kinds[i]))
		case 12:
			what = fmt.Errorf("argument %d is no sampler, want one", i)
		case 13:
			what = fmt.Errorf("argument %d is a texture or sampler, want a buffer, a value or threadgroup memory", i)
		case 9:
			what = fmt.Errorf("argument %d has %d bytes of threadgroup memory, want a multiple of 16 and at most %d in all",
				i, q.Value, d.Room)
		}
	}
	if code == 6 {
		what = fmt.Errorf("%d launches that wait for each other, want at most 8", q.Value+1)
	}
	return fmt.Errorf("%v: a kernel of level %d launches %q: %w: %w", t, level, name, what, ErrLaunch)
}

// Wait waits until the run has ended, and returns its error, which [compute.Stream.Sync] returns as
// well.
func (r *Run) Wait(ctx context.Context) error {
	if err := stream.CheckCall(ctx, "tree run: Wait", r.missing()); err != nil {
		return err
	}
	if r.run.first == nil {
		return fmt.Errorf("compute: %v: the run was captured; Tree.LastLevels has the figures of replays: %w",
			r.run.tree,
			compute.ErrCapture)
	}
	if err := r.run.stream.WaitNumber(ctx, r.run.number, "a run of "+r.run.tree.String()); err != nil {
		return err
	}
	return r.run.err
}

// Levels waits as [Run.Wait] does and returns what each level did, the first kernel first. If
// the run failed, levels that did not run have no launches.
func (r *Run) Levels(ctx context.Context) ([]Level, error) {
	if err := stream.CheckCall(ctx, "tree run: Levels", r.missing()); err != nil {
		return nil, err
	}
	err := r.Wait(ctx)
	if r.run.first == nil || (err != nil && ctx.Err() != nil) {
		return nil, err
	}
	return slices.Clone(r.run.levels), err
}

// LastLevels returns what the levels of the run that ended last without an error did, runs in
// replays of graphs included; false if there is none.
func (t *Tree) LastLevels() ([]Level, bool) {
	if t.missing() || t.last.Load() == nil {
		return nil, false
	}
	return slices.Clone(*t.last.Load()), true
}
