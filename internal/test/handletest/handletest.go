// Package handletest calls what a package exports with nil and zero handles: nil pointers and
// zero values. Nothing may panic or block, and what can return an error does.
package handletest

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// Package is what the package in the test's folder exports.
type Package struct {
	// Handles are one usable value of each type of handle. Their methods are called, and other nil
	// and zero values of their types are passed to every parameter that takes them.
	Handles []any
	// Foreign are those of Handles that belong to another package: only passed as arguments.
	Foreign []any
	// Values are usable arguments of other types. Parameters of any other type get zero values.
	Values []any
	// Functions are the package's functions by name; generic ones are instantiated. The functions
	// that are not here must be in Without.
	Functions map[string]any
	// Without are functions and types that take or are no handles.
	Without []string
	// Optional are parameters that may be nil: "UploadAsync 4", the first of them is 0.
	Optional []string
	// Ends are the methods that change what a handle does, such as "Stream.Close": they are called
	// for nil and zero handles, but not for usable ones.
	Ends []string
	// Err is what errors for missing handles wrap; nil if any error will do.
	Err error
	// Before is called before each call; it may be nil.
	Before func()
}

// call is one call of a function.
type call struct {
	name, how string
	fn        reflect.Value
	in        []reflect.Value
	// want says that an error that wraps Package.Err is due if the function returns one, and
	// that other results are zero.
	want bool
}

// checker checks a package.
type checker struct {
	t     *testing.T
	p     Package
	live  map[reflect.Type]reflect.Value
	late  <-chan time.Time // nil without a deadline
	calls int
}

// Check makes the calls.
func Check(t *testing.T, p Package) {
	t.Helper()
	c := &checker{t: t, p: p, live: map[reflect.Type]reflect.Value{}}
	if end, ok := t.Deadline(); ok {
		// Half of what is left is more than any busy machine needs, and leaves time to say which
		// call it was.
		late := time.NewTimer(time.Until(end) / 2)
		defer late.Stop()
		c.late = late.C
	}
	for _, v := range slices.Concat(p.Values, p.Handles) {
		c.live[reflect.TypeOf(v)] = reflect.ValueOf(v)
	}
	ctx := reflect.TypeFor[context.Context]()
	c.live[ctx] = reflect.ValueOf(t.Context()).Convert(ctx)
	covered := map[string]bool{}
	for _, h := range p.Handles {
		typ := reflect.TypeOf(h)
		if slices.ContainsFunc(p.Foreign, func(f any) bool { return reflect.TypeOf(f) == typ }) {
			continue
		}
		name := nameOf(typ)
		for i := range typ.NumMethod() {
			method := name + "." + typ.Method(i).Name
			covered[method] = true
			for how, receiver := range missing(typ) {
				c.receiver(method, how, receiver.Method(i))
			}
			if !slices.Contains(p.Ends, method) {
				c.arguments(method, reflect.ValueOf(h).Method(i))
			}
		}
	}
	for name, fn := range p.Functions {
		covered[name] = true
		c.arguments(name, reflect.ValueOf(fn))
	}
	for _, name := range exported(t) {
		typ, _, _ := strings.Cut(name, ".")
		if !covered[name] && !slices.Contains(p.Without, name) && !slices.Contains(p.Without, typ) {
			t.Errorf("%s: add it, or the type of its receiver, to the lists", name)
		}
	}
	if c.calls == 0 {
		t.Error("nothing was called")
	}
}

// missing returns the values of a handle's type that nobody made, by what they are.
func missing(typ reflect.Type) map[string]reflect.Value {
	if typ.Kind() != reflect.Pointer {
		return map[string]reflect.Value{"zero": reflect.Zero(typ)}
	}
	return map[string]reflect.Value{"nil": reflect.Zero(typ), "zero": reflect.New(typ.Elem())}
}

// receiver calls a method of a missing handle, with usable arguments and with zero ones.
func (c *checker) receiver(name, how string, fn reflect.Value) {
	in := c.usable(fn.Type())
	c.call(call{name, "a " + how + " receiver", fn, in, true})
	for i, v := range in {
		if v.Type() != reflect.TypeFor[context.Context]() {
			in[i] = reflect.Zero(v.Type())
		}
	}
	c.call(call{name, "a " + how + " receiver and zero arguments", fn, in, true})
}

