package encode

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/library"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmetal/resource"
)

// computeEncoder is the state of an MTLComputeCommandEncoder.
type computeEncoder struct {
	Encoder
	dispatchType uint64
	bound        [limits.MaxBuffers]place // by slot: whole buffers, for new offsets; zero for anything else
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
		Methods: encoderMethods[*computeEncoder](EncoderCalls("MTLComputeCommandEncoder", calls)),
		Dealloc: adapter.DeallocHook(FreeEncoder[*computeEncoder]),
	}}
}

func (b *commandBuffer) newComputeEncoder(c *objcsoft.Call, call string, dispatchType uint64,
	samples []command.Boundary) {
	if dispatchType > metal.DispatchTypeConcurrent {
		adapter.Misuse(c, "dispatch type is %d, want %d or %d", dispatchType, metal.DispatchTypeSerial,
			metal.DispatchTypeConcurrent)
		return
	}
	if rec := b.NewEncoder(c, call, command.Compute, dispatchType == metal.DispatchTypeConcurrent, samples); rec != nil {
		e := &computeEncoder{Encoder: Encoder{Owner: &b.Recording, Commands: rec, Protocol: "MTLComputeCommandEncoder"},
			dispatchType: dispatchType}
		c.ReturnAutoreleased(b.Device.Driver.New("PMSoftComputeCommandEncoder", e))
	}
}

func computeDispatches() map[string]computeCall {
	return map[string]computeCall{
		"dispatchType":             func(e *computeEncoder, c *objcsoft.Call, _ string) { c.ReturnUint(e.dispatchType) },
		"setComputePipelineState:": func(e *computeEncoder, c *objcsoft.Call, call string) { e.SetPipeline(c, call) },
		"dispatchThreadgroups:threadsPerThreadgroup:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.Commands.DispatchGroups(call, Size(c, 0), Size(c, 1))
		},
		"dispatchThreads:threadsPerThreadgroup:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.Commands.Dispatch(call, Size(c, 0), Size(c, 1))
		},
		"dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:": func(e *computeEncoder,
			c *objcsoft.Call, call string) {
			if p, ok := e.arguments(c, 0, c.Uint(1), 12, call, "indirect buffer"); ok {
				e.Commands.DispatchGroupsAt(call, p.address, Size(c, 2))
			}
		},
		"executeCommandsInBuffer:withRange:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			if icb := e.IndirectArg(c, 0, call); icb != nil {
				first, n := RangeArg(c, 1)
				e.Commands.Execute(call, icb, first, n)
			}
		},
		"executeCommandsInBuffer:indirectBuffer:indirectBufferOffset:": func(e *computeEncoder, c *objcsoft.Call,
			call string) {
			if icb := e.IndirectArg(c, 0, call); icb != nil {
				if p, ok := e.arguments(c, 1, c.Uint(2), 8, call, "range buffer"); ok {
					e.Commands.ExecuteAt(call, icb, p.address)
				}
			}
		},
		// A stage-in region chooses among vertex attributes, which no pipeline of this device reads.
		"setStageInRegion:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			if w := c.Words(0); w[3] == 0 || w[4] == 0 || w[5] == 0 {
				e.Misuse(call, "the region is %d x %d x %d, want at least 1 each way", w[3], w[4], w[5])
			}
		},
		"setStageInRegionWithIndirectBuffer:indirectBufferOffset:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.arguments(c, 0, c.Uint(1), 24, call, "indirect buffer")
		},
		// Nor has any pipeline imageblocks.
		"setImageblockWidth:height:": func(e *computeEncoder, c *objcsoft.Call, call string) { e.CheckImageblock(c, call) },
	}
}

// CheckImageblock fails the command buffer for an imageblock that this device cannot have.
func (e *Encoder) CheckImageblock(c *objcsoft.Call, call string) {
	if c.Uint(0) == 0 || c.Uint(1) == 0 {
		e.Misuse(call, "the imageblock is %d x %d, want at least 1 each way", c.Uint(0), c.Uint(1))
	}
}

