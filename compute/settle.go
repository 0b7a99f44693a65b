package compute

import (
	"cmp"
	"fmt"

	"github.com/puremetal/puremetal/compute/internal/stream"
)

// finish handles the end of a batch on the device. It is called once per batch, on one of Metal's
// threads, by the submitting goroutine, or by what cancels the batch.
func (s *Stream) finish(b *batch, err error) {
	b.log.end()
	b.notify(err)
	s.mu.Lock()
	b.ended, b.err = true, err
	s.start() // there is room for another one
	settling := s.submission.settling
	s.submission.settling = true
	s.mu.Unlock()
	if !settling {
		s.settleEnded()
	}
}

// notify notifies the composites of a batch that has ended on the device.
func (b *batch) notify(err error) {
	for i := range b.works {
		if w := &b.works[i]; w.Of != nil {
			w.Of.Ended(w, b.took, err)
		}
	}
}

// settleEnded completes the batches that have ended, in order: one goroutine at a time does. It
// ends when it must wait for something, and another goroutine goes on.
func (s *Stream) settleEnded() {
	for {
		s.mu.Lock()
		b := s.submission.oldestEnded()
		s.submission.settling = b != nil
		s.mu.Unlock()
		switch {
		case b == nil:
			return
		case !b.byHost:
			if before := b.unsettled(); before != nil {
				go func() {
					<-before
					s.settleEnded()
				}()
				return
			}
			device := b.works
			if b.endsWithHost() {
				device = device[:len(device)-1]
			}
			for i := range device {
				failed := b.err
				if i < b.failedFrom {
					failed = nil
				}
				s.acc.core.SettlePoison(&device[i], failed)
			}
			if len(device) < len(b.works) {
				go func() { // it may take long
					b.runHost()
					s.settleEnded()
				}()
				return
			}
		}
		s.complete(b)
	}
}

// unsettled returns a channel that is closed once something has been settled that the batch has
// waited for on the device; nil if all has. If the batch failed, nothing depends on that.
func (b *batch) unsettled() <-chan struct{} {
	for i := range b.works {
		if b.err != nil {
			break
		}
		switch c := b.works[i].Command.(type) {
		case *encoding:
			for _, o := range c.needs {
				select {
				case <-o.Done():
				default:
					return o.Done()
				}
			}
		case *waitCommand:
			if c.timeline.stream != nil {
				if before := c.timeline.stream.settled(c.number); before != nil {
					return before
				}
			}
		}
	}
	return nil
}

// settled returns a channel that is closed once a command has been settled, nil if it has been.
func (s *Stream) settled(number uint64) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.submission.completed >= number {
		return nil
	}
	return s.submission.wait(number)
}

// complete completes the oldest batch in flight, which has ended and has been settled.
func (s *Stream) complete(b *batch) {
	b.observeComplete(b.err)
	for i := range b.works {
		if _, signal := b.works[i].Command.(*signalCommand); b.err == nil && s.guarded == nil || !signal {
			b.works[i].End()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.submission.popEnded()
	s.settle(b)
	s.history.add(b.works)
	s.submission.pending.recycle(b.works)
	if s.submission.idle() {
		s.acc.busy.end(s.priority)
		s.retirement.idle()
	}
	s.submission.wake()
	s.start()
	s.callbacks.start()
}

// settle completes a batch after it and all earlier ones have ended: it keeps the failure, signals
// the events that the device will never signal, and queues the batch's callbacks. The lock is held.
func (s *Stream) settle(b *batch) {
	if b.err != nil {
		s.submission.failed++
		s.submission.cause = b.err
		s.failures.add(b.last(), b.err)
	}
	for i := range b.works {
		w := &b.works[i]
		if w.Of != nil {
			w.Of.Settle(w, b.err, s.submission.failed)
		}
		if w.Then != nil {
			s.seen()
			s.callbacks.add(w.Number, w.Then, b.err)
		}
		switch c := w.Command.(type) {
		case *signalCommand:
			if b.err != nil || s.guarded != nil {
				// Otherwise other streams would wait forever. It must not happen earlier: it would also
				// release those who wait for an earlier record of the event.
				c.timeline.force(c.value)
				w.End()
			}
		case *stream.CallbackCommand: // reports earlier command buffers as well
			s.seen()
			s.callbacks.add(w.Number, c.Call, s.failures.forCallback(w.Number))
		}
	}
}

// branch decides whether the loop of a batch's last command goes on, and if so puts its next
// commands before all pending ones. All of them have the number of the deciding command. Recording
// reserved a second number after it, which the last decision gets: who waits for the loop waits for
// that one. failed is the failure of the batch.
func (b *batch) branch(w *stream.Work, c *stream.Branch, failed error) error {
	s := b.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	var canceled error // the batch itself may have run
	if failed == nil && b.canceled != nil {
		canceled = fmt.Errorf("the loop does not go on: %w", b.canceled)
	}
	err := cmp.Or(canceled, c.Decide(cmp.Or(failed, canceled), s.submission.failed, s.submission.cause))
	var works []stream.Work
	if c.Again {
		works, err = c.Next(w)
		c.Again = err == nil
	}
	if !c.Again {
		if c.Top {
			w.Number++
		}
		return err
	}
	for i := range works {
		works[i].Tally(&s.stats)
		works[i].Counted()
	}
	s.submission.pending.pushFront(works)
	return err
}
