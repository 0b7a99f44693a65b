package softmps

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/tensorop/encode"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// arrayKernel is the payload of the kernels on NDArrays.
type arrayKernel struct {
	Kernel
	arrayOp
	allocator objcsoft.ID // of destinations, retained
}

// array returns the part that all kernels on NDArrays have.
func (k *arrayKernel) array() *arrayKernel { return k }

// arrayPayload is a payload that embeds arrayKernel.
type arrayPayload interface {
	kernelState
	array() *arrayKernel
}

// arrayOp is what a kernel on NDArrays does.
type arrayOp struct {
	sources int
	// infer returns the type and the shape of the result, slowest dimension first.
	infer func(k *arrayKernel, in []*NDArray) (tensorop.Type, []int, error)
	build func(k *arrayKernel, b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) error
	// unpacks says that the operation takes arrays of 4-bit integers.
	unpacks bool
	// bind returns infer and build for an encoding, if they need to know the arrays.
	bind func(k *arrayKernel, in []*NDArray) arrayOp
}

// result returns the type and the shape of the result, or what is wrong with the sources.
func (k *arrayKernel) result(in []*NDArray) (op arrayOp, t tensorop.Type, shape []int, err error) {
	op = k.arrayOp
	if op.infer == nil && op.bind == nil {
		return op, 0, nil, fmt.Errorf("a kernel of a class without an operation; make one of a subclass")
	}
	if len(in) != k.sources {
		return op, 0, nil, fmt.Errorf("%d source arrays; the kernel takes %d", len(in), k.sources)
	}
	for i, a := range in {
		if a.nibbles != 0 && !k.unpacks {
			return op, 0, nil, fmt.Errorf("source array %d has 4-bit integers, which the kernel does not take", i)
		}
	}
	if op.bind != nil {
		op = op.bind(k, in)
	}
	t, shape, err = op.infer(k, in)
	return op, t, shape, err
}

// destination makes the array for a result, +1, by way of the allocator if there is one. The
// command buffer is an argument.
func (k *arrayKernel) destination(c *objcsoft.Call, buffer int, t tensorop.Type, shape []int) (objcsoft.ID,
	*NDArray, error) {
	if k.allocator == 0 {
		return NewNDArray(c.RT, k.Device, tensorop.Dense(t, shape...))
	}
	d, err := newDescriptor(DataType(t), reversed(shape))
	if err != nil {
		return 0, nil, err
	}
	descriptor := c.RT.NewObject(c.RT.Class("MPSNDArrayDescriptor"), d)
	defer adapter.Release(c.RT, descriptor)
	w, err := c.RT.Message(k.allocator, "arrayForCommandBuffer:arrayDescriptor:kernel:", "@@:@@@", uintptr(c.ID(buffer)),
		uintptr(descriptor), uintptr(c.Self.ID()))
	if err != nil {
		return 0, nil, err
	}
	id := objcsoft.ID(w)
	a, ok := adapter.PayloadOf[*NDArray](c.RT, id)
	if !ok {
		return 0, nil, fmt.Errorf("the allocator of destinations returned no array")
	}
	return id, a, c.RT.Retain(id)
}

// encode encodes the kernel to the command buffer in argument 0; without a result it makes one. It
// returns the result, +1 if it is new.
func (k *arrayKernel) encode(c *objcsoft.Call, in []*NDArray, result *NDArray) (id objcsoft.ID) {
	return k.encodeTo(c, 0, in, result)
}

// encodeTo is encode with the command buffer in another argument: in argument 1, argument 0 is a
// compute encoder to which the kernel is encoded.
func (k *arrayKernel) encodeTo(c *objcsoft.Call, buffer int, in []*NDArray, result *NDArray) (id objcsoft.ID) {
	cb, ok := CommandBufferArg(c, buffer)
	if !ok {
		return 0
	}
	if buffer > 0 && c.ID(0) == 0 {
		adapter.Misuse(c, "the compute command encoder is nil")
		return 0
	}
	op, t, shape, err := k.result(in)
	if err == nil && result == nil {
		id, result, err = k.destination(c, buffer, t, shape)
	}
	if err == nil && result.nibbles != 0 {
		err = fmt.Errorf("the destination has 4-bit integers, which kernels do not write")
	}
	if err == nil && !slices.Equal(result.Shape, shape) {
		err = fmt.Errorf("the result has the shape %v and the destination %v", shape, result.Shape)
	}
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return id
	}
	build := func(b *tensorop.Builder, in, out []tensorop.Operand) {
		if err := op.build(k, b, in, out[0]); err != nil {
			b.Fail(err)
		}
	}
	encodePlan(c, in, []*NDArray{result}, build, func(p *tensorop.Plan, buffers []encode.Buffer) error {
		if buffer > 0 {
			return Encoder(c.RT, k.Device).EncodeTo(mtl.ComputeCommandEncoderFrom(objc.ID(c.ID(0))), p, buffers)
		}
		return Encoder(c.RT, k.Device).Encode(cb, p, buffers)
	})
	return id
}

