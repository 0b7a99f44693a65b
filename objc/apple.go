//go:build (darwin || linux) && (amd64 || arm64)

package objc

import (
	"fmt"
	"math/bits"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc/internal/ccall"
)

// loader opens C libraries and turns Go functions into C callbacks. On macOS it is purego;
// elsewhere there is none, but tests supply one to run this file against stand-ins.
type loader struct {
	open     func(path string) (uintptr, error)
	symbol   func(lib uintptr, name string) (uintptr, error)
	callback func(fn any) uintptr
}

// appleRuntime is Apple's driver: the C API of the Objective-C runtime.
type appleRuntime struct {
	load      *loader
	libobjc   uintptr
	handles   handleTable
	blocks    blockTable
	goClasses appleClasses

	frameworks sync.Map // name -> *frameworkHandle
	selectors  sync.Map // string -> uintptr
	classes    sync.Map // string -> ID

	// C functions of libobjc and libSystem.
	msgSend, msgSendStret                    uintptr
	selRegisterName, getClass, getProtocol   uintptr
	objectGetClass, classGetName, superclass uintptr
	classRespondsTo                          uintptr
	classIsMeta, classImp, classImpStret     uintptr
	retain, release, autorelease             uintptr
	poolPush, poolPop                        uintptr
	blockCopy, concreteStackBlock            uintptr
	dispatchDataCreate                       uintptr
}

type frameworkHandle struct {
	once sync.Once
	lib  uintptr
	err  error
}

func openApple() (*appleRuntime, error) {
	l := platformLoader()
	if l == nil {
		return nil, fmt.Errorf("objc: Apple's driver needs macOS, this is %s/%s: %w", runtime.GOOS, runtime.GOARCH, ErrDriver)
	}
	return newApple(l)
}

func newApple(l *loader) (*appleRuntime, error) {
	a := &appleRuntime{load: l}
	var err error
	if a.libobjc, err = l.open("/usr/lib/libobjc.A.dylib"); err != nil {
		return nil, fmt.Errorf("objc: libobjc: %w: %w", err, ErrDriver)
	}
	for _, s := range []struct {
		name string
		to   *uintptr
	}{
		{"objc_msgSend", &a.msgSend}, {"sel_registerName", &a.selRegisterName},
		{"objc_getClass", &a.getClass}, {"objc_getProtocol", &a.getProtocol},
		{"object_getClass", &a.objectGetClass}, {"class_getName", &a.classGetName}, {"class_getSuperclass", &a.superclass},
		{"class_respondsToSelector", &a.classRespondsTo},
		{"class_isMetaClass", &a.classIsMeta}, {"class_getMethodImplementation", &a.classImp},
		{"objc_retain", &a.retain}, {"objc_release", &a.release}, {"objc_autorelease", &a.autorelease},
		{"objc_autoreleasePoolPush", &a.poolPush}, {"objc_autoreleasePoolPop", &a.poolPop},
	} {
		if *s.to, err = l.symbol(a.libobjc, s.name); err != nil {
			return nil, fmt.Errorf("objc: %s: %w: %w", s.name, err, ErrDriver)
		}
	}
	if runtime.GOARCH == "amd64" {
		if a.msgSendStret, err = l.symbol(a.libobjc, "objc_msgSend_stret"); err != nil {
			return nil, fmt.Errorf("objc: objc_msgSend_stret: %w: %w", err, ErrDriver)
		}
		if a.classImpStret, err = l.symbol(a.libobjc, "class_getMethodImplementation_stret"); err != nil {
			return nil, fmt.Errorf("objc: class_getMethodImplementation_stret: %w: %w", err, ErrDriver)
		}
	}
	system, err := l.open("/usr/lib/libSystem.B.dylib")
	if err != nil {
		return nil, fmt.Errorf("objc: libSystem: %w: %w", err, ErrDriver)
	}
	for _, s := range []struct {
		name string
		to   *uintptr
	}{
		{"_Block_copy", &a.blockCopy},
		{"_NSConcreteStackBlock", &a.concreteStackBlock}, {"dispatch_data_create", &a.dispatchDataCreate},
	} {
		// Stand-ins may export these from libobjc.
		if *s.to, err = l.symbol(system, s.name); err != nil {
			if *s.to, err = l.symbol(a.libobjc, s.name); err != nil {
				return nil, fmt.Errorf("objc: %s: %w: %w", s.name, err, ErrDriver)
			}
		}
	}
	if _, err := a.framework("Foundation"); err != nil {
		return nil, err
	}
	return a, nil
}

