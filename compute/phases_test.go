package compute_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/graph"
	"github.com/stretchr/testify/require"
)

// gridSource has kernels that synchronize the grid: a straight one, and one with a loop whose count
// only the device knows.
const gridSource = `#include <metal_stdlib>
#include <puremetal/cooperative>
kernel void shifted(device uint *data [[buffer(0)]], constant uint &by [[buffer(3)]],
                    uint i [[thread_position_in_grid]], uint n [[threads_per_grid]],
                    uint j [[thread_index_in_threadgroup]]) {
    threadgroup uint ids[64];
    ids[j] = i;
    uint mine = data[i];
    if (i == 5) return;
    puremetal::this_grid().sync();
    uint other = data[(i + by) % n];
    puremetal::this_grid().sync();
    data[i] = mine * 1000 + other + ids[j];
}
kernel void relaxed(device uint *a [[buffer(0)]], device uint *b [[buffer(1)]], constant uint &rounds [[buffer(2)]],
                    uint i [[thread_position_in_grid]], uint n [[threads_per_grid]]) {
    for (uint k = 0; k < rounds; k++) {
        b[i] = a[i == 0 ? n - 1 : i - 1] * 3 + k;
        puremetal::this_grid().sync();
        device uint *other = a;
        a = b;
        b = other;
    }
}
kernel void spread(device atomic_uint *done [[buffer(0)]], device uint *reach [[buffer(1)]],
                   uint i [[thread_position_in_grid]], uint n [[threads_per_grid]]) {
    uint rounds = 0;
    while (true) {
        uint left = i == 0 ? 1 : reach[i - 1];
        puremetal::this_grid().sync();
        if (left != 0) reach[i] = 1;
        rounds++;
        if (i == n - 1 && left != 0) metal::atomic_store_explicit(done, 1, metal::memory_order_relaxed);
        puremetal::this_grid().sync();
        if (metal::atomic_load_explicit(done, metal::memory_order_relaxed) != 0) break;
    }
    reach[i] = rounds;
}`

// TestGridPhases: kernels that were split give the results that the software device gives without,
// for grids of whole and of partial threadgroups.
func TestGridPhases(t *testing.T) {
	ctx := context.Background()
	results := map[bool]string{}
	for _, phases := range []bool{false, true} {
		var options []compute.Option
		if phases {
			options = append(options, compute.WithGridPhases())
		}
		acc, err := compute.Open(options...)
		require.NoError(t, err)
		require.Equal(t, phases || !acc.Info().Software, acc.Info().GridSync().Phases)
		require.Equal(t, !phases && acc.Info().Software, acc.Info().GridSync().Resident)
		s, err := acc.NewStream(compute.StreamOptions{})
		require.NoError(t, err)
		p, err := acc.Compile(ctx, gridSource, compute.CompileOptions{Name: "grid.metal"})
		require.NoError(t, err)
		for _, n := range []int{1, 64, 100, 200} {
			k, err := p.Kernel("shifted")
			require.NoError(t, err, "phases %t", phases)
			require.Equal(t, 3, k.Cooperative().Phases)
			require.Len(t, k.Parameters(), 2)
			data := make([]uint32, n)
			for i := range data {
				data[i] = uint32(i * i)
			}
			b, err := compute.BufferOf(ctx, acc, data)
			require.NoError(t, err)
			grid := compute.Threads1D(n).In(compute.Extent{X: 64})
			require.NoError(t, s.LaunchCooperative(ctx, k, grid, b, uint32(3)))
			require.NoError(t, s.Sync(ctx))
			require.NoError(t, b.Download(ctx, data))
			results[phases] += fmt.Sprintln(data)
			for i, v := range data {
				want := uint32(i*i*1000 + (i+3)%n*((i+3)%n) + i)
				if i == 5 {
					want = 25
				}
				require.Equal(t, want, v, "thread %d of %d, phases %t", i, n, phases)
			}
			b.Close()

			k, err = p.Kernel("spread")
			require.NoError(t, err)
			done, err := compute.NewZeroed[uint32](ctx, acc, 1, compute.BufferOptions{})
			require.NoError(t, err)
			reach, err := compute.NewZeroed[uint32](ctx, acc, n, compute.BufferOptions{})
			require.NoError(t, err)
			require.NoError(t, s.LaunchCooperative(ctx, k, grid, done, reach))
			require.NoError(t, s.Sync(ctx))
			require.NoError(t, reach.Download(ctx, data))
			for i, v := range data {
				require.Equal(t, uint32(n), v, "thread %d of %d, phases %t", i, n, phases)
			}
			done.Close()
			reach.Close()
		}
		p.Close()
		require.NoError(t, s.Close(ctx))
		require.NoError(t, acc.Close(ctx))
	}
	require.Equal(t, results[false], results[true])
}