// encodeMethod makes a method that encodes the kernel to the command buffer in argument 0: sources
// are the arguments that are arrays, or with all a single argument that is an NSArray of them;
// destination is an argument, or below zero.
func encodeMethod(destination int, all bool, sources ...int) objcsoft.Imp {
	return encodeMethodTo(0, destination, all, sources...)
}

// encodeMethodTo is encodeMethod with the command buffer in another argument, as for encodeTo.
func encodeMethodTo(buffer, destination int, all bool, sources ...int) objcsoft.Imp {
	return adapter.Method(func(k *arrayKernel, c *objcsoft.Call) {
		var in []*NDArray
		if all {
			list, err := adapter.Payloads[*NDArray](c.RT, c.ID(sources[0]))
			if err != nil {
				adapter.Misuse(c, "the source arrays: %v", err)
				return
			}
			in = list
		} else {
			for _, s := range sources {
				a, ok := adapter.Payload[*NDArray](c, s)
				if !ok {
					if !c.Failed() {
						adapter.Misuse(c, "argument %d is nil, not an array", s)
					}
					return
				}
				in = append(in, a)
			}
		}
		var result *NDArray
		if destination >= 0 {
			var ok bool
			if result, ok = adapter.Payload[*NDArray](c, destination); !ok {
				if !c.Failed() {
					adapter.Misuse(c, "the destination array is nil")
				}
				return
			}
		}
		if id := k.encodeTo(c, buffer, in, result); id != 0 {
			c.ReturnAutoreleased(id)
		}
	})
}

func arrayKernelClasses() []adapter.Class {
	plain := func(op arrayOp) objcsoft.Imp {
		return func(c *objcsoft.Call) { initKernel(c, &arrayKernel{arrayOp: op}) }
	}
	const two = "encodeToCommandBuffer:primarySourceArray:secondarySourceArray:"
	const onBuffer, to = "reshapeWithCommandBuffer:sourceArray:", "destinationArray:"
	const onEncoder = "reshapeWithCommandEncoder:commandBuffer:sourceArray:"
	return []adapter.Class{
		multiaryClass(),
		{Name: "MPSNDArrayMultiaryKernel", Super: "MPSNDArrayMultiaryBase", Methods: adapter.Methods{
			"encodeToCommandBuffer:sourceArrays:":                                 encodeMethod(-1, true, 1),
			"encodeToCommandBuffer:sourceArrays:destinationArray:":                encodeMethod(2, true, 1),
			"encodeToCommandEncoder:commandBuffer:sourceArrays:destinationArray:": encodeMethodTo(1, 3, true, 2),
		}},
		withProperties(adapter.Class{Name: "MPSNDArrayUnaryKernel", Super: "MPSNDArrayMultiaryKernel",
			Methods: adapter.Methods{
				"encodeToCommandBuffer:sourceArray:":                  encodeMethod(-1, false, 1),
				"encodeToCommandBuffer:sourceArray:destinationArray:": encodeMethod(2, false, 1),
			}}, nil),
		withProperties(adapter.Class{Name: "MPSNDArrayBinaryKernel", Super: "MPSNDArrayMultiaryKernel",
			Methods: adapter.Methods{
				two:                       encodeMethod(-1, false, 1, 2),
				two + "destinationArray:": encodeMethod(3, false, 1, 2),
			}}, nil),
		withProperties(adapter.Class{Name: "MPSNDArrayMatrixMultiplication", Super: "MPSNDArrayMultiaryKernel",
			Methods: adapter.Methods{"initWithDevice:sourceCount:": func(c *objcsoft.Call) {
				if n := c.Uint(1); n != 2 && n != 3 {
					adapter.Misuse(c, "a product of %d arrays; it takes 2, and a third to add", n)
					return
				}
				plain(arrayOp{sources: int(c.Uint(1)), infer: productShape, build: buildProduct})(c)
			}}}, map[string]uintptr{"alpha": doubleOne}),
		withProperties(adapter.Class{Name: "MPSNDArrayGather", Super: "MPSNDArrayBinaryKernel",
			Methods: adapter.Methods{
				"initWithDevice:": plain(arrayOp{sources: 2,
					infer: func(k *arrayKernel, in []*NDArray) (tensorop.Type, []int, error) {
						shape, err := tensorop.GatherShape(in[0].Shape, in[1].Shape, k.gatherAxis(in[0].Rank()), 0)
						return in[0].Type, shape, err
					},
					build: func(k *arrayKernel, b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) error {
						b.Gather(out, in[0], in[1], k.gatherAxis(in[0].Rank()), 0)
						return nil
					}}),
			}}, nil),
		{Name: "MPSNDArrayIdentity", Super: "MPSNDArrayUnaryKernel", Methods: adapter.Methods{
			"initWithDevice:": plain(arrayOp{sources: 1,
				infer: func(_ *arrayKernel, in []*NDArray) (tensorop.Type, []int, error) {
					return in[0].Type, in[0].Shape, nil
				},
				build: func(_ *arrayKernel, b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) error {
					b.Copy(out, in[0])
					return nil
				}}),
			onBuffer + "shape:" + to:                          reshapeTo(0),
			onEncoder + "shape:" + to:                         reshapeTo(1),
			onBuffer + "dimensionCount:dimensionSizes:" + to:  reshapeSizesTo(0),
			onEncoder + "dimensionCount:dimensionSizes:" + to: reshapeSizesTo(1),
		}},
		withProperties(adapter.Class{Name: "MPSNDArrayStridedSlice", Super: "MPSNDArrayUnaryKernel",
			Methods: adapter.Methods{
				"setStrides:": adapter.Method(func(k *arrayKernel, c *objcsoft.Call) {
					k.set("strides", slices.Clone(c.Words(0))...)
				}),
				"initWithDevice:": plain(arrayOp{sources: 1,
					infer: func(k *arrayKernel, in []*NDArray) (tensorop.Type, []int, error) {
						v, err := k.strided(in[0].View)
						return in[0].Type, v.Shape, err
					},
					build: func(k *arrayKernel, b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) error {
						v, err := k.strided(in[0].View)
						if err == nil {
							b.Copy(out, in[0].With(v))
						}
						return err
					}}),
			}}, nil),
	}
}

