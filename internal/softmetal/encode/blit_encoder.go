package encode

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmetal/resource"
)

// blitEncoder is the state of an MTLBlitCommandEncoder.
type blitEncoder struct{ Encoder }

// blitCall is a method of a blit encoder.
type blitCall = func(e *blitEncoder, c *objcsoft.Call, call string)

func blitEncoderClasses() []adapter.Class {
	calls := fenceMethods[*blitEncoder]()
	for _, list := range []map[string]blitCall{BufferCopies[*blitEncoder](), TextureCopies[*blitEncoder](),
		CommandCopies[*blitEncoder](), blitOnly()} {
		for sel, f := range list {
			calls[sel] = f
		}
	}
	return []adapter.Class{{
		Name: "PMSoftBlitCommandEncoder", Protocols: []string{"MTLBlitCommandEncoder"},
		Methods: encoderMethods[*blitEncoder](EncoderCalls("MTLBlitCommandEncoder", calls)),
		Dealloc: adapter.DeallocHook(FreeEncoder[*blitEncoder]),
	}}
}

// blitOnly are the commands that Metal 4's compute encoder has not taken over.
func blitOnly() map[string]blitCall {
	return map[string]blitCall{
		// CPU and GPU have one memory: there is nothing to bring over.
		"synchronizeResource:": func(e *blitEncoder, c *objcsoft.Call, call string) { e.synchronize(c, call) },
		"synchronizeTexture:slice:level:": func(e *blitEncoder, c *objcsoft.Call, call string) {
			if t := e.textureArg(c, 0, call, "texture"); t != nil && e.isManaged(t, call, "texture") {
				e.levelOf(t, c.Uint(1), c.Uint(2), call)
			}
		},
		"sampleCountersInBuffer:atSampleIndex:withBarrier:":                                                 noDispatchSampling[*blitEncoder],
		"resolveCounters:inRange:destinationBuffer:destinationOffset:":                                      (*blitEncoder).resolveCounters,
		"getTextureAccessCounters:region:mipLevel:slice:resetCounters:countersBuffer:countersBufferOffset:": Refused[*blitEncoder]("sparse textures"),
		"resetTextureAccessCounters:region:mipLevel:slice:":                                                 Refused[*blitEncoder]("sparse textures"),
	}
}

func (b *commandBuffer) newBlitEncoder(c *objcsoft.Call, call string, samples []command.Boundary) {
	if rec := b.NewEncoder(c, call, command.Blit, false, samples); rec != nil {
		e := &blitEncoder{Encoder{Owner: &b.Recording, Commands: rec, Protocol: "MTLBlitCommandEncoder"}}
		c.ReturnAutoreleased(b.Device.Driver.New("PMSoftBlitCommandEncoder", e))
	}
}

// BufferCopies are commands that blit encoders and Metal 4's compute encoders have, as
// textureCopies and commandCopies are.
func BufferCopies[T State]() map[string]func(e T, c *objcsoft.Call, call string) {
	return map[string]func(e T, c *objcsoft.Call, call string){
		"copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:": func(e T, c *objcsoft.Call, call string) {
			e.Base().copyBuffer(c, call)
		},
		"fillBuffer:range:value:": func(e T, c *objcsoft.Call, call string) { e.Base().fill(c, call) },
	}
}

// synchronize keeps the resource that is argument 0: only what has a copy for each side can be
// synchronized.
func (e *Encoder) synchronize(c *objcsoft.Call, call string) {
	if c.ID(0) == 0 {
		e.Misuse(call, "the resource is nil")
		return
	}
	if r, ok := adapter.Payload[resource.Interface](c, 0); ok && e.isManaged(r, call, "resource") {
		e.use(c.ID(0))
	}
}

func (e *Encoder) isManaged(r resource.Interface, call, what string) bool {
	if mode := resource.StorageMode(r.AsResource().Options); mode != metal.StorageModeManaged {
		e.Misuse(call, "the %s has the storage mode %d, want %d: managed", what, mode, metal.StorageModeManaged)
		return false
	}
	return true
}

// MemoryAt returns the n bytes at an address when a command runs. That there are fewer means that
// the buffer is gone.
func MemoryAt(d *device.Device, call, what string, address, n uint64) ([]byte, error) {
	b := d.Memory.Bytes(address)
	if uint64(len(b)) < n {
		return nil, &command.Error{Code: command.CodeInvalidResource,
			Reason: fmt.Sprintf("%s: the %s was released before the command ran", call, what)}
	}
	return b[:n], nil
}

func (e *Encoder) copyBuffer(c *objcsoft.Call, call string) {
	n := c.Uint(4)
	from, ok := e.readSpan(c, 0, c.Uint(1), n, call, "source")
	if !ok {
		return
	}
	to, ok := e.span(c, 2, c.Uint(3), n, call, "destination")
	if !ok {
		return
	}
	if c.ID(0) == c.ID(2) && from.address < to.address+n && to.address < from.address+n {
		e.Misuse(call, "%d bytes from offset %d overlap those at offset %d of the same buffer", n, c.Uint(1), c.Uint(3))
		return
	}
	d := e.Owner.Device
	e.Commands.Copy(call, func(report *command.Copies) error {
		src, err := MemoryAt(d, call, "source", from.address, n)
		if err != nil {
			return err
		}
		dst, err := MemoryAt(d, call, "destination", to.address, n)
		if err == nil {
			copy(dst, src)
			report.Copied(dst, src)
		}
		return err
	})
}

func (e *Encoder) fill(c *objcsoft.Call, call string) {
	location, n := RangeArg(c, 1)
	to, ok := e.span(c, 0, location, n, call, "buffer")
	if !ok {
		return
	}
	if n == 0 {
		e.Misuse(call, "the range is empty")
		return
	}
	value, d := byte(c.Uint(2)), e.Owner.Device
	e.Commands.Copy(call, func(report *command.Copies) error {
		dst, err := MemoryAt(d, call, "buffer", to.address, n)
		if err != nil {
			return err
		}
		dst[0] = value
		for have := 1; have < len(dst); have *= 2 {
			copy(dst[have:], dst[:have])
		}
		report.Copied(dst, nil)
		return nil
	})
}

// CommandCopies are commands on indirect command buffers.
func CommandCopies[T State]() map[string]func(e T, c *objcsoft.Call, call string) {
	return map[string]func(e T, c *objcsoft.Call, call string){
		"resetCommandsInBuffer:withRange:": func(e T, c *objcsoft.Call,
			call string) {
			e.Base().resetCommands(c, call)
		},
		"copyIndirectCommandBuffer:sourceRange:destination:destinationIndex:": func(e T, c *objcsoft.Call, call string) {
			e.Base().copyCommands(c, call)
		},
		// Commands are executed in the form in which they are recorded.
		"optimizeIndirectCommandBuffer:withRange:": func(e T,
			c *objcsoft.Call, call string) {
			e.Base().optimizeCommands(c, call)
		},
		"copyFromTensor:sourceOrigin:sourceDimensions:toTensor:destinationOrigin:destinationDimensions:": Refused[T]("tensors that copies take"),
	}
}
