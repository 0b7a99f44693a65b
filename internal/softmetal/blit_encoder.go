package softmetal

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
)

// blitEncoder is the state of an MTLBlitCommandEncoder.
type blitEncoder struct{ encoder }

// blitCall is a method of a blit encoder.
type blitCall = func(e *blitEncoder, c *objcsoft.Call, call string)

func blitEncoderClasses() []adapter.Class {
	calls := fenceMethods[*blitEncoder]()
	for _, list := range []map[string]blitCall{bufferCopies[*blitEncoder](), textureCopies[*blitEncoder](), commandCopies[*blitEncoder](), blitOnly()} {
		for sel, f := range list {
			calls[sel] = f
		}
	}
	return []adapter.Class{{
		Name: "PMSoftBlitCommandEncoder", Protocols: []string{"MTLBlitCommandEncoder"},
		Methods: encoderMethods[*blitEncoder](encoderCalls("MTLBlitCommandEncoder", calls)),
		Dealloc: adapter.DeallocHook(freeEncoder[*blitEncoder]),
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
		"getTextureAccessCounters:region:mipLevel:slice:resetCounters:countersBuffer:countersBufferOffset:": refused[*blitEncoder]("sparse textures"),
		"resetTextureAccessCounters:region:mipLevel:slice:":                                                 refused[*blitEncoder]("sparse textures"),
	}
}

func (b *commandBuffer) newBlitEncoder(c *objcsoft.Call, call string, samples []command.Boundary) {
	if rec := b.newEncoder(c, call, command.Blit, false, samples); rec != nil {
		e := &blitEncoder{encoder{owner: &b.recording, rec: rec, enc: "MTLBlitCommandEncoder"}}
		c.ReturnAutoreleased(b.dev.driver.New("PMSoftBlitCommandEncoder", e))
	}
}

// bufferCopies are commands that blit encoders and Metal 4's compute encoders have, as textureCopies and commandCopies are.
func bufferCopies[T encoderState]() map[string]func(e T, c *objcsoft.Call, call string) {
	return map[string]func(e T, c *objcsoft.Call, call string){
		"copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:": func(e T, c *objcsoft.Call, call string) { e.base().copyBuffer(c, call) },
		"fillBuffer:range:value:":                                      func(e T, c *objcsoft.Call, call string) { e.base().fill(c, call) },
	}
}

// synchronize keeps the resource that is argument 0: only what has a copy for each side can be synchronised.
func (e *encoder) synchronize(c *objcsoft.Call, call string) {
	if c.ID(0) == 0 {
		e.misuse(call, "the resource is nil")
		return
	}
	if r, ok := adapter.Payload[resourceOf](c, 0); ok && e.isManaged(r, call, "resource") {
		e.use(c.ID(0))
	}
}

func (e *encoder) isManaged(r resourceOf, call, what string) bool {
	if mode := storageMode(r.asResource().options); mode != mtlStorageModeManaged {
		e.misuse(call, "the %s has the storage mode %d, want %d: managed", what, mode, mtlStorageModeManaged)
		return false
	}
	return true
}

// memoryAt returns the n bytes at an address when a command runs. That there are fewer means that the buffer is gone.
func (d *device) memoryAt(call, what string, address, n uint64) ([]byte, error) {
	b := d.memory.Bytes(address)
	if uint64(len(b)) < n {
		return nil, &command.Error{Code: command.CodeInvalidResource, Reason: fmt.Sprintf("%s: the %s was released before the command ran", call, what)}
	}
	return b[:n], nil
}

func (e *encoder) copyBuffer(c *objcsoft.Call, call string) {
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
		e.misuse(call, "%d bytes from offset %d overlap those at offset %d of the same buffer", n, c.Uint(1), c.Uint(3))
		return
	}
	d := e.owner.dev
	e.rec.Do(call, func() error {
		src, err := d.memoryAt(call, "source", from.address, n)
		if err != nil {
			return err
		}
		dst, err := d.memoryAt(call, "destination", to.address, n)
		if err == nil {
			copy(dst, src)
		}
		return err
	})
}

func (e *encoder) fill(c *objcsoft.Call, call string) {
	location, n := rangeArg(c, 1)
	to, ok := e.span(c, 0, location, n, call, "buffer")
	if !ok {
		return
	}
	if n == 0 {
		e.misuse(call, "the range is empty")
		return
	}
	value, d := byte(c.Uint(2)), e.owner.dev
	e.rec.Do(call, func() error {
		dst, err := d.memoryAt(call, "buffer", to.address, n)
		if err != nil {
			return err
		}
		dst[0] = value
		for have := 1; have < len(dst); have *= 2 {
			copy(dst[have:], dst[:have])
		}
		return nil
	})
}

func commandCopies[T encoderState]() map[string]func(e T, c *objcsoft.Call, call string) {
	return map[string]func(e T, c *objcsoft.Call, call string){
		"resetCommandsInBuffer:withRange:":                                    func(e T, c *objcsoft.Call, call string) { e.base().resetCommands(c, call) },
		"copyIndirectCommandBuffer:sourceRange:destination:destinationIndex:": func(e T, c *objcsoft.Call, call string) { e.base().copyCommands(c, call) },
		// Commands are run from the form in which they are written.
		"optimizeIndirectCommandBuffer:withRange:":                                                       func(e T, c *objcsoft.Call, call string) { e.base().commandRange(c, call, 0, 1) },
		"copyFromTensor:sourceOrigin:sourceDimensions:toTensor:destinationOrigin:destinationDimensions:": refused[T]("tensors that copies take"),
	}
}
