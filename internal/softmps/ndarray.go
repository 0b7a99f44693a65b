package softmps

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// NDArray is the payload of an MPSNDArray: elements in a buffer, which it retains. The view's last
// dimension is MPS's dimension 0. Rows are packed; Apple's may be padded.
type NDArray struct {
	adapter.Label
	tensorop.View
	Device   mtl.Device
	Buffer   mtl.Buffer
	Offset   uint // of the view's element 0, in bytes
	parent   objcsoft.ID
	ownsData bool // the framework made the buffer
	reads    *readCount
	nibbles  nibbles
}

// readCount says how often kernels will still read a temporary array or matrix; windows and views
// of it share the count.
type readCount struct{ left uint64 }

// usable returns an error for a temporary array whose readCount is used up.
func (a *NDArray) usable() error {
	if a.reads != nil && a.reads.left == 0 {
		return fmt.Errorf("a temporary array or matrix has been read as often as its readCount said")
	}
	return nil
}

// readCountMethods are those of temporary arrays and matrices.
func readCountMethods[T interface{ counted() *readCount }]() adapter.Methods {
	with := func(do func(r *readCount, c *objcsoft.Call)) objcsoft.Imp {
		return adapter.Method(func(a T, c *objcsoft.Call) {
			r := a.counted()
			if r == nil {
				adapter.Misuse(c, "the object has no readCount: no method that makes temporary objects made it")
				return
			}
			do(r, c)
		})
	}
	return adapter.Methods{
		"readCount":     with(func(r *readCount, c *objcsoft.Call) { c.ReturnUint(r.left) }),
		"setReadCount:": with(func(r *readCount, c *objcsoft.Call) { r.left = c.Uint(0) }),
	}
}

func (a *NDArray) counted() *readCount { return a.reads }

// NewNDArray makes an MPSNDArray with memory of its own, +1. The memory is zero.
func NewNDArray(rt *objcsoft.Runtime, d mtl.Device, v tensorop.View) (objcsoft.ID, *NDArray, error) {
	a, err := newNDArray(d, v)
	if err != nil {
		return 0, nil, err
	}
	return rt.NewObject(rt.Class("MPSNDArray"), a), a, nil
}

func newNDArray(d mtl.Device, v tensorop.View) (*NDArray, error) {
	if err := v.Check(); err != nil {
		return nil, err
	}
	b, err := d.NewBuffer(uint(max(v.Elements()*v.Type.Size(), 16)), mtl.ResourceStorageModeShared)
	if err != nil {
		return nil, err
	}
	d.Retain()
	return &NDArray{View: v, Device: d, Buffer: b, ownsData: true}, nil
}

// WrapNDArray makes an MPSNDArray of a buffer, which it retains, +1.
func WrapNDArray(rt *objcsoft.Runtime, d mtl.Device, b mtl.Buffer, offset uint, v tensorop.View) (objcsoft.ID,
	*NDArray, error) {
	a, err := wrapNDArray(d, b, offset, v)
	if err != nil {
		return 0, nil, err
	}
	return rt.NewObject(rt.Class("MPSNDArray"), a), a, nil
}

func wrapNDArray(d mtl.Device, b mtl.Buffer, offset uint, v tensorop.View) (*NDArray, error) {
	if err := v.Check(); err != nil {
		return nil, err
	}
	_, end := v.Span()
	if need := offset + uint(end*v.Type.Size()); need > b.Length() {
		return nil, fmt.Errorf("an array of shape %v of %v at offset %d takes %d bytes of the buffer, which has %d",
			v.Shape, v.Type, offset, need, b.Length())
	}
	d.Retain()
	b.Retain()
	return &NDArray{View: v, Device: d, Buffer: b, Offset: offset}, nil
}

func (a *NDArray) free(o *objcsoft.Object) {
	a.Buffer.Release()
	a.Device.Release()
	o.Drop(a.parent)
}

// Bytes returns the whole memory behind the array, from its element 0.
func (a *NDArray) Bytes() ([]byte, error) {
	b, err := a.Buffer.Bytes()
	if err != nil {
		return nil, err
	}
	return b[a.Offset:], nil
}

