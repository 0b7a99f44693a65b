package objcsoft

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync/atomic"
)

// Object is an object behind its handle.
type Object struct {
	// Payload is the class's own state. The creator of the object sets it before passing on the
	// handle: in Alloc, in an init method or through NewObject.
	Payload any

	id    ID
	class *Class
	refs  atomic.Int64
	kept  atomic.Bool // see Runtime.Keep
	site  []uintptr   // stack of the allocation, when sites are tracked
}

// immortalCount marks objects that are never freed: classes, protocols,
// constant strings, singletons.
const immortalCount = math.MaxInt64

// ID returns the object's handle.
func (o *Object) ID() ID { return o.id }

// Class returns the object's class.
func (o *Object) Class() *Class { return o.class }

// Runtime returns the object's runtime.
func (o *Object) Runtime() *Runtime { return o.class.rt }

// RetainCount returns the object's count, 0 while it is freed.
func (o *Object) RetainCount() int { return int(o.refs.Load()) }

// retain adds one unless the count is zero already.
func (o *Object) retain() bool {
	for {
		n := o.refs.Load()
		if n == immortalCount {
			return true
		}
		if n <= 0 {
			return false
		}
		if o.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release subtracts one and returns what is left; ok is false if the count was zero already.
func (o *Object) release() (left int64, ok bool) {
	for {
		n := o.refs.Load()
		if n == immortalCount {
			return n, true
		}
		if n <= 0 {
			return 0, false
		}
		if o.refs.CompareAndSwap(n, n-1) {
			return n - 1, true
		}
	}
}

// NewObject makes an object with a count of one. The class must not be nil.
func (rt *Runtime) NewObject(class *Class, payload any) ID {
	o, err := rt.newObject(class, payload)
	if err != nil {
		panic(err) // 16 million live objects; a method's panic is an error of Send
	}
	return o.id
}

func (rt *Runtime) newObject(class *Class, payload any) (*Object, error) {
	o := &Object{class: class, Payload: payload}
	o.refs.Store(1)
	if rt.trackSites.Load() {
		o.site = stack()
	}
	if err := rt.table.add(o); err != nil {
		return nil, err
	}
	class.live.Add(1)
	return o, nil
}

// NewImmortal makes an object that is never freed and not counted as live: a
// singleton, or an NSString constant.
func (rt *Runtime) NewImmortal(class *Class, payload any) ID {
	o, err := rt.immortal(class, payload)
	if err != nil {
		panic(err)
	}
	return o.id
}

func (rt *Runtime) immortal(class *Class, payload any) (*Object, error) {
	o := &Object{class: class, Payload: payload}
	o.refs.Store(immortalCount)
	if err := rt.table.add(o); err != nil {
		return nil, err
	}
	return o, nil
}

// Keep marks an object that a cache keeps as long as the process, such as a compiled pipeline. It
// is still retained, released and freed as others are, but it is not counted as live and is no
// leak. The caller must own a reference. Nil is not an error.
func (rt *Runtime) Keep(id ID) error {
	if id == 0 {
		return nil
	}
	o, err := rt.Object(id)
	if err != nil {
		return err
	}
	if o.refs.Load() != immortalCount && o.kept.CompareAndSwap(false, true) {
		o.class.live.Add(-1)
	}
	return nil
}

// Object returns the object of a handle, or why there is none.
func (rt *Runtime) Object(id ID) (*Object, error) {
	if o := rt.table.get(id); o != nil {
		return o, nil
	}
	return nil, rt.noObject("look-up", id)
}

// Retain adds one to the object's count. Nil is not an error.
func (rt *Runtime) Retain(id ID) error {
	if id == 0 {
		return nil
	}
	if o := rt.table.get(id); o != nil && o.retain() {
		return nil
	}
	return rt.noObject("retain", id)
}

// Release subtracts one from the object's count and frees the object at zero. Nil is not an error.
// An error is an over-release, or a panic in a Dealloc hook.
func (rt *Runtime) Release(id ID) error {
	if id == 0 {
		return nil
	}
	o := rt.table.get(id)
	if o == nil {
		return rt.noObject("release", id)
	}
	left, ok := o.release()
	if !ok {
		return rt.noObject("release", id)
	}
	if left > 0 {
		return nil
	}
	if stackUsed() > maxStack {
		return rt.onNewStack(func() error { return rt.dealloc(o) })
	}
	return rt.dealloc(o)
}

// RetainCount returns the object's count, 0 when there is no such object.
func (rt *Runtime) RetainCount(id ID) int {
	if o := rt.table.get(id); o != nil {
		return o.RetainCount()
	}
	return 0
}

// IsLive reports whether the handle names an object whose count is not zero.
func (rt *Runtime) IsLive(id ID) bool { return rt.RetainCount(id) > 0 }

// dealloc runs the hooks, which may still send messages to the object, and then forgets it. The
// payload is left to the garbage collector: a message that another goroutine has just sent may be
// reading it.
func (rt *Runtime) dealloc(o *Object) error {
	var errs []error
	for _, hook := range o.class.dealloc {
		if err := runHook(o, hook); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", o.class.bracketed("dealloc"), err))
		}
	}
	rt.table.remove(o)
	if !o.kept.Load() {
		o.class.live.Add(-1)
	}
	return errors.Join(errs...)
}

// failure carries an error out of code that has no error result.
type failure struct{ err error }

// Fail ends the message, the Dealloc hook or the call of Try in progress with an error. It does not
// return.
func Fail(err error) { panic(failure{err}) }

// Try calls f and returns its error, or the one with which Fail ended it.
func Try(f func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.err
		default:
			panic(r)
		}
	}()
	return f()
}