// arguments calls a function or method with one argument after another that is missing, or of
// another kind and zero.
func (c *checker) arguments(name string, fn reflect.Value) {
	typ := fn.Type()
	usable := c.usable(typ)
	for i := range typ.NumIn() {
		optional := slices.Contains(c.p.Optional, fmt.Sprint(name, " ", i))
		for _, v := range c.variants(typ.In(i)) {
			in := slices.Clone(usable)
			if typ.IsVariadic() && i == typ.NumIn()-1 {
				for j := range v.value.Len() {
					in = append(in, v.value.Index(j))
				}
			} else {
				in[i] = v.value
			}
			how := fmt.Sprintf("argument %d: %s", i, v.how)
			c.call(call{name, how, fn, in, v.missing && !(optional && strings.HasPrefix(v.how, "nil"))})
		}
	}
}

// variant is an argument that is missing or zero.
type variant struct {
	how     string
	value   reflect.Value
	missing bool // it is, or contains, a handle that nobody made
}

// variants returns the arguments to try for a parameter.
func (c *checker) variants(typ reflect.Type) (all []variant) {
	handle := func(t reflect.Type) bool {
		return slices.ContainsFunc(c.p.Handles, func(h any) bool { return reflect.TypeOf(h) == t })
	}
	switch {
	case handle(typ):
		for how, v := range missing(typ) {
			all = append(all, variant{how, v, true})
		}
	case typ == reflect.TypeFor[context.Context]():
		all = append(all, variant{"nil context", reflect.Zero(typ), true})
	case typ.Kind() == reflect.Interface:
		all = append(all, variant{"nil interface", reflect.Zero(typ), false})
		for _, h := range c.p.Handles {
			if t := reflect.TypeOf(h); t.Implements(typ) {
				for how, v := range missing(t) {
					all = append(all, variant{how + " " + t.String(), v.Convert(typ), typ.NumMethod() > 0})
				}
			}
		}
	case typ.Kind() == reflect.Slice:
		for _, v := range c.variants(typ.Elem()) {
			list := reflect.MakeSlice(typ, 1, 1)
			list.Index(0).Set(v.value)
			all = append(all, variant{"a list of " + v.how, list, v.missing})
		}
		all = append(all, variant{"an empty list", reflect.Zero(typ), false})
	case typ.Kind() == reflect.Map:
		for _, v := range c.variants(typ.Elem()) {
			m := reflect.MakeMap(typ)
			m.SetMapIndex(reflect.Zero(typ.Key()), v.value)
			all = append(all, variant{"a map of " + v.how, m, v.missing})
		}
		all = append(all, variant{"a nil map", reflect.Zero(typ), false})
	case typ.Kind() == reflect.Struct:
		s, holds := reflect.New(typ).Elem(), false
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() && handle(f.Type) && f.Type.Kind() == reflect.Pointer {
				s.Field(i).Set(reflect.New(f.Type.Elem()))
				holds = true
			}
		}
		if holds {
			all = append(all, variant{"a struct of zero handles", s, false})
		}
		all = append(all, variant{"a zero struct", reflect.Zero(typ), false})
	default:
		all = append(all, variant{"a zero " + typ.String(), reflect.Zero(typ), false})
	}
	return all
}

// usable returns usable arguments, without variadic ones.
func (c *checker) usable(fn reflect.Type) []reflect.Value {
	var in []reflect.Value
	for i := range fn.NumIn() {
		typ := fn.In(i)
		v, ok := c.live[typ]
		switch {
		case fn.IsVariadic() && i == fn.NumIn()-1:
			return in
		case ok:
		case typ.Kind() == reflect.Func:
			v = harmless(typ)
		default:
			v = reflect.Zero(typ)
			for _, l := range slices.Concat(c.p.Handles, c.p.Values) {
				if typ.Kind() == reflect.Interface && reflect.TypeOf(l).Implements(typ) {
					v = reflect.ValueOf(l).Convert(typ)
				}
			}
		}
		in = append(in, v)
	}
	return in
}

// harmless returns a function that returns zero values.
func harmless(typ reflect.Type) reflect.Value {
	return reflect.MakeFunc(typ, func([]reflect.Value) (out []reflect.Value) {
		for i := range typ.NumOut() {
			out = append(out, reflect.Zero(typ.Out(i)))
		}
		return out
	})
}

