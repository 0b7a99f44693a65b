package bindtest

import (
	"fmt"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/test/recording"
	"github.com/puremetal/puremetal/objc"
)

// Bindings is a package of bindings with its tables. The folder of the running test holds its
// source.
type Bindings struct {
	Package   string // of Go: "mps"
	Framework string // "MetalPerformanceShaders"
	Prefix    string // "MPS", which Go names drop
	Drop      string // a longer prefix that they drop where it occurs: "MPSCNN" in package cnn

	Methods   []objc.Method
	Classes   []objc.ClassRef
	Functions []objc.Function
	Constants []objc.Constant
	// Implementations are the protocols that Go types implement.
	Implementations []*objc.Implementation

	// Reflection does not find these by itself: TestBoundTable of each package lists them in
	// zbound_test.go, see [Table].
	Wrappers []any // BufferFrom, for each wrapper
	Funcs    []any // functions of the package

	// Scalars are the Go types of C types that only this package uses.
	Scalars map[string]string
	// PlainConstants are the C names of constants whose Go names do not follow from them.
	PlainConstants map[string]string

	// Valid are values for parameters of functions that check theirs, by function and parameter.
	Valid map[string]map[string]any
	// Numbers are what arguments answer when a function asks them to check something, by class and
	// selector; a class of another package has its Go name, "mtl.Buffer length".
	Numbers map[string]uint64
	// Objects are the same for objects of other packages: the class of the object that they return.
	Objects map[string]string

	readSource func() (*source, error)
	device     func() (*recording.Device, error)
	shapes     func() (*shapesClass, error)
	replies    map[string]recording.Reply // by class and selector
	once       sync.Once
	wrappers   map[string]reflect.Value // by Go type
	funcs      map[string]reflect.Value // "NewMatrix", "sendMatrixData"
}

// prepare reads what the tests need; every test calls it first.
func (b *Bindings) prepare() {
	b.once.Do(func() {
		b.readSource = sync.OnceValues(func() (*source, error) { return readSource(b) })
		b.device = sync.OnceValues(func() (*recording.Device, error) { return newDevice(b) })
		b.shapes = sync.OnceValues(func() (*shapesClass, error) { return newShapesClass(b) })
		b.wrappers, b.funcs = map[string]reflect.Value{}, map[string]reflect.Value{}
		for _, from := range b.Wrappers {
			v := reflect.ValueOf(from)
			if t := v.Type().Out(0); path.Base(t.PkgPath()) == b.Package { // not an alias of another package's type
				b.wrappers[t.Name()] = v
			}
		}
		for _, f := range b.Funcs {
			v := reflect.ValueOf(f)
			_, name, _ := strings.Cut(path.Base(runtime.FuncForPC(v.Pointer()).Name()), ".")
			b.funcs[name] = v
		}
	})
}

// setValid replaces arguments that a function would refuse.
func (b *Bindings) setValid(f *goFunc, args []reflect.Value) {
	for name, v := range b.Valid[f.String()] {
		i := slices.Index(f.names, name)
		args[i] = reflect.ValueOf(v).Convert(args[i].Type())
	}
}

// typeName is the name of a wrapper type: "Buffer" in its own package, "mtl.Buffer" elsewhere.
func (b *Bindings) typeName(t reflect.Type) string {
	if pkg := path.Base(t.PkgPath()); pkg != b.Package {
		return pkg + "." + t.Name()
	}
	return t.Name()
}

// goName is the Go name of an Objective-C name: MTLBuffer is Buffer, MTL4CommandQueue is
// CommandQueue4, and a name of Metal has its package in front elsewhere.
func (b *Bindings) goName(name string) string {
	if name == b.Prefix { // the class MPSGraph
		return "Graph"
	}
	if rest := b.dropped(name); rest != name && b.Prefix != "MTL" {
		return rest
	}
	for _, prefix := range []string{"MTL", "NS"} {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok || rest == "" {
			continue
		}
		if prefix == "MTL" && rest[0] == '4' {
			rest = rest[1:] + "4"
		}
		if prefix == b.Prefix {
			return rest
		}
		return "mtl." + rest
	}
	return name
}

// dropped is a name without the prefix that Go names drop.
func (b *Bindings) dropped(name string) string {
	if rest, ok := strings.CutPrefix(name, b.Drop); ok && b.Drop != "" && rest != "" && 'A' <= rest[0] && rest[0] <= 'Z' {
		return rest
	}
	return strings.TrimPrefix(name, b.Prefix)
}

// object is the root of all wrappers, which embed it.
var object = reflect.TypeFor[objc.Object]()

// wrapperOf reports whether t is a wrapper; its name is "" for objc.Object.
func (b *Bindings) wrapperOf(t reflect.Type) (name string, ok bool) {
	if t == object {
		return "", true
	}
	if t.Kind() != reflect.Struct || t.NumField() == 0 || !t.Field(0).Anonymous {
		return "", false
	}
	if _, ok := b.wrapperOf(t.Field(0).Type); !ok {
		return "", false
	}
	return b.typeName(t), true
}

// wrapperFor makes a wrapper of a type of any package.
func wrapperFor(t reflect.Type, id objc.ID) reflect.Value {
	v := reflect.New(t).Elem()
	at := v
	for at.Type() != object {
		at = at.Field(0)
	}
	at.Set(reflect.ValueOf(objc.ObjectFrom(id)))
	return v
}

// wrap makes a wrapper of one of the package's own types; "" is objc.Object.
func (b *Bindings) wrap(goType string, id objc.ID) (reflect.Value, error) {
	if goType == "" {
		return reflect.ValueOf(objc.ObjectFrom(id)), nil
	}
	from, ok := b.wrappers[goType]
	if !ok {
		return reflect.Value{}, fmt.Errorf("%s is not among the wrappers of %s", goType, tableFile)
	}
	return from.Call([]reflect.Value{reflect.ValueOf(id)})[0], nil
}
