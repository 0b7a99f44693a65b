package objcsoft

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"
)

// ClassSpec describes a class to register.
type ClassSpec struct {
	// Name is the class's name.
	Name string
	// Super is the superclass's name; empty means NSObject.
	Super string
	// Framework is where the class is from, for messages about it.
	Framework string
	// Protocols are the protocols it adopts; they must be registered.
	Protocols []string
	// Methods are the instance methods.
	Methods []MethodSpec
	// ClassMethods are the class methods.
	ClassMethods []MethodSpec
	// Alloc, if not nil, runs for an instance made by +alloc, after the superclass's Alloc, and
	// gives it its payload.
	Alloc func(*Object)
	// Dealloc, if not nil, runs when an instance's count reaches zero, before the superclass's
	// Dealloc. The object still answers messages while it runs.
	Dealloc func(*Object)
}

// MethodSpec describes a method to register.
type MethodSpec struct {
	// Sel is the selector's name, Enc the type encoding in arm64's form.
	Sel, Enc string
	// Imp is the method's code.
	Imp Imp
}

// classes is the registry. Building a method table or adding a class takes the lock for writing.
type classes struct {
	mu        sync.RWMutex
	byName    map[string]*Class
	protocols map[string]*Protocol
}

// Class returns the class of that name, nil when none is registered.
func (rt *Runtime) Class(name string) *Class {
	rt.classes.mu.RLock()
	defer rt.classes.mu.RUnlock()
	return rt.classes.byName[name]
}

