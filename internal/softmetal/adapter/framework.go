package adapter

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// Framework is one framework in one runtime. It registers the framework's protocols, classes and
// functions, and makes objects of its classes.
type Framework struct {
	// RT is the runtime that has the framework.
	RT *objcsoft.Runtime
	// Faults makes methods that create objects fail on demand. MakesObject chooses the methods, nil
	// for none; set it before the classes are registered.
	Faults      ObjectFaults
	MakesObject func(class, sel string) bool

	name   string
	tables *Tables
}

// NewFramework returns a framework of a name, whose encodings are in the tables.
func NewFramework(rt *objcsoft.Runtime, name string, t *Tables) *Framework {
	return &Framework{RT: rt, name: name, tables: t}
}

// RegisterProtocols registers all protocols that the bindings know, each after those that it
// includes.
func (f *Framework) RegisterProtocols() error {
	for i := range f.tables.Owners {
		o := &f.tables.Owners[i]
		if !o.Protocol {
			continue
		}
		var above []string
		for _, name := range o.Above {
			if f.RT.Protocol(name) == nil {
				return fmt.Errorf("softmetal: protocol %s includes %s, which the table has later", o.Name, name)
			}
			above = append(above, name)
		}
		if _, err := f.RT.RegisterProtocol(o.Name, above...); err != nil {
			return err
		}
	}
	return nil
}

// RegisterClasses joins the entries of each name and registers the classes, each after its
// superclass.
func (f *Framework) RegisterClasses(lists ...[]Class) error {
	all, err := merge(lists...)
	if err != nil {
		return err
	}
	ours := make(map[string]*Class, len(all))
	for _, c := range all {
		ours[c.Name] = c
	}
	done := make(map[string]bool, len(all))
	var add func(c *Class, depth int) error
	add = func(c *Class, depth int) error {
		if done[c.Name] {
			return nil
		}
		if depth > len(all) {
			return fmt.Errorf("softmetal: class %s is above itself", c.Name)
		}
		if super := ours[c.Super]; super != nil {
			if err := add(super, depth+1); err != nil {
				return err
			}
			if c.record != nil {
				c.record.above = super.record
			}
		}
		done[c.Name] = true
		return c.register(f)
	}
	for _, c := range all {
		if err := add(c, 0); err != nil {
			return err
		}
	}
	return nil
}

// RegisterFunction registers a C function, which gets its arguments and its result as words.
func (f *Framework) RegisterFunction(name string, fn func(args, ret []uintptr)) error {
	enc, err := f.tables.function(name)
	if err != nil {
		return err
	}
	return f.RT.RegisterFunction(f.name, name, enc, fn)
}

// New makes an object of one of the framework's classes with a count of one.
func (f *Framework) New(class string, payload any) objcsoft.ID {
	k := f.RT.Class(class)
	if k == nil {
		panic(fmt.Errorf("softmetal: class %s: %w", class, objcsoft.ErrUnknown))
	}
	return f.RT.NewObject(k, payload)
}
