package softmetal

import (
	"errors"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
)

// indirectBuffer is the state of an MTLIndirectCommandBuffer.
type indirectBuffer struct {
	resource
	icb   *command.Indirect
	types uint64

	mu       sync.Mutex
	commands map[int]objcsoft.ID // objects of commands, made when they are first asked for
}

// indirectCommand is the state of an MTLIndirectComputeCommand. Its object belongs to the buffer's.
type indirectCommand struct {
	owner *indirectBuffer
	index int
}

func (b *indirectBuffer) AllocatedSize() uint64 { return uint64(b.icb.Size()) * indirectCommandBytes }
func (b *indirectBuffer) Discard()              { b.icb.Reset(0, b.icb.Size()) }

// indirectCommandBytes is about what a command takes, for accounts.
const indirectCommandBytes = 512

func indirectClasses() []adapter.Class {
	var props adapter.Properties
	for _, name := range []string{
		"commandTypes", "inheritPipelineState", "inheritBuffers", "inheritDepthStencilState", "inheritDepthBias", "inheritDepthClipMode", "inheritCullMode",
		"inheritFrontFacingWinding", "inheritTriangleFillMode", "maxVertexBufferBindCount", "maxFragmentBufferBindCount", "maxKernelBufferBindCount",
		"maxKernelThreadgroupMemoryBindCount", "maxObjectBufferBindCount", "maxMeshBufferBindCount", "maxObjectThreadgroupMemoryBindCount",
		"supportRayTracing", "supportDynamicAttributeStride", "supportColorAttachmentMapping",
	} {
		p := adapter.Property{Name: name}
		if name == "inheritPipelineState" || name == "inheritBuffers" {
			p.Value = 1
		}
		props = append(props, p)
	}
	return []adapter.Class{
		{Name: "MTLIndirectCommandBufferDescriptor", Protocols: []string{"NSCopying"}, Properties: props},
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newIndirectCommandBufferWithDescriptor:maxCommandCount:options:": adapter.Method((*device).newIndirectBuffer),
		}},
		{
			Name: "PMSoftIndirectCommandBuffer", Protocols: []string{"MTLIndirectCommandBuffer"}, Dealloc: adapter.DeallocHook((*indirectBuffer).free),
			Methods: resourceMethods[*indirectBuffer](adapter.Methods{
				"size":                           adapter.Method(func(b *indirectBuffer, c *objcsoft.Call) { c.ReturnUint(uint64(b.icb.Size())) }),
				"gpuResourceID":                  adapter.Method(func(b *indirectBuffer, c *objcsoft.Call) { c.ReturnUint(b.icb.Handle()) }),
				"indirectComputeCommandAtIndex:": adapter.Method((*indirectBuffer).command),
				"resetWithRange:": adapter.Method(func(b *indirectBuffer, c *objcsoft.Call) {
					if first, n := rangeArg(c, 0); b.within(c, first, n) {
						b.icb.Reset(int(first), int(n))
					}
				}),
			}),
		},
		{Name: "PMSoftIndirectComputeCommand", Protocols: []string{"MTLIndirectComputeCommand"}, Methods: indirectCommandMethods()},
	}
}

func (d *device) newIndirectBuffer(c *objcsoft.Call) {
	r := adapter.RecordArg(c, 0, "descriptor")
	if r == nil || !checkOptions(c, c.Uint(2)) {
		return
	}
	types := r.Uint("commandTypes")
	const compute = mtlIndirectCommandTypeConcurrentDispatch | mtlIndirectCommandTypeConcurrentDispatchThreads
	if types == 0 || types&^compute != 0 {
		adapter.Misuse(c, "command types are %#x, want some of %#x: this device draws nothing", types, compute)
		return
	}
	n := c.Uint(1)
	if n > limits.MaxCommands {
		n = limits.MaxCommands + 1 // refused below in the same words, whatever an int holds
	}
	icb, err := d.gpu().NewIndirect(command.Shape{
		InheritPipeline: r.Bool("inheritPipelineState"), InheritBuffers: r.Bool("inheritBuffers"),
		Buffers: int(r.Uint("maxKernelBufferBindCount")), Memory: int(r.Uint("maxKernelThreadgroupMemoryBindCount")),
		Threadgroups: types&mtlIndirectCommandTypeConcurrentDispatch != 0, Threads: types&mtlIndirectCommandTypeConcurrentDispatchThreads != 0,
	}, int(n))
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	b := &indirectBuffer{resource: resource{device: d, options: c.Uint(2)}, icb: icb, types: types, commands: map[int]objcsoft.ID{}}
	b.id = d.driver.New("PMSoftIndirectCommandBuffer", b)
	c.ReturnID(b.id)
}

func (b *indirectBuffer) free(o *objcsoft.Object) {
	b.icb.Close()
	for _, id := range b.commands {
		o.Drop(id)
	}
}

func (b *indirectBuffer) within(c *objcsoft.Call, first, n uint64) bool {
	if size := uint64(b.icb.Size()); first > size || n > size-first {
		adapter.Misuse(c, "commands %d to %d of %d", first, first+n, size)
		return false
	}
	return true
}