// hasMetalDevice reports whether Metal finds a device for this process.
func (a *appleRuntime) hasMetalDevice() bool {
	f, err := a.function("Metal", "MTLCreateSystemDefaultDevice")
	if err != nil {
		return false
	}
	d := ccall.CallC(f)
	if d == 0 {
		return false
	}
	ccall.CallC(a.release, d)
	return true
}

// framework opens /System/Library/Frameworks/NAME.framework once.
func (a *appleRuntime) framework(name string) (uintptr, error) {
	v, _ := a.frameworks.LoadOrStore(name, new(frameworkHandle))
	h := v.(*frameworkHandle)
	h.once.Do(func() {
		h.lib, h.err = a.load.open("/System/Library/Frameworks/" + name + ".framework/" + name)
	})
	if h.err != nil {
		return 0, fmt.Errorf("objc: framework %s %w: %w", name, ErrNotFound, h.err)
	}
	return h.lib, nil
}

func (a *appleRuntime) function(framework, name string) (uintptr, error) {
	lib, err := a.framework(framework)
	if err != nil {
		return 0, err
	}
	p, err := a.load.symbol(lib, name)
	if err != nil || p == 0 {
		return 0, fmt.Errorf("objc: %s %w in %s.framework", name, ErrNotFound, framework)
	}
	return p, nil
}

// selector registers name. The C string may be in Go memory: the runtime copies it.
func (a *appleRuntime) selector(name string) (uintptr, error) {
	if s, ok := a.selectors.Load(name); ok {
		return s.(uintptr), nil
	}
	if strings.IndexByte(name, 0) >= 0 || name == "" {
		return 0, fmt.Errorf("selector %q: %w", name, ErrNotFound)
	}
	s := a.cstringCall(a.selRegisterName, name)
	a.selectors.Store(name, s)
	return s, nil
}

// cstringCall calls a C function that takes one string.
func (a *appleRuntime) cstringCall(fn uintptr, s string) uintptr {
	b := append([]byte(s), 0)
	r := ccall.CallC(fn, Slice(b))
	runtime.KeepAlive(b)
	return r
}

// class looks up a class by name in the frameworks that are open.
func (a *appleRuntime) class(name string) (ID, bool) {
	if id, ok := a.classes.Load(name); ok {
		return id.(ID), true
	}
	if name == "" || strings.IndexByte(name, 0) >= 0 {
		return 0, false
	}
	c := a.cstringCall(a.getClass, name)
	if c == 0 {
		return 0, false
	}
	id, _, err := a.handles.intern(c, holdPinned, a.classOf)
	if err != nil {
		return 0, false
	}
	a.classes.Store(name, id)
	return id, true
}

func (a *appleRuntime) classOf(ptr uintptr) uintptr { return ccall.CallC(a.objectGetClass, ptr) }

func (a *appleRuntime) className(class uintptr) string {
	return goCString(ccall.CallC(a.classGetName, class))
}

// appleBinding is a Method resolved for Apple's driver.
type appleBinding struct {
	rt       *appleRuntime
	plan     *ccall.Plan
	fn, sel  uintptr
	objects  uint64 // which argument words are objects
	object   bool   // the result is an object
	retained bool
	init     bool // consumes a reference of the receiver

	// class is the class of the last receiver that responded to the selector. Asking the runtime for
	// every message would double its cost; not asking would end the process when a receiver does not
	// respond.
	class *atomic.Uintptr
}

