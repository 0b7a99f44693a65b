package bindtest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/test/recording"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/require"
)

// Prefix is in front of every name on the recording device, which exists beside any real one:
// during a test the tables of classes, functions and constants name its classes.
const Prefix = "Recording"

// Recorder is a test's recording device.
type Recorder struct {
	testing.TB
	*recording.Device
	rt  *objcsoft.Runtime
	b   *Bindings
	src *source

	mu     sync.Mutex
	faults []*objc.Fault
	panics []*objc.PanicError
}

// Runtime returns the software runtime that the device is registered with.
func (r *Recorder) Runtime() *objcsoft.Runtime { return r.rt }

func newDevice(b *Bindings) (*recording.Device, error) {
	src, err := b.readSource()
	if err != nil {
		return nil, err
	}
	rt, err := objc.SoftwareRuntime()
	if err != nil {
		return nil, err
	}
	spec := recording.Spec{Prefix: Prefix, Framework: b.Framework}
	foreign := map[string]bool{} // wrappers of other packages: what matters is which object arrives
	for _, c := range src.classes {
		rc := recording.Class{Name: c.name, Protocol: c.protocol}
		if c.parent != "" {
			parent := src.classes[c.parent]
			switch {
			case parent != nil:
				rc.Parent = parent.name
			case strings.Contains(c.parent, "."):
				foreign[c.parent] = true
				rc.Parent = c.parent
			default:
				return nil, fmt.Errorf("%s embeds %s, which has no comment that names its Objective-C class", c.goType, c.parent)
			}
		}
		spec.Classes = append(spec.Classes, rc)
	}
	for _, name := range b.foreignWrappers() {
		foreign[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(b.Objects)) {
		class, selector, _ := strings.Cut(name, " ")
		spec.Methods = append(spec.Methods, recording.Method{Class: class, Selector: selector, Encoding: "@@:"})
		foreign[b.Objects[name]] = true
	}
	for _, name := range slices.Sorted(maps.Keys(foreign)) {
		spec.Classes = append(spec.Classes, recording.Class{Name: name})
	}
	for _, name := range slices.Sorted(maps.Keys(b.Numbers)) {
		if class, selector, _ := strings.Cut(name, " "); foreign[class] {
			spec.Methods = append(spec.Methods, recording.Method{Class: class, Selector: selector, Encoding: "Q@:"})
		}
	}
	for i := range b.Methods {
		m := &b.Methods[i]
		spec.Methods = append(spec.Methods, recording.Method{
			Class: m.Class, Selector: m.Selector, Encoding: m.Encoding, ClassMethod: m.IsClassMethod, Retained: m.Retained,
			Protocol: m.Protocol,
		})
	}
	if !slices.ContainsFunc(spec.Methods, func(m recording.Method) bool { return m.Selector == "copy" }) {
		// Dictionaries copy their keys.
		spec.Methods = append(spec.Methods,
			recording.Method{Class: "NSObject", Selector: "copy", Encoding: "@@:", Retained: true})
	}
	for i := range b.Functions {
		f := &b.Functions[i]
		spec.Functions = append(spec.Functions, recording.Function{Name: f.Name, Encoding: f.Encoding, Retained: f.Retained})
	}
	for i := range b.Constants {
		spec.Constants = append(spec.Constants, b.Constants[i].Name)
	}
	return recording.New(rt, spec)
}

// foreignWrappers returns the wrappers of other packages among parameters and results.
func (b *Bindings) foreignWrappers() []string {
	found := map[string]bool{}
	seen := map[reflect.Type]bool{}
	var look func(t reflect.Type)
	look = func(t reflect.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		if name, ok := b.wrapperOf(t); ok {
			if strings.Contains(name, ".") {
				found[name] = true
			}
			return
		}
		switch t.Kind() {
		case reflect.Map:
			look(t.Key())
			look(t.Elem())
		case reflect.Slice, reflect.Pointer:
			look(t.Elem())
		case reflect.Func:
			for i := range t.NumIn() {
				look(t.In(i))
			}
			for i := range t.NumOut() {
				look(t.Out(i))
			}
		}
	}
	for _, f := range b.funcs {
		look(f.Type())
	}
	for _, from := range b.wrappers {
		t := from.Type().Out(0)
		for i := range t.NumMethod() {
			look(t.Method(i).Type)
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// NewRecorder returns the recording device of the bindings, or skips the test if another driver
// than the software driver is in use.
func NewRecorder(t testing.TB, b *Bindings) *Recorder {
	t.Helper()
	if d, err := objc.CurrentDriver(); err != nil || d != objc.DriverSoftware {
		t.Skipf("messages are recorded by the software driver; in use is %v (%v)", d, err)
	}
	b.prepare()
	src, err := b.readSource()
	require.NoError(t, err)
	dev, err := b.device()
	require.NoError(t, err)
	r := &Recorder{TB: t, Device: dev, rt: dev.Runtime(), b: b, src: src}
	t.Cleanup(b.redirect(Prefix))
	t.Cleanup(objc.OnFault(func(f *objc.Fault) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.faults = append(r.faults, f)
	}))
	t.Cleanup(objc.OnPanic(func(p *objc.PanicError) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.panics = append(r.panics, p)
	}))
	return r
}

// redirect puts prefix in front of the names in the tables, which makes them name the recording
// device, and returns a function that restores them. Entries are replaced as a whole, because they
// cache what they resolve to.
func (b *Bindings) redirect(prefix string) (restore func()) {
	var undo []func()
	framework := Prefix + b.Framework
	for i := range b.Classes {
		c := &b.Classes[i]
		name, software, old := c.Name, c.Software, c.Framework
		*c = objc.ClassRef{Name: prefix + name, Framework: framework, Since: c.Since}
		undo = append(undo, func() {
			*c = objc.ClassRef{Name: name, Framework: old, Since: c.Since, Software: software}
		})
	}
	for i := range b.Functions {
		f := &b.Functions[i]
		name, software, old := f.Name, f.Software, f.Framework
		*f = objc.Function{Name: prefix + name, Framework: framework, Encoding: f.Encoding, Since: f.Since,
			Retained: f.Retained}
		undo = append(undo, func() {
			*f = objc.Function{Name: name, Framework: old, Encoding: f.Encoding, Since: f.Since, Retained: f.Retained,
				Software: software}
		})
	}
	for i := range b.Constants {
		c := &b.Constants[i]
		name, software, old := c.Name, c.Software, c.Framework
		*c = objc.Constant{Name: prefix + name, Framework: framework, Since: c.Since}
		undo = append(undo, func() {
			*c = objc.Constant{Name: name, Framework: old, Since: c.Since, Software: software}
		})
	}
	return func() {
		for _, f := range undo {
			f()
		}
	}
}

// expect sets the reply to the message of a call. Messages that it sends before, for the lengths of
// its arguments, get small values, and keys of dictionaries are their own copies.
func (r *Recorder) expect(c *invocation, reply recording.Reply, inspect func(*recording.Message)) {
	r.ExpectMany(func(m *recording.Message) recording.Reply {
		switch {
		case c.isOwn(m):
			return reply
		case m.Method.Selector == "copy":
			return recording.Reply{Self: true}
		}
		return r.other(m)
	}, func(m *recording.Message) {
		if inspect != nil && c.isOwn(m) {
			inspect(m)
		}
	})
}

// other is the reply to a message that a call sends to check its arguments.
func (r *Recorder) other(m *recording.Message) recording.Reply {
	name := m.Method.Class + " " + m.Method.Selector
	reply := r.replies()[name]
	reply.Small, reply.Number = true, r.b.Numbers[name]
	if class := r.b.Objects[name]; class != "" {
		reply.Class = class
	}
	return reply
}

// isOwn reports whether a message is the one that a call is there to send.
func (c *invocation) isOwn(m *recording.Message) bool {
	if c.method == nil {
		return true
	}
	return m.Method.Selector == c.method.Selector && m.Method.Class == c.method.Class
}

// messages returns the messages of a call that it is there to send.
func (c *invocation) messages() (list []*recording.Message) {
	for _, m := range c.recorder.Messages() {
		if c.isOwn(m) {
			list = append(list, m)
		}
	}
	return list
}

// takeFaults returns the faults since it was last called.
func (r *Recorder) takeFaults() []*objc.Fault {
	r.mu.Lock()
	defer r.mu.Unlock()
	fs := r.faults
	r.faults = nil
	return fs
}

func (r *Recorder) takePanics() []*objc.PanicError {
	r.mu.Lock()
	defer r.mu.Unlock()
	ps := r.panics
	r.panics = nil
	return ps
}

func (r *Recorder) wrap(goType string, id objc.ID) reflect.Value {
	v, err := r.b.wrap(goType, id)
	if err != nil {
		r.Fatal(err)
	}
	return v
}

// object makes an instance, +1, of the class behind a wrapper type.
func (r *Recorder) object(goType string) objc.ID {
	id, err := r.Object(r.className(goType))
	require.NoError(r, err)
	return objc.ID(id)
}

// className is the name of the recording device's class behind a wrapper type.
func (r *Recorder) className(goType string) string {
	if c := r.src.classes[goType]; c != nil {
		return c.name
	}
	return goType // "", or of another package
}

// Release releases references and fails the test if one did not exist.
func (r *Recorder) Release(ids ...objc.ID) {
	for _, id := range ids {
		if err := r.rt.Release(objcsoft.ID(id)); err != nil {
			r.Errorf("release: %v", err)
		}
	}
}

// subject is a generated function with its receiver.
type subject struct {
	*goFunc
	method *objc.Method // nil for a C function, constant or plain constructor
	recv   objc.ID      // to release; 0 for a function
	fn     reflect.Value
}

// Name returns "Buffer.Length: -[MTLBuffer length]".
func (s *subject) Name() string {
	if s.method == nil {
		return s.String()
	}
	return s.String() + ": " + s.method.Name()
}

// subject finds the Go function, bound to recv where it is a method.
func (r *Recorder) subject(f *goFunc, recv objc.ID) (*subject, error) {
	s := &subject{goFunc: f, recv: recv}
	if f.table == "zmethods" {
		i, ok := r.src.index[f.entry]
		if !ok || i >= len(r.b.Methods) {
			return nil, fmt.Errorf("%s is no index of zmethods", f.entry)
		}
		s.method = &r.b.Methods[i]
	}
	if f.recv == "" {
		s.fn = r.b.funcs[f.name]
	} else {
		x := r.wrap(f.recv, recv)
		if s.fn = x.MethodByName(f.name); !s.fn.IsValid() {
			if hidden := r.b.funcs[f.symbol]; hidden.IsValid() {
				s.fn = withReceiver(hidden, x)
			}
		}
	}
	if !s.fn.IsValid() {
		return nil, fmt.Errorf("not found; is %s current?", tableFile)
	}
	return s, nil
}

// withReceiver binds the first parameter of a method expression.
func withReceiver(f, recv reflect.Value) reflect.Value {
	t := f.Type()
	var in, out []reflect.Type
	for i := 1; i < t.NumIn(); i++ {
		in = append(in, t.In(i))
	}
	for i := range t.NumOut() {
		out = append(out, t.Out(i))
	}
	return reflect.MakeFunc(reflect.FuncOf(in, out, false), func(args []reflect.Value) []reflect.Value {
		return f.Call(append([]reflect.Value{recv}, args...))
	})
}

// methods calls f for every generated method that has a receiver and sends a message.
func (r *Recorder) methods(f func(*goFunc)) {
	for _, fn := range r.src.funcs {
		if fn.recv != "" && fn.table == "zmethods" {
			f(fn)
		}
	}
}
