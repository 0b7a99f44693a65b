package encode

import (
	"sync"
	"time"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
)

// Fence is the state of an MTLFence.
type Fence struct {
	adapter.Label
	Device *device.Device
	Fence  command.Fence
}

// Event is the state of an MTLEvent or MTLSharedEvent. Shared events made from one handle have one
// command.Event.
type Event struct {
	adapter.Label
	Device *device.Device
	Shared bool
	Event  *command.Event

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
	queue   *DispatchQueue
	queueID objcsoft.ID // its object, retained; created on first use
}

// DispatchQueue replaces the system's dispatch queues, which do not exist here: it calls blocks one
// after the other. Listeners created with another listener's queue share it.
type DispatchQueue struct{ command.Listener }

func newListener() *listener { return &listener{queue: new(DispatchQueue)} }

func (l *listener) initWithQueue(c *objcsoft.Call) {
	if err := c.RT.Retain(c.ID(0)); err != nil {
		c.Fail(err)
		return
	}
	l.queueID = c.ID(0)
	if q, ok := adapter.PayloadOf[*DispatchQueue](c.RT, c.ID(0)); ok {
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
		return adapter.Method(func(d *device.Device, c *objcsoft.Call) {
			c.ReturnID(d.Driver.New(class, &Event{Device: d, Shared: shared, Event: command.NewEvent()}))
		})
	}
	eventMethods := func(m adapter.Methods) adapter.Methods {
		m["device"] = adapter.Method(func(e *Event, c *objcsoft.Call) { c.ReturnID(e.Device.ID) })
		return adapter.WithLabel[*Event](m)
	}
	return []adapter.Class{
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newFence": adapter.Method(func(d *device.Device,
				c *objcsoft.Call) {
				c.ReturnID(d.Driver.New("PMSoftFence", &Fence{Device: d}))
			}),
			"newEvent":                  newEvent("PMSoftEvent", false),
			"newSharedEvent":            newEvent("PMSoftSharedEvent", true),
			"newSharedEventWithHandle:": adapter.Method(newEventOfHandle),
		}},
		{Name: "PMSoftFence", Protocols: []string{"MTLFence"}, Methods: adapter.WithLabel[*Fence](adapter.Methods{
			"device": adapter.Method(func(f *Fence, c *objcsoft.Call) { c.ReturnID(f.Device.ID) }),
		})},
		{Name: "PMSoftEvent", Protocols: []string{"MTLEvent"}, Methods: eventMethods(adapter.Methods{})},
		{Name: "PMSoftSharedEvent", Protocols: []string{"MTLSharedEvent"}, Dealloc: adapter.DeallocHook((*Event).free),
			Methods: eventMethods(adapter.Methods{
				"signaledValue": adapter.Method(func(e *Event,
					c *objcsoft.Call) {
					v := e.Event.Value()
					e.Device.GPU().SeenEvent(e.Event, v)
					c.ReturnUint(v)
				}),
				"setSignaledValue:":                 adapter.Method((*Event).setValue),
				"waitUntilSignaledValue:timeoutMS:": adapter.Method((*Event).wait),
				"notifyListener:atValue:block:":     adapter.Method((*Event).notify),
				"newSharedEventHandle": adapter.Method(func(e *Event, c *objcsoft.Call) {
					c.ReturnID(e.Device.Driver.New("MTLSharedEventHandle", &eventHandle{e.Text(), e.Event}))
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

func newEventOfHandle(d *device.Device, c *objcsoft.Call) {
	h, ok := adapter.Payload[*eventHandle](c, 0)
	if !ok {
		if !c.Failed() {
			adapter.Misuse(c, "the handle is nil")
		}
		return
	}
	e := &Event{Device: d, Shared: true, Event: h.event}
	e.SetText(h.label)
	c.ReturnID(d.Driver.New("PMSoftSharedEvent", e))
}

// maxWait is how long a wait lasts at most, in milliseconds: more do not fit a duration.
const maxWait = 1 << 40

func (e *Event) setValue(c *objcsoft.Call) { e.Device.GPU().SignalByProgram(e.Event, c.Uint(0)) }

func (e *Event) wait(c *objcsoft.Call) {
	ok := e.Event.Wait(c.Uint(0), time.Duration(min(c.Uint(1), maxWait))*time.Millisecond, nil)
	if ok {
		e.Device.GPU().SeenEvent(e.Event, c.Uint(0))
	}
	c.ReturnBool(ok)
}

// notify registers a block. It does not keep the event: one that goes away takes what waits for it
// along.
func (e *Event) notify(c *objcsoft.Call) {
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
	gpu := e.Device.GPU()
	e.Event.Notify(&l.queue.Listener, c.Uint(1), e, func(value uint64) func() {
		if !e.take(n) {
			return nil
		}
		if rt.Retain(self) != nil { // it is being freed
			return func() { adapter.Release(rt, n.block, n.listener) }
		}
		return func() {
			gpu.SeenEvent(e.Event, value)
			// the runtime reports a panic
			adapter.InPool(rt, func() { _, _ = rt.InvokeBlock(n.block, []uintptr{uintptr(self), uintptr(value)}) })
			adapter.Release(rt, n.block, n.listener, self)
		}
	})
}

// take removes a notification, and returns false if it is gone.
func (e *Event) take(n *notification) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	ok := e.pending[n]
	delete(e.pending, n)
	return ok
}

func (e *Event) free(o *objcsoft.Object) {
	e.Event.Forget(e)
	e.mu.Lock()
	pending := e.pending
	e.pending = nil
	e.mu.Unlock()
	for n := range pending {
		o.Drop(n.block, n.listener)
	}
}
