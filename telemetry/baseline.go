package telemetry

import (
	"slices"
	"sync"
	"time"
)

// baselineOptions configures a [baselineWatch]. Zero fields mean the default.
type baselineOptions struct {
	Learn  int     // times from which the baseline of a key is computed, their baselineMedian; default 50
	Window int     // latest times whose baselineMedian is compared; default 20
	Slow   float64 // ratio to the baseline from which a key is slow; default 1.5
	Well   float64 // ratio below which it is well again; default 1.2
	Keys   int     // most keys; others are not watched. The default is 1,000
}

// baselineWatch keeps baselines by key. It is safe for concurrent use.
type baselineWatch[K comparable] struct {
	o    baselineOptions
	mu   sync.Mutex
	keys map[K]*baselineState
}

// baselineState is what is known of a key.
type baselineState struct {
	learned []time.Duration
	base    time.Duration // 0 while it is learned
	window  []time.Duration
	next    int
	slow    bool
}

// baselineChange is a key that has become slow, or well again.
type baselineChange[K comparable] struct {
	Key       K
	Slow      bool
	Base, Now time.Duration // medians
}

// newBaselineWatch returns a watch.
func newBaselineWatch[K comparable](o baselineOptions) *baselineWatch[K] {
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
	return &baselineWatch[K]{o: o, keys: map[K]*baselineState{}}
}

// Add adds a time. changed: the key has become slow with it, or well again. Each is reported once.
func (w *baselineWatch[K]) Add(key K, d time.Duration) (c baselineChange[K], changed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.keys[key]
	if s == nil {
		if len(w.keys) >= w.o.Keys {
			return c, false
		}
		s = &baselineState{}
		w.keys[key] = s
	}
	if s.base == 0 {
		if s.learned = append(s.learned, d); len(s.learned) == w.o.Learn {
			s.base, s.learned = max(baselineMedian(s.learned), 1), nil
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
	now := baselineMedian(s.window)
	ratio := float64(now) / float64(s.base)
	if slow := ratio >= w.o.Slow || s.slow && ratio >= w.o.Well; slow != s.slow {
		s.slow = slow
		return baselineChange[K]{key, slow, s.base, now}, true
	}
	return c, false
}

// Slow returns how many keys are slow.
func (w *baselineWatch[K]) Slow() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.keys {
		if s.slow {
			n++
		}
	}
	return n
}

func baselineMedian(times []time.Duration) time.Duration {
	sorted := slices.Clone(times)
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}
