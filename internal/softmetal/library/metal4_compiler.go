package library

import (
	"context"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

// compiler4 is the state of an MTL4Compiler.
type compiler4 struct {
	adapter.Label
	dev        *device.Device
	id         objcsoft.ID // its own
	serializer *serializer4
	serialID   objcsoft.ID // retained; 0 for none
}

// compilerTask is the state of an MTL4CompilerTask.
type compilerTask struct {
	compiler objcsoft.ID // retained
	done     chan struct{}
	status   atomic.Int64
}

// binaryFunction4 is the state of an MTL4BinaryFunction.
type binaryFunction4 struct {
	name string
	fn   *shader.Function
}

func compiler4Classes() []adapter.Class {
	m := adapter.Methods{
		"device": adapter.Method(func(k *compiler4, c *objcsoft.Call) { c.ReturnID(k.dev.ID) }),
		"pipelineDataSetSerializer": adapter.Method(func(k *compiler4, c *objcsoft.Call) {
			c.ReturnShared(k.serialID)
		}),
		"newDynamicLibrary:error:":        adapter.Method(refuseDynamic4),
		"newDynamicLibraryWithURL:error:": adapter.Method(refuseDynamic4),
		"newMachineLearningPipelineStateWithDescriptor:error:": adapter.Method(func(_ *compiler4, c *objcsoft.Call) {
			adapter.Refuse(c, 1, metal.LibraryErrorDomain, shader.Unsupported, NoNetworks)
		}),
	}
	for _, j := range compilerJobs {
		m[j.now+"error:"] = adapter.Method(func(k *compiler4, c *objcsoft.Call) {
			if job := j.job(k, c); job != nil {
				id, err := job(c.RT)
				if err != nil {
					refuseError(c, j.args, err)
					return
				}
				c.ReturnID(id)
			}
		})
		m[j.now+"completionHandler:"] = adapter.Method(func(k *compiler4, c *objcsoft.Call) {
			if job := j.job(k, c); job != nil {
				k.start(c, j.args, job)
			}
		})
	}
	for _, sel := range []string{"newDynamicLibrary:", "newDynamicLibraryWithURL:"} {
		m[sel+"completionHandler:"] = adapter.Method(func(k *compiler4, c *objcsoft.Call) {
			k.start(c, 1, func(*objcsoft.Runtime) (objcsoft.ID, *shader.Error) {
				return 0, &shader.Error{Domain: metal.DynamicLibraryDomain, Code: shader.DynamicUnsupported, Text: noDynamic}
			})
		})
	}
	m["newMachineLearningPipelineStateWithDescriptor:completionHandler:"] = adapter.Method(func(k *compiler4,
		c *objcsoft.Call) {
		k.start(c, 1, func(*objcsoft.Runtime) (objcsoft.ID, *shader.Error) {
			return 0, libraryError(shader.Unsupported, errorf(NoNetworks))
		})
	})
	return []adapter.Class{
		{Name: "PMSoftDevice", Methods: adapter.Methods{"newCompilerWithDescriptor:error:": adapter.Method(newCompiler4)}},
		{Name: "PMSoftCompiler4", Protocols: []string{"MTL4Compiler"}, Methods: adapter.WithReadOnlyLabel[*compiler4](m),
			Dealloc: adapter.DeallocHook(func(k *compiler4, o *objcsoft.Object) { o.Drop(k.serialID) })},
		{Name: "PMSoftCompilerTask4", Protocols: []string{"MTL4CompilerTask"}, Methods: adapter.Methods{
			"compiler":           adapter.Method(func(t *compilerTask, c *objcsoft.Call) { c.ReturnShared(t.compiler) }),
			"status":             adapter.Method(func(t *compilerTask, c *objcsoft.Call) { c.ReturnInt(t.status.Load()) }),
			"waitUntilCompleted": adapter.Method(func(t *compilerTask, _ *objcsoft.Call) { <-t.done }),
		}, Dealloc: adapter.DeallocHook(func(t *compilerTask, o *objcsoft.Object) { o.Drop(t.compiler) })},
		{Name: "PMSoftBinaryFunction4", Protocols: []string{"MTL4BinaryFunction"}, Methods: adapter.Methods{
			"name": adapter.Method(func(f *binaryFunction4,
				c *objcsoft.Call) {
				c.ReturnAutoreleased(c.RT.NewString(f.name))
			}),
			"functionType": adapter.Method(func(f *binaryFunction4, c *objcsoft.Call) { c.ReturnUint(uint64(f.fn.Type)) }),
		}},
	}
}

// NoNetworks says why machine-learning methods are rejected.
const NoNetworks = "the software device does not run machine learning networks"

// job makes an object, +1. Its arguments have been read, so it may run in the background.
type job func(rt *objcsoft.Runtime) (objcsoft.ID, *shader.Error)

// compilerJobs are the methods that wait or call a handler: both read the same arguments, which are
// args many, and do the same job. job is nil after the call has failed.
var compilerJobs = [...]struct {
	now  string
	args int
	job  func(k *compiler4, c *objcsoft.Call) job
}{
	{"newLibraryWithDescriptor:", 1, (*compiler4).libraryJob},
	{"newComputePipelineStateWithDescriptor:compilerTaskOptions:", 2,
		func(k *compiler4, c *objcsoft.Call) job { return k.pipelineJob(c, -1) }},
	{"newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:compilerTaskOptions:", 3,
		func(k *compiler4, c *objcsoft.Call) job { return k.pipelineJob(c, 1) }},
	{"newBinaryFunctionWithDescriptor:compilerTaskOptions:", 2, (*compiler4).binaryFunctionJob},
}

func refuseDynamic4(_ *compiler4, c *objcsoft.Call) {
	adapter.Refuse(c, 1, metal.DynamicLibraryDomain, shader.DynamicUnsupported, noDynamic)
}

func newCompiler4(d *device.Device, c *objcsoft.Call) {
	r := adapter.RecordArg(c, 0, "the descriptor")
	if r == nil {
		return
	}
	text, err := c.RT.GoString(r.ID("label"))
	if err != nil {
		c.Fail(err)
		return
	}
	k := &compiler4{dev: d, serialID: r.ID("pipelineDataSetSerializer")}
	k.SetText(text)
	k.serializer, _ = adapter.PayloadOf[*serializer4](c.RT, k.serialID)
	if err := c.RT.Retain(k.serialID); err != nil {
		c.Fail(err)
		return
	}
	k.id = d.Driver.New("PMSoftCompiler4", k)
	c.ReturnID(k.id)
}

// start does a job in the background and returns its task.
func (k *compiler4) start(c *objcsoft.Call, arg int, work job) {
	block, ok := adapter.HandlerArg(c, arg)
	if !ok {
		return
	}
	if err := c.RT.Retain(k.id); err != nil {
		c.Fail(err)
		return
	}
	t := &compilerTask{compiler: k.id, done: make(chan struct{})}
	t.status.Store(metal.MTL4CompilerTaskStatusScheduled)
	id := k.dev.Driver.New("PMSoftCompilerTask4", t)
	adapter.Background(c, func(rt *objcsoft.Runtime) {
		t.status.Store(metal.MTL4CompilerTaskStatusCompiling)
		made, err := work(rt)
		adapter.Complete(rt, block, made, newError(rt, err))
		t.status.Store(metal.MTL4CompilerTaskStatusFinished)
		close(t.done)
	}, block, id)
	c.ReturnID(id)
}

func (k *compiler4) libraryJob(c *objcsoft.Call) job {
	r := adapter.RecordArg(c, 0, "the descriptor")
	if r == nil {
		return nil
	}
	if r.ID("source") == 0 {
		adapter.Misuse(c, "the descriptor's source is nil")
		return nil
	}
	source, err := c.RT.GoString(r.ID("source"))
	var name string
	if err == nil {
		name, err = c.RT.GoString(r.ID("name"))
	}
	if err != nil {
		c.Fail(err)
		return nil
	}
	options, unsupported := compileOptions(c.RT, r.ID("options"))
	return func(rt *objcsoft.Runtime) (objcsoft.ID, *shader.Error) {
		if unsupported != nil {
			return 0, libraryError(shader.Unsupported, unsupported)
		}
		id, err := compile(context.Background(), k.dev, rt, source, options)
		if id == 0 {
			return 0, takeError(rt, err)
		}
		adapter.Release(rt, err) // warnings
		if l, ok := adapter.PayloadOf[*library](rt, id); ok {
			l.SetText(name)
		}
		return id, nil
	}
}

// takeError turns an NSError that compile made back.
func takeError(rt *objcsoft.Runtime, id objcsoft.ID) *shader.Error {
	domain, code, text, _, _ := rt.ErrorInfo(id)
	adapter.Release(rt, id)
	return &shader.Error{Domain: domain, Code: int(code), Text: text}
}

func (k *compiler4) pipelineJob(c *objcsoft.Call, linking int) job {
	s, ok := pipeline4Arg(k.dev, c, 0, linking)
	if !ok {
		return nil
	}
	return func(*objcsoft.Runtime) (objcsoft.ID, *shader.Error) {
		p, id, err := newPipelineState(k.dev, s)
		if err == nil && k.serializer != nil {
			k.serializer.archive.AddPipeline(&p.spec)
		}
		return id, err
	}
}

func (k *compiler4) binaryFunctionJob(c *objcsoft.Call) job {
	f, ok := binaryFunctionArg(k.dev, c, 0)
	if !ok {
		return nil
	}
	return func(*objcsoft.Runtime) (objcsoft.ID, *shader.Error) {
		if f.fault != nil {
			return 0, f.fault
		}
		if f.fn.Type != shader.Visible {
			return 0, libraryError(shader.CompileFailure,
				errorf("function '%s' is not a visible or intersection function", f.fn.Name))
		}
		if k.serializer != nil {
			k.serializer.archive.AddFunction(f.fn)
		}
		return k.dev.Driver.New("PMSoftBinaryFunction4", &binaryFunction4{f.name, f.fn}), nil
	}
}
