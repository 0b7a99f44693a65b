package graph

import (
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const commandKernels = `
#include <metal_stdlib>
#include <metal_command_buffer>
using namespace metal;

kernel void add(device int *x [[buffer(0)]], constant int &by [[buffer(1)]],
                uint i [[thread_position_in_grid]]) { x[i] += by; }
kernel void scale(device int *x [[buffer(0)]], constant int &by [[buffer(1)]],
                  uint i [[thread_position_in_grid]]) { x[i] *= by; }
kernel void turn(device int *x [[buffer(0)]], threadgroup int *t [[threadgroup(0)]],
                 uint i [[thread_position_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
    t[i] = x[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    x[i] = t[n - 1 - i];
}
[[required_threads_per_threadgroup(4, 1, 1)]]
kernel void large(device int *x [[buffer(0)]], uint i [[thread_position_in_threadgroup]]) {
    threadgroup int t[8192];
    t[i * 2048] = x[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    x[i] = t[i * 2048] + 1;
}
kernel void twice(device int *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] *= 2; }
kernel void paint(texture2d<float, access::write> t [[texture(0)]],
                  uint2 at [[thread_position_in_grid]]) { t.write(float4(1), at); }

struct Encode { command_buffer commands; compute_pipeline_state twice; device int *x; uint n; };
kernel void encode(device const Encode &e [[buffer(0)]], device uint2 &range [[buffer(1)]],
                   constant uint &count [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    compute_command c(e.commands, i);
    c.set_compute_pipeline_state(e.twice);
    c.set_kernel_buffer(e.x + i * e.n, 0);
    c.concurrent_dispatch_threads(uint3(e.n, 1, 1), uint3(e.n, 1, 1));
    if (i == 0) range = uint2(1, count);
}`

// encodeArguments is Encode.
type encodeArguments struct {
	Commands, Twice, X uint64
	N                  uint32
	_                  uint32
}

func commandsOf(t testing.TB, a *compute.Accelerator, n int) *Commands {
	t.Helper()
	c, err := NewCommands(a, n, CommandsOptions{Label: t.Name()})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// eachGPU runs a test with and without the dispatches without threadgroups that older GPUs get.
func eachGPU(t *testing.T, test func(t *testing.T, a *compute.Accelerator)) {
	for name, older := range map[string]bool{"Apple9": false, "older": true} {
		t.Run(name, func(t *testing.T) {
			a := accelerator(t)
			stream.DeviceOf(a).DispatchesNone = older
			test(t, a)
		})
	}
}

// TestCommands executes commands that Go has encoded, changes some and executes them again.
func TestCommands(t *testing.T) { eachGPU(t, testCommands) }

func testCommands(t *testing.T, a *compute.Accelerator) {
	kernel, s, ctx := kernels(t, a, commandKernels), newStream(t, a), t.Context()
	x := bufferOf[int32](t, a, 1, 2, 3, 4)
	c := commandsOf(t, a, 4)
	run := func(from, to int, want ...int32) {
		t.Helper()
		require.NoError(t, c.Execute(ctx, s, from, to))
		require.NoError(t, s.Sync(ctx))
		got, err := x.Data()
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	run(0, 4, 1, 2, 3, 4) // nothing is encoded
	require.NoError(t, c.Set(ctx, 0, kernel("add"), compute.Threads1D(4), x, int32(1)))
	require.NoError(t, c.Set(ctx, 1, kernel("scale"), compute.Threads1D(4), x, int32(10)))
	require.NoError(t, c.Set(ctx, 3, kernel("turn"), compute.Threadgroups{Grid: compute.Extent{X: 1},
		Group: compute.Extent{X: 4}}, x, compute.ThreadgroupMemory(16)))
	require.NoError(t, c.SetBarrier(ctx, 1, true))
	require.NoError(t, c.SetBarrier(ctx, 3, true))
	run(0, 4, 50, 40, 30, 20)
	assert.EqualValues(t, 1, kernel("turn").Stats().Launches)
	assert.EqualValues(t, 2, s.Stats().Indirect)
	run(0, 1, 51, 41, 31, 21)
	require.NoError(t, c.Set(ctx, 0, kernel("add"), compute.Threads1D(2), x, int32(-1))) // the barriers stay
	run(0, 4, 210, 310, 400, 500)
	require.NoError(t, c.ResetOn(ctx, s, 1, 4))
	run(0, 4, 209, 309, 400, 500)
	require.NoError(t, c.Reset(ctx, 0, 4))
	run(0, 4, 209, 309, 400, 500)

	// Executions are ordered with other commands, also where one launch is all that separates them.
	require.NoError(t, c.Set(ctx, 2, kernel("add"), compute.Threads1D(4), x, int32(1)))
	require.NoError(t, c.OptimizeOn(ctx, s, 0, 4))
	require.NoError(t, compute.Fill(ctx, s, x, 0))
	for range 10 {
		require.NoError(t, c.Execute(ctx, s, 0, 4))
		require.NoError(t, s.Launch(ctx, kernel("scale"), compute.Threads1D(4), x, int32(2)))
	}
	run(0, 4, 2047, 2047, 2047, 2047)
}

// TestDispatchNone: the dispatches without threadgroups of kernels that together would exceed the
// threadgroup memory, after a launch that has set some, and of a required threadgroup.
func TestDispatchNone(t *testing.T) {
	a := accelerator(t)
	stream.DeviceOf(a).DispatchesNone = true
	kernel, s, ctx := kernels(t, a, commandKernels), newStream(t, a), t.Context()
	x := bufferOf[int32](t, a, 1, 2, 3, 4)
	c := commandsOf(t, a, 3)
	most := a.Info().Limits.MaxThreadgroupMemoryLength
	group := compute.Threadgroups{Grid: compute.Extent{X: 1}, Group: compute.Extent{X: 4}}
	require.NoError(t, c.Set(ctx, 0, kernel("turn"), group, x, compute.ThreadgroupMemory(int(most))))
	require.NoError(t, c.Set(ctx, 1, kernel("large"), group, x))
	require.NoError(t, c.Set(ctx, 2, kernel("turn"), group, x, compute.ThreadgroupMemory(16)))
	require.NoError(t, c.SetBarrier(ctx, 1, true))
	require.NoError(t, c.SetBarrier(ctx, 2, true))
	for range 2 {
		require.NoError(t, s.Launch(ctx, kernel("turn"), group, x, compute.ThreadgroupMemory(int(most))))
		require.NoError(t, c.Execute(ctx, s, 0, 3))
		require.NoError(t, s.Launch(ctx, kernel("large"), group, x))
	}
	require.NoError(t, s.Sync(ctx))
	got, err := x.Data()
	require.NoError(t, err)
	require.Equal(t, []int32{5, 6, 7, 8}, got)
}

// TestCommandsByKernel has a kernel encode commands and the range of them that runs.
func TestCommandsByKernel(t *testing.T) { eachGPU(t, testCommandsByKernel) }

func testCommandsByKernel(t *testing.T, a *compute.Accelerator) {
	kernel, s, ctx := kernels(t, a, commandKernels), newStream(t, a), t.Context()
	c := commandsOf(t, a, 4)
	x := bufferOf[int32](t, a, 1, 2, 3, 4, 5, 6, 7, 8)
	ranges := bufferOf(t, a, CommandRange{}, CommandRange{0, 4})
	e := encodeArguments{N: 2}
	var err error
	e.Commands, err = c.Handle()
	require.NoError(t, err)
	e.Twice, err = c.KernelHandle(ctx, kernel("twice"))
	require.NoError(t, err)
	e.X, err = x.Address()
	require.NoError(t, err)
	args := bufferOf(t, a, e)
	first, err := ranges.Slice(0, 1)
	require.NoError(t, err)
	require.NoError(t, s.Launch(ctx, kernel("encode"), compute.Threads1D(4), args, first, uint32(2), Fills(c)))
	require.NoError(t, c.ExecuteRange(ctx, s, ranges, 0, compute.Writes(x)))
	require.NoError(t, s.Sync(ctx))
	got, err := x.Data()
	require.NoError(t, err)
	assert.Equal(t, []int32{1, 2, 6, 8, 10, 12, 7, 8}, got)
	require.NoError(t, c.ExecuteRange(ctx, s, ranges, 1, compute.Writes(x)))
	require.NoError(t, s.Sync(ctx))
	assert.Equal(t, []int32{2, 4, 12, 16, 20, 24, 14, 16}, got)
}

// TestCommandMisuse: what commands cannot do is refused with its reason, and changes nothing.
func TestCommandMisuse(t *testing.T) {
	other := accelerator(t)
	foreign, theirs := commandsOf(t, other, 4), bufferOf[int32](t, other, 1)
	a := accelerator(t)
	kernel, s, ctx := kernels(t, a, commandKernels), newStream(t, a), t.Context()
	c, x := commandsOf(t, a, 4), bufferOf[int32](t, a, 1, 2, 3, 4)
	ranges := bufferOf(t, a, CommandRange{})
	add := kernel("add")
	require.NoError(t, c.Set(ctx, 0, add, compute.Threads1D(4), x, int32(1)))
	picture, err := compute.NewTexture[[4]float32](a, compute.TextureShape{Type: mtl.TextureType2D, Width: 2, Height: 2},
		compute.TextureOptions{})
	require.NoError(t, err)
	defer picture.Close()
	loud, err := a.Compile(ctx, commandKernels, compute.CompileOptions{Logging: true})
	require.NoError(t, err)
	defer loud.Close()
	logs, err := loud.Kernel("add")
	require.NoError(t, err)
	narrow, err := NewCommands(a, 1, CommandsOptions{Label: "narrow", Buffers: 1})
	require.NoError(t, err)
	defer narrow.Close()
	one := func(_ any, err error) error { return err }
	for name, k := range map[string]struct {
		err  error
		kind error
		want string
	}{
		"no commands": {one(NewCommands(a, 0, CommandsOptions{})), compute.ErrRange, "0 commands, want 1 to 16384"},
		"too many commands": {one(NewCommands(a, 16385, CommandsOptions{})), compute.ErrRange,
			"16385 commands, want 1 to 16384"},
		"too many indices": {one(NewCommands(a, 1, CommandsOptions{Buffers: 32})),
			compute.ErrOption, "32 buffer indices, want 1 to 31"},
		"index":       {c.Set(ctx, 4, add, compute.Threads1D(4), x, int32(1)), compute.ErrRange, "commands [4, 5) of 4"},
		"empty range": {c.Execute(ctx, s, 2, 2), compute.ErrRange, "commands [2, 2) of 4"},
		"negative":    {c.Reset(ctx, -1, 2), compute.ErrRange, "commands [-1, 2) of 4"},
		"no kernel":   {c.Set(ctx, 0, nil, compute.Threads1D(4)), compute.ErrInvalidLaunch, "launch of nil"},
		"argument":    {c.Set(ctx, 0, add, compute.Threads1D(4), x), compute.ErrInvalidLaunch, "buffer 1 (by): missing"},
		"texture": {c.Set(ctx, 0, kernel("paint"), compute.Threads2D(2, 2), picture),
			ErrIndirect, "cannot bind texture 0"},
		"logs":              {c.Set(ctx, 0, logs, compute.Threads1D(4), x, int32(1)), ErrIndirect, "the kernel logs"},
		"texture by kernel": {one(c.KernelHandle(ctx, kernel("paint"))), ErrIndirect, "cannot bind texture 0"},
		"logs by kernel":    {one(c.KernelHandle(ctx, logs)), ErrIndirect, "the kernel logs"},
		"buffer index": {narrow.Set(ctx, 0, add, compute.Threads1D(4), x, int32(1)),
			ErrIndirect, "buffer index 1, the commands have 1"},
		"other accelerator": {foreign.Execute(ctx, s, 0, 1), compute.ErrAccelerator, ""},
		"other's buffer":    {c.Execute(ctx, s, 0, 1, compute.Reads(theirs)), compute.ErrAccelerator, "access 0, buffer 0"},
		"other's kernel":    {foreign.Set(ctx, 0, add, compute.Threads1D(4), x, int32(1)), compute.ErrAccelerator, ""},
		"not an access":     {c.Execute(ctx, s, 0, 1, x), compute.ErrOption, "access 0 is a"},
		"element":           {c.ExecuteRange(ctx, s, ranges, 1), compute.ErrRange, "element 1 of"},
		"nil commands":      {(*Commands)(nil).Execute(ctx, s, 0, 1), compute.ErrNil, ""},
		"nil filled": {s.Launch(ctx, add, compute.Threads1D(4), x, int32(1), Fills(nil)),
			compute.ErrInvalidLaunch, "listed commands 0: nil or zero argument"},
		"other's commands": {s.Launch(ctx, add, compute.Threads1D(4), x, int32(1), Fills(foreign)),
			compute.ErrAccelerator, "listed commands 0"},
		"optimize too many":  {c.OptimizeOn(ctx, s, 0, 5), compute.ErrRange, "commands [0, 5) of 4"},
		"reset other's":      {foreign.ResetOn(ctx, s, 0, 1), compute.ErrAccelerator, ""},
		"kernel handle, nil": {one(c.KernelHandle(ctx, nil)), compute.ErrNil, ""},
	} {
		require.ErrorIs(t, k.err, k.kind, name)
		assert.ErrorContains(t, k.err, k.want, name)
	}
	require.NoError(t, c.Execute(ctx, s, 0, 4))
	require.NoError(t, s.Sync(ctx))
	got, err := x.Data()
	require.NoError(t, err)
	assert.Equal(t, []int32{2, 3, 4, 5}, got)
}

// TestCommandsClosed: what is closed after an execution was recorded stays until it has ended, and
// later executions are refused.
func TestCommandsClosed(t *testing.T) {
	a := accelerator(t)
	kernel, s, ctx := kernels(t, a, commandKernels), newStream(t, a), t.Context()
	c := commandsOf(t, a, 2)
	x, err := compute.BufferOf(ctx, a, []int32{1})
	require.NoError(t, err)
	y := bufferOf[int32](t, a, 1)
	require.NoError(t, c.Set(ctx, 0, kernel("add"), compute.Threads1D(1), x, int32(1)))
	require.NoError(t, c.Set(ctx, 1, kernel("add"), compute.Threads1D(1), y, int32(1)))
	require.NoError(t, c.Execute(ctx, s, 0, 2))
	x.Close()
	require.ErrorIs(t, c.Execute(ctx, s, 0, 2), compute.ErrClosed)
	require.NoError(t, c.Execute(ctx, s, 1, 2))
	require.ErrorIs(t, c.Set(ctx, 0, kernel("add"), compute.Threads1D(1), x, int32(1)), compute.ErrClosed)
	c.Close()
	require.ErrorIs(t, c.Execute(ctx, s, 1, 2), compute.ErrClosed)
	require.ErrorIs(t, c.SetBarrier(ctx, 0, true), compute.ErrClosed)
	require.NoError(t, s.Sync(ctx))
	got, err := y.Data()
	require.NoError(t, err)
	assert.Equal(t, []int32{3}, got)
}
