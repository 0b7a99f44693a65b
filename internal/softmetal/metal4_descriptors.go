package softmetal

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

func compiler4DescriptorClasses() []class {
	copying := []string{"NSCopying"}
	function := &recordSpec{}
	pipeline := &recordSpec{props: []prop{{name: "label", copied: true}, {name: "options", copied: true}}}
	return []class{
		{name: "MTL4CompilerDescriptor", protocols: copying, record: &recordSpec{props: []prop{{name: "label", copied: true}, {name: "pipelineDataSetSerializer"}}}},
		{name: "MTL4CompilerTaskOptions", protocols: copying, record: &recordSpec{props: []prop{{name: "lookupArchives", copied: true}}}},
		{name: "MTL4PipelineDataSetSerializerDescriptor", protocols: copying, record: &recordSpec{props: []prop{{name: "configuration"}}}},
		{name: "MTL4LibraryDescriptor", protocols: copying, record: &recordSpec{props: []prop{{name: "source", copied: true}, {name: "options", copied: true}, {name: "name", copied: true}}}},
		{name: "MTL4BinaryFunctionDescriptor", protocols: copying, record: &recordSpec{props: []prop{{name: "name", copied: true}, {name: "functionDescriptor", copied: true}, {name: "options"}}}},
		{name: "MTL4FunctionDescriptor", protocols: copying, record: function},
		{name: "MTL4LibraryFunctionDescriptor", super: "MTL4FunctionDescriptor", record: &recordSpec{above: function, props: []prop{{name: "name", copied: true}, {name: "library"}}}},
		{name: "MTL4SpecializedFunctionDescriptor", super: "MTL4FunctionDescriptor", record: &recordSpec{above: function,
			props: []prop{{name: "functionDescriptor", copied: true}, {name: "specializedName", copied: true}, {name: "constantValues", copied: true}}}},
		{name: "MTL4StitchedFunctionDescriptor", super: "MTL4FunctionDescriptor", record: &recordSpec{above: function,
			props: []prop{{name: "functionGraph", copied: true}, {name: "functionDescriptors", copied: true}}}},
		{name: "MTL4PipelineOptions", protocols: copying, record: &recordSpec{props: []prop{{name: "shaderValidation"}, {name: "shaderReflection"}}}},
		{name: "MTL4PipelineDescriptor", protocols: copying, record: pipeline},
		{name: "MTL4ComputePipelineDescriptor", super: "MTL4PipelineDescriptor", methods: methods{"reset": on((*record).reset)}, record: &recordSpec{above: pipeline, props: []prop{
			{name: "computeFunctionDescriptor", copied: true}, {name: "threadGroupSizeIsMultipleOfThreadExecutionWidth"}, {name: "maxTotalThreadsPerThreadgroup"},
			{name: "requiredThreadsPerThreadgroup"}, {name: "supportBinaryLinking"}, {name: "staticLinkingDescriptor", copied: true}, {name: "supportIndirectCommandBuffers"},
		}}},
		{name: "MTL4StaticLinkingDescriptor", protocols: copying, record: &recordSpec{props: []prop{{name: "functionDescriptors", copied: true},
			{name: "privateFunctionDescriptors", copied: true}, {name: "groups", copied: true}}}},
		{name: "MTL4PipelineStageDynamicLinkingDescriptor", protocols: copying, record: &recordSpec{props: []prop{{name: "maxCallStackDepth", value: 1},
			{name: "binaryLinkedFunctions", copied: true}, {name: "preloadedLibraries", copied: true}}}},
	}
}

// function4 is a function that a Metal 4 descriptor describes, or why there is none.
type function4 struct {
	name  string
	fn    *shader.Function
	fault *shader.Error
}

// function4Of reads an MTL4FunctionDescriptor. An error is misuse.
func (d *device) function4Of(rt *objcsoft.Runtime, id objcsoft.ID) (f function4, err error) {
	r, ok := payloadOf[*record](rt, id)
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
		if v, ok := payloadOf[*constantValues](rt, r.id("constantValues")); ok {
			values = v.clone()
		}
		if special, err = rt.GoString(r.id("specializedName")); err != nil {
			return f, err
		}
		if r, ok = payloadOf[*record](rt, r.id("functionDescriptor")); !ok {
			return f, errorf("the specialized function descriptor's functionDescriptor is nil")
		}
	}
	if _, ok := r.spec.at["library"]; !ok {
		return f, errorf("the function descriptor is none of a library's function")
	}
	l, ok := payloadOf[*library](rt, r.id("library"))
	if !ok || l.dev != d {
		return f, errorf("the function descriptor's library is nil or of another device")
	}
	if f.name, err = rt.GoString(r.id("name")); err != nil {
		return f, err
	}
	f.fn, f.fault = l.lib.Specialise(f.name, values)
	if special != "" {
		f.name = special
	}
	return f, nil
}

