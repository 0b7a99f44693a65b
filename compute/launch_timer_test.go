package compute

import (
	"math"
	"testing"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// timedKernels: one that does much more work than the other.
const timedKernels = `#include <metal_stdlib>
using namespace metal;
kernel void light(device uint* x, uint i [[thread_position_in_grid]]) { x[i] += 1; }
kernel void heavy(device uint* x, uint i [[thread_position_in_grid]]) {
	uint v = x[i];
	for (uint n = 0; n < 20000; n++) { v = v * 1664525 + 1013904223; }
	x[i] = v;
}`

// runTimed runs 20 launches in a graph's manner, held back so that they share command buffers, and
// returns the events.
func runTimed(t *testing.T, how observe.LaunchTiming) (*Accelerator, *recorder) {
	a := accelerator(t, WithBatching(Batching{Commands: 64, InFlight: 1}))
	r := &recorder{}
	o := r.observer()
	o.LaunchTimes = how
	stop, err := a.Observe(o)
	require.NoError(t, err)
	t.Cleanup(stop)
	s, ctx := newStream(t, a), t.Context()
	get := kernels(t, a, timedKernels)
	light, heavy := get("light"), get("heavy")
	x := bufferOf(t, a, make([]uint32, 256)...)
	for range 10 {
		require.NoError(t, s.Launch(ctx, heavy, Threads1D(256), x))
		require.NoError(t, s.Launch(ctx, light, Threads1D(256), x))
		require.NoError(t, Fill(ctx, s, x, 7))
	}
	require.NoError(t, s.Sync(ctx))
	want := uint32(0x07070707)
	got := make([]uint32, 256)
	require.NoError(t, x.Download(ctx, got))
	assert.Equal(t, want, got[3])
	return a, r
}

// TestLaunchTimesByCounter: each launch has a time inside its command buffer's, in order, and the
// kernel that works more takes longer.
func TestLaunchTimesByCounter(t *testing.T) {
	a, r := runTimed(t, observe.LaunchTimesByCounter)
	if a.LaunchTimes() != observe.LaunchTimesByCounter {
		t.Skip("the device samples no counters")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	kernel := map[uint64]string{}
	for _, e := range r.records {
		if e.Kind == observe.CommandLaunch {
			kernel[e.Number] = e.Kernel
		}
	}
	least, seen := map[string]float64{"heavy": math.Inf(1), "light": math.Inf(1)}, 0 // others may delay some
	for _, c := range r.completes {
		at := c.DeviceStart
		for _, l := range c.Launches {
			seen++
			assert.GreaterOrEqual(t, l.Number, c.Buffer.First)
			assert.LessOrEqual(t, l.Number, c.Buffer.Last)
			assert.GreaterOrEqual(t, l.Start, at, "launches of a command buffer do not overlap")
			at = l.End
			least[kernel[l.Number]] = min(least[kernel[l.Number]], l.End-l.Start)
		}
		assert.LessOrEqual(t, at, c.DeviceEnd)
	}
	assert.Equal(t, 20, seen)
	assert.Greater(t, least["heavy"], least["light"])
	assert.Less(t, len(r.commits), 20, "not split")
}

// TestLaunchTimesBySplit: a command buffer has one command that the device executes.
func TestLaunchTimesBySplit(t *testing.T) {
	a, r := runTimed(t, observe.LaunchTimesBySplit)
	assert.Equal(t, observe.LaunchTimesBySplit, a.LaunchTimes())
	r.mu.Lock()
	defer r.mu.Unlock()
	device := map[uint64]bool{}
	for _, e := range r.records {
		device[e.Number] = e.Kind == observe.CommandLaunch || e.Kind == observe.CommandFill
	}
	commands := 0
	for _, c := range r.completes {
		n := 0
		for i := c.Buffer.First; i <= c.Buffer.Last; i++ {
			if device[i] {
				n++
			}
		}
		assert.LessOrEqual(t, n, 1)
		commands += n
		assert.Empty(t, c.Launches)
	}
	assert.Equal(t, 30, commands)
}

// TestLaunchTimesOff: what observers ask for ends with them.
func TestLaunchTimesOff(t *testing.T) {
	a := accelerator(t, WithObserver(&observe.Observer{LaunchTimes: observe.LaunchTimesByCounter}))
	assert.NotEqual(t, observe.LaunchTimesOff, a.LaunchTimes())
	stop, err := a.Observe(&observe.Observer{LaunchTimes: observe.LaunchTimesBySplit})
	require.NoError(t, err)
	assert.Equal(t, observe.LaunchTimesBySplit, a.LaunchTimes())
	stop()
	assert.NotEqual(t, observe.LaunchTimesOff, a.LaunchTimes())
	_, err = a.Observe(&observe.Observer{LaunchTimes: 7})
	require.ErrorIs(t, err, ErrOption)
	assert.Equal(t, "LaunchTiming(7)", observe.LaunchTiming(7).String())
	assert.Equal(t, "off counters split", observe.LaunchTimesOff.String()+" "+observe.LaunchTimesByCounter.String()+" "+
		observe.LaunchTimesBySplit.String())
}

// TestLaunchTimesConverted: ticks become seconds by two readings of both clocks, and impossible
// times are left out.
func TestLaunchTimesConverted(t *testing.T) {
	at := func(ticks ...uint64) (list []mtl.CounterResultTimestamp) {
		for _, x := range ticks {
			list = append(list, mtl.CounterResultTimestamp{Timestamp: x})
		}
		return list
	}
	// A tick is 10 ns; tick 1000 is 5 s.
	before, after := [2]uint64{5e9, 1000}, [2]uint64{5e9 + 1e9, 1000 + 1e8}
	buffer := [2]float64{5.1, 5.2}
	got := stream.LaunchTimes([]uint64{3, 4, 5, 6, 7}, at(1000+1e7, 1000+12e6, 1000+13e6, 1000+14e6,
		1000+3e7, 1000+31e6, // after the command buffer
		mtl.CounterErrorValue, 5, 1000+15e6, 1000+14e6), buffer, before, after)
	require.Len(t, got, 2)
	assert.EqualValues(t, 3, got[0].Number)
	assert.InDelta(t, 5.1, got[0].Start, 1e-9)
	assert.InDelta(t, 5.12, got[0].End, 1e-9)
	assert.EqualValues(t, 4, got[1].Number)
	assert.InDelta(t, 5.13, got[1].Start, 1e-9)
	assert.Empty(t, stream.LaunchTimes([]uint64{3}, at(1, 2), buffer, after, after))
}
