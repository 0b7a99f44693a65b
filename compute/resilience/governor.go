package resilience

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/objc"
)

// governor limits how many batches run at once: fewer on a machine that is hot or saves power.
type governor struct {
	mu      sync.Mutex
	most    int // in a machine that is well
	limit   int // now
	running int
	waiting []chan struct{} // those that wait for a turn, in order
	polled  time.Time
	calm    time.Time // since when more than limit would be allowed; zero if not now
}

func (g *governor) start(most int) { g.most, g.limit = most, most }

// allowed returns how many batches may run at once on a machine in this state.
func allowed(most int, p objc.ProcessInfo) int {
	switch {
	case p.Thermal >= objc.ThermalCritical:
		return 1
	case p.Thermal >= objc.ThermalSerious || p.LowPower:
		return max(1, most/2)
	}
	return most
}

// enter waits until a batch may run.
func (g *governor) enter(ctx context.Context, m *Manager) error {
	g.poll(ctx, m)
	g.mu.Lock()
	if g.running < g.limit && len(g.waiting) == 0 {
		g.running++
		g.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	g.waiting = append(g.waiting, turn)
	g.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, w := range g.waiting {
		if w == turn {
			g.waiting = append(g.waiting[:i], g.waiting[i+1:]...)
			return fmt.Errorf("resilience: waiting for a turn: %w: %w", compute.ErrCanceled, context.Cause(ctx))
		}
	}
	g.running-- // it has been given a turn meanwhile
	g.pass()
	return fmt.Errorf("resilience: waiting for a turn: %w: %w", compute.ErrCanceled, context.Cause(ctx))
}

// leave ends a batch.
func (g *governor) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	g.pass()
}

// pass gives free turns to those who wait. The lock is held.
func (g *governor) pass() {
	for len(g.waiting) > 0 && g.running < g.limit {
		close(g.waiting[0])
		g.waiting = g.waiting[1:]
		g.running++
	}
}

// poll follows the machine's state: at once to fewer batches, to more only when the machine has
// been better for a while.
func (g *governor) poll(ctx context.Context, m *Manager) {
	now := m.o.Now()
	g.mu.Lock()
	if !g.polled.IsZero() && now.Sub(g.polled) < m.o.Poll {
		g.mu.Unlock()
		return
	}
	g.polled = now
	g.mu.Unlock()
	p, err := m.o.Machine()
	if err != nil {
		return // as before
	}
	g.mu.Lock()
	before, want := g.limit, allowed(g.most, p)
	switch {
	case want < g.limit:
		g.limit, g.calm = want, time.Time{}
	case want == g.limit:
		g.calm = time.Time{}
	case g.calm.IsZero():
		g.calm = now
	case now.Sub(g.calm) >= m.o.Calm:
		g.limit, g.calm = want, time.Time{}
		g.pass()
	}
	after := g.limit
	g.mu.Unlock()
	if after != before {
		kind := observe.RecoveryThrottle
		if after > before {
			kind = observe.RecoveryRestore
		}
		details := fmt.Sprintf("%d at once, before %d; thermal state %v, low power %t", after, before, p.Thermal, p.LowPower)
		m.recovered(ctx, observe.RecoverEvent{Kind: kind, What: "batches", Details: details})
	}
}
