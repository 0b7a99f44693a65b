package softmps

import (
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/mtl"
)

// nnPadding is the payload of an MPSNNDefaultPadding.
type nnPadding struct {
	method uint64
	// clamp sets the kernel's edge mode, as for TensorFlow's average pooling.
	clamp bool
}

// paddedSize returns how many results a window has along one dimension of n pixels, with a method
// of padding. Reverse kernels enlarge by their stride.
func paddedSize(w cnnWindow, n int, method uint64, reverse bool) (int, error) {
	style := 0
	switch method & mpsdata.NNPaddingMethodSizeMask {
	case mpsdata.NNPaddingMethodSizeValidOnly:
		style = -1
	case mpsdata.NNPaddingMethodSizeSame:
	case mpsdata.NNPaddingMethodSizeFull:
		style = 1
	default:
		return 0, fmt.Errorf("padding method %#x; its size is none of valid only, same and full", method)
	}
	size := n + style*(w.reach()-1)
	if reverse {
		size = (n-1)*w.stride + 1 + style*(w.reach()-1)
	} else if size > 0 {
		size = (size + w.stride - 1) / w.stride
	}
	if size < 1 {
		return 0, fmt.Errorf("a window of %d pixels does not fit in %d pixels, and the padding is for valid ones only",
			w.reach(), n)
	}
	return size, nil
}

// paddedOffset returns where the middle of the window is for the first of size results, so that
// what it reads beyond n pixels is where the method says.
func paddedOffset(w cnnWindow, n, size int, method uint64, axis int) int {
	extra := w.span(size) - n
	before := extra / 2
	switch method & mpsdata.NNPaddingMethodAlignMask {
	case mpsdata.NNPaddingMethodAlignTopLeft:
		before = extra
	case mpsdata.NNPaddingMethodAlignBottomRight:
		before = 0
	default:
		r := method & mpsdata.NNPaddingMethodAddRemainderToMask
		left := r == mpsdata.NNPaddingMethodAddRemainderToTopLeft ||
			axis == 0 && r == mpsdata.NNPaddingMethodAddRemainderToBottomLeft ||
			axis == 1 && r == mpsdata.NNPaddingMethodAddRemainderToTopRight
		if left {
			before = (extra + 1) / 2
		}
	}
	return w.center() - before
}

// paddingMethod returns the method of the kernel's padding policy.
func (k *cnnKernel) paddingMethod(c *objcsoft.Call) uint64 {
	if p, ok := adapter.PayloadOf[*nnPadding](c.RT, k.padding); ok {
		return p.method
	}
	w, err := c.RT.Message(k.padding, "paddingMethod", "Q@:")
	if err != nil {
		c.Fail(err)
	}
	return uint64(w)
}

// describe returns the descriptor of a result image for the first images of a request, +1, and sets
// the kernel's offsets, as the padding policy wants them. Misuse fails the call.
func (k *cnnKernel) describe(c *objcsoft.Call, r *cnnRequest) objcsoft.ID {
	if len(r.sources) != k.sources {
		adapter.Misuse(c, "%s: %d source images; the kernel takes %d", c.Self.Class().Name, len(r.sources), k.sources)
		return 0
	}
	var in []*Image
	for _, s := range r.sources {
		in = append(in, s[0])
	}
	method := k.paddingMethod(c)
	if c.Failed() {
		return 0
	}
	size, err := k.resultSize(in, r.states, method)
	if err != nil {
		adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
		return 0
	}
	channels := in[0].channels
	if s, err := k.source(0, in[:1]); err == nil {
		channels = s.channels
	}
	if k.channels != nil {
		channels = k.channels(k, in)
	}
	id := adapter.NewInstance(c.RT, "MPSImageDescriptor")
	d, _ := adapter.PayloadOf[*adapter.Record](c.RT, id)
	for name, v := range map[string]uint64{"channelFormat": in[0].format.channels, "width": uint64(size[0]),
		"height":          uint64(size[1]),
		"featureChannels": uint64(channels + k.number("destinationFeatureChannelOffset", 0)),
		"numberOfImages":  uint64(in[0].images)} {
		d.SetUint(name, v)
	}
	return k.customize(c, r, method, id)
}

// resultSize returns the size of a result, and sets the offsets for it.
func (k *cnnKernel) resultSize(in []*Image, states []cnnState, method uint64) (size [2]int, err error) {
	if k.size != nil {
		size[0], size[1] = k.size(k, in, states)
		return size, nil
	}
	if k.place != nil {
		return k.place(in, states, method)
	}
	for i, m := range in {
		w := k.window(i)
		var offset [2]int
		n := [2]int{int(m.Texture.Width()), int(m.Texture.Height())}
		for axis := range 2 {
			if i == 0 {
				if size[axis], err = paddedSize(w[axis], n[axis], method, false); err != nil {
					return size, err
				}
			}
			offset[axis] = paddedOffset(w[axis], n[axis], size[axis], method, axis)
		}
		k.set(k.name(i, "offset"), uintptr(offset[0]), uintptr(offset[1]), uintptr(k.offset(k.name(i, "offset"))[2]))
	}
	if k.enlarge != nil {
		size[0], size[1] = size[0]*k.enlarge(), size[1]*k.enlarge()
	}
	return size, nil
}

