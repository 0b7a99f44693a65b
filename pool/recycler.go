package pool

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Recycler keeps objects that are costly to create, such as events, for reuse, and drops those that
// have not been used for long. It is safe for concurrent use; its functions are called without a
// lock held.
type Recycler[T comparable] struct {
	o RecyclerOptions[T]

	mu     sync.Mutex
	closed bool
	out    map[T]struct{}
	idle   []idleObject[T] // last in, first out
	stats  RecyclerStats
}

// RecyclerOptions configures a recycler.
type RecyclerOptions[T comparable] struct {
	Make    func() (T, error) // returns a new object, equal to no other
	Drop    func(T)           // nil for objects that only need garbage collection
	MaxIdle time.Duration     // 0 means a minute; if negative, none is kept
	MaxKept int               // maximum number of idle objects; 0 means 64; if negative, none is kept
	Now     func() time.Time  // nil means time.Now
}

// idleObject is an idle object and the time when it became idle.
type idleObject[T any] struct {
	v     T
	since time.Time
}

// RecyclerStats counts objects since the recycler was created.
type RecyclerStats struct {
	Made, Reused, Dropped uint64
	Out, Idle             int
}

// maxIdleObjects is the default number of idle objects that a recycler keeps: as many as a command
// queue has command buffers.
const maxIdleObjects = 64

// NewRecycler returns a new recycler. Close it when done.
func NewRecycler[T comparable](o RecyclerOptions[T]) *Recycler[T] {
	if o.MaxIdle == 0 {
		o.MaxIdle = defaultIdle
	}
	if o.MaxKept == 0 {
		o.MaxKept = maxIdleObjects
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Recycler[T]{o: o, out: map[T]struct{}{}}
}

func (r *Recycler[T]) missing() bool { return r == nil || r.out == nil }

// Get returns an idle object or a new one. Errors: [ErrClosed], and those of Make.
func (r *Recycler[T]) Get() (v T, err error) {
	if r.missing() {
		return v, fmt.Errorf("pool: recycler that is nil or was not made by NewRecycler: %w", ErrForeign)
	}
	v, ok, err := r.take()
	if ok || err != nil {
		return v, err
	}
	if r.o.Make == nil {
		return v, fmt.Errorf("pool: recycler: Make is nil: %w", ErrOptions)
	}
	if v, err = r.o.Make(); err != nil {
		return v, err
	}
	r.mu.Lock()
	closed := r.closed
	r.stats.Made++
	if !closed {
		r.out[v] = struct{}{}
	}
	r.mu.Unlock()
	if closed {
		r.drop([]idleObject[T]{{v: v}})
		return *new(T), fmt.Errorf("pool: recycler: %w", ErrClosed)
	}
	return v, nil
}

// take returns an idle object, if there is one.
func (r *Recycler[T]) take() (v T, ok bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return v, false, fmt.Errorf("pool: recycler: %w", ErrClosed)
	}
	n := len(r.idle)
	if n == 0 {
		return v, false, nil
	}
	v = r.idle[n-1].v
	r.idle[n-1] = idleObject[T]{}
	r.idle = r.idle[:n-1]
	r.stats.Reused++
	r.out[v] = struct{}{}
	return v, true, nil
}

// Put returns an object. Objects that have been idle for too long, and the oldest if there are too
// many, are dropped. If the object is not currently out, because it was put back before or does not
// belong to this recycler, nothing happens and the error wraps [ErrForeign].
func (r *Recycler[T]) Put(v T) error {
	if r.missing() {
		return fmt.Errorf("pool: recycler that is nil or was not made by NewRecycler: %w", ErrForeign)
	}
	r.mu.Lock()
	if _, ok := r.out[v]; !ok {
		r.mu.Unlock()
		return fmt.Errorf("pool: recycler: the object is not out: %w", ErrForeign)
	}
	delete(r.out, v)
	now := r.o.Now()
	r.idle = append(r.idle, idleObject[T]{v, now})
	dropped := r.trim(now)
	r.mu.Unlock()
	r.drop(dropped)
	return nil
}

// Trim drops the objects that have been idle for longer than MaxIdle.
func (r *Recycler[T]) Trim() {
	if r.missing() {
		return
	}
	r.mu.Lock()
	dropped := r.trim(r.o.Now())
	r.mu.Unlock()
	r.drop(dropped)
}

// trim removes the objects to drop, the oldest first. The lock is held.
func (r *Recycler[T]) trim(now time.Time) (released []idleObject[T]) {
	n := 0
	for n < len(r.idle) && (r.closed || len(r.idle)-n > r.o.MaxKept || now.Sub(r.idle[n].since) >= r.o.MaxIdle) {
		n++
	}
	if n > 0 {
		released = slices.Clone(r.idle[:n])
		r.idle = slices.Delete(r.idle, 0, n)
	}
	return released
}

// drop drops objects that were removed from the list. The lock is not held.
func (r *Recycler[T]) drop(objects []idleObject[T]) {
	if len(objects) == 0 {
		return
	}
	r.mu.Lock()
	r.stats.Dropped += uint64(len(objects))
	r.mu.Unlock()
	if r.o.Drop == nil {
		return
	}
	for i := range objects {
		r.o.Drop(objects[i].v)
	}
}

// Stats returns the counts.
func (r *Recycler[T]) Stats() RecyclerStats {
	if r.missing() {
		return RecyclerStats{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.stats
	s.Out, s.Idle = len(r.out), len(r.idle)
	return s
}

// Close drops the idle objects. Those that are out are dropped when they are put back.
func (r *Recycler[T]) Close() {
	if r.missing() {
		return
	}
	r.mu.Lock()
	r.closed = true
	dropped := r.trim(time.Time{})
	r.mu.Unlock()
	r.drop(dropped)
}
