package command

import (
	"slices"
	"sync"
	"time"
)

// Event is a number that only rises, which queues and the CPU wait for and signal.
type Event struct {
	mu      sync.Mutex
	changed sync.Cond
	value   uint64
	waits   []notice

	// Of the record of the order, under its lock: the values, ascending.
	signals   []signaled
	signalsOf *ordering
}

type notice struct {
	value uint64
	on    *Listener
	owner any
	reach func(value uint64) func()
}

// NewEvent returns an event of value 0.
func NewEvent() *Event {
	e := &Event{}
	e.changed.L = &e.mu
	return e
}

// Value returns the value signaled last.
func (e *Event) Value() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.value
}

// Signal raises the value; a lower one changes nothing.
func (e *Event) Signal(value uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if value <= e.value {
		return
	}
	e.value = value
	e.changed.Broadcast()
	kept := e.waits[:0]
	for _, n := range e.waits {
		if n.value <= value {
			n.on.post(n, value)
		} else {
			kept = append(kept, n)
		}
	}
	clear(e.waits[len(kept):])
	e.waits = kept
}

// Wait waits until the value is reached or the timeout has passed, and reports whether it was
// reached. It gives up early if stop returns true; the code that causes this must call Wake. A nil
// stop never does.
func (e *Event) Wait(value uint64, timeout time.Duration, stop func() bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.value >= value || timeout <= 0 {
		return e.value >= value
	}
	end := time.Now().Add(timeout)
	timer := time.AfterFunc(timeout, e.Wake)
	defer timer.Stop()
	for e.value < value && time.Now().Before(end) && (stop == nil || !stop()) {
		e.changed.Wait()
	}
	return e.value >= value
}

// Wake has those who wait look again.
func (e *Event) Wake() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.changed.Broadcast()
}

// Notify calls reach with the current value once the value is reached, and makes the listener call
// the function that reach returns, if not nil. reach runs where the event is signaled, under the
// event's lock, so that it can retain what must live until the listener runs.
func (e *Event) Notify(on *Listener, value uint64, owner any, reach func(value uint64) func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := notice{value, on, owner, reach}
	if e.value >= value {
		on.post(n, e.value)
		return
	}
	e.waits = append(e.waits, n)
}

// Forget drops the notices of an owner that has gone.
func (e *Event) Forget(owner any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waits = slices.DeleteFunc(e.waits, func(n notice) bool { return n.owner == owner })
}

// Listener calls functions one after the other, on a goroutine that lives while there are any.
type Listener struct {
	mu      sync.Mutex
	posted  []func()
	running bool
}

func (l *Listener) post(n notice, value uint64) {
	if fn := n.reach(value); fn != nil {
		l.Do(fn)
	}
}

// Do has fn called after those posted before.
func (l *Listener) Do(fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.posted = append(l.posted, fn)
	if !l.running {
		l.running = true
		go l.run()
	}
}

func (l *Listener) run() {
	for {
		l.mu.Lock()
		if len(l.posted) == 0 {
			l.running, l.posted = false, nil
			l.mu.Unlock()
			return
		}
		fn := l.posted[0]
		l.posted = l.posted[1:]
		l.mu.Unlock()
		fn()
	}
}
