package mtl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// indirectCommands returns an indirect command buffer.
func (r *rig) indirectCommands(n uint, configure func(IndirectCommandBufferDescriptor)) IndirectCommandBuffer {
	r.Helper()
	d, err := NewIndirectCommandBufferDescriptor()
	require.NoError(r, err)
	defer d.Release()
	d.SetCommandTypes(IndirectCommandTypeConcurrentDispatch | IndirectCommandTypeConcurrentDispatchThreads)
	d.SetInheritPipelineState(false)
	d.SetInheritBuffers(false)
	d.SetMaxKernelBufferBindCount(2)
	if configure != nil {
		configure(d)
	}
	b, err := r.device.NewIndirectCommandBufferWithDescriptor(d, n, ResourceStorageModeShared)
	require.NoError(r, err)
	r.Cleanup(b.Release)
	return b
}

func (r *rig) command(b IndirectCommandBuffer, i uint) IndirectComputeCommand {
	r.Helper()
	c, err := b.IndirectComputeCommandAtIndex(i)
	require.NoError(r, err)
	return c
}

func TestRunIndirectCommands(t *testing.T) {
	r := newRig(t)
	number, twice, x, y := r.indirectKernel("number"), r.indirectKernel("twice"), r.buffer(16), r.uints(5, 6, 7, 8)
	icb := r.indirectCommands(4, nil)
	assert.Equal(t, uint(4), icb.Size())
	c0 := r.command(icb, 0)
	require.NoError(t, c0.SetComputePipelineState(number))
	require.NoError(t, c0.SetKernelBuffer(x, 0, 0))
	require.NoError(t, c0.ConcurrentDispatchThreads(line(4), line(4)))
	c1 := r.command(icb, 1)
	require.NoError(t, c1.SetComputePipelineState(twice))
	require.NoError(t, c1.SetKernelBuffer(y, 8, 0))
	require.NoError(t, c1.SetBarrier())
	require.NoError(t, c1.ConcurrentDispatchThreadgroups(line(1), line(2)))
	require.NoError(t, r.command(icb, 3).Reset())

	ranges := r.uints(1, 1)
	cmd := r.commands()
	r.encode(cmd, func(e ComputeCommandEncoder) {
		require.NoError(t, e.UseResources([]Resource{x.Resource, y.Resource}, ResourceUsageRead|ResourceUsageWrite))
		require.NoError(t, e.ExecuteCommandsInBuffer(icb, Range{0, 4}))
		require.NoError(t, e.ExecuteCommandsInBufferIndirectBuffer(icb, ranges, 0))
	})
	r.run(cmd)
	assert.Equal(t, []uint32{1, 2, 3, 4}, r.words(x))
	assert.Equal(t, []uint32{5, 6, 28, 32}, r.words(y))
}

// TestRunCopiedCommands copies, resets and optimizes commands on the GPU.
func TestRunCopiedCommands(t *testing.T) {
	r := newRig(t)
	number, x := r.indirectKernel("number"), r.buffer(16)
	from, to := r.indirectCommands(2, nil), r.indirectCommands(3, nil)
	c := r.command(from, 0)
	require.NoError(t, c.SetComputePipelineState(number))
	require.NoError(t, c.SetKernelBuffer(x, 0, 0))
	require.NoError(t, c.ConcurrentDispatchThreads(line(4), line(4)))
	cmd := r.commands()
	r.blit(cmd, func(e BlitCommandEncoder) {
		require.NoError(t, e.ResetCommandsInBuffer(to, Range{0, 3}))
		require.NoError(t, e.CopyIndirectCommandBuffer(from, Range{0, 1}, to, 2))
		require.NoError(t, e.OptimizeIndirectCommandBuffer(to, Range{0, 3}))
	})
	r.encode(cmd, func(e ComputeCommandEncoder) {
		require.NoError(t, e.UseResource(x.Resource, ResourceUsageWrite))
		require.NoError(t, e.ExecuteCommandsInBuffer(to, Range{2, 1}))
	})
	r.run(cmd)
	assert.Equal(t, []uint32{1, 2, 3, 4}, r.words(x))
}

