package compute

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/mtl"
)

// Event marks a point in a stream's work. Other streams can wait for it on the device, and the
// program can wait for it with a context. An event can be recorded many times, on any stream; a
// wait refers to the most recent record at the time of the call. An Event is safe for concurrent
// use.
type Event struct {
	acc    *Accelerator
	label  string
	timing bool

	recording chan struct{} // full during a record: one at a time, as a record may wait for room in its stream

	mu     sync.Mutex
	closed bool
	// The last record.
	timeline  *timeline
	value     uint64 // the timeline's value when it is reached
	stream    *Stream
	number    uint64    // of the command
	serial    uint64    // counts records
	timestamp timestamp // of the last record that has ended
}

// timeline is a Metal shared event whose value increases with each record. The records of one
// stream on one event share a timeline, because they are signaled in order; a record on another
// stream uses another timeline.
type timeline struct {
	pool   *eventPool
	kind   int // in the pool
	shared mtl.SharedEvent
	stream *Stream // of the records, while it has uses
	value  uint64  // of the last record; guarded by the event that uses the timeline
	uses   atomic.Int32
}

// done ends a use. After the last one, the timeline returns to its pool.
func (p *timeline) done() {
	if p.uses.Add(-1) == 0 {
		p.pool.put(p)
	}
}

// newTimeline makes a timeline.
func (a *Accelerator) newTimeline() (*timeline, error) {
	if err := a.beginCall(); err != nil {
		return nil, err
	}
	defer a.core.Calls.Done()
	p := &timeline{shared: a.device.NewSharedEvent()}
	if p.shared.IsNil() {
		return nil, fmt.Errorf("compute: the device made no event: %w", ErrOutOfMemory)
	}
	return p, nil
}

// timestamp is the time when a record was reached.
type timestamp struct {
	serial uint64
	at     time.Duration // since an origin that all timestamps of one clock share
	host   bool          // by the host's clock, because the device gave no time
}

// EventOptions configures an event.
type EventOptions struct {
	Label string
	// Timing makes the event keep the time of its records, for [Elapsed]. Each such record ends a
	// command buffer.
	Timing bool
}

// NewEvent makes an event. Close it when done.
func (a *Accelerator) NewEvent(o EventOptions) (*Event, error) {
	if a.missing() {
		return nil, stream.NilError("accelerator: NewEvent")
	}
	e := &Event{acc: a, label: o.Label, timing: o.Timing, recording: make(chan struct{}, 1)}
	if err := a.core.AddOpen(e, e.String(), e.drop); err != nil {
		return nil, err
	}
	return e, nil
}

// String returns "event start".
func (e *Event) String() string {
	if e.missing() {
		return "nil event"
	}
	return fmt.Sprintf("event %q", e.label)
}

// Close closes the event. Work that already waits for it still does. Closing a closed or nil event
// does nothing.
func (e *Event) Close() {
	if e.missing() {
		return
	}
	e.acc.core.RemoveOpen(e)
	e.drop()
}

func (e *Event) drop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	if e.timeline != nil {
		e.timeline.done()
		e.timeline = nil
	}
}

// usable returns an error if the event is closed or belongs to another accelerator. The lock is
// held.
func (e *Event) usable(a *Accelerator) error {
	switch {
	case e.acc != a:
		return fmt.Errorf("compute: %v %w", e, ErrAccelerator)
	case e.closed:
		return fmt.Errorf("compute: %v: %w", e, ErrClosed)
	}
	return nil
}

// Record records the event: it is reached once all earlier commands of the stream have ended.
func (s *Stream) Record(ctx context.Context, e *Event) error {
	if err := stream.CheckCall(ctx, "stream: Record", s.missing()); err != nil {
		return err
	}
	if e.missing() {
		return fmt.Errorf("compute: record: no event: %w", ErrNil)
	}
	return s.recordWith(ctx, nil, e)
}

