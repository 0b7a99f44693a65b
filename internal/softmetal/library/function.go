package library

import (
	"context"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

// function is the state of an MTLFunction.
type function struct {
	adapter.Label
	dev     *device.Device
	fn      *shader.Function
	name    string // the specialized name, where one was given
	options uint64
}

func functionClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "PMSoftFunction", Protocols: []string{"MTLFunction"}, Methods: adapter.WithLabel[*function](adapter.Methods{
			"device": adapter.Method(func(f *function, c *objcsoft.Call) { c.ReturnID(f.dev.ID) }),
			"name": adapter.Method(func(f *function,
				c *objcsoft.Call) {
				c.ReturnAutoreleased(c.RT.NewString(f.name))
			}),
			"functionType": adapter.Method(func(f *function,
				c *objcsoft.Call) {
				c.ReturnUint(uint64(f.fn.Type))
			}),
			"patchType": adapter.Method(func(f *function,
				c *objcsoft.Call) {
				c.ReturnUint(metal.PatchTypeNone)
			}),
			// not a post-tessellation vertex function
			"patchControlPointCount": adapter.Method(func(f *function, c *objcsoft.Call) { c.ReturnInt(-1) }),
			// nil: not a vertex function that can run
			"vertexAttributes": adapter.Method(func(f *function, c *objcsoft.Call) {}),
			// nil: kernels with stage_in do not compile
			"stageInputAttributes":        adapter.Method(func(f *function, c *objcsoft.Call) {}),
			"functionConstantsDictionary": adapter.Method((*function).constantsDictionary),
			"options":                     adapter.Method(func(f *function, c *objcsoft.Call) { c.ReturnUint(f.options) }),
		})},
		{Name: "MTLFunctionConstant", Methods: adapter.Methods{
			"name": adapter.Method(func(k *functionConstant, c *objcsoft.Call) { c.ReturnAutoreleased(c.RT.NewString(k.Name)) }),
			"type": adapter.Method(func(k *functionConstant, c *objcsoft.Call) {
				c.ReturnUint(metalDataType(k.Data))
			}),
			"index":    adapter.Method(func(k *functionConstant, c *objcsoft.Call) { c.ReturnUint(uint64(k.Index)) }),
			"required": adapter.Method(func(k *functionConstant, c *objcsoft.Call) { c.ReturnBool(k.Required) }),
		}},
		{Name: "MTLFunctionDescriptor", Protocols: []string{"NSCopying"},
			ClassMethods: adapter.Methods{"functionDescriptor": adapter.NewAutoreleased("MTLFunctionDescriptor")},
			Properties: adapter.Properties{
				{Name: "name", Copied: true}, {Name: "specializedName", Copied: true}, {Name: "constantValues", Copied: true},
				{Name: "options"}, {Name: "binaryArchives", Copied: true},
			}},
		{Name: "MTLIntersectionFunctionDescriptor", Super: "MTLFunctionDescriptor", Properties: adapter.Properties{}},
	}
}

// functionConstant is the state of an MTLFunctionConstant.
type functionConstant struct{ ir.FunctionConstant }

func newFunction(d *device.Device, f *shader.Function, name string, options uint64) objcsoft.ID {
	if name == "" {
		name = f.Name
	}
	return d.Driver.New("PMSoftFunction", &function{dev: d, fn: f, name: name, options: options})
}

func (l *library) newFunction(c *objcsoft.Call) {
	name, ok := nameArg(c, 0)
	if !ok {
		return
	}
	if f := l.lib.Function(l.dev.CompilationContext(c.Self.ID(), name), name); f != nil {
		c.ReturnID(newFunction(l.dev, f, "", 0))
	}
}

// nameArg returns an NSString argument; nil is misuse.
func nameArg(c *objcsoft.Call, arg int) (string, bool) {
	if c.ID(arg) == 0 {
		adapter.Misuse(c, "name must not be nil")
		return "", false
	}
	s, err := c.RT.GoString(c.ID(arg))
	if err != nil {
		c.Fail(err)
	}
	return s, err == nil
}

// functionSpec describes a requested function.
type functionSpec struct {
	name, specialized string
	values            *shader.Values // nil: no constants are set
	options           uint64
	archives          []*archive
}

// constantsArgs reads a name and constant values.
func constantsArgs(c *objcsoft.Call) (s functionSpec, ok bool) {
	if s.name, ok = nameArg(c, 0); !ok {
		return s, false
	}
	v, ok := adapter.Payload[*constantValues](c, 1)
	if ok {
		s.values = v.clone()
	} else if !c.Failed() {
		adapter.Misuse(c, "constantValues must not be nil")
	}
	return s, ok
}