// call makes a call on a goroutine of its own, so that one that blocks is named.
func (c *checker) call(one call) {
	c.t.Helper()
	c.calls++
	if c.p.Before != nil {
		c.p.Before()
	}
	ended := make(chan string, 1)
	var out []reflect.Value
	go func() {
		what := "ended its goroutine"
		defer func() {
			if p := recover(); p != nil {
				what = fmt.Sprintf("panicked: %v\n%s", p, debug.Stack())
			}
			ended <- what
		}()
		out = one.fn.Call(one.in)
		what = ""
	}()
	select {
	case what := <-ended:
		if what != "" {
			c.t.Errorf("%s with %s %s", one.name, one.how, what)
			return
		}
	case <-c.late:
		c.t.Fatalf("%s with %s has not returned", one.name, one.how)
	}
	c.results(one, out)
}

// results checks what a call returned.
func (c *checker) results(one call, out []reflect.Value) {
	c.t.Helper()
	n := len(out)
	fails := n > 0 && out[n-1].Type() == reflect.TypeFor[error]()
	var err error
	if fails {
		err, _ = out[n-1].Interface().(error)
	} else if n > 0 {
		var f interface{ Err() error } // a result that stands for its error
		if f, fails = out[n-1].Interface().(interface{ Err() error }); fails {
			err = f.Err()
		}
	}
	if fails {
		if err != nil && strings.Contains(err.Error(), "PANIC=") {
			c.t.Errorf("%s with %s: the text of the error contains a panic: %v", one.name, one.how, err)
		}
	}
	for i, v := range out {
		switch {
		case v.Kind() == reflect.Func && !v.IsNil() && v.Type().NumIn() == 0: // stop, release, end
			c.call(call{one.name + "'s result", one.how, v, nil, false})
		case c.made(one.name, v):
		case v.Type().Implements(reflect.TypeFor[interface{ Err() error }]()): // it stands for an error too
		case one.want && err != nil && i < n-1 && !v.IsZero():
			c.t.Errorf("%s with %s: result %d is %v beside the error %v", one.name, one.how, i, v, err)
		}
	}
	if one.want && fails && (err == nil || c.p.Err != nil && !errors.Is(err, c.p.Err)) {
		c.t.Errorf("%s with %s: the error is %v, want one that wraps %v", one.name, one.how, err, c.p.Err)
	}
}

// made closes what a constructor made, and reports whether there was something to close.
func (c *checker) made(name string, v reflect.Value) bool {
	_, method, _ := strings.Cut("."+name, ".")
	if i := strings.LastIndex(method, "."); i >= 0 {
		method = method[i+1:]
	}
	constructs := slices.ContainsFunc([]string{"New", "Compile", "Instantiate", "Clone", "Adopt", "View",
		"BufferOf", "TextureOf", "Scatter"},
		func(prefix string) bool { return strings.HasPrefix(method, prefix) })
	if !constructs || v.Kind() != reflect.Pointer || v.IsNil() {
		return false
	}
	switch h := v.Interface().(type) {
	case interface{ Close() }:
		h.Close()
	case interface{ Close(context.Context) error }:
		if err := h.Close(c.t.Context()); err != nil {
			c.t.Errorf("Close of what %s made: %v", name, err)
		}
	case interface{ Wait() error }: // a group
		if err := h.Wait(); err != nil {
			c.t.Errorf("Wait of what %s made: %v", name, err)
		}
	}
	return true
}

// nameOf returns "Buffer" for *Buffer[float32].
func nameOf(typ reflect.Type) string {
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	name, _, _ := strings.Cut(typ.Name(), "[")
	return name
}

// exported lists the package's functions and the methods of its types: "Copy", "Stream.Sync".
func exported(t *testing.T) (all []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			switch {
			case !ok || !fn.Name.IsExported():
			case fn.Recv == nil:
				all = append(all, fn.Name.Name)
			default:
				if typ := receiver(fn.Recv.List[0].Type); ast.IsExported(typ) {
					all = append(all, typ+"."+fn.Name.Name)
				}
			}
		}
	}
	return all
}

// receiver returns "Buffer" for *Buffer[T].
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
