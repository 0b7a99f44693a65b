package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/contain"
)

// ErrGraph: a task graph is invalid: a name is used twice, a dependency does not exist, or
// dependencies form a cycle. Or a [Graph] does not allow the call.
var ErrGraph = stream.ErrGraph

// ErrSkipped: a task of a graph did not run, because another one failed or the context ended.
var ErrSkipped = errors.New("skipped")

// TaskGraph is a graph of named tasks: Go functions that record work on streams. Each runs
// once the tasks it depends on have ended; independent tasks run concurrently. The
// functions run again in every run of the graph, which makes its work free to change. To record
// work once and replay it, use [Graph].
//
// A task graph can be run many times, one run after another; [TaskState] keeps values from one to
// the next, and [TaskGraph.Health] says how they have gone. Building it is not safe for concurrent
// use.
type TaskGraph struct {
	acc    *compute.Accelerator
	tasks  []*task
	byName map[string]*task

	history taskHistory // has its own lock
}

// task is one node.
type task struct {
	name   string
	after  []string
	run    func(context.Context, *compute.Stream) error
	before []*task // what it depends on; set when the graph is checked
	owned  []interface{ Close() }
	users  int // tasks that depend on it
}

// NewTaskGraph makes an empty task graph. A graph of a missing accelerator refuses every call.
func NewTaskGraph(a *compute.Accelerator) *TaskGraph {
	if stream.DeviceOf(a) == nil {
		return &TaskGraph{}
	}
	return &TaskGraph{acc: a, byName: map[string]*task{}}
}

// Add adds a task that runs after the tasks named in after, which may be added later.
// run records work on the stream and need not wait for it: dependent tasks wait on the device.
func (g *TaskGraph) Add(name string, run func(context.Context, *compute.Stream) error, after ...string) error {
	switch {
	case g.missing():
		return stream.NilError("graph: Add")
	case name == "" || run == nil:
		return fmt.Errorf("compute: task %q: empty name or nil function: %w", name, ErrGraph)
	case g.byName[name] != nil:
		return fmt.Errorf("compute: task %q is added twice: %w", name, ErrGraph)
	}
	o := &task{name: name, run: run, after: slices.Clone(after)}
	g.tasks = append(g.tasks, o)
	g.byName[name] = o
	return nil
}

// Own transfers a resource to a task, for example an intermediate buffer. The resource is
// closed once the task and its dependents have recorded their work, failed or been skipped;
// its memory is released once that work has ended. A graph that owns a resource can be run only
// once.
func (g *TaskGraph) Own(name string, resource interface{ Close() }) error {
	if g.missing() {
		return stream.NilError("graph: Own")
	}
	o := g.byName[name]
	switch {
	case o == nil:
		return fmt.Errorf("compute: no task is named %q: %w", name, ErrGraph)
	case resource == nil || stream.Missing(resource) || isMissing(resource):
		return fmt.Errorf("compute: task %q: nil resource: %w", name, compute.ErrNil)
	}
	o.owned = append(o.owned, resource)
	return nil
}

// Order checks the graph and returns the names of its tasks in topological order; where that
// leaves a choice, in the order they were added. If there is a cycle, the error names its
// tasks.
func (g *TaskGraph) Order() ([]string, error) {
	if g.missing() {
		return nil, stream.NilError("graph: Order")
	}
	order, err := g.order()
	names := make([]string, len(order))
	for i, o := range order {
		names[i] = o.name
	}
	return names, err
}

func (g *TaskGraph) order() (order []*task, err error) {
	for _, o := range g.tasks {
		o.before, o.users = nil, 0
	}
	for _, o := range g.tasks {
		for _, name := range o.after {
			d := g.byName[name]
			if d == nil {
				return nil, fmt.Errorf("compute: task %q comes after %q, which does not exist: %w", o.name, name, ErrGraph)
			}
			if !slices.Contains(o.before, d) {
				o.before = append(o.before, d)
				d.users++
			}
		}
	}
	const visiting, done = 1, 2
	state := map[*task]int{}
	var path []string
	var visit func(*task) error
	visit = func(o *task) error {
		switch state[o] {
		case done:
			return nil
		case visiting:
			cycle := append(path[slices.Index(path, o.name):], o.name)
			return fmt.Errorf("compute: tasks wait for each other: %s: %w", strings.Join(cycle, " after "), ErrGraph)
		}
		state[o] = visiting
		path = append(path, o.name)
		for _, d := range o.before {
			if err := visit(d); err != nil {
				return err
			}
		}
		path = path[:len(path)-1]
		state[o] = done
		order = append(order, o)
		return nil
	}
	for _, o := range g.tasks {
		if err := visit(o); err != nil {
			return nil, err
		}
	}
	return order, nil
}

