package softgraph

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
)

// executable is the payload of an MPSGraphExecutable: what a graph computes for given targets, with
// the types of its feeds. The plans are the graph's.
type executable struct {
	g         *graph // retained
	options   uint64
	feeds     []*tensor
	types     map[*tensor]spec
	targets   []*tensor
	ops       []*operation
	callables map[string]*executable
	called    []objcsoft.ID // the callables' objects, retained
}

// request returns a request for inputs in the order of the feeds.
func (e *executable) request(inputs []*softmps.NDArray) (*request, error) {
	if len(inputs) != len(e.feeds) {
		return nil, fmt.Errorf("%d inputs; the executable has %d feeds", len(inputs), len(e.feeds))
	}
	r := &request{feeds: map[*tensor]*softmps.NDArray{}, targets: e.targets, ops: e.ops}
	for i, t := range e.feeds {
		if s := e.types[t]; !s.fits(inputs[i].View) {
			return nil, fmt.Errorf("input %d is %v%v; the executable was compiled for %v", i, inputs[i].Type,
				inputs[i].Shape, s)
		}
		r.feeds[t] = inputs[i]
	}
	return r, nil
}

// infer returns what is known of the targets for types of the feeds.
func (e *executable) infer(types map[*tensor]spec) ([]spec, error) {
	r := &request{feeds: map[*tensor]*softmps.NDArray{}, targets: e.targets, ops: e.ops}
	for t := range types {
		r.feeds[t] = &softmps.NDArray{}
	}
	order, leaves := needed(r)
	specs := map[*tensor]spec{}
	for _, t := range leaves {
		s, fed := types[t]
		switch {
		case fed:
			specs[t] = s
		case t.op.def.leaf.placeholder:
			return nil, fmt.Errorf("the placeholder %q is not among the feeds", t.op.name)
		default:
			specs[t] = t.spec
		}
	}
	if err := r.infer(order, specs); err != nil {
		return nil, err
	}
	out := make([]spec, len(e.targets))
	for i, t := range e.targets {
		out[i] = specs[t]
	}
	return out, nil
}

// compile checks the executable for types of the feeds. If they are known, and there is no control
// flow, it makes the plan and compiles its kernels, unless later.
func (e *executable) compile(d mtl.Device, types map[*tensor]spec, later bool) error {
	if _, err := e.infer(types); err != nil {
		return err
	}
	r := &request{feeds: map[*tensor]*softmps.NDArray{}, targets: e.targets, ops: e.ops}
	for t, s := range types {
		if !s.known() {
			return nil
		}
		r.feeds[t] = &softmps.NDArray{View: tensorop.Dense(s.typ, s.shape...)}
	}
	order, _ := needed(r)
	if later || slices.ContainsFunc(order, func(op *operation) bool { return op.def.control != nil }) {
		return nil
	}
	c, err := e.g.compiled(r)
	if err != nil || d.IsNil() {
		return err
	}
	return softmps.Encoder(e.g.rt, d).Prepare(c.plan)
}

// compileArgs are the device and the compilation descriptor of a method, and what it compiles.
func (e *executable) compileArgs(a *args, device, descriptor int, types map[*tensor]spec) (func() error, *compilation) {
	d := a.device(device)
	k := a.compilation(descriptor)
	return func() error { return e.compile(d, types, k.later) }, k
}

// compileNow compiles in the call or, if nobody waits for it and a handler is to be called, on
// another goroutine. The handler is called once, also after a mistake.
func (e *executable) compileNow(c *objcsoft.Call, id objcsoft.ID, k *compilation, compile func() error) error {
	tell := func(rt *objcsoft.Runtime, err error) {
		var failure objcsoft.ID
		if err != nil {
			failure = newError(rt, err)
		}
		k.call(rt, id, failure)
	}
	if k.handler == 0 || k.wait {
		err := compile()
		if k.handler != 0 {
			tell(c.RT, err)
		}
		return err
	}
	adapter.Background(c, func(rt *objcsoft.Runtime) { tell(rt, compile()) }, id, k.handler, k.queue)
	return nil
}

