package softmetal

import (
	"math"

	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
)

// computeEncoder is the state of an MTLComputeCommandEncoder.
type computeEncoder struct {
	encoder
	dispatchType uint64
	bound        [limits.MaxBuffers]place // by slot: whole buffers, for new offsets; zero for what is none
}

// computeCall is a method of a compute encoder.
type computeCall = func(e *computeEncoder, c *objcsoft.Call, call string)

func computeEncoderClasses() []adapter.Class {
	calls := fenceMethods[*computeEncoder]()
	for _, list := range []map[string]computeCall{computeBindings(), computeDispatches(), computeResources()} {
		for sel, f := range list {
			calls[sel] = f
		}
	}
	return []adapter.Class{{
		Name: "PMSoftComputeCommandEncoder", Protocols: []string{"MTLComputeCommandEncoder"},
		Methods: encoderMethods[*computeEncoder](encoderCalls("MTLComputeCommandEncoder", calls)),
		Dealloc: adapter.DeallocHook(freeEncoder[*computeEncoder]),
	}}
}

func (b *commandBuffer) newComputeEncoder(c *objcsoft.Call, call string, dispatchType uint64, samples []command.Boundary) {
	if dispatchType > mtlDispatchTypeConcurrent {
		adapter.Misuse(c, "dispatch type is %d, want %d or %d", dispatchType, mtlDispatchTypeSerial, mtlDispatchTypeConcurrent)
		return
	}
	if rec := b.newEncoder(c, call, command.Compute, dispatchType == mtlDispatchTypeConcurrent, samples); rec != nil {
		e := &computeEncoder{encoder: encoder{owner: &b.recording, rec: rec, enc: "MTLComputeCommandEncoder"}, dispatchType: dispatchType}
		c.ReturnAutoreleased(b.dev.driver.New("PMSoftComputeCommandEncoder", e))
	}
}

func computeDispatches() map[string]computeCall {
	return map[string]computeCall{
		"dispatchType":             func(e *computeEncoder, c *objcsoft.Call, _ string) { c.ReturnUint(e.dispatchType) },
		"setComputePipelineState:": func(e *computeEncoder, c *objcsoft.Call, call string) { e.setPipeline(c, call) },
		"dispatchThreadgroups:threadsPerThreadgroup:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.rec.DispatchGroups(call, size(c, 0), size(c, 1))
		},
		"dispatchThreads:threadsPerThreadgroup:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.rec.Dispatch(call, size(c, 0), size(c, 1))
		},
		"dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			if p, ok := e.arguments(c, 0, c.Uint(1), 12, call, "indirect buffer"); ok {
				e.rec.DispatchGroupsAt(call, p.address, size(c, 2))
			}
		},
		"executeCommandsInBuffer:withRange:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			if icb := e.indirectArg(c, 0, call); icb != nil {
				first, n := rangeArg(c, 1)
				e.rec.Execute(call, icb, first, n)
			}
		},
		"executeCommandsInBuffer:indirectBuffer:indirectBufferOffset:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			if icb := e.indirectArg(c, 0, call); icb != nil {
				if p, ok := e.arguments(c, 1, c.Uint(2), 8, call, "range buffer"); ok {
					e.rec.ExecuteAt(call, icb, p.address)
				}
			}
		},
		// A stage-in region chooses among vertex attributes, which no pipeline of this device reads.
		"setStageInRegion:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			if w := c.Words(0); w[3] == 0 || w[4] == 0 || w[5] == 0 {
				e.misuse(call, "the region is %d x %d x %d, want at least 1 each way", w[3], w[4], w[5])
			}
		},
		"setStageInRegionWithIndirectBuffer:indirectBufferOffset:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.arguments(c, 0, c.Uint(1), 24, call, "indirect buffer")
		},
		// Nor has any pipeline imageblocks.
		"setImageblockWidth:height:": func(e *computeEncoder, c *objcsoft.Call, call string) { e.checkImageblock(c, call) },
	}
}

func (e *encoder) checkImageblock(c *objcsoft.Call, call string) {
	if c.Uint(0) == 0 || c.Uint(1) == 0 {
		e.misuse(call, "the imageblock is %d x %d, want at least 1 each way", c.Uint(0), c.Uint(1))
	}
}

