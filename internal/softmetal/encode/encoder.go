package encode

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/internal/softmetal/resource"
)

// Encoder is what encoders of all kinds have. Its calls have no errors to return: misuse makes the
// command buffer fail.
type Encoder struct {
	adapter.Label
	Owner    *Recording // of the command buffer, kept alive by the encoder's object
	Commands *command.Encoder
	Protocol string // the protocol, for messages: MTLComputeCommandEncoder
	depth    int    // of debug groups
}

// Base returns the encoder of a payload that embeds one.
func (e *Encoder) Base() *Encoder { return e }

// State is the payload of an encoder's object.
type State interface {
	Base() *Encoder
	Labeled() *adapter.Label
}

// EncoderCalls makes methods of an encoder: each gets the call in words for what it reports.
func EncoderCalls[T State](protocol string, list map[string]func(e T, c *objcsoft.Call, call string)) adapter.Methods {
	m := adapter.Methods{}
	for sel, f := range list {
		call := "-[" + protocol + " " + sel + "]"
		m[sel] = adapter.Method(func(e T, c *objcsoft.Call) { f(e, c, call) })
	}
	return m
}

// encoderMethods adds the methods common to all kinds of encoders to m.
func encoderMethods[T State](m adapter.Methods) adapter.Methods {
	m = AnyEncoderMethods[T]("MTLCommandEncoder", m)
	m["device"] = adapter.Method(func(e T, c *objcsoft.Call) { c.ReturnID(e.Base().Owner.Device.ID) })
	// Commands run in the order of their queue, which is all that this barrier asks for.
	m["barrierAfterQueueStages:beforeStages:"] = adapter.Method(func(e T, _ *objcsoft.Call) {
		e.Base().Commands.BarrierAfterQueue("-[MTLCommandEncoder barrierAfterQueueStages:beforeStages:]")
	})
	return m
}

