package compute

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type results = map[string][]byte

const scheduleSource = `#include <metal_stdlib>
using namespace metal;
kernel void last(device uint *out [[buffer(0)]], uint g [[threadgroup_position_in_grid]]) { out[0] = g; }
kernel void pair(device uint *out [[buffer(0)]], uint g [[threadgroup_position_in_grid]]) {
    if (g == 5) out[1] = 1;
    if (g == 11) out[0] = out[1];
}
kernel void simdgroups(device uint *out [[buffer(0)]], uint t [[thread_index_in_threadgroup]],
                       uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s;
    if (t == 0) s = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s = t / 32;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0) out[g] = s;
}
kernel void sum(device atomic<float> *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    atomic_fetch_add_explicit(out, 1 / (i + 1.0f), memory_order_relaxed);
}
kernel void count(device atomic<uint> *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    atomic_fetch_add_explicit(out + i % 5, i, memory_order_relaxed);
}
kernel void right(device uint *out [[buffer(0)]], uint t [[thread_index_in_threadgroup]],
                  uint i [[thread_position_in_grid]]) {
    threadgroup uint s[128];
    s[t] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[127 - t];
}`

// TestCompareSchedules: results that depend on the order of threadgroups or simdgroups are found,
// with the exact exchange that changes them; others are the same in all orders.
func TestCompareSchedules(t *testing.T) {
	plantsMistakes(t)
	a := accelerator(t)
	if !a.Info().Software {
		_, err := a.CompareSchedules(t.Context(), ScheduleOptions{},
			func(context.Context, int) (results, error) { return nil, nil })
		require.ErrorIs(t, err, ErrNoDevice)
		return
	}
	p, err := a.Compile(t.Context(), scheduleSource, CompileOptions{})
	require.NoError(t, err)
	defer p.Close()
	s, err := a.NewStream(StreamOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close(t.Context())) }()
	out, err := NewBuffer[byte](a, 2048*4, BufferOptions{})
	require.NoError(t, err)
	defer out.Close()
	for _, c := range []struct {
		kernels string
		want    string // "" if the results do not depend on the order, "*" for any difference
	}{
		{"last", "threadgroup (15,0,0) before (14,0,0)"},
		{"pair", "threadgroup (5,0,0) after (11,0,0)|threadgroup (11,0,0) before (5,0,0)"},
		{"simdgroups", "simdgroup 3 before 2 of threadgroup (*,0,0), after barrier 1"},
		{"right simdgroups right",
			"simdgroup 3 before 2 of threadgroup (*,0,0), after barrier 1, in launch 2 (simdgroups)"},
		{"sum", "*"},
		{"count", ""},
		{"right", ""},
	} {
		runs := 0
		o := ScheduleOptions{Seed: 3}
		r, err := a.CompareSchedules(t.Context(), o, func(ctx context.Context, n int) (results, error) {
			assert.Equal(t, runs, n)
			runs++
			if err := out.Upload(ctx, make([]byte, out.Len())); err != nil {
				return nil, err
			}
			data := results{}
			for name := range strings.FieldsSeq(c.kernels) {
				k, err := p.Kernel(name)
				if err != nil {
					return nil, err
				}
				if err := s.Launch(ctx, k, Threads1D(2048).In(Extent{X: 128}), out); err != nil {
					return nil, err
				}
				if err := s.Sync(ctx); err != nil {
					return nil, err
				}
				data[name] = make([]byte, out.Len())
				if err := out.Download(ctx, data[name]); err != nil {
					return nil, err
				}
			}
			return data, nil
		})
		require.NoError(t, err, c.kernels)
		assert.Equal(t, 10, r.Schedules)
		assert.Equal(t, runs, r.Runs)
		assert.Empty(t, r.Incomplete, c.kernels)
		if c.want == "" {
			assert.Empty(t, r.Differ, c.kernels)
			assert.Empty(t, r.Moves, c.kernels)
			assert.Equal(t, 11, runs)
			continue
		}
		require.NotEmpty(t, r.Results, c.kernels)
		assert.Positive(t, r.Results[0].Bytes, c.kernels)
		d := r.Results[0]
		assert.NotEqual(t, d.Default[d.First], d.Other[d.First])
		assert.Equal(t, len(r.Differ), d.Schedules)
		assert.Equal(t, r.Differ[0], d.Seed)
		t.Logf("%s: %d of %d orders differ; %s; %d runs", c.kernels, len(r.Differ), r.Schedules, r.Difference, r.Runs)
		matches := false
		for want := range strings.SplitSeq(c.want, "|") {
			first, rest, _ := strings.Cut(want, "*")
			matches = matches || strings.HasPrefix(r.Difference, first) && strings.HasSuffix(r.Difference, rest)
		}
		assert.True(t, matches, "%s: %s", c.kernels, r.Difference)
		require.Len(t, r.Moves, 1, c.kernels)
	}
}

// TestCompareSchedulesErrors: errors of runs end a comparison, and another one can follow; two at a
// time are refused, and bad options are.
func TestCompareSchedulesErrors(t *testing.T) {
	a := accelerator(t)
	if !a.Info().Software {
		t.Skip("only the software device chooses the order of threadgroups")
	}
	nothing := func(context.Context, int) (results, error) { return nil, nil }
	for _, o := range []ScheduleOptions{{Schedules: -1}, {Schedules: maxSchedules + 1}} {
		_, err := a.CompareSchedules(t.Context(), o, nothing)
		require.ErrorIs(t, err, ErrOption)
	}
	_, err := a.CompareSchedules(t.Context(), ScheduleOptions{}, nil)
	require.ErrorIs(t, err, ErrOption)

	failed := errors.New("failed")
	for at := range 3 {
		runs := 0
		_, err := a.CompareSchedules(t.Context(), ScheduleOptions{}, func(_ context.Context, n int) (results, error) {
			if runs++; n == at {
				return nil, failed
			}
			return nil, nil
		})
		require.ErrorIs(t, err, failed)
		assert.Equal(t, at+1, runs)
	}

	_, err = a.CompareSchedules(t.Context(), ScheduleOptions{}, func(ctx context.Context, _ int) (results, error) {
		_, err := a.CompareSchedules(ctx, ScheduleOptions{}, nothing)
		return nil, err
	})
	require.ErrorIs(t, err, ErrBusy)

	_, err = a.CompareSchedules(t.Context(), ScheduleOptions{}, func(_ context.Context, n int) (results, error) {
		return results{"x": make([]byte, n)}, nil
	})
	require.ErrorIs(t, err, ErrOption)

	// Results that change by themselves differ, and no order is to blame.
	n := byte(0)
	one := ScheduleOptions{Schedules: 1}
	r, err := a.CompareSchedules(t.Context(), one, func(context.Context, int) (results, error) {
		n++
		return results{"x": {min(n, 2) % 2}}, nil
	})
	require.NoError(t, err)
	assert.Len(t, r.Differ, 1)
	assert.NotEmpty(t, r.Incomplete)
	assert.Empty(t, r.Moves)

	ctx, cancel := context.WithCancel(t.Context())
	_, err = a.CompareSchedules(ctx, ScheduleOptions{}, func(context.Context, int) (results, error) {
		cancel()
		return nil, nil
	})
	require.ErrorIs(t, err, context.Canceled)
}
