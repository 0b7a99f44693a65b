package softmps

import (
	"encoding/binary"
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop/encode"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// histogram is the payload of the filters that have an MPSImageHistogramInfo.
type histogram struct {
	imageKernel
	entries  int
	alpha    bool
	from, to [4]float32

	// shares has the transform of equalization and specification: entries of each component.
	shares     mtl.Buffer
	components int
}

// histogramInfoSize is the size of an MPSImageHistogramInfo.
const histogramInfoSize = 48

// initHistogram gives the receiver of an init method its payload; the second argument may be an
// MPSImageHistogramInfo.
func initHistogram(c *objcsoft.Call, given bool) {
	h := &histogram{entries: 256, to: [4]float32{1, 1, 1, 1}}
	if given {
		if c.Word(1) == 0 {
			adapter.Misuse(c, "%s: the histogram's info is nil", c.Self.Class().Name)
			return
		}
		b := c.Bytes(1, histogramInfoSize)
		if c.Failed() {
			return
		}
		h.entries, h.alpha = int(binary.LittleEndian.Uint64(b)), b[8] != 0
		for i := range h.from {
			h.from[i], h.to[i] = float32At(b, 16+4*i), float32At(b, 32+4*i)
			if !(h.from[i] < h.to[i]) {
				adapter.Misuse(c, "%s: pixel values of component %d from %v to %v; the first must be the smaller",
					c.Self.Class().Name, i, h.from[i], h.to[i])
				return
			}
		}
	}
	const least, most = 256, 1 << 16
	if h.entries < least || h.entries > most || h.entries&(h.entries-1) != 0 {
		adapter.Misuse(c, "%s: %d entries; the number must be a power of two from %d to %d", c.Self.Class().Name,
			h.entries, least, most)
		return
	}
	h.set("zeroHistogram", 1)
	h.set("clipRect", noClip()...)
	h.set("clipRectSource", noClip()...)
	h.build = func(_ *imageKernel, j *filterJob) error { return h.apply(j) }
	initKernel(c, h)
}

// count returns how many components of a format have a histogram.
func (h *histogram) count(f texelFormat) int {
	if f.components == 4 && !h.alpha {
		return 3
	}
	return f.components
}

// arguments returns the arguments of the kernels for a number of components.
func (h *histogram) arguments(components int) filterArguments {
	return filterArguments{Window: [4]int32{int32(h.entries), int32(components)}, A: h.from, B: h.to}
}

// counts returns the buffer in an argument with the offset after it, which must hold the counts.
func (h *histogram) counts(c *objcsoft.Call, arg, components int) (encode.Buffer, error) {
	if c.ID(arg) == 0 {
		return encode.Buffer{}, fmt.Errorf("the histogram's buffer is nil")
	}
	b := encode.Buffer{Buffer: mtl.BufferFrom(objc.ID(c.ID(arg))), Offset: uint(c.Uint(arg + 1))}
	need, has := uint(4*h.entries*components), b.Length()
	if b.Offset%4 != 0 || need > has || b.Offset > has-need {
		return b, fmt.Errorf("a histogram of %d components of %d entries at offset %d takes %d bytes of a buffer of %d",
			components, h.entries, b.Offset, need, has)
	}
	return b, nil
}

// encodeCounts encodes the histogram of the first slice of a texture.
func (h *histogram) encodeCounts(c *objcsoft.Call) {
	h.encodeJob(c, func(j *filterJob) error {
		s, err := j.surface(mtl.TextureFrom(objc.ID(c.ID(1))))
		if err != nil {
			return fmt.Errorf("the source: %w", err)
		}
		n := h.count(s.texelFormat)
		counts, err := h.counts(c, 2, n)
		if err != nil {
			return err
		}
		a := h.arguments(n)
		if a.Region, err = h.sourceRegion(s); err != nil {
			return err
		}
		add := func(kernel string, grid [3]int) {
			j.passes = append(j.passes, pass{library: "histogram", kernel: kernel, arguments: a,
				textures: [3]mtl.Texture{s.Texture}, buffers: []encode.Buffer{counts}, grid: grid})
		}
		if h.number("zeroHistogram", 1) != 0 {
			add("histogram_zero", [3]int{n * h.entries, 1, 1})
		}
		add("histogram", [3]int{int(a.Region[2]), int(a.Region[3]), 1})
		return nil
	})
}

// encodeTransform encodes the making of the transform: the distribution of a histogram, and with a
// second histogram the entries of that one's distribution.
func (h *histogram) encodeTransform(c *objcsoft.Call, desired bool) {
	h.encodeJob(c, func(j *filterJob) error {
		f, err := formatOf(mtl.TextureFrom(objc.ID(c.ID(1))).PixelFormat())
		if err != nil {
			return fmt.Errorf("the source: %w", err)
		}
		n := h.count(f)
		list := []int{2}
		if desired {
			list = append(list, 4)
		}
		a := h.arguments(n)
		var shares []encode.Buffer
		for _, arg := range list {
			counts, err := h.counts(c, arg, n)
			if err != nil {
				return err
			}
			b, err := j.buffer(4 * h.entries * n)
			if err != nil {
				return err
			}
			shares = append(shares, b)
			j.passes = append(j.passes, pass{library: "histogram", kernel: "distribution", arguments: a,
				buffers: []encode.Buffer{counts, b}, grid: [3]int{n, 1, 1}})
		}
		if desired {
			j.passes = append(j.passes, pass{library: "histogram", kernel: "specify", arguments: a,
				buffers: []encode.Buffer{shares[1], shares[0]}, grid: [3]int{h.entries, n, 1}})
		}
		if !h.shares.IsNil() {
			h.shares.Release()
		}
		h.shares, h.components = shares[0].Buffer, n
		h.shares.Retain()
		return nil
	})
}

// apply encodes the transform of the source.
func (h *histogram) apply(j *filterJob) error {
	if h.shares.IsNil() {
		return fmt.Errorf("there is no transform; encode one first")
	}
	if n := h.count(j.source.texelFormat); n != h.components {
		return fmt.Errorf("the transform is one of %d components, and the source has %d", h.components, n)
	}
	a, values := j.arguments, h.arguments(h.components)
	a.Window, a.A, a.B = values.Window, values.A, values.B
	p := j.add("histogram", "look_up", a)
	p.buffers = append(p.buffers, encode.Buffer{Buffer: h.shares})
	return nil
}

// returnInfo returns the MPSImageHistogramInfo.
func (h *histogram) returnInfo(c *objcsoft.Call) {
	alpha := uint64(0)
	if h.alpha {
		alpha = 1
	}
	b, err := binary.Append(nil, binary.LittleEndian, struct {
		Entries, Alpha uint64
		From, To       [4]float32
	}{uint64(h.entries), alpha, h.from, h.to})
	if err != nil {
		c.Fail(err)
		return
	}
	var w []uintptr
	for i := 0; i < len(b); i += 8 {
		w = append(w, uintptr(binary.LittleEndian.Uint64(b[i:])))
	}
	c.ReturnWords(w...)
}

func histogramClasses() []adapter.Class {
	class := func(name, super string, more adapter.Methods) adapter.Class {
		more["initWithDevice:"] = func(c *objcsoft.Call) { initHistogram(c, false) }
		more["initWithDevice:histogramInfo:"] = func(c *objcsoft.Call) { initHistogram(c, true) }
		more["histogramInfo"] = adapter.Method((*histogram).returnInfo)
		return withProperties(adapter.Class{Name: name, Super: super, Methods: more,
			Dealloc: adapter.DeallocHook(func(h *histogram, _ *objcsoft.Object) {
				if !h.shares.IsNil() {
					h.shares.Release()
				}
			})}, nil)
	}
	transform := func(desired bool) objcsoft.Imp {
		return adapter.Method(func(h *histogram, c *objcsoft.Call) { h.encodeTransform(c, desired) })
	}
	equalization, specification := adapter.Methods{}, adapter.Methods{}
	equalization["encodeTransformToCommandBuffer:sourceTexture:histogram:histogramOffset:"] = transform(false)
	specification["encodeTransformToCommandBuffer:sourceTexture:sourceHistogram:sourceHistogramOffset:"+
		"desiredHistogram:desiredHistogramOffset:"] = transform(true)
	return []adapter.Class{
		class("MPSImageHistogram", "MPSKernel", adapter.Methods{
			"encodeToCommandBuffer:sourceTexture:histogram:histogramOffset:": adapter.Method((*histogram).encodeCounts),
			"histogramSizeForSourceFormat:": adapter.Method(func(h *histogram, c *objcsoft.Call) {
				f, err := formatOf(mtl.PixelFormat(c.Uint(0)))
				if err != nil {
					adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
					return
				}
				c.ReturnUint(uint64(4 * h.entries * h.count(f)))
			}),
		}),
		class("MPSImageHistogramEqualization", "MPSUnaryImageKernel", equalization),
		class("MPSImageHistogramSpecification", "MPSUnaryImageKernel", specification),
	}
}
