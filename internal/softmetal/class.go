package softmetal

import (
	"errors"
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// methods is the code of methods by selector.
type methods map[string]objcsoft.Imp

// class describes a class, or adds to one: several entries of one name are one class, so that each file holds the methods of its
// concept. One of them names the superclass and the protocols.
type class struct {
	name         string
	super        string   // empty: NSObject
	protocols    []string // that it adopts
	methods      methods
	classMethods methods
	record       *recordSpec // for plain classes: their properties
	alloc        func(*objcsoft.Object)
	dealloc      func(*objcsoft.Object)
}

// on makes a method of a Go method whose receiver is the object's payload, as in on((*buffer).length).
func on[T any](f func(T, *objcsoft.Call)) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		if s, ok := c.Self.Payload.(T); ok {
			f(s, c)
			return
		}
		c.Fail(fmt.Errorf("softmetal: %s is not initialised", c.Self.Class().Name))
	}
}

// freed makes a Dealloc hook of a Go method whose receiver is the object's payload. An object whose creation failed has no payload.
func freed[T any](f func(T, *objcsoft.Object)) func(*objcsoft.Object) {
	return func(o *objcsoft.Object) {
		if s, ok := o.Payload.(T); ok {
			f(s, o)
		}
	}
}

// payload returns the state of an object argument: that of the type wanted, or false after the call has failed. Nil is false
// without a failure.
func payload[T any](c *objcsoft.Call, arg int) (s T, ok bool) {
	o := c.Object(arg)
	if o == nil {
		return s, false
	}
	if s, ok = o.Payload.(T); !ok {
		misuse(c, "argument %d is a %s, which is not of this device or not of the kind that the call takes", arg, o.Class().Name)
	}
	return s, ok
}

// payloadOf is payload for an object that is not an argument.
func payloadOf[T any](rt *objcsoft.Runtime, id objcsoft.ID) (s T, ok bool) {
	if id == 0 {
		return s, false
	}
	o, err := rt.Object(id)
	if err != nil {
		return s, false
	}
	s, ok = o.Payload.(T)
	return s, ok
}

// merged joins the entries of each name, in the order of the first.
func merged(lists ...[]class) ([]*class, error) {
	var all []*class
	byName := map[string]*class{}
	for _, list := range lists {
		for i := range list {
			c := &list[i]
			have := byName[c.name]
			if have == nil {
				have = &class{name: c.name, methods: methods{}, classMethods: methods{}}
				byName[c.name] = have
				all = append(all, have)
			}
			if err := have.merge(c); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

func (c *class) merge(more *class) error {
	for _, part := range []struct{ to, from methods }{{c.methods, more.methods}, {c.classMethods, more.classMethods}} {
		for sel, imp := range part.from {
			if part.to[sel] != nil {
				return fmt.Errorf("softmetal: class %s has the method %s twice", c.name, sel)
			}
			part.to[sel] = imp
		}
	}
	if more.super != "" {
		if c.super != "" && c.super != more.super {
			return fmt.Errorf("softmetal: class %s has the superclasses %s and %s", c.name, c.super, more.super)
		}
		c.super = more.super
	}
	for _, p := range more.protocols {
		if !slices.Contains(c.protocols, p) {
			c.protocols = append(c.protocols, p)
		}
	}
	if c.record != nil && more.record != nil || c.alloc != nil && more.alloc != nil || c.dealloc != nil && more.dealloc != nil {
		return fmt.Errorf("softmetal: class %s has its properties or hooks twice", c.name)
	}
	if more.record != nil {
		c.record = more.record
	}
	if more.alloc != nil {
		c.alloc = more.alloc
	}
	if more.dealloc != nil {
		c.dealloc = more.dealloc
	}
	return nil
}

// specs turns the names of Go methods into what the runtime registers.
func (c *class) specs(rt *objcsoft.Runtime, m methods, classMethods bool) ([]objcsoft.MethodSpec, error) {
	var out []objcsoft.MethodSpec
	var errs []error
	for sel, imp := range m {
		enc, err := encoding(rt, c, sel, classMethods)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, objcsoft.MethodSpec{Sel: sel, Enc: enc, Imp: imp})
	}
	return out, errors.Join(errs...)
}

// register adds the class to a runtime that has its superclass.
func (c *class) register(rt *objcsoft.Runtime, faults *objectFaults) error {
	if c.record != nil {
		if err := c.addProperties(rt); err != nil {
			return err
		}
	}
	inst, err := c.specs(rt, c.methods, false)
	if err != nil {
		return err
	}
	for i := range inst {
		if m := &inst[i]; makesObject(c.name, m.Sel) {
			m.Imp = faults.around(m.Imp)
		}
	}
	meta, err := c.specs(rt, c.classMethods, true)
	if err != nil {
		return err
	}
	_, err = rt.Register(objcsoft.ClassSpec{
		Name: c.name, Super: c.super, Framework: frameworkName, Protocols: c.protocols,
		Methods: inst, ClassMethods: meta, Alloc: c.alloc, Dealloc: c.dealloc,
	})
	return err
}
