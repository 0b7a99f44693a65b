package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/compute"
)

// ErrBusy: a scheduler has as many requests as it may have. Try again later.
var ErrBusy = errors.New("too many requests")

// SchedulerOptions configures a [Scheduler]. Zero values are the defaults.
type SchedulerOptions struct {
	Active  int // sequences that are computed at once, each with memory of its own; the default is 16
	Waiting int // requests that wait for one of them; the default is 64
	Piece   int // tokens of a prompt that are computed at once, so that others wait no longer; the default is 128
}

// Scheduler generates many texts at once over one model: each step computes the next token of all
// active ones, and reads the weights once for them. Texts begin and end while others go on. It is
// safe for concurrent use.
type Scheduler struct {
	model   *Model
	options SchedulerOptions
	ended   chan struct{}
	cancel  context.CancelCauseFunc

	mu      sync.Mutex
	wake    chan struct{} // has an element when there is something to do
	waiting []*request
	active  atomic.Int32
	closed  bool
}

// request is a text that is being generated.
type request struct {
	ctx    context.Context
	g      Generation
	random *rand.Rand
	seq    *Sequence
	active *atomic.Int32 // counts requests with a sequence
	ids    []int32       // tokens that are not part of the sequence yet
	seen   []int32
	n      int        // tokens that were generated
	tokens chan int32 // has room for all of them
	err    error      // set before tokens is closed
}

