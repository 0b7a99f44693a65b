package pool

import (
	"sync"
	"time"
)

// Recycler keeps objects that are costly to make, such as events, for those who need one next, and drops those that nobody has needed for long. It is safe
// for concurrent use.
type Recycler[T any] struct {
	o RecyclerOptions[T]

	mu     sync.Mutex
	closed bool
	idle   []stale[T] // the one returned last is taken first
	stats  RecyclerStats
}

// RecyclerOptions says how objects are made and dropped.
type RecyclerOptions[T any] struct {
	Make    func() (T, error)
	Drop    func(T)
	MaxIdle time.Duration    // 0 for a minute
	Most    int              // idle objects kept at most; 0 for 64
	Now     func() time.Time // nil for time.Now
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
func NewRecycler[T any](o RecyclerOptions[T]) *Recycler[T] {
	if o.MaxIdle == 0 {
		o.MaxIdle = defaultIdle
	}
	if o.Most == 0 {
		o.Most = maxIdleObjects
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Recycler[T]{o: o}
}

// Get returns an object, one that was put back or a new one.
func (r *Recycler[T]) Get() (v T, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return v, ErrClosed
	}
	if n := len(r.idle); n > 0 {
		v = r.idle[n-1].v
		r.idle[n-1] = stale[T]{}
		r.idle = r.idle[:n-1]
		r.stats.Reused++
		r.stats.Out++
		return v, nil
	}
	if v, err = r.o.Make(); err == nil {
		r.stats.Made++
		r.stats.Out++
	}
	return v, err
}

// Put gives an object back, once. The oldest idle ones are dropped when they are stale or too many.
func (r *Recycler[T]) Put(v T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Out--
	if r.closed {
		r.drop(v)
		return
	}
	now := r.o.Now()
	r.idle = append(r.idle, stale[T]{v, now})
	r.trim(now)
}

// Trim drops the objects that were idle for longer than MaxIdle.
func (r *Recycler[T]) Trim() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trim(r.o.Now())
}

// trim drops from the old end. The lock is held.
func (r *Recycler[T]) trim(now time.Time) {
	n := 0
	for n < len(r.idle) && (len(r.idle)-n > r.o.Most || now.Sub(r.idle[n].since) >= r.o.MaxIdle) {
		r.drop(r.idle[n].v)
		n++
	}
	if n > 0 {
		kept := copy(r.idle, r.idle[n:])
		clear(r.idle[kept:])
		r.idle = r.idle[:kept]
	}
}

func (r *Recycler[T]) drop(v T) {
	r.stats.Dropped++
	r.o.Drop(v)
}

// Stats returns the counts.
func (r *Recycler[T]) Stats() RecyclerStats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.stats
	s.Idle = len(r.idle)
	return s
}

// Close drops the idle objects; those that are out are dropped when they are put back.
func (r *Recycler[T]) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, s := range r.idle {
		r.drop(s.v)
	}
	r.idle = nil
}
