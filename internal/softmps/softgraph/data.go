package softgraph

import (
	"fmt"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// data is the payload of an MPSGraphTensorData: an MPSNDArray, which it owns.
type data struct {
	id    objcsoft.ID
	array *softmps.NDArray
	run   atomic.Pointer[outcome] // that computes the array; nil if the caller has waited for it
}

// Err returns an error if the run that was to compute the data has failed. What the array has then
// is of no use.
func (d *data) Err() error {
	o := d.run.Load()
	if o == nil {
		return nil
	}
	if err := o.Err(); err != nil {
		return fmt.Errorf("the run that computes the data has failed: %w", err)
	}
	return nil
}

// newData makes an MPSGraphTensorData of an MPSNDArray, which it takes over, +1.
func newData(rt *objcsoft.Runtime, array objcsoft.ID) objcsoft.ID {
	a, _ := adapter.PayloadOf[*softmps.NDArray](rt, array)
	return rt.NewObject(rt.Class("MPSGraphTensorData"), &data{id: array, array: a})
}

// device is the payload of an MPSGraphDevice.
type device struct{ metal mtl.Device }

// initData gives the receiver of an init method its array, or reports an error.
func initData(c *objcsoft.Call, id objcsoft.ID, a *softmps.NDArray, err error) {
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	softmps.Init(c, &data{id: id, array: a})
}

// argView returns the dense view for a shape and an MPSDataType in arguments.
func argView(c *objcsoft.Call, shape, dataType int) (tensorop.View, error) {
	t, err := softmps.TypeOf(c.Uint(dataType))
	if err != nil {
		return tensorop.View{}, err
	}
	s, err := softmps.Integers(c.RT, c.ID(shape))
	return tensorop.Dense(t, s...), err
}

func dataMethods() adapter.Methods {
	return adapter.Methods{
		"initWithDevice:data:shape:dataType:": func(c *objcsoft.Call) {
			d, ok := adapter.Payload[*device](c, 0)
			if !ok {
				return
			}
			v, err := argView(c, 2, 3)
			if err != nil {
				adapter.Misuse(c, "%v", err)
				return
			}
			bytes, err := c.RT.GoBytes(c.ID(1))
			if err == nil && len(bytes) != v.Elements()*v.Type.Size() {
				err = fmt.Errorf("%d bytes of data for shape %v of %v, which takes %d", len(bytes), v.Shape, v.Type,
					v.Elements()*v.Type.Size())
			}
			var id objcsoft.ID
			var a *softmps.NDArray
			if err == nil {
				id, a, err = softmps.NewNDArray(c.RT, d.metal, v)
			}
			if err == nil {
				var memory []byte
				if memory, err = a.Bytes(); err == nil {
					copy(memory, bytes)
				}
			}
			initData(c, id, a, err)
		},
		"initWithMTLBuffer:shape:dataType:":          func(c *objcsoft.Call) { initBuffer(c, 0) },
		"initWithMTLBuffer:shape:dataType:rowBytes:": func(c *objcsoft.Call) { initBuffer(c, c.Uint(3)) },
		"initWithMPSNDArray:": func(c *objcsoft.Call) {
			a, ok := adapter.Payload[*softmps.NDArray](c, 0)
			if !ok {
				return
			}
			initData(c, c.ID(0), a, c.RT.Retain(c.ID(0)))
		},
		"mpsndarray": adapter.Method(func(d *data, c *objcsoft.Call) {
			if err := d.Err(); err != nil {
				adapter.Misuse(c, "%v", err)
				return
			}
			c.ReturnShared(d.id)
		}),
		"shape":    adapter.Method(func(d *data, c *objcsoft.Call) { softmps.ReturnIntegers(c, d.array.Shape) }),
		"dataType": adapter.Method(func(d *data, c *objcsoft.Call) { c.ReturnUint(softmps.DataType(d.array.Type)) }),
		"device": adapter.Method(func(d *data, c *objcsoft.Call) {
			d.array.Device.Retain()
			c.ReturnAutoreleased(c.RT.NewObject(c.RT.Class("MPSGraphDevice"), &device{d.array.Device}))
		}),
	}
}

// initBuffer wraps a buffer; rowBytes is the distance between rows of the last dimension, 0 if they
// are packed.
func initBuffer(c *objcsoft.Call, rowBytes uint64) {
	if c.ID(0) == 0 {
		adapter.Misuse(c, "the buffer is nil")
		return
	}
	v, err := argView(c, 1, 2)
	if size := uint64(v.Type.Size()); err == nil && rowBytes != 0 && v.Rank() > 1 {
		if last := v.Shape[v.Rank()-1]; rowBytes%size != 0 || rowBytes < uint64(last)*size {
			err = fmt.Errorf("rows of %d bytes for %d elements of %v", rowBytes, last, v.Type)
		}
		stride := int(rowBytes / size)
		for d := v.Rank() - 2; d >= 0; d-- {
			v.Strides[d] = stride
			stride *= v.Shape[d]
		}
	}
	var id objcsoft.ID
	var a *softmps.NDArray
	if err == nil {
		b := mtl.BufferFrom(objc.ID(c.ID(0)))
		id, a, err = softmps.WrapNDArray(c.RT, b.Device(), b, 0, v)
	}
	initData(c, id, a, err)
}

func dataClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "MPSGraphTensorData", Super: "MPSGraphObject", Methods: dataMethods(),
			Dealloc: adapter.DeallocHook(func(d *data, o *objcsoft.Object) { o.Drop(d.id) })},
		{Name: "MPSGraphDevice", Super: "MPSGraphObject",
			ClassMethods: adapter.Methods{"deviceWithMTLDevice:": func(c *objcsoft.Call) {
				if d, ok := softmps.DeviceArg(c, 0); ok {
					d.Retain()
					c.ReturnAutoreleased(c.RT.NewObject(c.RT.Class("MPSGraphDevice"), &device{d}))
				}
			}},
			Methods: adapter.Methods{
				"metalDevice": adapter.Method(func(d *device, c *objcsoft.Call) {
					c.ReturnShared(objcsoft.ID(d.metal.ID()))
				}),
				"type": adapter.Constantly(0), // MPSGraphDeviceTypeMetal
			},
			Dealloc: adapter.DeallocHook(func(d *device, _ *objcsoft.Object) { d.metal.Release() })},
	}
}
