package library

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// The states of MTLStructType, MTLStructMember, MTLArrayType, MTLPointerType and
// MTLTextureReferenceType.
type (
	structType struct {
		*ir.Struct
		driver *device.Driver
	}
	memberType struct {
		*ir.Member
		driver *device.Driver
	}
	arrayType struct {
		*ir.Array
		driver *device.Driver
	}
	pointerType struct {
		*ir.Arg
		driver *device.Driver
	}
	textureType struct {
		*ir.TextureRef
		driver *device.Driver
	}
)

func reflectedTypeClasses() []adapter.Class {
	dataType := func(v uint64) objcsoft.Imp { return func(c *objcsoft.Call) { c.ReturnUint(v) } }
	none := func(*objcsoft.Call) {} // nil: the language has no tensors here
	return []adapter.Class{
		{Name: "MTLType", Methods: adapter.Methods{"dataType": dataType(metal.DataTypeNone)}},
		{Name: "MTLStructType", Super: "MTLType", Methods: adapter.Methods{
			"dataType": dataType(metal.DataTypeStruct),
			"members": adapter.Method(func(s *structType, c *objcsoft.Call) {
				adapter.ReturnObjects(c, len(s.Members), func(i int) objcsoft.ID { return newMember(s.driver, &s.Members[i]) })
			}),
			"memberByName:": adapter.Method(func(s *structType, c *objcsoft.Call) {
				name, err := c.RT.GoString(c.ID(0))
				if err != nil {
					c.Fail(err)
					return
				}
				for i := range s.Members {
					if s.Members[i].Name == name {
						c.ReturnAutoreleased(newMember(s.driver, &s.Members[i]))
						return
					}
				}
			}),
		}},
		{Name: "MTLStructMember", Methods: adapter.Methods{
			"name": adapter.Method(func(m *memberType,
				c *objcsoft.Call) {
				c.ReturnAutoreleased(c.RT.NewString(m.Name))
			}),
			"offset":        adapter.Method(func(m *memberType, c *objcsoft.Call) { c.ReturnUint(uint64(m.Offset)) }),
			"dataType":      adapter.Method(func(m *memberType, c *objcsoft.Call) { c.ReturnUint(metalDataType(m.Data)) }),
			"argumentIndex": adapter.Method(func(m *memberType, c *objcsoft.Call) { c.ReturnUint(uint64(m.Index)) }),
			"structType":    adapter.Method(func(m *memberType, c *objcsoft.Call) { returnStruct(c, m.driver, m.Struct) }),
			"arrayType":     adapter.Method(func(m *memberType, c *objcsoft.Call) { returnArray(c, m.driver, m.Member.Array) }),
			"pointerType":   adapter.Method(func(m *memberType, c *objcsoft.Call) { returnPointer(c, m.driver, m.Pointer) }),
			"textureReferenceType": adapter.Method(func(m *memberType, c *objcsoft.Call) {
				returnTexture(c, m.driver, m.Texture)
			}),
			"tensorReferenceType": none,
		}},
		{Name: "MTLArrayType", Super: "MTLType", Methods: adapter.Methods{
			"dataType":            dataType(metal.DataTypeArray),
			"elementType":         adapter.Method(func(a *arrayType, c *objcsoft.Call) { c.ReturnUint(metalDataType(a.Data)) }),
			"arrayLength":         adapter.Method(func(a *arrayType, c *objcsoft.Call) { c.ReturnUint(uint64(a.Len)) }),
			"stride":              adapter.Method(func(a *arrayType, c *objcsoft.Call) { c.ReturnUint(uint64(a.Stride)) }),
			"argumentIndexStride": adapter.Method(func(a *arrayType, c *objcsoft.Call) { c.ReturnUint(uint64(a.IndexStride)) }),
			"elementStructType":   adapter.Method(func(a *arrayType, c *objcsoft.Call) { returnStruct(c, a.driver, a.Struct) }),
			// not the embedded array itself, but its element
			"elementArrayType": adapter.Method(func(a *arrayType,
				c *objcsoft.Call) {
				returnArray(c, a.driver, a.Array.Array)
			}),
			"elementPointerType": adapter.Method(func(a *arrayType, c *objcsoft.Call) { returnPointer(c, a.driver, a.Pointer) }),
			"elementTextureReferenceType": adapter.Method(func(a *arrayType, c *objcsoft.Call) {
				returnTexture(c, a.driver, a.Texture)
			}),
			"elementTensorReferenceType": none,
		}},
		{Name: "MTLPointerType", Super: "MTLType", Methods: adapter.Methods{
			"dataType": dataType(metal.DataTypePointer),
			"elementType": adapter.Method(func(p *pointerType,
				c *objcsoft.Call) {
				c.ReturnUint(metalDataType(p.Data))
			}),
			"access": adapter.Method(func(p *pointerType,
				c *objcsoft.Call) {
				c.ReturnUint(metalAccess(p.Access))
			}),
			"alignment":               adapter.Method(func(p *pointerType, c *objcsoft.Call) { c.ReturnUint(uint64(p.Align)) }),
			"dataSize":                adapter.Method(func(p *pointerType, c *objcsoft.Call) { c.ReturnUint(uint64(p.Size)) }),
			"elementIsArgumentBuffer": adapter.Method(func(p *pointerType, c *objcsoft.Call) { c.ReturnBool(p.ArgumentBuffer) }),
			"elementStructType": adapter.Method(func(p *pointerType,
				c *objcsoft.Call) {
				returnStruct(c, p.driver, p.Struct)
			}),
			"elementArrayType": adapter.Method(func(p *pointerType, c *objcsoft.Call) { returnArray(c, p.driver, p.Array) }),
		}},
		{Name: "MTLTextureReferenceType", Super: "MTLType", Methods: adapter.Methods{
			"dataType":        dataType(metal.DataTypeTexture),
			"textureDataType": adapter.Method(func(t *textureType, c *objcsoft.Call) { c.ReturnUint(metalDataType(t.Data)) }),
			"textureType":     adapter.Method(func(t *textureType, c *objcsoft.Call) { returnTextureType(t.TextureRef, c) }),
			"access":          adapter.Method(func(t *textureType, c *objcsoft.Call) { c.ReturnUint(metalAccess(t.Access)) }),
			"isDepthTexture":  adapter.Method(func(t *textureType, c *objcsoft.Call) { c.ReturnBool(t.Dim.IsDepth()) }),
		}},
	}
}

func newMember(drv *device.Driver, m *ir.Member) objcsoft.ID {
	return drv.New("MTLStructMember", &memberType{m, drv})
}

func returnStruct(c *objcsoft.Call, drv *device.Driver, s *ir.Struct) {
	if s != nil {
		c.ReturnAutoreleased(drv.New("MTLStructType", &structType{s, drv}))
	}
}

func returnArray(c *objcsoft.Call, drv *device.Driver, a *ir.Array) {
	if a != nil {
		c.ReturnAutoreleased(drv.New("MTLArrayType", &arrayType{a, drv}))
	}
}

func returnPointer(c *objcsoft.Call, drv *device.Driver, p *ir.Arg) {
	if p != nil {
		c.ReturnAutoreleased(drv.New("MTLPointerType", &pointerType{p, drv}))
	}
}

func returnTexture(c *objcsoft.Call, drv *device.Driver, t *ir.TextureRef) {
	if t != nil {
		c.ReturnAutoreleased(drv.New("MTLTextureReferenceType", &textureType{t, drv}))
	}
}
