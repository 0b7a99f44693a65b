// Package share keeps values that are costly to make and that several users may have at once. A
// value is made once, however many ask for it at the same time; it is counted while it is used, and
// stays after its last use until others need the room.
package share

import (
	"container/list"
	"context"
	"sync"
)

// Cache holds values of V by K. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	max  int64
	free func(V)

	mu        sync.Mutex
	entries   map[K]*Entry[K, V]
	unused    list.List // of *Entry, the one that was used last in front
	bytes     int64     // of all that is made
	evictions uint64
	flights   int           // values that are being made
	landed    chan struct{} // closed when flights is 0; nil where nobody waits
	closed    bool
}

// Entry is a value that its holder uses. Every Entry that [Cache.Get] or [Entry.Use] returned is to
// be released once.
type Entry[K comparable, V any] struct {
	cache *Cache[K, V]
	key   K
	ready chan struct{} // closed when the value, or the error, is there

	value V
	err   error
	bytes int64

	// The cache's lock guards these.
	made      bool // with success
	uses      int
	place     *list.Element // in unused, where uses is 0
	stop      context.CancelFunc
	abandoned bool // nobody waited for it at some time while it was being made
}

// New makes a cache that lets the values go that were used longest ago, once all have more than max
// bytes together. Values that are in use count, but never go. The function is called with every
// value in the end, by whoever caused it, and may be slow.
func New[K comparable, V any](max int64, free func(V)) *Cache[K, V] {
	return &Cache[K, V]{max: max, free: free, entries: map[K]*Entry[K, V]{}}
}

// Fill makes a value, and returns how many bytes to count for it. Its context ends when nobody
// waits for the value any more. Fill may ignore that: what it makes is kept for later callers.
type Fill[V any] func(ctx context.Context) (V, int64, error)

// Get returns the value of a key, and whether it was there or being made. If not, fill makes it, on
// a goroutine of its own; an error goes to all who wait, and the next Get tries again. If ctx ends
// first, Get returns its cause.
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
		// it was stopped for those who had given up before this caller came
	}
}

// enter returns the entry of a key, used once more, and whether there was one. Fill makes the value
// of a new one.
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

// wait waits until the value, or the error, is there. It returns false if ctx ends first.
func (e *Entry[K, V]) wait(ctx context.Context) bool {
	select {
	case <-e.ready: // whatever has become of ctx
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

// wasAbandoned reports whether nobody waited for the entry at some time while it was being made.
func (e *Entry[K, V]) wasAbandoned() bool {
	e.cache.mu.Lock()
	defer e.cache.mu.Unlock()
	return e.abandoned
}

// use notes another user of an entry. The lock is held.
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

	// Only now has the flight ended: what there was no room for is freed.
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flights--
	if c.flights == 0 && c.landed != nil {
		close(c.landed)
		c.landed = nil
	}
}

// retire puts a value that nobody uses with those that may go. The lock is held.
func (c *Cache[K, V]) retire(e *Entry[K, V]) { e.place = c.unused.PushFront(e) }

// trim takes out what there is no room for. The lock is held; the values are to be freed without
// it.
func (c *Cache[K, V]) trim() (gone []V) {
	for c.unused.Len() > 0 && (c.closed || c.bytes > c.max) {
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

// Value returns the value. It is valid until the entry's release.
func (e *Entry[K, V]) Value() V { return e.value }

// Use returns the entry once more: it needs another release.
func (e *Entry[K, V]) Use() *Entry[K, V] {
	e.cache.mu.Lock()
	defer e.cache.mu.Unlock()
	e.cache.use(e)
	return e
}

// Release is the end of a use.
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

// Close frees what nobody uses, and from then on everything at its last release.
func (c *Cache[K, V]) Close() {
	c.mu.Lock()
	c.closed = true
	gone := c.trim()
	c.mu.Unlock()
	c.freeAll(gone)
}

// Stats is what a cache holds.
type Stats struct {
	Entries   int
	Unused    int    // of the entries
	Bytes     int64  // of all entries
	Evictions uint64 // entries that had to go
}

// Stats returns what the cache holds now.
func (c *Cache[K, V]) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Stats{Entries: len(c.entries), Unused: c.unused.Len(), Bytes: c.bytes, Evictions: c.evictions}
}