// TestGridPhasesUneven: a kernel that only some threadgroups synchronize is refused when it is
// split, with the place.
func TestGridPhasesUneven(t *testing.T) {
	acc, err := compute.Open(compute.WithGridPhases())
	require.NoError(t, err)
	defer func() { require.NoError(t, acc.Close(t.Context())) }()
	_, err = acc.Compile(t.Context(), `#include <puremetal/cooperative>
kernel void uneven(device uint *a [[buffer(0)]], uint i [[threadgroup_position_in_grid]]) {
  if (i == 1)
    puremetal::this_grid().sync();
}
`, compute.CompileOptions{Name: "uneven.metal"})
	require.ErrorIs(t, err, compute.ErrGridSync)
	require.ErrorContains(t, err, "uneven.metal:4:5: error: kernel \"uneven\"")
}

// splitKernel returns a kernel of gridSource on an accelerator that splits it. Both are closed when
// the test ends.
func splitKernel(t *testing.T, name string) (*compute.Accelerator, *compute.Kernel) {
	t.Helper()
	acc, err := compute.Open(compute.WithGridPhases())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, acc.Close(context.WithoutCancel(t.Context()))) })
	p, err := acc.Compile(t.Context(), gridSource, compute.CompileOptions{Name: "grid.metal"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	k, err := p.Kernel(name)
	require.NoError(t, err)
	return acc, k
}

// TestGridPhasesCaptured: a graph does not take a launch whose number of phases the host must see.
func TestGridPhasesCaptured(t *testing.T) {
	acc, k := splitKernel(t, "shifted")
	b, err := compute.NewZeroed[uint32](t.Context(), acc, 64, compute.BufferOptions{})
	require.NoError(t, err)
	defer b.Close()
	s, err := acc.NewStream(compute.StreamOptions{})
	require.NoError(t, err)
	require.NoError(t, graph.BeginCapture(s, "steps"))
	err = s.LaunchCooperative(t.Context(), k, compute.Threads1D(64), b, uint32(1))
	require.ErrorIs(t, err, compute.ErrCapture)
	require.ErrorContains(t, err, `kernel "shifted", which this device splits at its grid syncs`)
	_, err = graph.EndCapture(s)
	require.ErrorIs(t, err, compute.ErrCapture)
	require.NoError(t, s.Close(t.Context()))
}

// TestGridPhasesLong: what all threads share is kept over all phases, also those that the host only
// later knows of, for every place where the launches recorded in advance may end. Commands behind
// the launch wait for all of it.
func TestGridPhasesLong(t *testing.T) {
	acc, k := splitKernel(t, "relaxed")
	require.Equal(t, compute.CooperativeInfo{Phases: 2}, k.Cooperative())
	_, ok := k.LastCooperative()
	require.False(t, ok)
	s, err := acc.NewStream(compute.StreamOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close(t.Context())) }()
	for i, rounds := range []uint32{0, 1, 7, 8, 9, 39, 40, 41, 100} {
		for _, n := range []int{64, 70} { // whole threadgroups, and a partial one
			want, next := make([]uint32, n), make([]uint32, n)
			for j := range want {
				want[j] = uint32(j * j)
			}
			a, err := compute.BufferOf(t.Context(), acc, want)
			require.NoError(t, err)
			b, err := compute.NewZeroed[uint32](t.Context(), acc, n, compute.BufferOptions{})
			require.NoError(t, err)
			have, err := compute.NewZeroed[uint32](t.Context(), acc, n, compute.BufferOptions{})
			require.NoError(t, err)
			for r := range rounds {
				for j := range want {
					next[j] = want[(j+n-1)%n]*3 + r
				}
				want, next = next, want
			}
			timed := i%2 == 0
			k.TimePhases(timed)
			require.NoError(t, s.LaunchCooperative(t.Context(), k, compute.Threads1D(n).In(compute.Extent{X: 32}), a, b, rounds))
			last := a
			if rounds%2 != 0 {
				last = b
			}
			require.NoError(t, compute.Copy(t.Context(), s, have, last))
			a.Close()
			b.Close()
			require.NoError(t, s.Sync(t.Context()))
			got := make([]uint32, n)
			require.NoError(t, have.Download(t.Context(), got))
			have.Close()
			require.Equal(t, want, got, "%d rounds", rounds)
			run, ok := k.LastCooperative()
			require.True(t, ok)
			require.EqualValues(t, rounds+1, run.Phases)
			require.Positive(t, run.Bytes)
			if !timed {
				require.Empty(t, run.Times)
				continue
			}
			require.Len(t, run.Times, int(rounds)+1)
			for _, d := range run.Times {
				require.Positive(t, d)
			}
		}
	}
}
