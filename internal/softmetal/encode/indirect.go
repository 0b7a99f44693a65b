package encode

import (
	"errors"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/softmetal/library"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmetal/resource"
)

// indirectBuffer is the state of an MTLIndirectCommandBuffer.
type indirectBuffer struct {
	resource.Resource
	icb   *command.Indirect
	types uint64

	mu       sync.Mutex
	commands map[int]objcsoft.ID // objects of commands, created on first use
}

// indirectCommand is the state of an MTLIndirectComputeCommand. Its object belongs to the buffer's.
type indirectCommand struct {
	owner *indirectBuffer
	index int
}

func (b *indirectBuffer) AllocatedSize() uint64 { return uint64(b.icb.Size()) * indirectCommandBytes }
func (b *indirectBuffer) Discard()              { b.icb.Reset(0, b.icb.Size()) }

// Memory returns what stands for the commands where accesses are recorded.
func (b *indirectBuffer) Memory() []byte { return b.icb.Marks() }

// Commands reports that the memory stands for commands.
func (b *indirectBuffer) Commands() bool { return true }

// indirectCommandBytes is about what a command takes, for accounts.
const indirectCommandBytes = 512

func indirectClasses() []adapter.Class {
	var props adapter.Properties
	for _, name := range []string{
		"commandTypes", "inheritPipelineState", "inheritBuffers", "inheritDepthStencilState", "inheritDepthBias",
		"inheritDepthClipMode", "inheritCullMode",
		"inheritFrontFacingWinding", "inheritTriangleFillMode", "maxVertexBufferBindCount", "maxFragmentBufferBindCount",
		"maxKernelBufferBindCount",
		"maxKernelThreadgroupMemoryBindCount", "maxObjectBufferBindCount", "maxMeshBufferBindCount",
		"maxObjectThreadgroupMemoryBindCount",
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
			"newIndirectCommandBufferWithDescriptor:maxCommandCount:options:": adapter.Method(newIndirectBuffer),
		}},
		{
			Name: "PMSoftIndirectCommandBuffer", Protocols: []string{"MTLIndirectCommandBuffer"},
			Dealloc: adapter.DeallocHook((*indirectBuffer).free),
			Methods: resource.ResourceMethods[*indirectBuffer](adapter.Methods{
				"size": adapter.Method(func(b *indirectBuffer,
					c *objcsoft.Call) {
					c.ReturnUint(uint64(b.icb.Size()))
				}),
				"gpuResourceID": adapter.Method(func(b *indirectBuffer,
					c *objcsoft.Call) {
					c.ReturnUint(b.icb.Handle())
				}),
				"indirectComputeCommandAtIndex:": adapter.Method((*indirectBuffer).command),
				"resetWithRange:": adapter.Method(func(b *indirectBuffer, c *objcsoft.Call) {
					if first, n := RangeArg(c, 0); b.within(c, first, n) {
						b.icb.Reset(int(first), int(n))
						b.Device.GPU().EncodedByProgram("resetWithRange:", b.icb, int(first), int(n))
					}
				}),
				"seenUses": adapter.Method(func(b *indirectBuffer, _ *objcsoft.Call) { b.Device.SeenUses(b.Memory()) }),
			}),
		},
		{Name: "PMSoftIndirectComputeCommand", Protocols: []string{"MTLIndirectComputeCommand"},
			Methods: indirectCommandMethods()},
	}
}