// SetPipeline chooses what the next dispatches run.
func (e *Encoder) SetPipeline(c *objcsoft.Call, call string) {
	p, ok := adapter.Payload[*library.Pipeline](c, 0)
	switch {
	case c.Failed():
	case !ok:
		e.Misuse(call, "the pipeline state is nil")
	case p.Device != e.Owner.Device:
		e.Misuse(call, "the pipeline state is of another device")
	default:
		e.use(c.ID(0))
		e.Commands.SetPipeline(call, p.Pipeline)
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
		"setBuffers:offsets:withRange:": func(e *computeEncoder, c *objcsoft.Call,
			call string) {
			e.setBuffers(c, call, 2)
		},
		"setBuffers:offsets:attributeStrides:withRange:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.setBuffers(c, call, 3)
		},
		"setBytes:length:atIndex:": func(e *computeEncoder, c *objcsoft.Call,
			call string) {
			e.setBytes(c, call, c.Uint(2))
		},
		"setBytes:length:attributeStride:atIndex:": func(e *computeEncoder, c *objcsoft.Call,
			call string) {
			e.setBytes(c, call, c.Uint(3))
		},
		"setTexture:atIndex:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.setTexture(c, call, c.ID(0), c.Uint(1))
		},
		"setTextures:withRange:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.each(c, call, 1, "texture", limits.MaxTextures,
				func(id objcsoft.ID, at uint64, _ int) { e.setTexture(c, call, id, at) })
		},
		"setSamplerState:atIndex:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.setSampler(c, call, c.ID(0), c.Uint(1))
		},
		"setSamplerStates:withRange:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.each(c, call, 1, "sampler", limits.MaxSamplers,
				func(id objcsoft.ID, at uint64, _ int) { e.setSampler(c, call, id, at) })
		},
		"setSamplerState:lodMinClamp:lodMaxClamp:atIndex:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.setClampedSampler(c, call, c.ID(0), c.F32(1), c.F32(2), c.Uint(3))
		},
		"setSamplerStates:lodMinClamps:lodMaxClamps:withRange:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			_, n := RangeArg(c, 3)
			lo, hi := floats(c, 1, n), floats(c, 2, n)
			if c.Failed() {
				return
			}
			e.each(c, call, 3, "sampler", limits.MaxSamplers,
				func(id objcsoft.ID, at uint64, i int) { e.setClampedSampler(c, call, id, lo[i], hi[i], at) })
		},
		"setVisibleFunctionTable:atBufferIndex:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.setFunctionTable(c, call, c.ID(0), c.Uint(1))
		},
		"setVisibleFunctionTables:withBufferRange:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.each(c, call, 1, "buffer", limits.MaxBuffers,
				func(id objcsoft.ID, at uint64, _ int) { e.setFunctionTable(c, call, id, at) })
		},
		"setIntersectionFunctionTable:atBufferIndex:":    Refused[*computeEncoder]("ray tracing"),
		"setIntersectionFunctionTables:withBufferRange:": Refused[*computeEncoder]("ray tracing"),
		"setAccelerationStructure:atBufferIndex:":        Refused[*computeEncoder]("ray tracing"),
		"setThreadgroupMemoryLength:atIndex:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.Commands.SetThreadgroupMemory(call, c.Uint(0), c.Uint(1))
		},
	}
}

func (e *computeEncoder) setBuffer(c *objcsoft.Call, call string, id objcsoft.ID, offset, index uint64) {
	if p, ok := e.buffer(c, id, offset, call, "buffer"); ok {
		e.Commands.SetBuffer(call, p.address, index)
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
		e.Misuse(call, "buffer index is %d, want at most %d", index, len(e.bound)-1)
		return
	}
	switch p := e.bound[index]; {
	case p.address == 0:
		e.Misuse(call, "no buffer is set at index %d", index)
	case offset > p.length:
		e.Misuse(call, "buffer offset is %d bytes, want at most the buffer's length %d", offset, p.length)
	default:
		e.Commands.SetBuffer(call, p.address+offset, index)
	}
}

func (e *computeEncoder) setBuffers(c *objcsoft.Call, call string, rng int) {
	_, n := RangeArg(c, rng)
	if n > limits.MaxBuffers {
		e.Misuse(call, "the range has %d buffers, want at most %d", n, limits.MaxBuffers)
		return
	}
	offsets, err := objcsoft.ReadWords(c.Word(1), n)
	if err != nil {
		c.Fail(err)
		return
	}
	e.each(c, call, rng, "buffer", limits.MaxBuffers,
		func(id objcsoft.ID, at uint64, i int) { e.setBuffer(c, call, id, uint64(offsets[i]), at) })
}

