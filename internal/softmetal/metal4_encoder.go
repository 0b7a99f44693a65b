package softmetal

import (
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
)

// computeEncoder4 is the state of an MTL4ComputeCommandEncoder, which dispatches and copies.
type computeEncoder4 struct {
	encoder
	table  *argumentTable // kept alive here only: a table is values
	have   boundTable     // of the table
	stages atomic.Uint64  // of the commands so far
}

// computeCall4 is a method of a compute encoder.
type computeCall4 = func(e *computeEncoder4, c *objcsoft.Call, call string)

func computeEncoder4Classes() []adapter.Class {
	calls := barriers4()
	for _, list := range []map[string]computeCall4{
		computeDispatches4(), acceleration4(), copying(bufferCopies[*computeEncoder4]()), copying(textureCopies[*computeEncoder4]()), copying(commandCopies[*computeEncoder4]()),
	} {
		for sel, f := range list {
			calls[sel] = f
		}
	}
	for sel, f := range calls {
		calls[sel] = whileOpen(f)
	}
	m := anyEncoderMethods[*computeEncoder4]("MTL4CommandEncoder", encoderCalls("MTL4ComputeCommandEncoder", calls))
	end := m["endEncoding"]
	m["endEncoding"] = adapter.Method(func(e *computeEncoder4, c *objcsoft.Call) {
		whileOpen(func(*computeEncoder4, *objcsoft.Call, string) { end(c) })(e, c, "")
	})
	m["commandBuffer"] = adapter.Method(func(e *computeEncoder4, c *objcsoft.Call) { c.ReturnShared(e.owner.id) })
	m["stages"] = adapter.Method(func(e *computeEncoder4, c *objcsoft.Call) { c.ReturnUint(e.stages.Load()) })
	return []adapter.Class{{
		Name: "PMSoftComputeCommandEncoder4", Protocols: []string{"MTL4ComputeCommandEncoder"}, Methods: m, Dealloc: adapter.DeallocHook(freeEncoder[*computeEncoder4]),
	}}
}

// whileOpen refuses a call once the encoder has ended: the command buffer may be committed, and hear of no misuse any more.
func whileOpen(f computeCall4) computeCall4 {
	return func(e *computeEncoder4, c *objcsoft.Call, call string) {
		if e.rec.Ended() {
			adapter.Misuse(c, "the encoder has ended")
			return
		}
		f(e, c, call)
	}
}

// copying makes methods note that the encoder copies.
func copying(list map[string]computeCall4) map[string]computeCall4 {
	for sel, f := range list {
		list[sel] = func(e *computeEncoder4, c *objcsoft.Call, call string) {
			e.stages.Or(mtlStageBlit)
			f(e, c, call)
		}
	}
	return list
}

func computeDispatches4() map[string]computeCall4 {
	dispatch := func(f computeCall4) computeCall4 {
		return func(e *computeEncoder4, c *objcsoft.Call, call string) {
			e.stages.Or(mtlStageDispatch)
			e.table.bind(call, e.rec, &e.have)
			f(e, c, call)
		}
	}
	return map[string]computeCall4{
		"setComputePipelineState:": func(e *computeEncoder4, c *objcsoft.Call, call string) { e.setPipeline(c, call) },
		"setArgumentTable:":        (*computeEncoder4).setTable,
		"setThreadgroupMemoryLength:atIndex:": func(e *computeEncoder4, c *objcsoft.Call, call string) {
			e.rec.SetThreadgroupMemory(call, c.Uint(0), c.Uint(1))
		},
		"setImageblockWidth:height:": func(e *computeEncoder4, c *objcsoft.Call, call string) { e.checkImageblock(c, call) },
		"dispatchThreads:threadsPerThreadgroup:": dispatch(func(e *computeEncoder4, c *objcsoft.Call, call string) {
			e.rec.Dispatch(call, size(c, 0), size(c, 1))
		}),
		"dispatchThreadgroups:threadsPerThreadgroup:": dispatch(func(e *computeEncoder4, c *objcsoft.Call, call string) {
			e.rec.DispatchGroups(call, size(c, 0), size(c, 1))
		}),
		"dispatchThreadgroupsWithIndirectBuffer:threadsPerThreadgroup:": dispatch(func(e *computeEncoder4, c *objcsoft.Call, call string) {
			if a := c.Uint(0); e.aligned(call, "indirect buffer", a) {
				e.rec.DispatchGroupsAt(call, a, size(c, 1))
			}
		}),
		"dispatchThreadsWithIndirectBuffer:": dispatch(func(e *computeEncoder4, c *objcsoft.Call, call string) {
			if a := c.Uint(0); e.aligned(call, "indirect buffer", a) {
				e.rec.DispatchAt(call, a)
			}
		}),
		"executeCommandsInBuffer:withRange:": dispatch(func(e *computeEncoder4, c *objcsoft.Call, call string) {
			if icb := e.indirectArg(c, 0, call); icb != nil {
				first, n := rangeArg(c, 1)
				e.rec.Execute(call, icb, first, n)
			}
		}),
		"executeCommandsInBuffer:indirectBuffer:": dispatch(func(e *computeEncoder4, c *objcsoft.Call, call string) {
			if icb, a := e.indirectArg(c, 0, call), c.Uint(1); icb != nil && e.aligned(call, "range buffer", a) {
				e.rec.ExecuteAt(call, icb, a)
			}
		}),
		"writeTimestampWithGranularity:intoHeap:atIndex:": (*computeEncoder4).writeTimestamp,
	}
}

