package softmetal

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/objcsoft"
)

// reflection is the state of MTLComputePipelineReflection and MTLFunctionReflection: the arguments of a function.
type reflection struct {
	world *world
	args  []ir.Arg
	types bool // whether the types behind buffers are described
}

// binding is the state of a binding, and of an MTLArgument, its older form.
type binding struct {
	*ir.Arg
	world *world
	types bool
}

func reflectionClasses() []class {
	bindings := on(func(r *reflection, c *objcsoft.Call) { r.list(c, bindingClass) })
	return []class{
		{name: "MTLComputePipelineReflection", methods: methods{
			"bindings":  bindings,
			"arguments": on(func(r *reflection, c *objcsoft.Call) { r.list(c, func(ir.ArgKind) string { return "MTLArgument" }) }),
		}},
		{name: "MTLFunctionReflection", methods: methods{
			"bindings":       bindings,
			"userAnnotation": on(func(_ *reflection, c *objcsoft.Call) { c.ReturnAutoreleased(c.RT.NewString("")) }), // the language has [[user_annotation]], which the compiler passes over
		}},
		{name: "PMSoftBinding", protocols: []string{"MTLBinding"}, methods: bindingMethods(methods{
			"isUsed":     on(func(b *binding, c *objcsoft.Call) { c.ReturnBool(b.Active) }),
			"isArgument": on(func(_ *binding, c *objcsoft.Call) { c.ReturnBool(true) }),
		})},
		{name: "PMSoftBufferBinding", super: "PMSoftBinding", protocols: []string{"MTLBufferBinding"}, methods: bufferMethods(methods{})},
		{name: "PMSoftTextureBinding", super: "PMSoftBinding", protocols: []string{"MTLTextureBinding"}, methods: textureMethods(methods{})},
		{name: "PMSoftThreadgroupBinding", super: "PMSoftBinding", protocols: []string{"MTLThreadgroupBinding"}, methods: threadgroupMethods(methods{})},
		{name: "MTLArgument", methods: bindingMethods(bufferMethods(textureMethods(threadgroupMethods(methods{
			"isActive": on(func(b *binding, c *objcsoft.Call) { c.ReturnBool(b.Active) }),
		}))))},
	}
}

// bindingClass returns the class of an argument's binding.
func bindingClass(k ir.ArgKind) string {
	switch k {
	case ir.ArgBuffer:
		return "PMSoftBufferBinding"
	case ir.ArgThreadgroup:
		return "PMSoftThreadgroupBinding"
	case ir.ArgTexture:
		return "PMSoftTextureBinding"
	}
	return "PMSoftBinding"
}

func bindingMethods(m methods) methods {
	m["name"] = on(func(b *binding, c *objcsoft.Call) { c.ReturnAutoreleased(c.RT.NewString(b.Name)) })
	m["type"] = on(func(b *binding, c *objcsoft.Call) { c.ReturnUint(uint64(msl.BindingTypeValue(b.Kind))) })
	m["access"] = on(func(b *binding, c *objcsoft.Call) { c.ReturnUint(uint64(msl.AccessValue(b.Access))) })
	m["index"] = on(func(b *binding, c *objcsoft.Call) { c.ReturnUint(uint64(b.Index)) })
	return m
}

func bufferMethods(m methods) methods {
	m["bufferAlignment"] = on(func(b *binding, c *objcsoft.Call) { c.ReturnUint(uint64(b.Align)) })
	m["bufferDataSize"] = on(func(b *binding, c *objcsoft.Call) { c.ReturnUint(uint64(b.Size)) })
	m["bufferDataType"] = on(func(b *binding, c *objcsoft.Call) { c.ReturnUint(uint64(msl.DataTypeValue(b.Data))) })
	m["bufferStructType"] = on(func(b *binding, c *objcsoft.Call) {
		if b.types {
			returnStruct(c, b.world, b.Struct)
		}
	})
	m["bufferPointerType"] = on(func(b *binding, c *objcsoft.Call) {
		if b.types && b.Kind == ir.ArgBuffer {
			returnPointer(c, b.world, b.Arg)
		}
	})
	return m
}

func textureMethods(m methods) methods {
	ref := func(f func(t *ir.TextureRef, c *objcsoft.Call)) objcsoft.Imp {
		return on(func(b *binding, c *objcsoft.Call) {
			if b.TextureInfo != nil {
				f(b.TextureInfo, c)
			}
		})
	}
	m["textureType"] = ref(returnTextureType)
	m["textureDataType"] = ref(func(t *ir.TextureRef, c *objcsoft.Call) { c.ReturnUint(uint64(msl.DataTypeValue(t.Data))) })
	m["isDepthTexture"] = ref(func(t *ir.TextureRef, c *objcsoft.Call) { c.ReturnBool(t.Depth) })
	m["arrayLength"] = on(func(b *binding, c *objcsoft.Call) { c.ReturnUint(uint64(max(b.Count, 1))) })
	return m
}

func returnTextureType(t *ir.TextureRef, c *objcsoft.Call) {
	v, _ := msl.TextureTypeValue(t.Type)
	c.ReturnUint(uint64(v))
}

func threadgroupMethods(m methods) methods {
	m["threadgroupMemoryAlignment"] = on(func(b *binding, c *objcsoft.Call) { c.ReturnUint(uint64(b.Align)) })
	m["threadgroupMemoryDataSize"] = on(func(b *binding, c *objcsoft.Call) { c.ReturnUint(uint64(b.Size)) })
	return m
}

// list returns an array of objects that describe the arguments.
func (r *reflection) list(c *objcsoft.Call, class func(ir.ArgKind) string) {
	returnObjects(c, len(r.args), func(i int) objcsoft.ID {
		a := &r.args[i]
		return r.world.new(class(a.Kind), &binding{a, r.world, r.types})
	})
}

// returnObjects returns an array of n new objects.
func returnObjects(c *objcsoft.Call, n int, make1 func(i int) objcsoft.ID) {
	ids := make([]objcsoft.ID, n)
	for i := range ids {
		ids[i] = make1(i)
	}
	array, err := c.RT.NewArray(ids)
	release(c.RT, ids...)
	if err != nil {
		c.Fail(err)
		return
	}
	c.ReturnAutoreleased(array)
}

// newReflection makes the reflection that was asked for with the pipeline, +1, 0 for none.
func (p *pipeline) newReflection() objcsoft.ID {
	if p.options == 0 {
		return 0
	}
	return p.dev.world.new("MTLComputePipelineReflection", &reflection{p.dev.world, p.Args, p.options&mtlPipelineOptionBufferTypeInfo != 0})
}

func (p *pipeline) reflection(c *objcsoft.Call) {
	if id := p.newReflection(); id != 0 {
		c.ReturnAutoreleased(id)
	}
}

// reflection describes a function that has not been made, nil for a name that the library does not have.
func (l *library) reflection(c *objcsoft.Call) {
	name, ok := nameArg(c, 0)
	if !ok {
		return
	}
	if f := l.lib.Function(name); f != nil {
		c.ReturnAutoreleased(l.dev.world.new("MTLFunctionReflection", &reflection{l.dev.world, f.Args(), true}))
	}
}
