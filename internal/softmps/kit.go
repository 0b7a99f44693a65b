package softmps

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/tensorop/encode"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
	"github.com/puremetal/puremetal/simd/float16"
)

// encoders has the encoder of each device. They live as long as the process, as devices do.
var encoders struct {
	sync.Mutex
	of map[objc.ID]*encode.Encoder
}

// Encoder returns the encoder of a device. Its pipelines do not count as leaks.
func Encoder(rt *objcsoft.Runtime, d mtl.Device) *encode.Encoder {
	encoders.Lock()
	defer encoders.Unlock()
	e := encoders.of[d.ID()]
	if e == nil {
		if encoders.of == nil {
			encoders.of = map[objc.ID]*encode.Encoder{}
		}
		e = encode.New(d, func(p mtl.ComputePipelineState) { _ = rt.Keep(objcsoft.ID(p.ID())) })
		encoders.of[d.ID()] = e
	}
	return e
}

// DeviceArg returns the device in an argument. Nil is misuse, and false.
func DeviceArg(c *objcsoft.Call, arg int) (mtl.Device, bool) {
	if c.ID(arg) == 0 {
		adapter.Misuse(c, "the device is nil")
		return mtl.Device{}, false
	}
	return mtl.DeviceFrom(objc.ID(c.ID(arg))), true
}

// CommandBufferArg returns Metal's command buffer in an argument, which may be an MPSCommandBuffer.
// Nil is misuse, and false.
func CommandBufferArg(c *objcsoft.Call, arg int) (mtl.CommandBuffer, bool) {
	id := c.ID(arg)
	if id == 0 {
		adapter.Misuse(c, "the command buffer is nil")
		return mtl.CommandBuffer{}, false
	}
	if b, ok := adapter.PayloadOf[*commandBuffer](c.RT, id); ok {
		id = b.current
	}
	return mtl.CommandBufferFrom(objc.ID(id)), true
}

// CommitAndWait commits the MPSCommandBuffer in an argument, which goes on with a new command
// buffer, and waits until the old one has completed.
func CommitAndWait(c *objcsoft.Call, arg int) error {
	b, ok := adapter.PayloadOf[*commandBuffer](c.RT, c.ID(arg))
	if !ok {
		return fmt.Errorf("control flow needs a command buffer of MPS, which can be committed and continued")
	}
	old := mtl.CommandBufferFrom(objc.ID(b.current))
	old.Retain()
	defer old.Release()
	if b.commitAndContinue(c); c.Failed() {
		return nil
	}
	return old.WaitUntilCompleted()
}

// Init gives the receiver of an init method its payload and returns it.
func Init(c *objcsoft.Call, payload any) {
	c.Self.Payload = payload
	c.ReturnID(c.Self.ID())
}

// Integers returns the values of an NSArray of NSNumbers; nil has none.
func Integers(rt *objcsoft.Runtime, id objcsoft.ID) ([]int, error) {
	items, err := rt.ArrayItems(id)
	if err != nil || id == 0 {
		return nil, err
	}
	out := make([]int, len(items))
	for i, item := range items {
		n, err := rt.GoNumber(item)
		if err != nil {
			return nil, fmt.Errorf("element %d of the array: %w", i, err)
		}
		out[i] = int(n.Int)
	}
	return out, nil
}

// IntegersArg returns the values of an NSArray of NSNumbers in an argument. It fails the call and
// returns false if there are others.
func IntegersArg(c *objcsoft.Call, arg int) ([]int, bool) {
	v, err := Integers(c.RT, c.ID(arg))
	if err != nil {
		adapter.Misuse(c, "%v", err)
	}
	return v, err == nil
}

// NewIntegers returns an NSArray of NSNumbers, +1.
func NewIntegers(rt *objcsoft.Runtime, values []int) (objcsoft.ID, error) {
	ids := make([]objcsoft.ID, len(values))
	for i, v := range values {
		ids[i] = rt.NewInt(int64(v))
	}
	array, err := rt.NewArray(ids)
	for _, id := range ids {
		if err := rt.Release(id); err != nil {
			return 0, err
		}
	}
	return array, err
}

// ReturnIntegers returns an NSArray of NSNumbers, +0.
func ReturnIntegers(c *objcsoft.Call, values []int) {
	id, err := NewIntegers(c.RT, values)
	if err != nil {
		c.Fail(err)
		return
	}
	c.ReturnAutoreleased(id)
}

