package library

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

// library is the state of an MTLLibrary.
type library struct {
	adapter.Label
	dev *device.Device
	lib *shader.Library
}

func libraryClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newLibraryWithSource:options:error:":                 adapter.Method(newLibraryWithSource),
			"newLibraryWithSource:options:completionHandler:":     adapter.Method(newLibraryWithSourceAsync),
			"newLibraryWithData:error:":                           adapter.Method(newLibraryWithData),
			"newLibraryWithURL:error:":                            adapter.Method(newLibraryWithURL),
			"newLibraryWithFile:error:":                           adapter.Method(newLibraryWithFile),
			"newDefaultLibrary":                                   adapter.Method(newDefaultLibrary),
			"newDefaultLibraryWithBundle:error:":                  adapter.Method(newDefaultLibraryWithBundle),
			"newLibraryWithStitchedDescriptor:error:":             adapter.Method(newStitchedLibrary),
			"newLibraryWithStitchedDescriptor:completionHandler:": adapter.Method(newStitchedLibraryAsync),
			"newDynamicLibrary:error:":                            adapter.Method(newDynamicLibrary),
			"newDynamicLibraryWithURL:error:":                     adapter.Method(newDynamicLibrary),
		}},
		{Name: "PMSoftLibrary", Protocols: []string{"MTLLibrary"}, Methods: adapter.WithLabel[*library](adapter.Methods{
			"device": adapter.Method(func(l *library, c *objcsoft.Call) { c.ReturnID(l.dev.ID) }),
			"functionNames": adapter.Method(func(l *library, c *objcsoft.Call) {
				c.ReturnAutoreleased(c.RT.NewStrings(l.lib.Names()))
			}),
			"type": adapter.Method(func(l *library, c *objcsoft.Call) {
				if l.lib.Options.Dynamic {
					c.ReturnInt(metal.LibraryTypeDynamic)
				}
			}),
			"installName": adapter.Method(func(l *library, c *objcsoft.Call) {
				if l.lib.Options.Dynamic {
					c.ReturnAutoreleased(c.RT.NewString(l.lib.Options.InstallName))
				}
			}),
			"newFunctionWithName:":                                     adapter.Method((*library).newFunction),
			"newFunctionWithName:constantValues:error:":                adapter.Method((*library).newFunctionWithConstants),
			"newFunctionWithName:constantValues:completionHandler:":    adapter.Method((*library).newFunctionWithConstantsAsync),
			"newFunctionWithDescriptor:error:":                         adapter.Method((*library).newFunctionWithDescriptor),
			"newFunctionWithDescriptor:completionHandler:":             adapter.Method((*library).newFunctionWithDescriptorAsync),
			"newIntersectionFunctionWithDescriptor:error:":             adapter.Method((*library).newIntersectionFunction),
			"newIntersectionFunctionWithDescriptor:completionHandler:": adapter.Method((*library).newIntersectionFunctionAsync),
			"reflectionForFunctionWithName:":                           adapter.Method((*library).reflection),
		})},
	}
}

// newError makes an NSError from a shader error, +1; 0 for none.
func newError(rt *objcsoft.Runtime, err *shader.Error) objcsoft.ID {
	if err == nil {
		return 0
	}
	return rt.NewError(err.Domain, int64(err.Code), err.Text, 0)
}

// refuseError is refuse with a shader error.
func refuseError(c *objcsoft.Call, out int, err *shader.Error) {
	c.StoreError(out, newError(c.RT, err))
	c.Return(0)
}

func libraryError(code int, err error) *shader.Error {
	return &shader.Error{Domain: metal.LibraryErrorDomain, Code: code, Text: err.Error()}
}

// compile is shared by the methods that take source. It returns the library, +1 or nil, and the
// error or the warnings, +1 or nil.
func compile(ctx context.Context, d *device.Device, rt *objcsoft.Runtime, source string,
	options shader.Options) (lib, err objcsoft.ID) {
	options.KeepUninitialized = d.Sanitized()
	l, fault := shader.Compile(ctx, source, options)
	if fault != nil {
		return 0, newError(rt, fault)
	}
	if l.Warnings != "" {
		err = rt.NewError(metal.LibraryErrorDomain, shader.CompileWarning, l.Warnings, 0)
	}
	return newLibrary(d, l), err
}

// newLibrary makes an MTLLibrary, +1.
func newLibrary(d *device.Device, l *shader.Library) objcsoft.ID {
	return d.Driver.New("PMSoftLibrary", &library{dev: d, lib: l})
}

// sourceArgs reads the source and the options of a compilation.
func sourceArgs(c *objcsoft.Call) (source string, o shader.Options, fault *shader.Error) {
	if c.ID(0) == 0 {
		adapter.Misuse(c, "source must not be nil")
		return "", o, nil
	}
	source, err := c.RT.GoString(c.ID(0))
	if err != nil {
		c.Fail(err)
		return "", o, nil
	}
	if o, err = compileOptions(c.RT, c.ID(1)); err != nil {
		return "", o, libraryError(shader.Unsupported, err)
	}
	return source, o, nil
}

