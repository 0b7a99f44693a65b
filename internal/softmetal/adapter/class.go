package adapter

import (
	"errors"
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// Methods are the implementations of methods by selector.
type Methods map[string]objcsoft.Imp

// Class describes a class, or adds to one: several entries of one name are one class. One of them
// names the superclass; the protocols and methods of all of them are joined.
type Class struct {
	Name         string
	Super        string   // empty: NSObject
	Protocols    []string // that the class adopts
	Methods      Methods
	ClassMethods Methods
	Properties   Properties             // not nil, but maybe empty, for a plain class
	Alloc        func(*objcsoft.Object) // called for each new object, after the superclass's
	Dealloc      func(*objcsoft.Object) // called before an object is freed

	record *recordSpec // of a plain class
}

// Method makes a method from a Go method whose receiver is the object's payload, as in
// Method((*buffer).length). The call fails if the object has another payload.
func Method[T any](f func(T, *objcsoft.Call)) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		if s, ok := c.Self.Payload.(T); ok {
			f(s, c)
			return
		}
		c.Fail(fmt.Errorf("softmetal: %s is not initialized", c.Self.Class().Name))
	}
}

// DeallocHook makes a Dealloc hook of a Go method whose receiver is the object's payload. It does
// nothing for an object without one, whose creation has failed.
func DeallocHook[T any](f func(T, *objcsoft.Object)) func(*objcsoft.Object) {
	return func(o *objcsoft.Object) {
		if s, ok := o.Payload.(T); ok {
			f(s, o)
		}
	}
}

// Payload returns the payload of an object argument. A payload of another type fails the call. Nil
// is false without a failure.
func Payload[T any](c *objcsoft.Call, arg int) (s T, ok bool) {
	o := c.Object(arg)
	if o == nil {
		return s, false
	}
	if s, ok = o.Payload.(T); !ok {
		Misuse(c, "argument %d is a %s, which is not of this device or not of the kind that the call takes",
			arg, o.Class().Name)
	}
	return s, ok
}

// PayloadOf returns the payload of an object that is not an argument, false if it is nil, freed or
// of another type.
func PayloadOf[T any](rt *objcsoft.Runtime, id objcsoft.ID) (s T, ok bool) {
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

// merge joins the entries of each name, in the order of the first.
func merge(lists ...[]Class) ([]*Class, error) {
	var all []*Class
	byName := map[string]*Class{}
	for _, list := range lists {
		for i := range list {
			c := &list[i]
			have := byName[c.Name]
			if have == nil {
				have = &Class{Name: c.Name, Methods: Methods{}, ClassMethods: Methods{}}
				byName[c.Name] = have
				all = append(all, have)
			}
			if err := have.merge(c); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

func (c *Class) merge(more *Class) error {
	parts := []struct{ to, from Methods }{{c.Methods, more.Methods}, {c.ClassMethods, more.ClassMethods}}
	for _, part := range parts {
		for sel, imp := range part.from {
			if part.to[sel] != nil {
				return fmt.Errorf("softmetal: class %s has the method %s twice", c.Name, sel)
			}
			part.to[sel] = imp
		}
	}
	if more.Super != "" {
		if c.Super != "" && c.Super != more.Super {
			return fmt.Errorf("softmetal: class %s has the superclasses %s and %s", c.Name, c.Super, more.Super)
		}
		c.Super = more.Super
	}
	for _, p := range more.Protocols {
		if !slices.Contains(c.Protocols, p) {
			c.Protocols = append(c.Protocols, p)
		}
	}
	if c.Properties != nil && more.Properties != nil || c.Alloc != nil && more.Alloc != nil ||
		c.Dealloc != nil && more.Dealloc != nil {
		return fmt.Errorf("softmetal: class %s has its properties or hooks twice", c.Name)
	}
	if more.Properties != nil {
		c.Properties = more.Properties
		c.record = &recordSpec{own: more.Properties}
	}
	if more.Alloc != nil {
		c.Alloc = more.Alloc
	}
	if more.Dealloc != nil {
		c.Dealloc = more.Dealloc
	}
	return nil
}

// specs turns Go methods into methods of the runtime.
func (c *Class) specs(f *Framework, m Methods, classMethods bool) ([]objcsoft.MethodSpec, error) {
	var out []objcsoft.MethodSpec
	var errs []error
	for sel, imp := range m {
		enc, err := f.tables.Encoding(f.RT, c, sel, classMethods)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, objcsoft.MethodSpec{Sel: sel, Enc: enc, Imp: imp})
	}
	return out, errors.Join(errs...)
}

// register adds the class to a runtime that has its superclass.
func (c *Class) register(f *Framework) error {
	if c.record != nil {
		if err := c.addProperties(f); err != nil {
			return err
		}
	}
	inst, err := c.specs(f, c.Methods, false)
	if err != nil {
		return err
	}
	for i := range inst {
		if m := &inst[i]; f.MakesObject != nil && f.MakesObject(c.Name, m.Sel) {
			m.Imp = f.Faults.around(m.Imp)
		}
	}
	meta, err := c.specs(f, c.ClassMethods, true)
	if err != nil {
		return err
	}
	_, err = f.RT.Register(objcsoft.ClassSpec{
		Name: c.Name, Super: c.Super, Framework: f.name, Protocols: c.Protocols,
		Methods: inst, ClassMethods: meta, Alloc: c.Alloc, Dealloc: c.Dealloc,
	})
	return err
}

// Payloads returns the payloads of an NSArray's objects.
func Payloads[T any](rt *objcsoft.Runtime, id objcsoft.ID) ([]T, error) {
	ids, err := rt.ArrayItems(id)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	out := make([]T, len(ids))
	for i := range ids {
		s, ok := PayloadOf[T](rt, ids[i])
		if !ok {
			return nil, fmt.Errorf(
				"element %d of the array is not of this device or not of the kind that the call takes", i)
		}
		out[i] = s
	}
	return out, nil
}

// Constantly makes a method that always returns the same number.
func Constantly(v uint64) objcsoft.Imp { return func(c *objcsoft.Call) { c.ReturnUint(v) } }
