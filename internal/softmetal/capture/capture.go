package capture

import (
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/encode"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmetal/metal4"
)

// captureManager is the state of the MTLCaptureManager.
type captureManager struct {
	driver *device.Driver

	mu     sync.Mutex
	now    *capture    // nil when nothing is captured
	common objcsoft.ID // the default scope, retained
}

// capture is what is being captured.
type capture struct {
	dev   *device.Device
	queue *command.Queue // nil for all of the device's
	scope *captureScope  // begins and ends it; nil where the program stops it
	file  *traceFile
}

// captureScope is the state of an MTLCaptureScope.
type captureScope struct {
	adapter.Label
	manager *captureManager
	dev     *device.Device
	queueID objcsoft.ID // retained; nil for all of the device's
	queue   *command.Queue
	metal4  bool
}

// Classes lists the classes of captures. They belong to one driver, which has one capture manager.
func Classes(drv *device.Driver) []adapter.Class {
	shared := sync.OnceValue(func() objcsoft.ID {
		return drv.RT.NewImmortal(drv.RT.Class("MTLCaptureManager"), &captureManager{driver: drv})
	})
	return []adapter.Class{
		{Name: "MTLCaptureDescriptor", Protocols: []string{"NSCopying"}, Properties: adapter.Properties{
			{Name: "captureObject"}, {Name: "destination", Value: metal.CaptureDestinationDeveloperTools},
			{Name: "outputURL", Copied: true},
		}},
		{Name: "PMSoftCaptureScope", Protocols: []string{"MTLCaptureScope"},
			Dealloc: adapter.DeallocHook(func(s *captureScope, o *objcsoft.Object) { o.Drop(s.queueID) }),
			Methods: adapter.WithLabel[*captureScope](adapter.Methods{
				"device": adapter.Method(func(s *captureScope, c *objcsoft.Call) { c.ReturnID(s.dev.ID) }),
				"commandQueue": adapter.Method(func(s *captureScope, c *objcsoft.Call) {
					if !s.metal4 {
						c.ReturnShared(s.queueID)
					}
				}),
				"mtl4CommandQueue": adapter.Method(func(s *captureScope, c *objcsoft.Call) {
					if s.metal4 {
						c.ReturnShared(s.queueID)
					}
				}),
				"beginScope": adapter.Method(func(s *captureScope, c *objcsoft.Call) { s.manager.scoped(s, true) }),
				"endScope":   adapter.Method(func(s *captureScope, c *objcsoft.Call) { s.manager.scoped(s, false) }),
			})},
		{Name: "MTLCaptureManager", Methods: adapter.Methods{
			"newCaptureScopeWithDevice:":           adapter.Method((*captureManager).newScope),
			"newCaptureScopeWithCommandQueue:":     adapter.Method((*captureManager).newScope),
			"newCaptureScopeWithMTL4CommandQueue:": adapter.Method((*captureManager).newScope),
			"supportsDestination:": adapter.Method(func(_ *captureManager, c *objcsoft.Call) {
				c.ReturnBool(c.Uint(0) == metal.CaptureDestinationGPUTraceDocument)
			}),
			"startCaptureWithDescriptor:error:": adapter.Method((*captureManager).start),
			"startCaptureWithDevice:":           adapter.Method((*captureManager).startForTools),
			"startCaptureWithCommandQueue:":     adapter.Method((*captureManager).startForTools),
			"startCaptureWithScope:":            adapter.Method((*captureManager).startForTools),
			"stopCapture":                       adapter.Method(func(m *captureManager, _ *objcsoft.Call) { m.stop(nil) }),
			"isCapturing": adapter.Method(func(m *captureManager, c *objcsoft.Call) {
				m.mu.Lock()
				defer m.mu.Unlock()
				c.ReturnBool(m.now != nil)
			}),
			"defaultCaptureScope": adapter.Method(func(m *captureManager, c *objcsoft.Call) {
				m.mu.Lock()
				defer m.mu.Unlock()
				c.ReturnShared(m.common)
			}),
			"setDefaultCaptureScope:": adapter.Method(func(m *captureManager, c *objcsoft.Call) {
				id := c.ID(0)
				if err := c.RT.Retain(id); err != nil {
					c.Fail(err)
					return
				}
				m.mu.Lock()
				m.common, id = id, m.common
				m.mu.Unlock()
				adapter.Release(c.RT, id)
			}),
		}, ClassMethods: adapter.Methods{"sharedCaptureManager": func(c *objcsoft.Call) { c.ReturnID(shared()) }}},
	}
}