// setPipeline chooses what the next dispatches run.
func (e *encoder) setPipeline(c *objcsoft.Call, call string) {
	p, ok := adapter.Payload[*pipeline](c, 0)
	switch {
	case c.Failed():
	case !ok:
		e.misuse(call, "the pipeline state is nil")
	case p.dev != e.owner.dev:
		e.misuse(call, "the pipeline state is of another device")
	default:
		e.use(c.ID(0))
		e.rec.SetPipeline(call, p.Pipeline)
	}
}

func computeBindings() map[string]computeCall {
	return map[string]computeCall{
		"setBuffer:offset:atIndex:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.setBuffer(c, call, c.ID(0), c.Uint(1), c.Uint(2))
		},
		// Strides are those of stage-in data, which the device does not have: any are as good.
		"setBuffer:offset:attributeStride:atIndex:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.setBuffer(c, call, c.ID(0), c.Uint(1), c.Uint(3))
		},
		"setBufferOffset:atIndex:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.setOffset(call, c.Uint(0), c.Uint(1))
		},
		"setBufferOffset:attributeStride:atIndex:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.setOffset(call, c.Uint(0), c.Uint(2))
		},
		"setBuffers:offsets:withRange:":                  func(e *computeEncoder, c *objcsoft.Call, call string) { e.setBuffers(c, call, 2) },
		"setBuffers:offsets:attributeStrides:withRange:": func(e *computeEncoder, c *objcsoft.Call, call string) { e.setBuffers(c, call, 3) },
		"setBytes:length:atIndex:":                       func(e *computeEncoder, c *objcsoft.Call, call string) { e.setBytes(c, call, c.Uint(2)) },
		"setBytes:length:attributeStride:atIndex:":       func(e *computeEncoder, c *objcsoft.Call, call string) { e.setBytes(c, call, c.Uint(3)) },
		"setTexture:atIndex:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.setTexture(c, call, c.ID(0), c.Uint(1))
		},
		"setTextures:withRange:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.each(c, call, 1, "texture", limits.MaxTextures, func(id objcsoft.ID, at uint64, _ int) { e.setTexture(c, call, id, at) })
		},
		"setSamplerState:atIndex:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.setSampler(c, call, c.ID(0), c.Uint(1))
		},
		"setSamplerStates:withRange:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.each(c, call, 1, "sampler", limits.MaxSamplers, func(id objcsoft.ID, at uint64, _ int) { e.setSampler(c, call, id, at) })
		},
		"setSamplerState:lodMinClamp:lodMaxClamp:atIndex:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.setClampedSampler(c, call, c.ID(0), c.F32(1), c.F32(2), c.Uint(3))
		},
		"setSamplerStates:lodMinClamps:lodMaxClamps:withRange:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			_, n := rangeArg(c, 3)
			lo, hi := floats(c, 1, n), floats(c, 2, n)
			if c.Failed() {
				return
			}
			e.each(c, call, 3, "sampler", limits.MaxSamplers, func(id objcsoft.ID, at uint64, i int) { e.setClampedSampler(c, call, id, lo[i], hi[i], at) })
		},
		"setVisibleFunctionTable:atBufferIndex:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.setFunctionTable(c, call, c.ID(0), c.Uint(1))
		},
		"setVisibleFunctionTables:withBufferRange:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.each(c, call, 1, "buffer", limits.MaxBuffers, func(id objcsoft.ID, at uint64, _ int) { e.setFunctionTable(c, call, id, at) })
		},
		"setIntersectionFunctionTable:atBufferIndex:":    refused[*computeEncoder]("ray tracing"),
		"setIntersectionFunctionTables:withBufferRange:": refused[*computeEncoder]("ray tracing"),
		"setAccelerationStructure:atBufferIndex:":        refused[*computeEncoder]("ray tracing"),
		"setThreadgroupMemoryLength:atIndex:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.rec.SetThreadgroupMemory(call, c.Uint(0), c.Uint(1))
		},
	}
}

func (e *computeEncoder) setBuffer(c *objcsoft.Call, call string, id objcsoft.ID, offset, index uint64) {
	if p, ok := e.buffer(c, id, offset, call, "buffer"); ok {
		e.rec.SetBuffer(call, p.address, index)
		if id != 0 {
			p = place{p.address - offset, p.length + offset}
		}
		e.remember(index, p)
	}
}

