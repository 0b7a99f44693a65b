package softmetal

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

// function is the state of an MTLFunction.
type function struct {
	label
	dev     *device
	fn      *shader.Function
	name    string // the specialised name, where one was given
	options uint64
}

func functionClasses() []class {
	return []class{
		{name: "PMSoftFunction", protocols: []string{"MTLFunction"}, methods: withLabel[*function](methods{
			"device":                      on(func(f *function, c *objcsoft.Call) { c.ReturnID(f.dev.id) }),
			"name":                        on(func(f *function, c *objcsoft.Call) { c.ReturnAutoreleased(c.RT.NewString(f.name)) }),
			"functionType":                on(func(f *function, c *objcsoft.Call) { c.ReturnUint(uint64(f.fn.Type)) }),
			"patchType":                   on(func(f *function, c *objcsoft.Call) { c.ReturnUint(mtlPatchTypeNone) }),
			"patchControlPointCount":      on(func(f *function, c *objcsoft.Call) { c.ReturnInt(-1) }), // not a post-tessellation vertex function
			"vertexAttributes":            on(func(f *function, c *objcsoft.Call) {}),                  // nil: not a vertex function that can run
			"stageInputAttributes":        on(func(f *function, c *objcsoft.Call) {}),                  // nil: kernels with stage_in do not compile
			"functionConstantsDictionary": on((*function).constantsDictionary),
			"options":                     on(func(f *function, c *objcsoft.Call) { c.ReturnUint(f.options) }),
		})},
		{name: "MTLFunctionConstant", methods: methods{
			"name": on(func(k *functionConstant, c *objcsoft.Call) { c.ReturnAutoreleased(c.RT.NewString(k.Name)) }),
			"type": on(func(k *functionConstant, c *objcsoft.Call) {
				c.ReturnUint(uint64(msl.DataTypeValue(k.Data)))
			}),
			"index":    on(func(k *functionConstant, c *objcsoft.Call) { c.ReturnUint(uint64(k.Index)) }),
			"required": on(func(k *functionConstant, c *objcsoft.Call) { c.ReturnBool(k.Required) }),
		}},
		{name: "MTLFunctionDescriptor", protocols: []string{"NSCopying"}, record: functionDescriptor,
			classMethods: methods{"functionDescriptor": newAutoreleased("MTLFunctionDescriptor")}},
		{name: "MTLIntersectionFunctionDescriptor", super: "MTLFunctionDescriptor", record: &recordSpec{above: functionDescriptor}},
	}
}

var functionDescriptor = &recordSpec{props: []prop{
	{name: "name", copied: true}, {name: "specializedName", copied: true}, {name: "constantValues", copied: true}, {name: "options"},
	{name: "binaryArchives", copied: true},
}}

// newAutoreleased makes a class method that returns a new object of a class.
func newAutoreleased(class string) objcsoft.Imp {
	return func(c *objcsoft.Call) { c.ReturnAutoreleased(newInstance(c.RT, class)) }
}

// functionConstant is the state of an MTLFunctionConstant.
type functionConstant struct{ ir.FunctionConstant }

func (d *device) newFunction(f *shader.Function, name string, options uint64) objcsoft.ID {
	if name == "" {
		name = f.Name
	}
	return d.world.new("PMSoftFunction", &function{dev: d, fn: f, name: name, options: options})
}

func (l *library) newFunction(c *objcsoft.Call) {
	name, ok := nameArg(c, 0)
	if !ok {
		return
	}
	if f := l.lib.Function(name); f != nil {
		c.ReturnID(l.dev.newFunction(f, "", 0))
	}
}

// nameArg returns an NSString argument; nil is misuse.
func nameArg(c *objcsoft.Call, arg int) (string, bool) {
	if c.ID(arg) == 0 {
		misuse(c, "name must not be nil")
		return "", false
	}
	s, err := c.RT.GoString(c.ID(arg))
	if err != nil {
		c.Fail(err)
	}
	return s, err == nil
}

// functionSpec is a function that is asked for.
type functionSpec struct {
	name, specialised string
	values            *shader.Values // nil: no constants are set
	options           uint64
	archives          []*archive
}

