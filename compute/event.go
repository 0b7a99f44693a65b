package compute

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/puremetal/puremetal/mtl"
)

// Event is a point in a stream's work. Other streams wait for it on the device, the program waits for it with a context. An event can be recorded again and
// again; waits mean the record that was last when they were made. It is safe for concurrent use.
type Event struct {
	acc    *Accelerator
	label  string
	timing bool
	shared mtl.SharedEvent
	lifetime

	at struct {
		sync.Mutex
		stream *Stream // of the last record
		number uint64  // of its command
		value  uint64  // it signals
		stamp  stamp   // of the last record that has ended
	}
}

// stamp is when a record was reached.
type stamp struct {
	value uint64
	at    time.Duration // since a beginning that all stamps of a kind share
	host  bool          // taken by the program, as the device gave no time
}

// EventOptions says what an event is for.
type EventOptions struct {
	Label string
	// Timing makes records keep the time: see [Elapsed]. It costs a command buffer of its own for what stands before the record.
	Timing bool
}

// NewEvent makes an event. Close it when done.
func (a *Accelerator) NewEvent(o EventOptions) (*Event, error) {
	e := &Event{acc: a, label: o.Label, timing: o.Timing}
	e.what, e.gone = e.String, func() { e.shared.Release() }
	if err := a.enter(e, e.String()); err != nil {
		return nil, err
	}
	e.shared = a.device.NewSharedEvent()
	if e.shared.IsNil() {
		a.leave(e)
		return nil, fmt.Errorf("compute: %v: the device made none: %w", e, ErrOutOfMemory)
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

func (e *Event) drop() { e.lifetime.close() }

// Record has the event reached when everything that the stream was given before has ended. An event whose last record is still under way on another
// stream is refused: its values would be signaled out of order.
func (s *Stream) Record(ctx context.Context, e *Event) error {
	if e.acc != s.acc {
		return fmt.Errorf("compute: %v %w", e, ErrAccelerator)
	}
	if err := e.use(); err != nil {
		return err
	}
	e.at.Lock()
	defer e.at.Unlock()
	if e.at.stream != nil && e.at.stream != s && e.shared.SignaledValue() < e.at.value {
		e.done()
		return fmt.Errorf("compute: %v: its record on stream %s is under way: %w", e, e.at.stream.label, ErrRange)
	}
	number, err := s.recordNumber(ctx, work{kind: signalWork, event: e, value: e.at.value + 1})
	if err != nil {
		return err
	}
	e.at.value++
	e.at.stream, e.at.number = s, number
	return nil
}

// WaitFor has what the stream is given after wait until the event's last record is reached. An event that was never recorded is not waited for.
func (s *Stream) WaitFor(ctx context.Context, e *Event) error {
	if e.acc != s.acc {
		return fmt.Errorf("compute: %v %w", e, ErrAccelerator)
	}
	e.at.Lock()
	value, from := e.at.value, e.at.stream
	e.at.Unlock()
	if from == nil {
		return e.open()
	}
	if from != s {
		from.Flush() // its delay must not become ours
	}
	if err := e.use(); err != nil {
		return err
	}
	return s.record(ctx, work{kind: waitWork, event: e, value: value})
}

// Wait waits until the last record is reached and the command buffer that holds it has ended. An event that was never recorded is not waited for. Failures of
// the work come from [Stream.Sync].
func (e *Event) Wait(ctx context.Context) error {
	e.at.Lock()
	s, number := e.at.stream, e.at.number
	e.at.Unlock()
	if s == nil {
		return e.open()
	}
	return s.waitNumber(ctx, number, e.String())
}

// Reached reports whether the last record is reached.
func (e *Event) Reached() bool {
	e.at.Lock()
	defer e.at.Unlock()
	return e.open() == nil && e.shared.SignaledValue() >= e.at.value
}

// force signals a value that the device never will.
func (e *Event) force(value uint64) {
	if e.shared.SignaledValue() < value {
		// Refused only when another signal has passed it, which is as good.
		_ = e.shared.SetSignaledValue(value)
	}
}

// stamp keeps when a record was reached: the end of its command buffer by the device's clock, in seconds, or 0.
func (e *Event) stamp(value uint64, seconds float64) {
	if !e.timing {
		return
	}
	t := stamp{value: value, at: time.Duration(seconds * 1e9)}
	if seconds == 0 {
		t.host, t.at = true, time.Duration(e.acc.now().UnixNano())
	}
	e.at.Lock()
	defer e.at.Unlock()
	if value > e.at.stamp.value {
		e.at.stamp = t
	}
}

// Elapsed returns the time between the last records of two timing events, by the device's clock; host reports that the device gave none and the
// program's was taken. It waits for both.
func Elapsed(ctx context.Context, from, to *Event) (d time.Duration, host bool, err error) {
	var stamps [2]stamp
	for i, e := range []*Event{from, to} {
		if !e.timing {
			return 0, false, fmt.Errorf("compute: %v keeps no time: %w", e, ErrOption)
		}
		if err := e.Wait(ctx); err != nil {
			return 0, false, err
		}
		e.at.Lock()
		stamps[i] = e.at.stamp
		reached := e.at.stamp.value == e.at.value && e.at.value > 0
		e.at.Unlock()
		if !reached {
			return 0, false, fmt.Errorf("compute: %v has no record that succeeded: %w", e, ErrExecution)
		}
	}
	if stamps[0].host != stamps[1].host {
		return 0, false, fmt.Errorf("compute: %v and %v were timed by different clocks: %w", from, to, ErrExecution)
	}
	return stamps[1].at - stamps[0].at, stamps[0].host, nil
}