func (e *computeEncoder) remember(index uint64, b place) {
	if index < uint64(len(e.bound)) {
		e.bound[index] = b
	}
}

func (e *computeEncoder) setOffset(call string, offset, index uint64) {
	if index >= uint64(len(e.bound)) {
		e.misuse(call, "buffer index is %d, want at most %d", index, len(e.bound)-1)
		return
	}
	switch p := e.bound[index]; {
	case p.address == 0:
		e.misuse(call, "no buffer is set at index %d", index)
	case offset > p.length:
		e.misuse(call, "buffer offset is %d bytes, want at most the buffer's length %d", offset, p.length)
	default:
		e.rec.SetBuffer(call, p.address+offset, index)
	}
}

func (e *computeEncoder) setBuffers(c *objcsoft.Call, call string, rng int) {
	_, n := rangeArg(c, rng)
	if n > limits.MaxBuffers {
		e.misuse(call, "the range has %d buffers, want at most %d", n, limits.MaxBuffers)
		return
	}
	offsets, err := objcsoft.ReadWords(c.Word(1), n)
	if err != nil {
		c.Fail(err)
		return
	}
	e.each(c, call, rng, "buffer", limits.MaxBuffers, func(id objcsoft.ID, at uint64, i int) { e.setBuffer(c, call, id, uint64(offsets[i]), at) })
}

// each calls set for the objects of an array, which is argument 0, and their slots, which are a range.
func (e *encoder) each(c *objcsoft.Call, call string, rng int, what string, limit uint64, set func(id objcsoft.ID, at uint64, i int)) {
	first, n := rangeArg(c, rng)
	if first > limit || n > limit-first {
		e.misuse(call, "%s indices are %d to %d, want at most %d", what, first, first+n, limit-1)
		return
	}
	words, err := objcsoft.ReadWords(c.Word(0), n) // nil has its meaning here
	if err != nil {
		c.Fail(err)
		return
	}
	for i, w := range words {
		set(objcsoft.ID(w), first+uint64(i), i)
	}
}

func (e *computeEncoder) setBytes(c *objcsoft.Call, call string, index uint64) {
	n := c.Uint(1)
	if n == 0 || n > limits.MaxInlineBytes {
		e.misuse(call, "length is %d bytes, want 1 to %d", n, limits.MaxInlineBytes)
		return
	}
	if b := e.rec.Bytes(call, int(n), index); b != nil {
		if err := objcsoft.ReadInto(c.Word(0), b); err != nil {
			c.Fail(err)
			return
		}
	}
	e.remember(index, place{})
}

func (e *computeEncoder) setTexture(c *objcsoft.Call, call string, id objcsoft.ID, index uint64) {
	if id == 0 {
		e.rec.SetTexture(call, 0, index)
		return
	}
	t, ok := adapter.PayloadOf[*texture](c.RT, id)
	switch {
	case !ok:
		adapter.Misuse(c, "the texture at index %d is no live texture of this device", index)
	case t.device != e.owner.dev:
		e.misuse(call, "the texture at index %d is of another device", index)
	default:
		e.use(id)
		e.rec.SetTexture(call, uint64(t.handle), index)
	}
}

func (e *computeEncoder) samplerArg(c *objcsoft.Call, call string, id objcsoft.ID, index uint64) *samplerState {
	s, ok := adapter.PayloadOf[*samplerState](c.RT, id)
	switch {
	case !ok:
		adapter.Misuse(c, "the sampler at index %d is no live sampler of this device", index)
	case s.device != e.owner.dev:
		e.misuse(call, "the sampler at index %d is of another device", index)
	default:
		e.use(id)
		return s
	}
	return nil
}

func (e *computeEncoder) setSampler(c *objcsoft.Call, call string, id objcsoft.ID, index uint64) {
	if id == 0 {
		e.rec.SetSampler(call, 0, index)
	} else if s := e.samplerArg(c, call, id, index); s != nil {
		e.rec.SetSampler(call, uint64(s.handle), index)
	}
}

