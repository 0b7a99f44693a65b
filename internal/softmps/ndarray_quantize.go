package softmps

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// nibbles is the MPSDataType of an array of 4-bit integers, 0 for other arrays. Two neighbors of
// dimension 0 share a byte, the first one in its low half; the array's view has the bytes. Only
// kernels that dequantize take such arrays.
type nibbles uint64

func (d *ndarrayDescriptor) nibbles() nibbles {
	if d.dataType == mpsdata.DataTypeInt4 || d.dataType == mpsdata.DataTypeUInt4 {
		return nibbles(d.dataType)
	}
	return 0
}

// packedView is the view of the bytes of 4-bit integers of a shape.
func packedView(shape []int) (tensorop.View, error) {
	last := len(shape) - 1
	if shape[last]%2 != 0 {
		return tensorop.View{}, fmt.Errorf("4-bit integers with %d elements in dimension 0; it must be even", shape[last])
	}
	shape[last] /= 2
	return tensorop.Dense(tensorop.Uint8, shape...), nil
}

// logical returns the shape in elements.
func (a *NDArray) logical() []int {
	shape := slices.Clone(a.Shape)
	if a.nibbles != 0 {
		shape[len(shape)-1] *= 2
	}
	return shape
}

// mpsType returns the MPSDataType of the elements.
func (a *NDArray) mpsType() uint64 {
	if a.nibbles != 0 {
		return uint64(a.nibbles)
	}
	return DataType(a.Type)
}

// quantization is the payload of an MPSNDArrayQuantizationDescriptor.
type quantization struct {
	scheme, dataType        uint64
	zero, minimum, implicit bool
	vector                  bool
	axis                    uint64
}

// auxiliary returns how many arrays the quantization needs besides the integers.
func (q *quantization) auxiliary() int {
	switch {
	case q == nil:
		return 0
	case q.scheme == mpsdata.NDArrayQuantizationTypeLUT:
		return 1
	}
	n := 1
	for _, has := range []bool{q.zero, q.minimum} {
		if has {
			n++
		}
	}
	return n
}

// quantized is an array with what its quantization needs.
type quantized struct {
	*quantization
	array *NDArray
	more  []*NDArray
}

// check returns the shape of the numbers and their type, or what is wrong.
func (q quantized) check() (tensorop.Type, []int, error) {
	shape := q.array.logical()
	if q.quantization == nil {
		if q.array.nibbles != 0 || !q.array.Type.Float() {
			return 0, nil, fmt.Errorf("elements of MPSDataType %#x without a quantization", q.array.mpsType())
		}
		return q.array.Type, shape, nil
	}
	if got := q.array.mpsType(); q.dataType != got {
		return 0, nil, fmt.Errorf("quantized elements of MPSDataType %#x; the descriptor says %#x", got, q.dataType)
	}
	if !q.array.Type.Integer() {
		return 0, nil, fmt.Errorf("quantized elements of type %v; they are integers", q.array.Type)
	}
	t := q.more[0].Type
	if !t.Float() {
		return 0, nil, fmt.Errorf("a scale or a lookup table of %v; they have floating-point numbers", t)
	}
	if q.scheme == mpsdata.NDArrayQuantizationTypeLUT {
		return q.checkTable(t, shape)
	}
	for i, a := range q.more {
		if a.nibbles != 0 {
			return 0, nil, fmt.Errorf("auxiliary array %d has 4-bit integers", i)
		}
		if len(a.Shape) != len(shape) {
			return 0, nil, fmt.Errorf("auxiliary array %d of shape %v for elements of shape %v", i, a.Shape, shape)
		}
		for d, n := range a.Shape {
			if shape[d]%n != 0 {
				return 0, nil, fmt.Errorf("auxiliary array %d of shape %v for elements of shape %v", i, a.Shape, shape)
			}
		}
	}
	return t, shape, nil
}

func (q quantized) checkTable(t tensorop.Type, shape []int) (tensorop.Type, []int, error) {
	table := q.more[0].Shape
	entries, width := tensorop.Elements(table), 1
	if q.vector {
		width = table[len(table)-1]
		entries /= width
		if q.axis >= uint64(len(shape)) {
			return 0, nil, fmt.Errorf("vector axis %d of an array with %d dimensions", q.axis, len(shape))
		}
		shape[len(shape)-1-int(q.axis)] *= width
	}
	bits := 8 * q.array.Type.Size()
	if q.array.nibbles != 0 {
		bits = 4
	}
	if q.array.Type.Signed() || q.array.nibbles == mpsdata.DataTypeInt4 || bits > 8 {
		return 0, nil, fmt.Errorf("elements of MPSDataType %#x as places in a lookup table; they are unsigned and have "+
			"at most 8 bits", q.array.mpsType())
	}
	if entries != 1<<bits {
		return 0, nil, fmt.Errorf("a lookup table of shape %v has %d entries; elements of %d bits need %d", table, entries,
			bits, 1<<bits)
	}
	return t, shape, nil
}

