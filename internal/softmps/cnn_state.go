package softmps

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// State is what the payloads of all subclasses of MPSState embed.
type State struct {
	adapter.Label
	device    mtl.Device // retained, nil of a state made of resources
	resources []stateResource
	temporary bool
	reads     uint64 // left, of a temporary state
}

// stateResource is a buffer or a texture of a state, which is made when it is first used.
type stateResource struct {
	size       uint64                // of a buffer, in bytes
	descriptor mtl.TextureDescriptor // of a texture, retained
	resource   mtl.Resource          // retained
	texture    bool
}

// base returns the part that all states have.
func (s *State) base() *State { return s }

// cnnState is a payload that embeds State.
type cnnState interface {
	adapter.Labeled
	base() *State
}

// usable returns an error for a temporary state whose readCount is used up.
func (s *State) usable() error {
	if s.temporary && s.reads == 0 {
		return fmt.Errorf("the temporary state %q has been read as often as its readCount said", s.Text())
	}
	return nil
}

// read counts a kernel that reads the state.
func (s *State) read() {
	if s.temporary && s.reads > 0 {
		s.reads--
	}
}

// freer is a state that holds more than its resources.
type freer interface{ freeState(o *objcsoft.Object) }

func freeState(p cnnState, o *objcsoft.Object) {
	if f, ok := p.(freer); ok {
		f.freeState(o)
	}
	s := p.base()
	for _, r := range s.resources {
		for _, x := range []objc.Object{r.descriptor.Object, r.resource.Object} {
			if !x.IsNil() {
				x.Release()
			}
		}
	}
	if !s.device.IsNil() {
		s.device.Release()
	}
}

// gradientState is what a kernel remembers of its forward pass: the first image of each source, and
// the properties that the kernel had.
type gradientState struct {
	State
	sources []imageSize
	result  imageSize
	forward cnnKernel // without objects
}

// imageSize is the size of an image.
type imageSize struct{ width, height, channels, images int }

func sizeOf(m *Image) imageSize {
	return imageSize{int(m.Texture.Width()), int(m.Texture.Height()), m.channels, m.images}
}

// newGradientState remembers a forward pass. It is a cnnOp's state function for kernels that need
// nothing else.
func newGradientState(k *cnnKernel, in []*Image, out *Image) (cnnState, error) {
	return rememberForward(k, in, out), nil
}

// rememberForward makes a gradient state for others to embed.
func rememberForward(k *cnnKernel, in []*Image, out *Image) *gradientState {
	s := &gradientState{result: sizeOf(out), forward: cnnKernel{cnnOp: cnnOp{sources: k.sources}, indexed: k.indexed}}
	for name, w := range k.properties {
		s.forward.set(name, w...)
	}
	for _, m := range in {
		s.sources = append(s.sources, sizeOf(m))
	}
	return s
}

// buffer adds a buffer of n bytes, which it makes at once, and returns it.
func (s *State) buffer(d mtl.Device, n int) (mtl.Buffer, error) {
	b, err := d.NewBuffer(uint(max(n, 16)), mtl.ResourceStorageModeShared)
	if err == nil {
		s.resources = append(s.resources, stateResource{size: uint64(n), resource: mtl.ResourceFrom(b.ID())})
	}
	return b, err
}

// at returns a resource of the state.
func (s *State) at(c *objcsoft.Call, arg int) (*stateResource, bool) {
	if i := c.Uint(arg); i < uint64(len(s.resources)) {
		return &s.resources[i], true
	}
	adapter.Misuse(c, "resource %d of a state that has %d", c.Uint(arg), len(s.resources))
	return nil, false
}

// memory makes the resource, unless it is there.
func (s *State) memory(r *stateResource) error {
	switch {
	case !r.resource.IsNil():
	case r.texture:
		t, err := s.device.NewTexture(r.descriptor)
		if err != nil {
			return err
		}
		r.resource = mtl.ResourceFrom(t.ID())
	default:
		b, err := s.device.NewBuffer(uint(r.size), mtl.ResourceStorageModeShared)
		if err != nil {
			return err
		}
		r.resource = mtl.ResourceFrom(b.ID())
	}
	return nil
}

// stateBuffer describes a buffer of a state.
func stateBuffer(c *objcsoft.Call, size uint64) (stateResource, bool) {
	const most = 1 << 40
	if size == 0 || size > most {
		adapter.Misuse(c, "a buffer of %d bytes; the limits are 1 and %d", size, uint64(most))
		return stateResource{}, false
	}
	return stateResource{size: size}, true
}

