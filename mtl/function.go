package mtl

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/objc"
)

// NewFunction returns a function of the library, +1. If the library has none with that name, the
// error wraps [ErrNoFunction] and lists the available names.
//
//	-[MTLLibrary newFunctionWithName:]
func (o Library) NewFunction(name string) (Function, error) {
	const c = check("-[MTLLibrary newFunctionWithName:]")
	if err := c.receiver(&zmethods[mLibraryNewFunctionWithName], o.ID()); err != nil {
		return Function{}, err
	}
	if err := c.name("function name", name); err != nil {
		return Function{}, err
	}
	f := sendLibraryNewFunctionWithName(o, name)
	if f.IsNil() {
		return Function{}, c.missing(name, o, objc.ErrNil)
	}
	return f, nil
}

// NewFunctionWithConstants returns a function of the library, specialized with function constants,
// +1. Errors: [ErrNoFunction] for an unknown name, and an error of the compiler for a value whose
// type differs from the constant's.
//
//	-[MTLLibrary newFunctionWithName:constantValues:error:]
func (o Library) NewFunctionWithConstants(name string, values FunctionConstantValues) (Function, error) {
	const c = check("-[MTLLibrary newFunctionWithName:constantValues:error:]")
	if err := c.receiver(&zmethods[mLibraryNewFunctionWithNameConstantValues], o.ID()); err != nil {
		return Function{}, err
	}
	if err := c.constants(name, values); err != nil {
		return Function{}, err
	}
	f, err := sendLibraryNewFunctionWithNameConstantValues(o, name, values)
	return f, c.missing(name, o, err)
}

// NewFunctionWithConstantsAsync is NewFunctionWithConstants in the background, under the rules of
// [Device.NewLibraryAsync].
//
//	-[MTLLibrary newFunctionWithName:constantValues:completionHandler:]
func (o Library) NewFunctionWithConstantsAsync(name string, values FunctionConstantValues,
	done func(Function, error)) error {
	const c = check("-[MTLLibrary newFunctionWithName:constantValues:completionHandler:]")
	if err := c.receiver(&zmethods[mLibraryNewFunctionWithNameConstantValuesCompletionHandler], o.ID()); err != nil {
		return err
	}
	if err := c.constants(name, values); err != nil {
		return err
	}
	if done == nil {
		return c.fail(ErrNil, "completion function")
	}
	sendLibraryNewFunctionWithNameConstantValuesCompletionHandler(o, name, values, c.functionDone(name, o, done))
	return nil
}

// NewFunctionWithDescriptor returns the function that the descriptor names, +1.
//
//	-[MTLLibrary newFunctionWithDescriptor:error:]
func (o Library) NewFunctionWithDescriptor(descriptor FunctionDescriptor) (Function, error) {
	const c = check("-[MTLLibrary newFunctionWithDescriptor:error:]")
	if err := c.receiver(&zmethods[mLibraryNewFunctionWithDescriptor], o.ID()); err != nil {
		return Function{}, err
	}
	if err := c.functionDescriptor(descriptor); err != nil {
		return Function{}, err
	}
	f, err := sendLibraryNewFunctionWithDescriptor(o, descriptor)
	return f, c.missing(descriptor.Name(), o, err)
}

// NewFunctionWithDescriptorAsync is NewFunctionWithDescriptor in the background, under the rules of
// [Device.NewLibraryAsync].
//
//	-[MTLLibrary newFunctionWithDescriptor:completionHandler:]
func (o Library) NewFunctionWithDescriptorAsync(descriptor FunctionDescriptor, done func(Function, error)) error {
	const c = check("-[MTLLibrary newFunctionWithDescriptor:completionHandler:]")
	if err := c.receiver(&zmethods[mLibraryNewFunctionWithDescriptorCompletionHandler], o.ID()); err != nil {
		return err
	}
	if err := c.functionDescriptor(descriptor); err != nil {
		return err
	}
	if done == nil {
		return c.fail(ErrNil, "completion function")
	}
	sendLibraryNewFunctionWithDescriptorCompletionHandler(o, descriptor, c.functionDone(descriptor.Name(), o, done))
	return nil
}