// operands is the integers of a quantized array and what else it needs, among a plan's operands.
func (q quantized) operands(in []tensorop.Operand, array int, more int) []tensorop.Operand {
	return append([]tensorop.Operand{in[array]}, in[more:more+q.auxiliary()]...)
}

// write writes the numbers to out.
func (q quantized) write(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) error {
	values := in[0]
	if q.array.nibbles != 0 {
		values = unpack(b, in[0], q.array, q.quantization != nil && q.implicit)
	}
	switch {
	case q.quantization == nil:
		b.Copy(out, values)
		return nil
	case q.scheme == mpsdata.NDArrayQuantizationTypeLUT:
		return q.lookUp(b, out, values, in[1])
	}
	// Each dimension is split into blocks, which have a scale each.
	inputs, to, err := blocked(out, append([]tensorop.Operand{values}, in[1:]...))
	if err != nil {
		return err
	}
	p := &program{inputs: len(inputs)}
	v, next := p.load(0), 2
	if q.zero {
		v = p.do("sub", v, p.load(next))
		next++
	}
	v = p.do("mul", v, p.load(1))
	if q.minimum {
		v = p.do("add", v, p.load(next))
	}
	p.save(b, to, inputs, v)
	return nil
}

// blocked splits the dimensions of elements, the first input and the result, into blocks of which
// each has one element of the other inputs.
func blocked(out tensorop.Operand, in []tensorop.Operand) ([]tensorop.Operand, tensorop.Operand, error) {
	rank := out.Rank()
	views := []tensorop.View{out.View}
	for _, o := range in {
		views = append(views, o.View)
	}
	for d := rank - 1; d >= 0; d-- {
		blocks := 1
		for _, v := range views[2:] {
			blocks = max(blocks, v.Shape[d])
		}
		for i := range views {
			inner := max(views[i].Shape[d]/blocks, 1)
			if i > 1 {
				inner = 1
			}
			v, err := views[i].Split(d, inner)
			if err != nil {
				return nil, out, err
			}
			if i > 1 && v.Shape[d] != 1 && v.Shape[d] != blocks {
				return nil, out, fmt.Errorf("auxiliary arrays with %d and %d elements in a dimension", v.Shape[d], blocks)
			}
			views[i] = v
		}
	}
	inputs := make([]tensorop.Operand, len(in))
	for i, o := range in {
		inputs[i] = o.With(views[i+1])
	}
	return inputs, out.With(views[0]), nil
}

// lookUp writes the entries of a table whose places are the elements. The numbers of an entry of
// vectors are neighbors along the axis.
func (q quantized) lookUp(b *tensorop.Builder, out, places, table tensorop.Operand) error {
	width := 1
	if q.vector {
		width = table.Shape[len(table.Shape)-1]
	}
	flat, ok := table.Reshape(tensorop.Elements(table.Shape)/width, width)
	if !ok {
		dense := b.Temp(table.Type, table.Shape...)
		b.Copy(dense, table)
		table = dense
		flat, _ = dense.Reshape(tensorop.Elements(table.Shape)/width, width)
	}
	to := out.View
	if q.vector {
		axis := len(places.Shape) - 1 - int(q.axis)
		v, err := to.Split(axis, width)
		if err != nil {
			return err
		}
		order := make([]int, 0, len(v.Shape))
		for d := range v.Shape {
			if d != axis+1 {
				order = append(order, d)
			}
		}
		to = v.Transpose(append(order, axis+1)...)
	} else {
		v, err := to.Split(len(to.Shape)-1, 1)
		if err != nil {
			return err
		}
		to = v
	}
	found := b.Temp(table.Type, to.Shape...)
	wide := b.Temp(tensorop.Int32, places.Shape...)
	b.Copy(wide, places)
	b.Gather(found, table.With(flat), wide, 0, 0)
	b.Copy(out.With(to), found)
	return nil
}

// unpackText: thread x has byte x of a row.
const unpackText = `#include <metal_stdlib>
using namespace metal;
struct P { int columns, rows, offset; };
kernel void unpack(device const uchar *in [[buffer(0)]], device OUT *out [[buffer(1)]], constant P &p [[buffer(2)]],
                   uint2 id [[thread_position_in_grid]]) {
    int at = int(id.y) * p.columns + int(id.x);
    uchar v = in[p.offset + at];
    out[2 * at] = OUT(LOW);
    out[2 * at + 1] = OUT(HIGH);
}
`

