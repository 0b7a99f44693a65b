package compute

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/puremetal/puremetal/internal/translate"
)

// TreeLevel describes a level of a [TreeRun].
type TreeLevel struct {
	Launches      int           // that the kernels of the level above launched; 1 for level 0
	Threads       uint64        // of these
	Continuations int           // of the level, which began after all levels below
	Time          time.Duration // of the launches; 0 without LaunchTreeOptions.Timing
	Continuing    time.Duration // of the continuations
}

// TreeRun is a run of a [LaunchTree].
type TreeRun struct {
	tree   *LaunchTree
	stream *Stream
	number uint64   // of the last command
	events []*Event // with Timing: after the reset and after each part

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
func (s *Stream) LaunchTree(ctx context.Context, t *LaunchTree, k *Kernel, grid Grid, args ...any) (*TreeRun, error) {
	if err := checkCall(ctx, "stream: LaunchTree", s == nil || t == nil); err != nil {
		return nil, err
	}
	if err := s.capturing("LaunchTree"); err != nil { // its end is on the host, and each run has figures of its own
		return nil, err
	}
	switch {
	case k == nil:
		return nil, &LaunchError{Kernel: "nil", Err: ErrNil}
	case t.acc != s.acc:
		return nil, fmt.Errorf("compute: %v %w", t, ErrAccelerator)
	case k.acc != s.acc:
		return nil, &LaunchError{Kernel: k.name, Err: ErrAccelerator}
	}
	if err := t.use(); err != nil {
		return nil, err
	}
	defer t.done()
	first, err := t.launcher(0)
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
		return nil, &LaunchError{Kernel: k.name, Err: err}
	}
	if root, err = b.launch(root, grid); err != nil {
		return nil, err
	}
	for i := range t.records { // which the launcher points to
		root.args = append(root.args, t.pointed(t.records[i]))
	}
	if t.later != nil {
		root.args = append(root.args, t.pointed(t.later))
	}
	root.spans = spansOf(root.args)
	parts, err := t.parts(root)
	if err != nil {
		return nil, err
	}
	var site [1]uintptr
	runtime.Callers(2, site[:])
	for _, p := range parts {
		for i := range p {
			p[i].site = site[0]
		}
	}
	return t.record(ctx, s, k, parts)
}

// pointed is an argument that a kernel reaches through a pointer.
func (t *LaunchTree) pointed(b *Buffer[byte]) argument {
	return argument{kind: OtherParameter, writes: true, view: b.view()}
}

// parts returns the commands of a run, one part for each time to measure. Their uses are not
// counted.
func (t *LaunchTree) parts(root *Launch) ([][]work, error) {
	var access []listedAccess
	for i := range root.args {
		a := &root.args[i]
		if !a.texture.IsNil() || !a.sampler.IsNil() {
			access = append(access, listedAccess{object: a})
			continue
		}
		if a.view.mem == nil {
			continue
		}
		if err := a.view.mem.stay(); err != nil { // kernels have its address
			return nil, err
		}
		access = append(access, listedAccess{view: a.view, writes: a.writes})
	}
	access = append(access, listedAccess{view: t.queues.view(), writes: true})
	parts := [][]work{{{kind: launchWork, launch: t.reset}}, {{kind: launchWork, launch: root}}}
	step := func(encode *Launch, level, i int) {
		parts = append(parts, []work{{kind: launchWork, launch: encode},
			{kind: executeWork, commands: t.execution(level, i, access)}})
	}
	for level, l := range t.encode {
		step(l, level, 0)
	}
	for level, l := range slices.Backward(t.resume) {
		step(l, level, 1)
	}
	return parts, nil
}

