package compute

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/plainmetal"
)

// TreeLevel describes a level of a [TreeRun].
type TreeLevel struct {
	Launches      int           // by kernels of the level above; 1 for level 0
	Threads       uint64        // of these
	Continuations int           // of the level's kernels, and of continuations themselves
	Time          time.Duration // of the launches; 0 without LaunchTreeOptions.Timing
	Continuing    time.Duration // of the continuations
}

// TreeRun is a run of a [LaunchTree].
type TreeRun struct{ run *treeRun }

// treeRun is what the commands of a run are parts of.
type treeRun struct {
	tree   *LaunchTree
	first  *treeLaunch // nil if the run was captured
	stream *Stream     // nil likewise, and within loops of graphs
	number uint64      // of the last command

	mu sync.Mutex // of the times and the error, which are noted while the run is under way

	// These are set before the last command counts as completed.
	before uint64 // failures of the stream before the run
	levels []TreeLevel
	err    error
}

// LaunchTree launches a kernel that may launch the tree's kernels, which may launch further ones.
// It need not be one of the tree itself. The launcher is not among the arguments. As with
// [Stream.Launch], arguments are checked at once and the run is recorded. access lists buffers that
// launched kernels access, besides those in args, which later levels access as the first kernel
// does; see [Reads] and [Writes]: they may be among args.
//
// If kernels launch too many or wrongly, nothing of that level and below runs, continuations
// neither, and [TreeRun.Wait] and [Stream.Sync] return an error that wraps [ErrLaunchTree].
//
// A stream that is being captured adds the run to the graph, as [Graph.LaunchTree] does; Wait and
// Levels of the result then return an error that wraps [ErrCapture].
func (s *Stream) LaunchTree(ctx context.Context, t *LaunchTree, k *Kernel, grid Grid, args ...any) (*TreeRun, error) {
	if err := stream.CheckCall(ctx, "stream: LaunchTree", s.missing() || t.missing()); err != nil {
		return nil, err
	}
	if t.acc != s.acc {
		return nil, fmt.Errorf("compute: %v %w", t, ErrAccelerator)
	}
	l, err := t.bind(ctx, k, grid, args)
	if err != nil {
		return nil, err
	}
	var site [1]uintptr
	runtime.Callers(2, site[:])
	if c := s.capture.Load(); c != nil {
		if err := c.launchTree(l, args, site[0]); err != nil {
			return nil, err
		}
		return &TreeRun{&treeRun{tree: t}}, nil
	}
	r, works := l.run(s)
	for i := range works {
		works[i].Site = site[0]
	}
	s.share(works)
	if err := stream.UseAll(works); err != nil {
		return nil, fmt.Errorf("compute: %v: %w", t, err)
	}
	if r.number, err = s.recordAll(ctx, works); err != nil {
		return nil, err
	}
	l.Recorded()
	return &TreeRun{r}, nil
}

// treeLaunch is the checked first launch of runs. It is immutable.
type treeLaunch struct {
	tree      *LaunchTree
	kernel    *Kernel // as the program knows it
	root      *Launch
	execution *commandRange // of each step
}

// bind checks the first launch of a run.
func (t *LaunchTree) bind(ctx context.Context, k *Kernel, grid Grid, args []any) (*treeLaunch, error) {
	switch {
	case k.missing():
		return nil, &LaunchError{Kernel: "nil", Err: ErrNil}
	case k.acc != t.acc:
		return nil, &LaunchError{Kernel: k.core.Name, Err: ErrAccelerator}
	}
	if err := t.life.Use(); err != nil {
		return nil, err
	}
	defer t.life.Done()
	first, err := t.memory.Slice(treeQueues, treeQueues+2*queueBytes)
	if err != nil {
		return nil, err
	}
	root, err := k.Bind(grid, append(slices.Clone(args), At(launcherIndex, first))...)
	if err != nil {
		return nil, err
	}
	if err := root.ordinary(); err != nil {
		return nil, err
	}
	b, err := k.bindless(ctx)
	if err != nil {
		return nil, &LaunchError{Kernel: k.core.Name, Err: err}
	}
	if root, err = b.launch(root, grid); err != nil {
		return nil, err
	}
	for i := range t.records { // which the launcher points to
		root.core.Args = append(root.core.Args, t.pointed(t.records[i]))
	}
	if t.later != nil {
		root.core.Args = append(root.core.Args, t.pointed(t.later))
	}
	root.core.Spans = stream.SpansOf(root.core.Args)
	access, err := t.accesses(root)
	if err != nil {
		return nil, err
	}
	return &treeLaunch{t, k, root, t.execution(access)}, nil
}