// target returns the device and queue that an object refers to, or false if it cannot be captured.
func (m *captureManager) target(id objcsoft.ID) (capture, bool) {
	if d, ok := adapter.PayloadOf[*device.Device](m.driver.RT, id); ok {
		return capture{dev: d}, true
	}
	if q, ok := adapter.PayloadOf[*encode.CommandQueue](m.driver.RT, id); ok {
		return capture{dev: q.Device, queue: q.Queue}, true
	}
	if q, ok := adapter.PayloadOf[*metal4.CommandQueue](m.driver.RT, id); ok {
		return capture{dev: q.Device, queue: q.Queue}, true
	}
	if s, ok := adapter.PayloadOf[*captureScope](m.driver.RT, id); ok {
		return capture{dev: s.dev, queue: s.queue, scope: s}, true
	}
	return capture{}, false
}

func (m *captureManager) newScope(c *objcsoft.Call) {
	id := c.ID(0)
	t, ok := m.target(id)
	if !ok || t.scope != nil {
		adapter.Misuse(c, "a capture scope is for a device or a command queue")
		return
	}
	s := &captureScope{manager: m, dev: t.dev, queue: t.queue}
	if t.queue != nil {
		if err := c.RT.Retain(id); err != nil {
			c.Fail(err)
			return
		}
		s.queueID = id
		_, s.metal4 = adapter.PayloadOf[*metal4.CommandQueue](c.RT, id)
	}
	c.ReturnID(m.driver.New("PMSoftCaptureScope", s))
}

// startForTools rejects the old calls, which capture for Xcode.
func (m *captureManager) startForTools(c *objcsoft.Call) {
	adapter.Misuse(c, "there are no developer tools to capture for: want startCaptureWithDescriptor:error: with a GPU trace document")
}

func (m *captureManager) start(c *objcsoft.Call) {
	r := adapter.RecordArg(c, 0, "descriptor")
	if r == nil {
		return
	}
	no := func(code int64, format string, args ...any) {
		adapter.Refuse(c, 1, metal.CaptureErrorDomain, code, format, args...)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now != nil {
		no(metal.CaptureErrorAlreadyCapturing, "a capture is under way already")
		return
	}
	switch d := r.Uint("destination"); d {
	case metal.CaptureDestinationGPUTraceDocument:
	case metal.CaptureDestinationDeveloperTools:
		no(metal.CaptureErrorNotSupported,
			"there are no developer tools to capture for: the destination must be a GPU trace document")
		return
	default:
		no(metal.CaptureErrorInvalidDescriptor, "the destination is %d, want %d, a GPU trace document", d,
			metal.CaptureDestinationGPUTraceDocument)
		return
	}
	t, ok := m.target(r.ID("captureObject"))
	if !ok {
		no(metal.CaptureErrorInvalidDescriptor, "the capture object is no device, command queue or capture scope")
		return
	}
	if r.ID("outputURL") == 0 {
		no(metal.CaptureErrorInvalidDescriptor, "a GPU trace document needs an output URL")
		return
	}
	path, isFile, err := c.RT.GoURL(r.ID("outputURL"))
	switch {
	case err != nil:
		c.Fail(err)
		return
	case !isFile:
		no(metal.CaptureErrorInvalidDescriptor, "the output URL %q is no file's", path)
		return
	}
	first := traceLine{Device: t.dev.Name}
	if t.queue != nil {
		first.Queue = t.queue.Label()
	}
	if t.file, err = newTraceFile(path, first); err != nil {
		no(metal.CaptureErrorInvalidDescriptor, "%v", err)
		return
	}
	m.now = &t
	if t.scope == nil {
		t.listen()
	}
	c.ReturnBool(true)
}

// listen makes the device report the work submitted to it.
func (t *capture) listen() {
	file, queue := t.file, t.queue
	t.dev.GPU().OnCommit(func(q *command.Queue, b *command.Buffer) {
		switch {
		case queue != nil && q != queue:
		case b == nil:
			file.boundary(q.Label())
		default:
			file.committed(q.Label(), b)
		}
	})
}

// scoped begins or ends the capture that waits for a scope.
func (m *captureManager) scoped(s *captureScope, begin bool) {
	if !begin {
		m.stop(s)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now != nil && m.now.scope == s {
		m.now.listen()
	}
}

// stop ends the capture, if there is one; only that of a scope where one is given.
func (m *captureManager) stop(s *captureScope) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now == nil || s != nil && m.now.scope != s {
		return
	}
	m.now.dev.GPU().OnCommit(nil)
	m.now.file.stop()
	m.now = nil
}
