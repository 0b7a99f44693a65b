package mtl

import (
	"strings"

	"github.com/puremetal/puremetal/objc"
)

// NewLibrary compiles Metal source, +1. Zero options mean those of [NewCompileOptions]. Source that
// does not compile is a *[CompileError]. Empty source, or a language version that the running macOS
// does not support, is an error wrapping [ErrArgument]. [CompileOptions.Settings] returns the
// language version and math mode that are used.
//
//	-[MTLDevice newLibraryWithSource:options:error:]
func (o Device) NewLibrary(source string, options CompileOptions) (Library, error) {
	const c = check("-[MTLDevice newLibraryWithSource:options:error:]")
	if err := c.receiver(&zmethods[mDeviceNewLibraryWithSource], o.ID()); err != nil {
		return Library{}, err
	}
	options, s, err := c.compilation(source, options)
	if err != nil {
		return Library{}, err
	}
	defer options.Release()
	l, err := sendDeviceNewLibraryWithSource(o, source, options)
	return l, compileError(err, s)
}

// NewLibraryAsync is NewLibrary in the background. done is called once, on a goroutine of its own,
// with the library, +1, or the error. If NewLibraryAsync itself returns an error, done is not
// called.
//
//	-[MTLDevice newLibraryWithSource:options:completionHandler:]
func (o Device) NewLibraryAsync(source string, options CompileOptions, done func(Library, error)) error {
	const c = check("-[MTLDevice newLibraryWithSource:options:completionHandler:]")
	if err := c.receiver(&zmethods[mDeviceNewLibraryWithSourceCompletionHandler], o.ID()); err != nil {
		return err
	}
	if done == nil {
		return c.fail(ErrNil, "completion function")
	}
	options, s, err := c.compilation(source, options)
	if err != nil {
		return err
	}
	defer options.Release()
	sendDeviceNewLibraryWithSourceCompletionHandler(o, source, options, func(l Library, err error) {
		l, err = handedOver(l, err)
		done(l, compileError(err, s))
	})
	return nil
}

// handedOver returns what a completion function receives: the object, +1, or the error. Compiler
// warnings, which arrive as an error beside the object, are dropped, as in the synchronous
// functions.
func handedOver[T interface {
	IsNil() bool
	Retain()
}](result T, err error) (T, error) {
	if result.IsNil() {
		if err == nil {
			err = objc.ErrNil
		}
		return result, err
	}
	result.Retain()
	return result, nil
}

// compilation checks source and options and returns the options to compile with, +1, and their
// settings.
func (c check) compilation(source string, options CompileOptions) (CompileOptions, CompileSettings, error) {
	if strings.TrimSpace(source) == "" {
		return CompileOptions{}, CompileSettings{}, c.fail(ErrArgument, "the source is empty")
	}
	if strings.IndexByte(source, 0) >= 0 {
		return CompileOptions{}, CompileSettings{},
			c.fail(ErrArgument, "the source has a NUL byte at offset %d", strings.IndexByte(source, 0))
	}
	options, err := c.compileOptions(options)
	if err != nil {
		return CompileOptions{}, CompileSettings{}, err
	}
	s, err := options.Settings()
	if err != nil {
		options.Release()
	}
	return options, s, err
}

// NewLibraryWithFile loads a compiled library (.metallib), +1.
//
//	-[MTLDevice newLibraryWithURL:error:]
func (o Device) NewLibraryWithFile(path string) (Library, error) {
	const c = check("-[MTLDevice newLibraryWithURL:error:]")
	if err := c.receiver(&zmethods[mDeviceNewLibraryWithURL], o.ID()); err != nil {
		return Library{}, err
	}
	if err := c.path(path); err != nil {
		return Library{}, err
	}
	return sendDeviceNewLibraryWithURL(o, path)
}

// path rejects strings that cannot be the path of a file.
func (c check) path(path string) error {
	if path == "" || strings.IndexByte(path, 0) >= 0 {
		return c.fail(ErrArgument, "path %q", path)
	}
	return nil
}

// name rejects an empty name.
func (c check) name(what, name string) error {
	if name == "" {
		return c.fail(ErrArgument, "%s is empty", what)
	}
	return nil
}

// NewLibraryWithData loads a compiled library from memory, +1. The data is copied.
//
//	-[MTLDevice newLibraryWithData:error:]
func (o Device) NewLibraryWithData(data []byte) (Library, error) {
	const c = check("-[MTLDevice newLibraryWithData:error:]")
	if err := c.receiver(&zmethods[mDeviceNewLibraryWithData], o.ID()); err != nil {
		return Library{}, err
	}
	if err := c.atLeast("length in bytes", uint64(len(data)), 1, ErrLength); err != nil {
		return Library{}, err
	}
	return sendDeviceNewLibraryWithData(o, data)
}

// NewDefaultLibrary loads default.metallib from the program's bundle, +1. Go programs seldom have
// one; then the error wraps [ErrState].
//
//	-[MTLDevice newDefaultLibrary]
func (o Device) NewDefaultLibrary() (Library, error) {
	const c = check("-[MTLDevice newDefaultLibrary]")
	if err := c.receiver(&zmethods[mDeviceNewDefaultLibrary], o.ID()); err != nil {
		return Library{}, err
	}
	l := sendDeviceNewDefaultLibrary(o)
	return l, c.made(l.ID(), ErrState, "the program's bundle has no default.metallib")
}

// NewDefaultLibraryWithBundle loads default.metallib from an NSBundle, +1.
//
//	-[MTLDevice newDefaultLibraryWithBundle:error:]
func (o Device) NewDefaultLibraryWithBundle(bundle objc.Object) (Library, error) {
	const c = check("-[MTLDevice newDefaultLibraryWithBundle:error:]")
	if err := c.receiver(&zmethods[mDeviceNewDefaultLibraryWithBundle], o.ID()); err != nil {
		return Library{}, err
	}
	if err := c.object("bundle", bundle.ID()); err != nil {
		return Library{}, err
	}
	return sendDeviceNewDefaultLibraryWithBundle(o, bundle)
}

// NewStitchedLibrary creates a library of functions that are graphs of other functions, +1.
//
//	-[MTLDevice newLibraryWithStitchedDescriptor:error:]
func (o Device) NewStitchedLibrary(descriptor StitchedLibraryDescriptor) (Library, error) {
	const c = check("-[MTLDevice newLibraryWithStitchedDescriptor:error:]")
	if err := c.receiver(&zmethods[mDeviceNewLibraryWithStitchedDescriptor], o.ID()); err != nil {
		return Library{}, err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return Library{}, err
	}
	return sendDeviceNewLibraryWithStitchedDescriptor(o, descriptor)
}

// NewStitchedLibraryAsync is NewStitchedLibrary in the background, under the rules of
// [Device.NewLibraryAsync].
//
//	-[MTLDevice newLibraryWithStitchedDescriptor:completionHandler:]
func (o Device) NewStitchedLibraryAsync(descriptor StitchedLibraryDescriptor, done func(Library, error)) error {
	const c = check("-[MTLDevice newLibraryWithStitchedDescriptor:completionHandler:]")
	if err := c.receiver(&zmethods[mDeviceNewLibraryWithStitchedDescriptorCompletionHandler], o.ID()); err != nil {
		return err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return err
	}
	if done == nil {
		return c.fail(ErrNil, "completion function")
	}
	sendDeviceNewLibraryWithStitchedDescriptorCompletionHandler(o, descriptor,
		func(l Library, err error) { done(handedOver(l, err)) })
	return nil
}
