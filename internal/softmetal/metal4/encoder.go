package metal4

import (
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/encode"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// computeEncoder is the state of an MTL4ComputeCommandEncoder, which dispatches and copies.
type computeEncoder struct {
	encode.Encoder
	table  *argumentTable // kept alive here only: a table is values
	have   boundTable     // of the table
	stages atomic.Uint64  // of the commands so far
}

// computeCall4 is a method of a compute encoder.
type computeCall4 = func(e *computeEncoder, c *objcsoft.Call, call string)

func computeEncoderClasses() []adapter.Class {
	calls := barriers4()
	for _, list := range []map[string]computeCall4{
		computeDispatches4(), acceleration4(), copying(encode.BufferCopies[*computeEncoder]()),
		copying(encode.TextureCopies[*computeEncoder]()), copying(encode.CommandCopies[*computeEncoder]()),
	} {
		for sel, f := range list {
			calls[sel] = f
		}
	}
	for sel, f := range calls {
		calls[sel] = whileOpen(f)
	}
	m := encode.AnyEncoderMethods[*computeEncoder]("MTL4CommandEncoder",
		encode.EncoderCalls("MTL4ComputeCommandEncoder", calls))
	end := m["endEncoding"]
	m["endEncoding"] = adapter.Method(func(e *computeEncoder, c *objcsoft.Call) {
		whileOpen(func(*computeEncoder, *objcsoft.Call, string) { end(c) })(e, c, "")
	})
	m["commandBuffer"] = adapter.Method(func(e *computeEncoder, c *objcsoft.Call) { c.ReturnShared(e.Owner.ID) })
	m["stages"] = adapter.Method(func(e *computeEncoder, c *objcsoft.Call) { c.ReturnUint(e.stages.Load()) })
	return []adapter.Class{{
		Name: "PMSoftComputeCommandEncoder4", Protocols: []string{"MTL4ComputeCommandEncoder"}, Methods: m,
		Dealloc: adapter.DeallocHook(encode.FreeEncoder[*computeEncoder]),
	}}
}

// whileOpen rejects a call once the encoder has ended: the command buffer may be committed, and can
// then no longer report misuse.
func whileOpen(f computeCall4) computeCall4 {
	return func(e *computeEncoder, c *objcsoft.Call, call string) {
		if e.Commands.Ended() {
			adapter.Misuse(c, "the encoder has ended")
			return
		}
		f(e, c, call)
	}
}

// copying makes methods note that the encoder copies.
func copying(list map[string]computeCall4) map[string]computeCall4 {
	for sel, f := range list {
		list[sel] = func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.stages.Or(metal.StageBlit)
			f(e, c, call)
		}
	}
	return list
}

func computeDispatches4() map[string]computeCall4 {
	dispatch := func(f computeCall4) computeCall4 {
		return func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.stages.Or(metal.StageDispatch)
			e.table.bind(call, e.Commands, &e.have)
			f(e, c, call)
		}
	}
	return map[string]computeCall4{
		"setComputePipelineState:": func(e *computeEncoder, c *objcsoft.Call, call string) { e.SetPipeline(c, call) },
		"setArgumentTable:":        (*computeEncoder).setTable,
		"setThreadgroupMemoryLength:atIndex:": func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.Commands.SetThreadgroupMemory(call, c.Uint(0), c.Uint(1))
		},
		"setImageblockWidth:height:": func(e *computeEncoder, c *objcsoft.Call, call string) { e.CheckImageblock(c, call) },
		"dispatchThreads:threadsPerThreadgroup:": dispatch(func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.Commands.Dispatch(call, encode.Size(c, 0), encode.Size(c, 1))
		}),
		"dispatchThreadgroups:threadsPerThreadgroup:": dispatch(func(e *computeEncoder, c *objcsoft.Call, call string) {
			e.Commands.DispatchGroups(call, encode.Size(c, 0), encode.Size(c, 1))
		}),
		"dispatchThreadgroupsWithIndirectBuffer:threadsPerThreadgroup:": dispatch(func(e *computeEncoder, c *objcsoft.Call,
			call string) {
			if a := c.Uint(0); aligned(&e.Encoder, call, "indirect buffer", a) {
				e.Commands.DispatchGroupsAt(call, a, encode.Size(c, 1))
			}
		}),
		"dispatchThreadsWithIndirectBuffer:": dispatch(func(e *computeEncoder, c *objcsoft.Call, call string) {
			if a := c.Uint(0); aligned(&e.Encoder, call, "indirect buffer", a) {
				e.Commands.DispatchAt(call, a)
			}
		}),
		"executeCommandsInBuffer:withRange:": dispatch(func(e *computeEncoder, c *objcsoft.Call, call string) {
			if icb := e.IndirectArg(c, 0, call); icb != nil {
				first, n := encode.RangeArg(c, 1)
				e.Commands.Execute(call, icb, first, n)
			}
		}),
		"executeCommandsInBuffer:indirectBuffer:": dispatch(func(e *computeEncoder, c *objcsoft.Call, call string) {
			if icb, a := e.IndirectArg(c, 0, call), c.Uint(1); icb != nil && aligned(&e.Encoder, call, "range buffer", a) {
				e.Commands.ExecuteAt(call, icb, a)
			}
		}),
		"writeTimestampWithGranularity:intoHeap:atIndex:": (*computeEncoder).writeTimestamp,
	}
}