// aligned checks the address of arguments in memory.
func (e *encoder) aligned(call, what string, address uint64) bool {
	if address == 0 || address%limits.IndirectAlignment != 0 {
		e.misuse(call, "the %s is at address %#x, want a multiple of %d above 0", what, address, limits.IndirectAlignment)
		return false
	}
	return true
}

func (e *computeEncoder4) setTable(c *objcsoft.Call, call string) {
	t, ok := adapter.Payload[*argumentTable](c, 0)
	switch {
	case c.Failed():
	case !ok:
		e.table = nil
	case t.dev != e.owner.dev:
		e.misuse(call, "the argument table is of another device")
	default:
		e.table = t
	}
}

// barriers4 are the methods that order commands. Encoders run one after the other, in the order of their queue, which is an order that fences
// allow. The copies and dispatches of one run at the same time but for barriers, each of which orders all of them, of whatever stages.
func barriers4() map[string]computeCall4 {
	barrier := func(e *computeEncoder4, c *objcsoft.Call, call string) {
		if e.checkBarrier(c, call) {
			e.rec.Barrier(call)
		}
	}
	use := func(e *computeEncoder4, c *objcsoft.Call, call string) {
		if e.checkStages(call, c.Uint(1)) {
			e.fence(c, call)
		}
	}
	return map[string]computeCall4{
		"barrierAfterQueueStages:beforeStages:visibilityOptions:":          barrier,
		"barrierAfterStages:beforeQueueStages:visibilityOptions:":          barrier,
		"barrierAfterEncoderStages:beforeEncoderStages:visibilityOptions:": barrier,
		"updateFence:afterEncoderStages:":                                  use,
		"waitForFence:beforeEncoderStages:":                                use,
	}
}

func (e *encoder) checkBarrier(c *objcsoft.Call, call string) bool {
	if !e.checkStages(call, c.Uint(0)) || !e.checkStages(call, c.Uint(1)) {
		return false
	}
	const known = mtl4VisibilityOptionDevice | mtl4VisibilityOptionResourceAlias
	if o := c.Uint(2); o&^known != 0 {
		e.misuse(call, "visibility options are %#x, want some of %#x", o, uint64(known))
		return false
	}
	return true
}

func (e *encoder) checkStages(call string, stages uint64) bool {
	if stages == 0 || stages&^mtlStageAll != 0 {
		e.misuse(call, "stages are %#x, want some of %#x", stages, uint64(mtlStageAll))
		return false
	}
	return true
}

// acceleration4 are the methods that build and copy what rays are traced through.
func acceleration4() map[string]computeCall4 {
	m := map[string]computeCall4{}
	for _, sel := range []string{
		"buildAccelerationStructure:descriptor:scratchBuffer:", "copyAccelerationStructure:toAccelerationStructure:",
		"copyAndCompactAccelerationStructure:toAccelerationStructure:", "refitAccelerationStructure:descriptor:destination:scratchBuffer:",
		"refitAccelerationStructure:descriptor:destination:scratchBuffer:options:", "writeCompactedAccelerationStructureSize:toBuffer:",
	} {
		m[sel] = refused[*computeEncoder4]("ray tracing, which supportsRaytracing says")
	}
	return m
}

func (b *commandBuffer4) newComputeEncoder(c *objcsoft.Call, call string) {
	r := b.begun(c)
	if r == nil {
		return
	}
	if rec := r.newEncoder(c, call, command.Compute, true, nil); rec != nil {
		e := &computeEncoder4{encoder: encoder{owner: r, rec: rec, enc: "MTL4ComputeCommandEncoder"}}
		c.ReturnAutoreleased(b.dev.driver.New("PMSoftComputeCommandEncoder4", e))
	}
}
