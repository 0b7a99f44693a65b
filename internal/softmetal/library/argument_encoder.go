package library

import (
	"encoding/binary"
	"sync"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/memory"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmetal/resource"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

// argumentEncoder is the state of an MTLArgumentEncoder: it writes addresses and handles where the
// language's struct has its members.
type argumentEncoder struct {
	adapter.Label
	dev    *device.Device
	layout *shader.Layout

	mu     sync.Mutex
	id     objcsoft.ID // of the buffer that is written into, retained; 0 for none
	buffer *resource.Buffer
	offset uint64
}

func argumentEncoderClasses() []adapter.Class {
	m := adapter.Methods{
		"device": adapter.Method(func(e *argumentEncoder, c *objcsoft.Call) { c.ReturnID(e.dev.ID) }),
		"encodedLength": adapter.Method(func(e *argumentEncoder,
			c *objcsoft.Call) {
			c.ReturnUint(uint64(e.layout.Length))
		}),
		"alignment": adapter.Method(func(e *argumentEncoder,
			c *objcsoft.Call) {
			c.ReturnUint(uint64(e.layout.Align))
		}),
		"setArgumentBuffer:offset:":                   adapter.Method((*argumentEncoder).setArgumentBuffer),
		"setArgumentBuffer:startOffset:arrayElement:": adapter.Method((*argumentEncoder).setArgumentBufferElement),
		"setBuffer:offset:atIndex:":                   adapter.Method((*argumentEncoder).setBuffer),
		"setBuffers:offsets:withRange:":               adapter.Method((*argumentEncoder).setBuffers),
		"constantDataAtIndex:":                        adapter.Method((*argumentEncoder).constantData),
		"newArgumentEncoderForBufferAtIndex:":         adapter.Method((*argumentEncoder).newNested),
	}
	for _, sel := range []string{"setAccelerationStructure:atIndex:", "setIntersectionFunctionTable:atIndex:",
		"setIntersectionFunctionTables:withRange:"} {
		m[sel] = adapter.Method(func(_ *argumentEncoder, c *objcsoft.Call) {
			adapter.Misuse(c, "the device does not support ray tracing")
		})
	}
	for _, k := range handleKinds {
		m[k.one] = adapter.Method(func(e *argumentEncoder, c *objcsoft.Call) {
			e.setHandle(c, k.protocol, k.data, c.ID(0), c.Uint(1))
		})
		m[k.many] = adapter.Method(func(e *argumentEncoder, c *objcsoft.Call) { e.setHandles(c, k.protocol, k.data) })
	}
	return []adapter.Class{
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newArgumentEncoderWithArguments:":     adapter.Method(newArgumentEncoder),
			"newArgumentEncoderWithBufferBinding:": adapter.Method(newArgumentEncoderForBinding),
		}},
		{Name: "PMSoftFunction", Methods: adapter.Methods{
			"newArgumentEncoderWithBufferIndex:": adapter.Method(func(f *function,
				c *objcsoft.Call) {
				f.newArgumentEncoder(c)
			}),
			"newArgumentEncoderWithBufferIndex:reflection:": adapter.Method((*function).newArgumentEncoderReflected),
		}},
		{Name: "MTLArgumentDescriptor", Protocols: []string{"NSCopying"},
			ClassMethods: adapter.Methods{"argumentDescriptor": adapter.NewAutoreleased("MTLArgumentDescriptor")},
			Properties: adapter.Properties{{Name: "dataType"}, {Name: "index"}, {Name: "arrayLength"}, {Name: "access"},
				{Name: "textureType", Value: metal.TextureType2D}, {Name: "constantBlockAlignment"}}},
		{Name: "PMSoftArgumentEncoder", Protocols: []string{"MTLArgumentEncoder"},
			Methods: adapter.WithLabel[*argumentEncoder](m),
			Dealloc: adapter.DeallocHook(func(e *argumentEncoder, o *objcsoft.Object) { o.Drop(e.id) })},
	}
}

