package metal4

import (
	"sync"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/encode"
	"github.com/puremetal/puremetal/internal/softmetal/library"
	"github.com/puremetal/puremetal/internal/softmetal/resource"
)

// commandBuffer is the state of an MTL4CommandBuffer. It is begun, ended and committed again and
// again; what it recorded goes its own way.
type commandBuffer struct {
	adapter.Label
	dev *device.Device
	id  objcsoft.ID

	mu     sync.Mutex
	open   *encode.Recording // between begin and end
	ready  *encode.Recording // between end and commit
	groups int               // debug groups that are open
}

func commandBufferClasses() []adapter.Class {
	m := adapter.Methods{
		"device":                           adapter.Method(func(b *commandBuffer, c *objcsoft.Call) { c.ReturnID(b.dev.ID) }),
		"beginCommandBufferWithAllocator:": adapter.Method(func(b *commandBuffer, c *objcsoft.Call) { b.begin(c, 0) }),
		"beginCommandBufferWithAllocator:options:": adapter.Method(func(b *commandBuffer, c *objcsoft.Call) {
			if r := adapter.RecordArg(c, 1, "the options"); r != nil {
				b.begin(c, r.ID("logState"))
			}
		}),
		"machineLearningCommandEncoder": adapter.Method(func(_ *commandBuffer, c *objcsoft.Call) {
			adapter.Misuse(c, library.NoNetworks)
		}),
	}
	for sel, f := range map[string]func(b *commandBuffer, c *objcsoft.Call, call string){
		"endCommandBuffer":      (*commandBuffer).end,
		"computeCommandEncoder": (*commandBuffer).newComputeEncoder,
		"useResidencySet:":      func(b *commandBuffer, c *objcsoft.Call, _ string) { b.useResidency(c, c.ID(0)) },
		"useResidencySets:count:": func(b *commandBuffer, c *objcsoft.Call, _ string) {
			b.useResidency(c, c.IDs(0, c.Uint(1))...)
		},
		"pushDebugGroup:": func(b *commandBuffer, c *objcsoft.Call, _ string) {
			if b.begun(c) != nil {
				b.group(1)
			}
		},
		"popDebugGroup": func(b *commandBuffer, c *objcsoft.Call, _ string) {
			if b.begun(c) != nil && !b.group(-1) {
				adapter.Misuse(c, "no debug group is open")
			}
		},
		"writeTimestampIntoHeap:atIndex:": func(b *commandBuffer, c *objcsoft.Call, call string) {
			if r := b.begun(c); r != nil {
				if do := stamp(r, c, 0, c.Uint(1), call); do != nil {
					r.Buffer.Do(call, do)
				}
			}
		},
		"resolveCounterHeap:withRange:intoBuffer:waitFence:updateFence:": func(b *commandBuffer, c *objcsoft.Call,
			call string) {
			if r := b.begun(c); r != nil {
				resolveHeap(r, c, call)
			}
		},
	} {
		call := "-[MTL4CommandBuffer " + sel + "]"
		m[sel] = adapter.Method(func(b *commandBuffer, c *objcsoft.Call) { f(b, c, call) })
	}
	return []adapter.Class{
		{Name: "MTL4CommandBufferOptions", Protocols: []string{"NSCopying"},
			Properties: adapter.Properties{{Name: "logState"}}},
		{Name: "PMSoftDevice", Methods: adapter.Methods{"newCommandBuffer": adapter.Method(func(d *device.Device,
			c *objcsoft.Call) {
			b := &commandBuffer{dev: d}
			b.id = d.Driver.New("PMSoftCommandBuffer4", b)
			c.ReturnID(b.id)
		})}},
		{Name: "PMSoftCommandBuffer4", Protocols: []string{"MTL4CommandBuffer"},
			Methods: adapter.WithLabel[*commandBuffer](m), Dealloc: adapter.DeallocHook((*commandBuffer).free)},
	}
}

// begun returns what is being recorded; nil after a misuse.
func (b *commandBuffer) begun(c *objcsoft.Call) *encode.Recording {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		adapter.Misuse(c, "the command buffer is not begun")
	}
	return b.open
}

func (b *commandBuffer) begin(c *objcsoft.Call, log objcsoft.ID) {
	a, ok := adapter.Payload[*commandAllocator](c, 0)
	if !ok {
		if !c.Failed() {
			adapter.Misuse(c, "the command allocator is nil")
		}
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.open != nil:
		adapter.Misuse(c, "the command buffer is begun already")
		return
	case a.dev != b.dev:
		adapter.Misuse(c, "the command allocator is of another device")
		return
	}
	buffer := a.allocator.Begin()
	if buffer == nil {
		adapter.Misuse(c, "the command allocator is in use by another command buffer")
		return
	}
	if b.ready != nil {
		b.ready.Finish() // it was never committed
		b.ready = nil
	}
	r := &encode.Recording{Device: b.dev, RT: c.RT, ID: b.id, Buffer: buffer, Declared: &device.Residency{}}
	r.Hold(log)
	r.LogTo(log)
	buffer.Release = r.Finish
	buffer.Prepare = r.Declared.Check
	buffer.Resident = func(kind ir.ArgKind, word uint64) bool { return resident(r, kind, word) }
	b.open, b.groups = r, 0
}

func (b *commandBuffer) end(c *objcsoft.Call, call string) {
	r := b.begun(c)
	if r == nil {
		return
	}
	if r.Buffer.Encoding() {
		adapter.Misuse(c, "an encoder of the command buffer has not ended")
		return
	}
	r.Buffer.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open, b.ready = nil, r
}

// group opens or closes a debug group, and returns false if there is none to close.
func (b *commandBuffer) group(by int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.groups+by < 0 {
		return false
	}
	b.groups += by
	return true
}

func (b *commandBuffer) useResidency(c *objcsoft.Call, sets ...objcsoft.ID) {
	r := b.begun(c)
	if r == nil || !resource.AreResidencySets(c, sets) {
		return
	}
	for _, id := range sets {
		r.Hold(id)
		r.Declared.Sets = append(r.Declared.Sets, id)
	}
}

// resident answers whether what a dispatch has bound is resident.
func resident(r *encode.Recording, kind ir.ArgKind, word uint64) bool {
	x := r.Device.Residents.At(kind, word)
	return x != nil && r.Declared.Holds(x)
}

// free ends a command buffer that has no more references. Committed work continues.
func (b *commandBuffer) free(*objcsoft.Object) {
	if b.open != nil {
		b.open.Buffer.Close()
		b.open.Finish()
	}
	if b.ready != nil {
		b.ready.Finish()
	}
}