// Classes returns the names of all classes, sorted.
func (rt *Runtime) Classes() []string {
	rt.classes.mu.RLock()
	defer rt.classes.mu.RUnlock()
	names := make([]string, 0, len(rt.classes.byName))
	for name := range rt.classes.byName {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// ClassFrom returns the class with an ID, nil if it is no class.
func (rt *Runtime) ClassFrom(id ID) *Class {
	if o := rt.table.get(id); o != nil {
		c, _ := o.Payload.(*Class)
		return c
	}
	return nil
}

// ClassOf returns the class of an object, or nil if there is no such object. The class of a class
// is its metaclass.
func (rt *Runtime) ClassOf(id ID) *Class {
	if o := rt.table.get(id); o != nil {
		return o.class
	}
	return nil
}

// Protocol returns the protocol of that name, nil when none is registered.
func (rt *Runtime) Protocol(name string) *Protocol {
	rt.classes.mu.RLock()
	defer rt.classes.mu.RUnlock()
	return rt.classes.protocols[name]
}

// ProtocolFrom returns the protocol with an ID, nil for any other.
func (rt *Runtime) ProtocolFrom(id ID) *Protocol {
	if o := rt.table.get(id); o != nil {
		p, _ := o.Payload.(*Protocol)
		return p
	}
	return nil
}

// RegisterProtocol adds a protocol that includes the named others.
func (rt *Runtime) RegisterProtocol(name string, conforms ...string) (*Protocol, error) {
	if name == "" {
		return nil, errors.New("objc: protocol without a name")
	}
	rt.classes.mu.Lock()
	defer rt.classes.mu.Unlock()
	if rt.classes.protocols[name] != nil {
		return nil, fmt.Errorf("objc: protocol %s: %w", name, ErrDuplicate)
	}
	above, err := rt.protocolsNamed(conforms)
	if err != nil {
		return nil, fmt.Errorf("objc: protocol %s: %w", name, err)
	}
	p := &Protocol{Name: name, conforms: above}
	if p.object, err = rt.immortal(rt.protocolClass, p); err != nil {
		return nil, err
	}
	rt.classes.protocols[name] = p
	return p, nil
}

// protocolsNamed needs the class lock.
func (rt *Runtime) protocolsNamed(names []string) ([]*Protocol, error) {
	var list []*Protocol
	for _, name := range names {
		p := rt.classes.protocols[name]
		if p == nil {
			return nil, fmt.Errorf("protocol %s: %w", name, ErrUnknown)
		}
		list = append(list, p)
	}
	return list, nil
}

// Register adds a class: either all of it, or nothing.
func (rt *Runtime) Register(spec ClassSpec) (*Class, error) {
	if spec.Name == "" {
		return nil, errors.New("objc: class without a name")
	}
	methods, err := rt.methods(spec.Name, spec.Methods)
	if err != nil {
		return nil, err
	}
	classMethods, err := rt.methods(spec.Name, spec.ClassMethods)
	if err != nil {
		return nil, err
	}
	rt.classes.mu.Lock()
	defer rt.classes.mu.Unlock()
	if rt.classes.byName[spec.Name] != nil {
		return nil, fmt.Errorf("objc: class %s: %w", spec.Name, ErrDuplicate)
	}
	super := rt.root
	if spec.Super != "" {
		if super = rt.classes.byName[spec.Super]; super == nil {
			return nil, fmt.Errorf("objc: class %s: superclass %s: %w", spec.Name, spec.Super, ErrUnknown)
		}
	}
	protocols, err := rt.protocolsNamed(spec.Protocols)
	if err != nil {
		return nil, fmt.Errorf("objc: class %s: %w", spec.Name, err)
	}
	c := &Class{Name: spec.Name, Super: super, Framework: spec.Framework, rt: rt, own: methods, protocols: protocols}
	c.meta = &Class{Name: spec.Name, Framework: spec.Framework, Meta: true, rt: rt, own: classMethods}
	c.table.Store(rt.unbuilt)
	c.meta.table.Store(rt.unbuilt)
	if super == nil { // NSObject: its class methods inherit its instance methods
		c.meta.Super = c
	} else {
		c.meta.Super = super.meta
		c.dealloc = super.dealloc
		c.alloc = super.alloc
	}
	if spec.Dealloc != nil {
		c.dealloc = append([]func(*Object){spec.Dealloc}, c.dealloc...)
	}
	if own := spec.Alloc; own != nil {
		if above := c.alloc; above != nil {
			c.alloc = func(o *Object) { above(o); own(o) }
		} else {
			c.alloc = own
		}
	}
	if c.object, err = rt.immortal(c.meta, c); err != nil {
		return nil, err
	}
	if super == nil {
		rt.root = c
	} else {
		super.subclasses = append(super.subclasses, c)
		super.meta.subclasses = append(super.meta.subclasses, c.meta)
	}
	rt.classes.byName[spec.Name] = c
	return c, nil
}

// Extend adds methods and protocols to a class, as a category does. It is an error if the class
// itself already has one of the selectors.
func (rt *Runtime) Extend(class string, methods, classMethods []MethodSpec, protocols ...string) error {
	inst, err := rt.methods(class, methods)
	if err != nil {
		return err
	}
	meta, err := rt.methods(class, classMethods)
	if err != nil {
		return err
	}
	rt.classes.mu.Lock()
	defer rt.classes.mu.Unlock()
	c := rt.classes.byName[class]
	if c == nil {
		return fmt.Errorf("objc: class %s: %w", class, ErrUnknown)
	}
	adopt, err := rt.protocolsNamed(protocols)
	if err != nil {
		return fmt.Errorf("objc: class %s: %w", class, err)
	}
	for _, part := range []struct {
		class *Class
		add   map[Sel]*Method
	}{{c, inst}, {c.meta, meta}} {
		for sel := range part.add {
			if part.class.own[sel] != nil {
				return fmt.Errorf("objc: %s: %w", part.class.bracketed(rt.SelName(sel)), ErrDuplicate)
			}
		}
	}
	for sel, m := range inst {
		c.own[sel] = m
	}
	for sel, m := range meta {
		c.meta.own[sel] = m
	}
	for _, p := range adopt {
		if !slices.Contains(c.protocols, p) {
			c.protocols = append(c.protocols, p)
		}
	}
	c.forgetTables()
	c.meta.forgetTables()
	return nil
}

// forgetTables makes the class and its subclasses rebuild their tables.
func (c *Class) forgetTables() {
	c.table.Store(c.rt.unbuilt)
	for _, s := range c.subclasses {
		s.forgetTables()
	}
	if c == c.rt.root { // metaclasses inherit from it
		c.meta.forgetTables()
	}
}

func (rt *Runtime) methods(class string, specs []MethodSpec) (map[Sel]*Method, error) {
	methods := make(map[Sel]*Method, len(specs))
	for _, s := range specs {
		if s.Sel == "" || s.Imp == nil {
			return nil, fmt.Errorf("objc: class %s: method %q has no selector or no code", class, s.Sel)
		}
		l, err := rt.layoutOf(s.Enc)
		if err != nil {
			return nil, fmt.Errorf("objc: class %s: method %s: %w", class, s.Sel, err)
		}
		sel := rt.Sel(s.Sel)
		if methods[sel] != nil {
			return nil, fmt.Errorf("objc: class %s: method %s: %w", class, s.Sel, ErrDuplicate)
		}
		methods[sel] = &Method{
			Sel: sel, Enc: l.enc, imp: s.Imp, layout: l, argWords: l.argWords,
			wideArgs: l.argWords <= callWords && len(l.narrow) == 0,
			wideRet:  l.retWords <= 1 && l.narrowRet == extendNone,
		}
	}
	return methods, nil
}
