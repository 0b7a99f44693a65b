package softmetal_test

import (
	"context"
	"testing"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const staleSource = `#include <metal_stdlib>
using namespace metal;
struct Root { device uint* p; };
kernel void follow(device Root& root [[buffer(0)]], device uint* out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    out[i] = root.p[i] + 1;
    root.p[i] = 9;
}
kernel void number(device uint* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = i + 1; }`

// TestStaleResources: commands that reach memory which the program has released find zeros, or
// fail; the queue goes on.
func TestStaleResources(t *testing.T) {
	a, _, _ := rig(t)
	l, err := a.NewLibrary(staleSource, mtl.CompileOptions{})
	require.NoError(t, err)
	defer l.Release()
	kernel := func(name string) mtl.ComputePipelineState {
		f, err := l.NewFunction(name)
		require.NoError(t, err)
		defer f.Release()
		p, err := a.NewComputePipelineState(f)
		require.NoError(t, err)
		t.Cleanup(p.Release)
		return p
	}
	follow, number := kernel("follow"), kernel("number")
	q, err := a.NewCommandQueue()
	require.NoError(t, err)
	defer q.Release()
	buffer := func(v ...uint32) mtl.Buffer {
		b, err := a.NewBuffer(uint(4*max(len(v), 4)), 0)
		require.NoError(t, err)
		words, err := mtl.Slice[uint32](b)
		require.NoError(t, err)
		copy(words, v)
		return b
	}
	words := func(b mtl.Buffer) []uint32 {
		w, err := mtl.Slice[uint32](b)
		require.NoError(t, err)
		return w
	}
	// run has f encode, releases what it returns, and only then commits.
	run := func(f func(e mtl.ComputeCommandEncoder) mtl.Buffer) error {
		b, err := q.CommandBufferWithUnretainedReferences()
		require.NoError(t, err)
		e, err := b.ComputeCommandEncoder()
		require.NoError(t, err)
		gone := f(e)
		require.NoError(t, e.EndEncoding())
		gone.Release()
		require.NoError(t, b.Commit())
		return b.Wait(context.Background())
	}
	line := func(n uint) mtl.Size { return mtl.Size{Width: n, Height: 1, Depth: 1} }
	out := buffer(7, 7, 7, 7)
	defer out.Release()

	// An address in memory.
	root := buffer()
	defer root.Release()
	require.NoError(t, run(func(e mtl.ComputeCommandEncoder) mtl.Buffer {
		gone := buffer(5, 5, 5, 5)
		at, err := mtl.Slice[uint64](root)
		require.NoError(t, err)
		at[0] = gone.GPUAddress()
		require.NoError(t, e.SetComputePipelineState(follow))
		require.NoError(t, e.SetBuffer(root, 0, 0))
		require.NoError(t, e.SetBuffer(out, 0, 1))
		require.NoError(t, e.DispatchThreads(line(4), line(4)))
		return gone
	}))
	assert.Equal(t, []uint32{1, 1, 1, 1}, words(out), "what is gone reads as zeros")

	// A buffer that a kernel writes: the writes vanish.
	require.NoError(t, run(func(e mtl.ComputeCommandEncoder) mtl.Buffer {
		gone := buffer()
		require.NoError(t, e.SetComputePipelineState(number))
		require.NoError(t, e.SetBuffer(gone, 0, 0))
		require.NoError(t, e.DispatchThreads(line(4), line(4)))
		return gone
	}))

	// The arguments of a dispatch.
	err = run(func(e mtl.ComputeCommandEncoder) mtl.Buffer {
		gone := buffer(1, 1, 1)
		require.NoError(t, e.SetComputePipelineState(number))
		require.NoError(t, e.SetBuffer(out, 0, 0))
		require.NoError(t, e.DispatchThreadgroupsWithIndirectBuffer(gone, 0, line(4)))
		return gone
	})
	require.ErrorIs(t, err, mtl.CommandBufferErrorPageFault)
	assert.ErrorContains(t, err, "12 bytes of arguments at address")

	// A copy.
	b, err := q.CommandBufferWithUnretainedReferences()
	require.NoError(t, err)
	e, err := b.BlitCommandEncoder()
	require.NoError(t, err)
	gone := buffer(3)
	require.NoError(t, e.CopyFromBuffer(gone, 0, out, 0, 4))
	require.NoError(t, e.EndEncoding())
	gone.Release()
	require.NoError(t, b.Commit())
	err = b.Wait(context.Background())
	require.ErrorIs(t, err, mtl.CommandBufferErrorInvalidResource)
	assert.ErrorContains(t, err, "the source was released before the command ran")

	require.NoError(t, run(func(e mtl.ComputeCommandEncoder) mtl.Buffer {
		require.NoError(t, e.SetComputePipelineState(number))
		require.NoError(t, e.SetBuffer(out, 0, 0))
		require.NoError(t, e.DispatchThreads(line(4), line(4)))
		return buffer()
	}))
	assert.Equal(t, []uint32{1, 2, 3, 4}, words(out))
}