func newIndirectBuffer(d *device.Device, c *objcsoft.Call) {
	r := adapter.RecordArg(c, 0, "descriptor")
	if r == nil || !resource.CheckOptions(c, c.Uint(2)) {
		return
	}
	types := r.Uint("commandTypes")
	const compute = metal.IndirectCommandTypeConcurrentDispatch | metal.IndirectCommandTypeConcurrentDispatchThreads
	if types == 0 || types&^compute != 0 {
		adapter.Misuse(c, "command types are %#x, want some of %#x: this device draws nothing", types, compute)
		return
	}
	n := c.Uint(1)
	if n > limits.MaxCommands {
		n = limits.MaxCommands + 1 // rejected below with the same message, whatever the size of int
	}
	icb, err := d.GPU().NewIndirect(command.Shape{
		InheritPipeline: r.Bool("inheritPipelineState"), InheritBuffers: r.Bool("inheritBuffers"),
		Buffers: int(r.Uint("maxKernelBufferBindCount")), Memory: int(r.Uint("maxKernelThreadgroupMemoryBindCount")),
		Threadgroups: types&metal.IndirectCommandTypeConcurrentDispatch != 0,
		Threads:      types&metal.IndirectCommandTypeConcurrentDispatchThreads != 0,
	}, int(n))
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	b := &indirectBuffer{Resource: resource.Resource{Device: d, Options: c.Uint(2)}, icb: icb, types: types,
		commands: map[int]objcsoft.ID{}}
	icb.Tracked = b.HazardTracked()
	d.Renewed(b.Memory())
	b.ID = d.Driver.New("PMSoftIndirectCommandBuffer", b)
	d.Residents.Add(device.IndirectNumberOf(icb.Number()), b)
	c.ReturnID(b.ID)
}

func (b *indirectBuffer) free(o *objcsoft.Object) {
	b.Device.Residents.Remove(device.IndirectNumberOf(b.icb.Number()))
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
		id = b.Device.Driver.New("PMSoftIndirectComputeCommand", &indirectCommand{b, int(i)})
		b.commands[int(i)] = id
	}
	c.ReturnShared(id)
}

func indirectCommandMethods() adapter.Methods {
	methods := indirectCommandCalls()
	imps := make(adapter.Methods, len(methods))
	for name, f := range methods {
		imps[name] = adapter.Method(func(i *indirectCommand, c *objcsoft.Call) {
			switch err := f(i, c); {
			case c.Failed():
			case err != nil:
				adapter.Misuse(c, "command %d: %v", i.index, err)
			default:
				i.owner.Device.GPU().EncodedByProgram(name, i.owner.icb, i.index, 1)
			}
		})
	}
	// No pipeline has imageblocks or reads vertex attributes: neither setting changes what the command
	// does.
	imps["setImageblockWidth:height:"] = func(*objcsoft.Call) {}
	imps["setStageInRegion:"] = func(*objcsoft.Call) {}
	return imps
}

// indirectCommandCalls returns the methods that change a command.
func indirectCommandCalls() map[string]func(i *indirectCommand, c *objcsoft.Call) error {
	return map[string]func(i *indirectCommand, c *objcsoft.Call) error{
		"setComputePipelineState:": func(i *indirectCommand, c *objcsoft.Call) error {
			p, ok := adapter.Payload[*library.Pipeline](c, 0)
			switch {
			case !ok:
				return i.owner.icb.SetPipeline(i.index, nil)
			case p.Device != i.owner.Device:
				return errors.New("the pipeline state is of another device")
			}
			return i.owner.icb.SetPipeline(i.index, p.Pipeline)
		},
		"setKernelBuffer:offset:atIndex:": func(i *indirectCommand, c *objcsoft.Call) error {
			return i.setBuffer(c, c.Uint(2))
		},
		// Strides are those of stage-in data, which the device does not have.
		"setKernelBuffer:offset:attributeStride:atIndex:": func(i *indirectCommand, c *objcsoft.Call) error {
			return i.setBuffer(c, c.Uint(3))
		},
		"concurrentDispatchThreadgroups:threadsPerThreadgroup:": func(i *indirectCommand, c *objcsoft.Call) error {
			if err := dispatch.CheckGrid(Size(c, 0), Size(c, 1)); err != nil {
				return err
			}
			return i.owner.icb.DispatchGroups(i.index, Size(c, 0), Size(c, 1))
		},
		"concurrentDispatchThreads:threadsPerThreadgroup:": func(i *indirectCommand, c *objcsoft.Call) error {
			if err := dispatch.CheckGrid(Size(c, 0), dispatch.Size{1, 1, 1}); err != nil {
				return err
			}
			return i.owner.icb.Dispatch(i.index, Size(c, 0), Size(c, 1))
		},
		"setThreadgroupMemoryLength:atIndex:": func(i *indirectCommand, c *objcsoft.Call) error {
			return i.owner.icb.SetMemory(i.index, c.Uint(0), c.Uint(1))
		},
		"setBarrier": func(i *indirectCommand, _ *objcsoft.Call) error {
			i.owner.icb.SetBarrier(i.index, true)
			return nil
		},
		"clearBarrier": func(i *indirectCommand, _ *objcsoft.Call) error {
			i.owner.icb.SetBarrier(i.index, false)
			return nil
		},
		"reset": func(i *indirectCommand, _ *objcsoft.Call) error {
			i.owner.icb.Reset(i.index, 1)
			return nil
		},
	}
}