// stateTexture describes a texture of a state by a copy of a descriptor.
func stateTexture(c *objcsoft.Call, id objcsoft.ID) (stateResource, bool) {
	if id == 0 {
		adapter.Misuse(c, "the texture descriptor is nil")
		return stateResource{}, false
	}
	w, err := c.RT.Message(id, "copy", "@@:")
	if err != nil {
		c.Fail(err)
	}
	return stateResource{texture: true, descriptor: mtl.TextureDescriptorFrom(objc.ID(w))}, err == nil
}

// resourceList is the payload of an MPSStateResourceList.
type resourceList struct{ list []stateResource }

// copies returns the resources for a state to own.
func (l *resourceList) copies() []stateResource {
	out := append([]stateResource(nil), l.list...)
	for _, r := range out {
		if r.texture {
			r.descriptor.Retain()
		}
	}
	return out
}

// stateArguments reads the resources that an init method describes after the device or the command
// buffer.
func stateArguments(kind string) func(c *objcsoft.Call) ([]stateResource, bool) {
	switch kind {
	case "bufferSize:":
		return func(c *objcsoft.Call) ([]stateResource, bool) {
			r, ok := stateBuffer(c, c.Uint(1))
			return []stateResource{r}, ok
		}
	case "textureDescriptor:":
		return func(c *objcsoft.Call) ([]stateResource, bool) {
			r, ok := stateTexture(c, c.ID(1))
			return []stateResource{r}, ok
		}
	case "resourceList:":
		return func(c *objcsoft.Call) ([]stateResource, bool) {
			l, ok := adapter.Payload[*resourceList](c, 1)
			if !ok {
				if !c.Failed() {
					adapter.Misuse(c, "the resource list is nil")
				}
				return nil, false
			}
			return l.copies(), true
		}
	}
	return func(*objcsoft.Call) ([]stateResource, bool) { return nil, true }
}

// resourcesArg retains resources of Metal.
func resourcesArg(c *objcsoft.Call, ids []objcsoft.ID) (list []stateResource, ok bool) {
	for i, id := range ids {
		if id == 0 {
			adapter.Misuse(c, "resource %d is nil", i)
			return nil, false
		}
		r := mtl.ResourceFrom(objc.ID(id))
		s := stateResource{resource: r, texture: c.RT.RespondsTo(id, c.RT.Sel("pixelFormat"))}
		if !s.texture {
			s.size = uint64(mtl.BufferFrom(objc.ID(id)).Length())
		}
		list = append(list, s)
	}
	for _, s := range list {
		s.resource.Retain()
	}
	return list, true
}

func stateClasses() []adapter.Class {
	m := adapter.WithLabel[cnnState](adapter.Methods{
		"initWithResource:": func(c *objcsoft.Call) {
			if list, ok := resourcesArg(c, []objcsoft.ID{c.ID(0)}); ok {
				Init(c, &State{resources: list})
			}
		},
		"initWithResources:": func(c *objcsoft.Call) {
			ids, err := c.RT.ArrayItems(c.ID(0))
			if err != nil {
				c.Fail(err)
				return
			}
			if list, ok := resourcesArg(c, ids); ok {
				Init(c, &State{resources: list})
			}
		},
	})
	class := adapter.Methods{}
	for _, kind := range []string{"", "bufferSize:", "textureDescriptor:", "resourceList:"} {
		read := stateArguments(kind)
		if kind != "" {
			m["initWithDevice:"+kind] = func(c *objcsoft.Call) {
				d, ok := DeviceArg(c, 0)
				if !ok {
					return
				}
				if list, ok := read(c); ok {
					d.Retain()
					Init(c, &State{device: d, resources: list})
				}
			}
		}
		class["temporaryStateWithCommandBuffer:"+kind] = func(c *objcsoft.Call) {
			cb, ok := CommandBufferArg(c, 0)
			if !ok {
				return
			}
			if list, ok := read(c); ok {
				d := cb.Device()
				d.Retain()
				c.ReturnAutoreleased(c.RT.NewObject(c.Class(), &State{device: d, resources: list, temporary: true,
					reads: 1}))
			}
		}
	}
	stateGetters(m)
	list := []adapter.Class{
		{Name: "MPSState", Methods: m, ClassMethods: class, Dealloc: adapter.DeallocHook(freeState)},
		{
			Name:    "MPSStateResourceList",
			Alloc:   func(o *objcsoft.Object) { o.Payload = &resourceList{} },
			Methods: resourceListMethods(),
			ClassMethods: adapter.Methods{
				"resourceList": adapter.NewAutoreleased("MPSStateResourceList"),
			},
			Dealloc: adapter.DeallocHook(func(l *resourceList, o *objcsoft.Object) {
				for _, r := range l.list {
					if r.texture {
						r.descriptor.Release()
					}
				}
			}),
		},
	}
	for _, name := range []string{"MPSNNGradientState", "MPSNNBinaryGradientState", "MPSNNMultiaryGradientState"} {
		list = append(list, adapter.Class{Name: name, Super: "MPSState"})
	}
	return list
}

