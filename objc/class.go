package objc

import (
	"fmt"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// Class is an Objective-C class. The zero Class is nil.
type Class struct{ id ID }

// LookUpClass returns the class called name from the frameworks that are open, or an error wrapping
// [ErrNotFound].
func LookUpClass(name string) (Class, error) {
	d, err := current()
	if err != nil {
		return Class{}, err
	}
	if id, ok := d.class(name); ok {
		return Class{id}, nil
	}
	return Class{}, fmt.Errorf("objc: class %s %w", name, ErrNotFound)
}

// ClassOf returns the class of an object, or the zero Class for nil and for dead handles.
func ClassOf(id ID) Class {
	if id == 0 {
		return Class{}
	}
	d, err := current()
	if err != nil {
		return Class{}
	}
	c, err := d.classOf(id)
	if err != nil {
		report("class", err)
	}
	return Class{c}
}

// ID returns the class as an object.
func (c Class) ID() ID { return c.id }

// IsNil reports whether c is the zero Class.
func (c Class) IsNil() bool { return c.id == 0 }

// Name returns the class's name, or "" for the zero Class.
func (c Class) Name() string {
	d := driverInUse.Load()
	if c.id == 0 || d == nil {
		return ""
	}
	return d.className(c.id)
}

// Superclass returns the class's superclass, or the zero Class for a root class.
func (c Class) Superclass() Class {
	d := driverInUse.Load()
	if c.id == 0 || d == nil {
		return Class{}
	}
	return Class{d.superclass(c.id)}
}

// Responds reports whether instances of the class respond to the selector.
func (c Class) Responds(sel SEL) bool {
	d := driverInUse.Load()
	return c.id != 0 && d != nil && d.classResponds(c.id, sel)
}

// Implementation returns the function that implements a method for the class's instances.
func (c Class) Implementation(m *Method) (IMP, error) {
	if c.id == 0 {
		return IMP{}, fmt.Errorf("objc: %s: the class is nil: %w", m.Name(), ErrNotFound)
	}
	if !c.Responds(SEL{m.Selector}) {
		return IMP{}, fmt.Errorf("objc: -[%s %s]: %w", c.Name(), m.Selector, ErrUnrecognized)
	}
	b, err := m.bind()
	if err != nil {
		return IMP{}, err
	}
	d := driverInUse.Load()
	return IMP{method: m, binding: b, class: c, address: d.implementation(c.id, b)}, nil
}

// IMP is the implementation of a method: the function that runs when an instance of its class
// receives the message.
type IMP struct {
	method  *Method
	binding *binding
	class   Class
	address uintptr
}

// Word returns the function's address, or 0 with the software driver, which implements methods in
// Go.
func (i IMP) Word() uintptr { return i.address }

// Call calls the implementation directly and returns the first word of the result. The receiver
// must be an instance of the class that the implementation was looked up for; any other is an
// error, because the function would misread it.
func (i IMP) Call(recv ID, args ...uintptr) (uintptr, error) {
	if i.method == nil {
		return 0, fmt.Errorf("objc: call of a nil implementation: %w", ErrNotFound)
	}
	if recv == 0 {
		return 0, nil
	}
	if c := ClassOf(recv); c != i.class {
		return 0, fmt.Errorf("objc: %s: receiver is a %s, the implementation is of %s: %w", i.method.Name(), c.Name(),
			i.class.Name(), ErrUnrecognized)
	}
	var ret [1]uintptr
	if err := i.send(recv, noescape(args), noescape(ret[:])); err != nil {
		return 0, newFault(i.method.Name(), err)
	}
	return ret[0], nil
}

// send is [Method.send] without the method lookup, if there is a function to call.
func (i IMP) send(recv ID, args, ret []uintptr) error {
	switch {
	case i.address == 0:
		return i.method.send(recv, args, ret)
	case len(args) != i.binding.words:
		return i.binding.wrongWords(i.method, args)
	}
	return i.binding.apple.send(i.method, i.address, recv, args, ret)
}

// SEL is a selector: the name of a message.
type SEL struct{ name string }

// Selector returns the selector called name. It is registered with the runtime at its first use.
func Selector(name string) SEL { return SEL{name} }

// String returns the selector's name.
func (s SEL) String() string { return s.name }

// Word registers the selector with the driver in use and returns it as an argument word.
func (s SEL) Word() (uintptr, error) {
	d, err := current()
	if err != nil {
		return 0, err
	}
	return d.selector(s.name)
}

// Protocol is an Objective-C protocol. The zero Protocol is nil.
type Protocol struct {
	id   ID
	name string
}

// LookUpProtocol returns the protocol called name, or an error wrapping [ErrNotFound].
func LookUpProtocol(name string) (Protocol, error) {
	d, err := current()
	if err != nil {
		return Protocol{}, err
	}
	if id, ok := d.protocol(name); ok {
		return Protocol{id, name}, nil
	}
	return Protocol{}, fmt.Errorf("objc: protocol %s %w", name, ErrNotFound)
}

// Name returns the protocol's name.
func (p Protocol) Name() string { return p.name }

// ID returns the protocol as an object.
func (p Protocol) ID() ID { return p.id }

// Conforms reports whether the object's class conforms to the protocol. Apple's concrete classes
// conform to the Metal protocols.
func Conforms(id ID, protocol string) bool {
	p, err := LookUpProtocol(protocol)
	return err == nil && id != 0 && rootMethods[rootConformsToProtocol].Call(id, uintptr(p.id)) != 0
}

// IsKindOf reports whether the object is an instance of the class or of one of its subclasses.
func IsKindOf(id ID, c Class) bool {
	return c.id != 0 && rootMethods[rootIsKindOfClass].Call(id, uintptr(c.id)) != 0
}

// ClassRef names a class of a framework. Packages of bindings keep them in static tables; the class
// is looked up at its first use.
type ClassRef struct {
	Name      string
	Framework string // "Metal"
	Since     Version
	// Software implements the framework on the software driver, if that does not do so itself.
	Software SoftwareFramework

	id atomic.Uintptr
}

// SoftwareFramework registers a framework's classes, functions and constants with the software
// driver's runtime. It is called once, when one of them is first used. Packages of bindings name
// theirs in their tables, so that programs without the bindings do not contain it.
type SoftwareFramework func(*objcsoft.Runtime) error

// Get returns the class and opens its framework if necessary. The error names the framework or
// class that is missing.
func (c *ClassRef) Get() (ID, error) {
	if id := c.id.Load(); id != 0 {
		return ID(id), nil
	}
	d, err := current()
	if err != nil {
		return 0, err
	}
	if err := d.openFramework(c.Framework, c.Software); err != nil {
		return 0, fmt.Errorf("objc: class %s: %w", c.Name, err)
	}
	id, ok := d.class(c.Name)
	if !ok {
		if have := runningVersion(); have != 0 && have < c.Since {
			return 0, &UnavailableError{Name: "class " + c.Name, Since: c.Since, Have: have}
		}
		return 0, fmt.Errorf("objc: class %s %w in %s.framework", c.Name, ErrNotFound, c.Framework)
	}
	c.id.Store(uintptr(id))
	return id, nil
}

// New returns a new instance, +1, using alloc and init.
func (c *ClassRef) New() (ID, error) {
	class, err := c.Get()
	if err != nil {
		return 0, err
	}
	id, err := driverInUse.Load().newObject(class)
	if err == nil && id == 0 {
		err = fmt.Errorf("objc: +[%s new]: %w", c.Name, ErrNil)
	}
	return id, err
}

// Alloc returns a new instance, +1, that a method of the init family must initialize. That method
// consumes the reference, and its result is +1.
func (c *ClassRef) Alloc() (ID, error) {
	class, err := c.Get()
	if err != nil {
		return 0, err
	}
	return driverInUse.Load().allocObject(class)
}