// setBuffer binds a buffer. The command does not keep it: who runs the command makes it resident,
// which does.
func (i *indirectCommand) setBuffer(c *objcsoft.Call, index uint64) error {
	b, ok := adapter.Payload[*resource.Buffer](c, 0)
	offset := c.Uint(1)
	switch {
	case c.Failed():
		return nil
	case !ok:
		adapter.Misuse(c, "command %d: the buffer is nil", i.index)
		return nil
	case b.Device != i.owner.Device:
		adapter.Misuse(c, "command %d: the buffer is of another device", i.index)
		return nil
	case offset > uint64(len(b.Data)):
		adapter.Misuse(c, "command %d: buffer offset is %d bytes, want at most the buffer's length %d", i.index, offset,
			len(b.Data))
		return nil
	}
	return i.owner.icb.SetBuffer(i.index, b.Address(offset), index)
}

// IndirectArg reads an indirect command buffer.
func (e *Encoder) IndirectArg(c *objcsoft.Call, arg int, call string) *command.Indirect {
	b, ok := adapter.Payload[*indirectBuffer](c, arg)
	switch {
	case c.Failed():
		return nil
	case !ok:
		e.Misuse(call, "the indirect command buffer is nil")
		return nil
	case b.Device != e.Owner.Device:
		e.Misuse(call, "the indirect command buffer is of another device")
		return nil
	}
	e.use(c.ID(arg))
	e.needs(call, "indirect command buffer", b)
	return b.icb
}

// commandRange reads an indirect command buffer and a range of its commands.
func (e *Encoder) commandRange(c *objcsoft.Call, call string, arg, rng int) (icb *command.Indirect, first, n int) {
	if icb = e.IndirectArg(c, arg, call); icb == nil {
		return nil, 0, 0
	}
	f, l := RangeArg(c, rng)
	if size := uint64(icb.Size()); f > size || l > size-f {
		e.Misuse(call, "commands %d to %d of %d", f, f+l, size)
		return nil, 0, 0
	}
	return icb, int(f), int(l)
}

func (e *Encoder) resetCommands(c *objcsoft.Call, call string) {
	if icb, first, n := e.commandRange(c, call, 0, 1); icb != nil {
		e.Commands.Copy(call, func(report *command.Copies) error {
			icb.Reset(first, n)
			report.Encoded(icb, first, n, true)
			return nil
		})
	}
}

func (e *Encoder) copyCommands(c *objcsoft.Call, call string) {
	from, first, n := e.commandRange(c, call, 0, 1)
	if from == nil {
		return
	}
	to, at := e.IndirectArg(c, 2, call), c.Uint(3)
	if to == nil {
		return
	}
	if size := uint64(to.Size()); at > size || uint64(n) > size-at {
		e.Misuse(call, "destination commands %d to %d of %d", at, at+uint64(n), size)
		return
	}
	if from.Shape() != to.Shape() {
		e.Misuse(call, "the two indirect command buffers have descriptors that differ")
		return
	}
	e.Commands.Copy(call, func(report *command.Copies) error {
		report.Encoded(from, first, n, false)
		report.Encoded(to, int(at), n, true)
		return to.Copy(int(at), from, first, n)
	})
}

// optimizeCommands changes nothing, as far as commands do what they did.
func (e *Encoder) optimizeCommands(c *objcsoft.Call, call string) {
	if icb, first, n := e.commandRange(c, call, 0, 1); icb != nil {
		e.Commands.Copy(call, func(report *command.Copies) error {
			report.Encoded(icb, first, n, true)
			return nil
		})
	}
}