func resourceListMethods() adapter.Methods {
	add := func(l *resourceList, r stateResource, ok bool) {
		if ok {
			l.list = append(l.list, r)
		}
	}
	return adapter.Methods{
		"init": func(c *objcsoft.Call) { c.ReturnID(c.Self.ID()) },
		"appendBuffer:": adapter.Method(func(l *resourceList, c *objcsoft.Call) {
			r, ok := stateBuffer(c, c.Uint(0))
			add(l, r, ok)
		}),
		"appendTexture:": adapter.Method(func(l *resourceList, c *objcsoft.Call) {
			r, ok := stateTexture(c, c.ID(0))
			add(l, r, ok)
		}),
	}
}

// stateGetters adds what all states answer.
func stateGetters(m adapter.Methods) {
	resource := func(s *State, c *objcsoft.Call, r *stateResource, allocate bool) {
		if allocate {
			if err := s.memory(r); err != nil {
				adapter.Misuse(c, "%v", err)
				return
			}
		}
		c.ReturnShared(objcsoft.ID(r.resource.ID()))
	}
	get := func(f func(s *State, c *objcsoft.Call)) objcsoft.Imp {
		return adapter.Method(func(p cnnState, c *objcsoft.Call) { f(p.base(), c) })
	}
	m["isTemporary"] = get(func(s *State, c *objcsoft.Call) { c.ReturnBool(s.temporary) })
	m["readCount"] = get(func(s *State, c *objcsoft.Call) { c.ReturnUint(s.reads) })
	m["setReadCount:"] = get(func(s *State, c *objcsoft.Call) { s.reads = c.Uint(0) })
	m["resourceCount"] = get(func(s *State, c *objcsoft.Call) { c.ReturnUint(uint64(len(s.resources))) })
	m["resource"] = get(func(s *State, c *objcsoft.Call) {
		if len(s.resources) > 0 {
			resource(s, c, &s.resources[0], true)
		}
	})
	m["resourceAtIndex:allocateMemory:"] = get(func(s *State, c *objcsoft.Call) {
		if r, ok := s.at(c, 0); ok {
			resource(s, c, r, c.Bool(1))
		}
	})
	m["resourceTypeAtIndex:"] = get(func(s *State, c *objcsoft.Call) {
		kind := uint64(mpsdata.StateResourceTypeNone)
		if i := c.Uint(0); i < uint64(len(s.resources)) {
			if kind = mpsdata.StateResourceTypeBuffer; s.resources[i].texture {
				kind = mpsdata.StateResourceTypeTexture
			}
		}
		c.ReturnUint(kind)
	})
	m["bufferSizeAtIndex:"] = get(func(s *State, c *objcsoft.Call) {
		if r, ok := s.at(c, 0); ok {
			c.ReturnUint(r.size)
		}
	})
	m["textureInfoAtIndex:"] = get(func(s *State, c *objcsoft.Call) {
		r, ok := s.at(c, 0)
		if !ok {
			return
		}
		if !r.texture {
			adapter.Misuse(c, "resource %d is a buffer", c.Uint(0))
			return
		}
		d := r.descriptor
		if d.IsNil() {
			t := mtl.TextureFrom(r.resource.ID())
			c.ReturnWords(uintptr(t.Width()), uintptr(t.Height()), uintptr(t.Depth()), uintptr(t.ArrayLength()),
				uintptr(t.PixelFormat()), uintptr(t.TextureType()), uintptr(t.Usage()), 0, 0, 0, 0)
			return
		}
		c.ReturnWords(uintptr(d.Width()), uintptr(d.Height()), uintptr(d.Depth()), uintptr(d.ArrayLength()),
			uintptr(d.PixelFormat()), uintptr(d.TextureType()), uintptr(d.Usage()), 0, 0, 0, 0)
	})
	m["resourceSize"] = get(func(s *State, c *objcsoft.Call) {
		total := uint64(0)
		for i := range s.resources {
			r := &s.resources[i]
			if err := s.memory(r); err != nil {
				adapter.Misuse(c, "%v", err)
				return
			}
			total += uint64(r.resource.AllocatedSize())
		}
		c.ReturnUint(total)
	})
	m["synchronizeOnCommandBuffer:"] = get(func(*State, *objcsoft.Call) {}) // the memory is shared
	m["destinationImageDescriptorForSourceImages:sourceStates:forKernel:suggestedDescriptor:"] = get(func(_ *State,
		c *objcsoft.Call) {
		c.ReturnShared(c.ID(3))
	})
}
