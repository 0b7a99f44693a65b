package objc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/typeenc"
)

// ClassSpec describes a class whose methods are Go functions, for objects that a framework calls
// back: data sources, allocators, delegates. Its superclass is NSObject.
type ClassSpec struct {
	Name string // of the class; each name can be used once in a process

	// Framework declares the protocols that the class adopts. It is loaded first; "" is Foundation.
	Framework string
	Protocols []string

	Methods []MethodSpec

	software SoftwareFramework // as in ClassRef
}

// MethodSpec is an instance method of a [ClassSpec]. A class has the optional methods of its
// protocols that are listed, and no others: respondsToSelector: tells the truth.
type MethodSpec struct {
	Selector string
	Encoding string // "f@:@q", in the form of arm64, as for [Method]

	// Func gets the instance and its value, the words of the arguments after _cmd, and the words
	// of the result to fill in. Floats, structures and objects are passed as [Method] passes them.
	// Objects among the arguments are +0 and valid until Func returns; so is an object result,
	// which may be autoreleased, unless the selector begins with alloc, new, copy or mutableCopy:
	// then it is +1.
	//
	// Func is called on any thread, by several at a time if the framework does so, each time on a
	// goroutine of its own and in an autorelease pool. A panic, or the end of that goroutine, does
	// not cross into Objective-C: the result is zero, and it is reported; see [OnPanic].
	Func func(self ID, value any, args, ret []uintptr)
}

// GoClass is a class made by [NewClass].
type GoClass struct {
	name    string
	class   ID
	make    func(value any) (ID, error)
	valueOf func(ID) (any, bool)
}

// goMethod is a method of a class of ours, ready to be called.
type goMethod struct {
	spec     MethodSpec
	name     string // "-[Weights load]"
	sig      *typeenc.Signature
	words    int // of the arguments
	retWords int
	retained bool // an object result is the caller's
}

// NewClass registers a class. Classes stay until the process ends, so make them once, not for each
// object; [GoClass.New] makes the objects.
func NewClass(spec ClassSpec) (*GoClass, error) {
	d, err := current()
	if err != nil {
		return nil, err
	}
	fail := func(err error) (*GoClass, error) { return nil, fmt.Errorf("objc: new class %s: %w", spec.Name, err) }
	methods := make([]*goMethod, len(spec.Methods))
	for i, m := range spec.Methods {
		if slices.ContainsFunc(spec.Methods[:i], func(o MethodSpec) bool { return o.Selector == m.Selector }) {
			return fail(fmt.Errorf("two methods %s: %w", m.Selector, ErrDuplicate))
		}
		if methods[i], err = newGoMethod(spec.Name, m); err != nil {
			return fail(err)
		}
	}
	if spec.Framework != "" {
		if err := d.openFramework(spec.Framework, spec.software); err != nil {
			return fail(err)
		}
	}
	c := &GoClass{name: spec.Name}
	if d.soft != nil {
		err = c.registerSoft(d.soft, spec, methods)
	} else {
		err = d.apple.registerClass(c, spec, methods)
	}
	if err != nil {
		return fail(err)
	}
	return c, nil
}

func newGoMethod(class string, m MethodSpec) (*goMethod, error) {
	sig, err := typeenc.ParseMethod(m.Encoding)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Selector, err)
	}
	if m.Func == nil {
		return nil, fmt.Errorf("%s has no function: %w", m.Selector, ErrNil)
	}
	return &goMethod{spec: m, name: "-[" + class + " " + m.Selector + "]", sig: sig, words: argWords(sig.Args[2:]),
		retWords: typeenc.Words(sig.Ret), retained: retainedFamily(m.Selector)}, nil
}

// retainedFamily reports whether the name of a method says that its result is +1.
func retainedFamily(selector string) bool {
	for _, family := range [...]string{"alloc", "new", "copy", "mutableCopy", "init"} {
		if typeenc.InFamily(selector, family) {
			return true
		}
	}
	return false
}

// call runs the method. It survives a panic, and the end of the method's goroutine.
func (m *goMethod) call(self ID, value any, args, ret []uintptr) {
	object := strings.HasPrefix(m.spec.Encoding, "@") && len(ret) == 1 && !m.retained
	if !contained(m.name, object, func() uintptr {
		m.spec.Func(self, value, args, ret)
		if object {
			return ret[0]
		}
		return 0
	}) {
		clear(ret)
	}
}

// Name returns the class's name.
func (c *GoClass) Name() string { return c.name }

// Class returns the class as an object.
func (c *GoClass) Class() Class { return Class{c.class} }

// New returns an instance, +1, whose methods get value. The value is forgotten when the last
// reference to the instance is gone, whoever holds it.
func (c *GoClass) New(value any) (ID, error) {
	id, err := c.make(value)
	if err != nil {
		return 0, fmt.Errorf("objc: new %s: %w", c.name, err)
	}
	return id, nil
}

// Value returns the value that an instance was made with; ok is false for other objects and for
// released ones.
func (c *GoClass) Value(id ID) (value any, ok bool) { return c.valueOf(id) }

// goValue is the payload of an instance on the software driver.
type goValue struct {
	class *GoClass
	value any
}

func (c *GoClass) registerSoft(rt *objcsoft.Runtime, spec ClassSpec, methods []*goMethod) error {
	soft := objcsoft.ClassSpec{Name: spec.Name, Framework: "this program", Protocols: spec.Protocols}
	for _, m := range methods {
		imp := func(call *objcsoft.Call) {
			ret := make([]uintptr, m.retWords)
			var value any
			if v, ok := call.Self.Payload.(*goValue); ok {
				value = v.value
			}
			m.call(ID(call.Self.ID()), value, call.Args, ret)
			call.ReturnWords(ret...)
		}
		soft.Methods = append(soft.Methods, objcsoft.MethodSpec{Sel: m.spec.Selector, Enc: m.spec.Encoding, Imp: imp})
	}
	class, err := rt.Register(soft)
	if err != nil {
		return err
	}
	c.class = ID(class.ID())
	c.make = func(value any) (ID, error) { return ID(rt.NewObject(class, &goValue{c, value})), nil }
	c.valueOf = func(id ID) (any, bool) {
		o, err := rt.Object(objcsoft.ID(id))
		if err != nil {
			return nil, false
		}
		v, ok := o.Payload.(*goValue)
		if !ok || v.class != c {
			return nil, false
		}
		return v.value, true
	}
	return nil
}