// at returns the stride and length of a dimension as MPS counts them, from the last.
func (a *NDArray) dimension(c *objcsoft.Call, i uint64) (length int) {
	if i >= uint64(a.Rank()) {
		return 1
	}
	return a.logical()[a.Rank()-1-int(i)]
}

// ndarrayDescriptor is the payload of an MPSNDArrayDescriptor. Dimensions are in MPS's order, the
// fastest first.
type ndarrayDescriptor struct {
	dataType uint64
	packed   bool
	dims     []ndarrayDimension
}

// ndarrayDimension is a dimension of the source: its length, the slice of it, and its place.
type ndarrayDimension struct {
	length, start, count int
	source               int // the dimension of the array that it is
}

func newDescriptor(dataType uint64, sizes []int) (*ndarrayDescriptor, error) {
	d := &ndarrayDescriptor{dataType: dataType}
	if len(sizes) == 0 || len(sizes) > tensorop.MaxRank {
		return nil, fmt.Errorf("an array has 1 to %d dimensions and not %d", tensorop.MaxRank, len(sizes))
	}
	for i, n := range sizes {
		if n < 1 {
			return nil, fmt.Errorf("dimension %d has %d elements", i, n)
		}
		d.dims = append(d.dims, ndarrayDimension{n, 0, n, i})
	}
	return d, nil
}

// view returns the packed view of an array with this descriptor.
func (d *ndarrayDescriptor) view() (tensorop.View, error) {
	shape := make([]int, len(d.dims))
	for i, dim := range d.dims {
		shape[len(shape)-1-i] = dim.count
	}
	if d.nibbles() != 0 {
		return packedView(shape)
	}
	t, err := TypeOf(d.dataType)
	if err != nil {
		return tensorop.View{}, err
	}
	return tensorop.Dense(t, shape...), nil
}

// array makes an array with this descriptor.
func (d *ndarrayDescriptor) array(device mtl.Device) (*NDArray, error) {
	v, err := d.view()
	if err != nil {
		return nil, err
	}
	a, err := newNDArray(device, v)
	if err == nil {
		a.nibbles = d.nibbles()
	}
	return a, err
}

// of returns the view of an array that the descriptor selects: slices, then the order of
// dimensions.
func (d *ndarrayDescriptor) of(v tensorop.View) (tensorop.View, error) {
	rank := len(d.dims)
	if rank != v.Rank() {
		return v, fmt.Errorf("the descriptor has %d dimensions and the array %d", rank, v.Rank())
	}
	out := tensorop.View{Type: v.Type, Offset: v.Offset, Shape: make([]int, rank), Strides: make([]int, rank)}
	for i, dim := range d.dims {
		from := rank - 1 - dim.source
		if dim.start < 0 || dim.start+dim.count > v.Shape[from] {
			return v, fmt.Errorf("elements %d to %d of dimension %d, which has %d",
				dim.start, dim.start+dim.count-1, dim.source, v.Shape[from])
		}
		out.Shape[rank-1-i], out.Strides[rank-1-i] = dim.count, v.Strides[from]
		out.Offset += dim.start * v.Strides[from]
	}
	return out, nil
}

// dim returns a dimension of the descriptor; one that it does not have is misuse, and false.
func (d *ndarrayDescriptor) dim(c *objcsoft.Call, arg int) (*ndarrayDimension, bool) {
	if i := c.Uint(arg); i < uint64(len(d.dims)) {
		return &d.dims[i], true
	}
	adapter.Misuse(c, "dimension %d of a descriptor with %d", c.Uint(arg), len(d.dims))
	return nil, false
}

// sizesArg returns a C array of n numbers in an argument.
func sizesArg(c *objcsoft.Call, arg int, n uint64) []int {
	words, err := objcsoft.ReadWords(c.Word(arg), n)
	if err != nil {
		c.Fail(fmt.Errorf("argument %d: %w", arg, err))
	}
	out := make([]int, len(words))
	for i, w := range words {
		out[i] = int(w)
	}
	return out
}

