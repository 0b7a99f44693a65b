package objc

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// The methods of world are where the two drivers part, for everything but messages (see binding).

func (w *world) class(name string) (ID, bool) {
	if w.soft == nil {
		return w.apple.class(name)
	}
	c := w.soft.Class(name)
	if c == nil {
		return 0, false
	}
	return ID(c.ID()), true
}

func (w *world) protocol(name string) (ID, bool) {
	if w.soft == nil {
		return w.apple.protocol(name)
	}
	p := w.soft.Protocol(name)
	if p == nil {
		return 0, false
	}
	return ID(p.ID()), true
}

func (w *world) classOf(id ID) (ID, error) {
	if w.soft == nil {
		return w.apple.classOfObject(id)
	}
	o, err := w.soft.Object(objcsoft.ID(id))
	if err != nil {
		return 0, err
	}
	return ID(o.Class().ID()), nil
}

func (w *world) className(class ID) string {
	if w.soft == nil {
		return w.apple.classNameOf(class)
	}
	if c := w.soft.ClassFrom(objcsoft.ID(class)); c != nil {
		return c.Name
	}
	return ""
}

func (w *world) superclass(class ID) ID {
	if w.soft == nil {
		return w.apple.superclassOf(class)
	}
	if c := w.soft.ClassFrom(objcsoft.ID(class)); c != nil && c.Super != nil {
		return ID(c.Super.ID())
	}
	return 0
}

func (w *world) classResponds(class ID, sel SEL) bool {
	if w.soft == nil {
		return w.apple.classResponds(class, sel.name)
	}
	c := w.soft.ClassFrom(objcsoft.ID(class))
	return c != nil && c.Method(w.soft.Sel(sel.name)) != nil
}

func (w *world) selector(name string) (uintptr, error) {
	if w.soft == nil {
		return w.apple.selector(name)
	}
	return uintptr(w.soft.Sel(name)), nil
}

// implementation returns the address of the C function behind a bound method, 0 where it is Go code.
func (w *world) implementation(class ID, b *binding) uintptr {
	if w.soft != nil {
		return 0
	}
	return w.apple.implementation(class, b)
}

func (w *world) openFramework(name string) error {
	if w.soft == nil {
		_, err := w.apple.framework(name)
		return err
	}
	if err := w.soft.LoadFramework(name); err != nil {
		return fmt.Errorf("objc: framework %s: %w", name, err)
	}
	return nil
}

// classAlloc and classNew are class methods that every class has.
var (
	classAlloc = Method{Class: "NSObject", Selector: "alloc", Encoding: "@@:", IsClassMethod: true, Retained: true}
	classNew   = Method{Class: "NSObject", Selector: "new", Encoding: "@@:", IsClassMethod: true, Retained: true}
)

func (w *world) newObject(class ID) (ID, error) {
	id, err := classNew.TryCall(class)
	return ID(id), err
}

func (w *world) allocObject(class ID) (ID, error) {
	id, err := classAlloc.TryCall(class)
	if err == nil && id == 0 {
		err = fmt.Errorf("objc: +[%s alloc]: %w", w.className(class), ErrNil)
	}
	return ID(id), err
}

func (w *world) newBlock(encoding string, fn func([]uintptr) uintptr) (ID, error) {
	if w.soft == nil {
		return w.apple.newBlock(encoding, fn)
	}
	id, err := w.soft.NewBlock(encoding, fn)
	return ID(id), err
}

func (w *world) callBlock(id ID, encoding string, args []uintptr) (uintptr, error) {
	if w.soft == nil {
		return w.apple.callBlock(id, encoding, args)
	}
	if _, err := w.soft.Object(objcsoft.ID(id)); err != nil {
		return 0, err
	}
	if have := w.soft.BlockEncoding(objcsoft.ID(id)); have != encoding {
		return 0, fmt.Errorf("block is %q: %w", have, ErrEncoding)
	}
	return w.soft.InvokeBlock(objcsoft.ID(id), args)
}

func (w *world) constant(c *Constant) (ID, bool) {
	if w.soft == nil {
		return w.apple.constant(c)
	}
	id, ok := w.soft.Constant(c.Name)
	return ID(id), ok
}
