//go:build (darwin || linux) && (amd64 || arm64)

package objc

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc/internal/ccall"
)

func (a *appleRuntime) protocol(name string) (ID, bool) {
	if name == "" || strings.IndexByte(name, 0) >= 0 {
		return 0, false
	}
	p := a.cstringCall(a.getProtocol, name)
	if p == 0 {
		return 0, false
	}
	id, _, err := a.handles.intern(p, holdPinned, a.classOf)
	return id, err == nil
}

func (a *appleRuntime) address(id ID) (uintptr, error) { return a.handles.address(id) }

func (a *appleRuntime) alive(id ID) error {
	_, err := a.handles.live(id)
	return err
}

func (a *appleRuntime) classOfObject(id ID) (ID, error) {
	s, err := a.handles.live(id)
	if err != nil {
		return 0, err
	}
	class, _, err := a.handles.intern(s.class.Load(), holdPinned, a.classOf)
	return class, err
}

func (a *appleRuntime) classNameOf(class ID) string {
	ptr, err := a.handles.address(class)
	if err != nil {
		return ""
	}
	return a.className(ptr)
}

func (a *appleRuntime) superclassOf(class ID) ID {
	ptr, err := a.handles.address(class)
	if err != nil {
		return 0
	}
	super := ccall.CallC(a.superclass, ptr)
	if super == 0 {
		return 0
	}
	id, _, err := a.handles.intern(super, holdPinned, a.classOf)
	if err != nil {
		return 0
	}
	return id
}

func (a *appleRuntime) classResponds(class ID, selector string) bool {
	ptr, err := a.handles.address(class)
	if err != nil {
		return false
	}
	sel, err := a.selector(selector)
	return err == nil && ccall.CallC(a.classRespondsTo, ptr, sel)&0xff != 0
}

func (a *appleRuntime) implementation(class ID, b *binding) uintptr {
	ptr, err := a.handles.address(class)
	if err != nil {
		return 0
	}
	if b.apple.plan.Stret() {
		return ccall.CallC(a.classImpStret, ptr, b.apple.sel)
	}
	return ccall.CallC(a.classImp, ptr, b.apple.sel)
}

// constant reads an exported variable whose value is an object.
func (a *appleRuntime) constant(c *Constant) (ID, bool) {
	p, err := a.function(c.Framework, c.Name)
	if err != nil {
		return 0, false
	}
	object := *(*uintptr)(foreign(p))
	if object == 0 {
		return 0, false
	}
	id, _, err := a.handles.intern(object, holdPinned, a.classOf)
	return id, err == nil
}

func (a *appleRuntime) bindFunction(f *Function, sig *typeenc.Signature) (func(args, ret []uintptr) error, error) {
	p, err := a.function(f.Framework, f.Name)
	if err != nil {
		return nil, err
	}
	plan, err := ccall.NewPlan(sig)
	if err != nil {
		return nil, fmt.Errorf("objc: %s: %w", f.Name, err)
	}
	return func(args, ret []uintptr) error {
		for i := range args {
			if plan.ObjectArgs()>>i&1 == 0 || args[i] == 0 {
				continue
			}
			ptr, err := a.handles.address(ID(args[i]))
			if err != nil {
				return fmt.Errorf("argument word %d: %w", i, err)
			}
			args[i] = ptr
		}
		plan.CallFunc(p, args, ret)
		if plan.RetIsObject() && ret[0] != 0 {
			// Not holdMade: functions return objects that live for ever, such as devices.
			how := func(ptr uintptr) (ID, error) { return a.own(ptr, holdOwned) }
			if !f.Retained {
				how = a.borrow
			}
			id, err := how(ret[0])
			if err != nil {
				return err
			}
			ret[0] = uintptr(id)
		}
		return nil
	}, nil
}

// dispatchData returns a dispatch_data_t with a copy of b, +1. With the default destructor, nil,
// libdispatch copies the bytes.
func (a *appleRuntime) dispatchData(b []byte) (ID, error) {
	ptr := ccall.CallC(a.dispatchDataCreate, Slice(b), uintptr(len(b)), 0, 0)
	runtime.KeepAlive(b)
	if ptr == 0 {
		return 0, fmt.Errorf("dispatch_data_create of %d bytes: %w", len(b), ErrNil)
	}
	return a.own(ptr, holdMade)
}

// ownedRefs returns how many references of the object the program owns.
func (a *appleRuntime) ownedRefs(id ID) int {
	n := 0
	_, err := a.handles.change(id, func(s *slot) error {
		n = int(s.refs)
		return nil
	})
	if err != nil {
		return 0
	}
	return n
}

// goCString copies the C string at p.
func goCString(p uintptr) string {
	if p == 0 {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(foreign(p), n)) != 0 {
		n++
	}
	return string(View(p, n))
}
