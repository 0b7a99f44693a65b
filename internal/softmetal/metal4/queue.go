package metal4

import (
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/encode"
	"github.com/puremetal/puremetal/internal/softmetal/resource"
)

// CommandQueue is the state of an MTL4CommandQueue.
type CommandQueue struct {
	adapter.Label
	Device   *device.Device
	Queue    *command.Queue
	sets     resource.QueueSets
	isolated atomic.Bool           // kernels reach only what the program declares
	feedback *encode.DispatchQueue // that calls feedback handlers; nil for the queue's own
}

// commitOptions is the state of an MTL4CommitOptions.
type commitOptions struct{ blocks []objcsoft.ID } // feedback handlers, retained

func commandQueueClasses() []adapter.Class {
	m := resource.ResidencyMethods(func(q *CommandQueue) *resource.QueueSets { return &q.sets }, adapter.Methods{
		"device":        adapter.Method(func(q *CommandQueue, c *objcsoft.Call) { c.ReturnID(q.Device.ID) }),
		"isolate":       adapter.Method(func(q *CommandQueue, _ *objcsoft.Call) { q.isolated.Store(true) }),
		"commit:count:": adapter.Method(func(q *CommandQueue, c *objcsoft.Call) { q.commit(c, nil) }),
		"commit:count:options:": adapter.Method(func(q *CommandQueue, c *objcsoft.Call) {
			if o, ok := adapter.Payload[*commitOptions](c, 2); ok {
				q.commit(c, o.blocks)
			} else if !c.Failed() {
				adapter.Misuse(c, "the options are nil")
			}
		}),
		"signalEvent:value:": adapter.Method(func(q *CommandQueue, c *objcsoft.Call) {
			q.event(c, "-[MTL4CommandQueue signalEvent:value:]", q.Queue.SignalEvent)
		}),
		"waitForEvent:value:": adapter.Method(func(q *CommandQueue, c *objcsoft.Call) {
			q.event(c, "-[MTL4CommandQueue waitForEvent:value:]", q.Queue.WaitForEvent)
		}),
	})
	for _, sel := range []string{
		"copyBufferMappingsFromBuffer:toBuffer:operations:count:",
		"copyTextureMappingsFromTexture:toTexture:operations:count:",
		"updateBufferMappings:heap:operations:count:", "updateTextureMappings:heap:operations:count:",
	} {
		m[sel] = adapter.Method(func(_ *CommandQueue, c *objcsoft.Call) {
			adapter.Misuse(c, "this device has no sparse resources, which supportsPlacementSparse says")
		})
	}
	return []adapter.Class{
		{Name: "MTL4CommandQueueDescriptor", Protocols: []string{"NSCopying"},
			Properties: adapter.Properties{{Name: "label", Copied: true}, {Name: "feedbackQueue"}}},
		{
			Name: "MTL4CommitOptions", Alloc: func(o *objcsoft.Object) { o.Payload = new(commitOptions) },
			Dealloc: adapter.DeallocHook(func(s *commitOptions, o *objcsoft.Object) { o.Drop(s.blocks...) }),
			Methods: adapter.Methods{"addFeedbackHandler:": adapter.Method((*commitOptions).add)},
		},
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newMTL4CommandQueue": adapter.Method(func(d *device.Device, c *objcsoft.Call) { newCommandQueue4(d, c, "", nil) }),
			"newMTL4CommandQueueWithDescriptor:error:": adapter.Method(func(d *device.Device, c *objcsoft.Call) {
				if text, ok := labelArg(c, 0); ok {
					feedback, _ := adapter.PayloadOf[*encode.DispatchQueue](c.RT,
						adapter.RecordArg(c, 0, "the descriptor").ID("feedbackQueue"))
					newCommandQueue4(d, c, text, feedback)
				}
			}),
		}},
		{Name: "PMSoftCommandQueue4", Protocols: []string{"MTL4CommandQueue"},
			Methods: adapter.WithReadOnlyLabel[*CommandQueue](m),
			Dealloc: adapter.DeallocHook(func(q *CommandQueue, o *objcsoft.Object) { o.Drop(q.sets.List()...) })},
		feedbackClass(),
	}
}

func newCommandQueue4(d *device.Device, c *objcsoft.Call, text string, feedback *encode.DispatchQueue) {
	q := &CommandQueue{Device: d, Queue: d.GPU().NewQueue(0), feedback: feedback}
	q.Queue.Name = q.Text
	q.isolated.Store(d.Isolated)
	q.SetText(text)
	c.ReturnID(d.Driver.New("PMSoftCommandQueue4", q))
}

func (o *commitOptions) add(c *objcsoft.Call) {
	if block, ok := adapter.HandlerArg(c, 0); ok {
		if err := c.RT.Retain(block); err != nil {
			c.Fail(err)
			return
		}
		o.blocks = append(o.blocks, block)
	}
}

