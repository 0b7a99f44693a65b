package mtl

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Tests that run kernels.

func TestRunAdd(t *testing.T) {
	r := newRig(t)
	const n = 1000
	a, b := make([]float32, n), make([]float32, n)
	for i := range n {
		a[i], b[i] = float32(i), float32(n-i)/2
	}
	p, x, y, z := r.kernel("add"), r.floats(a...), r.floats(b...), r.buffer(4*n)
	cmd := r.commands()
	r.encode(cmd, func(e ComputeCommandEncoder) {
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffers([]Buffer{x, y, z}, []uint{0, 0, 0}, 0))
		require.NoError(t, e.DispatchThreads(line(n), line(64)))
	})
	r.run(cmd)
	for i, got := range r.numbers(z) {
		require.Equal(t, a[i]+b[i], got, i)
	}
	assert.Equal(t, CommandBufferStatusCompleted, cmd.Status())
	assert.GreaterOrEqual(t, cmd.GPUEndTime(), cmd.GPUStartTime())
	assert.NoError(t, cmd.Err())
}

func TestRunBytesAndOffsets(t *testing.T) {
	r := newRig(t)
	p, x := r.kernel("plus"), r.uints(1, 2, 3, 4, 5, 6, 7, 8)
	cmd := r.commands()
	r.encode(cmd, func(e ComputeCommandEncoder) {
		r.set(e, p, x)
		k := word(10)
		require.NoError(t, e.SetBytes(k, 1))
		copy(k, word(99)) // Metal has its copy
		require.NoError(t, e.DispatchThreadgroups(line(1), line(2)))
		require.NoError(t, e.SetBufferOffset(16, 0))
		require.NoError(t, e.SetBytes(word(100), 1))
		require.NoError(t, e.DispatchThreadgroups(line(1), line(4)))
	})
	r.run(cmd)
	assert.Equal(t, []uint32{11, 12, 3, 4, 105, 106, 107, 108}, r.words(x))
}

func TestRunThreadgroupMemory(t *testing.T) {
	r := newRig(t)
	in := make([]uint32, 256)
	for i := range in {
		in[i] = uint32(i)
	}
	p, x, y := r.kernel("sum"), r.uints(in...), r.buffer(16)
	cmd := r.commands()
	r.encode(cmd, func(e ComputeCommandEncoder) {
		r.set(e, p, x, y)
		require.NoError(t, e.SetThreadgroupMemoryLength(256, 0))
		require.NoError(t, e.DispatchThreadgroups(line(4), line(64)))
	})
	r.run(cmd)
	assert.Equal(t, []uint32{2016, 6112, 10208, 14304}, r.words(y))
}

func TestRunAtomics(t *testing.T) {
	r := newRig(t)
	p, x := r.kernel("count"), r.uints(0)
	cmd := r.commands()
	r.encode(cmd, func(e ComputeCommandEncoder) {
		r.set(e, p, x)
		require.NoError(t, e.DispatchThreads(line(10001), line(128)))
	})
	r.run(cmd)
	assert.Equal(t, []uint32{5000}, r.words(x))
}

func TestRunTwoDimensions(t *testing.T) {
	r := newRig(t)
	p, x := r.kernel("area"), r.buffer(4*7*5)
	cmd := r.commands()
	r.encode(cmd, func(e ComputeCommandEncoder) {
		r.set(e, p, x)
		require.NoError(t, e.DispatchThreads(Size{7, 5, 1}, Size{4, 4, 1}))
	})
	r.run(cmd)
	for i, got := range r.words(x) {
		assert.Equal(t, uint32(i%7*1000+i/7), got)
	}
}

func TestRunIndirectDispatch(t *testing.T) {
	r := newRig(t)
	p, x, args := r.kernel("number"), r.buffer(4*32), r.uints(0, 3, 1, 1)
	cmd := r.commands()
	r.encode(cmd, func(e ComputeCommandEncoder) {
		r.set(e, p, x)
		require.NoError(t, e.DispatchThreadgroupsWithIndirectBuffer(args, 4, line(8)))
	})
	r.run(cmd)
	got := r.words(x)
	assert.Equal(t, uint32(24), got[23])
	assert.Zero(t, got[24])
}

func TestRunBlits(t *testing.T) {
	r := newRig(t)
	x, y := r.uints(1, 2, 3, 4), r.buffer(32)
	cmd := r.commands()
	r.blit(cmd, func(e BlitCommandEncoder) {
		require.NoError(t, e.FillBuffer(y, Range{0, 32}, 0xff))
		require.NoError(t, e.CopyFromBuffer(x, 4, y, 8, 12))
		require.NoError(t, e.CopyFromBuffer(y, 8, y, 24, 8)) // within one buffer
	})
	r.run(cmd)
	const f = math.MaxUint32
	assert.Equal(t, []uint32{f, f, 2, 3, 4, f, 2, 3}, r.words(y))
}