// multiaryClass declares what all kernels on NDArrays have.
func multiaryClass() adapter.Class {
	m := adapter.Methods{
		"initWithDevice:sourceCount:": func(c *objcsoft.Call) {
			initKernel(c, &arrayKernel{arrayOp: arrayOp{sources: int(c.Uint(1))}})
		},
		"destinationArrayAllocator": adapter.Method(func(p arrayPayload, c *objcsoft.Call) {
			k := p.array()
			c.ReturnShared(k.allocator)
		}),
		"setDestinationArrayAllocator:": adapter.Method(func(p arrayPayload, c *objcsoft.Call) {
			k := p.array()
			if id := c.ID(0); id != 0 {
				if err := c.RT.Retain(id); err != nil {
					c.Fail(err)
					return
				}
			}
			old := k.allocator
			k.allocator = c.ID(0)
			if old != 0 {
				adapter.Release(c.RT, old)
			}
		}),
		"destinationArrayDescriptorForSourceArrays:sourceState:": adapter.Method(func(p arrayPayload,
			c *objcsoft.Call) {
			k := p.array()
			in, err := adapter.Payloads[*NDArray](c.RT, c.ID(0))
			var t tensorop.Type
			var shape []int
			if err == nil {
				_, t, shape, err = k.result(in)
			}
			if err != nil {
				adapter.Misuse(c, "%v", err)
				return
			}
			newDescriptorObject(c, DataType(t), reversed(shape))
		}),
	}
	// The properties of a source, of which only a strided slice has one that can be set.
	for sel, property := range map[string]string{"offsetsAtSourceIndex:": "offsets", "stridesForSourceIndex:": "strides",
		"edgeModeAtSourceIndex:": "edgeMode", "kernelSizesForSourceIndex:": "kernelSizes",
		"dilationRatesForSourceIndex:": "dilationRates"} {
		words := 16
		if property == "edgeMode" {
			words = 1
		}
		m[sel] = adapter.Method(func(p arrayPayload, c *objcsoft.Call) {
			k := p.array()
			if i := c.Uint(0); i >= uint64(k.sources) {
				adapter.Misuse(c, "source %d of a kernel with %d", i, k.sources)
				return
			}
			w := k.words(property)
			if w == nil {
				w = make([]uintptr, words)
			}
			c.ReturnWords(w...)
		})
	}
	return adapter.Class{Name: "MPSNDArrayMultiaryBase", Super: "MPSKernel", Methods: m,
		Dealloc: adapter.DeallocHook(func(p arrayPayload, o *objcsoft.Object) { o.Drop(p.array().allocator) })}
}