func newLibraryWithSource(d *device.Device, c *objcsoft.Call) {
	source, options, fault := sourceArgs(c)
	if c.Failed() {
		return
	}
	if fault != nil {
		refuseError(c, 2, fault)
		return
	}
	lib, err := compile(d.CompilationContext(c.Self.ID(), source), d, c.RT, source, options)
	c.StoreError(2, err)
	c.ReturnID(lib)
}

func newLibraryWithSourceAsync(d *device.Device, c *objcsoft.Call) {
	source, options, fault := sourceArgs(c)
	if c.Failed() {
		return
	}
	block, ok := adapter.HandlerArg(c, 2)
	if !ok {
		return
	}
	adapter.Background(c, func(rt *objcsoft.Runtime) {
		if fault != nil {
			adapter.Complete(rt, block, 0, newError(rt, fault))
			return
		}
		lib, err := compile(context.Background(), d, rt, source, options)
		adapter.Complete(rt, block, lib, err)
	}, block)
}

// returnLibrary sets the result of a method whose last argument is an NSError **.
func returnLibrary(d *device.Device, c *objcsoft.Call, out int, l *shader.Library, err *shader.Error) {
	if err != nil {
		refuseError(c, out, err)
		return
	}
	c.ReturnID(newLibrary(d, l))
}

// newLibraryWithData reads a dispatch_data_t, which is toll-free bridged with NSData.
func newLibraryWithData(d *device.Device, c *objcsoft.Call) {
	data, err := c.RT.GoBytes(c.ID(0))
	if err != nil {
		c.Fail(err)
		return
	}
	l, fault := shader.Decode(context.Background(), data)
	returnLibrary(d, c, 1, l, fault)
}

func newLibraryWithURL(d *device.Device, c *objcsoft.Call) {
	path, ok := pathArg(c, 0)
	if !ok {
		return
	}
	l, err := readLibrary(path)
	returnLibrary(d, c, 1, l, err)
}

func newLibraryWithFile(d *device.Device, c *objcsoft.Call) {
	path, err := c.RT.GoString(c.ID(0))
	if err != nil {
		c.Fail(err)
		return
	}
	l, fault := readLibrary(path)
	returnLibrary(d, c, 1, l, fault)
}

// pathArg returns the path of an NSURL argument.
func pathArg(c *objcsoft.Call, arg int) (string, bool) {
	if c.ID(arg) == 0 {
		adapter.Misuse(c, "the URL is nil")
		return "", false
	}
	text, isFile, err := c.RT.GoURL(c.ID(arg))
	if err != nil {
		c.Fail(err)
		return "", false
	}
	if !isFile {
		adapter.Misuse(c, "the URL %q is no file's", text)
		return "", false
	}
	return text, true
}

func readLibrary(path string) (*shader.Library, *shader.Error) {
	data, err := document.Library.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, libraryError(shader.FileNotFound, err)
	}
	if err != nil {
		return nil, libraryError(shader.Internal, err)
	}
	return shader.Decode(context.Background(), data)
}

// defaultLibrary reads default.metallib beside the program, where a program outside a bundle has
// it.
func defaultLibrary() (*shader.Library, *shader.Error) {
	program, err := os.Executable()
	if err != nil {
		return nil, libraryError(shader.FileNotFound, err)
	}
	return readLibrary(filepath.Join(filepath.Dir(program), "default.metallib"))
}

func newDefaultLibrary(d *device.Device, c *objcsoft.Call) {
	if l, err := defaultLibrary(); err == nil {
		c.ReturnID(newLibrary(d, l))
	}
}

// newDefaultLibraryWithBundle supports only the program's own bundle: there is no NSBundle.
func newDefaultLibraryWithBundle(d *device.Device, c *objcsoft.Call) {
	l, err := defaultLibrary()
	returnLibrary(d, c, 1, l, err)
}

const (
	noStitching = "the software device does not make stitched libraries"
	noDynamic   = "the software device has no dynamic libraries"
)

func newStitchedLibrary(d *device.Device, c *objcsoft.Call) {
	adapter.Refuse(c, 1, metal.LibraryErrorDomain, shader.Unsupported, noStitching)
}

func newStitchedLibraryAsync(d *device.Device, c *objcsoft.Call) {
	block, ok := adapter.HandlerArg(c, 1)
	if !ok {
		return
	}
	adapter.Background(c, func(rt *objcsoft.Runtime) {
		adapter.Complete(rt, block, 0, rt.NewError(metal.LibraryErrorDomain, shader.Unsupported, noStitching, 0))
	}, block)
}

func newDynamicLibrary(d *device.Device, c *objcsoft.Call) {
	adapter.Refuse(c, 1, metal.DynamicLibraryDomain, shader.DynamicUnsupported, noDynamic)
}
