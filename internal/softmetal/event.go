package softmetal

import (
	"sync"
	"time"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/command"
)

// fence is the state of an MTLFence.
type fence struct {
	label
	dev *device
}

// event is the state of an MTLEvent or MTLSharedEvent. Shared events made from one handle have one command.Event.
type event struct {
	label
	dev    *device
	shared bool
	event  *command.Event

	mu      sync.Mutex
	pending map[*notification]bool
}

// notification is a block that waits for a value.
type notification struct{ block, listener objcsoft.ID }

// eventHandle is the state of an MTLSharedEventHandle.
type eventHandle struct {
	label string
	event *command.Event
}

// listener is the state of an MTLSharedEventListener.
type listener struct {
	mu      sync.Mutex
	queue   *dispatchQueue
	queueID objcsoft.ID // its object, retained; made when it is first asked for
}

// dispatchQueue stands for a dispatch queue of the system, of which there is none here: it calls blocks one after the other. Listeners that are made
// with the queue of another share it.
type dispatchQueue struct{ command.Listener }

func newListener() *listener { return &listener{queue: new(dispatchQueue)} }

func (l *listener) initWithQueue(c *objcsoft.Call) {
	if err := c.RT.Retain(c.ID(0)); err != nil {
		c.Fail(err)
		return
	}
	l.queueID = c.ID(0)
	if q, ok := payloadOf[*dispatchQueue](c.RT, c.ID(0)); ok {
		l.queue = q
	}
	c.ReturnID(c.Self.ID())
}

func (l *listener) dispatchQueue(c *objcsoft.Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queueID == 0 {
		l.queueID = c.RT.NewObject(c.RT.Class("PMSoftDispatchQueue"), l.queue)
	}
	c.ReturnShared(l.queueID)
}

func eventClasses() []class {
	newEvent := func(class string, shared bool) objcsoft.Imp {
		return on(func(d *device, c *objcsoft.Call) {
			c.ReturnID(d.world.new(class, &event{dev: d, shared: shared, event: command.NewEvent()}))
		})
	}
	eventMethods := func(m methods) methods {
		m["device"] = on(func(e *event, c *objcsoft.Call) { c.ReturnID(e.dev.id) })
		return withLabel[*event](m)
	}
	return []class{
		{name: "PMSoftDevice", methods: methods{
			"newFence":                  on(func(d *device, c *objcsoft.Call) { c.ReturnID(d.world.new("PMSoftFence", &fence{dev: d})) }),
			"newEvent":                  newEvent("PMSoftEvent", false),
			"newSharedEvent":            newEvent("PMSoftSharedEvent", true),
			"newSharedEventWithHandle:": on((*device).newEventOfHandle),
		}},
		{name: "PMSoftFence", protocols: []string{"MTLFence"}, methods: withLabel[*fence](methods{
			"device": on(func(f *fence, c *objcsoft.Call) { c.ReturnID(f.dev.id) }),
		})},
		{name: "PMSoftEvent", protocols: []string{"MTLEvent"}, methods: eventMethods(methods{})},
		{name: "PMSoftSharedEvent", protocols: []string{"MTLSharedEvent"}, dealloc: freed((*event).free), methods: eventMethods(methods{
			"signaledValue":                     on(func(e *event, c *objcsoft.Call) { c.ReturnUint(e.event.Value()) }),
			"setSignaledValue:":                 on(func(e *event, c *objcsoft.Call) { e.event.Signal(c.Uint(0)) }),
			"waitUntilSignaledValue:timeoutMS:": on((*event).wait),
			"notifyListener:atValue:block:":     on((*event).notify),
			"newSharedEventHandle": on(func(e *event, c *objcsoft.Call) {
				c.ReturnID(e.dev.world.new("MTLSharedEventHandle", &eventHandle{e.text(), e.event}))
			}),
		})},
		{name: "MTLSharedEventHandle", methods: methods{
			"label": on(func(h *eventHandle, c *objcsoft.Call) {
				if h.label != "" {
					c.ReturnAutoreleased(c.RT.NewString(h.label))
				}
			}),
		}},
		{
			name:    "MTLSharedEventListener",
			alloc:   func(o *objcsoft.Object) { o.Payload = newListener() },
			dealloc: freed(func(l *listener, o *objcsoft.Object) { o.Drop(l.queueID) }),
			methods: methods{
				"initWithDispatchQueue:": on((*listener).initWithQueue),
				"dispatchQueue":          on((*listener).dispatchQueue),
			},
			classMethods: methods{"sharedListener": sharedListener()},
		},
		{name: "PMSoftDispatchQueue"},
	}
}

// sharedListener answers the listener that all of a runtime share.
func sharedListener() objcsoft.Imp {
	var once sync.Once
	var id objcsoft.ID
	return func(c *objcsoft.Call) {
		once.Do(func() { id = c.RT.NewImmortal(c.Class(), newListener()) })
		c.ReturnID(id)
	}
}

func (d *device) newEventOfHandle(c *objcsoft.Call) {
	h, ok := payload[*eventHandle](c, 0)
	if !ok {
		if !c.Failed() {
			misuse(c, "the handle is nil")
		}
		return
	}
	e := &event{dev: d, shared: true, event: h.event}
	e.labelText = h.label
	c.ReturnID(d.world.new("PMSoftSharedEvent", e))
}

// maxWait is how long a wait lasts at most, in milliseconds: more do not fit a duration.
const maxWait = 1 << 40

func (e *event) wait(c *objcsoft.Call) {
	c.ReturnBool(e.event.Wait(c.Uint(0), time.Duration(min(c.Uint(1), maxWait))*time.Millisecond, nil))
}

// notify registers a block. It does not keep the event: one that goes away takes what waits for it along.
func (e *event) notify(c *objcsoft.Call) {
	l, ok := payload[*listener](c, 0)
	block := c.ID(2)
	switch {
	case c.Failed():
		return
	case !ok:
		misuse(c, "the listener is nil")
		return
	case block == 0:
		misuse(c, "the block is nil")
		return
	}
	n := &notification{block, c.ID(0)}
	rt, self := c.RT, c.Self.ID()
	for i, id := range []objcsoft.ID{n.block, n.listener} {
		if err := rt.Retain(id); err != nil {
			release(rt, []objcsoft.ID{n.block, n.listener}[:i]...)
			c.Fail(err)
			return
		}
	}
	e.mu.Lock()
	if e.pending == nil {
		e.pending = map[*notification]bool{}
	}
	e.pending[n] = true
	e.mu.Unlock()
	e.event.Notify(&l.queue.Listener, c.Uint(1), e, func(value uint64) func() {
		if !e.take(n) {
			return nil
		}
		if rt.Retain(self) != nil { // it is being freed
			return func() { release(rt, n.block, n.listener) }
		}
		return func() {
			inPool(rt, func() { _, _ = rt.InvokeBlock(n.block, []uintptr{uintptr(self), uintptr(value)}) }) // a panic is told by the runtime
			release(rt, n.block, n.listener, self)
		}
	})
}

// take takes a notification out, and reports false where it is gone.
func (e *event) take(n *notification) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	ok := e.pending[n]
	delete(e.pending, n)
	return ok
}

func (e *event) free(o *objcsoft.Object) {
	e.event.Forget(e)
	e.mu.Lock()
	pending := e.pending
	e.pending = nil
	e.mu.Unlock()
	for n := range pending {
		o.Drop(n.block, n.listener)
	}
}
