package objc

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// The methods of activeDriver dispatch to the driver in use everything except messages, which
// binding dispatches.

func (d *activeDriver) class(name string) (ID, bool) {
	if d.soft == nil {
		return d.apple.class(name)
	}
	c := d.soft.Class(name)
	if c == nil {
		return 0, false
	}
	return ID(c.ID()), true
}

func (d *activeDriver) protocol(name string) (ID, bool) {
	if d.soft == nil {
		return d.apple.protocol(name)
	}
	p := d.soft.Protocol(name)
	if p == nil {
		return 0, false
	}
	return ID(p.ID()), true
}

func (d *activeDriver) classOf(id ID) (ID, error) {
	if d.soft == nil {
		return d.apple.classOfObject(id)
	}
	o, err := d.soft.Object(objcsoft.ID(id))
	if err != nil {
		return 0, err
	}
	return ID(o.Class().ID()), nil
}

func (d *activeDriver) alive(id ID) (err error) {
	if d.soft == nil {
		err = d.apple.alive(id)
	} else {
		_, err = d.soft.Object(objcsoft.ID(id))
	}
	return err
}

func (d *activeDriver) className(class ID) string {
	if d.soft == nil {
		return d.apple.classNameOf(class)
	}
	if c := d.soft.ClassFrom(objcsoft.ID(class)); c != nil {
		return c.Name
	}
	return ""
}

func (d *activeDriver) superclass(class ID) ID {
	if d.soft == nil {
		return d.apple.superclassOf(class)
	}
	if c := d.soft.ClassFrom(objcsoft.ID(class)); c != nil && c.Super != nil {
		return ID(c.Super.ID())
	}
	return 0
}

func (d *activeDriver) classResponds(class ID, sel SEL) bool {
	if d.soft == nil {
		return d.apple.classResponds(class, sel.name)
	}
	c := d.soft.ClassFrom(objcsoft.ID(class))
	return c != nil && c.Method(d.soft.Sel(sel.name)) != nil
}

func (d *activeDriver) selector(name string) (uintptr, error) {
	if d.soft == nil {
		return d.apple.selector(name)
	}
	return uintptr(d.soft.Sel(name)), nil
}

// implementation returns the address of the C function that implements a bound method, or 0 if it
// is Go code.
func (d *activeDriver) implementation(class ID, b *binding) uintptr {
	if d.soft != nil {
		return 0
	}
	return d.apple.implementation(class, b)
}

// openFramework opens a framework. software is what implements it on the software driver, or nil if
// the software device does so itself or nothing does.
func (d *activeDriver) openFramework(name string, software SoftwareFramework) error {
	if d.soft == nil {
		_, err := d.apple.framework(name)
		return err
	}
	if software != nil {
		if err := d.soft.RegisterFramework(name, software); err != nil && !errors.Is(err, objcsoft.ErrDuplicate) {
			return err
		}
	}
	err := d.soft.LoadFramework(name)
	if software == nil && errors.Is(err, objcsoft.ErrUnknown) {
		return fmt.Errorf("framework %s %w: the software device does not implement it", name, ErrNotFound)
	}
	return err
}

// classAlloc and classNew are class methods that every class has.
var (
	classAlloc = Method{Class: "NSObject", Selector: "alloc", Encoding: "@@:", IsClassMethod: true, Retained: true}
	classNew   = Method{Class: "NSObject", Selector: "new", Encoding: "@@:", IsClassMethod: true, Retained: true}
)

func (d *activeDriver) newObject(class ID) (ID, error) {
	id, err := classNew.TryCall(class)
	return ID(id), err
}

func (d *activeDriver) allocObject(class ID) (ID, error) {
	id, err := classAlloc.TryCall(class)
	if err == nil && id == 0 {
		err = fmt.Errorf("objc: +[%s alloc]: %w", d.className(class), ErrNil)
	}
	return ID(id), err
}

func (d *activeDriver) newBlock(encoding string, fn func([]uintptr) uintptr) (ID, error) {
	if d.soft == nil {
		return d.apple.newBlock(encoding, fn)
	}
	id, err := d.soft.NewBlock(encoding, fn)
	return ID(id), err
}

func (d *activeDriver) callBlock(id ID, encoding string, args []uintptr) (uintptr, error) {
	if d.soft == nil {
		return d.apple.callBlock(id, encoding, args)
	}
	if _, err := d.soft.Object(objcsoft.ID(id)); err != nil {
		return 0, err
	}
	if have := d.soft.BlockEncoding(objcsoft.ID(id)); have != encoding {
		return 0, fmt.Errorf("the block's encoding is %q: %w", have, ErrEncoding)
	}
	return d.soft.InvokeBlock(objcsoft.ID(id), args)
}

func (d *activeDriver) constant(c *Constant) (ID, bool) {
	if d.soft == nil {
		return d.apple.constant(c)
	}
	id, ok := d.soft.Constant(c.Name)
	return ID(id), ok
}