// dataTypes pairs each MPSDataType that kernels compute with and its type of tensors.
var dataTypes = [...]struct {
	mps      uint32
	elements tensorop.Type
}{
	{mpsdata.DataTypeFloat32, tensorop.Float32}, {mpsdata.DataTypeFloat16, tensorop.Float16},
	{mpsdata.DataTypeBFloat16, tensorop.BFloat16},
	{mpsdata.DataTypeInt8, tensorop.Int8}, {mpsdata.DataTypeInt16, tensorop.Int16},
	{mpsdata.DataTypeInt32, tensorop.Int32}, {mpsdata.DataTypeInt64, tensorop.Int64},
	{mpsdata.DataTypeUInt8, tensorop.Uint8}, {mpsdata.DataTypeUInt16, tensorop.Uint16},
	{mpsdata.DataTypeUInt32, tensorop.Uint32}, {mpsdata.DataTypeUInt64, tensorop.Uint64},
	{mpsdata.DataTypeBool, tensorop.Bool},
	{mpsdata.DataTypeComplexFloat32, tensorop.Complex64}, {mpsdata.DataTypeComplexFloat16, tensorop.Complex32},
}

// TypeOf returns the type of tensors for an MPSDataType.
func TypeOf(dataType uint64) (tensorop.Type, error) {
	for _, d := range dataTypes {
		if d.mps == uint32(dataType) {
			return d.elements, nil
		}
	}
	return 0, fmt.Errorf("the software device does not compute with MPSDataType %#x", uint32(dataType))
}

// DataType returns the MPSDataType of a type.
func DataType(t tensorop.Type) uint64 {
	for _, d := range dataTypes {
		if d.elements == t {
			return uint64(d.mps)
		}
	}
	return 0
}

// Encode builds a plan and encodes it to a command buffer. Misuse of an operation fails the call.
func Encode(c *objcsoft.Call, d mtl.Device, cb mtl.CommandBuffer, inputs, outputs []*NDArray,
	build func(b *tensorop.Builder, in, out []tensorop.Operand)) {
	encodePlan(c, inputs, outputs, build, func(p *tensorop.Plan, buffers []encode.Buffer) error {
		return Encoder(c.RT, d).Encode(cb, p, buffers)
	})
}

// encodePlan builds a plan and calls encodes with it and with its buffers.
func encodePlan(c *objcsoft.Call, inputs, outputs []*NDArray, build func(b *tensorop.Builder, in,
	out []tensorop.Operand), encodes func(p *tensorop.Plan, buffers []encode.Buffer) error) {
	views := func(list []*NDArray) (v []tensorop.View) {
		for _, a := range list {
			v = append(v, a.View)
		}
		return v
	}
	b, in, out := tensorop.NewBuilder(views(inputs), views(outputs))
	for _, a := range slices.Concat(inputs, outputs) {
		if err := a.usable(); err != nil {
			b.Fail(err)
		}
	}
	build(b, in, out)
	p, err := b.Plan()
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	read := map[*readCount]bool{nil: true}
	for _, a := range inputs {
		if !read[a.reads] { // once for each kernel
			read[a.reads] = true
			a.reads.left--
		}
	}
	var buffers []encode.Buffer
	for _, list := range [][]*NDArray{inputs, outputs} {
		for _, a := range list {
			buffers = append(buffers, encode.Buffer{Buffer: a.Buffer, Offset: a.Offset})
		}
	}
	objc.Pool(func() { err = encodes(p, buffers) })
	if err != nil {
		c.Fail(err)
	}
}

// Element returns the bytes of an element with a value. Real types have no imaginary part; integers
// take the part of the value before the point, and Bool is whether it differs from 0.
func Element(t tensorop.Type, re, im float64) []byte {
	le := binary.LittleEndian
	var b []byte
	switch t {
	case tensorop.Float32:
		return le.AppendUint32(b, math.Float32bits(float32(re)))
	case tensorop.Float16:
		return le.AppendUint16(b, uint16(float16.HalfOf(float32(re))))
	case tensorop.BFloat16:
		return le.AppendUint16(b, uint16(float16.BFloat16Of(float32(re))))
	case tensorop.Complex64, tensorop.Complex32:
		part := tensorop.Float32
		if t == tensorop.Complex32 {
			part = tensorop.Float16
		}
		return append(Element(part, re, 0), Element(part, im, 0)...)
	case tensorop.Bool:
		if re != 0 {
			return []byte{1}
		}
		return []byte{0}
	case tensorop.Uint64:
		return le.AppendUint64(b, uint64(re))
	}
	return le.AppendUint64(b, uint64(int64(re)))[:t.Size()]
}
