package library

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

// Pipeline is the state of an MTLComputePipelineState. It never changes.
type Pipeline struct {
	adapter.Label
	*dispatch.Pipeline
	spec    shader.PipelineSpec // what it was made from
	Device  *device.Device
	handle  uint64 // its gpuResourceID, by which kernels name it
	options uint64 // of the reflection that goes with it; 0 for none
}

// pipelineTag is in the upper bits of pipelines' handles, so that none is mistaken for an address
// or a texture.
const pipelineTag = 0x5049 << 48

func pipelineClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newComputePipelineStateWithFunction:error:":                       adapter.Method(newPipeline),
			"newComputePipelineStateWithFunction:options:reflection:error:":    adapter.Method(newPipelineReflected),
			"newComputePipelineStateWithFunction:completionHandler:":           adapter.Method(newPipelineAsync),
			"newComputePipelineStateWithFunction:options:completionHandler:":   adapter.Method(newPipelineReflectedAsync),
			"newComputePipelineStateWithDescriptor:options:reflection:error:":  adapter.Method(newPipelineDescribed),
			"newComputePipelineStateWithDescriptor:options:completionHandler:": adapter.Method(newPipelineDescribedAsync),
		}},
		{
			Name: "PMSoftComputePipelineState", Protocols: []string{"MTLComputePipelineState"},
			Methods: adapter.WithReadOnlyLabel[*Pipeline](adapter.Methods{
				"device":     adapter.Method(func(p *Pipeline, c *objcsoft.Call) { c.ReturnID(p.Device.ID) }),
				"reflection": adapter.Method((*Pipeline).reflection),
				"maxTotalThreadsPerThreadgroup": adapter.Method(func(p *Pipeline, c *objcsoft.Call) {
					c.ReturnUint(uint64(p.MaxThreads))
				}),
				"threadExecutionWidth": adapter.Method(func(p *Pipeline,
					c *objcsoft.Call) {
					c.ReturnUint(limits.SimdgroupWidth)
				}),
				"staticThreadgroupMemoryLength": adapter.Method(func(p *Pipeline, c *objcsoft.Call) {
					c.ReturnUint(uint64(p.StaticMemory))
				}),
				"supportIndirectCommandBuffers": adapter.Method(func(p *Pipeline, c *objcsoft.Call) { c.ReturnBool(p.Indirect) }),
				// private: what package compute does with kernels that synchronize the whole grid
				"cooperation": adapter.Method(func(p *Pipeline, c *objcsoft.Call) {
					adapter.ReturnJSON(c, p.CooperationReport())
				}),
				// private: what package compute chooses threadgroups by
				"threadgroupShapes": adapter.Method(func(p *Pipeline, c *objcsoft.Call) {
					adapter.ReturnJSON(c, p.ShapeReport())
				}),
				// private: whether launches with a threadgroup are not yet as fast as later ones
				"mayImprove:": adapter.Method(func(p *Pipeline, c *objcsoft.Call) {
					w := c.Words(0)
					c.ReturnBool(p.Code.MayImprove([3]int{int(w[0]), int(w[1]), int(w[2])}))
				}),
				"allowCooperation": adapter.Method(func(p *Pipeline, _ *objcsoft.Call) { p.Cooperation.Allow() }),
				"allocatedSize":    adapter.Constantly(0), // code is in the program's memory, not in the device's
				"gpuResourceID":    adapter.Method(func(p *Pipeline, c *objcsoft.Call) { c.ReturnUint(p.handle) }),
				"shaderValidation": adapter.Method(func(p *Pipeline,
					c *objcsoft.Call) {
					c.ReturnInt(int64(p.spec.Validation))
				}),
				"requiredThreadsPerThreadgroup": adapter.Method(func(p *Pipeline, c *objcsoft.Call) {
					c.ReturnWords(uintptr(p.Required[0]), uintptr(p.Required[1]), uintptr(p.Required[2]))
				}),
				// kernels have no imageblocks: 0 bytes
				"imageblockMemoryLengthForDimensions:": adapter.Method(func(*Pipeline, *objcsoft.Call) {}),
			}),
			Dealloc: adapter.DeallocHook(func(p *Pipeline, _ *objcsoft.Object) {
				p.Device.GPU().RemovePipeline(p.handle)
			}),
		},
	}
}

// pipelineSpec describes a requested pipeline.
type pipelineSpec struct {
	shader.PipelineSpec
	options  uint64 // MTLPipelineOption
	archives []*archive
	fault    *shader.Error // what the device cannot do
}

