package objc

import (
	"fmt"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/typeenc"
)

// Function describes a C function of a framework. Packages of bindings keep them in static tables;
// the function is looked up at its first use.
type Function struct {
	Name      string
	Framework string
	Encoding  string // result, then arguments: "@" or "v@"
	Since     Version
	Retained  bool              // an object result is +1
	Software  SoftwareFramework // as in ClassRef

	bound atomic.Pointer[functionBinding]
}

type functionBinding struct {
	words int
	call  func(args, ret []uintptr) error
}

// Call calls the function and returns the first word of its result. args may be overwritten.
func (f *Function) Call(args ...uintptr) (uintptr, error) {
	b, err := f.bind()
	if err != nil {
		return 0, err
	}
	if len(args) != b.words {
		return 0, fmt.Errorf("objc: %s: %d argument words given, %q takes %d: %w", f.Name, len(args), f.Encoding, b.words,
			ErrArguments)
	}
	var ret [1]uintptr
	if err := b.call(args, ret[:]); err != nil {
		return 0, fmt.Errorf("objc: %s: %w", f.Name, err)
	}
	return ret[0], nil
}

func (f *Function) bind() (*functionBinding, error) {
	if b := f.bound.Load(); b != nil {
		return b, nil
	}
	d, err := current()
	if err != nil {
		return nil, err
	}
	sig, err := typeenc.ParseFunction(f.Encoding)
	if err != nil {
		return nil, fmt.Errorf("objc: %s: encoding %q: %w", f.Name, f.Encoding, err)
	}
	b := &functionBinding{words: argWords(sig.Args)}
	if b.call, err = d.function(f, sig); err != nil {
		if have := runningVersion(); have != 0 && have < f.Since {
			return nil, &UnavailableError{Name: f.Name, Since: f.Since, Have: have}
		}
		return nil, err
	}
	f.bound.Store(b)
	return b, nil
}

func (d *activeDriver) function(f *Function, sig *typeenc.Signature) (func(args, ret []uintptr) error, error) {
	if d.soft == nil {
		return d.apple.bindFunction(f, sig)
	}
	if err := d.openFramework(f.Framework, f.Software); err != nil {
		return nil, fmt.Errorf("objc: %s: %w", f.Name, err)
	}
	fn := d.soft.Function(f.Name)
	if fn == nil {
		return nil, fmt.Errorf("objc: %s %w in %s.framework", f.Name, ErrNotFound, f.Framework)
	}
	return fn.Call, nil
}

// Constant describes an exported constant of a framework, usually an NSString that names a key, a
// domain or a counter.
type Constant struct {
	Name      string
	Framework string
	Since     Version
	Software  SoftwareFramework // as in ClassRef

	id atomic.Uintptr
}

// ID returns the constant's object, +0. It is never freed.
func (c *Constant) ID() (ID, error) {
	if id := c.id.Load(); id != 0 {
		return ID(id), nil
	}
	d, err := current()
	if err != nil {
		return 0, err
	}
	if err := d.openFramework(c.Framework, c.Software); err != nil {
		return 0, fmt.Errorf("objc: constant %s: %w", c.Name, err)
	}
	id, ok := d.constant(c)
	if !ok {
		if have := runningVersion(); have != 0 && have < c.Since {
			return 0, &UnavailableError{Name: "constant " + c.Name, Since: c.Since, Have: have}
		}
		return 0, fmt.Errorf("objc: constant %s %w in %s.framework", c.Name, ErrNotFound, c.Framework)
	}
	c.id.Store(uintptr(id))
	return id, nil
}

// String returns the value of an NSString constant.
func (c *Constant) String() (string, error) {
	id, err := c.ID()
	if err != nil {
		return "", err
	}
	return GoString(id), nil
}