// recordWith records commands, whose uses have been counted, followed immediately by an event. If
// there is room in the stream, it succeeds even if ctx has ended. On an error, it ends the uses.
func (s *Stream) recordWith(ctx context.Context, works []stream.Work, e *Event) (err error) {
	refused := true
	defer func() {
		if refused {
			stream.EndAll(works)
		}
	}()
	select {
	case e.recording <- struct{}{}:
	default:
		select {
		case e.recording <- struct{}{}:
		case <-ctx.Done():
			return stream.ContextError(ctx, "another record of "+e.String())
		}
	}
	defer func() { <-e.recording }()
	p, serial, err := e.next(s)
	if err != nil {
		return err
	}
	p.uses.Add(1) // for the command; next counted one for the event
	p.value++
	refused = false // recordAll ends the uses
	signal := stream.Work{Command: &signalCommand{event: e, timeline: p, value: p.value, serial: serial}}
	var number uint64
	if len(works) == 0 { // without a list
		number, err = s.recordNumber(ctx, signal)
	} else {
		number, err = s.recordAll(ctx, append(works, signal))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil || e.closed {
		p.done()
		return err
	}
	if e.timeline != nil {
		e.timeline.done()
	}
	e.timeline, e.value, e.stream, e.number, e.serial = p, p.value, s, number, serial
	return nil
}

// signalCommand signals the record of an event. Who records it counts the use of the timeline.
type signalCommand struct {
	stream.PlainCommand
	event    *Event
	timeline *timeline
	value    uint64
	serial   uint64 // of the record
}

func (c *signalCommand) Done()                              { c.timeline.done() }
func (c *signalCommand) Side() stream.Side                  { return stream.ByOrder }
func (c *signalCommand) Summarize(s *stream.CommandSummary) { s.Form = "record of an event" }
func (c *signalCommand) Observe(e *observe.RecordEvent)     { e.Kind = observe.CommandEvent }
func (c *signalCommand) Tally(n *stream.Counters)           { n.Records.Add(1) }

func (c *signalCommand) Encode(e *stream.Encoder, _ *stream.Work) error {
	if err := e.Close(); err != nil {
		return err
	}
	return e.Commands.EncodeSignalEvent(c.timeline.shared.Event, c.value)
}

// waitCommand waits for the record of an event. Who records it counts the use of the timeline.
type waitCommand struct {
	stream.PlainCommand
	timeline *timeline
	value    uint64
	number   uint64 // of the command that records the event, in its stream
}

func (c *waitCommand) Done()                              { c.timeline.done() }
func (c *waitCommand) Side() stream.Side                  { return stream.ByOrder }
func (c *waitCommand) Summarize(s *stream.CommandSummary) { s.Form = "wait for an event" }
func (c *waitCommand) Observe(e *observe.RecordEvent)     { e.Kind = observe.CommandEvent }
func (c *waitCommand) Tally(n *stream.Counters)           { n.Waits.Add(1) }

func (c *waitCommand) Encode(e *stream.Encoder, _ *stream.Work) error {
	if err := e.Close(); err != nil {
		return err
	}
	return e.Commands.EncodeWaitForEvent(c.timeline.shared.Event, c.value)
}

// next returns the timeline for a record on a stream, with one use counted for the event, and the
// record's serial number.
func (e *Event) next(s *Stream) (*timeline, uint64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.usable(s.acc); err != nil {
		return nil, 0, err
	}
	p := e.timeline
	if p == nil || e.stream != s {
		var err error
		if p, err = s.acc.timelines.get(e.timing); err != nil {
			return nil, 0, err
		}
		p.stream = s
	}
	p.uses.Add(1)
	return p, e.serial + 1, nil
}

// WaitFor makes later commands of the stream wait, on the device, until the event's last record is
// reached. If the event was never recorded, they do not wait.
func (s *Stream) WaitFor(ctx context.Context, e *Event) error {
	if err := stream.CheckCall(ctx, "stream: WaitFor", s.missing()); err != nil {
		return err
	}
	if e.missing() {
		return fmt.Errorf("compute: wait for an event: no event: %w", ErrNil)
	}
	return s.waitFor(ctx, e)
}

// waitFor is WaitFor; if there is room in the stream, it succeeds even if ctx has ended.
func (s *Stream) waitFor(ctx context.Context, e *Event) error {
	e.mu.Lock()
	p, value, from, number, err := e.timeline, e.value, e.stream, e.number, e.usable(s.acc)
	if err == nil && p != nil {
		p.uses.Add(1)
	}
	e.mu.Unlock()
	if err != nil || p == nil {
		return err
	}
	if from != s {
		from.Flush() // do not wait for its batching delay
	}
	return s.record(ctx, stream.Work{Command: &waitCommand{timeline: p, value: value, number: number}})
}

// Wait waits until the last record is reached and its command buffer has ended. If the event was
// never recorded, it returns immediately. Failures of the work are returned by [Stream.Sync], not
// here.
func (e *Event) Wait(ctx context.Context) error {
	if err := stream.CheckCall(ctx, "event: Wait", e.missing()); err != nil {
		return err
	}
	return e.wait(ctx)
}

// wait is Wait, but succeeds with a context that has ended if there is nothing to wait for.
func (e *Event) wait(ctx context.Context) error {
	e.mu.Lock()
	s, number, err := e.stream, e.number, e.usable(e.acc)
	e.mu.Unlock()
	if err != nil || s == nil {
		return err
	}
	return s.waitNumber(ctx, number, e.String())
}

// Reached reports whether the last record has been reached. It is false for a nil event.
func (e *Event) Reached() bool {
	if e.missing() {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.timeline != nil && e.timeline.shared.SignaledValue() >= e.value
}

// force signals a value that the device will never signal, because its command buffer failed.
func (p *timeline) force(value uint64) {
	if p.shared.SignaledValue() < value {
		// It fails only if a later value has been signaled meanwhile, which is just as good.
		_ = p.shared.SetSignaledValue(value)
	}
}

// setTimestamp sets the time when a record was reached: the end of its command buffer by the
// device's clock in seconds, or 0 if unknown.
func (e *Event) setTimestamp(serial uint64, seconds float64) {
	if !e.timing {
		return
	}
	t := timestamp{serial: serial, at: time.Duration(seconds * 1e9)}
	if seconds == 0 {
		t.host, t.at = true, time.Duration(e.acc.now().UnixNano())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if serial > e.timestamp.serial {
		e.timestamp = t
	}
}

// Elapsed waits for two timing events and returns the time between their last records, by the
// device's clock. host reports that the device gave no time and the host's clock was used instead.
func Elapsed(ctx context.Context, from, to *Event) (d time.Duration, host bool, err error) {
	if err := stream.CheckCall(ctx, "Elapsed", from.missing() || to.missing()); err != nil {
		return 0, false, err
	}
	var stamps [2]timestamp
	for i, e := range []*Event{from, to} {
		if !e.timing {
			return 0, false, fmt.Errorf("compute: %v was made without Timing: %w", e, ErrOption)
		}
		if err := e.wait(ctx); err != nil {
			return 0, false, err
		}
		e.mu.Lock()
		stamps[i] = e.timestamp
		reached := e.timestamp.serial == e.serial && e.serial > 0
		e.mu.Unlock()
		if !reached {
			return 0, false, fmt.Errorf("compute: %v has no successful record: %w", e, ErrExecution)
		}
	}
	if stamps[0].host != stamps[1].host {
		return 0, false, fmt.Errorf("compute: %v and %v were timed by different clocks: %w", from, to, ErrExecution)
	}
	return stamps[1].at - stamps[0].at, stamps[0].host, nil
}

// Momentary implements stream.Momentary.
func (c *signalCommand) Momentary() {}

// Momentary implements stream.Momentary.
func (c *waitCommand) Momentary() {}
