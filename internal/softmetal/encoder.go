package softmetal

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
)

// encoder is what encoders of all kinds have. Its calls have no errors to return: misuse makes the command buffer fail.
type encoder struct {
	adapter.Label
	owner *recording // of the command buffer, kept alive by the encoder's object
	rec   *command.Encoder
	enc   string // the protocol, for messages: MTLComputeCommandEncoder
	depth int    // of debug groups
}

func (e *encoder) base() *encoder { return e }

// encoderState is the payload of an encoder's object.
type encoderState interface {
	base() *encoder
	Labelled() *adapter.Label
}

// encoderCalls makes methods of an encoder: each gets the call in words for what it reports.
func encoderCalls[T encoderState](protocol string, list map[string]func(e T, c *objcsoft.Call, call string)) adapter.Methods {
	m := adapter.Methods{}
	for sel, f := range list {
		call := "-[" + protocol + " " + sel + "]"
		m[sel] = adapter.Method(func(e T, c *objcsoft.Call) { f(e, c, call) })
	}
	return m
}

// encoderMethods are the methods that encoders of all kinds have, put into m.
func encoderMethods[T encoderState](m adapter.Methods) adapter.Methods {
	m = anyEncoderMethods[T]("MTLCommandEncoder", m)
	m["device"] = adapter.Method(func(e T, c *objcsoft.Call) { c.ReturnID(e.base().owner.dev.id) })
	// Commands run in the order of their queue, which is all that this barrier asks for.
	m["barrierAfterQueueStages:beforeStages:"] = func(*objcsoft.Call) {}
	return m
}

// anyEncoderMethods are those that encoders of Metal 4 have as well.
func anyEncoderMethods[T encoderState](protocol string, m adapter.Methods) adapter.Methods {
	adapter.WithLabel[T](m)
	set := m["setLabel:"]
	common := encoderCalls(protocol, map[string]func(e T, c *objcsoft.Call, call string){
		"endEncoding": func(e T, c *objcsoft.Call, call string) { e.base().rec.End(call) },
		"setLabel:": func(e T, c *objcsoft.Call, _ string) {
			set(c)
			e.base().rec.SetLabel(e.Labelled().Text())
		},
		"insertDebugSignpost:": func(e T, c *objcsoft.Call, _ string) {
			s, err := c.RT.GoString(c.ID(0))
			if err != nil {
				c.Fail(err)
				return
			}
			e.base().rec.Signpost(s)
		},
		"pushDebugGroup:": func(e T, c *objcsoft.Call, _ string) { e.base().depth++ },
		"popDebugGroup": func(e T, c *objcsoft.Call, call string) {
			if b := e.base(); b.depth == 0 {
				b.misuse(call, "no debug group is open")
			} else {
				b.depth--
			}
		},
	})
	for sel, imp := range common {
		m[sel] = imp
	}
	return m
}

// fenceMethods are those of fences. Encoders of a queue run one after the other, so that a fence which an earlier one updates has been updated.
func fenceMethods[T encoderState]() map[string]func(e T, c *objcsoft.Call, call string) {
	use := func(e T, c *objcsoft.Call, call string) { e.base().fence(c, call) }
	return map[string]func(e T, c *objcsoft.Call, call string){"updateFence:": use, "waitForFence:": use}
}

func (e *encoder) fence(c *objcsoft.Call, call string) {
	f, ok := adapter.Payload[*fence](c, 0)
	switch {
	case c.Failed():
	case !ok:
		e.misuse(call, "the fence is nil")
	case f.dev != e.owner.dev:
		e.misuse(call, "the fence is of another device")
	}
}

func (e *encoder) misuse(call, format string, args ...any) {
	e.owner.buffer.Misuse(call, format, args...)
}

// refused makes a method that this device does not have fail the command buffer.
func refused[T encoderState](what string) func(e T, c *objcsoft.Call, call string) {
	return func(e T, _ *objcsoft.Call, call string) { e.base().misuse(call, "this device has no %s", what) }
}

// freeEncoder ends an encoder that nobody has any more.
func freeEncoder[T encoderState](e T, o *objcsoft.Object) {
	b := e.base()
	if !b.rec.Ended() {
		b.misuse("-["+b.enc+" dealloc]", "the encoder was released before endEncoding")
		b.rec.End("-[" + b.enc + " dealloc]")
	}
	o.Drop(b.owner.id)
}

// use keeps a resource until the commands have run.
func (e *encoder) use(id objcsoft.ID) { e.owner.keep(id) }

// place is a position in a buffer.
type place struct {
	address uint64
	length  uint64 // from there to the buffer's end
}

// bufferArg reads a buffer argument and an offset into it; nil is no buffer.
func (e *encoder) bufferArg(c *objcsoft.Call, arg int, offset uint64, call, what string) (place, bool) {
	return e.buffer(c, c.ID(arg), offset, call, what)
}

func (e *encoder) buffer(c *objcsoft.Call, id objcsoft.ID, offset uint64, call, what string) (place, bool) {
	if id == 0 {
		return place{}, true
	}
	b, ok := adapter.PayloadOf[*buffer](c.RT, id)
	switch {
	case !ok:
		adapter.Misuse(c, "%s is no live buffer of this device", what)
		return place{}, false
	case b.device != e.owner.dev:
		e.misuse(call, "%s is of another device", what)
		return place{}, false
	case offset > uint64(len(b.data)):
		e.misuse(call, "%s offset is %d bytes, want at most the buffer's length %d", what, offset, len(b.data))
		return place{}, false
	}
	e.use(id)
	e.needs(call, what, b)
	return place{b.address(offset), uint64(len(b.data)) - offset}, true
}

// span is readSpan for what is not the source of a blit, which is all that remote views may be.
func (e *encoder) span(c *objcsoft.Call, arg int, offset, n uint64, call, what string) (place, bool) {
	if b, ok := adapter.PayloadOf[*buffer](c.RT, c.ID(arg)); ok && b.root != nil {
		e.misuse(call, "the %s is a remote view, which only blits may read", what)
		return place{}, false
	}
	return e.readSpan(c, arg, offset, n, call, what)
}

// readSpan reads a buffer argument that must have n bytes from an offset on.
func (e *encoder) readSpan(c *objcsoft.Call, arg int, offset, n uint64, call, what string) (place, bool) {
	p, ok := e.bufferArg(c, arg, offset, call, what)
	switch {
	case !ok:
		return p, false
	case c.ID(arg) == 0:
		e.misuse(call, "%s is nil", what)
		return p, false
	case n > p.length:
		e.misuse(call, "%s: %d bytes at offset %d do not fit the buffer's %d", what, n, offset, offset+p.length)
		return p, false
	}
	return p, true
}

// arguments is span for the arguments of an indirect command.
func (e *encoder) arguments(c *objcsoft.Call, arg int, offset, n uint64, call, what string) (place, bool) {
	if offset%limits.IndirectAlignment != 0 {
		e.misuse(call, "%s offset is %d bytes, want a multiple of %d", what, offset, limits.IndirectAlignment)
		return place{}, false
	}
	return e.span(c, arg, offset, n, call, what)
}

// size reads a structure of three words.
func size(c *objcsoft.Call, arg int) command.Size {
	w := c.Words(arg)
	return command.Size{uint64(w[0]), uint64(w[1]), uint64(w[2])}
}

// rangeArg reads an NSRange.
func rangeArg(c *objcsoft.Call, arg int) (location, length uint64) {
	w := c.Words(arg)
	return uint64(w[0]), uint64(w[1])
}