// unpack returns 4-bit integers as bytes. implicit says that they are stored with 8 added.
func unpack(b *tensorop.Builder, in tensorop.Operand, a *NDArray, implicit bool) tensorop.Operand {
	if !in.IsDense() {
		b.Fail(fmt.Errorf("4-bit integers with strides %v", in.Strides))
		return in
	}
	t, text := tensorop.Uint8, "#define OUT uchar\n#define LOW v & 15\n#define HIGH v >> 4\n"
	switch {
	case implicit:
		t, text = tensorop.Int8, "#define OUT char\n#define LOW char(v & 15) - 8\n#define HIGH char(v >> 4) - 8\n"
	case a.nibbles == mpsdata.DataTypeInt4:
		t, text = tensorop.Int8, "#define OUT char\n#define LOW char(v << 4) >> 4\n#define HIGH char(v) >> 4\n"
	}
	out := b.Temp(t, a.logical()...)
	columns := in.Shape[len(in.Shape)-1]
	rows := tensorop.Elements(in.Shape) / columns
	var w tensorop.Words
	w.Int(columns, rows, in.Offset)
	b.Launch(text+unpackText, "unpack", [3]int{columns, rows, 1}, [3]int{}, []tensorop.Operand{in, out}, w)
	return out
}

// dequantizer is a kernel that writes the numbers of one array.
func dequantizer(q *quantization) arrayOp {
	of := func(k *arrayKernel, in []*NDArray) quantized {
		own := *q
		if own.vector {
			own.axis = uint64(k.number("vectorAxis", 0))
		}
		if own.dataType == mpsdata.DataTypeInvalid { // of kernels without a descriptor
			own.dataType = in[0].mpsType()
		}
		return quantized{&own, in[0], in[1:]}
	}
	return arrayOp{sources: 1 + q.auxiliary(), unpacks: true, bind: func(k *arrayKernel, in []*NDArray) arrayOp {
		now := of(k, in)
		return arrayOp{
			infer: func(*arrayKernel, []*NDArray) (tensorop.Type, []int, error) { return now.check() },
			build: func(_ *arrayKernel, b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) error {
				return now.write(b, out, in)
			}}
	}}
}

// quantizedProduct multiplies matrices of which each may be quantized: the sources are both
// matrices, then what the left and what the right one needs.
func quantizedProduct(left, right *quantization) arrayOp {
	bind := func(_ *arrayKernel, in []*NDArray) arrayOp {
		n := 2 + left.auxiliary()
		sides := []quantized{{left, in[0], in[2:n]}, {right, in[1], in[n:]}}
		shapes := make([][]int, 2)
		infer := func(*arrayKernel, []*NDArray) (t tensorop.Type, shape []int, err error) {
			for i := len(sides) - 1; i >= 0 && err == nil; i-- { // the result has the type of the left one
				if t, shapes[i], err = sides[i].check(); err != nil {
					err = fmt.Errorf("matrix %d: %w", i, err)
				}
			}
			if err == nil {
				shape, err = tensorop.MatMulShape(shapes[0], shapes[1])
			}
			return t, shape, err
		}
		build := func(k *arrayKernel, b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) error {
			var wide [2]tensorop.Operand
			more := 2
			for i, q := range sides {
				wide[i] = b.Temp(tensorop.Float32, shapes[i]...)
				if err := q.write(b, wide[i], q.operands(in, i, more)); err != nil {
					return err
				}
				more += q.auxiliary()
			}
			multiply(b, out, wide[0], wide[1], float32(k.double("alpha", 1)))
			return nil
		}
		return arrayOp{infer: infer, build: build}
	}
	return arrayOp{sources: 2 + left.auxiliary() + right.auxiliary(), unpacks: true, bind: bind}
}

