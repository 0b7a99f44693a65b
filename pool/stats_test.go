package pool

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStatsDuringReturn: a block that is returned while Stats reads is not both rented and idle.
func TestStatsDuringReturn(t *testing.T) {
	p := newPool(t, device(t), Options{})
	first, last := rent(t, p, 256), rent(t, p, 8<<20) // the latter is directly from the device
	require.NoError(t, first.Return())

	c := first.slot.class
	c.mu.Lock() // Stats comes so far, and no further
	got := make(chan Stats)
	go func() { got <- p.Stats() }()
	for p.mu.TryLock() {
		p.mu.Unlock()
		runtime.Gosched()
	}
	for range 100 {
		runtime.Gosched()
	}
	require.NoError(t, last.Return())
	c.mu.Unlock()
	s := <-got
	assert.GreaterOrEqual(t, s.Fragmentation, 0.0)
	assert.LessOrEqual(t, s.Rented+s.Idle, s.Reserved)
}

// TestStatsUnderLoad: the statistics are consistent while blocks are rented, returned and released.
func TestStatsUnderLoad(t *testing.T) {
	p := newPool(t, device(t), Options{})
	var load sync.WaitGroup
	for g := range 4 {
		load.Go(func() {
			var out []Block
			for i := range 3000 {
				b, err := p.Rent(uint(1)<<(8+(i*7+g)%12), shared())
				if !assert.NoError(t, err) {
					return
				}
				if out = append(out, b); len(out) == 8 {
					for _, b := range out {
						assert.NoError(t, b.Return())
					}
					out = out[:0]
				}
				if i%500 == 499 {
					p.Collect()
				}
			}
			for _, b := range out {
				assert.NoError(t, b.Return())
			}
		})
	}
	ended := make(chan struct{})
	go func() { load.Wait(); close(ended) }()
	for running := true; running; {
		select {
		case <-ended:
			running = false
		default:
		}
		s := p.Stats()
		require.GreaterOrEqual(t, s.Fragmentation, 0.0)
		require.LessOrEqual(t, s.Fragmentation, 1.0)
		require.LessOrEqual(t, s.Rented+s.Idle, s.Reserved)
		require.LessOrEqual(t, s.Rented, s.RentedHigh)
	}
	s := p.Stats()
	assert.Zero(t, s.Rented)
	assert.EqualValues(t, 12000, s.Hits+s.Misses)
}
