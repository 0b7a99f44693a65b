package softmetal

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

// pipeline is the state of an MTLComputePipelineState. It never changes.
type pipeline struct {
	adapter.Label
	*dispatch.Pipeline
	spec    shader.PipelineSpec // what it was made from
	dev     *device
	handle  uint64 // its gpuResourceID, by which kernels name it
	options uint64 // of the reflection that goes with it; 0 for none
}

// pipelineTag is in the upper bits of pipelines' handles, so that none is mistaken for an address or a texture.
const pipelineTag = 0x5049 << 48

func pipelineClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newComputePipelineStateWithFunction:error:":                       adapter.Method((*device).newPipeline),
			"newComputePipelineStateWithFunction:options:reflection:error:":    adapter.Method((*device).newPipelineReflected),
			"newComputePipelineStateWithFunction:completionHandler:":           adapter.Method((*device).newPipelineAsync),
			"newComputePipelineStateWithFunction:options:completionHandler:":   adapter.Method((*device).newPipelineReflectedAsync),
			"newComputePipelineStateWithDescriptor:options:reflection:error:":  adapter.Method((*device).newPipelineDescribed),
			"newComputePipelineStateWithDescriptor:options:completionHandler:": adapter.Method((*device).newPipelineDescribedAsync),
		}},
		{
			Name: "PMSoftComputePipelineState", Protocols: []string{"MTLComputePipelineState"},
			Methods: adapter.WithReadOnlyLabel[*pipeline](adapter.Methods{
				"device":                        adapter.Method(func(p *pipeline, c *objcsoft.Call) { c.ReturnID(p.dev.id) }),
				"reflection":                    adapter.Method((*pipeline).reflection),
				"maxTotalThreadsPerThreadgroup": adapter.Method(func(p *pipeline, c *objcsoft.Call) { c.ReturnUint(uint64(p.MaxThreads)) }),
				"threadExecutionWidth":          adapter.Method(func(p *pipeline, c *objcsoft.Call) { c.ReturnUint(limits.SimdgroupWidth) }),
				"staticThreadgroupMemoryLength": adapter.Method(func(p *pipeline, c *objcsoft.Call) { c.ReturnUint(uint64(p.StaticMemory)) }),
				"supportIndirectCommandBuffers": adapter.Method(func(p *pipeline, c *objcsoft.Call) { c.ReturnBool(p.Indirect) }),
				"allocatedSize":                 adapter.Constantly(0), // code lies in the program's memory, not in the device's
				"gpuResourceID":                 adapter.Method(func(p *pipeline, c *objcsoft.Call) { c.ReturnUint(p.handle) }),
				"shaderValidation":              adapter.Method(func(p *pipeline, c *objcsoft.Call) { c.ReturnInt(int64(p.spec.Validation)) }),
				"requiredThreadsPerThreadgroup": adapter.Method(func(p *pipeline, c *objcsoft.Call) {
					c.ReturnWords(uintptr(p.Required[0]), uintptr(p.Required[1]), uintptr(p.Required[2]))
				}),
				"imageblockMemoryLengthForDimensions:": adapter.Method(func(*pipeline, *objcsoft.Call) {}), // kernels have no imageblocks: 0 bytes
			}),
			Dealloc: adapter.DeallocHook(func(p *pipeline, _ *objcsoft.Object) {
				p.dev.gpu().RemovePipeline(p.handle)
			}),
		},
	}
}

// pipelineSpec is a pipeline that is asked for.
type pipelineSpec struct {
	shader.PipelineSpec
	options  uint64 // MTLPipelineOption
	archives []*archive
	fault    *shader.Error // what the device cannot do
}

// newPipelineState makes an MTLComputePipelineState, +1.
func (d *device) newPipelineState(s pipelineSpec) (*pipeline, objcsoft.ID, *shader.Error) {
	if s.fault != nil {
		return nil, 0, s.fault
	}
	if s.options&mtlPipelineOptionFailOnBinaryArchiveMiss != 0 && !inArchives(s.archives, func(a *shader.Archive) bool { return a.HasPipeline(&s.PipelineSpec) }) {
		return nil, 0, &shader.Error{Domain: libraryErrorDomain, Code: shader.CompileFailure,
			Text: "the pipeline of function '" + s.Function.Name + "' is in none of the binary archives"}
	}
	p, err := shader.NewPipeline(s.PipelineSpec)
	if err != nil {
		return nil, 0, err
	}
	state := d.addPipeline(p, s.PipelineSpec, s.options)
	return state, d.driver.New("PMSoftComputePipelineState", state), nil
}

// addPipeline gives a pipeline its state and handle.
func (d *device) addPipeline(p *dispatch.Pipeline, spec shader.PipelineSpec, options uint64) *pipeline {
	state := &pipeline{Pipeline: p, spec: spec, dev: d, options: options & (mtlPipelineOptionBindingInfo | mtlPipelineOptionBufferTypeInfo)}
	state.SetText(spec.Label)
	state.handle = pipelineTag | d.pipelines.Add(1)
	d.gpu().AddPipeline(state.handle, p)
	return state
}

// functionArg reads a kernel.
func (d *device) functionArg(c *objcsoft.Call, arg int) (s pipelineSpec, ok bool) {
	f, ok := adapter.Payload[*function](c, arg)
	if !ok {
		if !c.Failed() {
			adapter.Misuse(c, "computeFunction must not be nil")
		}
		return s, false
	}
	s.Function = f.fn
	return s, d.takes(c, f)
}

// takes checks that a function is a kernel of this device.
func (d *device) takes(c *objcsoft.Call, f *function) bool {
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

// returnPipeline sets the result, the reflection through argument out if the call has one, and the error through the last.
func (d *device) returnPipeline(c *objcsoft.Call, s pipelineSpec, reflection, out int) {
	p, id, err := d.newPipelineState(s)
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

// finishPipeline makes the pipeline in the background; the handler has a reflection among its arguments or not.
func (d *device) finishPipeline(c *objcsoft.Call, s pipelineSpec, arg int, reflected bool) {
	block, ok := adapter.HandlerArg(c, arg)
	if !ok {
		return
	}
	adapter.Background(c, func(rt *objcsoft.Runtime) {
		p, id, err := d.newPipelineState(s)
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

func (d *device) newPipeline(c *objcsoft.Call) {
	if s, ok := d.functionArg(c, 0); ok {
		d.returnPipeline(c, s, -1, 1)
	}
}

func (d *device) newPipelineReflected(c *objcsoft.Call) {
	if s, ok := d.functionArg(c, 0); ok {
		s.options = c.Uint(1)
		d.returnPipeline(c, s, 2, 3)
	}
}

func (d *device) newPipelineAsync(c *objcsoft.Call) {
	if s, ok := d.functionArg(c, 0); ok {
		d.finishPipeline(c, s, 1, false)
	}
}

func (d *device) newPipelineReflectedAsync(c *objcsoft.Call) {
	if s, ok := d.functionArg(c, 0); ok {
		s.options = c.Uint(1)
		d.finishPipeline(c, s, 2, true)
	}
}

func (d *device) newPipelineDescribed(c *objcsoft.Call) {
	if s, ok := d.pipelineDescriptorArg(c, 0); ok {
		s.options = c.Uint(1)
		d.returnPipeline(c, s, 2, 3)
	}
}

func (d *device) newPipelineDescribedAsync(c *objcsoft.Call) {
	if s, ok := d.pipelineDescriptorArg(c, 0); ok {
		s.options = c.Uint(1)
		d.finishPipeline(c, s, 2, true)
	}
}