func quantizeClasses() []adapter.Class {
	type q = *quantization
	flag := func(field func(d q) *bool) (get, set objcsoft.Imp) {
		return adapter.Method(func(d q, c *objcsoft.Call) { c.ReturnBool(*field(d)) }),
			adapter.Method(func(d q, c *objcsoft.Call) { *field(d) = c.Bool(0) })
	}
	zero, setZero := flag(func(d q) *bool { return &d.zero })
	minimum, setMinimum := flag(func(d q) *bool { return &d.minimum })
	implicit, _ := flag(func(d q) *bool { return &d.implicit })
	descriptor := func(c *objcsoft.Call, arg int) (q, bool) {
		if c.ID(arg) == 0 {
			return nil, true
		}
		d, ok := adapter.Payload[q](c, arg)
		if ok {
			twin := *d // later changes have no effect
			d = &twin
		}
		return d, ok
	}
	kernel := func(c *objcsoft.Call, op arrayOp) { initKernel(c, &arrayKernel{arrayOp: op}) }
	table := quantization{scheme: mpsdata.NDArrayQuantizationTypeLUT}
	const kernels = "MPSNDArrayMultiaryKernel"
	return []adapter.Class{
		{Name: "MPSNDArrayQuantizationDescriptor", Protocols: []string{"NSCopying"}, Methods: adapter.Methods{
			"quantizationDataType": adapter.Method(func(d q, c *objcsoft.Call) { c.ReturnUint(d.dataType) }),
			"quantizationScheme":   adapter.Method(func(d q, c *objcsoft.Call) { c.ReturnUint(d.scheme) }),
			"copyWithZone:": adapter.Method(func(d q, c *objcsoft.Call) {
				twin := *d
				c.ReturnID(c.RT.NewObject(c.Self.Class(), &twin))
			}),
		}},
		{Name: "MPSNDArrayAffineQuantizationDescriptor", Super: "MPSNDArrayQuantizationDescriptor",
			Methods: adapter.Methods{
				"init": func(c *objcsoft.Call) { Init(c, &quantization{scheme: mpsdata.NDArrayQuantizationTypeAffine}) },
				"initWithDataType:hasZeroPoint:hasMinValue:": func(c *objcsoft.Call) {
					Init(c, &quantization{scheme: mpsdata.NDArrayQuantizationTypeAffine, dataType: c.Uint(0),
						zero: c.Bool(1), minimum: c.Bool(2)})
				},
				"hasZeroPoint": zero, "setHasZeroPoint:": setZero,
				"hasMinValue": minimum, "setHasMinValue:": setMinimum,
				"implicitZeroPoint": implicit,
				"setImplicitZeroPoint:": adapter.Method(func(d q, c *objcsoft.Call) {
					if c.Bool(0) && d.dataType != mpsdata.DataTypeInt4 {
						adapter.Misuse(c, "an implicit zero point of MPSDataType %#x; only int4, %#x, has one", d.dataType,
							uint64(mpsdata.DataTypeInt4))
						return
					}
					d.implicit = c.Bool(0)
				}),
			}},
		{Name: "MPSNDArrayLUTQuantizationDescriptor", Super: "MPSNDArrayQuantizationDescriptor",
			Methods: adapter.Methods{
				"initWithDataType:": func(c *objcsoft.Call) {
					Init(c, &quantization{scheme: table.scheme, dataType: c.Uint(0)})
				},
				"initWithDataType:vectorAxis:": func(c *objcsoft.Call) {
					Init(c, &quantization{scheme: table.scheme, dataType: c.Uint(0), vector: true, axis: c.Uint(1)})
				},
			}},
		{Name: "MPSNDArrayAffineInt4Dequantize", Super: kernels, Methods: adapter.Methods{
			"initWithDevice:quantizationDescriptor:": func(c *objcsoft.Call) {
				d, ok := descriptor(c, 1)
				switch {
				case !ok:
				case d == nil || d.scheme != mpsdata.NDArrayQuantizationTypeAffine ||
					d.dataType != mpsdata.DataTypeInt4 && d.dataType != mpsdata.DataTypeUInt4:
					adapter.Misuse(c, "the quantization is not affine and of 4-bit integers")
				default:
					kernel(c, dequantizer(d))
				}
			}}},
		{Name: "MPSNDArrayLUTDequantize", Super: kernels, Methods: adapter.Methods{
			"initWithDevice:": func(c *objcsoft.Call) { kernel(c, dequantizer(&table)) }}},
		withProperties(adapter.Class{Name: "MPSNDArrayVectorLUTDequantize", Super: kernels, Methods: adapter.Methods{
			"initWithDevice:axis:": func(c *objcsoft.Call) {
				d := table
				d.vector = true
				k := &arrayKernel{arrayOp: dequantizer(&d)}
				k.set("vectorAxis", c.Word(1))
				initKernel(c, k)
			}}}, nil),
		{Name: "MPSNDArrayQuantizedMatrixMultiplication", Super: "MPSNDArrayMatrixMultiplication",
			Methods: adapter.Methods{
				"initWithDevice:leftQuantizationDescriptor:rightQuantizationDescriptor:": func(c *objcsoft.Call) {
					l, ok := descriptor(c, 1)
					r, ok1 := descriptor(c, 2)
					if ok && ok1 {
						kernel(c, quantizedProduct(l, r))
					}
				}}},
	}
}