// aligned checks the address of arguments in memory.
func aligned(e *encode.Encoder, call, what string, address uint64) bool {
	if address == 0 || address%limits.IndirectAlignment != 0 {
		e.Misuse(call, "the %s is at address %#x, want a multiple of %d above 0", what, address, limits.IndirectAlignment)
		return false
	}
	return true
}

func (e *computeEncoder) setTable(c *objcsoft.Call, call string) {
	t, ok := adapter.Payload[*argumentTable](c, 0)
	switch {
	case c.Failed():
	case !ok:
		e.table = nil
	case t.dev != e.Owner.Device:
		e.Misuse(call, "the argument table is of another device")
	default:
		e.table = t
	}
}

// barriers4 are the methods that order commands. Encoders run one after the other, in queue order,
// which satisfies all fences. The copies and dispatches of an encoder run concurrently, except for
// barriers, each of which orders all of them, whatever its stages.
func barriers4() map[string]computeCall4 {
	barrier := func(order func(e *command.Encoder, call string)) computeCall4 {
		return func(e *computeEncoder, c *objcsoft.Call, call string) {
			if checkBarrier(&e.Encoder, c, call) {
				order(e.Commands, call)
			}
		}
	}
	use := func(order func(e *encode.Encoder, c *objcsoft.Call, call string)) computeCall4 {
		return func(e *computeEncoder, c *objcsoft.Call, call string) {
			if checkStages(&e.Encoder, call, c.Uint(1)) {
				order(&e.Encoder, c, call)
			}
		}
	}
	return map[string]computeCall4{
		"barrierAfterQueueStages:beforeStages:visibilityOptions:":          barrier((*command.Encoder).BarrierAfterQueue),
		"barrierAfterStages:beforeQueueStages:visibilityOptions:":          barrier((*command.Encoder).BarrierBeforeQueue),
		"barrierAfterEncoderStages:beforeEncoderStages:visibilityOptions:": barrier((*command.Encoder).Barrier),
		"updateFence:afterEncoderStages:":                                  use((*encode.Encoder).UpdateFence),
		"waitForFence:beforeEncoderStages:":                                use((*encode.Encoder).WaitFence),
	}
}

func checkBarrier(e *encode.Encoder, c *objcsoft.Call, call string) bool {
	if !checkStages(e, call, c.Uint(0)) || !checkStages(e, call, c.Uint(1)) {
		return false
	}
	const known = metal.MTL4VisibilityOptionDevice | metal.MTL4VisibilityOptionResourceAlias
	if o := c.Uint(2); o&^known != 0 {
		e.Misuse(call, "visibility options are %#x, want some of %#x", o, uint64(known))
		return false
	}
	return true
}

func checkStages(e *encode.Encoder, call string, stages uint64) bool {
	if stages == 0 || stages&^metal.StageAll != 0 {
		e.Misuse(call, "stages are %#x, want some of %#x", stages, uint64(metal.StageAll))
		return false
	}
	return true
}

// acceleration4 are the methods that build and copy acceleration structures.
func acceleration4() map[string]computeCall4 {
	m := map[string]computeCall4{}
	for _, sel := range []string{
		"buildAccelerationStructure:descriptor:scratchBuffer:", "copyAccelerationStructure:toAccelerationStructure:",
		"copyAndCompactAccelerationStructure:toAccelerationStructure:",
		"refitAccelerationStructure:descriptor:destination:scratchBuffer:",
		"refitAccelerationStructure:descriptor:destination:scratchBuffer:options:",
		"writeCompactedAccelerationStructureSize:toBuffer:",
	} {
		m[sel] = encode.Refused[*computeEncoder]("ray tracing, which supportsRaytracing says")
	}
	return m
}

func (b *commandBuffer) newComputeEncoder(c *objcsoft.Call, call string) {
	r := b.begun(c)
	if r == nil {
		return
	}
	if rec := r.NewEncoder(c, call, command.Compute, true, nil); rec != nil {
		e := &computeEncoder{Encoder: encode.Encoder{Owner: r, Commands: rec, Protocol: "MTL4ComputeCommandEncoder"}}
		c.ReturnAutoreleased(b.dev.Driver.New("PMSoftComputeCommandEncoder4", e))
	}
}
