package softmetal

import (
	"sync"
	"time"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
)

// fence is the state of an MTLFence.
type fence struct {
	adapter.Label
	dev *device
}

// event is the state of an MTLEvent or MTLSharedEvent. Shared events made from one handle have one command.Event.
type event struct {
	adapter.Label
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
	if q, ok := adapter.PayloadOf[*dispatchQueue](c.RT, c.ID(0)); ok {
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

func eventClasses() []adapter.Class {
	newEvent := func(class string, shared bool) objcsoft.Imp {
		return adapter.Method(func(d *device, c *objcsoft.Call) {
			c.ReturnID(d.driver.New(class, &event{dev: d, shared: shared, event: command.NewEvent()}))
		})
	}
	eventMethods := func(m adapter.Methods) adapter.Methods {
		m["device"] = adapter.Method(func(e *event, c *objcsoft.Call) { c.ReturnID(e.dev.id) })
		return adapter.WithLabel[*event](m)
	}
	return []adapter.Class{
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newFence":                  adapter.Method(func(d *device, c *objcsoft.Call) { c.ReturnID(d.driver.New("PMSoftFence", &fence{dev: d})) }),
			"newEvent":                  newEvent("PMSoftEvent", false),
			"newSharedEvent":            newEvent("PMSoftSharedEvent", true),
			"newSharedEventWithHandle:": adapter.Method((*device).newEventOfHandle),
		}},
		{Name: "PMSoftFence", Protocols: []string{"MTLFence"}, Methods: adapter.WithLabel[*fence](adapter.Methods{
			"device": adapter.Method(func(f *fence, c *objcsoft.Call) { c.ReturnID(f.dev.id) }),
		})},
		{Name: "PMSoftEvent", Protocols: []string{"MTLEvent"}, Methods: eventMethods(adapter.Methods{})},
		{Name: "PMSoftSharedEvent", Protocols: []string{"MTLSharedEvent"}, Dealloc: adapter.DeallocHook((*event).free), Methods: eventMethods(adapter.Methods{
			"signaledValue":                     adapter.Method(func(e *event, c *objcsoft.Call) { c.ReturnUint(e.event.Value()) }),
			"setSignaledValue:":                 adapter.Method(func(e *event, c *objcsoft.Call) { e.event.Signal(c.Uint(0)) }),
			"waitUntilSignaledValue:timeoutMS:": adapter.Method((*event).wait),
			"notifyListener:atValue:block:":     adapter.Method((*event).notify),
			"newSharedEventHandle": adapter.Method(func(e *event, c *objcsoft.Call) {
				c.ReturnID(e.dev.driver.New("MTLSharedEventHandle", &eventHandle{e.Text(), e.event}))
			}),
		})},
		{Name: "MTLSharedEventHandle", Methods: adapter.Methods{
			"label": adapter.Method(func(h *eventHandle, c *objcsoft.Call) {
				if h.label != "" {
					c.ReturnAutoreleased(c.RT.NewString(h.label))
				}
			}),
		}},
		{
			Name:    "MTLSharedEventListener",
			Alloc:   func(o *objcsoft.Object) { o.Payload = newListener() },
			Dealloc: adapter.DeallocHook(func(l *listener, o *objcsoft.Object) { o.Drop(l.queueID) }),
			Methods: adapter.Methods{
				"initWithDispatchQueue:": adapter.Method((*listener).initWithQueue),
				"dispatchQueue":          adapter.Method((*listener).dispatchQueue),
			},
			ClassMethods: adapter.Methods{"sharedListener": sharedListener()},
		},
		{Name: "PMSoftDispatchQueue"},
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
	h, ok := adapter.Payload[*eventHandle](c, 0)
	if !ok {
		if !c.Failed() {
			adapter.Misuse(c, "the handle is nil")
		}
		return
	}
	e := &event{dev: d, shared: true, event: h.event}
	e.SetText(h.label)
	c.ReturnID(d.driver.New("PMSoftSharedEvent", e))
}

// maxWait is how long a wait lasts at most, in milliseconds: more do not fit a duration.
const maxWait = 1 << 40

func (e *event) wait(c *objcsoft.Call) {
	c.ReturnBool(e.event.Wait(c.Uint(0), time.Duration(min(c.Uint(1), maxWait))*time.Millisecond, nil))
}

// notify registers a block. It does not keep the event: one that goes away takes what waits for it along.
func (e *event) notify(c *objcsoft.Call) {
	l, ok := adapter.Payload[*listener](c, 0)
	block := c.ID(2)
	switch {
	case c.Failed():
		return
	case !ok:
		adapter.Misuse(c, "the listener is nil")
		return
	case block == 0:
		adapter.Misuse(c, "the block is nil")
		return
	}
	n := &notification{block, c.ID(0)}
	rt, self := c.RT, c.Self.ID()
	for i, id := range []objcsoft.ID{n.block, n.listener} {
		if err := rt.Retain(id); err != nil {
			adapter.Release(rt, []objcsoft.ID{n.block, n.listener}[:i]...)
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
			return func() { adapter.Release(rt, n.block, n.listener) }
		}
		return func() {
			adapter.InPool(rt, func() { _, _ = rt.InvokeBlock(n.block, []uintptr{uintptr(self), uintptr(value)}) }) // a panic is told by the runtime
			adapter.Release(rt, n.block, n.listener, self)
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
