package softmps

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/mtl"
)

// arrayAllocator is the payload of the objects that defaultAllocator returns.
type arrayAllocator struct{ temporary bool }

// temporaryClasses declares temporary matrices, vectors and arrays. Their memory is released with
// the object and not reused.
func temporaryClasses() []adapter.Class {
	matrix := func(class, super, make, prefetch string) adapter.Class {
		return adapter.Class{Name: class, Super: super, Methods: readCountMethods[*Matrix](),
			ClassMethods: adapter.Methods{
				make: func(c *objcsoft.Call) {
					cb, ok := CommandBufferArg(c, 0)
					desc, ok1 := adapter.Payload[*matrixDescriptor](c, 1)
					if !ok || !ok1 {
						if !c.Failed() {
							adapter.Misuse(c, "the descriptor is nil")
						}
						return
					}
					m, err := newMatrix(cb.Device(), mtl.Buffer{}, 0, *desc)
					if err != nil {
						adapter.Misuse(c, "%v", err)
						return
					}
					m.NDArray.reads = &readCount{1}
					c.ReturnAutoreleased(c.RT.NewObject(c.RT.Class(class), m))
				},
				prefetch: func(*objcsoft.Call) {}, // memory comes when it is needed
			}}
	}
	temporary := func(c *objcsoft.Call, d mtl.Device, desc *ndarrayDescriptor, reads *readCount) {
		a, err := desc.array(d)
		if err != nil {
			adapter.Misuse(c, "%v", err)
			return
		}
		a.reads = reads
		class := "MPSNDArray"
		if reads != nil {
			class = "MPSTemporaryNDArray"
		}
		c.ReturnAutoreleased(c.RT.NewObject(c.RT.Class(class), a))
	}
	allocator := func(temporary bool) objcsoft.Imp {
		return func(c *objcsoft.Call) {
			c.ReturnAutoreleased(c.RT.NewObject(c.RT.Class("PMSoftNDArrayAllocator"), &arrayAllocator{temporary}))
		}
	}
	// arrayArgs returns the device and the descriptor in the arguments of both ways to make an array.
	arrayArgs := func(c *objcsoft.Call) (mtl.Device, *ndarrayDescriptor, bool) {
		cb, ok := CommandBufferArg(c, 0)
		desc, ok1 := adapter.Payload[*ndarrayDescriptor](c, 1)
		if !ok || !ok1 {
			if !c.Failed() {
				adapter.Misuse(c, "the descriptor is nil")
			}
			return mtl.Device{}, nil, false
		}
		return cb.Device(), desc, true
	}
	return []adapter.Class{
		matrix("MPSTemporaryMatrix", "MPSMatrix", "temporaryMatrixWithCommandBuffer:matrixDescriptor:",
			"prefetchStorageWithCommandBuffer:matrixDescriptorList:"),
		matrix("MPSTemporaryVector", "MPSVector", "temporaryVectorWithCommandBuffer:descriptor:",
			"prefetchStorageWithCommandBuffer:descriptorList:"),
		{Name: "MPSTemporaryNDArray", Super: "MPSNDArray", Methods: readCountMethods[*NDArray](),
			ClassMethods: adapter.Methods{
				"defaultAllocator": allocator(true),
				"temporaryNDArrayWithCommandBuffer:descriptor:": func(c *objcsoft.Call) {
					if d, desc, ok := arrayArgs(c); ok {
						temporary(c, d, desc, &readCount{1})
					}
				},
			}},
		{Name: "MPSNDArray", ClassMethods: adapter.Methods{"defaultAllocator": allocator(false)}},
		{Name: "PMSoftNDArrayAllocator", Protocols: []string{"MPSNDArrayAllocator"}, Methods: adapter.Methods{
			"arrayForCommandBuffer:arrayDescriptor:kernel:": adapter.Method(func(a *arrayAllocator, c *objcsoft.Call) {
				if d, desc, ok := arrayArgs(c); ok {
					var reads *readCount
					if a.temporary {
						reads = &readCount{1}
					}
					temporary(c, d, desc, reads)
				}
			}),
		}},
	}
}
