package library

import (
	"encoding/binary"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/softmetal/memory"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmetal/resource"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

// functionHandle is the state of an MTLFunctionHandle: a visible function of a pipeline's.
type functionHandle struct {
	dev *device.Device
	fn  *shader.Function
}

// FunctionTable is the state of an MTLVisibleFunctionTable: memory that begins with the number of
// entries (see package ir).
type FunctionTable struct {
	resource.Resource
	pipeline *shader.PipelineSpec
	object   uint32
	block    *memory.Block
	size     uint64 // entries
}

func functionTableClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"supportsFunctionPointers": adapter.Constantly(1),
			"supportsDynamicLibraries": adapter.Constantly(0),
			// nil: functions are compiled with the kernel that calls them
			"functionHandleWithFunction:":       adapter.Method(func(_ *device.Device, c *objcsoft.Call) {}),
			"functionHandleWithBinaryFunction:": adapter.Method(func(_ *device.Device, c *objcsoft.Call) {}),
		}},
		{Name: "PMSoftComputePipelineState", Methods: adapter.Methods{
			"functionHandleWithFunction:":                                 adapter.Method((*Pipeline).functionHandle),
			"functionHandleWithName:":                                     adapter.Method((*Pipeline).functionHandleNamed),
			"functionHandleWithBinaryFunction:":                           adapter.Method((*Pipeline).functionHandleBinary),
			"newVisibleFunctionTableWithDescriptor:":                      adapter.Method((*Pipeline).newFunctionTable),
			"newComputePipelineStateWithAdditionalBinaryFunctions:error:": adapter.Method((*Pipeline).newWithFunctions),
			"newComputePipelineStateWithBinaryFunctions:error:":           adapter.Method((*Pipeline).newWithBinaryFunctions),
			"newIntersectionFunctionTableWithDescriptor:": adapter.Method(func(_ *Pipeline, c *objcsoft.Call) {
				adapter.Misuse(c, "the device does not support ray tracing")
			}),
		}},
		{Name: "PMSoftFunctionHandle", Protocols: []string{"MTLFunctionHandle"}, Methods: adapter.Methods{
			"device": adapter.Method(func(h *functionHandle, c *objcsoft.Call) { c.ReturnID(h.dev.ID) }),
			"name": adapter.Method(func(h *functionHandle,
				c *objcsoft.Call) {
				c.ReturnAutoreleased(c.RT.NewString(h.fn.Name))
			}),
			"functionType":  adapter.Method(func(h *functionHandle, c *objcsoft.Call) { c.ReturnUint(uint64(h.fn.Type)) }),
			"gpuResourceID": adapter.Method(func(h *functionHandle, c *objcsoft.Call) { c.ReturnUint(h.fn.Entry()) }),
		}},
		{Name: "MTLVisibleFunctionTableDescriptor", Protocols: []string{"NSCopying"},
			Properties:   adapter.Properties{{Name: "functionCount"}},
			ClassMethods: adapter.Methods{"visibleFunctionTableDescriptor": adapter.NewAutoreleased("MTLVisibleFunctionTableDescriptor")}},
		{Name: "PMSoftVisibleFunctionTable", Protocols: []string{"MTLVisibleFunctionTable"},
			Methods: resource.ResourceMethods[*FunctionTable](adapter.Methods{
				"gpuResourceID": adapter.Method(func(t *FunctionTable, c *objcsoft.Call) { c.ReturnUint(t.Address()) }),
				"setFunction:atIndex:": adapter.Method(func(t *FunctionTable,
					c *objcsoft.Call) {
					t.set(c, c.ID(0), c.Uint(1))
				}),
				"setFunctions:withRange:": adapter.Method((*FunctionTable).setMany),
			}), Dealloc: adapter.DeallocHook((*FunctionTable).free)},
	}
}

func (p *Pipeline) returnHandle(c *objcsoft.Call, f *shader.Function) {
	if f != nil {
		c.ReturnAutoreleased(p.Device.Driver.New("PMSoftFunctionHandle", &functionHandle{p.Device, f}))
	}
}

// functionHandle returns the handle of a function that the pipeline links, nil for any other.
func (p *Pipeline) functionHandle(c *objcsoft.Call) {
	if f, ok := adapter.Payload[*function](c, 0); ok && p.spec.Links(f.fn) {
		p.returnHandle(c, p.spec.LinkedFunction(f.fn.Name))
	}
}