func TestIndirectRefusals(t *testing.T) {
	r := newRig(t)
	plain, indirect, x := r.kernel("number"), r.indirectKernel("number"), r.buffer(16)
	icb := r.indirectCommands(2, nil)

	_, err := icb.IndirectComputeCommandAtIndex(2)
	assert.Equal(t, uint64(1), limitOf(t, err, ErrIndex).Limit)
	limitOf(t, icb.ResetWithRange(Range{1, 2}), ErrLength)
	limitOf(t, icb.ResetWithRange(Range{3, 0}), ErrIndex)
	_, err = IndirectCommandBuffer{}.IndirectComputeCommandAtIndex(0)
	require.ErrorIs(t, err, ErrNil)

	c := r.command(icb, 0)
	require.ErrorIs(t, c.SetComputePipelineState(ComputePipelineState{}), ErrNil)
	require.ErrorIs(t, c.SetComputePipelineState(plain), ErrArgument)
	require.ErrorIs(t, c.ConcurrentDispatchThreads(line(4), line(4)), ErrNoPipeline)
	require.NoError(t, c.SetComputePipelineState(indirect))
	limitOf(t, c.SetKernelBuffer(x, 0, 2), ErrIndex)
	limitOf(t, c.SetKernelBuffer(x, 0, 31), ErrIndex)
	limitOf(t, c.SetKernelBuffer(x, 17, 0), ErrOffset)
	require.ErrorIs(t, c.SetKernelBuffer(Buffer{}, 0, 0), ErrNil)
	limitOf(t, c.SetKernelBufferAttributeStride(x, 17, 4, 0), ErrOffset)
	limitOf(t, c.SetThreadgroupMemoryLength(8, 0), ErrAlignment)
	limitOf(t, c.SetThreadgroupMemoryLength(16, 31), ErrIndex)
	limitOf(t, c.SetThreadgroupMemoryLength(1<<30, 0), ErrThreadgroupMemory)
	limitOf(t, c.SetImageblockWidth(0, 1), ErrRegion)
	limitOf(t, c.SetStageInRegion(Region{}), ErrRegion)
	limitOf(t, c.ConcurrentDispatchThreads(line(0), line(4)), ErrGridSize)
	limitOf(t, c.ConcurrentDispatchThreadgroups(line(1), line(1<<20)), ErrThreadgroupSize)
	require.NoError(t, c.ClearBarrier())
	require.NoError(t, c.Reset())
	require.ErrorIs(t, c.ConcurrentDispatchThreads(line(4), line(4)), ErrNoPipeline, "reset takes the pipeline")
	require.NoError(t, c.SetComputePipelineState(indirect))
	require.NoError(t, icb.ResetWithRange(Range{0, 1}))
	require.ErrorIs(t, c.ConcurrentDispatchThreads(line(4), line(4)), ErrNoPipeline)

	for _, err := range []error{
		IndirectComputeCommand{}.Reset(), IndirectComputeCommand{}.SetBarrier(), IndirectComputeCommand{}.ClearBarrier(),
		IndirectComputeCommand{}.SetComputePipelineState(indirect), IndirectComputeCommand{}.SetKernelBuffer(x, 0, 0),
		IndirectComputeCommand{}.ConcurrentDispatchThreads(line(1), line(1)),
		IndirectComputeCommand{}.SetStageInRegion(Region{}),
		IndirectComputeCommand{}.ConcurrentDispatchThreadgroups(line(1), line(1)),
		IndirectComputeCommand{}.SetImageblockWidth(1, 1),
		IndirectComputeCommand{}.SetThreadgroupMemoryLength(16, 0),
	} {
		require.ErrorIs(t, err, ErrNil)
	}

	inherits := r.indirectCommands(1, func(d IndirectCommandBufferDescriptor) {
		d.SetCommandTypes(IndirectCommandTypeConcurrentDispatch)
		d.SetInheritPipelineState(true)
		d.SetInheritBuffers(true)
	})
	c = r.command(inherits, 0)
	require.ErrorIs(t, c.SetComputePipelineState(indirect), ErrState)
	require.ErrorIs(t, c.SetKernelBuffer(x, 0, 0), ErrState)
	require.ErrorIs(t, c.ConcurrentDispatchThreads(line(4), line(4)), ErrState, "not among the types")
	require.NoError(t, c.ConcurrentDispatchThreadgroups(line(1), line(4)))
	cmd := r.commands()
	r.encode(cmd, func(e ComputeCommandEncoder) {
		require.ErrorIs(t, e.ExecuteCommandsInBuffer(inherits, Range{0, 1}), ErrNoPipeline)
		require.ErrorIs(t, e.ExecuteCommandsInBuffer(IndirectCommandBuffer{}, Range{0, 1}), ErrNil)
		limitOf(t, e.ExecuteCommandsInBuffer(icb, Range{0, 3}), ErrLength)
		ranges := r.buffer(8)
		limitOf(t, e.ExecuteCommandsInBufferIndirectBuffer(icb, ranges, 2), ErrAlignment)
		limitOf(t, e.ExecuteCommandsInBufferIndirectBuffer(icb, ranges, 4), ErrLength)
		require.ErrorIs(t, e.ExecuteCommandsInBufferIndirectBuffer(icb, Buffer{}, 0), ErrNil)
	})
	r.blit(cmd, func(e BlitCommandEncoder) {
		limitOf(t, e.ResetCommandsInBuffer(icb, Range{0, 3}), ErrLength)
		limitOf(t, e.CopyIndirectCommandBuffer(icb, Range{0, 3}, icb, 0), ErrLength)
		limitOf(t, e.CopyIndirectCommandBuffer(icb, Range{0, 1}, icb, 3), ErrIndex)
		require.ErrorIs(t, e.CopyIndirectCommandBuffer(icb, Range{0, 1}, icb, 0), ErrOverlap)
		limitOf(t, e.OptimizeIndirectCommandBuffer(icb, Range{1, 2}), ErrLength)
	})
	r.run(cmd)
}

func TestIndirectDescriptors(t *testing.T) {
	r := newRig(t)
	_, err := r.device.NewIndirectCommandBufferWithDescriptor(IndirectCommandBufferDescriptor{}, 1, 0)
	require.ErrorIs(t, err, ErrNil)
	_, err = Device{}.NewIndirectCommandBufferWithDescriptor(IndirectCommandBufferDescriptor{}, 1, 0)
	require.ErrorIs(t, err, ErrNil)
	const c = check("call")
	ok := indirectState{size: 1, types: computeCommands, bufferSlots: 31}
	require.NoError(t, ok.check(c))
	bad := indirectState{size: 1, bufferSlots: 1}
	require.ErrorIs(t, bad.check(c), ErrArgument, "no types")
	bad = indirectState{size: 1, types: IndirectCommandTypeDraw}
	require.ErrorIs(t, bad.check(c), ErrArgument, "draws")
	bad = indirectState{size: 1, types: computeCommands, bufferSlots: 32}
	limitOf(t, bad.check(c), ErrIndex)
	bad = indirectState{types: computeCommands}
	limitOf(t, bad.check(c), ErrLength)
	bad = indirectState{size: maxIndirectCount + 1, types: computeCommands}
	limitOf(t, bad.check(c), ErrLength)
}