// TestRunFences orders two encoders by a fence, with untracked memory.
func TestRunFences(t *testing.T) {
	r := newRig(t)
	x, err := r.device.NewBuffer(16, ResourceStorageModeShared|ResourceHazardTrackingModeUntracked)
	require.NoError(t, err)
	t.Cleanup(x.Release)
	fence := r.device.NewFence()
	t.Cleanup(fence.Release)
	number, twice := r.kernel("number"), r.kernel("twice")
	cmd := r.commands()
	r.encode(cmd, func(e ComputeCommandEncoder) {
		r.set(e, number, x)
		require.NoError(t, e.DispatchThreads(line(4), line(4)))
		require.NoError(t, e.UpdateFence(fence))
	})
	r.encode(cmd, func(e ComputeCommandEncoder) {
		require.NoError(t, e.WaitForFence(fence))
		r.set(e, twice, x)
		require.NoError(t, e.DispatchThreads(line(4), line(4)))
	})
	r.run(cmd)
	assert.Equal(t, []uint32{2, 4, 6, 8}, r.words(x))
}

// TestRunConcurrentDispatches runs dispatches that are ordered only by a barrier.
func TestRunConcurrentDispatches(t *testing.T) {
	r := newRig(t)
	x := r.buffer(16)
	number, twice := r.kernel("number"), r.kernel("twice")
	cmd := r.commands()
	e, err := cmd.ComputeCommandEncoderWithDispatchType(DispatchTypeConcurrent)
	require.NoError(t, err)
	assert.Equal(t, DispatchTypeConcurrent, e.DispatchType())
	r.set(e, number, x)
	require.NoError(t, e.DispatchThreads(line(4), line(4)))
	require.NoError(t, e.MemoryBarrierWithScope(BarrierScopeBuffers))
	require.NoError(t, e.SetComputePipelineState(twice))
	require.NoError(t, e.DispatchThreads(line(4), line(4)))
	require.NoError(t, e.MemoryBarrierWithResources([]Resource{x.Resource}))
	require.NoError(t, e.DispatchThreads(line(4), line(4)))
	require.NoError(t, e.EndEncoding())
	r.run(cmd)
	assert.Equal(t, []uint32{4, 8, 12, 16}, r.words(x))
}

// TestRunFromManyGoroutines encodes sixteen command buffers of one queue at once.
func TestRunFromManyGoroutines(t *testing.T) {
	r := newRig(t)
	p := r.kernel("plus")
	const n = 16
	var xs [n]Buffer
	for i := range xs {
		xs[i] = r.uints(0, 1, 2, 3)
	}
	var wg sync.WaitGroup
	for i, x := range xs {
		wg.Go(func() {
			pooled(func() {
				for range 5 {
					cmd, err := r.queue.CommandBuffer()
					if !assert.NoError(t, err) {
						return
					}
					e, err := cmd.ComputeCommandEncoder()
					if !assert.NoError(t, err) {
						return
					}
					assert.NoError(t, e.SetComputePipelineState(p))
					assert.NoError(t, e.SetBuffer(x, 0, 0))
					assert.NoError(t, e.SetBytes(word(uint32(i)), 1))
					assert.NoError(t, e.DispatchThreads(line(4), line(2)))
					assert.NoError(t, e.EndEncoding())
					assert.NoError(t, cmd.Commit())
					assert.NoError(t, cmd.Wait(t.Context()))
				}
			})
		})
	}
	wg.Wait()
	for i, x := range xs {
		k := uint32(5 * i)
		assert.Equal(t, []uint32{k, k + 1, k + 2, k + 3}, r.words(x))
	}
}

// TestRunSharedEncoder lets sixteen goroutines write to one encoder: each call is complete, and
// none is lost.
func TestRunSharedEncoder(t *testing.T) {
	r := newRig(t)
	p, x := r.kernel("count"), r.uints(0)
	cmd := r.commands()
	e, err := cmd.ComputeCommandEncoder()
	require.NoError(t, err)
	r.set(e, p, x)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 8 {
				assert.NoError(t, e.SetBuffer(x, 0, 0))
				assert.NoError(t, e.DispatchThreads(line(100), line(10)))
			}
		})
	}
	wg.Wait()
	require.NoError(t, e.EndEncoding())
	r.run(cmd)
	assert.Equal(t, []uint32{16 * 8 * 50}, r.words(x))
}
