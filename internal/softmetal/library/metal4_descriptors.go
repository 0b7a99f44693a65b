package library

import (
	"context"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

func compiler4DescriptorClasses() []adapter.Class {
	copying := []string{"NSCopying"}
	pipeline := adapter.Properties{{Name: "label", Copied: true}, {Name: "options", Copied: true}}
	return []adapter.Class{
		{Name: "MTL4CompilerDescriptor", Protocols: copying,
			Properties: adapter.Properties{{Name: "label", Copied: true}, {Name: "pipelineDataSetSerializer"}}},
		{Name: "MTL4CompilerTaskOptions", Protocols: copying,
			Properties: adapter.Properties{{Name: "lookupArchives", Copied: true}}},
		{Name: "MTL4PipelineDataSetSerializerDescriptor", Protocols: copying,
			Properties: adapter.Properties{{Name: "configuration"}}},
		{Name: "MTL4LibraryDescriptor", Protocols: copying, Properties: adapter.Properties{{Name: "source", Copied: true},
			{Name: "options", Copied: true}, {Name: "name", Copied: true}}},
		{Name: "MTL4BinaryFunctionDescriptor", Protocols: copying,
			Properties: adapter.Properties{{Name: "name", Copied: true}, {Name: "functionDescriptor", Copied: true},
				{Name: "options"}}},
		{Name: "MTL4FunctionDescriptor", Protocols: copying, Properties: adapter.Properties{}},
		{Name: "MTL4LibraryFunctionDescriptor", Super: "MTL4FunctionDescriptor",
			Properties: adapter.Properties{{Name: "name", Copied: true}, {Name: "library"}}},
		{Name: "MTL4SpecializedFunctionDescriptor", Super: "MTL4FunctionDescriptor",
			Properties: adapter.Properties{{Name: "functionDescriptor", Copied: true}, {Name: "specializedName", Copied: true},
				{Name: "constantValues", Copied: true}}},
		{Name: "MTL4StitchedFunctionDescriptor", Super: "MTL4FunctionDescriptor",
			Properties: adapter.Properties{{Name: "functionGraph", Copied: true}, {Name: "functionDescriptors", Copied: true}}},
		{Name: "MTL4PipelineOptions", Protocols: copying,
			Properties: adapter.Properties{{Name: "shaderValidation"}, {Name: "shaderReflection"}}},
		{Name: "MTL4PipelineDescriptor", Protocols: copying, Properties: pipeline},
		{Name: "MTL4ComputePipelineDescriptor", Super: "MTL4PipelineDescriptor",
			Methods: adapter.Methods{"reset": adapter.Method((*adapter.Record).Reset)}, Properties: adapter.Properties{
				{Name: "computeFunctionDescriptor", Copied: true}, {Name: "threadGroupSizeIsMultipleOfThreadExecutionWidth"},
				{Name: "maxTotalThreadsPerThreadgroup"},
				{Name: "requiredThreadsPerThreadgroup"}, {Name: "supportBinaryLinking"},
				{Name: "staticLinkingDescriptor", Copied: true}, {Name: "supportIndirectCommandBuffers"},
			}},
		{Name: "MTL4StaticLinkingDescriptor", Protocols: copying,
			Properties: adapter.Properties{{Name: "functionDescriptors", Copied: true},
				{Name: "privateFunctionDescriptors", Copied: true}, {Name: "groups", Copied: true}}},
		{Name: "MTL4PipelineStageDynamicLinkingDescriptor", Protocols: copying,
			Properties: adapter.Properties{{Name: "maxCallStackDepth", Value: 1},
				{Name: "binaryLinkedFunctions", Copied: true}, {Name: "preloadedLibraries", Copied: true}}},
	}
}

// function4 is a function that a Metal 4 descriptor describes, or why there is none.
type function4 struct {
	name  string
	fn    *shader.Function
	fault *shader.Error
}

// function4Of reads an MTL4FunctionDescriptor. An error is misuse.
func function4Of(d *device.Device, rt *objcsoft.Runtime, id objcsoft.ID) (f function4, err error) {
	r, ok := adapter.PayloadOf[*adapter.Record](rt, id)
	if !ok {
		return f, errorf("the function descriptor is nil")
	}
	var values *shader.Values
	special := ""
	switch rt.ClassOf(id).Name {
	case "MTL4StitchedFunctionDescriptor":
		f.fault = libraryError(shader.Unsupported, errorf(noStitching))
		return f, nil
	case "MTL4SpecializedFunctionDescriptor":
		if v, ok := adapter.PayloadOf[*constantValues](rt, r.ID("constantValues")); ok {
			values = v.clone()
		}
		if special, err = rt.GoString(r.ID("specializedName")); err != nil {
			return f, err
		}
		if r, ok = adapter.PayloadOf[*adapter.Record](rt, r.ID("functionDescriptor")); !ok {
			return f, errorf("the specialized function descriptor's functionDescriptor is nil")
		}
	}
	if !r.Has("library") {
		return f, errorf("the function descriptor is none of a library's function")
	}
	l, ok := adapter.PayloadOf[*library](rt, r.ID("library"))
	if !ok || l.dev != d {
		return f, errorf("the function descriptor's library is nil or of another device")
	}
	if f.name, err = rt.GoString(r.ID("name")); err != nil {
		return f, err
	}
	f.fn, f.fault = l.lib.Specialize(context.Background(), f.name, values)
	if special != "" {
		f.name = special
	}
	return f, nil
}

// binaryFunctionArg reads an MTL4BinaryFunctionDescriptor.
func binaryFunctionArg(d *device.Device, c *objcsoft.Call, arg int) (function4, bool) {
	r := adapter.RecordArg(c, arg, "the descriptor")
	if r == nil {
		return function4{}, false
	}
	f, err := function4Of(d, c.RT, r.ID("functionDescriptor"))
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return f, false
	}
	name, err := c.RT.GoString(r.ID("name"))
	if err != nil {
		c.Fail(err)
		return f, false
	}
	if name != "" {
		f.name = name
	}
	return f, true
}

