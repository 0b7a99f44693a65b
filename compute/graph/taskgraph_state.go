package graph

import (
	"errors"
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/compute/observe"
)

// TaskHealth is how the runs of a task graph have gone so far. Runs that the program has canceled
// do not count.
type TaskHealth struct {
	State   observe.Health
	Reasons []string // why it is not healthy
	Runs    uint64   // that have ended
	Failed  uint64   // those in which a task failed
	Tasks   []TaskRecord
}

// TaskRecord is how a task has gone so far.
type TaskRecord struct {
	Name     string
	Runs     uint64 // with success or failure
	Failures uint64
	InRow    uint64 // failures since its last success
	Skipped  uint64 // runs in which it was skipped
	Last     error  // its last failure, nil for none
}

// failingRuns is how many runs must fail in a row for a graph to be failing.
const failingRuns = 3

// taskHistory is what a task graph notes about its runs.
type taskHistory struct {
	mu      sync.Mutex
	running int // runs that have not ended
	runs    uint64
	failed  uint64
	inRow   int // failed runs since the last one that succeeded
	tasks   map[*task]*TaskRecord
	states  []settler
}

// settler is a *[TaskState] of any type.
type settler interface {
	begin()
	settle(succeeded func(*task) bool)
	Reset()
}

// Health returns how the graph's runs have gone, with its tasks in the order in which they were
// added. The graph is healthy if its last run succeeded, degraded if that failed, and failing if
// the last three failed. A nil graph is failing.
func (g *TaskGraph) Health() TaskHealth {
	if g.missing() {
		return TaskHealth{State: observe.Failing, Reasons: []string{"there is no graph"}}
	}
	h := &g.history
	h.mu.Lock()
	defer h.mu.Unlock()
	out := TaskHealth{State: observe.Healthy, Runs: h.runs, Failed: h.failed}
	switch {
	case h.inRow >= failingRuns:
		out.State = observe.Failing
	case h.inRow > 0:
		out.State = observe.Degraded
	}
	for _, o := range g.tasks {
		r := TaskRecord{Name: o.name}
		if have := h.tasks[o]; have != nil {
			r = *have
		}
		if r.InRow > 0 {
			out.Reasons = append(out.Reasons, fmt.Sprintf("task %q has failed %d of %d times, %d in a row: %v", r.Name,
				r.Failures, r.Runs, r.InRow, r.Last))
		}
		out.Tasks = append(out.Tasks, r)
	}
	return out
}

// begin notes the beginning of a run. A graph with states has one run at a time.
func (h *taskHistory) begin() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.states) > 0 && h.running > 0 {
		return fmt.Errorf("compute: another run of a graph with states has not ended: %w", ErrGraph)
	}
	h.running++
	for _, s := range h.states {
		s.begin()
	}
	return nil
}

// cancel undoes begin, of a run in which no task has begun.
func (h *taskHistory) cancel() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running--
	h.settleStates(func(*task) bool { return false })
}

// end notes the end of a run.
func (h *taskHistory) end(nodes map[*task]*taskInRun) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running--
	failed, canceled := false, false
	for o, n := range nodes {
		r := h.tasks[o]
		if r == nil {
			if h.tasks == nil {
				h.tasks = map[*task]*TaskRecord{}
			}
			r = &TaskRecord{Name: o.name}
			h.tasks[o] = r
		}
		switch err := n.stats.Err; {
		case err == nil:
			r.Runs++
			r.InRow = 0
		case errors.Is(err, ErrSkipped):
			r.Skipped++
			canceled = true
		case compute.ClassOf(err) == compute.ClassCanceled:
			canceled = true
		default:
			failed = true
			r.Runs++
			r.Failures++
			r.InRow++
			r.Last = err
		}
	}
	switch {
	case failed:
		h.runs++
		h.failed++
		h.inRow++
	case !canceled:
		h.runs++
		h.inRow = 0
	}
	h.settleStates(func(o *task) bool { return nodes[o] != nil && nodes[o].stats.Err == nil })
}

// settleStates makes what successful tasks have stored their values. The lock is held.
func (h *taskHistory) settleStates(succeeded func(*task) bool) {
	for _, s := range h.states {
		s.settle(succeeded)
	}
}

// TaskState is a value that a task keeps from one run of its graph to the next: a count, or the
// buffer of an intermediate result, which stays the program's to close. Its task stores the value
// of the next run; that counts once the task and its work have succeeded, so that a run that
// failed can be repeated with what the runs before it have made. A TaskState is safe for
// concurrent use.
type TaskState[T any] struct {
	of    *task
	first T

	mu      sync.Mutex
	value   T
	next    T
	stored  bool // next is the next value, if the task succeeds
	running bool
}

// NewTaskState gives a task a state, whose value is first until a run has stored another one. A
// graph with states has one run at a time: Start returns an error wrapping [ErrGraph] while another
// one goes on. Errors: [ErrGraph] if there is no such task.
func NewTaskState[T any](g *TaskGraph, task string, first T) (*TaskState[T], error) {
	if g.missing() {
		return nil, stream.NilError("NewTaskState: the graph")
	}
	o := g.byName[task]
	if o == nil {
		return nil, fmt.Errorf("compute: no task is named %q: %w", task, ErrGraph)
	}
	s := &TaskState[T]{of: o, first: first, value: first}
	g.history.mu.Lock()
	defer g.history.mu.Unlock()
	g.history.states = append(g.history.states, s)
	return s, nil
}

// missing reports whether the state is nil or was never made.
func (s *TaskState[T]) missing() bool { return s == nil || s.of == nil }

// Load returns the value that the last run in which the task succeeded has stored. All tasks may
// call it; during a run it does not change.
func (s *TaskState[T]) Load() (value T) {
	if s.missing() {
		return value
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.value
}

// Store stores the value of the next run, if the task succeeds in this one. It is for the task's
// function: between runs the error wraps [ErrGraph].
func (s *TaskState[T]) Store(value T) error {
	if s.missing() {
		return stream.NilError("task state: Store")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running {
		return fmt.Errorf("compute: state of task %q: there is no run: %w", s.of.name, ErrGraph)
	}
	s.next, s.stored = value, true
	return nil
}

// Reset makes the value what it was at first. During a run, that is the value of the next one,
// whatever the task has stored so far.
func (s *TaskState[T]) Reset() {
	if s.missing() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running {
		s.value = s.first
		return
	}
	s.next, s.stored = s.first, true
}

func (s *TaskState[T]) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = true
}

func (s *TaskState[T]) settle(succeeded func(*task) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stored && succeeded(s.of) {
		s.value = s.next
	}
	var none T
	s.next, s.stored, s.running = none, false, false
}

// Reset makes the values of all states what they were at first; see [TaskState.Reset].
func (g *TaskGraph) Reset() error {
	if g.missing() {
		return stream.NilError("graph: Reset")
	}
	g.history.mu.Lock()
	defer g.history.mu.Unlock()
	for _, s := range g.history.states {
		s.Reset()
	}
	return nil
}