// AnyEncoderMethods are those that encoders of Metal 4 have as well.
func AnyEncoderMethods[T State](protocol string, m adapter.Methods) adapter.Methods {
	adapter.WithLabel[T](m)
	set := m["setLabel:"]
	common := EncoderCalls(protocol, map[string]func(e T, c *objcsoft.Call, call string){
		"endEncoding": func(e T, c *objcsoft.Call, call string) { e.Base().Commands.End(call) },
		"setLabel:": func(e T, c *objcsoft.Call, _ string) {
			set(c)
			e.Base().Commands.SetLabel(e.Labeled().Text())
		},
		"insertDebugSignpost:": func(e T, c *objcsoft.Call, _ string) {
			s, err := c.RT.GoString(c.ID(0))
			if err != nil {
				c.Fail(err)
				return
			}
			e.Base().Commands.Signpost(s)
		},
		"pushDebugGroup:": func(e T, c *objcsoft.Call, _ string) { e.Base().depth++ },
		"popDebugGroup": func(e T, c *objcsoft.Call, call string) {
			if b := e.Base(); b.depth == 0 {
				b.Misuse(call, "no debug group is open")
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

// fenceMethods are those of fences. Encoders of a queue run one after the other, so that a fence
// which an earlier one updates has been updated.
func fenceMethods[T State]() map[string]func(e T, c *objcsoft.Call, call string) {
	return map[string]func(e T, c *objcsoft.Call, call string){
		"updateFence:":  func(e T, c *objcsoft.Call, call string) { e.Base().UpdateFence(c, call) },
		"waitForFence:": func(e T, c *objcsoft.Call, call string) { e.Base().WaitFence(c, call) },
	}
}

// UpdateFence answers a method that updates a fence, argument 0.
func (e *Encoder) UpdateFence(c *objcsoft.Call, call string) {
	if f := e.fence(c, call); f != nil {
		e.Commands.UpdateFence(call, &f.Fence)
	}
}

// WaitFence answers a method that waits for a fence, argument 0.
func (e *Encoder) WaitFence(c *objcsoft.Call, call string) {
	if f := e.fence(c, call); f != nil {
		e.Commands.WaitFence(call, &f.Fence)
	}
}

// fence reads the argument of a method that waits for a fence or updates it.
func (e *Encoder) fence(c *objcsoft.Call, call string) *Fence {
	f, ok := adapter.Payload[*Fence](c, 0)
	switch {
	case c.Failed():
	case !ok:
		e.Misuse(call, "the fence is nil")
	case f.Device != e.Owner.Device:
		e.Misuse(call, "the fence is of another device")
	default:
		return f
	}
	return nil
}

// Misuse fails the command buffer, which reports it when it is committed.
func (e *Encoder) Misuse(call, format string, args ...any) {
	e.Owner.Buffer.Misuse(call, format, args...)
}

// Refused makes a method that this device does not have fail the command buffer.
func Refused[T State](what string) func(e T, c *objcsoft.Call, call string) {
	return func(e T, _ *objcsoft.Call, call string) { e.Base().Misuse(call, "this device has no %s", what) }
}

// FreeEncoder frees an encoder that has no more references. One that has not been ended fails the
// command buffer, and its release is an error as well, since the command buffer may never be
// committed: Metal ends such a program.
func FreeEncoder[T State](e T, o *objcsoft.Object) {
	b := e.Base()
	if b.Commands.Ended() {
		o.Drop(b.Owner.ID)
		return
	}
	call := "-[" + b.Protocol + " dealloc]"
	b.Misuse(call, "the encoder was released before endEncoding")
	b.Commands.End(call)
	what := "the encoder"
	if label := b.Text(); label != "" {
		what = fmt.Sprintf("encoder %q", label)
	}
	if owner, ok := adapter.PayloadOf[interface{ Text() string }](o.Runtime(), b.Owner.ID); ok && owner.Text() != "" {
		what += fmt.Sprintf(" of command buffer %q", owner.Text())
	}
	o.Drop(b.Owner.ID)
	o.Fail(fmt.Errorf("%s was released before endEncoding", what))
}

// use keeps a resource until the commands have run.
func (e *Encoder) use(id objcsoft.ID) { e.Owner.keep(id) }

// place is a position in a buffer.
type place struct {
	address uint64
	length  uint64 // from there to the buffer's end
}

// bufferArg reads a buffer argument and an offset into it; nil is no buffer.
func (e *Encoder) bufferArg(c *objcsoft.Call, arg int, offset uint64, call, what string) (place, bool) {
	return e.buffer(c, c.ID(arg), offset, call, what)
}

func (e *Encoder) buffer(c *objcsoft.Call, id objcsoft.ID, offset uint64, call, what string) (place, bool) {
	if id == 0 {
		return place{}, true
	}
	b, ok := adapter.PayloadOf[*resource.Buffer](c.RT, id)
	switch {
	case !ok:
		adapter.Misuse(c, "%s is no live buffer of this device", what)
		return place{}, false
	case b.Device != e.Owner.Device:
		e.Misuse(call, "%s is of another device", what)
		return place{}, false
	case offset > uint64(len(b.Data)):
		e.Misuse(call, "%s offset is %d bytes, want at most the buffer's length %d", what, offset, len(b.Data))
		return place{}, false
	}
	e.use(id)
	e.needs(call, what, b)
	return place{b.Address(offset), uint64(len(b.Data)) - offset}, true
}

// span is readSpan for buffers other than the source of a blit; a remote view can only be a source.
func (e *Encoder) span(c *objcsoft.Call, arg int, offset, n uint64, call, what string) (place, bool) {
	if b, ok := adapter.PayloadOf[*resource.Buffer](c.RT, c.ID(arg)); ok && b.IsRemote() {
		e.remoteMisuse(call, what)
		return place{}, false
	}
	return e.readSpan(c, arg, offset, n, call, what)
}

// remoteMisuse reports a remote view in a place other than the source of a blit.
func (e *Encoder) remoteMisuse(call, what string) {
	e.Misuse(call, "the %s is a remote view, which only blits may read", what)
}

// readSpan reads a buffer argument that must have n bytes from an offset on.
func (e *Encoder) readSpan(c *objcsoft.Call, arg int, offset, n uint64, call, what string) (place, bool) {
	p, ok := e.bufferArg(c, arg, offset, call, what)
	switch {
	case !ok:
		return p, false
	case c.ID(arg) == 0:
		e.Misuse(call, "%s is nil", what)
		return p, false
	case n > p.length:
		e.Misuse(call, "%s: %d bytes at offset %d do not fit the buffer's %d", what, n, offset, offset+p.length)
		return p, false
	}
	return p, true
}

// arguments is span for the arguments of an indirect command.
func (e *Encoder) arguments(c *objcsoft.Call, arg int, offset, n uint64, call, what string) (place, bool) {
	if offset%limits.IndirectAlignment != 0 {
		e.Misuse(call, "%s offset is %d bytes, want a multiple of %d", what, offset, limits.IndirectAlignment)
		return place{}, false
	}
	return e.span(c, arg, offset, n, call, what)
}

// Size reads a structure of three words.
func Size(c *objcsoft.Call, arg int) command.Size {
	w := c.Words(arg)
	return command.Size{uint64(w[0]), uint64(w[1]), uint64(w[2])}
}

// RangeArg reads an NSRange.
func RangeArg(c *objcsoft.Call, arg int) (location, length uint64) {
	w := c.Words(arg)
	return uint64(w[0]), uint64(w[1])
}
