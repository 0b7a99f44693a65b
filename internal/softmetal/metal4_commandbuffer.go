package softmetal

import (
	"sync"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// commandBuffer4 is the state of an MTL4CommandBuffer. It is begun, ended and committed again and again; what it recorded goes its own way.
type commandBuffer4 struct {
	adapter.Label
	dev *device
	id  objcsoft.ID

	mu     sync.Mutex
	open   *recording // between begin and end
	ready  *recording // between end and commit
	groups int        // debug groups that are open
}

func commandBuffer4Classes() []adapter.Class {
	m := adapter.Methods{
		"device":                           adapter.Method(func(b *commandBuffer4, c *objcsoft.Call) { c.ReturnID(b.dev.id) }),
		"beginCommandBufferWithAllocator:": adapter.Method(func(b *commandBuffer4, c *objcsoft.Call) { b.begin(c, 0) }),
		"beginCommandBufferWithAllocator:options:": adapter.Method(func(b *commandBuffer4, c *objcsoft.Call) {
			if r := adapter.RecordArg(c, 1, "the options"); r != nil {
				b.begin(c, r.ID("logState"))
			}
		}),
		"machineLearningCommandEncoder": adapter.Method(func(_ *commandBuffer4, c *objcsoft.Call) { adapter.Misuse(c, noNetworks) }),
	}
	for sel, f := range map[string]func(b *commandBuffer4, c *objcsoft.Call, call string){
		"endCommandBuffer":        (*commandBuffer4).end,
		"computeCommandEncoder":   (*commandBuffer4).newComputeEncoder,
		"useResidencySet:":        func(b *commandBuffer4, c *objcsoft.Call, _ string) { b.useResidency(c, c.ID(0)) },
		"useResidencySets:count:": func(b *commandBuffer4, c *objcsoft.Call, _ string) { b.useResidency(c, c.IDs(0, c.Uint(1))...) },
		"pushDebugGroup:": func(b *commandBuffer4, c *objcsoft.Call, _ string) {
			if b.begun(c) != nil {
				b.group(1)
			}
		},
		"popDebugGroup": func(b *commandBuffer4, c *objcsoft.Call, _ string) {
			if b.begun(c) != nil && !b.group(-1) {
				adapter.Misuse(c, "no debug group is open")
			}
		},
		"writeTimestampIntoHeap:atIndex:": func(b *commandBuffer4, c *objcsoft.Call, call string) {
			if r := b.begun(c); r != nil {
				if do := r.stamp(c, 0, c.Uint(1), call); do != nil {
					r.buffer.Do(call, do)
				}
			}
		},
		"resolveCounterHeap:withRange:intoBuffer:waitFence:updateFence:": func(b *commandBuffer4, c *objcsoft.Call, call string) {
			if r := b.begun(c); r != nil {
				r.resolveHeap(c, call)
			}
		},
	} {
		call := "-[MTL4CommandBuffer " + sel + "]"
		m[sel] = adapter.Method(func(b *commandBuffer4, c *objcsoft.Call) { f(b, c, call) })
	}
	return []adapter.Class{
		{Name: "MTL4CommandBufferOptions", Protocols: []string{"NSCopying"}, Properties: adapter.Properties{{Name: "logState"}}},
		{Name: "PMSoftDevice", Methods: adapter.Methods{"newCommandBuffer": adapter.Method(func(d *device, c *objcsoft.Call) {
			b := &commandBuffer4{dev: d}
			b.id = d.driver.New("PMSoftCommandBuffer4", b)
			c.ReturnID(b.id)
		})}},
		{Name: "PMSoftCommandBuffer4", Protocols: []string{"MTL4CommandBuffer"}, Methods: adapter.WithLabel[*commandBuffer4](m), Dealloc: adapter.DeallocHook((*commandBuffer4).free)},
	}
}

// begun returns what is being recorded; nil after a misuse.
func (b *commandBuffer4) begun(c *objcsoft.Call) *recording {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		adapter.Misuse(c, "the command buffer is not begun")
	}
	return b.open
}

func (b *commandBuffer4) begin(c *objcsoft.Call, log objcsoft.ID) {
	a, ok := adapter.Payload[*commandAllocator4](c, 0)
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
		b.ready.finish() // it was never committed
		b.ready = nil
	}
	r := &recording{dev: b.dev, rt: c.RT, id: b.id, buffer: buffer, declared: &residency{}}
	r.hold(log)
	r.logTo(log)
	buffer.Release = r.finish
	buffer.Prepare = r.declared.check
	buffer.Resident = func(kind ir.ArgKind, word uint64) bool { return r.resident(kind, word) }
	b.open, b.groups = r, 0
}

func (b *commandBuffer4) end(c *objcsoft.Call, call string) {
	r := b.begun(c)
	if r == nil {
		return
	}
	if r.buffer.Encoding() {
		adapter.Misuse(c, "an encoder of the command buffer has not ended")
		return
	}
	r.buffer.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open, b.ready = nil, r
}

// group opens or closes a debug group, and reports false where there is none to close.
func (b *commandBuffer4) group(by int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.groups+by < 0 {
		return false
	}
	b.groups += by
	return true
}

func (b *commandBuffer4) useResidency(c *objcsoft.Call, sets ...objcsoft.ID) {
	r := b.begun(c)
	if r == nil || !areResidencySets(c, sets) {
		return
	}
	for _, id := range sets {
		r.hold(id)
		r.declared.sets = append(r.declared.sets, id)
	}
}

// resident answers whether what a dispatch has bound is resident.
func (r *recording) resident(kind ir.ArgKind, word uint64) bool {
	x := r.dev.residents.at(kind, word)
	return x != nil && x.ResidentIn(r.declared)
}

// free ends a command buffer that nobody has any more. What was committed goes on.
func (b *commandBuffer4) free(*objcsoft.Object) {
	if b.open != nil {
		b.open.buffer.Close()
		b.open.finish()
	}
	if b.ready != nil {
		b.ready.finish()
	}
}
