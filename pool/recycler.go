package pool

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Recycler keeps objects that are costly to make, such as events, for those who need one next, and drops those that nobody has needed for long. It is safe
// for concurrent use; its functions are called without a lock held.
type Recycler[T comparable] struct {
	o RecyclerOptions[T]

	mu     sync.Mutex
	closed bool
	out    map[T]struct{}
	idle   []stale[T] // the one returned last is taken first
	stats  RecyclerStats
}

// RecyclerOptions says how objects are made and dropped.
type RecyclerOptions[T comparable] struct {
	Make    func() (T, error) // a new object, equal to no other
	Drop    func(T)           // nil for objects that the garbage collector takes
	MaxIdle time.Duration     // 0 for a minute; below, nothing is kept
	Most    int               // idle objects kept at most; 0 for 64; below, nothing is kept
	Now     func() time.Time  // nil for time.Now
}

// stale is an idle object.
type stale[T any] struct {
	v     T
	since time.Time
}

// RecyclerStats counts since the recycler was made.
type RecyclerStats struct {
	Made, Reused, Dropped uint64
	Out, Idle             int
}

// maxIdleObjects is how many idle objects a recycler keeps by default: as many as a command queue has command buffers.
const maxIdleObjects = 64

// NewRecycler makes a recycler. Close it when done.
func NewRecycler[T comparable](o RecyclerOptions[T]) *Recycler[T] {
	if o.MaxIdle == 0 {
		o.MaxIdle = defaultIdle
	}
	if o.Most == 0 {
		o.Most = maxIdleObjects
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Recycler[T]{o: o, out: map[T]struct{}{}}
}

// Get returns an object, one that was put back or a new one. Errors: [ErrClosed], and those of Make.
func (r *Recycler[T]) Get() (v T, err error) {
	v, ok, err := r.take()
	if ok || err != nil {
		return v, err
	}
	if r.o.Make == nil {
		return v, fmt.Errorf("pool: recycler without a function that makes objects: %w", ErrOptions)
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
		r.drop([]stale[T]{{v: v}})
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
	r.idle[n-1] = stale[T]{}
	r.idle = r.idle[:n-1]
	r.stats.Reused++
	r.out[v] = struct{}{}
	return v, true, nil
}

// Put gives an object back, once. The oldest idle ones are dropped when they are stale or too many. An object that is not out, because it was put back before
// or is not this recycler's, is left alone: that is an error wrapping [ErrForeign].
func (r *Recycler[T]) Put(v T) error {
	r.mu.Lock()
	if _, ok := r.out[v]; !ok {
		r.mu.Unlock()
		return fmt.Errorf("pool: recycler: an object that is not out: %w", ErrForeign)
	}
	delete(r.out, v)
	now := r.o.Now()
	r.idle = append(r.idle, stale[T]{v, now})
	gone := r.trim(now)
	r.mu.Unlock()
	r.drop(gone)
	return nil
}

// Trim drops the objects that were idle for longer than MaxIdle.
func (r *Recycler[T]) Trim() {
	r.mu.Lock()
	gone := r.trim(r.o.Now())
	r.mu.Unlock()
	r.drop(gone)
}

// trim takes what is to be dropped from the old end. The lock is held.
func (r *Recycler[T]) trim(now time.Time) (gone []stale[T]) {
	n := 0
	for n < len(r.idle) && (r.closed || len(r.idle)-n > r.o.Most || now.Sub(r.idle[n].since) >= r.o.MaxIdle) {
		n++
	}
	if n > 0 {
		gone = slices.Clone(r.idle[:n])
		r.idle = slices.Delete(r.idle, 0, n)
	}
	return gone
}

// drop drops objects that are nobody's. The lock is not held.
func (r *Recycler[T]) drop(gone []stale[T]) {
	if len(gone) == 0 {
		return
	}
	r.mu.Lock()
	r.stats.Dropped += uint64(len(gone))
	r.mu.Unlock()
	if r.o.Drop == nil {
		return
	}
	for i := range gone {
		r.o.Drop(gone[i].v)
	}
}

// Stats returns the counts.
func (r *Recycler[T]) Stats() RecyclerStats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.stats
	s.Out, s.Idle = len(r.out), len(r.idle)
	return s
}

// Close drops the idle objects; those that are out are dropped when they are put back.
func (r *Recycler[T]) Close() {
	r.mu.Lock()
	r.closed = true
	gone := r.trim(time.Time{})
	r.mu.Unlock()
	r.drop(gone)
}
