package softmetal

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/objcsoft"
)

// The states of MTLStructType, MTLStructMember, MTLArrayType, MTLPointerType and MTLTextureReferenceType.
type (
	structType struct {
		*ir.Struct
		world *world
	}
	memberType struct {
		*ir.Member
		world *world
	}
	arrayType struct {
		*ir.Array
		world *world
	}
	pointerType struct {
		*ir.Arg
		world *world
	}
	textureType struct {
		*ir.TextureRef
		world *world
	}
)

func reflectedTypeClasses() []class {
	dataType := func(v uint64) objcsoft.Imp { return func(c *objcsoft.Call) { c.ReturnUint(v) } }
	none := func(*objcsoft.Call) {} // nil: the language has no tensors here
	return []class{
		{name: "MTLType", methods: methods{"dataType": dataType(mtlDataTypeNone)}},
		{name: "MTLStructType", super: "MTLType", methods: methods{
			"dataType": dataType(mtlDataTypeStruct),
			"members": on(func(s *structType, c *objcsoft.Call) {
				returnObjects(c, len(s.Members), func(i int) objcsoft.ID { return newMember(s.world, &s.Members[i]) })
			}),
			"memberByName:": on(func(s *structType, c *objcsoft.Call) {
				name, err := c.RT.GoString(c.ID(0))
				if err != nil {
					c.Fail(err)
					return
				}
				for i := range s.Members {
					if s.Members[i].Name == name {
						c.ReturnAutoreleased(newMember(s.world, &s.Members[i]))
						return
					}
				}
			}),
		}},
		{name: "MTLStructMember", methods: methods{
			"name":          on(func(m *memberType, c *objcsoft.Call) { c.ReturnAutoreleased(c.RT.NewString(m.Name)) }),
			"offset":        on(func(m *memberType, c *objcsoft.Call) { c.ReturnUint(uint64(m.Offset)) }),
			"dataType":      on(func(m *memberType, c *objcsoft.Call) { c.ReturnUint(uint64(msl.DataTypeValue(m.Data))) }),
			"argumentIndex": on(func(m *memberType, c *objcsoft.Call) { c.ReturnUint(uint64(m.Index)) }),
			"structType":    on(func(m *memberType, c *objcsoft.Call) { returnStruct(c, m.world, m.Struct) }),
			"arrayType":     on(func(m *memberType, c *objcsoft.Call) { returnArray(c, m.world, m.Member.Array) }),
			"pointerType":   on(func(m *memberType, c *objcsoft.Call) { returnPointer(c, m.world, m.Pointer) }),
			"textureReferenceType": on(func(m *memberType, c *objcsoft.Call) {
				returnTexture(c, m.world, m.Texture)
			}),
			"tensorReferenceType": none,
		}},
		{name: "MTLArrayType", super: "MTLType", methods: methods{
			"dataType":            dataType(mtlDataTypeArray),
			"elementType":         on(func(a *arrayType, c *objcsoft.Call) { c.ReturnUint(uint64(msl.DataTypeValue(a.Data))) }),
			"arrayLength":         on(func(a *arrayType, c *objcsoft.Call) { c.ReturnUint(uint64(a.Len)) }),
			"stride":              on(func(a *arrayType, c *objcsoft.Call) { c.ReturnUint(uint64(a.Stride)) }),
			"argumentIndexStride": on(func(a *arrayType, c *objcsoft.Call) { c.ReturnUint(uint64(a.IndexStride)) }),
			"elementStructType":   on(func(a *arrayType, c *objcsoft.Call) { returnStruct(c, a.world, a.Struct) }),
			"elementArrayType":    on(func(a *arrayType, c *objcsoft.Call) { returnArray(c, a.world, a.Array.Array) }), // not the embedded array itself, but its element
			"elementPointerType":  on(func(a *arrayType, c *objcsoft.Call) { returnPointer(c, a.world, a.Pointer) }),
			"elementTextureReferenceType": on(func(a *arrayType, c *objcsoft.Call) {
				returnTexture(c, a.world, a.Texture)
			}),
			"elementTensorReferenceType": none,
		}},
		{name: "MTLPointerType", super: "MTLType", methods: methods{
			"dataType":                dataType(mtlDataTypePointer),
			"elementType":             on(func(p *pointerType, c *objcsoft.Call) { c.ReturnUint(uint64(msl.DataTypeValue(p.Data))) }),
			"access":                  on(func(p *pointerType, c *objcsoft.Call) { c.ReturnUint(uint64(msl.AccessValue(p.Access))) }),
			"alignment":               on(func(p *pointerType, c *objcsoft.Call) { c.ReturnUint(uint64(p.Align)) }),
			"dataSize":                on(func(p *pointerType, c *objcsoft.Call) { c.ReturnUint(uint64(p.Size)) }),
			"elementIsArgumentBuffer": on(func(p *pointerType, c *objcsoft.Call) { c.ReturnBool(p.ArgumentBuffer) }),
			"elementStructType":       on(func(p *pointerType, c *objcsoft.Call) { returnStruct(c, p.world, p.Struct) }),
			"elementArrayType":        on(func(p *pointerType, c *objcsoft.Call) { returnArray(c, p.world, p.Array) }),
		}},
		{name: "MTLTextureReferenceType", super: "MTLType", methods: methods{
			"dataType":        dataType(mtlDataTypeTexture),
			"textureDataType": on(func(t *textureType, c *objcsoft.Call) { c.ReturnUint(uint64(msl.DataTypeValue(t.Data))) }),
			"textureType":     on(func(t *textureType, c *objcsoft.Call) { returnTextureType(t.TextureRef, c) }),
			"access":          on(func(t *textureType, c *objcsoft.Call) { c.ReturnUint(uint64(msl.AccessValue(t.Access))) }),
			"isDepthTexture":  on(func(t *textureType, c *objcsoft.Call) { c.ReturnBool(t.Depth) }),
		}},
	}
}

func newMember(w *world, m *ir.Member) objcsoft.ID {
	return w.new("MTLStructMember", &memberType{m, w})
}

func returnStruct(c *objcsoft.Call, w *world, s *ir.Struct) {
	if s != nil {
		c.ReturnAutoreleased(w.new("MTLStructType", &structType{s, w}))
	}
}

func returnArray(c *objcsoft.Call, w *world, a *ir.Array) {
	if a != nil {
		c.ReturnAutoreleased(w.new("MTLArrayType", &arrayType{a, w}))
	}
}

func returnPointer(c *objcsoft.Call, w *world, p *ir.Arg) {
	if p != nil {
		c.ReturnAutoreleased(w.new("MTLPointerType", &pointerType{p, w}))
	}
}

func returnTexture(c *objcsoft.Call, w *world, t *ir.TextureRef) {
	if t != nil {
		c.ReturnAutoreleased(w.new("MTLTextureReferenceType", &textureType{t, w}))
	}
}
