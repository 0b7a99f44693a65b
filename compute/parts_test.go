package compute

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const partKernels = `
#include <metal_stdlib>
using namespace metal;
kernel void positions(device packed_uint3 *out [[buffer(0)]], constant uint *n [[buffer(3)]],
    uint3 t [[thread_position_in_grid]], uint3 g [[threadgroup_position_in_grid]],
    uint3 threads [[threads_per_grid]], uint3 groups [[threadgroups_per_grid]],
    uint3 within [[thread_position_in_threadgroup]], uint3 size [[threads_per_threadgroup]]) {
  device packed_uint3 *b = out + 6 * (t.x + n[0] * (t.y + n[1] * t.z));
  b[0] = t; b[1] = g; b[2] = threads; b[3] = groups; b[4] = within; b[5] = size;
}
constant float factor [[function_constant(0)]];
kernel void blur(device const float *in [[buffer(0)]], device float *out [[buffer(1)]],
    device atomic_uint *count [[buffer(2)]],
    threadgroup float *row [[threadgroup(0)]], uint2 t [[thread_position_in_grid]], uint2 n [[threads_per_grid]],
    uint l [[thread_index_in_threadgroup]], uint2 size [[threads_per_threadgroup]]) {
  row[l] = in[t.y * n.x + t.x];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float sum = 0;
  for (uint i = 0; i < size.x * size.y; i++) sum += sin(row[i] * factor);
  out[t.y * n.x + t.x] = sum;
  atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
}
kernel void waits(device atomic_uint *flag [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  while (atomic_load_explicit(flag, memory_order_relaxed) == 77) {}
  atomic_fetch_add_explicit(flag, 1, memory_order_relaxed);
}
kernel void fails(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]], uint n [[threads_per_grid]]) {
  x[i] = 1;
  if (i >= n / 2) while (x[i] != 2) {}
}
`

// TestLaunchParts: a launch in parts has the results of a whole one, for grids with edges and along
// each axis.
func TestLaunchParts(t *testing.T) {
	a := accelerator(t)
	s, ctx, kernel := newStream(t, a), t.Context(), kernels(t, a, partKernels)
	for _, grid := range []Grid{
		Threads1D(1000).In(Extent{X: 32}), Threads2D(33, 130).In(Extent{X: 8, Y: 4}),
		Threads3D(10, 3, 70).In(Extent{X: 4, Y: 2, Z: 2}), Threadgroups{Extent{X: 5, Y: 90}, Extent{X: 4, Y: 2}},
		Threads1D(1),
	} {
		size, group, threads := grid.size()
		n := stream.Axes(size)
		if !threads {
			n = [3]uint{n[0] * group.Width, n[1] * group.Height, n[2] * group.Depth}
		}
		total := int(n[0] * n[1] * n[2])
		want, got := make([]uint32, 18*total), make([]uint32, 18*total)
		for i, data := range [][]uint32{want, got} {
			out, err := NewZeroed[uint32](ctx, a, 18*total, BufferOptions{})
			require.NoError(t, err)
			arg := bufferOf(t, a, uint32(n[0]), uint32(n[1]))
			if i == 0 {
				require.NoError(t, s.Launch(ctx, kernel("positions"), grid, out, arg))
				require.NoError(t, s.Sync(ctx))
			} else {
				var done []uint64
				progress := func(n, all uint64) {
					assert.EqualValues(t, total, all)
					done = append(done, n)
				}
				r, err := s.LaunchParts(ctx, kernel("positions"), grid, PartOptions{Target: 1, Progress: progress}, out, arg)
				require.NoError(t, err)
				assert.Len(t, done, r.Parts)
				assert.EqualValues(t, total, r.Threads)
				if total > 1 {
					assert.Greater(t, r.Parts, 20, "%v", grid)
				}
			}
			require.NoError(t, out.Download(ctx, data))
			out.Close()
		}
		require.Equal(t, want, got, "%v", grid)
	}
}

