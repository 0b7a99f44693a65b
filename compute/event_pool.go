package compute

import (
	"sync"
	"time"

	"github.com/puremetal/puremetal/pool"
)

// eventPool keeps the timelines of events for reuse, in one stack per kind: the timeline returned
// last is taken first. Those at the bottom were needed only for a peak; they are released once they
// have been idle for idleEvents, even if nobody uses the pool any more. So the pool grows to the
// largest burst of that period and shrinks afterwards.
type eventPool struct {
	kinds [2]*pool.Recycler[*timeline] // for events without and with timing

	mu     sync.Mutex
	timer  *time.Timer // nil when none is set
	closed bool
}

// idleEvents is how long an idle timeline is kept, and maxIdleEvents how many of one kind at most.
const (
	idleEvents    = time.Minute
	maxIdleEvents = 1 << 14
)

// newEventPool makes a pool of timelines that are created by make.
func newEventPool(now func() time.Time, make func() (*timeline, error)) *eventPool {
	p := &eventPool{}
	for i := range p.kinds {
		p.kinds[i] = pool.NewRecycler(pool.RecyclerOptions[*timeline]{
			Make:    make,
			Drop:    func(t *timeline) { t.shared.Release() },
			MaxIdle: idleEvents, MaxKept: maxIdleEvents, Now: now,
		})
	}
	return p
}

// kind returns the index of a kind.
func (p *eventPool) kind(timing bool) int {
	if timing {
		return 1
	}
	return 0
}

// get returns an idle timeline or a new one, without uses.
func (p *eventPool) get(timing bool) (*timeline, error) {
	kind := p.kind(timing)
	t, err := p.kinds[kind].Get()
	if err != nil {
		return nil, err
	}
	t.pool, t.kind = p, kind
	return t, nil
}

// put takes back a timeline that has no uses.
func (p *eventPool) put(t *timeline) {
	_ = p.kinds[t.kind].Put(t) // fails only for a timeline that is already idle, and this one was in use
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil && !p.closed {
		p.timer = time.AfterFunc(idleEvents, p.maintain)
	}
}

// maintain trims the pool, and sets the timer again as long as there are idle timelines.
func (p *eventPool) maintain() {
	p.trim()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = nil
	if p.stats().Idle > 0 && !p.closed {
		p.timer = time.AfterFunc(idleEvents, p.maintain)
	}
}

// trim releases timelines that have been idle for a long time.
func (p *eventPool) trim() {
	for _, k := range p.kinds {
		k.Trim()
	}
}

// close releases idle timelines, and the others once they are put back.
func (p *eventPool) close() {
	p.mu.Lock()
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	for _, k := range p.kinds {
		k.Close()
	}
}

// EventStats counts the Metal events behind an accelerator's [Event]s since the accelerator was
// opened. They are pooled: the pool keeps as many as were in use at once within the last minute.
type EventStats struct {
	Made    uint64
	Reused  uint64
	Dropped uint64 // released after a minute without use, or by [Accelerator.Trim]
	InUse   int
	Idle    int
}

// stats sums up both kinds.
func (p *eventPool) stats() (s EventStats) {
	for _, k := range p.kinds {
		r := k.Stats()
		s.Made += r.Made
		s.Reused += r.Reused
		s.Dropped += r.Dropped
		s.InUse += r.Out
		s.Idle += r.Idle
	}
	return s
}

// EventStats returns the statistics of the accelerator's pool of events.
func (a *Accelerator) EventStats() EventStats {
	if a.missing() {
		return EventStats{}
	}
	return a.timelines.stats()
}