// NewScheduler starts a scheduler. Close it before the model.
func (m *Model) NewScheduler(o SchedulerOptions) (*Scheduler, error) {
	for _, x := range []struct {
		at      *int
		name    string
		value   int
		highest int
	}{{&o.Active, "Active", 16, 4096}, {&o.Waiting, "Waiting", 64, 1 << 20}, {&o.Piece, "Piece", 128, maxRows}} {
		if *x.at == 0 {
			*x.at = x.value
		}
		if *x.at < 1 || *x.at > x.highest {
			return nil, fmt.Errorf("model: SchedulerOptions.%s is %d, want 1 to %d: %w", x.name, *x.at, x.highest,
				compute.ErrOption)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &Scheduler{model: m, options: o, ended: make(chan struct{}), cancel: cancel, wake: make(chan struct{}, 1)}
	go s.loop(ctx)
	return s, nil
}

// Generate continues a text as [Sequence.Generate] does, together with others. If as many wait as
// may, it yields an error that wraps [ErrBusy]; without Tokens the text is as long as the context.
// The text is given up when ctx ends, and when the loop over the tokens does.
func (s *Scheduler) Generate(ctx context.Context, prompt []int32, g Generation) iter.Seq2[int32, error] {
	return func(yield func(int32, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		r, err := s.add(ctx, prompt, g)
		if err != nil {
			yield(0, err)
			return
		}
		for {
			select {
			case id, ok := <-r.tokens:
				if !ok && r.err != nil {
					yield(0, r.err)
				}
				if !ok || !yield(id, nil) {
					return
				}
			case <-ctx.Done():
				yield(0, fmt.Errorf("model: %w: %w", compute.ErrCanceled, context.Cause(ctx)))
				return
			}
		}
	}
}

// add checks a request and lets it wait.
func (s *Scheduler) add(ctx context.Context, prompt []int32, g Generation) (*request, error) {
	m := s.model
	if m.arch.encoder {
		return nil, fmt.Errorf("model: %s has no logits: %w", m.arch.name, ErrArchitecture)
	}
	if err := m.checkIDs(prompt); err != nil {
		return nil, err
	}
	if len(prompt) == 0 || len(prompt) > m.options.Context {
		return nil, fmt.Errorf("model: a prompt of %d tokens, want 1 to %d: %w", len(prompt), m.options.Context,
			ErrContext)
	}
	if room := m.options.Context - len(prompt) + 1; g.Tokens == 0 || g.Tokens > room {
		g.Tokens = room
	}
	r := &request{ctx: ctx, g: g, ids: prompt, seen: slices.Clone(prompt), tokens: make(chan int32, g.Tokens),
		random: rand.New(rand.NewPCG(g.Seed, 0))}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	switch {
	case s.closed:
		return nil, fmt.Errorf("model: the scheduler: %w", compute.ErrClosed)
	case len(s.waiting) >= s.options.Waiting:
		return nil, fmt.Errorf("model: %d requests are computed and %d wait: %w", s.active.Load(), len(s.waiting), ErrBusy)
	}
	s.waiting = append(s.waiting, r)
	s.signal()
	return r, nil
}

// forget removes requests that were given up while they waited. The lock is held.
func (s *Scheduler) forget() {
	s.waiting = slices.DeleteFunc(s.waiting, func(r *request) bool { return r.ctx.Err() != nil })
}

func (s *Scheduler) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Load returns how many requests are computed and how many wait.
func (s *Scheduler) Load() (active, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int(s.active.Load()), len(s.waiting)
}

// Close gives up all requests, which fail with [compute.ErrClosed], and waits until the current
// step has ended. If ctx ends first, Close returns its error, and may be called again.
func (s *Scheduler) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel(compute.ErrClosed)
	select {
	case <-s.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("model: the scheduler: %w: %w", compute.ErrStaysOpen, ctx.Err())
	}
}

// loop computes steps until the context ends.
func (s *Scheduler) loop(ctx context.Context) {
	defer close(s.ended)
	var active []*request
	for {
		if len(active) == 0 {
			select {
			case <-s.wake:
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil {
			s.mu.Lock()
			active = append(active, s.waiting...)
			s.waiting = nil
			s.mu.Unlock()
			for _, r := range active {
				r.end(fmt.Errorf("model: the scheduler: %w", compute.ErrClosed))
			}
			return
		}
		active = s.admit(active)
		if len(active) > 0 {
			active = s.step(ctx, active)
		}
	}
}

// admit ends requests that nobody waits for any more, and lets waiting ones take their places.
func (s *Scheduler) admit(active []*request) []*request {
	active = slices.DeleteFunc(active, func(r *request) bool {
		if r.ctx.Err() == nil {
			return false
		}
		r.end(nil) // Generate has returned the context's error
		return true
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	for len(active) < s.options.Active && len(s.waiting) > 0 {
		r := s.waiting[0]
		// More than one at a time, so that many have memory together.
		slots := min(max(len(s.waiting), len(active)), s.options.Active-len(active))
		seq, err := s.model.newSequence(slots)
		if err != nil && len(active) > 0 {
			break // there is memory when one of them ends
		}
		s.waiting = s.waiting[1:]
		if err != nil {
			r.end(err)
			continue
		}
		r.seq, r.active = seq, &s.active
		s.active.Add(1)
		active = append(active, r)
	}
	return active
}

// step computes a token of each request, or a piece of its prompt, and returns those that go on.
func (s *Scheduler) step(ctx context.Context, active []*request) []*request {
	sequences, ids, d := make([]*Sequence, len(active)), make([][]int32, len(active)), make([]drawing, len(active))
	room := max(maxRows, len(active)) // as many tokens as are computed at once
	for i, r := range active {
		others := len(active) - i - 1
		sequences[i], ids[i] = r.seq, r.ids[:min(len(r.ids), s.options.Piece, room-others)]
		room -= len(ids[i])
		d[i] = drawing{Generation: r.g, seen: r.seen}
		if len(ids[i]) == len(r.ids) {
			d[i].random = r.random.Float32()
		}
	}
	drawn, err := s.model.next(ctx, sequences, ids, d)
	if err != nil {
		for _, r := range active {
			r.end(err)
		}
		return nil
	}
	i := -1
	return slices.DeleteFunc(active, func(r *request) bool {
		i++
		if len(ids[i]) < len(r.ids) { // more of the prompt follows
			r.ids = r.ids[len(ids[i]):]
			return false
		}
		return r.take(drawn[i])
	})
}

// take adds a token that was drawn, and reports whether the text has ended.
func (r *request) take(id int32) bool {
	if slices.Contains(r.g.Stop, id) {
		r.end(nil)
		return true
	}
	r.tokens <- id
	r.ids, r.seen = []int32{id}, append(r.seen, id)
	if r.n++; r.n == r.g.Tokens {
		r.end(nil)
		return true
	}
	return false
}

// end ends a request.
func (r *request) end(err error) {
	if r.seq != nil {
		r.seq.Close()
		r.active.Add(-1)
	}
	r.err = err
	close(r.tokens)
}