// customize lets a policy of the program's change a descriptor, +1, and returns the one to use, +1.
func (k *cnnKernel) customize(c *objcsoft.Call, r *cnnRequest, method uint64, id objcsoft.ID) objcsoft.ID {
	if method&mpsdata.NNPaddingMethodCustom == 0 {
		return id
	}
	if p, ok := adapter.PayloadOf[*nnPadding](c.RT, k.padding); ok {
		if p.clamp {
			for i := range r.sources {
				k.setOf(i, "edgeMode", mpsdata.ImageEdgeModeClamp)
			}
		}
		return id
	}
	const sel = "destinationImageDescriptorForSourceImages:sourceStates:forKernel:suggestedDescriptor:"
	if !c.RT.RespondsTo(k.padding, c.RT.Sel(sel)) {
		adapter.Misuse(c, "%s: the padding policy is a custom one and does not implement %s", c.Self.Class().Name, sel)
		adapter.Release(c.RT, id)
		return 0
	}
	var images []objcsoft.ID
	for _, s := range r.sourceIDs {
		images = append(images, s[0])
	}
	array, err := c.RT.NewArray(images)
	var w uintptr
	if err == nil {
		w, err = c.RT.Message(k.padding, sel, "@@:@@@@", uintptr(array), 0, uintptr(c.Self.ID()), uintptr(id))
	}
	if err == nil && w == 0 {
		err = fmt.Errorf("the padding policy returned no descriptor")
	}
	if err == nil {
		err = c.RT.Retain(objcsoft.ID(w))
	}
	for _, old := range []objcsoft.ID{array, id} {
		if e := c.RT.Release(old); err == nil {
			err = e
		}
	}
	if err != nil {
		adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
		return 0
	}
	return objcsoft.ID(w)
}

// newResults makes the images that an encode method returns, by the kernel's allocator, +0. Those
// of a batch are in an array.
func (k *cnnKernel) newResults(c *objcsoft.Call, r *cnnRequest, batch bool) (array objcsoft.ID, ids []objcsoft.ID,
	ok bool) {
	d := k.describe(c, r)
	if d == 0 {
		return 0, nil, false
	}
	defer func() {
		if err := c.RT.Release(d); err != nil {
			c.Fail(err)
		}
	}()
	n := len(r.sources[0])
	allocator := k.allocator
	if allocator == 0 {
		allocator = defaultAllocator(c.RT, "MPSTemporaryImage")
	}
	cb := c.Word(0)
	const one, many = "imageForCommandBuffer:imageDescriptor:kernel:",
		"imageBatchForCommandBuffer:imageDescriptor:kernel:count:"
	fail := func(err error) (objcsoft.ID, []objcsoft.ID, bool) {
		adapter.Misuse(c, "%s: the image allocator: %v", c.Self.Class().Name, err)
		return 0, nil, false
	}
	if batch && c.RT.RespondsTo(allocator, c.RT.Sel(many)) {
		w, err := c.RT.Message(allocator, many, "@@:@@@Q", cb, uintptr(d), uintptr(c.Self.ID()), uintptr(n))
		if err == nil {
			ids, err = c.RT.ArrayItems(objcsoft.ID(w))
		}
		if err == nil && len(ids) != n {
			err = fmt.Errorf("%d images; %d were asked for", len(ids), n)
		}
		if err != nil {
			return fail(err)
		}
		array = objcsoft.ID(w)
	} else {
		for range n {
			w, err := c.RT.Message(allocator, one, "@@:@@@", cb, uintptr(d), uintptr(c.Self.ID()))
			if err != nil {
				return fail(err)
			}
			ids = append(ids, objcsoft.ID(w))
		}
		if batch {
			var err error
			if array, err = c.RT.NewArray(ids); err == nil {
				err = c.RT.Autorelease(array)
			}
			if err != nil {
				return fail(err)
			}
		}
	}
	r.dest, ok = imagesOf(c, ids)
	return array, ids, ok
}

// imageAllocator is the payload of the default allocators.
type imageAllocator struct{ class string }

// defaultAllocator returns the allocator that makes images of a class. It lives as long as the
// runtime.
func defaultAllocator(rt *objcsoft.Runtime, class string) objcsoft.ID {
	w, err := rt.Message(rt.Class(class).ID(), "defaultAllocator", "@@:")
	if err != nil {
		panic(err) // the message in progress reports it
	}
	return objcsoft.ID(w)
}

