// Package baseline notices that something has become slow: times of the same work, such as a kernel
// over the same grid, are compared with those that were measured first.
package baseline

import (
	"slices"
	"sync"
	"time"
)

// Options configures a [Watch]. Zero fields mean the default.
type Options struct {
	Learn  int     // times from which the baseline of a key is computed, their median; default 50
	Window int     // latest times whose median is compared; default 20
	Slow   float64 // ratio to the baseline from which a key is slow; default 1.5
	Well   float64 // ratio below which it is well again; default 1.2
	Keys   int     // most keys; others are not watched. The default is 1,000
}

// Watch keeps baselines by key. It is safe for concurrent use.
type Watch[K comparable] struct {
	o    Options
	mu   sync.Mutex
	keys map[K]*state
}

// state is what is known of a key.
type state struct {
	learned []time.Duration
	base    time.Duration // 0 while it is learned
	window  []time.Duration
	next    int
	slow    bool
}

// Change is a key that has become slow, or well again.
type Change[K comparable] struct {
	Key       K
	Slow      bool
	Base, Now time.Duration // medians
}

// New returns a watch.
func New[K comparable](o Options) *Watch[K] {
	for _, n := range []struct {
		to    *int
		value int
	}{{&o.Learn, 50}, {&o.Window, 20}, {&o.Keys, 1000}} {
		if *n.to <= 0 {
			*n.to = n.value
		}
	}
	if o.Slow <= 1 {
		o.Slow = 1.5
	}
	if o.Well <= 0 || o.Well > o.Slow {
		o.Well = 1 + 0.4*(o.Slow-1)
	}
	return &Watch[K]{o: o, keys: map[K]*state{}}
}

// Add adds a time. changed: the key has become slow with it, or well again. Each is reported once.
func (w *Watch[K]) Add(key K, d time.Duration) (c Change[K], changed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.keys[key]
	if s == nil {
		if len(w.keys) >= w.o.Keys {
			return c, false
		}
		s = &state{}
		w.keys[key] = s
	}
	if s.base == 0 {
		if s.learned = append(s.learned, d); len(s.learned) == w.o.Learn {
			s.base, s.learned = max(median(s.learned), 1), nil
		}
		return c, false
	}
	if len(s.window) < w.o.Window {
		s.window = append(s.window, d)
	} else {
		s.window[s.next] = d
		s.next = (s.next + 1) % w.o.Window
	}
	if len(s.window) < w.o.Window {
		return c, false
	}
	now := median(s.window)
	ratio := float64(now) / float64(s.base)
	if slow := ratio >= w.o.Slow || s.slow && ratio >= w.o.Well; slow != s.slow {
		s.slow = slow
		return Change[K]{key, slow, s.base, now}, true
	}
	return c, false
}

// Slow returns how many keys are slow.
func (w *Watch[K]) Slow() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.keys {
		if s.slow {
			n++
		}
	}
	return n
}

func median(times []time.Duration) time.Duration {
	sorted := slices.Clone(times)
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}