// descriptorArg reads an MTLFunctionDescriptor.
func descriptorArg(c *objcsoft.Call, arg int) (s functionSpec, ok bool) {
	r := adapter.RecordArg(c, arg, "the descriptor")
	if r == nil {
		return s, false
	}
	s, err := functionSpecOf(c.RT, r)
	if err != nil {
		c.Fail(err)
		return s, false
	}
	if s.name == "" {
		adapter.Misuse(c, "the descriptor's name is nil")
		return s, false
	}
	return s, true
}

func functionSpecOf(rt *objcsoft.Runtime, r *adapter.Record) (s functionSpec, err error) {
	if s.name, err = rt.GoString(r.ID("name")); err != nil {
		return s, err
	}
	if s.specialized, err = rt.GoString(r.ID("specializedName")); err != nil {
		return s, err
	}
	if v, ok := adapter.PayloadOf[*constantValues](rt, r.ID("constantValues")); ok {
		s.values = v.clone()
	}
	s.options = r.Uint("options")
	s.archives, err = adapter.Payloads[*archive](rt, r.ID("binaryArchives"))
	return s, err
}

// make makes the function.
func (l *library) make(ctx context.Context, s functionSpec) (objcsoft.ID, *shader.Error) {
	f, err := l.lib.Specialize(ctx, s.name, s.values)
	if err != nil {
		return 0, err
	}
	if s.options&metal.FunctionOptionFailOnBinaryArchiveMiss != 0 && !inArchives(s.archives,
		func(a *shader.Archive) bool { return a.HasFunction(f) }) {
		return 0, &shader.Error{Domain: metal.LibraryErrorDomain, Code: shader.CompileFailure,
			Text: "function '" + f.Name + "' is in none of the binary archives"}
	}
	return newFunction(l.dev, f, s.specialized, s.options), nil
}

func (l *library) returnFunction(c *objcsoft.Call, out int, s functionSpec) {
	id, err := l.make(l.dev.CompilationContext(c.Self.ID(), s.name), s)
	if err != nil {
		refuseError(c, out, err)
		return
	}
	c.ReturnID(id)
}

// finishFunction makes the function in the background.
func (l *library) finishFunction(c *objcsoft.Call, arg int, s functionSpec) {
	block, ok := adapter.HandlerArg(c, arg)
	if !ok {
		return
	}
	adapter.Background(c, func(rt *objcsoft.Runtime) {
		id, err := l.make(context.Background(), s)
		adapter.Complete(rt, block, id, newError(rt, err))
	}, block)
}

func (l *library) newFunctionWithConstants(c *objcsoft.Call) {
	if s, ok := constantsArgs(c); ok {
		l.returnFunction(c, 2, s)
	}
}

func (l *library) newFunctionWithConstantsAsync(c *objcsoft.Call) {
	if s, ok := constantsArgs(c); ok {
		l.finishFunction(c, 2, s)
	}
}

func (l *library) newFunctionWithDescriptor(c *objcsoft.Call) {
	if s, ok := descriptorArg(c, 0); ok {
		l.returnFunction(c, 1, s)
	}
}

func (l *library) newFunctionWithDescriptorAsync(c *objcsoft.Call) {
	if s, ok := descriptorArg(c, 0); ok {
		l.finishFunction(c, 1, s)
	}
}

const noIntersection = "the software device has no ray tracing: intersection function '%s'"

// newIntersectionFunction finds no function that it could make: the device does no ray tracing.
func (l *library) newIntersectionFunction(c *objcsoft.Call) {
	if s, ok := descriptorArg(c, 0); ok {
		adapter.Refuse(c, 1, metal.LibraryErrorDomain, l.intersectionCode(s), noIntersection, s.name)
	}
}

func (l *library) newIntersectionFunctionAsync(c *objcsoft.Call) {
	s, ok := descriptorArg(c, 0)
	if !ok {
		return
	}
	block, ok := adapter.HandlerArg(c, 1)
	if !ok {
		return
	}
	adapter.Background(c, func(rt *objcsoft.Runtime) {
		adapter.Complete(rt, block, 0, newError(rt, libraryError(int(l.intersectionCode(s)), errorf(noIntersection, s.name))))
	}, block)
}

func (l *library) intersectionCode(s functionSpec) int64 {
	if l.lib.Function(context.Background(), s.name) == nil {
		return shader.FunctionNotFound
	}
	return shader.Unsupported
}

func (f *function) constantsDictionary(c *objcsoft.Call) {
	m := map[string]objcsoft.ID{}
	for _, k := range f.fn.Constants() {
		m[k.Name] = f.dev.Driver.New("MTLFunctionConstant", &functionConstant{k})
	}
	id, err := c.RT.NewDictionary(m)
	for _, k := range m {
		adapter.Release(c.RT, k)
	}
	if err != nil {
		c.Fail(err)
		return
	}
	c.ReturnAutoreleased(id)
}