// compile answers the method of MPSGraph that makes an executable.
func (g *graph) compileExecutable(c *objcsoft.Call) {
	e := &executable{g: g, options: g.options}
	var compile func() error
	var k *compilation
	err := read(c, g, func(a *args) error {
		e.types, e.targets, e.ops = a.typesArg(1), a.tensors(2), a.operations(3)
		for t := range e.types {
			e.feeds = append(e.feeds, t)
		}
		slices.SortFunc(e.feeds, compareTensors)
		compile, k = e.compileArgs(a, 0, 4, e.types)
		return nil
	})
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	e.callables, e.called = k.callables, k.called
	for i, id := range append([]objcsoft.ID{g.id}, e.called...) {
		if err := c.RT.Retain(id); err != nil {
			adapter.Release(c.RT, append([]objcsoft.ID{g.id}, e.called...)[:i]...)
			c.Fail(err)
			return
		}
	}
	id := c.RT.NewObject(c.RT.Class("MPSGraphExecutable"), e)
	if err := e.compileNow(c, id, k, compile); err != nil {
		adapter.Release(c.RT, id)
		adapter.Misuse(c, "%v", err)
		return
	}
	c.ReturnAutoreleased(id)
}

// typesArg returns a dictionary of tensors and their types.
func (a *args) typesArg(i int) map[*tensor]spec {
	out := map[*tensor]spec{}
	keys, values, err := a.c.RT.DictionaryItems(a.c.ID(i))
	if err != nil {
		a.fail("the feeds: %w", err)
	}
	for k := range keys {
		t, ok := adapter.PayloadOf[*tensor](a.c.RT, keys[k])
		s, ok2 := adapter.PayloadOf[*shapedType](a.c.RT, values[k])
		if !ok || !ok2 {
			a.fail("the feeds have an entry that is not a tensor with its shaped type")
			return out
		}
		a.narrow(out, t, s)
	}
	return out
}

// narrow adds the type of a feed, which must be one that the tensor may have.
func (a *args) narrow(out map[*tensor]spec, t *tensor, s *shapedType) {
	was, err := s.spec()
	if err != nil {
		a.fail("the type of a feed: %w", err)
		return
	}
	ok := was.typ == t.typ
	if t.shape != nil && was.shape != nil {
		ok = ok && len(t.shape) == len(was.shape)
		for d := 0; ok && d < len(t.shape); d++ {
			ok = t.shape[d] < 0 || was.shape[d] < 0 || t.shape[d] == was.shape[d]
		}
	}
	if !ok {
		a.fail("the type of the feed of %s %q is %v; the tensor is %v", t.op.kind, t.op.name, was, t.spec)
		return
	}
	if was.shape == nil {
		was.shape = t.shape
	}
	out[t] = was
}

// inputTypes returns an array of types in the order of the feeds.
func (e *executable) inputTypes(a *args, i int) map[*tensor]spec {
	list, err := adapter.Payloads[*shapedType](a.c.RT, a.c.ID(i))
	if err != nil {
		a.fail("the input types: %w", err)
	}
	if err == nil && len(list) != len(e.feeds) {
		a.fail("%d input types; the executable has %d feeds", len(list), len(e.feeds))
	}
	out := map[*tensor]spec{}
	for k, t := range e.feeds {
		a.narrow(out, t, list[k])
		if s := out[t]; s.known() && !e.types[t].fits(tensorop.Dense(s.typ, s.shape...)) {
			a.fail("input type %d is %v; the executable was compiled for %v", k, s, e.types[t])
		}
	}
	return out
}

// device returns an argument that is an MPSGraphDevice or nil.
func (a *args) device(i int) mtl.Device {
	if a.c.ID(i) == 0 {
		return mtl.Device{}
	}
	d, ok := adapter.PayloadOf[*device](a.c.RT, a.c.ID(i))
	if !ok {
		a.fail("argument %d is not a graph device", i)
		return mtl.Device{}
	}
	return d.metal
}

// method answers a method that runs the executable: queue, or a command buffer, inputs, results and
// descriptor are its arguments.
func (e *executable) start(c *objcsoft.Call, async, encodes bool) {
	r := &run{request: &request{}, s: &settings{}, object: c.RT.NewArray,
		x: &execution{g: e.g, callables: e.callables, loops: new(loopBudget)}}
	err := read(c, e.g, func(a *args) error {
		r.s = a.settings(3)
		list, err := adapter.Payloads[*data](c.RT, c.ID(1))
		if err != nil {
			return fmt.Errorf("the inputs: %w", err)
		}
		inputs := make([]*softmps.NDArray, len(list))
		for i, d := range list {
			if err := d.Err(); err != nil {
				return fmt.Errorf("input %d: %w", i, err)
			}
			inputs[i] = d.array
		}
		request, err := e.request(inputs)
		if err != nil {
			return err
		}
		r.request = request
		given, err := c.RT.ArrayItems(c.ID(2))
		if err != nil {
			return fmt.Errorf("the results: %w", err)
		}
		if len(given) != 0 && len(given) != len(e.targets) {
			return fmt.Errorf("data for %d results; the executable has %d targets", len(given), len(e.targets))
		}
		r.give(a, given)
		return arguments{encodes: encodes, async: async}.begin(a, r)
	})
	r.finish(c, err, true)
}