// command answers indirectComputeCommandAtIndex:.
func (b *indirectBuffer) command(c *objcsoft.Call) {
	i := c.Uint(0)
	if i >= uint64(b.icb.Size()) {
		adapter.Misuse(c, "command index is %d, the buffer has %d commands", i, b.icb.Size())
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	id := b.commands[int(i)]
	if id == 0 {
		id = b.device.driver.New("PMSoftIndirectComputeCommand", &indirectCommand{b, int(i)})
		b.commands[int(i)] = id
	}
	c.ReturnShared(id)
}

func indirectCommandMethods() adapter.Methods {
	try := func(f func(i *indirectCommand, c *objcsoft.Call) error) objcsoft.Imp {
		return adapter.Method(func(i *indirectCommand, c *objcsoft.Call) {
			if err := f(i, c); err != nil && !c.Failed() {
				adapter.Misuse(c, "command %d: %v", i.index, err)
			}
		})
	}
	return adapter.Methods{
		"setComputePipelineState:": try(func(i *indirectCommand, c *objcsoft.Call) error {
			p, ok := adapter.Payload[*pipeline](c, 0)
			switch {
			case !ok:
				return i.owner.icb.SetPipeline(i.index, nil)
			case p.dev != i.owner.device:
				return errors.New("the pipeline state is of another device")
			}
			return i.owner.icb.SetPipeline(i.index, p.Pipeline)
		}),
		"setKernelBuffer:offset:atIndex:": try(func(i *indirectCommand, c *objcsoft.Call) error { return i.setBuffer(c, c.Uint(2)) }),
		// Strides are those of stage-in data, which the device does not have.
		"setKernelBuffer:offset:attributeStride:atIndex:": try(func(i *indirectCommand, c *objcsoft.Call) error { return i.setBuffer(c, c.Uint(3)) }),
		"concurrentDispatchThreadgroups:threadsPerThreadgroup:": try(func(i *indirectCommand, c *objcsoft.Call) error {
			if err := dispatch.CheckGrid(size(c, 0), size(c, 1)); err != nil {
				return err
			}
			return i.owner.icb.DispatchGroups(i.index, size(c, 0), size(c, 1))
		}),
		"concurrentDispatchThreads:threadsPerThreadgroup:": try(func(i *indirectCommand, c *objcsoft.Call) error {
			if err := dispatch.CheckGrid(size(c, 0), dispatch.Size{1, 1, 1}); err != nil {
				return err
			}
			return i.owner.icb.Dispatch(i.index, size(c, 0), size(c, 1))
		}),
		"setThreadgroupMemoryLength:atIndex:": try(func(i *indirectCommand, c *objcsoft.Call) error {
			return i.owner.icb.SetMemory(i.index, c.Uint(0), c.Uint(1))
		}),
		"setBarrier":   adapter.Method(func(i *indirectCommand, _ *objcsoft.Call) { i.owner.icb.SetBarrier(i.index, true) }),
		"clearBarrier": adapter.Method(func(i *indirectCommand, _ *objcsoft.Call) { i.owner.icb.SetBarrier(i.index, false) }),
		"reset":        adapter.Method(func(i *indirectCommand, _ *objcsoft.Call) { i.owner.icb.Reset(i.index, 1) }),
		// No pipeline has imageblocks or reads vertex attributes: neither setting changes what the command does.
		"setImageblockWidth:height:": func(*objcsoft.Call) {},
		"setStageInRegion:":          func(*objcsoft.Call) {},
	}
}

// setBuffer binds a buffer. The command does not keep it: who runs the command makes it resident, which does.
func (i *indirectCommand) setBuffer(c *objcsoft.Call, index uint64) error {
	b, ok := adapter.Payload[*buffer](c, 0)
	offset := c.Uint(1)
	switch {
	case c.Failed():
		return nil
	case !ok:
		adapter.Misuse(c, "command %d: the buffer is nil", i.index)
		return nil
	case b.device != i.owner.device:
		adapter.Misuse(c, "command %d: the buffer is of another device", i.index)
		return nil
	case offset > uint64(len(b.data)):
		adapter.Misuse(c, "command %d: buffer offset is %d bytes, want at most the buffer's length %d", i.index, offset, len(b.data))
		return nil
	}
	return i.owner.icb.SetBuffer(i.index, b.address(offset), index)
}

// indirectArg reads an indirect command buffer.
func (e *encoder) indirectArg(c *objcsoft.Call, arg int, call string) *command.Indirect {
	b, ok := adapter.Payload[*indirectBuffer](c, arg)
	switch {
	case c.Failed():
		return nil
	case !ok:
		e.misuse(call, "the indirect command buffer is nil")
		return nil
	case b.device != e.owner.dev:
		e.misuse(call, "the indirect command buffer is of another device")
		return nil
	}
	e.use(c.ID(arg))
	e.needs(call, "indirect command buffer", b)
	return b.icb
}

// commandRange reads an indirect command buffer and a range of its commands.
func (e *encoder) commandRange(c *objcsoft.Call, call string, arg, rng int) (icb *command.Indirect, first, n int) {
	if icb = e.indirectArg(c, arg, call); icb == nil {
		return nil, 0, 0
	}
	f, l := rangeArg(c, rng)
	if size := uint64(icb.Size()); f > size || l > size-f {
		e.misuse(call, "commands %d to %d of %d", f, f+l, size)
		return nil, 0, 0
	}
	return icb, int(f), int(l)
}

func (e *encoder) resetCommands(c *objcsoft.Call, call string) {
	if icb, first, n := e.commandRange(c, call, 0, 1); icb != nil {
		e.rec.Do(call, func() error {
			icb.Reset(first, n)
			return nil
		})
	}
}

func (e *encoder) copyCommands(c *objcsoft.Call, call string) {
	from, first, n := e.commandRange(c, call, 0, 1)
	if from == nil {
		return
	}
	to, at := e.indirectArg(c, 2, call), c.Uint(3)
	if to == nil {
		return
	}
	if size := uint64(to.Size()); at > size || uint64(n) > size-at {
		e.misuse(call, "destination commands %d to %d of %d", at, at+uint64(n), size)
		return
	}
	if from.Shape() != to.Shape() {
		e.misuse(call, "the two indirect command buffers have descriptors that differ")
		return
	}
	e.rec.Do(call, func() error { return to.Copy(int(at), from, first, n) })
}
