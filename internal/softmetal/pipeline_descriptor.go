package softmetal

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

func pipelineDescriptorClasses() []class {
	copying := []string{"NSCopying"}
	attribute := &recordSpec{props: []prop{{name: "format"}, {name: "offset"}, {name: "bufferIndex"}}}
	layout := &recordSpec{props: []prop{{name: "stride"}, {name: "stepFunction", value: mtlStepFunctionPerVertex}, {name: "stepRate", value: 1}}}
	return []class{
		{
			name: "MTLComputePipelineDescriptor", protocols: copying, methods: methods{"reset": on((*record).reset)},
			record: &recordSpec{props: []prop{
				{name: "label", copied: true}, {name: "computeFunction"}, {name: "threadGroupSizeIsMultipleOfThreadExecutionWidth"},
				{name: "maxTotalThreadsPerThreadgroup"}, {name: "stageInputDescriptor", copied: true},
				{name: "buffers", child: "MTLPipelineBufferDescriptorArray"}, {name: "supportIndirectCommandBuffers"}, {name: "insertLibraries", copied: true},
				{name: "preloadedLibraries", copied: true}, {name: "binaryArchives", copied: true}, {name: "linkedFunctions", copied: true},
				{name: "supportAddingBinaryFunctions"}, {name: "maxCallStackDepth", value: 1}, {name: "shaderValidation"}, {name: "requiredThreadsPerThreadgroup"},
			}},
		},
		{name: "MTLPipelineBufferDescriptor", protocols: copying, record: &recordSpec{props: []prop{{name: "mutability"}}}},
		arrayOf("MTLPipelineBufferDescriptorArray", "MTLPipelineBufferDescriptor", 31),
		{
			name: "MTLLinkedFunctions", protocols: copying, classMethods: methods{"linkedFunctions": newAutoreleased("MTLLinkedFunctions")},
			record: &recordSpec{props: []prop{{name: "functions", copied: true}, {name: "binaryFunctions", copied: true}, {name: "groups", copied: true}, {name: "privateFunctions", copied: true}}},
		},
		{
			name: "MTLStageInputOutputDescriptor", protocols: copying, methods: methods{"reset": on((*record).reset)},
			classMethods: methods{"stageInputOutputDescriptor": newAutoreleased("MTLStageInputOutputDescriptor")},
			record: &recordSpec{props: []prop{{name: "layouts", child: "MTLBufferLayoutDescriptorArray"}, {name: "attributes", child: "MTLAttributeDescriptorArray"},
				{name: "indexType"}, {name: "indexBufferIndex"}}},
		},
		{name: "MTLAttributeDescriptor", protocols: copying, record: attribute},
		arrayOf("MTLAttributeDescriptorArray", "MTLAttributeDescriptor", 31),
		{name: "MTLBufferLayoutDescriptor", protocols: copying, record: layout},
		arrayOf("MTLBufferLayoutDescriptorArray", "MTLBufferLayoutDescriptor", 31),
	}
}

// reset gives every property its first value.
func (r *record) reset(c *objcsoft.Call) {
	fresh := &record{spec: r.spec, words: make([]uintptr, len(r.words))}
	fresh.initialise(c.RT, r.spec.all)
	r.mu.Lock()
	r.words, fresh.words = fresh.words, r.words
	r.mu.Unlock()
	for i := range fresh.spec.all {
		if p := &fresh.spec.all[i]; p.object {
			if err := c.RT.Release(objcsoft.ID(fresh.words[p.offset])); err != nil {
				c.Fail(err)
			}
		}
	}
}

// pipelineDescriptorArg reads an MTLComputePipelineDescriptor.
func (d *device) pipelineDescriptorArg(c *objcsoft.Call, arg int) (s pipelineSpec, ok bool) {
	r := recordArg(c, arg, "the descriptor")
	if r == nil {
		return s, false
	}
	f, ok := payloadOf[*function](c.RT, r.id("computeFunction"))
	if !ok {
		misuse(c, "the descriptor's computeFunction is nil")
		return s, false
	}
	if !d.takes(c, f) {
		return s, false
	}
	s.Function = f.fn
	if n := r.uint("maxTotalThreadsPerThreadgroup"); n > shader.MaxThreads {
		misuse(c, "maxTotalThreadsPerThreadgroup is %d, more than %d", n, shader.MaxThreads)
		return s, false
	}
	s.MaxThreads = int(r.uint("maxTotalThreadsPerThreadgroup"))
	s.MultipleOfWidth = r.bool("threadGroupSizeIsMultipleOfThreadExecutionWidth")
	s.Indirect = r.bool("supportIndirectCommandBuffers")
	s.AddFunctions = r.bool("supportAddingBinaryFunctions")
	s.Validation = int(r.uint("shaderValidation"))
	for i, w := range r.wordsOf("requiredThreadsPerThreadgroup") {
		s.Required[i] = int(w)
	}
	s.fault = d.cannot(c.RT, r)
	var err error
	if s.Label, err = c.RT.GoString(r.id("label")); err == nil {
		s.archives, err = payloads[*archive](c.RT, r.id("binaryArchives"))
	}
	if err == nil {
		s.Linked, err = linkedFunctions(c.RT, r.id("linkedFunctions"))
	}
	if err != nil {
		c.Fail(err)
	}
	return s, err == nil
}

// cannot names what a descriptor asks for and the device does not have.
func (d *device) cannot(rt *objcsoft.Runtime, r *record) *shader.Error {
	for _, name := range []string{"insertLibraries", "preloadedLibraries"} {
		if list, err := rt.ArrayItems(r.id(name)); err != nil || len(list) > 0 {
			return libraryError(shader.Unsupported, errorf("%s: %s", name, noDynamic))
		}
	}
	in, ok := payloadOf[*record](rt, r.id("stageInputDescriptor"))
	if !ok {
		return nil
	}
	attributes, _ := payloadOf[*recordArray](rt, in.id("attributes"))
	for i, id := range attributes.set() {
		if a, ok := payloadOf[*record](rt, id); ok && a.uint("format") != 0 {
			return libraryError(shader.Unsupported, errorf("stageInputDescriptor: attribute %d: the software device does not compile kernels with [[stage_in]]", i))
		}
	}
	return nil
}

// linkedFunctions returns the functions of an MTLLinkedFunctions. Groups only say which calls may meet which functions: any may.
func linkedFunctions(rt *objcsoft.Runtime, id objcsoft.ID) (out []*shader.Function, err error) {
	r, ok := payloadOf[*record](rt, id)
	if !ok {
		return nil, nil
	}
	for _, name := range []string{"functions", "binaryFunctions", "privateFunctions"} {
		list, err := payloads[*function](rt, r.id(name))
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			out = append(out, f.fn)
		}
	}
	return out, nil
}