// TaskStats is the result of a task in a run.
type TaskStats struct {
	Name   string
	Stream int           // index of its stream among the run's
	Host   time.Duration // of its function
	Device time.Duration // from the end of the preceding work to its own end, by the device's clock if there is one
	Err    error         // nil, the function's error, the device's, or one wrapping ErrSkipped
}

// TaskRun is a run of a task graph.
type TaskRun struct {
	acc     *compute.Accelerator
	graph   *TaskGraph
	streams []*compute.Stream
	done    chan struct{}
	stats   []TaskStats
	err     error
}

// Start starts a run of the graph on the given number of new streams and returns immediately. When
// ctx ends, tasks that have not begun are skipped.
func (g *TaskGraph) Start(ctx context.Context, streams int) (*TaskRun, error) {
	if err := stream.CheckCall(ctx, "graph: Start", g.missing()); err != nil {
		return nil, err
	}
	order, err := g.order()
	if err != nil {
		return nil, err
	}
	if streams < 1 || streams > stream.MaxStreams {
		return nil, fmt.Errorf("compute: graph on %d streams, want 1 to %d: %w", streams, stream.MaxStreams,
			compute.ErrOption)
	}
	if err := g.history.begin(); err != nil {
		return nil, err
	}
	r := &TaskRun{acc: g.acc, graph: g, done: make(chan struct{})}
	for i := range min(streams, max(len(order), 1)) {
		s, err := g.acc.NewStream(compute.StreamOptions{Label: fmt.Sprintf("graph %d", i)})
		if err != nil {
			g.history.cancel()
			return nil, errors.Join(err, r.close())
		}
		r.streams = append(r.streams, s)
	}
	go r.run(ctx, order)
	return r, nil
}

// Run runs the graph and waits for it; see [TaskGraph.Start] and [TaskRun.Wait].
func (g *TaskGraph) Run(ctx context.Context, streams int) ([]TaskStats, error) {
	r, err := g.Start(ctx, streams)
	if err != nil {
		return nil, err
	}
	return r.Wait(ctx)
}

// Wait waits until every task has ended or been skipped. It returns the results of all
// tasks in the order of submission, and the first error other than a skip. If tasks were
// skipped only because the context of [TaskGraph.Start] ended, it returns the first skip. If ctx
// ends first, Wait returns its error and the run goes on.
func (r *TaskRun) Wait(ctx context.Context) ([]TaskStats, error) {
	if err := stream.CheckCall(ctx, "run: Wait", r.missing()); err != nil {
		return nil, err
	}
	select {
	case <-r.done:
		return r.stats, r.err
	case <-ctx.Done():
		return nil, stream.ContextError(ctx, "a graph")
	}
}

// taskInRun is a task in a run.
type taskInRun struct {
	*task
	stats      *TaskStats
	stream     *compute.Stream
	start, end *compute.Event
	ended      chan struct{} // closed when its function has returned and its end is recorded
	next       int           // dependents that have a stream; guarded by run's loop
	refs       atomic.Int32  // to its resources: by itself and its dependents
}

// release drops a reference to the task's resources; the last one closes them. Recorded work
// keeps its memory until it has ended.
func (n *taskInRun) release() {
	if n.refs.Add(-1) == 0 {
		for _, c := range n.owned {
			if err := contain.Call(func() string { return "Close of what task " + n.name + " owns" },
				func() error { c.Close(); return nil }); err != nil {
				stream.DeviceOf(n.stream.Accelerator()).Strayed(err)
			}
		}
	}
}