// gatherAxis returns the axis, which the property counts from the fastest dimension.
func (k *arrayKernel) gatherAxis(rank int) int { return rank - 1 - k.number("axis", 0) }

// strided takes every n-th element of each dimension; a stride of 0 stands for 1.
func (k *arrayKernel) strided(v tensorop.View) (tensorop.View, error) {
	for i, w := range k.words("strides") {
		if dim := v.Rank() - 1 - i; dim >= 0 && int(w) != 0 {
			if int(w) < 0 {
				return v, fmt.Errorf("stride %d of dimension %d is negative", int(w), i)
			}
			var err error
			if v, err = v.Slice(dim, 0, v.Shape[dim], int(w)); err != nil {
				return v, err
			}
		}
	}
	return v, nil
}

// productShape is the shape of a product of matrices in the fastest two dimensions.
func productShape(_ *arrayKernel, in []*NDArray) (tensorop.Type, []int, error) {
	if in[0].Type != in[1].Type {
		return 0, nil, fmt.Errorf("a product of %v and %v; the types must be equal", in[0].Type, in[1].Type)
	}
	shape, err := tensorop.MatMulShape(in[0].Shape, in[1].Shape)
	return in[0].Type, shape, err
}

// buildProduct computes alpha * x * y, and adds beta times a third array.
func buildProduct(k *arrayKernel, b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) error {
	alpha, beta := float32(k.double("alpha", 1)), float32(k.double("beta", 0))
	if len(in) < 3 {
		b.MatMul(out, in[0], in[1], alpha, 0)
		return nil
	}
	b.Copy(out, in[2])
	b.MatMul(out, in[0], in[1], alpha, beta)
	return nil
}

// reshapeTo makes a method that reshapes to an NSArray of sizes; the command buffer is an argument,
// as for encodeTo.
func reshapeTo(buffer int) objcsoft.Imp {
	return adapter.Method(func(k *arrayKernel, c *objcsoft.Call) {
		if shape, ok := IntegersArg(c, buffer+2); ok {
			k.reshape(c, buffer, shape, buffer+3)
		}
	})
}

// reshapeSizesTo is reshapeTo with the sizes as a C array, the fastest dimension first.
func reshapeSizesTo(buffer int) objcsoft.Imp {
	return adapter.Method(func(k *arrayKernel, c *objcsoft.Call) {
		k.reshape(c, buffer, reversed(sizesArg(c, buffer+3, c.Uint(buffer+2))), buffer+4)
	})
}

// reshape returns the source, in the argument after the command buffer, with another shape, as a
// copy or in the destination.
func (k *arrayKernel) reshape(c *objcsoft.Call, buffer int, shape []int, destination int) {
	a, ok := adapter.Payload[*NDArray](c, buffer+1)
	if !ok {
		if !c.Failed() {
			adapter.Misuse(c, "the source array is nil")
		}
		return
	}
	moved := &arrayKernel{arrayOp: arrayOp{sources: 1,
		infer: func(_ *arrayKernel, in []*NDArray) (tensorop.Type, []int, error) {
			if tensorop.Elements(shape) != in[0].Elements() {
				return 0, nil, fmt.Errorf("%d elements of shape %v as shape %v", in[0].Elements(), in[0].Shape, shape)
			}
			return in[0].Type, shape, nil
		},
		build: func(_ *arrayKernel, b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) error {
			if v, ok := out.Reshape(in[0].Shape...); ok {
				b.Copy(out.With(v), in[0])
				return nil
			}
			dense := b.Temp(in[0].Type, in[0].Shape...)
			b.Copy(dense, in[0])
			v, _ := dense.Reshape(shape...)
			b.Copy(out, dense.With(v))
			return nil
		}}}
	moved.Device, moved.allocator = k.Device, k.allocator
	if c.ID(destination) == 0 {
		if id := moved.encodeTo(c, buffer, []*NDArray{a}, nil); id != 0 {
			c.ReturnAutoreleased(id)
		}
		return
	}
	if result, ok := adapter.Payload[*NDArray](c, destination); ok {
		moved.encodeTo(c, buffer, []*NDArray{a}, result)
		c.ReturnShared(c.ID(destination))
	}
}