// record records the parts of a run and its end on the host.
func (t *LaunchTree) record(ctx context.Context, s *Stream, k *Kernel, parts [][]work) (*TreeRun, error) {
	r := &TreeRun{tree: t, stream: s, levels: make([]TreeLevel, t.options.Depth+1)}
	root := parts[1][0]
	r.levels[0].Launches, r.levels[0].Threads = 1, root.launch.count
	parts[0][0].run = r
	end := work{kind: hostWork, from: t.queues.view(), value: uint64(t.queues.Size()), site: parts[0][0].site, run: r}
	end.host = func(failed error) error {
		r.err = cmp.Or(failed, r.read())
		if failed != nil {
			return nil // it is reported
		}
		return r.err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var err error
	if t.options.Timing {
		if err = r.recordTimed(ctx, parts); err != nil {
			r.closeEvents()
			return nil, err
		}
		parts = nil
	}
	works := append(slices.Concat(parts...), end)
	if err := useAll(works); err != nil {
		return nil, fmt.Errorf("compute: %v: %w", t, err)
	}
	if r.number, err = s.recordAll(ctx, works); err != nil {
		return nil, err
	}
	k.counters.launches.Add(1)
	k.counters.threads.Add(root.launch.count)
	return r, nil
}

// recordTimed records the parts, with an event after each.
func (r *TreeRun) recordTimed(ctx context.Context, parts [][]work) error {
	for _, p := range parts {
		e, err := r.tree.acc.NewEvent(EventOptions{Label: r.tree.options.Label, Timing: true})
		if err != nil {
			return err
		}
		r.events = append(r.events, e)
		if err := useAll(p); err != nil {
			return fmt.Errorf("compute: %v: %w", r.tree, err)
		}
		if err := r.stream.recordWith(ctx, p, e); err != nil {
			return err
		}
	}
	return nil
}

func (r *TreeRun) closeEvents() {
	for _, e := range r.events {
		e.Close()
	}
}

// settle notes whether a command of the run has failed. It is called for the first and the last
// command when they and all earlier ones have ended, with the failure of their batch and the number
// of failures of the stream. The stream's lock is held.
func (r *TreeRun) settle(last bool, failed error, failures uint64) {
	switch {
	case !last && failed != nil:
		r.before = failures - 1
	case !last:
		r.before = failures
	case failures != r.before && r.err == nil:
		r.err = fmt.Errorf("compute: %v: a command of the run failed, see Stream.Sync: %w", r.tree, ErrExecution)
	}
}

// read reads the figures of a run that has ended, and returns what kernels did wrong.
func (r *TreeRun) read() error {
	t := r.tree
	raw := make([]byte, t.queues.Size())
	v := t.queues.view()
	if err := v.mem.read(v.offset, raw); err != nil {
		return err
	}
	times := make([]time.Duration, len(r.events))
	for i := 1; i < len(r.events); i++ {
		// without a time of the device there is none
		times[i], _, _ = Elapsed(context.Background(), r.events[i-1], r.events[i])
	}
	r.closeEvents()
	if len(times) == 0 {
		times = make([]time.Duration, 2*(t.options.Depth+2))
	}
	var first error
	for level := range t.options.Depth + 2 {
		for i := range 2 {
			var q treeQueue
			if _, err := binary.Decode(raw[(2*level+i)*queueBytes:], binary.LittleEndian, &q); err != nil {
				return err
			}
			if err := t.wrong(level, i == 1, &q); err != nil && first == nil {
				first = err
			}
			switch {
			case i == 1 && level <= t.options.Depth:
				r.levels[level].Continuations = int(q.Range.Count)
				if len(t.resume) > 0 {
					r.levels[level].Continuing = times[2+2*t.options.Depth-level]
				}
			case i == 0 && level < t.options.Depth:
				below := &r.levels[level+1]
				below.Launches, below.Threads, below.Time = int(q.Range.Count), q.Threads, times[2+level]
			}
		}
	}
	r.levels[0].Time = times[1]
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
		name = k.name
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
		case 7:
			what = fmt.Errorf("argument %d is a pointer or a value, want puremetal::threadgroup_memory", i)
		case 8:
			what = fmt.Errorf("argument %d is threadgroup memory, want a buffer or a value", i)
		case 10:
			what = fmt.Errorf("argument %d is no texture, want %v", i, translate.TextureKind(d.Kinds[i]))
		case 11:
			what = fmt.Errorf("argument %d is a %v, want %v", i, translate.TextureKind(q.Value),
				translate.TextureKind(d.Kinds[i]))
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
	if err := checkCall(ctx, "tree run: Wait", r == nil); err != nil {
		return err
	}
	if err := r.stream.waitNumber(ctx, r.number, "a run of "+r.tree.String()); err != nil {
		return err
	}
	return r.err
}

// Levels waits as [TreeRun.Wait] does and returns what each level did, the first kernel first. If
// the run failed, levels that did not run have no launches.
func (r *TreeRun) Levels(ctx context.Context) ([]TreeLevel, error) {
	err := r.Wait(ctx)
	if r == nil || (err != nil && ctx.Err() != nil) {
		return nil, err
	}
	return slices.Clone(r.levels), err
}