func (p *Pipeline) functionHandleNamed(c *objcsoft.Call) {
	if name, ok := nameArg(c, 0); ok {
		p.returnHandle(c, p.spec.LinkedFunction(name))
	}
}

// functionHandleBinary is functionHandle for a function that a Metal 4 compiler has made.
func (p *Pipeline) functionHandleBinary(c *objcsoft.Call) {
	if f, ok := adapter.Payload[*binaryFunction4](c, 0); ok && p.spec.Links(f.fn) {
		p.returnHandle(c, p.spec.LinkedFunction(f.fn.Name))
	}
}

func (p *Pipeline) newWithFunctions(c *objcsoft.Call) {
	list, err := adapter.Payloads[*function](c.RT, c.ID(0))
	if err != nil {
		c.Fail(err)
		return
	}
	var more []*shader.Function
	for _, f := range list {
		more = append(more, f.fn)
	}
	p.extend(c, more)
}

func (p *Pipeline) newWithBinaryFunctions(c *objcsoft.Call) {
	list, err := adapter.Payloads[*binaryFunction4](c.RT, c.ID(0))
	if err != nil {
		c.Fail(err)
		return
	}
	var more []*shader.Function
	for _, f := range list {
		more = append(more, f.fn)
	}
	p.extend(c, more)
}

// extend returns a pipeline with more functions.
func (p *Pipeline) extend(c *objcsoft.Call, more []*shader.Function) {
	spec, fault := p.spec.Extended(more)
	var extended *dispatch.Pipeline
	if fault == nil {
		extended, fault = shader.NewPipeline(spec)
	}
	if fault != nil {
		refuseError(c, 1, fault)
		return
	}
	c.ReturnID(p.Device.Driver.New("PMSoftComputePipelineState", addPipeline(p.Device, extended, spec, p.options)))
}

// maxFunctions is how many entries a visible function table may have.
const maxFunctions = 1 << 20

func (p *Pipeline) newFunctionTable(c *objcsoft.Call) {
	r := adapter.RecordArg(c, 0, "the descriptor")
	if r == nil {
		return
	}
	n := r.Uint("functionCount")
	if n == 0 || n > maxFunctions {
		adapter.Misuse(c, "functionCount is %d, want 1 to %d", n, maxFunctions)
		return
	}
	block, err := p.Device.Memory.Allocate(8+8*n, memory.Working)
	if err != nil {
		return // nil: there is no memory
	}
	t := &FunctionTable{Resource: resource.Resource{Device: p.Device, Options: metal.ResourceStorageModePrivate},
		pipeline: &p.spec, block: block, size: n}
	binary.LittleEndian.PutUint64(block.Bytes(), n)
	t.object = p.Device.Memory.Add(exec.Object{Data: block.Bytes(), ReadOnly: true})
	t.ID = p.Device.Driver.New("PMSoftVisibleFunctionTable", t)
	p.Device.Residents.Add(t.object, t)
	c.ReturnID(t.ID)
}

// Address is what kernels see of the table.
func (t *FunctionTable) Address() uint64 { return exec.Address(t.object, 0) }

// AllocatedSize returns the memory of the table in bytes.
func (t *FunctionTable) AllocatedSize() uint64 { return t.block.Size() }

// discard empties the table.
func (t *FunctionTable) Discard() { clear(t.block.Bytes()[8:]) }

func (t *FunctionTable) free(*objcsoft.Object) {
	t.Device.Residents.Remove(t.object)
	t.Device.Memory.Remove(t.object)
	t.Device.Memory.Free(t.block)
}

// set stores a function's handle in an entry; nil clears it.
func (t *FunctionTable) set(c *objcsoft.Call, id objcsoft.ID, index uint64) {
	if index >= t.size {
		adapter.Misuse(c, "index %d is past the table's %d entries", index, t.size)
		return
	}
	var entry uint64
	if id != 0 {
		h, ok := adapter.PayloadOf[*functionHandle](c.RT, id)
		if !ok || !t.pipeline.Links(h.fn) {
			adapter.Misuse(c, "the function for index %d is none that the table's pipeline links", index)
			return
		}
		entry = h.fn.Entry()
	}
	binary.LittleEndian.PutUint64(t.block.Bytes()[8+8*index:], entry)
}

func (t *FunctionTable) setMany(c *objcsoft.Call) {
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
		if t.set(c, objcsoft.ID(w), first+uint64(i)); c.Failed() {
			return
		}
	}
}