// newPipelineState makes an MTLComputePipelineState, +1.
func newPipelineState(d *device.Device, s pipelineSpec) (*Pipeline, objcsoft.ID, *shader.Error) {
	if s.fault != nil {
		return nil, 0, s.fault
	}
	if s.options&metal.PipelineOptionFailOnBinaryArchiveMiss != 0 && !inArchives(s.archives,
		func(a *shader.Archive) bool { return a.HasPipeline(&s.PipelineSpec) }) {
		return nil, 0, &shader.Error{Domain: metal.LibraryErrorDomain, Code: shader.CompileFailure,
			Text: "the pipeline of function '" + s.Function.Name + "' is in none of the binary archives"}
	}
	p, err := shader.NewPipeline(s.PipelineSpec)
	if err != nil {
		return nil, 0, err
	}
	state := addPipeline(d, p, s.PipelineSpec, s.options)
	return state, d.Driver.New("PMSoftComputePipelineState", state), nil
}

// addPipeline gives a pipeline its state and handle.
func addPipeline(d *device.Device, p *dispatch.Pipeline, spec shader.PipelineSpec, options uint64) *Pipeline {
	state := &Pipeline{Pipeline: p, spec: spec, Device: d,
		options: options & (metal.PipelineOptionBindingInfo | metal.PipelineOptionBufferTypeInfo)}
	state.SetText(spec.Label)
	if spec.Validation == metal.ShaderValidationEnabled {
		d.Validate()
	}
	state.handle = pipelineTag | d.Pipelines.Add(1)
	d.GPU().AddPipeline(state.handle, p)
	return state
}

// functionArg reads a kernel.
func functionArg(d *device.Device, c *objcsoft.Call, arg int) (s pipelineSpec, ok bool) {
	f, ok := adapter.Payload[*function](c, arg)
	if !ok {
		if !c.Failed() {
			adapter.Misuse(c, "computeFunction must not be nil")
		}
		return s, false
	}
	s.Function = f.fn
	return s, takes(d, c, f)
}

// takes checks that a function is a kernel of this device.
func takes(d *device.Device, c *objcsoft.Call, f *function) bool {
	switch {
	case f.dev != d:
		adapter.Misuse(c, "function '%s' is of another device", f.name)
	case f.fn.Type != shader.Kernel:
		adapter.Misuse(c, "function '%s' is of type %d, not a kernel", f.name, f.fn.Type)
	default:
		return true
	}
	return false
}

// returnPipeline sets the result, the reflection through argument out if the call has one, and the
// error through the last.
func returnPipeline(d *device.Device, c *objcsoft.Call, s pipelineSpec, reflection, out int) {
	p, id, err := newPipelineState(d, s)
	if err != nil {
		refuseError(c, out, err)
		return
	}
	if reflection >= 0 {
		if r := p.newReflection(); r != 0 {
			c.Store(reflection, uintptr(r))
			if err := c.RT.Autorelease(r); err != nil {
				c.Fail(err)
			}
		} else {
			c.Store(reflection, 0)
		}
	}
	c.ReturnID(id)
}

// finishPipeline makes the pipeline in the background; the handler has a reflection among its
// arguments or not.
func finishPipeline(d *device.Device, c *objcsoft.Call, s pipelineSpec, arg int, reflected bool) {
	block, ok := adapter.HandlerArg(c, arg)
	if !ok {
		return
	}
	adapter.Background(c, func(rt *objcsoft.Runtime) {
		p, id, err := newPipelineState(d, s)
		if !reflected {
			adapter.Complete(rt, block, id, newError(rt, err))
			return
		}
		var r objcsoft.ID
		if err == nil {
			r = p.newReflection()
		}
		adapter.Complete(rt, block, id, r, newError(rt, err))
	}, block)
}

func newPipeline(d *device.Device, c *objcsoft.Call) {
	if s, ok := functionArg(d, c, 0); ok {
		returnPipeline(d, c, s, -1, 1)
	}
}

func newPipelineReflected(d *device.Device, c *objcsoft.Call) {
	if s, ok := functionArg(d, c, 0); ok {
		s.options = c.Uint(1)
		returnPipeline(d, c, s, 2, 3)
	}
}

func newPipelineAsync(d *device.Device, c *objcsoft.Call) {
	if s, ok := functionArg(d, c, 0); ok {
		finishPipeline(d, c, s, 1, false)
	}
}

func newPipelineReflectedAsync(d *device.Device, c *objcsoft.Call) {
	if s, ok := functionArg(d, c, 0); ok {
		s.options = c.Uint(1)
		finishPipeline(d, c, s, 2, true)
	}
}

func newPipelineDescribed(d *device.Device, c *objcsoft.Call) {
	if s, ok := pipelineDescriptorArg(d, c, 0); ok {
		s.options = c.Uint(1)
		returnPipeline(d, c, s, 2, 3)
	}
}

func newPipelineDescribedAsync(d *device.Device, c *objcsoft.Call) {
	if s, ok := pipelineDescriptorArg(d, c, 0); ok {
		s.options = c.Uint(1)
		finishPipeline(d, c, s, 2, true)
	}
}