// TestLaunchPartsArguments: all kinds of arguments reach the parts.
func TestLaunchPartsArguments(t *testing.T) {
	a := accelerator(t)
	s, ctx := newStream(t, a), t.Context()
	p, err := a.Compile(ctx, partKernels, CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	k, err := p.Kernel("blur", Constant{Index: 0, Value: float32(1.25)})
	require.NoError(t, err)
	const w, h = 100, 77
	in := make([]float32, w*h)
	for i := range in {
		in[i] = float32(i%97) / 7
	}
	var results [2][]float32
	for i := range results {
		x, out, count := bufferOf(t, a, in...), bufferOf(t, a, make([]float32, w*h)...), bufferOf[uint32](t, a, 0)
		grid := Threads2D(w, h).In(Extent{X: 16, Y: 2})
		if i == 0 {
			require.NoError(t, s.Launch(ctx, k, grid, x, out, count, ThreadgroupMemory(128)))
		} else {
			r, err := s.LaunchParts(ctx, k, grid, PartOptions{Target: 1}, x, out, count, ThreadgroupMemory(128))
			require.NoError(t, err)
			assert.Equal(t, (h+1)/2, r.Parts)
			assert.LessOrEqual(t, r.Longest, r.Total)
			assert.Positive(t, r.Longest)
			r, err = s.LaunchParts(ctx, k, grid, PartOptions{Target: time.Hour}, x, out, count, ThreadgroupMemory(128))
			require.NoError(t, err)
			assert.Equal(t, 1, r.Parts, "by the times of the last run")
		}
		results[i] = make([]float32, w*h)
		require.NoError(t, out.Download(ctx, results[i]))
		counted := make([]uint32, 1)
		require.NoError(t, count.Download(ctx, counted))
		assert.EqualValues(t, w*h*(i+1), counted[0])
	}
	assert.Equal(t, results[0], results[1])
	assert.EqualValues(t, 3, k.Stats().Launches)
	assert.EqualValues(t, 3*w*h, k.Stats().Threads)
}

// TestLaunchPartsRefused: kernels whose parts cannot run one after another are refused, unless the
// program knows better.
func TestLaunchPartsRefused(t *testing.T) {
	a := accelerator(t)
	s, ctx := newStream(t, a), t.Context()
	k := kernels(t, a, partKernels)("waits")
	flag := bufferOf[uint32](t, a, 0)
	_, err := s.LaunchParts(ctx, k, Threads1D(64), PartOptions{}, flag)
	require.ErrorIs(t, err, ErrParts)
	require.ErrorContains(t, err, ":24:10: ")
	_, err = s.LaunchParts(ctx, k, Threads1D(64), PartOptions{Independent: true}, flag)
	require.NoError(t, err)
	for _, o := range [][]Option{nil, {WithGridPhases()}} {
		a := accelerator(t, o...)
		x := bufferOf[uint32](t, a, make([]uint32, 64)...)
		k := kernels(t, a, "#include <metal_stdlib>\n#include <puremetal/cooperative>\n"+
			"kernel void k(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"+
			"  x[i] = i; puremetal::this_grid().sync(); x[i] += x[63 - i]; }")("k")
		_, err := newStream(t, a).LaunchParts(ctx, k, Threads1D(64), PartOptions{}, x)
		require.ErrorIs(t, err, ErrParts)
		require.ErrorContains(t, err, "synchronizes")
	}
	_, err = s.LaunchParts(ctx, k, Threads1D(64), PartOptions{Target: -1}, flag)
	require.ErrorIs(t, err, ErrOption)
	_, err = s.LaunchParts(ctx, nil, Threads1D(64), PartOptions{})
	require.ErrorIs(t, err, ErrInvalidLaunch)
}

// TestLaunchPartsFails: the failure of a part is returned once, with how far the launch came.
func TestLaunchPartsFails(t *testing.T) {
	a := accelerator(t, WithWorkBudget(1<<20))
	if !a.Info().Software {
		t.Skip("only the software device has a budget for work")
	}
	s, ctx := newStream(t, a), t.Context()
	x := bufferOf[uint32](t, a, make([]uint32, 4096)...)
	r, err := s.LaunchParts(ctx, kernels(t, a, partKernels)("fails"), Threads1D(4096).In(Extent{X: 32}),
		PartOptions{Target: time.Nanosecond}, x)
	var failed *ExecutionError
	require.ErrorAs(t, err, &failed)
	require.ErrorIs(t, err, ErrTimeout)
	assert.EqualValues(t, 2048, r.Threads)
	require.NoError(t, s.Sync(ctx))
	canceled, cancel := context.WithCancel(ctx)
	r, err = s.LaunchParts(canceled, kernels(t, a, partKernels)("fails"), Threads1D(2048).In(Extent{X: 32}),
		PartOptions{Target: time.Nanosecond, Progress: func(done, _ uint64) {
			if done >= 128 {
				cancel()
			}
		}}, x)
	require.ErrorIs(t, err, ErrCanceled)
	assert.EqualValues(t, 128, r.Threads)
}

func ExampleStream_LaunchParts() {
	ctx := context.Background()
	acc, err := Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer acc.Close(ctx)
	s, _ := acc.NewStream(StreamOptions{})
	defer s.Close(ctx)
	p, err := acc.Compile(ctx, `
kernel void collatz(device uint *steps [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  uint n = 0;
  for (ulong x = i + 1; x != 1; n++) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
  steps[i] = n;
}`, CompileOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	k, _ := p.Kernel("collatz")
	steps, _ := NewBuffer[uint32](acc, 100_000, BufferOptions{})
	defer steps.Close()
	run, err := s.LaunchParts(ctx, k, Threads1D(100_000), PartOptions{Target: 10 * time.Millisecond}, steps)
	fmt.Println(run.Threads, run.Parts > 1, err)
	// Output: 100000 true <nil>
}