// make makes an image for a command buffer, +1.
func (a *imageAllocator) make(c *objcsoft.Call) objcsoft.ID {
	cb, ok := CommandBufferArg(c, 0)
	d := adapter.RecordArg(c, 1, "the image descriptor")
	if !ok || d == nil {
		return 0
	}
	s := shapeOf(d)
	if a.class == "MPSTemporaryImage" {
		s.storage, s.cache = mtl.StorageModePrivate, mtl.CPUCacheModeDefaultCache
	}
	m, err := newImage(cb.Device(), s)
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return 0
	}
	if m.temporary = a.class == "MPSTemporaryImage"; m.temporary {
		m.reads = 1
	}
	return c.RT.NewObject(c.RT.Class(a.class), m)
}

// allocatorClasses declares the class of the default allocators, and +defaultAllocator.
func allocatorClasses() []adapter.Class {
	const name = "PureMetalImageAllocator"
	shared := func(class string) adapter.Class {
		var once sync.Once
		var id objcsoft.ID
		return adapter.Class{Name: class, ClassMethods: adapter.Methods{"defaultAllocator": func(c *objcsoft.Call) {
			once.Do(func() { id = c.RT.NewImmortal(c.RT.Class(name), &imageAllocator{class}) })
			c.ReturnID(id)
		}}}
	}
	type allocator = *imageAllocator
	return []adapter.Class{shared("MPSImage"), shared("MPSTemporaryImage"), {
		Name: name, Protocols: []string{"MPSImageAllocator"},
		Methods: adapter.Methods{
			"imageForCommandBuffer:imageDescriptor:kernel:": adapter.Method(func(a allocator, c *objcsoft.Call) {
				if id := a.make(c); id != 0 {
					c.ReturnAutoreleased(id)
				}
			}),
			"imageBatchForCommandBuffer:imageDescriptor:kernel:count:": adapter.Method(func(a allocator,
				c *objcsoft.Call) {
				const most = 1 << 14
				if c.Uint(3) > most {
					adapter.Misuse(c, "a batch of %d images; the limit is %d", c.Uint(3), most)
					return
				}
				adapter.ReturnObjects(c, int(c.Uint(3)), func(int) objcsoft.ID { return a.make(c) })
			}),
		},
	}}
}

func paddingClasses() []adapter.Class {
	type padding = *nnPadding
	made := func(method func(c *objcsoft.Call) nnPadding) objcsoft.Imp {
		return func(c *objcsoft.Call) {
			p := method(c)
			c.ReturnAutoreleased(c.RT.NewObject(c.RT.Class("MPSNNDefaultPadding"), &p))
		}
	}
	const tensorflow = mpsdata.NNPaddingMethodCustom | mpsdata.NNPaddingMethodAddRemainderToBottomRight
	return []adapter.Class{{
		Name: "MPSNNDefaultPadding", Protocols: []string{"MPSNNPadding"},
		Methods: adapter.Methods{
			"paddingMethod": adapter.Method(func(p padding, c *objcsoft.Call) { c.ReturnUint(p.method) }),
			"label": adapter.Method(func(p padding, c *objcsoft.Call) {
				c.ReturnAutoreleased(c.RT.NewString(fmt.Sprintf("MPSNNDefaultPadding, method %#x", p.method)))
			}),
			"inverse": adapter.Method(func(p padding, c *objcsoft.Call) {
				q := *p
				switch p.method & mpsdata.NNPaddingMethodSizeMask {
				case mpsdata.NNPaddingMethodSizeValidOnly:
					q.method |= mpsdata.NNPaddingMethodSizeFull
				case mpsdata.NNPaddingMethodSizeFull:
					q.method &^= mpsdata.NNPaddingMethodSizeFull
				}
				c.ReturnAutoreleased(c.RT.NewObject(c.Self.Class(), &q))
			}),
		},
		ClassMethods: adapter.Methods{
			"paddingWithMethod:": func(c *objcsoft.Call) {
				if c.Uint(0)&mpsdata.NNPaddingMethodCustom != 0 {
					adapter.Misuse(c, "padding method %#x is custom; implement MPSNNPadding for that", c.Uint(0))
					return
				}
				made(func(c *objcsoft.Call) nnPadding { return nnPadding{method: c.Uint(0)} })(c)
			},
			"paddingForTensorflowAveragePooling": made(func(*objcsoft.Call) nnPadding {
				return nnPadding{method: tensorflow | mpsdata.NNPaddingMethodSizeSame, clamp: true}
			}),
			"paddingForTensorflowAveragePoolingValidOnly": made(func(*objcsoft.Call) nnPadding {
				return nnPadding{method: tensorflow | mpsdata.NNPaddingMethodSizeValidOnly, clamp: true}
			}),
		},
	}}
}
