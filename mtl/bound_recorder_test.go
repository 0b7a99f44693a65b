package mtl

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/objcsoft/recording"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/require"
)

// The bound tests call every generated function and compare the resulting message with the
// declaration. The messages go to a recording device, which exists beside any real one: during a
// test the tables of classes, functions and constants name its classes.

const boundPrefix = "Recording"

// boundRecorder is a test's recording device.
type boundRecorder struct {
	testing.TB
	*recording.Device
	rt  *objcsoft.Runtime
	src *boundSource

	mu     sync.Mutex
	faults []*objc.Fault
	panics []*objc.PanicError
}

var boundDevice = sync.OnceValues(func() (*recording.Device, error) {
	src, err := readBoundSource()
	if err != nil {
		return nil, err
	}
	rt, err := objc.SoftwareRuntime()
	if err != nil {
		return nil, err
	}
	spec := recording.Spec{Prefix: boundPrefix, Framework: "Metal"}
	for _, c := range src.classes {
		rc := recording.Class{Name: c.name, Protocol: c.protocol}
		if c.parent != "" {
			parent := src.classes[c.parent]
			if parent == nil {
				return nil, fmt.Errorf("%s embeds %s, which has no comment that names its Objective-C class", c.goType, c.parent)
			}
			rc.Parent = parent.name
		}
		spec.Classes = append(spec.Classes, rc)
	}
	for i := range zmethods {
		m := &zmethods[i]
		spec.Methods = append(spec.Methods, recording.Method{
			Class: m.Class, Selector: m.Selector, Encoding: m.Encoding, ClassMethod: m.IsClassMethod, Retained: m.Retained,
			Protocol: m.Protocol,
		})
	}
	for i := range zfunctions {
		f := &zfunctions[i]
		spec.Functions = append(spec.Functions, recording.Function{Name: f.Name, Encoding: f.Encoding, Retained: f.Retained})
	}
	for i := range zconstants {
		spec.Constants = append(spec.Constants, zconstants[i].Name)
	}
	return recording.New(rt, spec)
})

func newBoundRecorder(t testing.TB) *boundRecorder {
	t.Helper()
	if d, err := objc.CurrentDriver(); err != nil || d != objc.DriverSoftware {
		t.Skipf("messages are recorded by the software driver; in use is %v (%v)", d, err)
	}
	src, err := readBoundSource()
	require.NoError(t, err)
	dev, err := boundDevice()
	require.NoError(t, err)
	r := &boundRecorder{TB: t, Device: dev, rt: dev.Runtime(), src: src}
	t.Cleanup(redirectBound())
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

// redirectBound makes the tables name the recording device, and returns a function that restores
// them. Entries are replaced as a whole, because they cache what they resolve to.
func redirectBound() (restore func()) {
	rename := func(name func(string) string, framework string) {
		for i := range zclasses {
			c := &zclasses[i]
			*c = objc.ClassRef{Name: name(c.Name), Framework: framework, Since: c.Since}
		}
		for i := range zfunctions {
			f := &zfunctions[i]
			*f = objc.Function{Name: name(f.Name), Framework: framework, Encoding: f.Encoding, Since: f.Since,
				Retained: f.Retained}
		}
		for i := range zconstants {
			c := &zconstants[i]
			*c = objc.Constant{Name: name(c.Name), Framework: framework, Since: c.Since}
		}
	}
	rename(func(s string) string { return boundPrefix + s }, boundPrefix+"Metal")
	return func() { rename(func(s string) string { return strings.TrimPrefix(s, boundPrefix) }, "Metal") }
}

// takeFaults returns the faults since it was last called.
func (r *boundRecorder) takeFaults() []*objc.Fault {
	r.mu.Lock()
	defer r.mu.Unlock()
	fs := r.faults
	r.faults = nil
	return fs
}

func (r *boundRecorder) takePanics() []*objc.PanicError {
	r.mu.Lock()
	defer r.mu.Unlock()
	ps := r.panics
	r.panics = nil
	return ps
}

// wrap makes a wrapper of the type that goType names; "" is objc.Object.
func (r *boundRecorder) wrap(goType string, id objc.ID) reflect.Value {
	if goType == "" {
		return reflect.ValueOf(objc.ObjectFrom(id))
	}
	from, ok := boundTypes[goType]
	if !ok {
		r.Fatalf("%s is not in boundTypes", goType)
	}
	return reflect.ValueOf(from).Call([]reflect.Value{reflect.ValueOf(id)})[0]
}

// object makes an instance, +1, of the class behind a wrapper type.
func (r *boundRecorder) object(goType string) objc.ID {
	class := ""
	if goType != "" {
		class = r.src.classes[goType].name
	}
	id, err := r.Object(class)
	require.NoError(r, err)
	return objc.ID(id)
}

// release releases references and fails the test if one did not exist.
func (r *boundRecorder) release(ids ...objc.ID) {
	for _, id := range ids {
		if err := r.rt.Release(objcsoft.ID(id)); err != nil {
			r.Errorf("release: %v", err)
		}
	}
}

// boundSubject is a generated function with its receiver.
type boundSubject struct {
	*boundFunc
	method *objc.Method // nil for a C function, constant or plain constructor
	recv   objc.ID      // to release; 0 for a function
	fn     reflect.Value
}

// Name returns "Buffer.Length: -[MTLBuffer length]".
func (s *boundSubject) Name() string {
	if s.method == nil {
		return s.String()
	}
	return s.String() + ": " + s.method.Name()
}

// boundSubject finds the Go function, bound to recv where it is a method.
func (r *boundRecorder) subject(f *boundFunc, recv objc.ID) (*boundSubject, error) {
	s := &boundSubject{boundFunc: f, recv: recv}
	if f.table == "zmethods" {
		i, ok := r.src.index[f.entry]
		if !ok || i >= len(zmethods) {
			return nil, fmt.Errorf("%s is no index of zmethods", f.entry)
		}
		s.method = &zmethods[i]
	}
	if f.recv == "" {
		s.fn = reflect.ValueOf(boundFuncs[f.name])
	} else {
		x := r.wrap(f.recv, recv)
		if s.fn = x.MethodByName(f.name); !s.fn.IsValid() {
			s.fn = boundHiddenMethod(f.String(), x.Interface())
		}
	}
	if !s.fn.IsValid() {
		return nil, fmt.Errorf("not found; is %s current?", boundTableFile)
	}
	return s, nil
}

func boundHiddenMethod(name string, x any) reflect.Value {
	for _, part := range boundHidden {
		if find := part[name]; find != nil {
			return reflect.ValueOf(find(x))
		}
	}
	return reflect.Value{}
}

// methods calls f for every generated method that has a receiver and sends a message.
func (r *boundRecorder) methods(f func(*boundFunc)) {
	for _, fn := range r.src.funcs {
		if fn.recv != "" && fn.table == "zmethods" {
			f(fn)
		}
	}
}
