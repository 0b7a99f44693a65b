package recording

import (
	"fmt"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/typeenc"
)

// Method is one bound method, as in the bindings' table.
type Method struct {
	Class, Selector, Encoding       string
	ClassMethod, Retained, Protocol bool
}

// Class is a class or protocol to make; a protocol gets a class of its own that adopts it.
type Class struct {
	Name     string
	Parent   string // superclass, or the protocol that this one includes; may be empty
	Protocol bool
}

// Function is a C function to make.
type Function struct {
	Name, Encoding string
	Retained       bool
}

// Spec lists what a device responds to. Methods of the class NSObject go to all classes.
type Spec struct {
	Prefix    string // before every name
	Framework string
	Classes   []Class
	Methods   []Method
	Functions []Function
	Constants []string
}

// Device records messages. One test uses it at a time.
type Device struct {
	rt   *objcsoft.Runtime
	spec Spec

	mu      sync.Mutex
	reply   func(*Message) Reply
	inspect func(*Message)
	taken   []*Message
}

// New registers the classes and protocols with the runtime, and the framework under its prefixed
// name.
func New(rt *objcsoft.Runtime, spec Spec) (*Device, error) {
	d := &Device{rt: rt, spec: spec, reply: func(*Message) Reply { return Reply{} }}
	if err := rt.RegisterFramework(spec.Prefix+spec.Framework,
		func(*objcsoft.Runtime) error { return d.register() }); err != nil {
		return nil, err
	}
	return d, rt.LoadFramework(spec.Prefix + spec.Framework)
}

// rootName is the superclass of all others, bareName a class that responds to nothing.
const (
	rootName = "Object"
	bareName = "Bare"
)

func (d *Device) register() error {
	instance, class := map[string][]objcsoft.MethodSpec{}, map[string][]objcsoft.MethodSpec{}
	for i := range d.spec.Methods {
		m := &d.spec.Methods[i]
		spec, err := d.method(m)
		if err != nil {
			return err
		}
		owner := m.Class
		if owner == "NSObject" {
			owner = rootName
		}
		if m.ClassMethod {
			class[owner] = append(class[owner], spec)
		} else {
			instance[owner] = append(instance[owner], spec)
		}
	}
	prefixed := func(name string) objcsoft.ClassSpec {
		return objcsoft.ClassSpec{
			Name: d.spec.Prefix + name, Framework: d.spec.Framework, Methods: instance[name], ClassMethods: class[name],
		}
	}
	for _, name := range []string{rootName, bareName} {
		if _, err := d.rt.Register(prefixed(name)); err != nil {
			return err
		}
	}
	done := map[string]bool{}
	for left := d.spec.Classes; len(left) > 0; {
		var later []Class
		for _, c := range left {
			if c.Parent != "" && !done[c.Parent] {
				later = append(later, c)
				continue
			}
			done[c.Name] = true
			spec := prefixed(c.Name)
			spec.Super = d.spec.Prefix + rootName
			if c.Parent != "" {
				spec.Super = d.spec.Prefix + c.Parent
			}
			if c.Protocol {
				var above []string
				if d.rt.Protocol(spec.Super) != nil {
					above = append(above, spec.Super)
				}
				if _, err := d.rt.RegisterProtocol(spec.Name, above...); err != nil {
					return err
				}
				spec.Protocols = []string{spec.Name}
			}
			if _, err := d.rt.Register(spec); err != nil {
				return err
			}
		}
		if len(later) == len(left) {
			return fmt.Errorf("recording: %s and %d more have parents that are not listed", left[0].Name, len(left)-1)
		}
		left = later
	}
	for owner := range instance {
		if owner != rootName && !done[owner] {
			return fmt.Errorf("recording: class %s has methods and is not listed", owner)
		}
	}
	return d.registerRest()
}

func (d *Device) registerRest() error {
	for i := range d.spec.Functions {
		f := &d.spec.Functions[i]
		sig, err := typeenc.ParseFunction(f.Encoding)
		if err != nil {
			return err
		}
		m := &Method{Selector: f.Name, Encoding: f.Encoding, Retained: f.Retained}
		err = d.rt.RegisterFunction(d.spec.Framework, d.spec.Prefix+f.Name, f.Encoding, func(args, ret []uintptr) {
			copy(ret, d.answer(m, sig.Ret, sig.Args, args, nil))
		})
		if err != nil {
			return err
		}
	}
	for _, name := range d.spec.Constants {
		if err := d.rt.RegisterConstantString(d.spec.Framework, d.spec.Prefix+name, ConstantText(name)); err != nil {
			return err
		}
	}
	return nil
}

// ConstantText is the value of the NSString constant called name.
func ConstantText(name string) string { return "the constant " + name }

func (d *Device) method(m *Method) (objcsoft.MethodSpec, error) {
	sig, err := typeenc.ParseMethod(m.Encoding)
	if err != nil {
		return objcsoft.MethodSpec{}, fmt.Errorf("recording: -[%s %s]: %w", m.Class, m.Selector, err)
	}
	return objcsoft.MethodSpec{Sel: m.Selector, Enc: m.Encoding, Imp: func(c *objcsoft.Call) {
		c.ReturnWords(d.answer(m, sig.Ret, sig.Args[2:], c.Args, c)...)
	}}, nil
}

// Runtime returns the runtime that the device is registered with.
func (d *Device) Runtime() *objcsoft.Runtime { return d.rt }

// Class returns the device's class of that name, nil when it has none; "" is the class above all
// others.
func (d *Device) Class(name string) *objcsoft.Class {
	if name == "" {
		name = rootName
	}
	return d.rt.Class(d.spec.Prefix + name)
}

// Object makes an instance with a count of one.
func (d *Device) Object(class string) (objcsoft.ID, error) {
	c := d.Class(class)
	if c == nil {
		return 0, fmt.Errorf("recording: class %s: %w", class, objcsoft.ErrUnknown)
	}
	return d.rt.NewObject(c, nil), nil
}

// Bare makes an object that responds to none of the bound selectors, with a count of one.
func (d *Device) Bare() objcsoft.ID { return d.rt.NewObject(d.Class(bareName), nil) }

// ClassName returns the name of an object's class without the device's prefix.
func (d *Device) ClassName(id objcsoft.ID) string {
	c := d.rt.ClassOf(id)
	if c == nil {
		return ""
	}
	return strings.TrimPrefix(c.Name, d.spec.Prefix)
}

// Expect discards the messages recorded so far and sets the reply to the next ones. inspect, if not
// nil, runs inside each message, while the memory that its arguments point to is still valid.
func (d *Device) Expect(reply Reply, inspect func(*Message)) {
	d.ExpectMany(func(*Message) Reply { return reply }, inspect)
}

// ExpectMany is Expect for calls that send several messages: reply chooses the answer to each.
func (d *Device) ExpectMany(reply func(*Message) Reply, inspect func(*Message)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reply, d.inspect, d.taken = reply, inspect, nil
}

// Messages returns the messages recorded since Expect.
func (d *Device) Messages() []*Message {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.taken
}