// Drop releases what an object owned, in its Dealloc hook; nil is skipped. The first error, which
// is an over-release somewhere, ends the hook and is returned by the Release that freed the object.
func (o *Object) Drop(ids ...ID) {
	if err := releaseAll(o.class.rt, ids); err != nil {
		Fail(err)
	}
}

// Fail ends an object's Dealloc hook with an error, which the Release that freed the object
// returns. It is for objects that the program let go of too early.
func (o *Object) Fail(err error) { Fail(err) }

func runHook(o *Object, hook func(*Object)) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.err
		default:
			err = &PanicError{Value: r, Stack: debug.Stack()}
		}
	}()
	hook(o)
	return nil
}

// noObject returns an error that says why a handle names no object.
func (rt *Runtime) noObject(what string, id ID) error {
	site := callSite()
	if o := rt.table.get(id); o != nil { // being freed
		return &MessageError{Method: o.class.bracketed(what), Fault: ErrReleased, Detail: "it is being deallocated",
			Site: site}
	}
	was, class := rt.table.former(id)
	detail := fmt.Sprintf("%#x", uintptr(id))
	switch {
	case !was:
		return &MessageError{Method: what, Fault: ErrNotObject, Detail: detail, Site: site}
	case class == nil:
		return &MessageError{Method: what, Fault: ErrReleased, Detail: detail, Site: site}
	default:
		return &MessageError{Method: class.bracketed(what), Fault: ErrReleased, Detail: detail, Site: site}
	}
}

// Weak is a reference that does not keep its object alive.
type Weak struct {
	rt *Runtime
	id ID
}

// NewWeak makes a weak reference to a live object or to nil.
func (rt *Runtime) NewWeak(id ID) (*Weak, error) {
	if id != 0 && !rt.IsLive(id) {
		return nil, rt.noObject("weak reference", id)
	}
	return &Weak{rt, id}, nil
}

// Load returns the object with one more count, which the caller releases, or 0
// when it is gone or being freed.
func (w *Weak) Load() ID {
	if o := w.rt.table.get(w.id); o != nil && o.retain() {
		return w.id
	}
	return 0
}