// run runs every task on its own goroutine and waits for all of them. A task waits for
// the functions of its dependencies to return; for their work it waits on the device.
func (r *TaskRun) run(ctx context.Context, order []*task) {
	defer close(r.done)
	whole := ctx
	ctx, cancel := context.WithCancelCause(whole)
	defer cancel(nil)
	r.stats = make([]TaskStats, len(order))
	nodes := make(map[*task]*taskInRun, len(order))
	var all sync.WaitGroup
	var first sync.Once
	load := make([]int, len(r.streams))
	for i, o := range order {
		at := r.pickStream(o, nodes, load)
		load[at]++
		n := &taskInRun{task: o, stats: &r.stats[i], stream: r.streams[at], ended: make(chan struct{})}
		n.refs.Store(int32(o.users) + 1)
		n.stats.Name, n.stats.Stream = o.name, at
		nodes[o] = n
		before := make([]*taskInRun, len(o.before))
		for j, d := range o.before {
			before[j] = nodes[d]
		}
		all.Go(func() {
			defer func() {
				close(n.ended)
				n.release()
				for _, d := range before {
					d.release()
				}
			}()
			contain.Protect(func() string { return "the task" }, func() error { return n.submit(ctx, r.acc, before) },
				func(err error) {
					if err == nil {
						return
					}
					n.stats.Err = err
					if !errors.Is(err, ErrSkipped) {
						first.Do(func() { r.err = fmt.Errorf("compute: task %q: %w", n.name, err) })
					}
					cancel(err)
				})
		})
	}
	all.Wait()
	err := r.close() // waits for the device
	for i := 0; i < len(r.stats) && err == nil && whole.Err() != nil; i++ {
		if skipped := r.stats[i].Err; skipped != nil {
			err = fmt.Errorf("compute: task %q: %w", r.stats[i].Name, skipped)
		}
	}
	first.Do(func() { r.err = err })
	for _, o := range order {
		nodes[o].finish()
	}
	r.graph.history.end(nodes)
}

// pickStream chooses a stream for a task: that of a dependency, unless another dependent
// already continues there, otherwise the stream with the fewest tasks.
func (r *TaskRun) pickStream(o *task, nodes map[*task]*taskInRun, load []int) int {
	free := -1
	for _, d := range o.before {
		n := nodes[d]
		if n.next == 0 && free < 0 {
			free = n.stats.Stream
		}
		n.next++
	}
	if free >= 0 {
		return free
	}
	least := 0
	for i := range load {
		if load[i] < load[least] {
			least = i
		}
	}
	return least
}

// submit runs one task on its stream, after its dependencies.
func (n *taskInRun) submit(ctx context.Context, a *compute.Accelerator, before []*taskInRun) (err error) {
	for _, d := range before {
		select {
		case <-d.ended:
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ErrSkipped, stream.CanceledBy(ctx))
		}
		if d.stats.Err != nil {
			return fmt.Errorf("%w: task %q before it: %w", ErrSkipped, d.name, d.stats.Err)
		}
		if err := stream.QueueOf(n.stream).WaitFor(ctx, d.end); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ErrSkipped, stream.CanceledBy(ctx))
	}
	for _, e := range []**compute.Event{&n.start, &n.end} {
		if *e, err = a.NewEvent(compute.EventOptions{Label: n.name, Timing: true}); err != nil {
			return err
		}
	}
	if err := stream.QueueOf(n.stream).RecordEvent(ctx, n.start); err != nil {
		return err
	}
	began := stream.DeviceOf(a).Now()
	err = n.task.run(ctx, n.stream)
	n.stats.Host = stream.DeviceOf(a).Now().Sub(began)
	if err != nil {
		return err
	}
	return stream.QueueOf(n.stream).RecordEvent(ctx, n.end) // the work counts, even if another task has failed meanwhile
}

// finish reads the times and closes the events. The work has ended.
func (n *taskInRun) finish() {
	if n.stats.Err == nil {
		n.stats.Device, _, n.stats.Err = compute.Elapsed(context.Background(), n.start, n.end)
	}
	for _, e := range []*compute.Event{n.start, n.end} {
		if e != nil {
			e.Close()
		}
	}
}

// close ends the run's streams.
func (r *TaskRun) close() error {
	var errs []error
	for _, s := range r.streams {
		errs = append(errs, s.Close(context.Background()))
	}
	return errors.Join(errs...)
}
