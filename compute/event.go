package compute

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/pool"
)

// Event is a point in a stream's work. Other streams wait for it on the device, the program waits for it with a context. An event can be recorded again and
// again, on any stream; waits mean the record that was last when they were made. It is safe for concurrent use.
type Event struct {
	acc    *Accelerator
	label  string
	timing bool

	recording chan struct{} // has something during a record: one at a time, as it may wait for room in its stream

	mu     sync.Mutex
	closed bool
	// The last record.
	point  *point
	value  uint64 // that the point is signaled with
	stream *Stream
	number uint64 // of the command
	serial uint64 // counts records
	stamp  stamp  // of the last record that has ended
}

// point is a shared event of Metal's, whose value grows with each record. The records of one stream on one event share a point, since they are
// signaled in order; another stream's take another.
type point struct {
	kind   *pool.Recycler[*point]
	shared mtl.SharedEvent
	value  uint64 // given out last; guarded by the event that has the point
	uses   atomic.Int32
}

// done is the end of a use; after the last the point is used again for something else.
func (p *point) done() {
	if p.uses.Add(-1) == 0 {
		_ = p.kind.Put(p) // it cannot be there already: this is the last use
	}
}

// newPoints makes a pool of points.
func (a *Accelerator) newPoints() (r *pool.Recycler[*point]) {
	r = pool.NewRecycler(pool.RecyclerOptions[*point]{
		Make: func() (*point, error) {
			if err := a.begin(); err != nil {
				return nil, err
			}
			defer a.calls.done()
			p := &point{kind: r, shared: a.device.NewSharedEvent()}
			if p.shared.IsNil() {
				return nil, fmt.Errorf("compute: the device made no event: %w", ErrOutOfMemory)
			}
			return p, nil
		},
		Drop: func(p *point) { p.shared.Release() },
		Now:  a.now,
	})
	return r
}

// stamp is when a record was reached.
type stamp struct {
	serial uint64
	at     time.Duration // since a beginning that all stamps of a kind share
	host   bool          // taken by the program, as the device gave no time
}

// EventOptions says what an event is for.
type EventOptions struct {
	Label string
	// Timing makes records keep the time: see [Elapsed]. It costs a command buffer of its own for what stands before the record.
	Timing bool
}

// NewEvent makes an event. Close it when done.
func (a *Accelerator) NewEvent(o EventOptions) (*Event, error) {
	e := &Event{acc: a, label: o.Label, timing: o.Timing, recording: make(chan struct{}, 1)}
	if err := a.enter(e, e.String()); err != nil {
		return nil, err
	}
	return e, nil
}

// String returns "event start".
func (e *Event) String() string { return fmt.Sprintf("event %q", e.label) }

// Close gives the event up; work that waits for it still does. A second Close does nothing.
func (e *Event) Close() {
	e.acc.leave(e)
	e.drop()
}

func (e *Event) drop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	if e.point != nil {
		e.point.done()
		e.point = nil
	}
}

// usable returns an error where the event is closed or another accelerator's. The lock is held.
func (e *Event) usable(a *Accelerator) error {
	switch {
	case e.acc != a:
		return fmt.Errorf("compute: %v %w", e, ErrAccelerator)
	case e.closed:
		return fmt.Errorf("compute: %v: %w", e, ErrClosed)
	}
	return nil
}

// Record has the event reached when everything that the stream was given before has ended.
func (s *Stream) Record(ctx context.Context, e *Event) error {
	if e == nil {
		return fmt.Errorf("compute: record: nil event: %w", ErrNil)
	}
	select {
	case e.recording <- struct{}{}:
	default:
		select {
		case e.recording <- struct{}{}:
		case <-ctx.Done():
			return ended(ctx, "another record of "+e.String())
		}
	}
	defer func() { <-e.recording }()
	p, serial, err := e.next(s)
	if err != nil {
		return err
	}
	p.uses.Add(1) // the command's; next counted the event's
	p.value++
	number, err := s.recordNumber(ctx, work{kind: signalWork, event: e, point: p, value: p.value, serial: serial})
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil || e.closed {
		p.done()
		return err
	}
	if e.point != nil {
		e.point.done()
	}
	e.point, e.value, e.stream, e.number, e.serial = p, p.value, s, number, serial
	return nil
}

