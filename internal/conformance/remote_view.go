package conformance

import (
	"slices"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// peer returns another device of the device's peer group, or skips.
func (r *rig) peer() mtl.Device {
	r.Helper()
	all := must(mtl.Devices())
	r.Cleanup(func() { mtl.ReleaseAll(all) })
	i := slices.IndexFunc(all, func(d mtl.Device) bool {
		return d.PeerGroupID() != 0 && d.PeerGroupID() == r.device.PeerGroupID() && d.RegistryID() != r.device.RegistryID()
	})
	if i < 0 {
		r.Skip("the device has no peers; PUREMETAL_SOFTWARE_DEVICES=2 gives it one")
	}
	return all[i]
}

// remoteRig is a rig of a device that has a view of a peer's buffer or texture.
type remoteRig struct {
	*rig
	buffer mtl.Buffer  // nil, or a view of the words 1 to 16
	image  mtl.Texture // nil, or a view of 4 x 4 texels with the same words, and of a second level
	local  mtl.Buffer  // the device's own
	plain  mtl.Texture // the device's own, like image
}

// newRemoteBuffer makes a rig with a view of a buffer.
func newRemoteBuffer(r *rig) *remoteRig {
	w := &remoteRig{rig: &rig{T: r.T, device: r.peer()}}
	x, from := r.private(64), r.uints(count(16)...)
	r.copies(func(c mtl.BlitCommandEncoder) { do(c.CopyFromBuffer(from, 0, x, 0, 64)) })
	w.buffer = own(r, must(x.NewRemoteBufferView(w.device)))
	w.local, w.plain = w.rig.buffer(64), w.privateTexture()
	return w
}

// newRemoteTexture makes a rig with a view of a texture.
func newRemoteTexture(r *rig) *remoteRig {
	w := &remoteRig{rig: &rig{T: r.T, device: r.peer()}}
	t, from := r.privateTexture(), r.uints(count(16)...)
	r.copies(func(c mtl.BlitCommandEncoder) {
		do(c.CopyFromBufferToTexture(from, 0, 16, 64, size(4, 4, 1), t, 0, 0, mtl.Origin{}))
	})
	w.image = own(r, must(t.NewRemoteTextureView(w.device)))
	w.local, w.plain = w.rig.buffer(64), w.privateTexture()
	return w
}

// seen returns the 16 words of the view, copied by a blit.
func (w *remoteRig) seen() []uint32 {
	w.Helper()
	out := w.rig.buffer(64)
	w.copies(func(e mtl.BlitCommandEncoder) {
		if w.image.IsNil() {
			do(e.CopyFromBuffer(w.buffer, 0, out, 0, 64))
		} else {
			do(e.CopyFromTextureToBuffer(w.image, 0, 0, mtl.Origin{}, size(4, 4, 1), out, 0, 16, 64))
		}
	})
	return w.words(out)
}

// privateTexture makes a private texture of 4 x 4 texels R32Float with two levels.
func (r *rig) privateTexture() mtl.Texture {
	r.Helper()
	d := must(mtl.Texture2DDescriptorWithPixelFormat(mtl.PixelFormatR32Float, 4, 4, true))
	d.SetStorageMode(mtl.StorageModePrivate)
	d.SetMipmapLevelCount(2)
	return own(r, must(r.device.NewTexture(d)))
}

// argumentEncoder returns an encoder of a buffer and a texture that has an argument buffer.
func (w *remoteRig) argumentEncoder() mtl.ArgumentEncoder {
	w.Helper()
	const src = `
struct Args { device uint* x [[id(0)]]; texture2d<float> t [[id(1)]]; };
kernel void look(constant Args& a [[buffer(0)]]) { a.x[0] = uint(a.t.read(uint2(0)).x); }`
	e := own(w.rig, must(own(w.rig, must(w.source(src).NewFunction("look"))).NewArgumentEncoder(0)))
	do(e.SetArgumentBuffer(w.rig.buffer(e.EncodedLength()), 0))
	return e
}

// remoteMisuse is a use of a remote view that a call or the command buffer rejects. One function is
// set.
type remoteMisuse struct {
	name    string
	blit    func(w *remoteRig, e mtl.BlitCommandEncoder) error
	compute func(w *remoteRig, e mtl.ComputeCommandEncoder) error
	call    func(w *remoteRig) error
}

func remoteBufferMisuses() []remoteMisuse {
	type blit = mtl.BlitCommandEncoder
	type compute = mtl.ComputeCommandEncoder
	return []remoteMisuse{
		{name: "copy to buffer", blit: func(w *remoteRig, e blit) error {
			return e.CopyFromBuffer(w.local, 0, w.buffer, 0, 64)
		}},
		{name: "fill", blit: func(w *remoteRig, e blit) error { return e.FillBuffer(w.buffer, mtl.Range{Length: 64}, 1) }},
		{name: "texture to buffer", blit: func(w *remoteRig, e blit) error {
			return e.CopyFromTextureToBuffer(w.plain, 0, 0, mtl.Origin{}, size(4, 4, 1), w.buffer, 0, 16, 64)
		}},
		{name: "buffer of a kernel", compute: func(w *remoteRig, e compute) error { return e.SetBuffer(w.buffer, 0, 0) }},
		{name: "buffers of a kernel", compute: func(w *remoteRig, e compute) error {
			return e.SetBuffers([]mtl.Buffer{w.local, w.buffer}, []uint{0, 0}, 0)
		}},
		{name: "use of a buffer", compute: func(w *remoteRig, e compute) error {
			return e.UseResource(w.buffer.Resource, mtl.ResourceUsageRead)
		}},
		{name: "barrier", compute: func(w *remoteRig, e compute) error {
			return e.MemoryBarrierWithResources([]mtl.Resource{w.buffer.Resource})
		}},
		{name: "indirect arguments", compute: func(w *remoteRig, e compute) error {
			do(e.SetComputePipelineState(w.kernel("number")), e.SetBuffer(w.local, 0, 0))
			return e.DispatchThreadgroupsWithIndirectBuffer(w.buffer, 0, line(1))
		}},
		{name: "buffer of an indirect command", call: func(w *remoteRig) error {
			return must(w.indirectCommands(1, nil).IndirectComputeCommandAtIndex(0)).SetKernelBuffer(w.buffer, 0, 0)
		}},
		{name: "argument buffer", call: func(w *remoteRig) error {
			return w.argumentEncoder().SetArgumentBuffer(w.buffer, 0)
		}},
		{name: "encoded buffer", call: func(w *remoteRig) error { return w.argumentEncoder().SetBuffer(w.buffer, 0, 0) }},
		{name: "encoded buffers", call: func(w *remoteRig) error {
			return w.argumentEncoder().SetBuffers([]mtl.Buffer{w.buffer}, []uint{0}, 0)
		}},
		{name: "texture of the buffer", call: func(w *remoteRig) error {
			d := must(mtl.Texture2DDescriptorWithPixelFormat(mtl.PixelFormatR32Uint, 4, 1, false))
			d.SetStorageMode(mtl.StorageModePrivate)
			t, err := w.buffer.NewTexture(d, 0, 64)
			t.Release()
			return err
		}},
	}
}

func remoteTextureMisuses() []remoteMisuse {
	type blit = mtl.BlitCommandEncoder
	type compute = mtl.ComputeCommandEncoder
	all := size(4, 4, 1)
	return []remoteMisuse{
		{name: "buffer to texture", blit: func(w *remoteRig, e blit) error {
			return e.CopyFromBufferToTexture(w.local, 0, 16, 64, all, w.image, 0, 0, mtl.Origin{})
		}},
		{name: "region to texture", blit: func(w *remoteRig, e blit) error {
			return e.CopyFromTextureToTexture(w.plain, 0, 0, mtl.Origin{}, all, w.image, 0, 0, mtl.Origin{})
		}},
		{name: "texture to texture", blit: func(w *remoteRig, e blit) error { return e.CopyFromTexture(w.plain, w.image) }},
		{name: "slices to texture", blit: func(w *remoteRig, e blit) error {
			return e.CopyFromTextureSlices(w.plain, 0, 0, w.image, 0, 0, 1, 1)
		}},
		{name: "texture to a view of the view", blit: func(w *remoteRig, e blit) error {
			return e.CopyFromTexture(w.plain, own(w.rig, must(w.image.NewView(mtl.PixelFormatR32Float))))
		}},
		{name: "mipmaps", blit: func(w *remoteRig, e blit) error { return e.GenerateMipmapsForTexture(w.image) }},
		{name: "optimize", blit: func(w *remoteRig, e blit) error { return e.OptimizeContentsForGPUAccess(w.image) }},
		{name: "texture of a kernel", compute: func(w *remoteRig, e compute) error { return e.SetTexture(w.image, 0) }},
		{name: "textures of a kernel", compute: func(w *remoteRig, e compute) error {
			return e.SetTextures([]mtl.Texture{w.plain, w.image}, 0)
		}},
		{name: "use of a texture", compute: func(w *remoteRig, e compute) error {
			return e.UseResource(w.image.Resource, mtl.ResourceUsageRead)
		}},
		{name: "use of several", compute: func(w *remoteRig, e compute) error {
			return e.UseResources([]mtl.Resource{w.local.Resource, w.image.Resource}, mtl.ResourceUsageRead)
		}},
		{name: "encoded texture", call: func(w *remoteRig) error { return w.argumentEncoder().SetTexture(w.image, 1) }},
		{name: "encoded textures", call: func(w *remoteRig) error {
			return w.argumentEncoder().SetTextures([]mtl.Texture{w.image}, 1)
		}},
	}
}

// run returns the first error: of the call, or of the command buffer.
func (k remoteMisuse) run(w *remoteRig) error {
	var refused error
	b := w.commands()
	switch {
	case k.blit != nil:
		w.blit(b, func(e mtl.BlitCommandEncoder) { refused = k.blit(w, e) })
	case k.compute != nil:
		return w.settle(b, func(e mtl.ComputeCommandEncoder) error { return k.compute(w, e) })
	default:
		return k.call(w)
	}
	do(b.Commit())
	return first(refused, b.Wait(w.Context()))
}

const remoteRefused = "A remote view that is not the source of a blit is refused, and nothing is written."

// refuses makes a case from each misuse.
func refuses(misuses []remoteMisuse, newRig func(r *rig) *remoteRig) []aCase {
	var cases []aCase
	for _, k := range misuses {
		cases = append(cases, aCase{k.name, remoteRefused, func(r *rig) {
			w := newRig(r)
			err := k.run(w)
			r.holds(assert.ErrorIs(r, err, mtl.ErrDevice))
			assert.ErrorContains(r, err, "remote view")
			assert.Equal(r, count(16), w.seen())
		}})
	}
	return cases
}

func remoteBufferCases() []aCase {
	return append(refuses(remoteBufferMisuses(), newRemoteBuffer),
		aCase{"sources", "A remote view of a buffer is the source of copies to a buffer and to a texture.", func(r *rig) {
			w := newRemoteBuffer(r)
			w.copies(func(e mtl.BlitCommandEncoder) {
				do(e.CopyFromBufferToTexture(w.buffer, 0, 16, 64, size(4, 4, 1), w.plain, 0, 0, mtl.Origin{}),
					e.CopyFromTextureToBuffer(w.plain, 0, 0, mtl.Origin{}, size(4, 4, 1), w.local, 0, 16, 64))
			})
			assert.Equal(r, count(16), r.words(w.local))
			assert.Equal(r, count(16), w.seen())
		}})
}

func remoteTextureCases() []aCase {
	return append(refuses(remoteTextureMisuses(), newRemoteTexture),
		aCase{"sources", "A remote view of a texture is the source of copies to a buffer and to a texture.", func(r *rig) {
			w := newRemoteTexture(r)
			w.copies(func(e mtl.BlitCommandEncoder) {
				do(e.CopyFromTextureSlices(w.image, 0, 0, w.plain, 0, 0, 1, 1),
					e.CopyFromTextureToBuffer(w.plain, 0, 0, mtl.Origin{}, size(4, 4, 1), w.local, 0, 16, 64))
			})
			assert.Equal(r, count(16), r.words(w.local))
			assert.Equal(r, count(16), w.seen())
		}})
}