// A treeLaunch is a command of graphs only: replays have the commands of a run in its place.

func (l *treeLaunch) Use() error                                     { return l.root.core.Use() }
func (l *treeLaunch) Done()                                          { l.root.core.Done() }
func (l *treeLaunch) Side() stream.Side                              { return stream.ByDevice }
func (l *treeLaunch) Encode(e *stream.Encoder, w *stream.Work) error { return l.root.core.Encode(e, w) }
func (l *treeLaunch) Launched() *stream.Launch                       { return &l.root.core }
func (l *treeLaunch) Size() int                                      { return l.root.core.Size() }
func (l *treeLaunch) Accesses(list []stream.RangeAccess) []stream.RangeAccess {
	return l.root.core.Accesses(list)
}
func (l *treeLaunch) Hazards(spans []stream.Span) []stream.Span { return l.root.core.Hazards(spans) }
func (l *treeLaunch) Summarize(s *stream.CommandSummary)        { l.root.core.Summarize(s) }
func (l *treeLaunch) Observe(e *observe.RecordEvent)            { l.root.core.Observe(e) }
func (l *treeLaunch) Tally(c *stream.Counters)                  { l.root.core.Tally(c) }

// recorded counts the first launch of a run.
func (l *treeLaunch) Recorded() {
	l.kernel.core.Counters.Launches.Add(1)
	l.kernel.core.Counters.Threads.Add(l.root.core.Count)
}