// each calls set for the objects of an array, which is argument 0, and their slots, which are a
// range.
func (e *Encoder) each(c *objcsoft.Call, call string, rng int, what string, limit uint64,
	set func(id objcsoft.ID, at uint64, i int)) {
	first, n := RangeArg(c, rng)
	if first > limit || n > limit-first {
		e.Misuse(call, "%s indices are %d to %d, want at most %d", what, first, first+n, limit-1)
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
		e.Misuse(call, "length is %d bytes, want 1 to %d", n, limits.MaxInlineBytes)
		return
	}
	if b := e.Commands.Bytes(call, int(n), index); b != nil {
		if err := objcsoft.ReadInto(c.Word(0), b); err != nil {
			c.Fail(err)
			return
		}
	}
	e.remember(index, place{})
}

func (e *computeEncoder) setTexture(c *objcsoft.Call, call string, id objcsoft.ID, index uint64) {
	if id == 0 {
		e.Commands.SetTexture(call, 0, index)
		return
	}
	t, ok := adapter.PayloadOf[*resource.Texture](c.RT, id)
	switch {
	case !ok:
		adapter.Misuse(c, "the texture at index %d is no live texture of this device", index)
	case t.Device != e.Owner.Device:
		e.Misuse(call, "the texture at index %d is of another device", index)
	default:
		e.use(id)
		e.Commands.SetTexture(call, uint64(t.Handle), index)
	}
}

func (e *computeEncoder) samplerArg(c *objcsoft.Call, call string, id objcsoft.ID, index uint64) *resource.Sampler {
	s, ok := adapter.PayloadOf[*resource.Sampler](c.RT, id)
	switch {
	case !ok:
		adapter.Misuse(c, "the sampler at index %d is no live sampler of this device", index)
	case s.Device != e.Owner.Device:
		e.Misuse(call, "the sampler at index %d is of another device", index)
	default:
		e.use(id)
		return s
	}
	return nil
}

func (e *computeEncoder) setSampler(c *objcsoft.Call, call string, id objcsoft.ID, index uint64) {
	if id == 0 {
		e.Commands.SetSampler(call, 0, index)
	} else if s := e.samplerArg(c, call, id, index); s != nil {
		e.Commands.SetSampler(call, uint64(s.Handle), index)
	}
}

// setClampedSampler binds a sampler with other bounds of the level of detail than its own: one that
// lives until the commands have run.
func (e *computeEncoder) setClampedSampler(c *objcsoft.Call, call string, id objcsoft.ID, low, high float32,
	index uint64) {
	if id == 0 {
		e.Commands.SetSampler(call, 0, index)
		return
	}
	s := e.samplerArg(c, call, id, index)
	if s == nil {
		return
	}
	if !(low <= high) { // a NaN is not either
		e.Misuse(call, "levels from %v to %v are none", low, high)
		return
	}
	d, state := e.Owner.Device, s.State
	state.LODClamp = [2]float32{low, high}
	handle := d.SamplerHandles.Take()
	if handle == 0 {
		e.Misuse(call, "there are no more samplers")
		return
	}
	d.Memory.Space().SetSampler(handle, texel.NewSampler(&state))
	e.Owner.atEnd(func() {
		d.Memory.Space().SetSampler(handle, nil)
		d.SamplerHandles.Give(handle)
	})
	e.Commands.SetSampler(call, uint64(handle), index)
}

func (e *computeEncoder) setFunctionTable(c *objcsoft.Call, call string, id objcsoft.ID, index uint64) {
	if id == 0 {
		e.Commands.SetBuffer(call, 0, index)
		e.remember(index, place{})
		return
	}
	t, ok := adapter.PayloadOf[*library.FunctionTable](c.RT, id)
	switch {
	case !ok:
		adapter.Misuse(c, "the function table at index %d is no live table of this device", index)
	case t.Device != e.Owner.Device:
		e.Misuse(call, "the function table at index %d is of another device", index)
	default:
		e.use(id)
		e.Commands.SetBuffer(call, t.Address(), index)
		e.remember(index, place{})
	}
}

