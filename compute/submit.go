package compute

import (
	"context"
	"fmt"
	"time"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/compute/observe"
)

// record adds a command, whose uses have been counted. On an error, it ends the uses.
func (s *Stream) record(ctx context.Context, w stream.Work) error {
	_, err := s.recordNumber(ctx, w)
	return err
}

// recordNumber is record, and also returns the command's number.
func (s *Stream) recordNumber(ctx context.Context, w stream.Work) (uint64, error) {
	if c := s.capture.Load(); c != nil {
		return 0, c.Add([]stream.Work{w})
	}
	if err := s.lockWithRoom(ctx); err != nil {
		w.End()
		return 0, err
	}
	defer s.mu.Unlock()
	s.add(ctx, &w)
	s.start()
	return w.Number, nil
}

// recordAll records commands without any other command between them, and returns the number of the
// last one. On an error, it ends their uses.
func (s *Stream) recordAll(ctx context.Context, works []stream.Work) (uint64, error) {
	if c := s.capture.Load(); c != nil {
		return 0, c.Add(works)
	}
	if err := s.lockWithRoom(ctx); err != nil {
		stream.EndAll(works)
		return 0, err
	}
	defer s.mu.Unlock()
	for i := range works { // a few may exceed the room
		s.add(ctx, &works[i])
	}
	s.start()
	return s.submission.recorded, nil
}

// share makes the commands of a call share the budget of [WithWorkBudget], if there is one.
func (s *Stream) share(works []stream.Work) {
	if s.acc.work == 0 || !s.acc.info.Software {
		return
	}
	n := s.accounts.Add(1)
	for i := range works {
		works[i].Account = n
	}
}

// lockWithRoom locks the stream once there is room for a command. On an error, it is not locked.
func (s *Stream) lockWithRoom(ctx context.Context) error {
	s.mu.Lock()
	for s.submission.full() && !s.submission.closed {
		done := s.submission.waitForRoom()
		s.mu.Unlock()
		select {
		case <-done:
		case <-ctx.Done():
			return stream.ContextError(ctx, "room in stream "+s.label)
		}
		s.mu.Lock()
	}
	if s.submission.closed {
		s.mu.Unlock()
		return fmt.Errorf("compute: stream %q: %w", s.label, ErrClosed)
	}
	if err := s.ended(); err != nil {
		s.mu.Unlock()
		return err
	}
	return nil
}

// add adds a command. The lock is held.
func (s *Stream) add(ctx context.Context, w *stream.Work) {
	if s.submission.idle() {
		s.acc.busy.begin(s.priority)
	}
	s.submission.add(w)
	w.Tally(&s.stats)
	if list := s.acc.core.Observers(); list != nil {
		s.observeRecord(ctx, list, w)
	}
}

// waitNumber waits until a command has ended.
func (s *Stream) waitNumber(ctx context.Context, number uint64, what string) error {
	s.mu.Lock()
	if s.submission.completed >= number {
		s.mu.Unlock()
		s.seen()
		return nil
	}
	s.hurry()
	done := s.submission.wait(number)
	s.mu.Unlock()
	select {
	case <-done:
		s.seen()
		return nil
	case <-ctx.Done():
		return stream.ContextError(ctx, what)
	}
}

// start submits the pending work if the device has room for it. The lock is held.
func (s *Stream) start() {
	if s.submission.submitting {
		return
	}
	switch s.submission.decide(s.inFlightLimit()) {
	case waitForMore:
		if d := s.submission.batching.Delay; !endless(d) {
			time.AfterFunc(d, s.endDelay)
		}
	case submitNow:
		go s.submit()
	}
}

// inFlightLimit returns how many command buffers the stream may currently have in flight.
func (s *Stream) inFlightLimit() int {
	if s.acc.busy.above(s.priority) {
		return 1
	}
	return s.acc.batching.InFlight
}

// endDelay submits the commands that the batching delay held back.
func (s *Stream) endDelay() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.submission.delayed = false
	s.hurry()
}

// hurry submits pending commands without waiting for a larger batch. The lock is held.
func (s *Stream) hurry() {
	s.submission.hurry()
	s.start()
}

// submit turns pending work into command buffers while the device has room for them.
func (s *Stream) submit() {
	for {
		s.mu.Lock()
		s.cancelDevice()
		s.submission.pending.split = s.acc.LaunchTimes() == observe.LaunchTimesBySplit
		b := s.submission.next(s.inFlightLimit())
		if b == nil {
			s.start() // the batching delay of what is left
			s.mu.Unlock()
			return
		}
		b.stream = s
		s.submission.wake()
		s.mu.Unlock()
		if s.guarded != nil {
			b.runGuarded()
			continue
		}
		b.submit()
	}
}
