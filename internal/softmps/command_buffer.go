package softmps

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// commandBuffer is the payload of an MPSCommandBuffer: a command buffer of Metal, to which it
// forwards the messages of that protocol, and which commitAndContinue replaces.
type commandBuffer struct {
	current, root           objcsoft.ID // retained; root is the first one
	predicate, heapProvider objcsoft.ID
}

// commandBufferMessages is what MPSCommandBuffer forwards.
func commandBufferMessages() *adapter.Owner { return metal.Tables.Owner("MTLCommandBuffer") }

// newCommandBuffer wraps a command buffer of Metal, which it retains.
func newCommandBuffer(c *objcsoft.Call, id objcsoft.ID) (*commandBuffer, bool) {
	if id == 0 {
		adapter.Misuse(c, "the command buffer is nil")
		return nil, false
	}
	for range 2 {
		if err := c.RT.Retain(id); err != nil {
			c.Fail(err)
			return nil, false
		}
	}
	return &commandBuffer{current: id, root: id}, true
}

// commitAndContinue commits the command buffer, and goes on with a new one of the same queue.
func (b *commandBuffer) commitAndContinue(c *objcsoft.Call) {
	objc.Pool(func() {
		old := mtl.CommandBufferFrom(objc.ID(b.current))
		next, err := old.CommandQueue().CommandBuffer()
		if err == nil {
			err = old.Commit()
		}
		if err == nil {
			err = c.RT.Retain(objcsoft.ID(next.ID()))
		}
		if err != nil {
			adapter.Misuse(c, "%v", err)
			return
		}
		was := b.current
		b.current = objcsoft.ID(next.ID())
		if err := c.RT.Release(was); err != nil {
			c.Fail(err)
		}
	})
}

// forward sends the message in progress to the command buffer of Metal.
func forward(enc string) objcsoft.Imp {
	words := 0
	if sig, err := typeenc.ParseMethod(enc); err == nil {
		words = int(sig.Ret.Size+7) / 8
	}
	return adapter.Method(func(b *commandBuffer, c *objcsoft.Call) {
		e, err := c.RT.Encoding(enc)
		result := make([]uintptr, words)
		if err == nil {
			err = c.RT.Send(b.current, c.Sel, e, c.Args, result)
		}
		if err != nil {
			c.Fail(err)
			return
		}
		c.ReturnWords(result...)
	})
}

// keep returns the setter of an object that the command buffer retains.
func keep(field func(b *commandBuffer) *objcsoft.ID) objcsoft.Imp {
	return adapter.Method(func(b *commandBuffer, c *objcsoft.Call) {
		id, at := c.ID(0), field(b)
		if id != 0 {
			if err := c.RT.Retain(id); err != nil {
				c.Fail(err)
				return
			}
		}
		old := *at
		*at = id
		if old != 0 {
			if err := c.RT.Release(old); err != nil {
				c.Fail(err)
			}
		}
	})
}

func commandBufferClasses() []adapter.Class {
	type buffer = *commandBuffer
	object := func(get func(b buffer) objcsoft.ID) objcsoft.Imp {
		return adapter.Method(func(b buffer, c *objcsoft.Call) { c.ReturnShared(get(b)) })
	}
	m := adapter.Methods{
		"initWithCommandBuffer:": func(c *objcsoft.Call) {
			if b, ok := newCommandBuffer(c, c.ID(0)); ok {
				Init(c, b)
			}
		},
		"commandBuffer":     object(func(b buffer) objcsoft.ID { return b.current }),
		"rootCommandBuffer": object(func(b buffer) objcsoft.ID { return b.root }),
		"commitAndContinue": adapter.Method(buffer.commitAndContinue),
		"predicate":         object(func(b buffer) objcsoft.ID { return b.predicate }),
		"setPredicate:":     keep(func(b buffer) *objcsoft.ID { return &b.predicate }),
		"heapProvider":      object(func(b buffer) objcsoft.ID { return b.heapProvider }),
		"setHeapProvider:":  keep(func(b buffer) *objcsoft.ID { return &b.heapProvider }),
		// Memory comes when it is needed.
		"prefetchHeapForWorkloadSize:": adapter.Method(func(buffer, *objcsoft.Call) {}),
	}
	for _, s := range commandBufferMessages().Methods {
		if m[s.Name] == nil {
			m[s.Name] = forward(s.Enc)
		}
	}
	wrap := func(c *objcsoft.Call, id objcsoft.ID) {
		if b, ok := newCommandBuffer(c, id); ok {
			c.ReturnAutoreleased(c.RT.NewObject(c.RT.Class("MPSCommandBuffer"), b))
		}
	}
	return []adapter.Class{{
		Name: "MPSCommandBuffer", Protocols: []string{"MTLCommandBuffer"}, Methods: m,
		ClassMethods: adapter.Methods{
			"commandBufferFromCommandQueue:": func(c *objcsoft.Call) {
				if c.ID(0) == 0 {
					adapter.Misuse(c, "the command queue is nil")
					return
				}
				cb, err := mtl.CommandQueueFrom(objc.ID(c.ID(0))).CommandBuffer()
				if err != nil {
					c.Fail(err)
					return
				}
				wrap(c, objcsoft.ID(cb.ID()))
			},
			"commandBufferWithCommandBuffer:": func(c *objcsoft.Call) { wrap(c, c.ID(0)) },
		},
		Dealloc: adapter.DeallocHook(func(b buffer, o *objcsoft.Object) {
			o.Drop(b.current, b.root, b.predicate, b.heapProvider)
		}),
	}}
}