// commit hands in the command buffers that are arguments 0 and 1, and calls handlers when they have
// run.
func (q *CommandQueue) commit(c *objcsoft.Call, handlers []objcsoft.ID) {
	if c.Uint(1) == 0 {
		adapter.Misuse(c, "the number of command buffers is 0, want at least 1")
		return
	}
	ids := c.IDs(0, c.Uint(1))
	if c.Failed() {
		return
	}
	list := make([]*commandBuffer, len(ids))
	for i, id := range ids {
		b, ok := adapter.PayloadOf[*commandBuffer](c.RT, id)
		switch {
		case !ok:
			adapter.Misuse(c, "command buffer %d is nil or no command buffer of Metal 4", i)
			return
		case b.dev != q.Device:
			adapter.Misuse(c, "command buffer %d is of another device", i)
			return
		case slices.Contains(ids[:i], id):
			adapter.Misuse(c, "command buffers %d and %d are the same", slices.Index(ids, id), i)
			return
		}
		list[i] = b
	}
	taken := make([]*encode.Recording, len(list))
	for i, b := range list {
		if taken[i] = b.take(); taken[i] == nil {
			adapter.Misuse(c, "command buffer %d has not been begun and ended since it was committed", i)
			giveBack(list, taken[:i])
			return
		}
	}
	for i, block := range handlers {
		if err := c.RT.Retain(block); err != nil {
			c.Fail(err)
			adapter.Release(c.RT, handlers[:i]...)
			giveBack(list, taken)
			return
		}
	}
	handlers = slices.Clone(handlers) // the program may add to the options
	buffers := q.prepare(c, list, taken, handlers)
	if err := q.Queue.CommitAll(buffers); err != nil {
		adapter.Misuse(c, "%v", err)
		adapter.Release(c.RT, handlers...)
		giveBack(list, taken)
	}
}

// take takes out what is ready to be committed.
func (b *commandBuffer) take() *encode.Recording {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.ready
	b.ready = nil
	return r
}

// giveBack undoes take.
func giveBack(list []*commandBuffer, taken []*encode.Recording) {
	for i, r := range taken {
		list[i].mu.Lock()
		list[i].ready = r
		list[i].mu.Unlock()
	}
}

// prepare makes the recordings ready to run. Its errors go to the feedback; without feedback
// handlers the commit reports them.
func (q *CommandQueue) prepare(c *objcsoft.Call, list []*commandBuffer, taken []*encode.Recording,
	handlers []objcsoft.ID) []*command.Buffer {
	sets := q.sets.List()
	buffers := make([]*command.Buffer, len(taken))
	for i, r := range taken {
		buffers[i] = r.Buffer
		r.Buffer.Label = list[i].Text()
		resource.Settle(r.Declared, c.RT, sets)
		if q.isolated.Load() {
			r.Buffer.Reach = func(uses []command.Use, grant func(command.Grant)) {
				q.Device.Residents.Reach(r.Declared, uses, grant)
			}
		}
		if bad := r.Buffer.Broken(); bad != nil && len(handlers) == 0 && !c.Failed() {
			adapter.Misuse(c, "command buffer %d does not run: %s", i, bad.Reason)
		}
	}
	first, last := buffers[0], buffers[len(buffers)-1]
	reported := c.Failed()
	last.Finish = func() { q.callHandlers(first, last, handlers, reported) }
	return buffers
}

// callHandlers calls the feedback handlers of a commit. An error without a handler goes to the
// program's log, unless the call has reported it.
func (q *CommandQueue) callHandlers(first, last *command.Buffer, handlers []objcsoft.ID, reported bool) {
	var failed *command.Error
	errors.As(last.Err(), &failed)
	if len(handlers) == 0 {
		if failed != nil && !reported {
			slog.Error("metal 4: a commit failed, and has no feedback handler", "queue", q.Text(), "error", failed)
		}
		return
	}
	drv := q.Device.Driver
	last.Asked()
	call := func() {
		id := drv.New("PMSoftCommitFeedback4",
			&commitFeedback{driver: drv, err: failed, start: first.Time(command.GPUStart), end: last.Time(command.GPUEnd)})
		for _, block := range handlers {
			// the runtime reports a panic
			adapter.InPool(drv.RT, func() { _, _ = drv.RT.InvokeBlock(block, []uintptr{uintptr(id)}) })
		}
		adapter.Release(drv.RT, id)
		adapter.Release(drv.RT, handlers...)
	}
	if q.feedback != nil {
		q.feedback.Do(call)
		return
	}
	call()
}

// event hands in a wait for an event or a signal.
func (q *CommandQueue) event(c *objcsoft.Call, call string,
	hand func(call string, e *command.Event, value uint64, done func(error))) {
	e, ok := adapter.Payload[*encode.Event](c, 0)
	switch {
	case c.Failed():
		return
	case !ok:
		adapter.Misuse(c, "the event is nil")
		return
	case e.Device != q.Device && !e.Shared:
		adapter.Misuse(c, "the event is of another device")
		return
	}
	rt, id := c.RT, c.ID(0)
	if err := rt.Retain(id); err != nil {
		c.Fail(err)
		return
	}
	hand(call, e.Event, c.Uint(1), func(err error) {
		if err != nil {
			slog.Error("metal 4: a command queue's event", "queue", q.Text(), "error", err)
		}
		adapter.Release(rt, id)
	})
}
