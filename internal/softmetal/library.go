package softmetal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

// library is the state of an MTLLibrary.
type library struct {
	adapter.Label
	dev *device
	lib *shader.Library
}

func libraryClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newLibraryWithSource:options:error:":                 adapter.Method((*device).newLibraryWithSource),
			"newLibraryWithSource:options:completionHandler:":     adapter.Method((*device).newLibraryWithSourceAsync),
			"newLibraryWithData:error:":                           adapter.Method((*device).newLibraryWithData),
			"newLibraryWithURL:error:":                            adapter.Method((*device).newLibraryWithURL),
			"newLibraryWithFile:error:":                           adapter.Method((*device).newLibraryWithFile),
			"newDefaultLibrary":                                   adapter.Method((*device).newDefaultLibrary),
			"newDefaultLibraryWithBundle:error:":                  adapter.Method((*device).newDefaultLibraryWithBundle),
			"newLibraryWithStitchedDescriptor:error:":             adapter.Method((*device).newStitchedLibrary),
			"newLibraryWithStitchedDescriptor:completionHandler:": adapter.Method((*device).newStitchedLibraryAsync),
			"newDynamicLibrary:error:":                            adapter.Method((*device).newDynamicLibrary),
			"newDynamicLibraryWithURL:error:":                     adapter.Method((*device).newDynamicLibrary),
		}},
		{Name: "PMSoftLibrary", Protocols: []string{"MTLLibrary"}, Methods: adapter.WithLabel[*library](adapter.Methods{
			"device":        adapter.Method(func(l *library, c *objcsoft.Call) { c.ReturnID(l.dev.id) }),
			"functionNames": adapter.Method(func(l *library, c *objcsoft.Call) { c.ReturnAutoreleased(c.RT.NewStrings(l.lib.Names())) }),
			"type": adapter.Method(func(l *library, c *objcsoft.Call) {
				if l.lib.Options.Dynamic {
					c.ReturnInt(mtlLibraryTypeDynamic)
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

// newError makes an NSError of a shader error, +1; 0 for none.
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
	return &shader.Error{Domain: libraryErrorDomain, Code: code, Text: err.Error()}
}

// compile is what the methods that take source share: the library, +1 or nil, and the error or the warnings, +1 or nil.
func (d *device) compile(rt *objcsoft.Runtime, source string, options shader.Options) (lib, err objcsoft.ID) {
	l, fault := shader.Compile(context.Background(), source, options)
	if fault != nil {
		return 0, newError(rt, fault)
	}
	if l.Warnings != "" {
		err = rt.NewError(libraryErrorDomain, shader.CompileWarning, l.Warnings, 0)
	}
	return d.newLibrary(l), err
}

// newLibrary makes an MTLLibrary, +1.
func (d *device) newLibrary(l *shader.Library) objcsoft.ID {
	return d.driver.New("PMSoftLibrary", &library{dev: d, lib: l})
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

func (d *device) newLibraryWithSource(c *objcsoft.Call) {
	source, options, fault := sourceArgs(c)
	if c.Failed() {
		return
	}
	if fault != nil {
		refuseError(c, 2, fault)
		return
	}
	lib, err := d.compile(c.RT, source, options)
	c.StoreError(2, err)
	c.ReturnID(lib)
}

func (d *device) newLibraryWithSourceAsync(c *objcsoft.Call) {
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
		lib, err := d.compile(rt, source, options)
		adapter.Complete(rt, block, lib, err)
	}, block)
}

// returnLibrary sets the result of a method whose last argument is an NSError **.
func (d *device) returnLibrary(c *objcsoft.Call, out int, l *shader.Library, err *shader.Error) {
	if err != nil {
		refuseError(c, out, err)
		return
	}
	c.ReturnID(d.newLibrary(l))
}

// newLibraryWithData reads a dispatch_data_t, which is toll-free bridged with NSData.
func (d *device) newLibraryWithData(c *objcsoft.Call) {
	data, err := c.RT.GoBytes(c.ID(0))
	if err != nil {
		c.Fail(err)
		return
	}
	l, fault := shader.Decode(context.Background(), data)
	d.returnLibrary(c, 1, l, fault)
}

func (d *device) newLibraryWithURL(c *objcsoft.Call) {
	path, ok := pathArg(c, 0)
	if !ok {
		return
	}
	l, err := readLibrary(path)
	d.returnLibrary(c, 1, l, err)
}

func (d *device) newLibraryWithFile(c *objcsoft.Call) {
	path, err := c.RT.GoString(c.ID(0))
	if err != nil {
		c.Fail(err)
		return
	}
	l, fault := readLibrary(path)
	d.returnLibrary(c, 1, l, fault)
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
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, libraryError(shader.FileNotFound, err)
	}
	if err != nil {
		return nil, libraryError(shader.Internal, err)
	}
	return shader.Decode(context.Background(), data)
}

// defaultLibrary reads default.metallib beside the program, which is where a program that is no bundle has it.
func defaultLibrary() (*shader.Library, *shader.Error) {
	program, err := os.Executable()
	if err != nil {
		return nil, libraryError(shader.FileNotFound, err)
	}
	return readLibrary(filepath.Join(filepath.Dir(program), "default.metallib"))
}

func (d *device) newDefaultLibrary(c *objcsoft.Call) {
	if l, err := defaultLibrary(); err == nil {
		c.ReturnID(d.newLibrary(l))
	}
}

// newDefaultLibraryWithBundle knows one bundle, that of the program: there is no NSBundle.
func (d *device) newDefaultLibraryWithBundle(c *objcsoft.Call) {
	l, err := defaultLibrary()
	d.returnLibrary(c, 1, l, err)
}

const (
	noStitching = "the software device does not make stitched libraries"
	noDynamic   = "the software device has no dynamic libraries"
)

func (d *device) newStitchedLibrary(c *objcsoft.Call) {
	adapter.Refuse(c, 1, libraryErrorDomain, shader.Unsupported, noStitching)
}

func (d *device) newStitchedLibraryAsync(c *objcsoft.Call) {
	block, ok := adapter.HandlerArg(c, 1)
	if !ok {
		return
	}
	adapter.Background(c, func(rt *objcsoft.Runtime) {
		adapter.Complete(rt, block, 0, rt.NewError(libraryErrorDomain, shader.Unsupported, noStitching, 0))
	}, block)
}

func (d *device) newDynamicLibrary(c *objcsoft.Call) {
	adapter.Refuse(c, 1, dynamicLibraryDomain, shader.DynamicUnsupported, noDynamic)
}
