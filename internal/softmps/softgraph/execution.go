package softgraph

import (
	"fmt"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps"
	"github.com/puremetal/puremetal/internal/softmps/graphdata"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// moment is when a shared event has a value.
type moment struct {
	event objcsoft.ID
	value uint64
}

func (m moment) metal() mtl.Event { return mtl.SharedEventFrom(objc.ID(m.event)).Event }

// settings say what a run waits for, what it signals and whom it notifies. Its objects are
// retained.
type settings struct {
	wait                 bool
	scheduled, completed objcsoft.ID // blocks
	compilation          objcsoft.ID
	waits, signals       []moment
}

func (s *settings) objects() []objcsoft.ID {
	ids := []objcsoft.ID{s.scheduled, s.completed, s.compilation}
	for _, m := range slices.Concat(s.waits, s.signals) {
		ids = append(ids, m.event)
	}
	return ids
}

// copy returns a copy that retains the objects too.
func (s *settings) copy(rt *objcsoft.Runtime) (*settings, error) {
	out := *s
	out.waits, out.signals = slices.Clone(s.waits), slices.Clone(s.signals)
	for i, id := range out.objects() {
		if err := rt.Retain(id); err != nil {
			adapter.Release(rt, out.objects()[:i]...)
			return nil, err
		}
	}
	return &out, nil
}

// executionDescriptor is the payload of an MPSGraphExecutionDescriptor and of an
// MPSGraphExecutableExecutionDescriptor.
type executionDescriptor struct {
	mu sync.Mutex
	settings
}

// settings returns a copy of an execution descriptor in an argument; without one, of the defaults.
// The caller releases its objects.
func (a *args) settings(i int) *settings {
	if i < 0 || a.c.ID(i) == 0 {
		return &settings{}
	}
	d, ok := adapter.PayloadOf[*executionDescriptor](a.c.RT, a.c.ID(i))
	if !ok {
		a.fail("argument %d is not an execution descriptor", i)
		return &settings{}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s, err := d.copy(a.c.RT)
	if err != nil {
		a.fail("argument %d: %w", i, err)
		return &settings{}
	}
	return s
}

func executionDescriptorClass(name string, compilation bool) adapter.Class {
	type descriptor = *executionDescriptor
	get := func(field func(d descriptor) *objcsoft.ID) objcsoft.Imp {
		return adapter.Method(func(d descriptor, c *objcsoft.Call) {
			d.mu.Lock()
			defer d.mu.Unlock()
			c.ReturnShared(*field(d))
		})
	}
	set := func(field func(d descriptor) *objcsoft.ID) objcsoft.Imp {
		return adapter.Method(func(d descriptor, c *objcsoft.Call) {
			if err := c.RT.Retain(c.ID(0)); err != nil {
				c.Fail(err)
				return
			}
			d.mu.Lock()
			old := *field(d)
			*field(d) = c.ID(0)
			d.mu.Unlock()
			if err := c.RT.Release(old); err != nil {
				c.Fail(err)
			}
		})
	}
	add := func(value int, list func(d descriptor) *[]moment) objcsoft.Imp {
		return adapter.Method(func(d descriptor, c *objcsoft.Call) {
			if c.ID(0) == 0 {
				adapter.Misuse(c, "the event is nil")
				return
			}
			if stage := c.Uint(1); value == 2 && stage != graphdata.ExecutionStageCompleted {
				adapter.Misuse(c, "execution stage %d; there is only %d, completed", stage,
					graphdata.ExecutionStageCompleted)
				return
			}
			if err := c.RT.Retain(c.ID(0)); err != nil {
				c.Fail(err)
				return
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			*list(d) = append(*list(d), moment{c.ID(0), c.Uint(value)})
		})
	}
	scheduled := func(d descriptor) *objcsoft.ID { return &d.scheduled }
	completed := func(d descriptor) *objcsoft.ID { return &d.completed }
	m := adapter.Methods{
		"waitUntilCompleted": adapter.Method(func(d descriptor, c *objcsoft.Call) {
			d.mu.Lock()
			defer d.mu.Unlock()
			c.ReturnBool(d.wait)
		}),
		"setWaitUntilCompleted:": adapter.Method(func(d descriptor, c *objcsoft.Call) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.wait = c.Bool(0)
		}),
		"scheduledHandler": get(scheduled), "setScheduledHandler:": set(scheduled),
		"completionHandler": get(completed), "setCompletionHandler:": set(completed),
		"waitForEvent:value:":                 add(1, func(d descriptor) *[]moment { return &d.waits }),
		"signalEvent:atExecutionEvent:value:": add(2, func(d descriptor) *[]moment { return &d.signals }),
		"copyWithZone:": adapter.Method(func(d descriptor, c *objcsoft.Call) {
			d.mu.Lock()
			defer d.mu.Unlock()
			s, err := d.copy(c.RT)
			if err != nil {
				c.Fail(err)
				return
			}
			c.ReturnID(c.RT.NewObject(c.Self.Class(), &executionDescriptor{settings: *s}))
		}),
	}
	if compilation {
		field := func(d descriptor) *objcsoft.ID { return &d.compilation }
		m["compilationDescriptor"], m["setCompilationDescriptor:"] = get(field), set(field)
	}
	return adapter.Class{Name: name, Super: "MPSGraphObject", Protocols: []string{"NSCopying"}, Methods: m,
		Alloc:   func(o *objcsoft.Object) { o.Payload = &executionDescriptor{} },
		Dealloc: adapter.DeallocHook(func(d descriptor, o *objcsoft.Object) { o.Drop(d.objects()...) }),
	}
}

// run is a run of a graph, or of an executable, that a message asks for.
type run struct {
	*request
	s *settings

	given  []objcsoft.ID                                 // the targets' data if the caller has them, not retained
	arrays []*softmps.NDArray                            // of these
	object func(data []objcsoft.ID) (objcsoft.ID, error) // makes the object of all results, +1

	x      *execution
	data   []objcsoft.ID // of the targets, +1
	result objcsoft.ID   // of object, +1
	begun  bool          // command buffers of the run have been committed; its handlers will be called
}

// start runs the graph on a queue. Unless wait, it returns before the last command buffer has
// completed.
func (r *run) start(q mtl.CommandQueue, wait bool) error {
	r.x.queue = q
	if !r.controls() {
		return r.commit(r.request, r.s.waits, wait)
	}
	// The stages wait for each other, so the first of them waits for the events.
	if len(r.s.waits) > 0 {
		if err := r.waits(); err != nil {
			return err
		}
	}
	return r.x.stages(r.request, func(last *request) error { return r.commit(last, nil, wait) })
}

// controls reports whether what the run needs has control flow.
func (r *run) controls() bool {
	if !r.x.g.controls {
		return false
	}
	order, _ := needed(r.request)
	return slices.ContainsFunc(order, func(op *operation) bool { return op.def.control != nil })
}

// waits commits a command buffer that waits for the events: those after it wait with it.
func (r *run) waits() (err error) {
	objc.Pool(func() {
		var cb mtl.CommandBuffer
		if cb, err = r.x.queue.CommandBuffer(); err != nil {
			return
		}
		if err = encodeWaits(cb, r.s.waits); err == nil {
			err = cb.Commit()
		}
	})
	return err
}

func encodeWaits(cb mtl.CommandBuffer, list []moment) error {
	for _, m := range list {
		if err := cb.EncodeWaitForEvent(m.metal(), m.value); err != nil {
			return err
		}
	}
	return nil
}

// commit runs a request without control flow in a command buffer.
func (r *run) commit(last *request, waits []moment, wait bool) (err error) {
	objc.Pool(func() {
		var cb mtl.CommandBuffer
		if cb, err = r.x.queue.CommandBuffer(); err != nil {
			return
		}
		if err = r.encode(cb, last, waits, wait); err != nil {
			return
		}
		if err = cb.Commit(); err != nil {
			return
		}
		r.begun = true
		if wait {
			err = cb.WaitUntilCompleted()
		}
	})
	return err
}

// encode encodes a request without control flow, between what it waits for and what it signals, and
// the calls of the handlers. The caller commits the command buffer, and waits for it if waited.
func (r *run) encode(cb mtl.CommandBuffer, last *request, waits []moment, waited bool) error {
	rt := r.x.g.rt
	plan, err := r.x.g.compiled(last)
	if err != nil {
		return err // before anything is encoded
	}
	if err := encodeWaits(cb, waits); err != nil {
		return err
	}
	out, err := r.x.g.encodePlan(cb, plan, last, r.arrays)
	if err != nil {
		return err
	}
	for i := range out {
		if i < len(r.given) && r.given[i] != 0 {
			if err := rt.Retain(r.given[i]); err != nil {
				r.x.drop(out[i:])
				return err
			}
			r.data = append(r.data, r.given[i])
			continue
		}
		r.data = append(r.data, newData(rt, out[i].id))
	}
	for _, m := range r.s.signals {
		if err := cb.EncodeSignalEvent(m.metal(), m.value); err != nil {
			return err
		}
	}
	if r.result, err = r.object(r.data); err != nil {
		return err
	}
	return r.notify(cb, waited)
}

// outcome is how a run ended that the caller did not wait for.
type outcome struct {
	mu  sync.Mutex
	err error
}

func (o *outcome) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = err
}

func (o *outcome) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// notify has the command buffer call the handlers, with the results or with an error, and remember
// a failure with the data, which reports it when they are read.
func (r *run) notify(cb mtl.CommandBuffer, waited bool) error {
	rt := r.x.g.rt
	o := &outcome{}
	if waited && r.s.scheduled == 0 && r.s.completed == 0 {
		o = nil
	}
	for _, id := range r.data {
		if d, ok := adapter.PayloadOf[*data](rt, id); ok {
			d.run.Store(o)
		}
	}
	if o == nil {
		return nil
	}
	result, scheduled, completed := r.result, r.s.scheduled, r.s.completed
	if scheduled != 0 {
		err := addHandler(rt, cb, "addScheduledHandler:", func(uintptr) {
			_, _ = rt.InvokeBlock(scheduled, []uintptr{uintptr(result), 0}) // the runtime reports a panic
		}, scheduled, result)
		if err != nil {
			return err
		}
	}
	return addHandler(rt, cb, "addCompletedHandler:", func(cb uintptr) {
		words := []uintptr{uintptr(result), 0}
		if err := mtl.CommandBufferFrom(objc.ID(cb)).Err(); err != nil {
			o.fail(err)
			id, e := rt.Message(objcsoft.ID(cb), "error", "@@:")
			if e != nil || id == 0 {
				id = uintptr(newError(rt, err))
				defer adapter.Release(rt, objcsoft.ID(id))
			}
			words = []uintptr{0, id}
		}
		if completed != 0 {
			_, _ = rt.InvokeBlock(completed, words)
		}
	}, completed, result)
}

// addHandler adds a handler to a command buffer. Captured objects live until it has been called, or
// until the command buffer is freed without a commit.
func addHandler(rt *objcsoft.Runtime, cb mtl.CommandBuffer, selector string, fn func(cb uintptr),
	captured ...objcsoft.ID) error {
	block, err := rt.NewBlock("v@?@", func(args []uintptr) uintptr {
		fn(args[0])
		return 0
	}, captured...)
	if err != nil {
		return err
	}
	_, err = rt.Message(objcsoft.ID(cb.ID()), selector, "v@:@?", uintptr(block))
	adapter.Release(rt, block)
	return err
}

// errorDomain is the domain of errors that handlers get for runs that do not begin.
const errorDomain = "MPSGraphErrorDomain"

// newError makes an NSError, +1.
func newError(rt *objcsoft.Runtime, err error) objcsoft.ID {
	return rt.NewError(errorDomain, 1, err.Error(), 0)
}

// finish ends the message that asked for the run: it returns the results if there is a result to
// return, or fails the call. After a failure before the run began, the completion handler gets the
// error too, so that a program that waits for it goes on.
func (r *run) finish(c *objcsoft.Call, err error, returns bool) {
	defer adapter.Release(c.RT, slices.Concat(r.data, r.s.objects())...)
	if err != nil {
		if r.s.completed != 0 && !r.begun {
			id := newError(c.RT, err)
			_, _ = c.RT.InvokeBlock(r.s.completed, []uintptr{0, uintptr(id)})
			adapter.Release(c.RT, id)
		}
		adapter.Release(c.RT, r.result)
		adapter.Misuse(c, "%v", err)
		return
	}
	if !returns {
		adapter.Release(c.RT, r.result)
		return
	}
	c.ReturnAutoreleased(r.result)
}

// encodeTo encodes the run to the command buffer in the first argument. With control flow, that is
// committed, and what does not have to be waited for is encoded to its successor.
func (r *run) encodeTo(c *objcsoft.Call) error {
	cb, ok := softmps.CommandBufferArg(c, 0)
	if !ok {
		return fmt.Errorf("the command buffer is nil")
	}
	if !r.controls() {
		if err := r.encode(cb, r.request, r.s.waits, false); err != nil {
			return err
		}
	} else {
		if err := encodeWaits(cb, r.s.waits); err != nil {
			return err
		}
		r.x.queue = cb.CommandQueue()
		if err := softmps.CommitAndWait(c, 0); err != nil {
			return err
		}
		err := r.x.stages(r.request, func(last *request) error {
			next, _ := softmps.CommandBufferArg(c, 0)
			return r.encode(next, last, nil, false)
		})
		if err != nil {
			return err
		}
	}
	r.begun = true
	if r.s.wait {
		return softmps.CommitAndWait(c, 0)
	}
	return nil
}
