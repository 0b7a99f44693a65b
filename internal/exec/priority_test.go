package exec

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeScheduler is a scheduler with a test-controlled clock.
type fakeScheduler struct {
	*scheduler
	time time.Duration
	next time.Duration // when the timer fires; 0 for never
}

func newFakeScheduler(workers int) *fakeScheduler {
	f := &fakeScheduler{scheduler: newScheduler(workers)}
	f.now = func() time.Duration { return f.time }
	f.arm = func(d time.Duration) { f.next = f.time + d }
	return f
}

// pass advances the clock and fires the timer.
func (f *fakeScheduler) pass(d time.Duration) {
	end := f.time + d
	for f.next > 0 && f.next <= end {
		f.time, f.next = f.next, 0
		f.tick()
	}
	f.time = end
}

// granted reports whether a parked goroutine has been resumed.
func granted(w *waiter) bool {
	select {
	case <-w.ready:
		return true
	default:
		return false
	}
}

var high, normal, low = HighPriority.level(), NormalPriority.level(), LowPriority.level()

// TestPressure: a claim leaves work of lower priority one worker less, and each helper takes
// another one. Goroutines of the lower priority take turns on the rest, in the order they parked.
// When the claim ends, all are resumed: as many as there are workers at once, the rest a moment
// later.
func TestPressure(t *testing.T) {
	s := newFakeScheduler(2)
	for range 3 {
		s.enter(normal)
	}
	s.claim(high)
	first, second := s.park(normal), s.park(normal)
	require.NotNil(t, first)
	require.NotNil(t, second)
	require.Nil(t, s.park(normal), "one worker is free")
	s.pass(turn - 1)
	require.Nil(t, s.park(normal), "its turn has not ended")
	s.pass(1)
	third := s.park(normal)
	require.NotNil(t, third)
	assert.True(t, granted(first))
	assert.False(t, granted(second) || granted(third))

	require.True(t, s.hire(high))
	require.False(t, s.hire(high), "there are two workers")
	again := s.park(normal)
	require.NotNil(t, again, "no worker is free")
	assert.False(t, granted(second) || granted(third) || granted(again))
	s.dismiss(high)
	assert.True(t, granted(second))
	assert.False(t, granted(third) || granted(again))

	s.unclaim(high)
	assert.True(t, granted(third))
	assert.False(t, granted(again), "there are two workers")
	s.pass(linger)
	assert.True(t, granted(again))
	assert.False(t, s.pressed[normal].Load())
	assert.EqualValues(t, 3, s.running[normal].Load())
	assert.Zero(t, s.parked.Load())
}

// TestLeaving: a goroutine that leaves makes room for a parked one.
func TestLeaving(t *testing.T) {
	s := newFakeScheduler(2)
	s.claim(high)
	s.enter(normal)
	s.running[normal].Add(1)
	w := s.park(normal)
	require.NotNil(t, w)
	s.leave(normal)
	assert.True(t, granted(w))
}

// TestRanks: claims only press lower priorities.
func TestRanks(t *testing.T) {
	for _, c := range []struct {
		claim int
		want  [levels]bool
	}{
		{high, [levels]bool{false, true, true}},
		{normal, [levels]bool{false, false, true}},
		{low, [levels]bool{}},
	} {
		s := newFakeScheduler(2)
		s.claim(c.claim)
		var got [levels]bool
		for i := range got {
			got[i] = s.pressed[i].Load()
		}
		assert.Equal(t, c.want, got, "a claim of level %d", c.claim)
	}
}

// TestStarvation: even if every worker is claimed, three goroutines of lower priority get a tenth
// of the workers' time, in turns, and not much more.
func TestStarvation(t *testing.T) {
	const step = 100 * time.Microsecond
	s := newFakeScheduler(2)
	s.claim(high)
	s.claim(high)
	ran := [3]time.Duration{}
	var parked [3]*waiter
	for i := range parked {
		s.running[normal].Add(1)
		parked[i] = s.park(normal)
		require.NotNil(t, parked[i], "no worker is free")
	}
	const total = 10 * time.Second
	for s.time < total {
		s.pass(step)
		require.LessOrEqual(t, s.running[normal].Load(), int64(1))
		for i, w := range parked {
			if w != nil && granted(w) {
				parked[i] = nil
			}
		}
		for i, w := range parked {
			if w == nil {
				ran[i] += step
				parked[i] = s.park(normal)
			}
		}
	}
	var sum time.Duration
	for _, d := range ran {
		sum += d
		assert.InDelta(t, float64(total)*2/minShare/3, float64(d), float64(total)/100)
	}
	assert.InDelta(t, float64(total)*2/minShare, float64(sum), float64(total)/100)
}

// TestOvertaking: with a single worker, a launch of higher priority runs between two threadgroups
// of one in progress.
func TestOvertaking(t *testing.T) {
	var mu sync.Mutex
	var order []string
	note := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, s)
	}
	e := NewEngine(1)
	defer e.Close()
	e.scheduler.now = func() time.Duration { return 0 } // waiting work accumulates no share
	urgent := emptyKernel(t, &fakeBackend{group: func(*Run, int64) error {
		note("high")
		return nil
	}}, "")
	var done sync.WaitGroup
	k := emptyKernel(t, &fakeBackend{group: func(_ *Run, number int64) error {
		note("normal")
		if number == 1 {
			e.Claim(HighPriority)
			done.Go(func() {
				defer e.Unclaim(HighPriority)
				assert.NoError(t, e.Run(context.Background(), urgent,
					&Launch{Grid: [3]int{3}, Group: [3]int{1}, Priority: HighPriority}))
			})
		}
		return nil
	}}, "")
	require.NoError(t, e.Run(context.Background(), k, &Launch{Grid: [3]int{4}, Group: [3]int{1}}))
	done.Wait()
	assert.Equal(t, []string{"normal", "normal", "high", "high", "high", "normal", "normal"}, order)
}

// TestHelpersOfPriority: helpers of lower priority, which may be parked, do not prevent work of
// higher priority from getting helpers.
func TestHelpersOfPriority(t *testing.T) {
	s := newFakeScheduler(3)
	require.True(t, s.hire(normal))
	require.True(t, s.hire(normal))
	require.False(t, s.hire(normal))
	require.True(t, s.hire(high))
	s.dismiss(normal)
	require.False(t, s.hire(normal), "high priority has one of the two places")
	s.dismiss(high)
	require.True(t, s.hire(normal))
}
