//go:build (darwin || linux) && (amd64 || arm64)

package objc

import (
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"unsafe"

	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc/internal/ccall"
)

// appleClasses holds the classes of [NewClass]. Callbacks cannot be freed and are limited, so all
// methods with the same encoding share one, which finds the method by the receiver's class and the
// selector.
type appleClasses struct {
	sync.Mutex
	functions appleClassFunctions
	byClass   map[uintptr]map[uintptr]*goMethod // by class and selector
	values    map[uintptr]appleValue            // by the instance's address
	callbacks map[string]uintptr                // by encoding
	dealloc   uintptr                           // the callback for -dealloc
}

// appleClassFunctions are C functions that only [NewClass] needs.
type appleClassFunctions struct {
	allocate, register, addMethod, addProtocol uintptr
}

type appleValue struct {
	class *GoClass
	value any
}

func (t *appleClasses) open(a *appleRuntime) error {
	f := &t.functions
	for _, s := range []struct {
		name string
		to   *uintptr
	}{
		{"objc_allocateClassPair", &f.allocate}, {"objc_registerClassPair", &f.register},
		{"class_addMethod", &f.addMethod}, {"class_addProtocol", &f.addProtocol},
	} {
		var err error
		if *s.to, err = a.load.symbol(a.libobjc, s.name); err != nil {
			return fmt.Errorf("%s: %w: %w", s.name, err, ErrDriver)
		}
	}
	t.byClass, t.values = map[uintptr]map[uintptr]*goMethod{}, map[uintptr]appleValue{}
	t.callbacks = map[string]uintptr{}
	t.dealloc = a.load.callback(func(self, cmd uintptr) uintptr { return a.deallocInstance(self, cmd) })
	return nil
}

func (a *appleRuntime) registerClass(c *GoClass, spec ClassSpec, methods []*goMethod) error {
	t := &a.goClasses
	t.Lock()
	defer t.Unlock()
	if t.byClass == nil {
		if err := t.open(a); err != nil {
			return err
		}
	}
	root, ok := a.class("NSObject")
	if !ok {
		return fmt.Errorf("class NSObject %w", ErrNotFound)
	}
	super, err := a.handles.address(root)
	if err != nil {
		return err
	}
	protocols := make([]uintptr, len(spec.Protocols))
	for i, name := range spec.Protocols {
		if protocols[i] = a.cstringCall(a.getProtocol, name); protocols[i] == 0 {
			return fmt.Errorf("protocol %s %w", name, ErrNotFound)
		}
	}
	selectors := map[uintptr]*goMethod{}
	callbacks := make([]uintptr, len(methods))
	for i, m := range methods {
		sel, err := a.selector(m.spec.Selector)
		if err != nil {
			return err
		}
		selectors[sel] = m
		if callbacks[i], err = a.methodCallback(m); err != nil {
			return fmt.Errorf("%s: %w", m.spec.Selector, err)
		}
	}
	name := append([]byte(spec.Name), 0)
	class := ccall.CallC(t.functions.allocate, super, Slice(name), 0)
	runtime.KeepAlive(name)
	if class == 0 {
		return ErrDuplicate
	}
	for _, p := range protocols {
		ccall.CallC(t.functions.addProtocol, class, p)
	}
	add := func(selector, encoding string, imp uintptr) error {
		sel, err := a.selector(selector)
		if err != nil {
			return err
		}
		text := append([]byte(encoding), 0)
		ok := ccall.CallC(t.functions.addMethod, class, sel, imp, Slice(text))
		runtime.KeepAlive(text)
		if ok&0xff == 0 {
			return fmt.Errorf("%s was not added", selector)
		}
		return nil
	}
	for i, m := range methods {
		encoding := m.spec.Encoding
		if runtime.GOARCH == "amd64" {
			encoding = typeenc.ForAMD64(encoding)
		}
		if err := add(m.spec.Selector, encoding, callbacks[i]); err != nil {
			return err
		}
	}
	if err := add("dealloc", "v@:", t.dealloc); err != nil {
		return err
	}
	ccall.CallC(t.functions.register, class)
	t.byClass[class] = selectors
	if c.class, _, err = a.handles.intern(class, holdPinned, a.classOf); err != nil {
		return err
	}
	c.make = func(value any) (ID, error) { return a.newInstance(c, value) }
	c.valueOf = func(id ID) (any, bool) {
		ptr, err := a.handles.address(id)
		if err != nil {
			return nil, false
		}
		t.Lock()
		defer t.Unlock()
		v, ok := t.values[ptr]
		return v.value, ok && v.class == c
	}
	return nil
}

func (a *appleRuntime) newInstance(c *GoClass, value any) (ID, error) {
	id := ID(classNew.Call(c.class))
	if id == 0 {
		return 0, ErrNil
	}
	ptr, err := a.handles.address(id)
	if err != nil {
		return 0, err
	}
	a.goClasses.Lock()
	defer a.goClasses.Unlock()
	a.goClasses.values[ptr] = appleValue{c, value}
	return id, nil
}

// deallocInstance is -dealloc: it forgets the value and goes on as NSObject does.
func (a *appleRuntime) deallocInstance(self, cmd uintptr) uintptr {
	a.goClasses.Lock()
	delete(a.goClasses.values, self)
	a.goClasses.Unlock()
	root, ok := a.class("NSObject")
	if !ok {
		return 0
	}
	super, err := a.handles.address(root)
	if err != nil {
		report("dealloc", err)
		return 0
	}
	ccall.CallC(ccall.CallC(a.classImp, super, cmd), self, cmd)
	return 0
}