func (e *executable) outputTypes(c *objcsoft.Call) {
	var out []spec
	err := read(c, e.g, func(a *args) (err error) {
		a.device(0)
		a.compilation(2)
		out, err = e.infer(e.inputTypes(a, 1))
		return err
	})
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	adapter.ReturnObjects(c, len(out), func(i int) objcsoft.ID {
		return c.RT.NewObject(c.RT.Class("MPSGraphShapedType"), &shapedType{dataType: softmps.DataType(out[i].typ),
			shape: out[i].shape})
	})
}

func (e *executable) specialize(c *objcsoft.Call) {
	err := read(c, e.g, func(a *args) error {
		compile, k := e.compileArgs(a, 0, 2, e.inputTypes(a, 1))
		return e.compileNow(c, c.Self.ID(), k, compile)
	})
	if err != nil {
		adapter.Misuse(c, "%v", err)
	}
}

// refusePackage refuses packages: their format is not published.
func refusePackage(what string) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		adapter.Misuse(c, "the software device has no %s: their format is not published; compile the graph instead", what)
	}
}

func executableClasses() []adapter.Class {
	type exe = *executable
	start := func(async, encodes bool) objcsoft.Imp {
		return adapter.Method(func(e exe, c *objcsoft.Call) { e.start(c, async, encodes) })
	}
	const rest = ":inputsArray:resultsArray:executionDescriptor:"
	return []adapter.Class{
		{Name: "MPSGraph", Methods: adapter.Methods{
			"compileWithDevice:feeds:targetTensors:targetOperations:compilationDescriptor:": adapter.Method(
				(*graph).compileExecutable),
		}},
		{Name: "MPSGraphExecutable", Super: "MPSGraphObject",
			Dealloc: adapter.DeallocHook(func(e exe, o *objcsoft.Object) { o.Drop(append(e.called, e.g.id)...) }),
			Methods: adapter.Methods{
				"options":                            adapter.Method(func(e exe, c *objcsoft.Call) { c.ReturnUint(e.options) }),
				"setOptions:":                        adapter.Method(func(e exe, c *objcsoft.Call) { e.options = c.Uint(0) }),
				"feedTensors":                        adapter.Method(func(e exe, c *objcsoft.Call) { returnTensors(c, e.feeds) }),
				"targetTensors":                      adapter.Method(func(e exe, c *objcsoft.Call) { returnTensors(c, e.targets) }),
				"runWithMTLCommandQueue" + rest:      start(false, false),
				"runAsyncWithMTLCommandQueue" + rest: start(true, false),
				"encodeToCommandBuffer" + rest:       start(false, true),
				"specializeWithDevice:inputTypes:compilationDescriptor:":     adapter.Method(exe.specialize),
				"getOutputTypesWithDevice:inputTypes:compilationDescriptor:": adapter.Method(exe.outputTypes),
				"serializeToMPSGraphPackageAtURL:descriptor:":                refusePackage("packages of MPSGraph"),
				"initWithMPSGraphPackageAtURL:compilationDescriptor:":        refusePackage("packages of MPSGraph"),
				"initWithCoreMLPackageAtURL:compilationDescriptor:":          refusePackage("packages of Core ML"),
			}},
		executionDescriptorClass("MPSGraphExecutionDescriptor", true),
		executionDescriptorClass("MPSGraphExecutableExecutionDescriptor", false),
		compilationDescriptorClass(),
		{Name: "MPSGraphExecutableSerializationDescriptor", Super: "MPSGraphObject", Properties: adapter.Properties{
			{Name: "append"}, {Name: "deploymentPlatform"}, {Name: "minimumDeploymentTarget", Copied: true}}},
		{Name: "MPSGraphType", Super: "MPSGraphObject", Protocols: []string{"NSCopying"}},
		shapedTypeClass(),
	}
}
