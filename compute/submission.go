package compute

import (
	"slices"

	"github.com/puremetal/puremetal/compute/internal/stream"
)

// maxPending is how many commands a stream holds before callers must wait (back-pressure).
const maxPending = 4096

// submission tracks a stream's commands until they have ended: pending commands, batches in flight,
// and the callers that wait for either. It keeps state and makes decisions; Stream owns the
// goroutine and the timer that carry them out.
//
// It has no lock: Stream.mu guards it. Commands are numbered from 1 in the order they are recorded.
type submission struct {
	batching Batching

	pending  pendingQueue
	inFlight []*batch // in order
	waiters  []waiter

	batches   uint64 // that were made
	recorded  uint64 // number of the last command
	failed    uint64 // batches that have failed
	completed uint64 // all commands up to this number have ended
	urgent    uint64 // commands up to this number are not delayed for a larger batch

	canceled   error // why batches in flight were canceled, until cancelDevice has passed it on to the device
	cause      error // the failure of the last batch that failed
	submitting bool  // a goroutine is submitting
	settling   bool  // a goroutine completes batches that have ended
	delayed    bool  // a timer ends the batching delay
	closed     bool  // new commands are rejected
}

// waiter waits until a command has completed, or until there is room for a new one.
type waiter struct {
	number uint64
	room   bool
	done   chan struct{}
}

// idle reports whether all commands have ended.
func (s *submission) idle() bool { return s.recorded == s.completed }

// full reports whether there is no room for another command.
func (s *submission) full() bool { return s.pending.len() >= maxPending }

// add numbers a command and appends it to those pending.
func (s *submission) add(w *stream.Work) {
	s.recorded++
	w.Number = s.recorded
	if _, ok := w.Command.(*stream.Branch); ok {
		s.recorded++ // the number of its end; see batch.branch
	}
	s.pending.push(w)
}

// hurry ends the batching delay of all pending commands.
func (s *submission) hurry() { s.urgent = s.recorded }

// decision is what to do with the pending commands.
type decision uint8

const (
	waitForDevice decision = iota // nothing now; the next command or the end of a batch asks again
	waitForMore                   // start the timer of the batching delay
	submitNow
)

// decide returns what to do with the pending commands if at most room command buffers may be in
// flight. It records that the timer or the goroutine is started, so the caller must carry out the
// decision.
func (s *submission) decide(room int) decision {
	switch {
	case s.submitting, s.pending.len() == 0, s.running() >= room, s.blocked():
		return waitForDevice
	case s.awaitsMore():
		if s.delayed {
			return waitForDevice // the timer is set
		}
		s.delayed = true
		return waitForMore
	}
	s.submitting = true
	return submitNow
}

// awaitsMore reports whether the batching delay holds the pending commands back. There are pending
// commands.
func (s *submission) awaitsMore() bool {
	return s.batching.Delay > 0 && s.pending.first().Number > s.urgent && s.pending.len() < s.batching.Commands
}

// blocked reports whether the next batch must wait for a copy by the host, or is a launch on the
// CPU, which must wait for all batches before it. There are pending commands.
func (s *submission) blocked() bool {
	n := len(s.inFlight)
	_, fallback := s.pending.first().Command.(*fallbackRun)
	return n > 0 && (s.inFlight[n-1].endsWithHost() || fallback)
}

// next moves the next batch from the pending commands to those in flight. If nothing is pending,
// room command buffers are in flight, a copy by the host is due or the batching delay has begun, it
// returns nil, and the submitting goroutine must end.
func (s *submission) next(room int) *batch {
	if s.pending.len() == 0 || s.running() >= room || s.blocked() || s.awaitsMore() {
		s.submitting = false
		return nil
	}
	s.batches++
	b := &batch{number: s.batches, works: s.pending.cut(s.batching)}
	s.inFlight = append(s.inFlight, b)
	return b
}

// running returns how many batches in flight have not ended on the device.
func (s *submission) running() (n int) {
	for _, b := range s.inFlight {
		if !b.ended {
			n++
		}
	}
	return n
}

// oldestEnded returns the oldest batch in flight if it has ended, otherwise nil. Batches can end
// out of order if a later one fails before it is committed, but their commands complete in order.
func (s *submission) oldestEnded() *batch {
	if len(s.inFlight) == 0 || !s.inFlight[0].ended {
		return nil
	}
	return s.inFlight[0]
}

// popEnded removes and returns what oldestEnded returns.
func (s *submission) popEnded() *batch {
	first := s.oldestEnded()
	if first == nil {
		return nil
	}
	s.completed = first.last()
	s.inFlight = slices.Delete(s.inFlight, 0, 1)
	return first
}

// before appends to list the commands of the batches in flight before the given one.
func (s *submission) before(b *batch, list []stream.CommandSummary) []stream.CommandSummary {
	for _, earlier := range s.inFlight {
		if earlier == b {
			break
		}
		for i := range earlier.works {
			list = append(list, earlier.works[i].Summary())
		}
	}
	return list
}

// wait returns a channel that wake closes once the command has completed.
func (s *submission) wait(number uint64) <-chan struct{} { return s.addWaiter(waiter{number: number}) }

// waitForRoom returns a channel that wake closes once there is room for a command or the stream is
// closed.
func (s *submission) waitForRoom() <-chan struct{} { return s.addWaiter(waiter{room: true}) }

func (s *submission) addWaiter(w waiter) <-chan struct{} {
	w.done = make(chan struct{})
	s.waiters = append(s.waiters, w)
	return w.done
}

// wake ends the waits that are over.
func (s *submission) wake() {
	s.waiters = slices.DeleteFunc(s.waiters, func(w waiter) bool {
		over := w.number <= s.completed
		if w.room {
			over = s.closed || !s.full()
		}
		if over {
			close(w.done)
		}
		return over
	})
}
