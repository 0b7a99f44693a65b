package compute

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/contain"
)

// StreamGroup runs functions concurrently, each with a stream, like errgroup. The first error
// cancels the context of the others.
type StreamGroup struct {
	parent  context.Context // the context of NewStreamGroup
	ctx     context.Context // for the functions
	cancel  context.CancelCauseFunc
	streams []*Stream
	running sync.WaitGroup

	mu   sync.Mutex
	next int
	err  error
}

// NewStreamGroup makes a group with n new streams. Wait ends it.
func (a *Accelerator) NewStreamGroup(ctx context.Context, n int) (*StreamGroup, error) {
	if err := stream.CheckCall(ctx, "accelerator: NewStreamGroup", a.missing()); err != nil {
		return nil, err
	}
	if n < 1 || n > maxStreams {
		return nil, fmt.Errorf("compute: group of %d streams, want 1 to %d: %w", n, maxStreams, ErrOption)
	}
	g := &StreamGroup{parent: ctx}
	g.ctx, g.cancel = context.WithCancelCause(ctx)
	for i := range n {
		s, err := a.NewStream(StreamOptions{Label: fmt.Sprintf("group %d", i)})
		if err != nil {
			return nil, errors.Join(err, g.Wait())
		}
		g.streams = append(g.streams, s)
	}
	return g, nil
}

// Go calls fn on a new goroutine with one of the group's streams, in turn. Functions may share a
// stream, so fn's work may run after that of another function. If fn panics, its error is a
// *[PanicError]. Go of a nil group does nothing; its Wait returns an error.
func (g *StreamGroup) Go(fn func(context.Context, *Stream) error) {
	if g.missing() {
		return
	}
	if fn == nil {
		g.fail(fmt.Errorf("compute: group: no function: %w", ErrNil))
		return
	}
	g.mu.Lock()
	s := g.streams[g.next%len(g.streams)]
	g.next++
	g.mu.Unlock()
	g.running.Go(func() {
		contain.Protect(func() string { return "a function of a group" }, func() error { return fn(g.ctx, s) }, g.fail)
	})
}

// fail records the first error.
func (g *StreamGroup) fail(err error) {
	if err == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		g.err = err
		g.cancel(err)
	}
}

// Wait waits until every function has returned and the streams' work has ended, closes the streams,
// and returns the first error. If the context of [Accelerator.NewStreamGroup] ends, Wait no longer
// waits for the device; [Accelerator.Close] then closes the streams and does not report them as
// leaks.
func (g *StreamGroup) Wait() error {
	if g.missing() {
		return stream.NilError("group: Wait")
	}
	g.running.Wait()
	for _, s := range g.streams {
		err := s.Close(g.parent)
		s.abandon()
		g.fail(err)
	}
	g.cancel(nil)
	return g.err
}