// handleKinds are the objects that are encoded by their gpuResourceID, and the methods that set
// them.
var handleKinds = [...]struct {
	one, many, protocol string
	data                ir.DataType
}{
	{"setTexture:atIndex:", "setTextures:withRange:", "MTLTexture", ir.DataTexture},
	{"setSamplerState:atIndex:", "setSamplerStates:withRange:", "MTLSamplerState", ir.DataSampler},
	{"setComputePipelineState:atIndex:", "setComputePipelineStates:withRange:", "MTLComputePipelineState",
		ir.DataComputePipeline},
	{"setIndirectCommandBuffer:atIndex:", "setIndirectCommandBuffers:withRange:", "MTLIndirectCommandBuffer",
		ir.DataIndirectCommandBuffer},
	{"setVisibleFunctionTable:atIndex:", "setVisibleFunctionTables:withRange:", "MTLVisibleFunctionTable",
		ir.DataVisibleFunctionTable},
}

func newEncoder(d *device.Device, l *shader.Layout) objcsoft.ID {
	return d.Driver.New("PMSoftArgumentEncoder", &argumentEncoder{dev: d, layout: l})
}

func newArgumentEncoder(d *device.Device, c *objcsoft.Call) {
	list, err := adapter.Payloads[*adapter.Record](c.RT, c.ID(0))
	if err != nil {
		c.Fail(err)
		return
	}
	if len(list) == 0 {
		adapter.Misuse(c, "arguments must not be empty")
		return
	}
	var ds []shader.Descriptor
	for _, r := range list {
		data := r.Uint("dataType")
		a := shader.Descriptor{Data: dataTypeOfMetal(data), Index: int(r.Uint("index")), Array: int(r.Uint("arrayLength")),
			Alignment: int(r.Uint("constantBlockAlignment"))}
		switch {
		case data == metal.DataTypeNone || data == metal.DataTypeStruct || data == metal.DataTypeArray:
			adapter.Misuse(c, "argument %d has the data type %d, which no argument has", a.Index, data)
			return
		case a.Index < 0 || a.Array < 0 || a.Index+max(a.Array, 1) > maxArguments:
			adapter.Misuse(c, "argument %d of %d elements ends above index %d", a.Index, max(a.Array, 1), maxArguments-1)
			return
		case a.Alignment&(a.Alignment-1) != 0 || a.Alignment > maxConstantAlignment:
			adapter.Misuse(c, "argument %d has the alignment %d, want a power of two up to %d", a.Index, a.Alignment,
				maxConstantAlignment)
			return
		}
		for _, b := range ds {
			if a.Index < b.Index+max(b.Array, 1) && b.Index < a.Index+max(a.Array, 1) {
				adapter.Misuse(c, "arguments %d and %d share an index", b.Index, a.Index)
				return
			}
		}
		ds = append(ds, a)
	}
	c.ReturnID(newEncoder(d, shader.LayoutOfDescriptors(ds)))
}

// Limits of argument buffers.
const (
	maxArguments         = 500000
	maxConstantAlignment = 1 << 16
)

func newArgumentEncoderForBinding(d *device.Device, c *objcsoft.Call) {
	b, ok := adapter.Payload[*binding](c, 0)
	if !ok {
		if !c.Failed() {
			adapter.Misuse(c, "bufferBinding must not be nil")
		}
		return
	}
	if l := shader.LayoutOf(b.Arg); b.Kind == ir.ArgBuffer && l != nil {
		c.ReturnID(newEncoder(d, l))
	}
}

// newArgumentEncoder makes an encoder for the buffer of an index, and returns the argument that it
// is; nil after a misuse.
func (f *function) newArgumentEncoder(c *objcsoft.Call) *ir.Arg {
	for _, a := range f.fn.Args() {
		if a.Kind != ir.ArgBuffer || uint64(a.Index) != c.Uint(0) {
			continue
		}
		if l := shader.LayoutOf(&a); l != nil {
			c.ReturnID(newEncoder(f.dev, l))
			return &a
		}
		adapter.Misuse(c, "buffer %d of function '%s' is '%s', which is no argument buffer", a.Index, f.name, a.Name)
		return nil
	}
	adapter.Misuse(c, "function '%s' has no buffer at index %d", f.name, c.Uint(0))
	return nil
}