// floats copies an array of n floats from an address argument.
func floats(c *objcsoft.Call, arg int, n uint64) []float32 {
	if n > limits.MaxSamplers {
		n = limits.MaxSamplers // the range is rejected before more are used
	}
	b := c.Bytes(arg, 4*n)
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(uint32(b[4*i]) | uint32(b[4*i+1])<<8 | uint32(b[4*i+2])<<16 | uint32(b[4*i+3])<<24)
	}
	return out
}

func computeResources() map[string]computeCall {
	// A barrier orders all memory, of whatever scope and resources: a concurrent encoder's commands
	// before it end before those after it begin.
	return map[string]computeCall{
		"useResource:usage:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.useResources(c, call, c.Uint(1), c.ID(0))
		},
		"useResources:count:usage:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.useResources(c, call, c.Uint(2), c.IDs(0, c.Uint(1))...)
		},
		// What is in a heap may be read; Metal has useResource:usage: for what kernels write.
		"useHeap:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.useResources(c, call, metal.ResourceUsageRead, c.ID(0))
		},
		"useHeaps:count:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.useResources(c, call, metal.ResourceUsageRead, c.IDs(0, c.Uint(1))...)
		},
		"memoryBarrierWithScope:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			const all = metal.BarrierScopeBuffers | metal.BarrierScopeTextures
			switch s := c.Uint(0); {
			case s == 0 || s&^all != 0:
				e.Misuse(call, "scope is %#x, want %#x, %#x or both", s, metal.BarrierScopeBuffers, metal.BarrierScopeTextures)
			case s == all:
				e.Commands.Barrier(call)
			default:
				e.Commands.BarrierFor(call, command.BarrierOf{Scope: command.Scope(s)})
			}
		},
		"memoryBarrierWithResources:count:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			if n := c.Uint(1); n == 0 {
				e.Misuse(call, "the number of resources is 0, want at least 1")
			} else {
				ids := c.IDs(0, n)
				e.useResources(c, call, 0, ids...)
				e.Commands.BarrierFor(call, command.BarrierOf{Memory: memoryOf(c.RT, ids)})
			}
		},
		"sampleCountersInBuffer:atSampleIndex:withBarrier:": noDispatchSampling[*computeEncoder],
	}
}

// useResources keeps what kernels reach through argument buffers, and declares how they use it;
// with no usage it only keeps it.
func (e *computeEncoder) useResources(c *objcsoft.Call, call string, usage uint64, ids ...objcsoft.ID) {
	for i, id := range ids {
		if id == 0 {
			e.Misuse(call, "resource %d is nil", i)
			return
		}
		if d := ownerOf(c.RT, id); d != nil && d != e.Owner.Device {
			e.Misuse(call, "resource %d is of another device, %q", i, d.Name)
			return
		}
		if isRemote(c.RT, id) {
			e.remoteMisuse(call, fmt.Sprintf("resource %d", i))
			return
		}
		e.use(id)
		if usage != 0 {
			e.Commands.Use(call, command.Use{ID: uint64(id), Write: usage&metal.ResourceUsageWrite != 0})
		}
	}
}

// memoryOf returns the memory of buffers and textures.
func memoryOf(rt *objcsoft.Runtime, ids []objcsoft.ID) (list [][]byte) {
	for _, id := range ids {
		if b, ok := adapter.PayloadOf[*resource.Buffer](rt, id); ok {
			list = append(list, b.Data)
		} else if b, ok := adapter.PayloadOf[*indirectBuffer](rt, id); ok {
			list = append(list, b.Memory())
		} else if t, ok := adapter.PayloadOf[*resource.Texture](rt, id); ok && t.Image != nil {
			for _, l := range t.Image.Levels {
				list = append(list, l.Data)
			}
		}
	}
	return list
}

// isRemote reports whether an object is a remote view of a buffer or texture.
func isRemote(rt *objcsoft.Runtime, id objcsoft.ID) bool {
	v, ok := adapter.PayloadOf[interface{ IsRemote() bool }](rt, id)
	return ok && v.IsRemote()
}

// ownerOf returns the device of a resource or heap, nil of another object.
func ownerOf(rt *objcsoft.Runtime, id objcsoft.ID) *device.Device {
	o, err := rt.Object(id)
	if err != nil {
		return nil
	}
	switch s := o.Payload.(type) {
	case resource.Interface:
		return s.AsResource().Device
	case *resource.Heap:
		return s.Device
	}
	return nil
}