// next returns the point for a record on a stream, with a use for the event counted, and the record's serial.
func (e *Event) next(s *Stream) (*point, uint64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.usable(s.acc); err != nil {
		return nil, 0, err
	}
	p := e.point
	if p == nil || e.stream != s {
		kind := s.acc.points[0]
		if e.timing {
			kind = s.acc.points[1]
		}
		var err error
		if p, err = kind.Get(); err != nil {
			return nil, 0, err
		}
	}
	p.uses.Add(1)
	return p, e.serial + 1, nil
}

// WaitFor has what the stream is given after wait until the event's last record is reached. An event that was never recorded is not waited for.
func (s *Stream) WaitFor(ctx context.Context, e *Event) error {
	if e == nil {
		return fmt.Errorf("compute: wait for an event: nil event: %w", ErrNil)
	}
	e.mu.Lock()
	p, value, from, err := e.point, e.value, e.stream, e.usable(s.acc)
	if err == nil && p != nil {
		p.uses.Add(1)
	}
	e.mu.Unlock()
	if err != nil || p == nil {
		return err
	}
	if from != s {
		from.Flush() // its delay must not become ours
	}
	return s.record(ctx, work{kind: waitWork, point: p, value: value})
}

// Wait waits until the last record is reached and the command buffer that holds it has ended. An event that was never recorded is not waited for. Failures of
// the work come from [Stream.Sync].
func (e *Event) Wait(ctx context.Context) error {
	e.mu.Lock()
	s, number, err := e.stream, e.number, e.usable(e.acc)
	e.mu.Unlock()
	if err != nil || s == nil {
		return err
	}
	return s.waitNumber(ctx, number, e.String())
}

// Reached reports whether the last record is reached.
func (e *Event) Reached() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.point != nil && e.point.shared.SignaledValue() >= e.value
}

// force signals a value that the device never will.
func (p *point) force(value uint64) {
	if p.shared.SignaledValue() < value {
		// Refused only when another signal has passed it, which is as good.
		_ = p.shared.SetSignaledValue(value)
	}
}

// stamped keeps when a record was reached: the end of its command buffer by the device's clock, in seconds, or 0.
func (e *Event) stamped(serial uint64, seconds float64) {
	if !e.timing {
		return
	}
	t := stamp{serial: serial, at: time.Duration(seconds * 1e9)}
	if seconds == 0 {
		t.host, t.at = true, time.Duration(e.acc.now().UnixNano())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if serial > e.stamp.serial {
		e.stamp = t
	}
}

// Elapsed returns the time between the last records of two timing events, by the device's clock; host reports that the device gave none and the
// program's was taken. It waits for both.
func Elapsed(ctx context.Context, from, to *Event) (d time.Duration, host bool, err error) {
	var stamps [2]stamp
	for i, e := range []*Event{from, to} {
		if e == nil {
			return 0, false, fmt.Errorf("compute: elapsed time: nil event: %w", ErrNil)
		}
		if !e.timing {
			return 0, false, fmt.Errorf("compute: %v keeps no time: %w", e, ErrOption)
		}
		if err := e.Wait(ctx); err != nil {
			return 0, false, err
		}
		e.mu.Lock()
		stamps[i] = e.stamp
		reached := e.stamp.serial == e.serial && e.serial > 0
		e.mu.Unlock()
		if !reached {
			return 0, false, fmt.Errorf("compute: %v has no record that succeeded: %w", e, ErrExecution)
		}
	}
	if stamps[0].host != stamps[1].host {
		return 0, false, fmt.Errorf("compute: %v and %v were timed by different clocks: %w", from, to, ErrExecution)
	}
	return stamps[1].at - stamps[0].at, stamps[0].host, nil
}
