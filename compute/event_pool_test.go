package compute

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// burst takes n timelines of an event pool, and gives them all back.
func burst(t testing.TB, p *eventPool, n int) {
	t.Helper()
	var out []*timeline
	for i := range n {
		e, err := p.get(i%2 == 0)
		require.NoError(t, err)
		out = append(out, e)
	}
	for _, e := range out {
		p.put(e)
	}
}

func fakeEventPool() *eventPool {
	return newEventPool(time.Now, func() (*timeline, error) { return &timeline{}, nil })
}

// TestEventBursts: the pool keeps as many events as the last bursts needed, whatever their size.
func TestEventBursts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := fakeEventPool()
		defer p.close()
		for _, n := range []int{150, 1000} {
			burst(t, p, n) // the first of its size
			before := p.stats()
			for range 10 {
				time.Sleep(time.Second)
				burst(t, p, n)
			}
			after := p.stats()
			assert.Equal(t, before.Made, after.Made, "bursts of %d: none is made", n)
			assert.EqualValues(t, 10*n, after.Reused-before.Reused)
			assert.Equal(t, n, after.Idle)
			assert.Zero(t, after.InUse)
		}
	})
}

// TestEventPoolShrinks: what only a burst needed is released after a minute, what is in use all the
// time is kept, and when nobody uses the pool any more, everything is released without a call.
func TestEventPoolShrinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := fakeEventPool()
		defer p.close()
		burst(t, p, 150)
		for range 13 {
			time.Sleep(10 * time.Second)
			burst(t, p, 20)
		}
		assert.Equal(t, EventStats{Made: 150, Reused: 13 * 20, Dropped: 130, Idle: 20}, p.stats())
		time.Sleep(2*idleEvents + time.Second)
		synctest.Wait()
		assert.Equal(t, EventStats{Made: 150, Reused: 13 * 20, Dropped: 150}, p.stats())
	})
}

// TestEventStats: the events of an accelerator come from the pool.
func TestEventStats(t *testing.T) {
	a := accelerator(t)
	s := newStream(t, a)
	for range 3 {
		var events [150]*Event
		for i := range events {
			e, err := a.NewEvent(EventOptions{})
			require.NoError(t, err)
			events[i] = e
			require.NoError(t, s.Record(t.Context(), e))
		}
		require.NoError(t, s.Sync(t.Context()))
		assert.Equal(t, 150, a.EventStats().InUse)
		for _, e := range events {
			e.Close()
		}
	}
	assert.Equal(t, EventStats{Made: 150, Reused: 300, Idle: 150}, a.EventStats())
}

// BenchmarkEventBursts is bursts of 150 events, and the part of them that is reused.
func BenchmarkEventBursts(b *testing.B) {
	a := accelerator(b)
	for b.Loop() {
		burst(b, a.timelines, 150)
	}
	s := a.EventStats()
	b.ReportMetric(float64(s.Reused)/float64(s.Made+s.Reused), "reused")
}