// constantsArgs reads a name and constant values.
func constantsArgs(c *objcsoft.Call) (s functionSpec, ok bool) {
	if s.name, ok = nameArg(c, 0); !ok {
		return s, false
	}
	v, ok := payload[*constantValues](c, 1)
	if ok {
		s.values = v.clone()
	} else if !c.Failed() {
		misuse(c, "constantValues must not be nil")
	}
	return s, ok
}

// descriptorArg reads an MTLFunctionDescriptor.
func descriptorArg(c *objcsoft.Call, arg int) (s functionSpec, ok bool) {
	r := recordArg(c, arg, "the descriptor")
	if r == nil {
		return s, false
	}
	s, err := functionSpecOf(c.RT, r)
	if err != nil {
		c.Fail(err)
		return s, false
	}
	if s.name == "" {
		misuse(c, "the descriptor's name is nil")
		return s, false
	}
	return s, true
}

func functionSpecOf(rt *objcsoft.Runtime, r *record) (s functionSpec, err error) {
	if s.name, err = rt.GoString(r.id("name")); err != nil {
		return s, err
	}
	if s.specialised, err = rt.GoString(r.id("specializedName")); err != nil {
		return s, err
	}
	if v, ok := payloadOf[*constantValues](rt, r.id("constantValues")); ok {
		s.values = v.clone()
	}
	s.options = r.uint("options")
	s.archives, err = payloads[*archive](rt, r.id("binaryArchives"))
	return s, err
}

// payloads returns the states of an array's objects.
func payloads[T any](rt *objcsoft.Runtime, id objcsoft.ID) ([]T, error) {
	ids, err := rt.ArrayItems(id)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	out := make([]T, len(ids))
	for i := range ids {
		s, ok := payloadOf[T](rt, ids[i])
		if !ok {
			return nil, errorf("element %d of the array is not of this device or not of the kind that the call takes", i)
		}
		out[i] = s
	}
	return out, nil
}

// make makes the function.
func (l *library) make(s functionSpec) (objcsoft.ID, *shader.Error) {
	f, err := l.lib.Specialise(s.name, s.values)
	if err != nil {
		return 0, err
	}
	if s.options&mtlFunctionOptionFailOnBinaryArchiveMiss != 0 && !inArchives(s.archives, func(a *shader.Archive) bool { return a.HasFunction(f) }) {
		return 0, &shader.Error{Domain: libraryErrorDomain, Code: shader.CompileFailure, Text: "function '" + f.Name + "' is in none of the binary archives"}
	}
	return l.dev.newFunction(f, s.specialised, s.options), nil
}

func (l *library) returnFunction(c *objcsoft.Call, out int, s functionSpec) {
	id, err := l.make(s)
	if err != nil {
		refuseError(c, out, err)
		return
	}
	c.ReturnID(id)
}

// finishFunction makes the function in the background.
func (l *library) finishFunction(c *objcsoft.Call, arg int, s functionSpec) {
	block, ok := handlerArg(c, arg)
	if !ok {
		return
	}
	background(c, func(rt *objcsoft.Runtime) {
		id, err := l.make(s)
		finish(rt, block, id, newError(rt, err))
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
		refuse(c, 1, libraryErrorDomain, l.intersectionCode(s), noIntersection, s.name)
	}
}

func (l *library) newIntersectionFunctionAsync(c *objcsoft.Call) {
	s, ok := descriptorArg(c, 0)
	if !ok {
		return
	}
	block, ok := handlerArg(c, 1)
	if !ok {
		return
	}
	background(c, func(rt *objcsoft.Runtime) {
		finish(rt, block, 0, newError(rt, libraryError(int(l.intersectionCode(s)), errorf(noIntersection, s.name))))
	}, block)
}

func (l *library) intersectionCode(s functionSpec) int64 {
	if l.lib.Function(s.name) == nil {
		return shader.FunctionNotFound
	}
	return shader.Unsupported
}

func (f *function) constantsDictionary(c *objcsoft.Call) {
	m := map[string]objcsoft.ID{}
	for _, k := range f.fn.Constants() {
		m[k.Name] = f.dev.world.new("MTLFunctionConstant", &functionConstant{k})
	}
	id, err := c.RT.NewDictionary(m)
	for _, k := range m {
		release(c.RT, k)
	}
	if err != nil {
		c.Fail(err)
		return
	}
	c.ReturnAutoreleased(id)
}