// newArgumentEncoderReflected is newArgumentEncoder with the argument in its old form, an
// MTLArgument.
func (f *function) newArgumentEncoderReflected(c *objcsoft.Call) {
	a := f.newArgumentEncoder(c)
	if a == nil {
		return
	}
	id := f.dev.Driver.New("MTLArgument", &binding{a, f.dev.Driver, true})
	c.Store(1, uintptr(id))
	if err := c.RT.Autorelease(id); err != nil {
		c.Fail(err)
	}
}

func (e *argumentEncoder) setArgumentBuffer(c *objcsoft.Call) { e.target(c, c.Uint(1), 0) }

func (e *argumentEncoder) setArgumentBufferElement(c *objcsoft.Call) {
	e.target(c, c.Uint(1), c.Uint(2))
}

// target chooses where the arguments go: element n of an array that begins at an offset of a
// buffer.
func (e *argumentEncoder) target(c *objcsoft.Call, offset, n uint64) {
	b, ok := adapter.Payload[*resource.Buffer](c, 0)
	if c.Failed() {
		return
	}
	if ok {
		length := uint64(e.layout.Length)
		size := uint64(len(b.Data))
		switch {
		case b.Device != e.dev:
			adapter.Misuse(c, "the buffer is of the device %q, the encoder of %q", b.Device.Name, e.dev.Name)
			return
		case b.IsRemote():
			adapter.Misuse(c, "the argument buffer is a remote view, which only blits may read")
			return
		case offset%uint64(e.layout.Align) != 0:
			adapter.Misuse(c, "offset %d is not a multiple of the alignment %d", offset, e.layout.Align)
			return
		case offset > size || n > size || offset+n*length > size || size-offset-n*length < length:
			adapter.Misuse(c, "element %d of %d bytes from offset %d on is past the buffer's %d bytes", n, length, offset, size)
			return
		}
		offset += n * length
		b.Device.Written(b.Data[offset:][:length]) // arguments are written one by one from here on
		if err := c.RT.Retain(c.ID(0)); err != nil {
			c.Fail(err)
			return
		}
	}
	e.mu.Lock()
	old := e.id
	e.id, e.buffer, e.offset = 0, nil, 0
	if ok {
		e.id, e.buffer, e.offset = c.ID(0), b, offset
	}
	e.mu.Unlock()
	if err := c.RT.Release(old); err != nil {
		c.Fail(err)
	}
}

// slot returns the memory of an argument. want is the data type required of the argument; DataNone
// accepts any.
func (e *argumentEncoder) slot(c *objcsoft.Call, index uint64, want ir.DataType) []byte {
	if index > maxArguments {
		adapter.Misuse(c, "index %d is above %d", index, maxArguments-1)
		return nil
	}
	s, ok := e.layout.At(int(index))
	switch {
	case !ok:
		adapter.Misuse(c, "there is no argument at index %d", index)
	case want != ir.DataNone && s.Data != want:
		adapter.Misuse(c, "the argument at index %d is a %s, not a %s", index, s.Data, want)
	case want != ir.DataNone && s.Size < shader.HandleSize:
		adapter.Misuse(c, "the argument at index %d has %d bytes, a %s takes %d", index, s.Size, want, shader.HandleSize)
	default:
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.buffer == nil {
			adapter.Misuse(c, "no argument buffer is set")
			return nil
		}
		return e.buffer.Data[e.offset+uint64(s.Offset):][:s.Size]
	}
	return nil
}

func (e *argumentEncoder) setBuffer(c *objcsoft.Call) {
	b, ok := adapter.Payload[*resource.Buffer](c, 0)
	if c.Failed() {
		return
	}
	e.put(c, b, ok, c.Uint(1), c.Uint(2))
}

// put writes an address, or 0 if there is no buffer.
func (e *argumentEncoder) put(c *objcsoft.Call, b *resource.Buffer, ok bool, offset, index uint64) {
	mem := e.slot(c, index, ir.DataPointer)
	if mem == nil {
		return
	}
	var address uint64
	if ok {
		switch {
		case b.Device != e.dev:
			adapter.Misuse(c, "the buffer for index %d is of the device %q, the encoder of %q", index, b.Device.Name, e.dev.Name)
			return
		case b.IsRemote():
			adapter.Misuse(c, "the buffer for index %d is a remote view, which only blits may read", index)
			return
		case offset > uint64(len(b.Data)):
			adapter.Misuse(c, "offset %d is past the buffer's %d bytes", offset, len(b.Data))
			return
		}
		address = b.Address(offset)
	}
	binary.LittleEndian.PutUint64(mem, address)
}

