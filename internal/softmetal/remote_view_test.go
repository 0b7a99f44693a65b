package softmetal_test

import (
	"context"
	"testing"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRemoteViewMessages passes remote views to all but sources of blits, in messages that package
// mtl refuses to send.
func TestRemoteViewMessages(t *testing.T) {
	a, other, f := rig(t)
	root, err := other.NewBuffer(64, mtl.ResourceStorageModePrivate)
	require.NoError(t, err)
	defer root.Release()
	buffer, err := root.NewRemoteBufferView(a)
	require.NoError(t, err)
	defer buffer.Release()
	levels := func(d mtl.TextureDescriptor) {
		d.SetStorageMode(mtl.StorageModePrivate)
		d.SetWidth(2)
		d.SetMipmapLevelCount(2)
	}
	image, err := newTexture(t, other, levels).NewRemoteTextureView(a)
	require.NoError(t, err)
	defer image.Release()
	own := newTexture(t, a, levels)
	queue, err := a.NewCommandQueue()
	require.NoError(t, err)
	defer queue.Release()

	send := func(to objc.ID, protocol, selector, encoding string, args ...uintptr) uintptr {
		m := &objc.Method{Class: protocol, Selector: selector, Encoding: encoding, Protocol: true}
		return m.Call(to, args...)
	}
	run := func(name string, encode func(b mtl.CommandBuffer)) {
		b, err := queue.CommandBuffer()
		require.NoError(t, err)
		encode(b)
		require.NoError(t, b.Commit())
		err = b.Wait(context.Background())
		require.ErrorContains(t, err, "is a remote view, which only blits may read", name)
		assert.ErrorContains(t, err, name)
	}
	blit := func(selector, encoding string, args ...uintptr) {
		t.Helper()
		run(selector, func(b mtl.CommandBuffer) {
			e, err := b.BlitCommandEncoder()
			require.NoError(t, err)
			send(e.ID(), "MTLBlitCommandEncoder", selector, encoding, args...)
			require.NoError(t, e.EndEncoding())
		})
	}
	compute := func(selector, encoding string, args ...uintptr) {
		t.Helper()
		run(selector, func(b mtl.CommandBuffer) {
			e, err := b.ComputeCommandEncoder()
			require.NoError(t, err)
			send(e.ID(), "MTLComputeCommandEncoder", selector, encoding, args...)
			require.NoError(t, e.EndEncoding())
		})
	}
	blit("copyFromTexture:toTexture:", "v@:@@", own.Word(), image.Word())
	blit("copyFromTexture:sourceSlice:sourceLevel:toTexture:destinationSlice:destinationLevel:sliceCount:levelCount:",
		"v@:@QQ@QQQQ", own.Word(), 0, 0, image.Word(), 0, 0, 1, 1)
	blit("generateMipmapsForTexture:", "v@:@", image.Word())
	blit("optimizeContentsForGPUAccess:", "v@:@", image.Word())
	blit("optimizeContentsForCPUAccess:slice:level:", "v@:@QQ", image.Word(), 0, 0)
	compute("useResource:usage:", "v@:@Q", buffer.Word(), uintptr(mtl.ResourceUsageRead))
	compute("useResource:usage:", "v@:@Q", image.Word(), uintptr(mtl.ResourceUsageRead))
	require.Empty(t, f.take())

	lib, err := a.NewLibrary("#include <metal_stdlib>\nusing namespace metal;\n"+otherDeviceKernels, mtl.CompileOptions{})
	require.NoError(t, err)
	defer lib.Release()
	fn, err := lib.NewFunction("args")
	require.NoError(t, err)
	defer fn.Release()
	e, err := fn.NewArgumentEncoder(0)
	require.NoError(t, err)
	defer e.Release()
	args, err := a.NewBuffer(e.EncodedLength(), 0)
	require.NoError(t, err)
	defer args.Release()
	require.NoError(t, e.SetArgumentBuffer(args, 0))
	d, err := mtl.Texture2DDescriptorWithPixelFormat(mtl.PixelFormatR32Uint, 4, 1, false)
	require.NoError(t, err)
	d.SetStorageMode(mtl.StorageModePrivate)
	for name, call := range map[string]func(sel string) uintptr{
		"setBuffer:offset:atIndex:": func(sel string) uintptr {
			return send(e.ID(), "MTLArgumentEncoder", sel, "v@:@QQ", buffer.Word(), 0, 0)
		},
		"setTexture:atIndex:": func(sel string) uintptr {
			return send(e.ID(), "MTLArgumentEncoder", sel, "v@:@Q", image.Word(), 1)
		},
		"setArgumentBuffer:offset:": func(sel string) uintptr {
			return send(e.ID(), "MTLArgumentEncoder", sel, "v@:@Q", buffer.Word(), 0)
		},
		"newTextureWithDescriptor:offset:bytesPerRow:": func(sel string) uintptr {
			return send(buffer.ID(), "MTLBuffer", sel, "@@:@QQ", d.Word(), 0, 64)
		},
	} {
		assert.Zero(t, call(name), name)
		faults := f.take()
		require.Len(t, faults, 1, name)
		assert.ErrorContains(t, faults[0], "is a remote view, which only blits may read", name)
	}
	bytes, err := args.Bytes()
	require.NoError(t, err)
	assert.Equal(t, make([]byte, len(bytes)), bytes, "nothing is encoded")
}
