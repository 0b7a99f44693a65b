package peer

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const teamSource = `#include <metal_stdlib>
using namespace metal;
kernel void wave(device float* out, device const float* x, constant float& scale, constant uint& first,
                 uint i [[thread_position_in_grid]]) {
    out[i] = sin(x[i] * scale) + float(first + i);
}
`

// team makes a team of all devices there are.
func team(t testing.TB, members ...*compute.Accelerator) *Team {
	t.Helper()
	m, err := NewTeam(members...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, m.Close(context.Background())) })
	return m
}

func wave(t testing.TB, m *Team) *Kernel {
	t.Helper()
	k, err := m.Compile(t.Context(), teamSource, "wave", compute.CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(k.Close)
	return k
}

// run computes the kernel over data with a team.
func run(t testing.TB, m *Team, k *Kernel, data []float32) []float32 {
	t.Helper()
	x, err := Scatter(t.Context(), m, data)
	require.NoError(t, err)
	defer x.Close()
	y, err := NewParts[float32](m, x.Shares())
	require.NoError(t, err)
	defer y.Close()
	require.NoError(t, m.Launch(t.Context(), k, y, x, float32(0.25), First))
	got := make([]float32, len(data))
	require.NoError(t, Gather(t.Context(), got, y))
	return got
}

// TestTeam checks that several devices give the bits of one, whatever each one's share.
func TestTeam(t *testing.T) {
	one := team(t, device(t, 0))
	three := team(t, device(t, 0), device(t, 1), device(t, 3))
	all, single := wave(t, three), wave(t, one)
	for round, n := range []int{1, 2, 3, 1000, 99_991, 99_991} {
		data := computetest.Uniform[float32](computetest.NewRand(t), n, -50, 50)
		assert.Equal(t, run(t, one, single, data), run(t, three, all, data), "round %d", round)
	}
}

// TestSpeeds checks that shares follow measured speeds: a launch that takes a member three times as
// long for each element gives it a quarter in the end.
func TestSpeeds(t *testing.T) {
	m := team(t, device(t, 0), device(t, 1))
	assert.Equal(t, []float64{0.5, 0.5}, m.Speeds())
	assert.Equal(t, []int{51, 50}, m.Shares(101))
	for range 20 {
		m.measured([]float64{3, 1})
	}
	assert.InDeltaSlice(t, []float64{0.75, 0.25}, m.Speeds(), 1e-3)
	assert.Equal(t, []int{750, 250}, m.Shares(1000))
	for range 40 {
		m.measured([]float64{1000, 0.001})
	}
	assert.Positive(t, m.Shares(1000)[1], "a slow member is never left out for good")
	before := m.Speeds()
	m.measured([]float64{0, 5})
	assert.InDeltaSlice(t, before, m.Speeds(), 1e-9, "nothing to compare with")
	m.measured([]float64{0, 0})
	assert.InDeltaSlice(t, before, m.Speeds(), 1e-9)
	assert.Nil(t, m.Shares(-1))
	assert.Equal(t, []int{0, 0}, m.Shares(0))
}

// TestMeasuredLaunch checks with a clock of its own what a launch measures.
func TestMeasuredLaunch(t *testing.T) {
	m := team(t, device(t, 0), device(t, 1))
	times := &launchTimes{team: m, rates: make([]float64, 2), left: 2}
	times.ended(0, 900, 3*time.Second, nil)
	assert.Equal(t, []float64{0.5, 0.5}, m.Speeds(), "one is still at work")
	times.ended(1, 100, time.Second, nil)
	assert.InDeltaSlice(t, []float64{0.5 + 0.25/2, 0.5 - 0.25/2}, m.Speeds(), 1e-9)
	// Real times may be equal, which changes nothing; no two differences of powers of two are.
	var ticks atomic.Int64
	m.now = func() time.Time { return time.Unix(1<<ticks.Add(1), 0) }
	k := wave(t, m)
	run(t, m, k, make([]float32, 1<<16))
	require.NoError(t, m.Close(t.Context())) // waits for the callbacks, which measure
	assert.Equal(t, int64(4), ticks.Load(), "each member's begin and end")
	assert.NotEqual(t, []float64{0.625, 0.375}, m.Speeds())
}

// TestTeamMisuse checks the errors of calls that make no sense.
func TestTeamMisuse(t *testing.T) {
	m, other := team(t, device(t, 0), device(t, 1)), team(t, device(t, 0))
	k := wave(t, m)
	ctx, none := t.Context(), (*Team)(nil)
	x, err := Scatter(ctx, m, make([]float32, 100))
	require.NoError(t, err)
	defer x.Close()
	y, err := NewParts[float32](m, []int{99, 1})
	require.NoError(t, err)
	defer y.Close()
	foreign, err := NewParts[float32](other, []int{100})
	require.NoError(t, err)
	defer foreign.Close()
	_, empty := NewTeam()
	_, nilMember := NewTeam(nil)
	_, wrongParts := NewParts[float32](m, []int{1})
	_, nilParts := NewParts[float32](nil, nil)
	_, nilScatter := Scatter(ctx, none, []float32{1})
	_, badSource := m.Compile(ctx, "kernel void wave(", "wave", compute.CompileOptions{})
	_, noKernel := m.Compile(ctx, teamSource, "waves", compute.CompileOptions{})
	var compileError *compute.CompileError
	assert.ErrorAs(t, badSource, &compileError)
	assert.ErrorContains(t, noKernel, "waves")
	for _, c := range []struct {
		got  error
		want error
		text string
	}{
		{empty, compute.ErrOption, "without members"},
		{nilMember, compute.ErrNil, "member 0"},
		{wrongParts, compute.ErrRange, "1 parts for a team of 2"},
		{nilParts, compute.ErrNil, "no team"},
		{nilScatter, compute.ErrNil, "no team"},
		{none.Sync(ctx), compute.ErrNil, "no team"},
		{none.Close(ctx), compute.ErrNil, "no team"},
		{none.Launch(ctx, k), compute.ErrNil, "no team"},
		{m.Launch(ctx, nil), compute.ErrNil, "no kernel"},
		{other.Launch(ctx, k), compute.ErrAccelerator, "another team"},
		{m.Launch(ctx, k, foreign), compute.ErrAccelerator, "argument 0 belongs to another team"},
		{m.Launch(ctx, k, x, y), compute.ErrRange, "argument 1 has parts of [99 1]"},
		{m.Launch(ctx, k, float32(1)), compute.ErrOption, "no argument is divided"},
		{Gather(ctx, make([]float32, 7), x), compute.ErrRange, "Gather of 100 elements to a slice of 7"},
		{Gather[float32](ctx, nil, nil), compute.ErrNil, "no parts"},
	} {
		require.ErrorIs(t, c.got, c.want)
		assert.ErrorContains(t, c.got, c.text)
	}
	err = m.Launch(ctx, k, x)
	var launch *compute.LaunchError
	assert.ErrorAs(t, err, &launch)
	assert.ErrorContains(t, err, "member 0")
	(*Parts[int32])(nil).Close()
	(*Kernel)(nil).Close()
	assert.Nil(t, none.Speeds())
	assert.Nil(t, x.Part(2))
	assert.Equal(t, 50, x.Part(1).Len())
}