func reversed(list []int) []int {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

func newDescriptorObject(c *objcsoft.Call, dataType uint64, sizes []int) {
	d, err := newDescriptor(dataType, sizes)
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	c.ReturnAutoreleased(c.RT.NewObject(c.RT.Class("MPSNDArrayDescriptor"), d))
}

func (d *ndarrayDescriptor) reshape(c *objcsoft.Call, sizes []int) {
	next, err := newDescriptor(d.dataType, sizes)
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	d.dims = next.dims
}

func (d *ndarrayDescriptor) permute(c *objcsoft.Call, order []int) {
	dims := make([]ndarrayDimension, len(d.dims))
	used := make([]bool, len(d.dims))
	for i, from := range order {
		if from < 0 || from >= len(dims) || used[from] {
			adapter.Misuse(c, "%v is not an order of %d dimensions", order, len(dims))
			return
		}
		used[from] = true
		dims[i] = d.dims[from]
	}
	d.dims = dims
}

func (d *ndarrayDescriptor) lengths() []int {
	out := make([]int, len(d.dims))
	for i, dim := range d.dims {
		out[i] = dim.length
	}
	return out
}

func descriptorClass() adapter.Class {
	type desc = *ndarrayDescriptor
	return adapter.Class{
		Name: "MPSNDArrayDescriptor",
		ClassMethods: adapter.Methods{
			"descriptorWithDataType:shape:": func(c *objcsoft.Call) {
				if shape, ok := IntegersArg(c, 1); ok {
					newDescriptorObject(c, c.Uint(0), reversed(shape))
				}
			},
			"descriptorWithDataType:dimensionCount:dimensionSizes:": func(c *objcsoft.Call) {
				newDescriptorObject(c, c.Uint(0), sizesArg(c, 2, c.Uint(1)))
			},
		},
		Methods: adapter.Methods{
			"dataType":             adapter.Method(func(d desc, c *objcsoft.Call) { c.ReturnUint(d.dataType) }),
			"setDataType:":         adapter.Method(func(d desc, c *objcsoft.Call) { d.dataType = c.Uint(0) }),
			"preferPackedRows":     adapter.Method(func(d desc, c *objcsoft.Call) { c.ReturnBool(d.packed) }),
			"setPreferPackedRows:": adapter.Method(func(d desc, c *objcsoft.Call) { d.packed = c.Bool(0) }),
			"numberOfDimensions": adapter.Method(func(d desc, c *objcsoft.Call) {
				c.ReturnUint(uint64(len(d.dims)))
			}),
			"setNumberOfDimensions:": adapter.Method(func(d desc, c *objcsoft.Call) {
				n := int(c.Uint(0))
				sizes := d.lengths()
				for len(sizes) < n && n <= tensorop.MaxRank {
					sizes = append(sizes, 1)
				}
				d.reshape(c, sizes[:min(n, len(sizes))])
			}),
			"getShape": adapter.Method(func(d desc, c *objcsoft.Call) { ReturnIntegers(c, reversed(d.lengths())) }),
			"lengthOfDimension:": adapter.Method(func(d desc, c *objcsoft.Call) {
				if c.Uint(0) >= uint64(len(d.dims)) {
					c.ReturnUint(1)
					return
				}
				c.ReturnUint(uint64(d.dims[c.Uint(0)].length))
			}),
			"permuteWithDimensionOrder:": adapter.Method(func(d desc, c *objcsoft.Call) {
				d.permute(c, sizesArg(c, 0, uint64(len(d.dims))))
			}),
			"transposeDimension:withDimension:": adapter.Method(func(d desc, c *objcsoft.Call) {
				a, ok := d.dim(c, 0)
				b, ok2 := d.dim(c, 1)
				if ok && ok2 {
					*a, *b = *b, *a
				}
			}),
			"reshapeWithDimensionCount:dimensionSizes:": adapter.Method(func(d desc, c *objcsoft.Call) {
				d.reshape(c, sizesArg(c, 1, c.Uint(0)))
			}),
			"reshapeWithShape:": adapter.Method(func(d desc, c *objcsoft.Call) {
				if shape, ok := IntegersArg(c, 0); ok {
					d.reshape(c, reversed(shape))
				}
			}),
			"sliceDimension:withSubrange:": adapter.Method(func(d desc, c *objcsoft.Call) {
				dim, ok := d.dim(c, 0)
				if !ok {
					return
				}
				w := c.Words(1)
				start, n := uint64(w[0]), uint64(w[1])
				if n == 0 || start+n > uint64(dim.length) || start+n < start {
					adapter.Misuse(c, "%d elements from %d of a dimension of %d", n, start, dim.length)
					return
				}
				dim.start, dim.count = int(start), int(n)
			}),
			"sliceRangeForDimension:": adapter.Method(func(d desc, c *objcsoft.Call) {
				if dim, ok := d.dim(c, 0); ok {
					c.ReturnWords(uintptr(dim.start), uintptr(dim.count))
				}
			}),
		},
	}
}

// initArray gives the receiver of an init method its array.
func initArray(c *objcsoft.Call, a *NDArray, err error) {
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	Init(c, a)
}

func ndarrayClasses(*adapter.Framework) []adapter.Class {
	type array = *NDArray
	return []adapter.Class{descriptorClass(), {
		Name: "MPSNDArray",
		Methods: adapter.WithLabel[array](adapter.Methods{
			"initWithDevice:descriptor:": func(c *objcsoft.Call) {
				d, ok := DeviceArg(c, 0)
				desc, ok2 := adapter.Payload[*ndarrayDescriptor](c, 1)
				if !ok || !ok2 {
					return
				}
				a, err := desc.array(d)
				initArray(c, a, err)
			},
			"initWithDevice:scalar:": func(c *objcsoft.Call) {
				d, ok := DeviceArg(c, 0)
				if !ok {
					return
				}
				a, err := newNDArray(d, tensorop.Dense(tensorop.Float32, 1))
				if err == nil {
					err = a.setFloat(float32(c.F64(1)))
				}
				initArray(c, a, err)
			},
			"initWithBuffer:offset:descriptor:": func(c *objcsoft.Call) {
				desc, ok := adapter.Payload[*ndarrayDescriptor](c, 2)
				if !ok || c.ID(0) == 0 {
					return
				}
				v, err := desc.view()
				if err != nil {
					adapter.Misuse(c, "%v", err)
					return
				}
				b := mtl.BufferFrom(objc.ID(c.ID(0)))
				a, err := wrapNDArray(b.Device(), b, uint(c.Uint(1)), v)
				if err == nil {
					a.nibbles = desc.nibbles()
				}
				initArray(c, a, err)
			},
			"dataType": adapter.Method(func(a array, c *objcsoft.Call) { c.ReturnUint(a.mpsType()) }),
			"dataTypeSize": adapter.Method(func(a array, c *objcsoft.Call) {
				c.ReturnUint(uint64(a.Type.Size()))
			}),
			"device": adapter.Method(func(a array, c *objcsoft.Call) {
				c.ReturnShared(objcsoft.ID(a.Device.ID()))
			}),
			"numberOfDimensions": adapter.Method(func(a array, c *objcsoft.Call) { c.ReturnUint(uint64(a.Rank())) }),
			"lengthOfDimension:": adapter.Method(func(a array, c *objcsoft.Call) {
				c.ReturnUint(uint64(a.dimension(c, c.Uint(0))))
			}),
			"resourceSize": adapter.Method(func(a array, c *objcsoft.Call) { c.ReturnUint(uint64(a.Buffer.Length())) }),
			"parent":       adapter.Method(func(a array, c *objcsoft.Call) { c.ReturnShared(a.parent) }),
			"userBuffer": adapter.Method(func(a array, c *objcsoft.Call) {
				if !a.ownsData {
					c.ReturnShared(objcsoft.ID(a.Buffer.ID()))
				}
			}),
			"descriptor": adapter.Method(func(a array, c *objcsoft.Call) {
				newDescriptorObject(c, a.mpsType(), reversed(a.logical()))
			}),
			"arrayViewWithDescriptor:": adapter.Method(func(a array, c *objcsoft.Call) {
				if desc, ok := adapter.Payload[*ndarrayDescriptor](c, 0); ok {
					v, err := desc.of(a.View)
					a.returnView(c, v, err)
				}
			}),
			"arrayViewWithCommandBuffer:descriptor:aliasing:": adapter.Method(func(a array, c *objcsoft.Call) {
				if desc, ok := adapter.Payload[*ndarrayDescriptor](c, 1); ok {
					v, err := desc.of(a.View)
					a.returnView(c, v, err)
				}
			}),
			"arrayViewWithShape:strides:": adapter.Method(func(a array, c *objcsoft.Call) {
				shape, ok := IntegersArg(c, 0)
				strides, ok2 := IntegersArg(c, 1)
				if ok && ok2 {
					a.returnStrided(c, shape, strides)
				}
			}),
			"arrayViewWithDimensionCount:dimensionSizes:strides:": adapter.Method(func(a array, c *objcsoft.Call) {
				n := c.Uint(0)
				a.returnStrided(c, reversed(sizesArg(c, 1, n)), reversed(sizesArg(c, 2, n)))
			}),
			"readBytes:strideBytes:":      adapter.Method(func(a array, c *objcsoft.Call) { a.transfer(c, false) }),
			"writeBytes:strideBytes:":     adapter.Method(func(a array, c *objcsoft.Call) { a.transfer(c, true) }),
			"synchronizeOnCommandBuffer:": adapter.Method(func(array, *objcsoft.Call) {}), // the memory is shared
			"exportDataWithCommandBuffer:toBuffer:destinationDataType:offset:rowStrides:": adapter.Method(
				func(a array, c *objcsoft.Call) { a.copyBuffer(c, true) }),
			"importDataWithCommandBuffer:fromBuffer:sourceDataType:offset:rowStrides:": adapter.Method(
				func(a array, c *objcsoft.Call) { a.copyBuffer(c, false) }),
			"exportDataWithCommandBuffer:toImages:offset:": adapter.Method(func(a array, c *objcsoft.Call) {
				a.copyImages(c, true)
			}),
			"importDataWithCommandBuffer:fromImages:offset:": adapter.Method(func(a array, c *objcsoft.Call) {
				a.copyImages(c, false)
			}),
		}),
		Dealloc: adapter.DeallocHook((*NDArray).free),
	}}
}

// returnView returns a view of the array as a new array, +0.
func (a *NDArray) returnView(c *objcsoft.Call, v tensorop.View, err error) {
	if err == nil && a.nibbles != 0 {
		err = fmt.Errorf("a view of an array of 4-bit integers")
	}
	if err == nil {
		err = v.Check()
	}
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	a.Device.Retain()
	a.Buffer.Retain()
	if err := c.RT.Retain(c.Self.ID()); err != nil {
		c.Fail(err)
		return
	}
	view := &NDArray{View: v, Device: a.Device, Buffer: a.Buffer, Offset: a.Offset, parent: c.Self.ID(),
		ownsData: a.ownsData, reads: a.reads}
	c.ReturnAutoreleased(c.RT.NewObject(c.Self.Class(), view))
}

// returnStrided returns a view with other dimensions of the array's memory. Without strides it has
// the same elements in the same order.
func (a *NDArray) returnStrided(c *objcsoft.Call, shape, strides []int) {
	if strides == nil {
		v, ok := a.Reshape(shape...)
		if !ok {
			adapter.Misuse(c, "an array of shape %v and strides %v cannot be seen as %v", a.Shape, a.Strides, shape)
			return
		}
		a.returnView(c, v, nil)
		return
	}
	v := tensorop.View{Type: a.Type, Shape: shape, Offset: a.View.Offset}
	for _, s := range strides { // in bytes
		v.Strides = append(v.Strides, s/a.Type.Size())
	}
	err := v.Check()
	if err == nil {
		if _, end := v.Span(); a.Offset+uint(end*a.Type.Size()) > a.Buffer.Length() {
			err = fmt.Errorf("shape %v with strides %v ends beyond the array's memory of %d bytes", shape, strides,
				a.Buffer.Length())
		}
	}
	a.returnView(c, v, err)
}
