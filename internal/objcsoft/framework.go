package objcsoft

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/puremetal/puremetal/internal/typeenc"
)

// framework is a set of classes, functions and constants that is registered on first use.
type framework struct {
	name string
	load func(*Runtime) error
	done bool
	busy bool
	err  error
}

// frameworks holds them by name. Loading is serialized by one reentrant lock, because MPS loads
// Metal.
type frameworks struct {
	mu     sync.Mutex
	byName map[string]*framework

	loading sync.Mutex
	holder  uintptr // goroutine that has loading; guarded by mu

	functions map[string]*Function
	constants map[string]constant
}

type constant struct {
	framework string
	id        ID
}

// RegisterFramework names a framework and how to load it. load registers the
// classes, functions and constants; it is called once, by LoadFramework.
func (rt *Runtime) RegisterFramework(name string, load func(*Runtime) error) error {
	if name == "" || load == nil {
		return fmt.Errorf("objc: framework %q has no name or no load function", name)
	}
	f := &rt.frameworks
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byName[name] != nil {
		return fmt.Errorf("objc: framework %s: %w", name, ErrDuplicate)
	}
	f.byName[name] = &framework{name: name, load: load}
	return nil
}

// LoadFramework loads a framework. Concurrent calls wait; later calls return at once with the same
// result.
func (rt *Runtime) LoadFramework(name string) error {
	f := &rt.frameworks
	f.mu.Lock()
	fw := f.byName[name]
	if fw == nil {
		f.mu.Unlock()
		return fmt.Errorf("objc: framework %s: %w", name, ErrUnknown)
	}
	if fw.done {
		f.mu.Unlock()
		return fw.err
	}
	g := goroutine()
	nested := f.holder == g
	if nested && fw.busy {
		f.mu.Unlock()
		return fmt.Errorf("objc: framework %s is loaded by its own load function", name)
	}
	f.mu.Unlock()

	if !nested {
		f.loading.Lock()
		f.mu.Lock()
		f.holder = g
		f.mu.Unlock()
		defer func() {
			f.mu.Lock()
			f.holder = 0
			f.mu.Unlock()
			f.loading.Unlock()
		}()
	}
	f.mu.Lock()
	if fw.done { // by the previous holder of the lock
		f.mu.Unlock()
		return fw.err
	}
	fw.busy = true
	f.mu.Unlock()

	err := rt.runLoad(fw)

	f.mu.Lock()
	defer f.mu.Unlock()
	fw.busy, fw.done, fw.err = false, true, err
	return err
}

func (rt *Runtime) runLoad(fw *framework) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &PanicError{Value: r, Stack: debug.Stack()}
		}
		if err != nil {
			err = fmt.Errorf("objc: framework %s: %w", fw.name, err)
		}
	}()
	return fw.load(rt)
}

// Function is a C function of a framework.
type Function struct {
	// Name, Framework and Encoding are as registered.
	Name, Framework, Encoding string

	layout *layout
	fn     func(args, ret []uintptr)
}

// RegisterFunction adds a function. fn gets the words of all arguments and room
// for the result's words.
func (rt *Runtime) RegisterFunction(framework, name, enc string, fn func(args, ret []uintptr)) error {
	if name == "" || fn == nil {
		return errors.New("objc: function without a name or code")
	}
	sig, err := typeenc.ParseFunction(enc)
	if err != nil {
		return fmt.Errorf("objc: function %s: encoding %q: %w", name, enc, err)
	}
	l, err := newLayout(enc, sig.Ret, sig.Args)
	if err != nil {
		return fmt.Errorf("objc: function %s: %w", name, err)
	}
	f := &rt.frameworks
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.functions[name] != nil {
		return fmt.Errorf("objc: function %s: %w", name, ErrDuplicate)
	}
	f.functions[name] = &Function{name, framework, enc, l, fn}
	return nil
}

// Function returns a function of a loaded framework, nil when there is none.
func (rt *Runtime) Function(name string) *Function {
	rt.frameworks.mu.Lock()
	defer rt.frameworks.mu.Unlock()
	return rt.frameworks.functions[name]
}

// Call calls the function with the words of its arguments, and stores as many words of the result
// as fit into ret. A panic becomes an error.
func (f *Function) Call(args, ret []uintptr) (err error) {
	clear(ret)
	if len(args) != f.layout.argWords {
		return fmt.Errorf("objc: function %s called with %d words, %q takes %d (at %s): %w", f.Name, len(args), f.Encoding,
			f.layout.argWords, callSite(), ErrEncoding)
	}
	words := append([]uintptr(nil), args...)
	for _, n := range f.layout.narrow {
		words[n.word] = n.how.apply(words[n.word])
	}
	res := make([]uintptr, f.layout.retWords)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("objc: function %s: %w", f.Name, &PanicError{Value: r, Stack: debug.Stack()})
		}
	}()
	f.fn(words, res)
	if len(res) == 1 {
		res[0] = f.layout.narrowRet.apply(res[0])
	}
	copy(ret, res)
	return nil
}

// RegisterConstant adds a constant object, such as an NSString key.
func (rt *Runtime) RegisterConstant(framework, name string, id ID) error {
	if name == "" || rt.table.get(id) == nil {
		return fmt.Errorf("objc: constant %q has no name or no object", name)
	}
	f := &rt.frameworks
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.constants[name]; ok {
		return fmt.Errorf("objc: constant %s: %w", name, ErrDuplicate)
	}
	f.constants[name] = constant{framework, id}
	return nil
}

// RegisterConstantString adds an NSString constant. It is never freed and not
// counted as live.
func (rt *Runtime) RegisterConstantString(framework, name, value string) error {
	return rt.RegisterConstant(framework, name, rt.ConstantString(value))
}

// Constant returns a constant of a loaded framework.
func (rt *Runtime) Constant(name string) (ID, bool) {
	rt.frameworks.mu.Lock()
	defer rt.frameworks.mu.Unlock()
	c, ok := rt.frameworks.constants[name]
	return c.id, ok
}
