package compute

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// retiring is a retirement with a lock and a use, as a stream has them.
type retiring struct {
	mu      sync.Mutex
	busy    bool
	retired []time.Duration // since the start
	retirement
}

func newRetiring(after time.Duration) *retiring {
	began := time.Now()
	r := &retiring{retirement: retirement{after: after, now: time.Now}}
	r.retire = func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.due(r.busy) {
			r.retired = append(r.retired, time.Since(began))
		}
	}
	return r
}

// set changes between busy and idle.
func (r *retiring) set(busy bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy = busy; !busy {
		r.idle()
	}
}

// wait waits, and returns when the objects were retired.
func (r *retiring) wait(d time.Duration) []time.Duration {
	time.Sleep(d)
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.retired
}

// TestRetirement: the objects of a stream are retired once it has been idle for the whole time
// without interruption, and again after later work.
func TestRetirement(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*retiring)
		want []time.Duration
	}{
		{"idle from the start", func(r *retiring) {}, []time.Duration{time.Minute}},
		{"used meanwhile", func(r *retiring) {
			r.wait(40 * time.Second)
			r.set(true)
			r.set(false)
		}, []time.Duration{100 * time.Second}},
		{"busy when the timer fires", func(r *retiring) {
			r.set(true)
			r.wait(5 * time.Minute)
			r.set(false)
		}, []time.Duration{6 * time.Minute}},
		{"used after retirement", func(r *retiring) {
			r.wait(2 * time.Minute)
			r.set(true)
			r.wait(time.Minute)
			r.set(false)
		}, []time.Duration{time.Minute, 4 * time.Minute}},
		{"stopped", func(r *retiring) { r.stop() }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRetiring(time.Minute)
				r.set(false)
				c.do(r)
				assert.Equal(t, c.want, r.wait(time.Hour))
			})
		})
	}
}