func (a *appleRuntime) bind(m *Method, sig *typeenc.Signature) (appleBinding, error) {
	plan, err := ccall.NewPlan(sig)
	if err != nil {
		return appleBinding{}, fmt.Errorf("encoding %q: %w", m.Encoding, err)
	}
	sel, err := a.selector(m.Selector)
	if err != nil {
		return appleBinding{}, err
	}
	b := appleBinding{
		rt: a, plan: plan, fn: a.msgSend, sel: sel,
		objects: plan.ObjectArgs() >> 2, object: plan.RetIsObject(),
		retained: m.Retained, init: m.Retained && typeenc.InFamily(m.Selector, "init"),
		class: new(atomic.Uintptr),
	}
	if plan.Stret() {
		b.fn = a.msgSendStret
	}
	return b, nil
}

func (b *appleBinding) send(m *Method, fn uintptr, recv ID, args, ret []uintptr) error {
	a := b.rt
	s := a.handles.peek(recv)
	if s == nil {
		return a.handles.dead(recv)
	}
	self := s.ptr.Load()
	if class := s.class.Load(); class != b.class.Load() {
		if err := b.learn(m, class); err != nil {
			return err
		}
	}
	for o := b.objects; o != 0; o &= o - 1 {
		i := bits.TrailingZeros64(o)
		if args[i] == 0 {
			continue
		}
		s := a.handles.peek(ID(args[i]))
		if s == nil {
			return fmt.Errorf("argument word %d: %w", i, a.handles.dead(ID(args[i])))
		}
		args[i] = s.ptr.Load()
	}
	b.plan.Call(fn, self, b.sel, args, ret)
	if b.init {
		// The callee took over the receiver's reference, whatever it returned.
		if _, err := a.handles.dropRef(recv); err != nil {
			return err
		}
	}
	if b.object && len(ret) > 0 && ret[0] != 0 {
		id, err := b.result(ret[0], self)
		if err != nil {
			return err
		}
		ret[0] = uintptr(id)
	}
	return nil
}

// learn asks the runtime whether a class responds to the method, and remembers it if so.
func (b *appleBinding) learn(m *Method, class uintptr) error {
	if ccall.CallC(b.rt.classRespondsTo, class, b.sel)&0xff == 0 {
		return fmt.Errorf("%s: %w", b.rt.describe(class, m.Selector), ErrUnrecognized)
	}
	b.class.Store(class)
	return nil
}

// describe names a method of a class, which may be a metaclass, in the runtime's own notation.
func (a *appleRuntime) describe(class uintptr, selector string) string {
	sign := "-"
	if ccall.CallC(a.classIsMeta, class)&0xff != 0 {
		sign = "+"
	}
	return fmt.Sprintf("%s[%s %s]", sign, a.className(class), selector)
}

// result turns an object that the method returned into an ID. self is the receiver's address.
func (b *appleBinding) result(ptr, self uintptr) (ID, error) {
	switch {
	case !b.retained:
		return b.rt.borrow(ptr)
	case b.init || ptr == self: // copying an immutable object returns the object itself
		return b.rt.own(ptr, holdOwned)
	}
	return b.rt.own(ptr, holdMade)
}

// own returns the ID of a +1 object.
func (a *appleRuntime) own(ptr uintptr, how hold) (ID, error) {
	id, _, err := a.handles.intern(ptr, how, a.classOf)
	debugOwned(id)
	return id, err
}

// borrow returns the ID of a +0 object. It is valid until the current pool is drained, or for ever
// if there is no pool.
func (a *appleRuntime) borrow(ptr uintptr) (ID, error) {
	p := openPools.top()
	if p == nil {
		id, _, err := a.handles.intern(ptr, holdPinned, a.classOf)
		if err == nil && id != 0 {
			a.debugUnpooled(ptr)
		}
		return id, err
	}
	id, i, err := a.handles.intern(ptr, holdPooled, a.classOf)
	if err == nil {
		p.apple.handles = append(p.apple.handles, i)
	}
	return id, err
}

// debugUnpooled reports an object that no pool is going to release.
func (a *appleRuntime) debugUnpooled(ptr uintptr) {
	if debug.on.Load() { // or the class's name is looked up in vain
		debugUnpooled(a.className(a.classOf(ptr)))
	}
}

func (b *appleBinding) responds(recv ID) (bool, error) {
	s, err := b.rt.handles.live(recv)
	if err != nil {
		return false, err
	}
	return ccall.CallC(b.rt.classRespondsTo, s.class.Load(), b.sel)&0xff != 0, nil
}