// setClampedSampler binds a sampler with other bounds of the level of detail than its own: one that lives until the commands have run.
func (e *computeEncoder) setClampedSampler(c *objcsoft.Call, call string, id objcsoft.ID, low, high float32, index uint64) {
	if id == 0 {
		e.rec.SetSampler(call, 0, index)
		return
	}
	s := e.samplerArg(c, call, id, index)
	if s == nil {
		return
	}
	if !(low <= high) { // a NaN is not either
		e.misuse(call, "levels from %v to %v are none", low, high)
		return
	}
	d, state := e.owner.dev, s.state
	state.LODClamp = [2]float32{low, high}
	handle := d.samplerHandles.take()
	if handle == 0 {
		e.misuse(call, "there are no more samplers")
		return
	}
	d.memory.Space().SetSampler(handle, texel.NewSampler(&state))
	e.owner.atEnd(func() {
		d.memory.Space().SetSampler(handle, nil)
		d.samplerHandles.give(handle)
	})
	e.rec.SetSampler(call, uint64(handle), index)
}

func (e *computeEncoder) setFunctionTable(c *objcsoft.Call, call string, id objcsoft.ID, index uint64) {
	if id == 0 {
		e.rec.SetBuffer(call, 0, index)
		e.remember(index, place{})
		return
	}
	t, ok := adapter.PayloadOf[*functionTable](c.RT, id)
	switch {
	case !ok:
		adapter.Misuse(c, "the function table at index %d is no live table of this device", index)
	case t.device != e.owner.dev:
		e.misuse(call, "the function table at index %d is of another device", index)
	default:
		e.use(id)
		e.rec.SetBuffer(call, t.address(), index)
		e.remember(index, place{})
	}
}

// floats copies an array of n floats from an address argument.
func floats(c *objcsoft.Call, arg int, n uint64) []float32 {
	if n > limits.MaxSamplers {
		n = limits.MaxSamplers // the range is refused before more are used
	}
	b := c.Bytes(arg, 4*n)
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(uint32(b[4*i]) | uint32(b[4*i+1])<<8 | uint32(b[4*i+2])<<16 | uint32(b[4*i+3])<<24)
	}
	return out
}

func computeResources() map[string]computeCall {
	one := func(e *computeEncoder, c *objcsoft.Call, call string) { e.useResources(c, call, c.ID(0)) }
	// A barrier orders all memory, of whatever scope and resources: a concurrent encoder's commands before it end before those after it begin.
	return map[string]computeCall{
		"useResource:usage:": one,
		"useResources:count:usage:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.useResources(c, call, c.IDs(0, c.Uint(1))...)
		},
		"useHeap:": func(e *computeEncoder, c *objcsoft.Call, call string) { e.useResources(c, call, c.ID(0)) },
		"useHeaps:count:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.useResources(c, call, c.IDs(0, c.Uint(1))...)
		},
		"memoryBarrierWithScope:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			if s := c.Uint(0); s == 0 || s&^(mtlBarrierScopeBuffers|mtlBarrierScopeTextures) != 0 {
				e.misuse(call, "scope is %#x, want %#x, %#x or both", s, mtlBarrierScopeBuffers, mtlBarrierScopeTextures)
				return
			}
			e.rec.Barrier(call)
		},
		"memoryBarrierWithResources:count:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			if n := c.Uint(1); n == 0 {
				e.misuse(call, "the number of resources is 0, want at least 1")
			} else {
				e.useResources(c, call, c.IDs(0, n)...)
				e.rec.Barrier(call)
			}
		},
		"sampleCountersInBuffer:atSampleIndex:withBarrier:": noDispatchSampling[*computeEncoder],
	}
}

// useResources keeps what kernels reach through argument buffers.
func (e *computeEncoder) useResources(c *objcsoft.Call, call string, ids ...objcsoft.ID) {
	for i, id := range ids {
		if id == 0 {
			e.misuse(call, "resource %d is nil", i)
			return
		}
		if d := ownerOf(c.RT, id); d != nil && d != e.owner.dev {
			e.misuse(call, "resource %d is of another device, %q", i, d.name)
			return
		}
		e.use(id)
	}
}

// ownerOf returns the device of a resource or heap, nil of another object.
func ownerOf(rt *objcsoft.Runtime, id objcsoft.ID) *device {
	o, err := rt.Object(id)
	if err != nil {
		return nil
	}
	switch s := o.Payload.(type) {
	case resourceOf:
		return s.asResource().device
	case *heap:
		return s.device
	}
	return nil
}