// binaryFunctionArg reads an MTL4BinaryFunctionDescriptor.
func (d *device) binaryFunctionArg(c *objcsoft.Call, arg int) (function4, bool) {
	r := recordArg(c, arg, "the descriptor")
	if r == nil {
		return function4{}, false
	}
	f, err := d.function4Of(c.RT, r.id("functionDescriptor"))
	if err != nil {
		misuse(c, "%v", err)
		return f, false
	}
	name, err := c.RT.GoString(r.id("name"))
	if err != nil {
		c.Fail(err)
		return f, false
	}
	if name != "" {
		f.name = name
	}
	return f, true
}

// pipeline4Arg reads an MTL4ComputePipelineDescriptor and, where linking is not negative, what is linked dynamically.
func (d *device) pipeline4Arg(c *objcsoft.Call, arg, linking int) (s pipelineSpec, ok bool) {
	r := recordArg(c, arg, "the descriptor")
	if r == nil {
		return s, false
	}
	f, err := d.function4Of(c.RT, r.id("computeFunctionDescriptor"))
	if err != nil {
		misuse(c, "%v", err)
		return s, false
	}
	s.fault = f.fault
	s.Function = f.fn
	if f.fn != nil && f.fn.Type != shader.Kernel {
		misuse(c, "function '%s' is of type %d, not a kernel", f.name, f.fn.Type)
		return s, false
	}
	if n := r.uint("maxTotalThreadsPerThreadgroup"); n > shader.MaxThreads {
		misuse(c, "maxTotalThreadsPerThreadgroup is %d, more than %d", n, shader.MaxThreads)
		return s, false
	}
	s.MaxThreads = int(r.uint("maxTotalThreadsPerThreadgroup"))
	s.MultipleOfWidth = r.bool("threadGroupSizeIsMultipleOfThreadExecutionWidth")
	s.Indirect = r.uint("supportIndirectCommandBuffers") == mtl4IndirectCommandBufferSupportStateEnabled
	s.AddFunctions = r.bool("supportBinaryLinking")
	for i, w := range r.wordsOf("requiredThreadsPerThreadgroup") {
		s.Required[i] = int(w)
	}
	if o, ok := payloadOf[*record](c.RT, r.id("options")); ok {
		s.Validation = int(o.uint("shaderValidation"))
		s.options = o.uint("shaderReflection") // the values are those of MTLPipelineOption
	}
	if s.Label, err = c.RT.GoString(r.id("label")); err != nil {
		c.Fail(err)
		return s, false
	}
	if err := d.link4(c.RT, r, &s); err != nil {
		misuse(c, "%v", err)
		return s, false
	}
	if linking >= 0 {
		if err := dynamicLink4(c.RT, c.ID(linking), &s); err != nil {
			misuse(c, "%v", err)
			return s, false
		}
	}
	return s, true
}

// link4 adds the functions that a pipeline's static linking descriptor lists.
func (d *device) link4(rt *objcsoft.Runtime, r *record, s *pipelineSpec) error {
	l, ok := payloadOf[*record](rt, r.id("staticLinkingDescriptor"))
	if !ok {
		return nil
	}
	for _, name := range []string{"functionDescriptors", "privateFunctionDescriptors"} {
		ids, err := rt.ArrayItems(l.id(name))
		if err != nil {
			return err
		}
		for _, id := range ids {
			f, err := d.function4Of(rt, id)
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
	r, ok := payloadOf[*record](rt, id)
	if !ok {
		return nil
	}
	if list, err := rt.ArrayItems(r.id("preloadedLibraries")); err != nil || len(list) > 0 {
		s.fault = libraryError(shader.Unsupported, errorf("preloadedLibraries: %s", noDynamic))
	}
	list, err := payloads[*binaryFunction4](rt, r.id("binaryLinkedFunctions"))
	for _, f := range list {
		s.Linked = append(s.Linked, f.fn)
	}
	return err
}