// pointed is an argument that a kernel reaches through a pointer.
func (t *LaunchTree) pointed(b *Buffer[byte]) stream.Argument {
	return stream.Argument{Kind: stream.OtherParameter, Writes: true, View: b.view()}
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
func (t *LaunchTree) accesses(root *Launch) (access []listedAccess, err error) {
	for i := range root.core.Args {
		a := &root.core.Args[i]
		if !a.Texture.IsNil() || !a.Sampler.IsNil() {
			access = append(access, listedAccess{object: a})
			continue
		}
		if a.View.Mem == nil {
			continue
		}
		if err := a.View.Mem.Stay(); err != nil { // kernels have its address
			return nil, err
		}
		access = append(access, listedAccess{view: a.View, writes: a.Writes})
	}
	return append(access, listedAccess{view: t.memory.view(), writes: true}), nil
}

// run returns a run with its commands, whose uses are not counted.
func (l *treeLaunch) run(s *Stream) (*treeRun, []stream.Work) {
	t := l.tree
	r := &treeRun{tree: t, first: l, stream: s, levels: make([]TreeLevel, t.options.Depth+1)}
	r.levels[0].Launches, r.levels[0].Threads = 1, l.root.core.Count
	works := []stream.Work{{Command: &t.reset.core, Of: r, Part: resetPart}, {Command: &l.root.core, Of: r,
		Part: rootPart}}
	execution := l.execution.current()
	for i, step := range t.steps {
		works = append(works, stream.Work{Command: &step.core, Of: r, Part: firstStep + uint64(i)},
			stream.Work{Command: execution})
	}
	if rest := t.maxSteps() - len(t.steps); t.options.Continuations > 0 && rest > 0 {
		more := t.memory.view()
		more.Offset, more.Length = more.Offset+treeMore, 4
		l := &stream.Loop{Cond: more, Flag: more, Once: works[2:], Each: len(t.steps), Most: rest}
		works = append(works, stream.Work{Command: &stream.Branch{Loop: l, Top: true}, Of: r, Part: lookPart})
	}
	end := &stream.HostCopy{At: t.memory.view(), Bytes: uint64(t.memory.Size())}
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

// expand replaces each run among the commands of a graph by its commands, as a run of its own. The
// commands are not those of the graph: they may be changed.
func expand(graph []stream.Work, s *Stream) []stream.Work {
	works := make([]stream.Work, 0, len(graph))
	for i := range graph {
		w := &graph[i]
		tree, ok := w.Command.(*treeLaunch)
		if !ok {
			works = append(works, *w)
			continue
		}
		_, run := tree.run(s)
		for j := range run {
			run[j].Site = w.Site
		}
		works = append(works, run...)
	}
	return works
}

func (r *treeRun) Alone() bool { return r.tree.options.Timing }

func (r *treeRun) Ended(w *stream.Work, took time.Duration, err error) {
	if r.Alone() && w.Launched() != nil && err == nil {
		r.note(w.Part, took)
	}
}

// replayed counts the first launch of the run, which is the program's only one.
func (r *treeRun) Replayed(w *stream.Work) {
	if w.Part == rootPart {
		r.first.Recorded()
	}
}

func (r *treeRun) FailedBefore(batch []stream.Work, failures func() uint64) bool {
	begins := func(w stream.Work) bool { return w.Of == r && w.Part == resetPart }
	return !slices.ContainsFunc(batch, begins) && failures() != r.before
}

// note notes the time of a part of the run, which has ended.
func (r *treeRun) note(part uint64, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if part < firstStep {
		r.levels[0].Time += took // resetting costs nearly nothing
		return
	}
	var word [4]byte
	v := r.tree.memory.view()
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
func (r *treeRun) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = cmp.Or(r.err, err)
}

// settle notes whether a command of the run has failed. It is called for its commands when they and
// all earlier ones have ended, with the failure of their batch and the number of failures of the
// stream. The stream's lock is held.
func (r *treeRun) Settle(w *stream.Work, failed error, failures uint64) {
	switch w.Part {
	case lookPart: // nothing of the batch is after it
		r.fail(failed)
	case endPart:
		if failures != r.before {
			r.fail(fmt.Errorf("compute: %v: a command of the run failed, see Stream.Sync: %w", r.tree, ErrExecution))
		}
	case resetPart:
		if r.before = failures; failed != nil {
			r.before--
		}
	}
}

// read reads the figures of a run that has ended, and returns what kernels did wrong.
func (r *treeRun) read() error {
	t := r.tree
	raw := make([]byte, t.memory.Size())
	v := t.memory.view()
	if err := v.Mem.Read(v.Offset, raw); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var first error
	waiting := false // something that is not wrong
	for level := range r.levels {
		for i := range 2 {
			var q treeQueue
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
		first = fmt.Errorf("%v: the run is not over after %d steps, which LaunchTreeOptions.Steps limits: %w", t,
			t.maxSteps(), ErrLaunchTree)
	}
	return first
}

// wrong returns what is wrong with a queue, nil if nothing is.
func (t *LaunchTree) wrong(level int, continuations bool, q *treeQueue) error {
	if q.Wanted > q.Capacity {
		return &LaunchOverflowError{Tree: t.String(), Level: level, Continuations: continuations, Wanted: int(q.Wanted),
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
			len(t.kernels), ErrLaunchTree)
	}
	if int(id) < len(t.kernels) {
		k := t.kernels[id]
		name = k.core.Name
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
	return fmt.Errorf("%v: a kernel of level %d launches %q: %w: %w", t, level, name, what, ErrLaunchTree)
}

// Wait waits until the run has ended, and returns its error, which [Stream.Sync] returns as well.
func (r *TreeRun) Wait(ctx context.Context) error {
	if err := stream.CheckCall(ctx, "tree run: Wait", r.missing()); err != nil {
		return err
	}
	if r.run.first == nil {
		return fmt.Errorf("compute: %v: the run was captured; LaunchTree.LastLevels has the figures of replays: %w",
			r.run.tree,
			ErrCapture)
	}
	if err := r.run.stream.waitNumber(ctx, r.run.number, "a run of "+r.run.tree.String()); err != nil {
		return err
	}
	return r.run.err
}

// Levels waits as [TreeRun.Wait] does and returns what each level did, the first kernel first. If
// the run failed, levels that did not run have no launches.
func (r *TreeRun) Levels(ctx context.Context) ([]TreeLevel, error) {
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
func (t *LaunchTree) LastLevels() ([]TreeLevel, bool) {
	if t.missing() || t.last.Load() == nil {
		return nil, false
	}
	return slices.Clone(*t.last.Load()), true
}