// rangeOf returns an NSRange argument that argument indices can have.
func rangeOf(c *objcsoft.Call, arg int) (first, n uint64, ok bool) {
	w := c.Words(arg)
	first, n = uint64(w[0]), uint64(w[1])
	if first > maxArguments || n > maxArguments-first {
		adapter.Misuse(c, "range of %d indices from %d on ends above index %d", n, first, maxArguments-1)
		return 0, 0, false
	}
	return first, n, true
}

func (e *argumentEncoder) setBuffers(c *objcsoft.Call) {
	first, n, ok := rangeOf(c, 2)
	if !ok {
		return
	}
	buffers, err := objcsoft.ReadWords(c.Word(0), n)
	if err != nil {
		c.Fail(err)
		return
	}
	offsets, err := objcsoft.ReadWords(c.Word(1), n)
	if err != nil {
		c.Fail(err)
		return
	}
	for i, w := range buffers {
		b, ok := adapter.PayloadOf[*resource.Buffer](c.RT, objcsoft.ID(w))
		if w != 0 && !ok {
			adapter.Misuse(c, "element %d of the buffers is no buffer of this device", i)
		}
		if e.put(c, b, ok, uint64(offsets[i]), first+uint64(i)); c.Failed() {
			return
		}
	}
}

// setHandle writes the gpuResourceID of an object, 0 for nil.
func (e *argumentEncoder) setHandle(c *objcsoft.Call, protocol string, data ir.DataType, id objcsoft.ID, index uint64) {
	mem := e.slot(c, index, data)
	if mem == nil {
		return
	}
	var handle uintptr
	if id != 0 {
		if k := c.RT.ClassOf(id); k == nil || !k.ConformsTo(c.RT.Protocol(protocol)) {
			adapter.Misuse(c, "the object for index %d is no %s", index, protocol)
			return
		}
		if t, ok := adapter.PayloadOf[*resource.Texture](c.RT, id); ok && t.IsRemote() {
			adapter.Misuse(c, "the texture for index %d is a remote view, which only blits may read", index)
			return
		}
		owner, err := c.RT.Message(id, "device", "@@:")
		if err != nil {
			c.Fail(err)
			return
		}
		if objcsoft.ID(owner) != e.dev.ID {
			adapter.Misuse(c, "the object for index %d is of another device than the encoder's, %q", index, e.dev.Name)
			return
		}
		if handle, err = c.RT.Message(id, "gpuResourceID", "{MTLResourceID=Q}@:"); err != nil {
			c.Fail(err)
			return
		}
	}
	binary.LittleEndian.PutUint64(mem, uint64(handle))
}

func (e *argumentEncoder) setHandles(c *objcsoft.Call, protocol string, data ir.DataType) {
	first, n, ok := rangeOf(c, 1)
	if !ok {
		return
	}
	ids, err := objcsoft.ReadWords(c.Word(0), n)
	if err != nil {
		c.Fail(err)
		return
	}
	for i, w := range ids {
		if e.setHandle(c, protocol, data, objcsoft.ID(w), first+uint64(i)); c.Failed() {
			return
		}
	}
}

// constantData returns the address of a constant's bytes, or nil in memory that the CPU cannot
// access.
func (e *argumentEncoder) constantData(c *objcsoft.Call) {
	mem := e.slot(c, c.Uint(0), ir.DataNone)
	if mem == nil {
		return
	}
	e.mu.Lock()
	reached := e.buffer != nil && resource.CPUReaches(e.buffer.Options)
	e.mu.Unlock()
	if reached {
		c.Return(memory.AddressOf(mem))
	}
}

// newNested makes an encoder for the target of the pointer at an index, or nil if that is not an
// argument buffer.
func (e *argumentEncoder) newNested(c *objcsoft.Call) {
	if c.Uint(0) > maxArguments {
		return
	}
	if s, ok := e.layout.At(int(c.Uint(0))); ok && s.Pointer != nil {
		if l := shader.LayoutOf(s.Pointer); l != nil {
			c.ReturnID(newEncoder(e.dev, l))
		}
	}
}
