package library

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

func pipelineDescriptorClasses() []adapter.Class {
	copying := []string{"NSCopying"}
	attribute := adapter.Properties{{Name: "format"}, {Name: "offset"}, {Name: "bufferIndex"}}
	layout := adapter.Properties{{Name: "stride"}, {Name: "stepFunction", Value: metal.StepFunctionPerVertex},
		{Name: "stepRate", Value: 1}}
	return []adapter.Class{
		{
			Name: "MTLComputePipelineDescriptor", Protocols: copying,
			Methods: adapter.Methods{"reset": adapter.Method((*adapter.Record).Reset)},
			Properties: adapter.Properties{
				{Name: "label", Copied: true}, {Name: "computeFunction"}, {Name: "threadGroupSizeIsMultipleOfThreadExecutionWidth"},
				{Name: "maxTotalThreadsPerThreadgroup"}, {Name: "stageInputDescriptor", Copied: true},
				{Name: "buffers", Child: "MTLPipelineBufferDescriptorArray"}, {Name: "supportIndirectCommandBuffers"},
				{Name: "insertLibraries", Copied: true},
				{Name: "preloadedLibraries", Copied: true}, {Name: "binaryArchives", Copied: true},
				{Name: "linkedFunctions", Copied: true},
				{Name: "supportAddingBinaryFunctions"}, {Name: "maxCallStackDepth", Value: 1}, {Name: "shaderValidation"},
				{Name: "requiredThreadsPerThreadgroup"},
			},
		},
		{Name: "MTLPipelineBufferDescriptor", Protocols: copying, Properties: adapter.Properties{{Name: "mutability"}}},
		adapter.ArrayOf("MTLPipelineBufferDescriptorArray", "MTLPipelineBufferDescriptor", 31),
		{
			Name: "MTLLinkedFunctions", Protocols: copying,
			ClassMethods: adapter.Methods{"linkedFunctions": adapter.NewAutoreleased("MTLLinkedFunctions")},
			Properties: adapter.Properties{{Name: "functions", Copied: true}, {Name: "binaryFunctions", Copied: true},
				{Name: "groups", Copied: true}, {Name: "privateFunctions", Copied: true}},
		},
		{
			Name: "MTLStageInputOutputDescriptor", Protocols: copying,
			Methods:      adapter.Methods{"reset": adapter.Method((*adapter.Record).Reset)},
			ClassMethods: adapter.Methods{"stageInputOutputDescriptor": adapter.NewAutoreleased("MTLStageInputOutputDescriptor")},
			Properties: adapter.Properties{{Name: "layouts", Child: "MTLBufferLayoutDescriptorArray"},
				{Name: "attributes", Child: "MTLAttributeDescriptorArray"},
				{Name: "indexType"}, {Name: "indexBufferIndex"}},
		},
		{Name: "MTLAttributeDescriptor", Protocols: copying, Properties: attribute},
		adapter.ArrayOf("MTLAttributeDescriptorArray", "MTLAttributeDescriptor", 31),
		{Name: "MTLBufferLayoutDescriptor", Protocols: copying, Properties: layout},
		adapter.ArrayOf("MTLBufferLayoutDescriptorArray", "MTLBufferLayoutDescriptor", 31),
	}
}

// pipelineDescriptorArg reads an MTLComputePipelineDescriptor.
func pipelineDescriptorArg(d *device.Device, c *objcsoft.Call, arg int) (s pipelineSpec, ok bool) {
	r := adapter.RecordArg(c, arg, "the descriptor")
	if r == nil {
		return s, false
	}
	f, ok := adapter.PayloadOf[*function](c.RT, r.ID("computeFunction"))
	if !ok {
		adapter.Misuse(c, "the descriptor's computeFunction is nil")
		return s, false
	}
	if !takes(d, c, f) {
		return s, false
	}
	s.Function = f.fn
	if n := r.Uint("maxTotalThreadsPerThreadgroup"); n > limits.MaxThreads {
		adapter.Misuse(c, "maxTotalThreadsPerThreadgroup is %d, more than %d", n, limits.MaxThreads)
		return s, false
	}
	s.MaxThreads = int(r.Uint("maxTotalThreadsPerThreadgroup"))
	s.MultipleOfWidth = r.Bool("threadGroupSizeIsMultipleOfThreadExecutionWidth")
	s.Indirect = r.Bool("supportIndirectCommandBuffers")
	s.AddFunctions = r.Bool("supportAddingBinaryFunctions")
	s.Validation = int(r.Uint("shaderValidation"))
	for i, w := range r.Words("requiredThreadsPerThreadgroup") {
		s.Required[i] = int(w)
	}
	s.fault = cannot(d, c.RT, r)
	var err error
	if s.Label, err = c.RT.GoString(r.ID("label")); err == nil {
		s.archives, err = adapter.Payloads[*archive](c.RT, r.ID("binaryArchives"))
	}
	if err == nil {
		s.Linked, err = linkedFunctions(c.RT, r.ID("linkedFunctions"))
	}
	if err != nil {
		c.Fail(err)
	}
	return s, err == nil
}

// cannot names what a descriptor asks for and the device does not have.
func cannot(d *device.Device, rt *objcsoft.Runtime, r *adapter.Record) *shader.Error {
	for _, name := range []string{"insertLibraries", "preloadedLibraries"} {
		if list, err := rt.ArrayItems(r.ID(name)); err != nil || len(list) > 0 {
			return libraryError(shader.Unsupported, errorf("%s: %s", name, noDynamic))
		}
	}
	in, ok := adapter.PayloadOf[*adapter.Record](rt, r.ID("stageInputDescriptor"))
	if !ok {
		return nil
	}
	attributes, _ := adapter.PayloadOf[*adapter.RecordArray](rt, in.ID("attributes"))
	for i, id := range attributes.Items() {
		if a, ok := adapter.PayloadOf[*adapter.Record](rt, id); ok && a.Uint("format") != 0 {
			return libraryError(shader.Unsupported,
				errorf("stageInputDescriptor: attribute %d: the software device does not compile kernels with [[stage_in]]", i))
		}
	}
	return nil
}

// linkedFunctions returns the functions of an MTLLinkedFunctions. Groups only say which calls may
// reach which functions: here any call may reach any.
func linkedFunctions(rt *objcsoft.Runtime, id objcsoft.ID) (out []*shader.Function, err error) {
	r, ok := adapter.PayloadOf[*adapter.Record](rt, id)
	if !ok {
		return nil, nil
	}
	for _, name := range []string{"functions", "binaryFunctions", "privateFunctions"} {
		list, err := adapter.Payloads[*function](rt, r.ID(name))
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			out = append(out, f.fn)
		}
	}
	return out, nil
}
