package softmetal_test

import (
	"context"
	"testing"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const otherDeviceKernels = `
struct Args { device uint *x; texture2d<float> t; sampler s; };
kernel void args(constant Args &a [[buffer(0)]]) { a.x[0] = 1; }
kernel void number(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = i; }`

// TestOtherDevice: what belongs to another device is refused wherever it is given, by the bindings
// or as the command buffer's error, and the words say so.
func TestOtherDevice(t *testing.T) {
	a, b, f := rig(t)
	library := func(d mtl.Device) mtl.Library {
		l, err := d.NewLibrary("#include <metal_stdlib>\nusing namespace metal;\n"+otherDeviceKernels, mtl.CompileOptions{})
		require.NoError(t, err)
		t.Cleanup(l.Release)
		return l
	}
	pipeline := func(d mtl.Device, name string) mtl.ComputePipelineState {
		fn, err := library(d).NewFunction(name)
		require.NoError(t, err)
		defer fn.Release()
		p, err := d.NewComputePipelineState(fn)
		require.NoError(t, err)
		t.Cleanup(p.Release)
		return p
	}
	buffer, err := b.NewBuffer(64, 0)
	require.NoError(t, err)
	t.Cleanup(buffer.Release)
	own, err := a.NewBuffer(64, 0)
	require.NoError(t, err)
	t.Cleanup(own.Release)
	fence := b.NewFence()
	t.Cleanup(fence.Release)
	sd, err := mtl.NewSamplerDescriptor()
	require.NoError(t, err)
	t.Cleanup(sd.Release)
	sampler, err := b.NewSamplerState(sd)
	require.NoError(t, err)
	t.Cleanup(sampler.Release)
	texture := newTexture(t, b, func(mtl.TextureDescriptor) {})
	mine := newTexture(t, a, func(mtl.TextureDescriptor) {})
	heap := newHeap(t, b, 1<<14, mtl.HeapTypeAutomatic, mtl.StorageModeShared)
	p, far := pipeline(a, "number"), pipeline(b, "number")
	queue, err := a.NewCommandQueue()
	require.NoError(t, err)
	t.Cleanup(queue.Release)

	type compute = mtl.ComputeCommandEncoder
	for name, call := range map[string]func(e compute) error{
		"setComputePipelineState:":  func(e compute) error { return e.SetComputePipelineState(far) },
		"setBuffer:offset:atIndex:": func(e compute) error { return e.SetBuffer(buffer, 0, 0) },
		"setTexture:atIndex:":       func(e compute) error { return e.SetTexture(texture, 0) },
		"setSamplerState:atIndex:":  func(e compute) error { return e.SetSamplerState(sampler, 0) },
		"useResource:usage:": func(e compute) error {
			return e.UseResource(buffer.Resource, mtl.ResourceUsageRead)
		},
		"useHeap:":                          func(e compute) error { return e.UseHeap(heap) },
		"waitForFence:":                     func(e compute) error { return e.WaitForFence(fence) },
		"memoryBarrierWithResources:count:": func(e compute) error { return e.MemoryBarrierWithResources([]mtl.Resource{texture.Resource}) },
		"dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:": func(e compute) error {
			return e.DispatchThreadgroupsWithIndirectBuffer(buffer, 0, mtl.Size{Width: 1, Height: 1, Depth: 1})
		},
	} {
		cmd, err := queue.CommandBuffer()
		require.NoError(t, err)
		e, err := cmd.ComputeCommandEncoder()
		require.NoError(t, err)
		require.NoError(t, e.SetComputePipelineState(p))
		said := call(e)
		require.NoError(t, e.EndEncoding())
		require.NoError(t, cmd.Commit())
		if err := cmd.Wait(context.Background()); said == nil {
			said = err
		}
		require.ErrorContains(t, said, name)
		assert.ErrorContains(t, said, "device", name)
	}
	type blit = mtl.BlitCommandEncoder
	one := mtl.Size{Width: 1, Height: 1, Depth: 1}
	for name, call := range map[string]func(e blit) error{
		"copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:": func(e blit) error {
			return e.CopyFromBuffer(own, 0, buffer, 0, 4)
		},
		"fillBuffer:range:value:":    func(e blit) error { return e.FillBuffer(buffer, mtl.Range{Length: 4}, 1) },
		"copyFromTexture:toTexture:": func(e blit) error { return e.CopyFromTexture(mine, texture) },
		"copyFromBuffer:sourceOffset:sourceBytesPerRow:": func(e blit) error {
			return e.CopyFromBufferToTexture(own, 0, 4, 4, one, texture, 0, 0, mtl.Origin{})
		},
		"updateFence:": func(e blit) error { return e.UpdateFence(fence) },
	} {
		cmd, err := queue.CommandBuffer()
		require.NoError(t, err)
		e, err := cmd.BlitCommandEncoder()
		require.NoError(t, err)
		said := call(e)
		require.NoError(t, e.EndEncoding())
		require.NoError(t, cmd.Commit())
		if err := cmd.Wait(context.Background()); said == nil {
			said = err
		}
		require.ErrorContains(t, said, name)
		assert.ErrorContains(t, said, "device", name)
	}

	fn, err := library(a).NewFunction("args")
	require.NoError(t, err)
	defer fn.Release()
	e, err := fn.NewArgumentEncoder(0)
	require.NoError(t, err)
	defer e.Release()
	args, err := a.NewBuffer(e.EncodedLength(), 0)
	require.NoError(t, err)
	t.Cleanup(args.Release)
	require.NoError(t, e.SetArgumentBuffer(args, 0))
	require.NoError(t, e.SetBuffer(own, 0, 0))
	require.NoError(t, e.SetTexture(mine, 1))
	for what, call := range map[string]func() error{
		"setBuffer:offset:atIndex:": func() error { return e.SetBuffer(buffer, 0, 0) },
		"setTexture:atIndex:":       func() error { return e.SetTexture(texture, 1) },
		"setSamplerState:atIndex:":  func() error { return e.SetSamplerState(sampler, 2) },
		"setArgumentBuffer:offset:": func() error { return e.SetArgumentBuffer(buffer, 0) },
	} {
		if err := call(); err != nil {
			assert.ErrorContains(t, err, "device", what)
			continue
		}
		requireFault(t, f, what, "device")
	}
	_, err = b.NewComputePipelineState(fn)
	require.ErrorIs(t, err, mtl.ErrDevice)
}
