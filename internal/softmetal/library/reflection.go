package library

import (
	"context"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// reflection is the state of MTLComputePipelineReflection and MTLFunctionReflection: the arguments
// of a function.
type reflection struct {
	driver *device.Driver
	args   []ir.Arg
	types  bool // whether the types behind buffers are described
}

// binding is the state of a binding, and of an MTLArgument, its older form.
type binding struct {
	*ir.Arg
	driver *device.Driver
	types  bool
}

func reflectionClasses() []adapter.Class {
	bindings := adapter.Method(func(r *reflection, c *objcsoft.Call) { r.list(c, bindingClass) })
	return []adapter.Class{
		{Name: "MTLComputePipelineReflection", Methods: adapter.Methods{
			"bindings": bindings,
			"arguments": adapter.Method(func(r *reflection, c *objcsoft.Call) {
				r.list(c, func(ir.ArgKind) string { return "MTLArgument" })
			}),
		}},
		{Name: "MTLFunctionReflection", Methods: adapter.Methods{
			"bindings": bindings,
			// the language has [[user_annotation]], which the compiler passes over
			"userAnnotation": adapter.Method(func(_ *reflection, c *objcsoft.Call) { c.ReturnAutoreleased(c.RT.NewString("")) }),
		}},
		{Name: "PMSoftBinding", Protocols: []string{"MTLBinding"}, Methods: bindingMethods(adapter.Methods{
			"isUsed":     adapter.Method(func(b *binding, c *objcsoft.Call) { c.ReturnBool(b.Active) }),
			"isArgument": adapter.Method(func(_ *binding, c *objcsoft.Call) { c.ReturnBool(true) }),
		})},
		{Name: "PMSoftBufferBinding", Super: "PMSoftBinding", Protocols: []string{"MTLBufferBinding"},
			Methods: bufferMethods(adapter.Methods{})},
		{Name: "PMSoftTextureBinding", Super: "PMSoftBinding", Protocols: []string{"MTLTextureBinding"},
			Methods: textureMethods(adapter.Methods{})},
		{Name: "PMSoftThreadgroupBinding", Super: "PMSoftBinding", Protocols: []string{"MTLThreadgroupBinding"},
			Methods: threadgroupMethods(adapter.Methods{})},
		{Name: "MTLArgument", Methods: bindingMethods(bufferMethods(textureMethods(threadgroupMethods(adapter.Methods{
			"isActive": adapter.Method(func(b *binding, c *objcsoft.Call) { c.ReturnBool(b.Active) }),
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

func bindingMethods(m adapter.Methods) adapter.Methods {
	m["name"] = adapter.Method(func(b *binding, c *objcsoft.Call) { c.ReturnAutoreleased(c.RT.NewString(b.Name)) })
	m["type"] = adapter.Method(func(b *binding, c *objcsoft.Call) { c.ReturnUint(metalBindingType(b.Kind)) })
	m["access"] = adapter.Method(func(b *binding, c *objcsoft.Call) { c.ReturnUint(metalAccess(b.Access)) })
	m["index"] = adapter.Method(func(b *binding, c *objcsoft.Call) { c.ReturnUint(uint64(b.Index)) })
	return m
}

func bufferMethods(m adapter.Methods) adapter.Methods {
	m["bufferAlignment"] = adapter.Method(func(b *binding, c *objcsoft.Call) { c.ReturnUint(uint64(b.Align)) })
	m["bufferDataSize"] = adapter.Method(func(b *binding, c *objcsoft.Call) { c.ReturnUint(uint64(b.Size)) })
	m["bufferDataType"] = adapter.Method(func(b *binding, c *objcsoft.Call) { c.ReturnUint(metalDataType(b.Data)) })
	m["bufferStructType"] = adapter.Method(func(b *binding, c *objcsoft.Call) {
		if b.types {
			returnStruct(c, b.driver, b.Struct)
		}
	})
	m["bufferPointerType"] = adapter.Method(func(b *binding, c *objcsoft.Call) {
		if b.types && b.Kind == ir.ArgBuffer {
			returnPointer(c, b.driver, b.Arg)
		}
	})
	return m
}

func textureMethods(m adapter.Methods) adapter.Methods {
	ref := func(f func(t *ir.TextureRef, c *objcsoft.Call)) objcsoft.Imp {
		return adapter.Method(func(b *binding, c *objcsoft.Call) {
			if b.TextureInfo != nil {
				f(b.TextureInfo, c)
			}
		})
	}
	m["textureType"] = ref(returnTextureType)
	m["textureDataType"] = ref(func(t *ir.TextureRef, c *objcsoft.Call) { c.ReturnUint(metalDataType(t.Data)) })
	m["isDepthTexture"] = ref(func(t *ir.TextureRef, c *objcsoft.Call) { c.ReturnBool(t.Dim.IsDepth()) })
	m["arrayLength"] = adapter.Method(func(b *binding, c *objcsoft.Call) { c.ReturnUint(uint64(max(b.Count, 1))) })
	return m
}

func returnTextureType(t *ir.TextureRef, c *objcsoft.Call) {
	v, _ := metalTextureType(t.Dim)
	c.ReturnUint(v)
}

func threadgroupMethods(m adapter.Methods) adapter.Methods {
	m["threadgroupMemoryAlignment"] = adapter.Method(func(b *binding, c *objcsoft.Call) { c.ReturnUint(uint64(b.Align)) })
	m["threadgroupMemoryDataSize"] = adapter.Method(func(b *binding, c *objcsoft.Call) { c.ReturnUint(uint64(b.Size)) })
	return m
}

// list returns an array of objects that describe the arguments.
func (r *reflection) list(c *objcsoft.Call, class func(ir.ArgKind) string) {
	adapter.ReturnObjects(c, len(r.args), func(i int) objcsoft.ID {
		a := &r.args[i]
		return r.driver.New(class(a.Kind), &binding{a, r.driver, r.types})
	})
}

// newReflection makes the reflection requested with the pipeline, +1; 0 for none.
func (p *Pipeline) newReflection() objcsoft.ID {
	if p.options == 0 {
		return 0
	}
	return p.Device.Driver.New("MTLComputePipelineReflection",
		&reflection{p.Device.Driver, p.Args, p.options&metal.PipelineOptionBufferTypeInfo != 0})
}

func (p *Pipeline) reflection(c *objcsoft.Call) {
	if id := p.newReflection(); id != 0 {
		c.ReturnAutoreleased(id)
	}
}

// reflection describes a function that has not been made, nil for a name that the library does not
// have.
func (l *library) reflection(c *objcsoft.Call) {
	name, ok := nameArg(c, 0)
	if !ok {
		return
	}
	if f := l.lib.Function(context.Background(), name); f != nil {
		c.ReturnAutoreleased(l.dev.Driver.New("MTLFunctionReflection", &reflection{l.dev.Driver, f.Args(), true}))
	}
}