// methodCallback returns the C function for methods with m's encoding.
func (a *appleRuntime) methodCallback(m *goMethod) (uintptr, error) {
	t := &a.goClasses
	if f := t.callbacks[m.spec.Encoding]; f != 0 {
		return f, nil
	}
	word := reflect.TypeFor[uintptr]()
	in := []reflect.Type{word, word}
	for i, arg := range m.sig.Args[2:] {
		typ, err := callbackType(arg)
		if err != nil {
			return 0, fmt.Errorf("argument %d: %w", i, err)
		}
		in = append(in, typ)
	}
	var out []reflect.Type
	if m.sig.Ret.Kind != typeenc.Void {
		typ, err := callbackType(m.sig.Ret)
		if err != nil {
			return 0, fmt.Errorf("result: %w", err)
		}
		if m.sig.Ret.IsFloat() { // a structure of one float is returned as the float is
			typ = reflect.StructOf([]reflect.StructField{{Name: "F", Type: typ}})
		}
		out = append(out, typ)
	}
	fn := reflect.MakeFunc(reflect.FuncOf(in, out, false), func(args []reflect.Value) []reflect.Value {
		self, cmd := uintptr(args[0].Uint()), uintptr(args[1].Uint())
		ret := a.runMethod(self, cmd, args[2:])
		if len(out) == 0 {
			return nil
		}
		v := reflect.New(out[0])
		copyImage(v.UnsafePointer(), unsafe.Pointer(unsafe.SliceData(ret)), out[0].Size(), uintptr(len(ret))*8)
		return []reflect.Value{v.Elem()}
	})
	f := a.load.callback(fn.Interface())
	t.callbacks[m.spec.Encoding] = f
	return f, nil
}

// runMethod is called by every callback, on any thread.
func (a *appleRuntime) runMethod(self, cmd uintptr, values []reflect.Value) []uintptr {
	t := &a.goClasses
	t.Lock()
	m := t.byClass[a.classOf(self)][cmd]
	v := t.values[self]
	t.Unlock()
	if m == nil {
		report("method of a Go class", ErrUnrecognized)
		return []uintptr{0, 0, 0, 0}
	}
	p := pushPool()
	defer p.drain()
	args := make([]uintptr, 0, m.words)
	for i, arg := range m.sig.Args[2:] {
		at := len(args)
		args = append(args, make([]uintptr, typeenc.Words(arg))...)
		image := reflect.New(values[i].Type())
		image.Elem().Set(values[i])
		copyImage(unsafe.Pointer(&args[at]), image.UnsafePointer(), uintptr(len(args)-at)*8, values[i].Type().Size())
		if arg.IsAggregate() || arg.IsFloat() {
			continue
		}
		args[at] = narrow(args[at], arg)
		if isObject(arg.Kind) && args[at] != 0 {
			id, err := a.borrow(args[at])
			if err != nil {
				report(m.name, err)
			}
			args[at] = uintptr(id)
		}
	}
	ret := make([]uintptr, max(1, m.retWords))
	object, err := a.borrow(self)
	if err != nil {
		report(m.name, err)
	}
	m.call(object, v.value, args, ret)
	if isObject(m.sig.Ret.Kind) && ret[0] != 0 {
		ptr, err := a.handles.address(ID(ret[0]))
		switch {
		case err != nil:
			report(m.name, err)
		case m.retained:
			ccall.CallC(a.retain, ptr) // the caller's reference, for the program's
			Release(ID(ret[0]))
		default:
			p.promote(ID(ret[0])) // it may be autoreleased
		}
		ret[0] = ptr
	}
	return ret
}

// callbackType is the Go type of an argument or result of a callback.
func callbackType(t typeenc.Type) (reflect.Type, error) {
	switch t.Kind {
	case typeenc.Float:
		return reflect.TypeFor[float32](), nil
	case typeenc.Double:
		return reflect.TypeFor[float64](), nil
	case typeenc.Bool, typeenc.Uint8:
		return reflect.TypeFor[uint8](), nil
	case typeenc.Int8:
		return reflect.TypeFor[int8](), nil
	case typeenc.Int16:
		return reflect.TypeFor[int16](), nil
	case typeenc.Uint16:
		return reflect.TypeFor[uint16](), nil
	case typeenc.Int32:
		return reflect.TypeFor[int32](), nil
	case typeenc.Uint32:
		return reflect.TypeFor[uint32](), nil
	case typeenc.Struct:
		var fields []reflect.StructField
		for i, f := range t.Fields {
			typ, err := callbackType(f)
			if err != nil {
				return nil, err
			}
			fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: typ})
		}
		if typ := reflect.StructOf(fields); int(typ.Size()) == t.Size {
			return typ, nil
		}
	case typeenc.Array:
		elem, err := callbackType(*t.Elem)
		if err != nil {
			return nil, err
		}
		return reflect.ArrayOf(t.Len, elem), nil
	}
	if t.IsAggregate() || t.Size > 8 {
		return nil, fmt.Errorf("%v cannot be passed to a Go function", t)
	}
	return reflect.TypeFor[uintptr](), nil
}