// pipeline4Arg reads an MTL4ComputePipelineDescriptor and, where linking is not negative, what is
// linked dynamically.
func pipeline4Arg(d *device.Device, c *objcsoft.Call, arg, linking int) (s pipelineSpec, ok bool) {
	r := adapter.RecordArg(c, arg, "the descriptor")
	if r == nil {
		return s, false
	}
	f, err := function4Of(d, c.RT, r.ID("computeFunctionDescriptor"))
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return s, false
	}
	s.fault = f.fault
	s.Function = f.fn
	if f.fn != nil && f.fn.Type != shader.Kernel {
		adapter.Misuse(c, "function '%s' is of type %d, not a kernel", f.name, f.fn.Type)
		return s, false
	}
	if n := r.Uint("maxTotalThreadsPerThreadgroup"); n > limits.MaxThreads {
		adapter.Misuse(c, "maxTotalThreadsPerThreadgroup is %d, more than %d", n, limits.MaxThreads)
		return s, false
	}
	s.MaxThreads = int(r.Uint("maxTotalThreadsPerThreadgroup"))
	s.MultipleOfWidth = r.Bool("threadGroupSizeIsMultipleOfThreadExecutionWidth")
	s.Indirect = r.Uint("supportIndirectCommandBuffers") == metal.MTL4IndirectCommandBufferSupportStateEnabled
	s.AddFunctions = r.Bool("supportBinaryLinking")
	for i, w := range r.Words("requiredThreadsPerThreadgroup") {
		s.Required[i] = int(w)
	}
	if o, ok := adapter.PayloadOf[*adapter.Record](c.RT, r.ID("options")); ok {
		s.Validation = int(o.Uint("shaderValidation"))
		s.options = o.Uint("shaderReflection") // the values are those of MTLPipelineOption
	}
	if s.Label, err = c.RT.GoString(r.ID("label")); err != nil {
		c.Fail(err)
		return s, false
	}
	if err := link4(d, c.RT, r, &s); err != nil {
		adapter.Misuse(c, "%v", err)
		return s, false
	}
	if linking >= 0 {
		if err := dynamicLink4(c.RT, c.ID(linking), &s); err != nil {
			adapter.Misuse(c, "%v", err)
			return s, false
		}
	}
	return s, true
}

// link4 adds the functions that a pipeline's static linking descriptor lists.
func link4(d *device.Device, rt *objcsoft.Runtime, r *adapter.Record, s *pipelineSpec) error {
	l, ok := adapter.PayloadOf[*adapter.Record](rt, r.ID("staticLinkingDescriptor"))
	if !ok {
		return nil
	}
	for _, name := range []string{"functionDescriptors", "privateFunctionDescriptors"} {
		ids, err := rt.ArrayItems(l.ID(name))
		if err != nil {
			return err
		}
		for _, id := range ids {
			f, err := function4Of(d, rt, id)
			if err != nil {
				return err
			}
			if s.fault == nil {
				s.fault = f.fault
			}
			s.Linked = append(s.Linked, f.fn)
		}
	}
	return nil
}

// dynamicLink4 adds the functions that a dynamic linking descriptor lists; nil lists none.
func dynamicLink4(rt *objcsoft.Runtime, id objcsoft.ID, s *pipelineSpec) error {
	r, ok := adapter.PayloadOf[*adapter.Record](rt, id)
	if !ok {
		return nil
	}
	if list, err := rt.ArrayItems(r.ID("preloadedLibraries")); err != nil || len(list) > 0 {
		s.fault = libraryError(shader.Unsupported, errorf("preloadedLibraries: %s", noDynamic))
	}
	list, err := adapter.Payloads[*binaryFunction4](rt, r.ID("binaryLinkedFunctions"))
	for _, f := range list {
		s.Linked = append(s.Linked, f.fn)
	}
	return err
}