// NewIntersectionFunction returns the intersection function that the descriptor names, +1.
//
//	-[MTLLibrary newIntersectionFunctionWithDescriptor:error:]
func (o Library) NewIntersectionFunction(descriptor IntersectionFunctionDescriptor) (Function, error) {
	const c = check("-[MTLLibrary newIntersectionFunctionWithDescriptor:error:]")
	if err := c.receiver(&zmethods[mLibraryNewIntersectionFunctionWithDescriptor], o.ID()); err != nil {
		return Function{}, err
	}
	if err := c.functionDescriptor(descriptor.FunctionDescriptor); err != nil {
		return Function{}, err
	}
	f, err := sendLibraryNewIntersectionFunctionWithDescriptor(o, descriptor)
	return f, c.missing(descriptor.Name(), o, err)
}

// NewIntersectionFunctionAsync is NewIntersectionFunction in the background, under the rules of
// [Device.NewLibraryAsync].
//
//	-[MTLLibrary newIntersectionFunctionWithDescriptor:completionHandler:]
func (o Library) NewIntersectionFunctionAsync(descriptor IntersectionFunctionDescriptor,
	done func(Function, error)) error {
	const c = check("-[MTLLibrary newIntersectionFunctionWithDescriptor:completionHandler:]")
	if err := c.receiver(&zmethods[mLibraryNewIntersectionFunctionWithDescriptorCompletionHandler], o.ID()); err != nil {
		return err
	}
	if err := c.functionDescriptor(descriptor.FunctionDescriptor); err != nil {
		return err
	}
	if done == nil {
		return c.fail(ErrNil, "completion function")
	}
	sendLibraryNewIntersectionFunctionWithDescriptorCompletionHandler(o, descriptor, c.functionDone(descriptor.Name(), o,
		done))
	return nil
}

// Reflection returns a description of a function's arguments, +0, without creating the function.
// Since macOS 26.
//
//	-[MTLLibrary reflectionForFunctionWithName:]
func (o Library) Reflection(name string) (FunctionReflection, error) {
	const c = check("-[MTLLibrary reflectionForFunctionWithName:]")
	if err := c.receiver(&zmethods[mLibraryReflectionForFunctionWithName], o.ID()); err != nil {
		return FunctionReflection{}, err
	}
	if err := c.name("function name", name); err != nil {
		return FunctionReflection{}, err
	}
	r, err := sendLibraryReflectionForFunctionWithName(o, name)
	if err == nil && r.IsNil() {
		err = c.missing(name, o, objc.ErrNil)
	}
	return r, err
}

// missing returns an error if Metal returned no function because the library has none with that
// name; err is Metal's own error.
func (c check) missing(name string, l Library, err error) error {
	if err == nil {
		return nil
	}
	var names []string
	objc.Pool(func() { names = l.FunctionNames() })
	if absent := c.named(name, names); absent != nil {
		return fmt.Errorf("%w: %w", absent, err)
	}
	return compileError(err, CompileSettings{})
}

// named checks that a name is among those that a library lists.
func (c check) named(name string, names []string) error {
	if slices.Contains(names, name) {
		return nil
	}
	if len(names) == 0 {
		return c.fail(ErrNoFunction, "%q: the library has no functions", name)
	}
	const most = 32
	more := ""
	if len(names) > most {
		names, more = names[:most], " and more"
	}
	return c.fail(ErrNoFunction, "%q: the library has %q%s", name, names, more)
}

// functionDone wraps a completion function. It keeps the library alive until the completion
// function has been called.
func (c check) functionDone(name string, l Library, done func(Function, error)) func(Function, error) {
	l.Retain()
	return func(f Function, err error) {
		f, err = handedOver(f, err)
		err = c.missing(name, l, err)
		l.Release()
		done(f, err)
	}
}

func (c check) constants(name string, values FunctionConstantValues) error {
	if err := c.object("constant values", values.ID()); err != nil {
		return err
	}
	return c.name("function name", name)
}

func (c check) functionDescriptor(descriptor FunctionDescriptor) error {
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return err
	}
	return c.name("function name", descriptor.Name())
}

// FunctionConstants returns the function's constants by name.
func (o Function) FunctionConstants() map[string]ConstantInfo {
	infos := map[string]ConstantInfo{}
	if o.IsNil() {
		return infos
	}
	objc.Pool(func() {
		for name, k := range o.FunctionConstantsDictionary() {
			infos[name] = ConstantInfo{Type: k.Type(), Index: k.Index(), Required: k.Required()}
		}
	})
	return infos
}

// ConstantInfo describes a function constant.
type ConstantInfo struct {
	Type     DataType
	Index    uint
	Required bool // the function cannot be used without a value
}
