// Package share caches values that are expensive to make and shared by several users. Concurrent
// requests for a key make its value only once. Values are reference-counted; an unused one stays in
// the cache until it is evicted to make room.
package share

import (
	"container/list"
	"context"
	"sync"
)

// Cache maps keys to values. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	max  int64
	free func(V)

	mu        sync.Mutex
	entries   map[K]*Entry[K, V]
	unused    list.List // of *Entry, most recently used first
	bytes     int64     // of all values
	evictions uint64
	flights   int           // values that are being made
	landed    chan struct{} // closed when flights is 0; nil while nobody waits
	closed    bool
}

// Entry is a reference to a value. Every Entry returned by [Cache.Get] or [Entry.Use] must be
// released once.
type Entry[K comparable, V any] struct {
	cache *Cache[K, V]
	key   K
	ready chan struct{} // closed when the value or the error is set

	value V
	err   error
	bytes int64

	// The cache's lock guards these.
	made      bool // successfully
	uses      int
	place     *list.Element // in unused, if uses is 0
	stop      context.CancelFunc
	abandoned bool // at some time while it was being made, nobody waited for it
}

// New makes a cache that evicts the least recently used values once all of them together exceed max
// bytes. Values in use count towards that, but are never evicted. free is called for every value in
// the end, by the call that evicts it, and may be slow.
func New[K comparable, V any](max int64, free func(V)) *Cache[K, V] {
	return &Cache[K, V]{max: max, free: free, entries: map[K]*Entry[K, V]{}}
}

// Fill makes a value and returns its size in bytes. Its context ends when nobody waits for the
// value any more. Fill may ignore that and finish: the value is then kept for later callers.
type Fill[V any] func(ctx context.Context) (V, int64, error)

// Get returns the value of a key. found reports that it already existed or was being made;
// otherwise fill makes it on a new goroutine. An error is returned to all callers that wait, and
// the next Get tries again. If ctx ends first, Get returns its cause.
func (c *Cache[K, V]) Get(ctx context.Context, key K, fill Fill[V]) (e *Entry[K, V], found bool, err error) {
	for {
		e, found = c.enter(key, fill)
		if !e.wait(ctx) {
			e.Release()
			return nil, found, context.Cause(ctx)
		}
		if e.err == nil {
			return e, found, nil
		}
		if !found || !e.wasAbandoned() {
			return nil, found, e.err
		}
		// fill was stopped because all earlier callers had given up, so try again
	}
}

// enter returns a new reference to the entry of a key, and whether the entry existed. If not, it
// starts fill.
func (c *Cache[K, V]) enter(key K, fill Fill[V]) (e *Entry[K, V], found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, found = c.entries[key]; found {
		c.use(e)
		return e, true
	}
	ctx, stop := context.WithCancel(context.Background())
	e = &Entry[K, V]{cache: c, key: key, uses: 1, ready: make(chan struct{}), stop: stop}
	c.entries[key] = e
	c.flights++
	go c.fly(ctx, e, fill)
	return e, false
}

// wait waits until the value or the error is set. It returns false if ctx ends first.
func (e *Entry[K, V]) wait(ctx context.Context) bool {
	select {
	case <-e.ready: // even if ctx has ended
		return true
	default:
	}
	select {
	case <-e.ready:
		return true
	case <-ctx.Done():
		return false
	}
}

// wasAbandoned reports whether, at some time while the entry was being made, nobody waited for it.
func (e *Entry[K, V]) wasAbandoned() bool {
	e.cache.mu.Lock()
	defer e.cache.mu.Unlock()
	return e.abandoned
}

// use counts another use of an entry. The lock is held.
func (c *Cache[K, V]) use(e *Entry[K, V]) {
	e.uses++
	if e.place != nil {
		c.unused.Remove(e.place)
		e.place = nil
	}
}

// fly makes the value of an entry.
func (c *Cache[K, V]) fly(ctx context.Context, e *Entry[K, V], fill Fill[V]) {
	e.value, e.bytes, e.err = fill(ctx)
	e.stop()
	c.mu.Lock()
	var gone []V
	if e.err == nil {
		e.made = true
		c.bytes += e.bytes
		if e.uses == 0 {
			c.retire(e)
		}
		gone = c.trim()
	} else {
		delete(c.entries, e.key)
	}
	c.mu.Unlock()
	c.freeAll(gone)
	close(e.ready)

	// The flight ends only after evicted values have been freed.
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flights--
	if c.flights == 0 && c.landed != nil {
		close(c.landed)
		c.landed = nil
	}
}

// retire makes an unused value a candidate for eviction. The lock is held.
func (c *Cache[K, V]) retire(e *Entry[K, V]) { e.place = c.unused.PushFront(e) }

// trim removes values that exceed the limit. The lock is held; the caller frees the values after
// releasing it.
func (c *Cache[K, V]) trim() (gone []V) { return c.trimTo(c.max) }

// Drop frees all values that nobody uses, and returns how many.
func (c *Cache[K, V]) Drop() int {
	c.mu.Lock()
	gone := c.trimTo(-1)
	c.mu.Unlock()
	c.freeAll(gone)
	return len(gone)
}

// trimTo is trim with another limit.
func (c *Cache[K, V]) trimTo(most int64) (gone []V) {
	for c.unused.Len() > 0 && (c.closed || c.bytes > most) {
		e := c.unused.Remove(c.unused.Back()).(*Entry[K, V])
		e.place = nil
		delete(c.entries, e.key)
		c.bytes -= e.bytes
		if !c.closed {
			c.evictions++
		}
		gone = append(gone, e.value)
	}
	return gone
}

func (c *Cache[K, V]) freeAll(gone []V) {
	for _, v := range gone {
		c.free(v)
	}
}

// Value returns the value. It is valid until the entry is released.
func (e *Entry[K, V]) Value() V { return e.value }

// Use adds a reference to the entry, which must be released as well.
func (e *Entry[K, V]) Use() *Entry[K, V] {
	e.cache.mu.Lock()
	defer e.cache.mu.Unlock()
	e.cache.use(e)
	return e
}

// Release drops a reference.
func (e *Entry[K, V]) Release() {
	c := e.cache
	c.mu.Lock()
	e.uses--
	var gone []V
	switch {
	case e.uses > 0:
	case e.made:
		c.retire(e)
		gone = c.trim()
	default:
		e.abandoned = true
		e.stop()
	}
	c.mu.Unlock()
	c.freeAll(gone)
}

// Wait waits until no value is being made.
func (c *Cache[K, V]) Wait(ctx context.Context) error {
	for {
		c.mu.Lock()
		if c.flights == 0 {
			c.mu.Unlock()
			return nil
		}
		if c.landed == nil {
			c.landed = make(chan struct{})
		}
		landed := c.landed
		c.mu.Unlock()
		select {
		case <-landed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Close frees all unused values. From then on, the others are freed at their last release.
func (c *Cache[K, V]) Close() {
	c.mu.Lock()
	c.closed = true
	gone := c.trim()
	c.mu.Unlock()
	c.freeAll(gone)
}

// Stats describes the contents of a cache.
type Stats struct {
	Entries   int
	Unused    int    // of the entries
	Bytes     int64  // of all entries
	Evictions uint64 // entries evicted so far
}

// Stats returns the current statistics.
func (c *Cache[K, V]) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Stats{Entries: len(c.entries), Unused: c.unused.Len(), Bytes: c.bytes, Evictions: c.evictions}
}
