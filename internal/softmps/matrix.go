package softmps

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// matrixDescriptor is the payload of an MPSMatrixDescriptor and, with one row, of an
// MPSVectorDescriptor: vectors are matrices, which vectorBytes apart have one row each.
type matrixDescriptor struct {
	rows, columns, matrices int
	rowBytes, matrixBytes   int
	dataType                uint64
}

// view returns the elements as matrices, rows and columns, or an error if the sizes do not fit.
func (d *matrixDescriptor) view() (tensorop.View, error) {
	t, err := TypeOf(d.dataType)
	if err != nil {
		return tensorop.View{}, err
	}
	size := t.Size()
	switch {
	case d.rows < 1 || d.columns < 1 || d.matrices < 1:
		err = fmt.Errorf("%d matrices of %d rows and %d columns; each must be at least 1", d.matrices, d.rows,
			d.columns)
	case d.rowBytes%size != 0 || d.matrixBytes%size != 0:
		err = fmt.Errorf("rows of %d bytes and matrices of %d; elements have %d", d.rowBytes, d.matrixBytes, size)
	case d.rowBytes < d.columns*size && d.rows > 1:
		err = fmt.Errorf("rows of %d bytes for %d columns of %d", d.rowBytes, d.columns, size)
	case d.matrices > 1 && d.matrixBytes < (d.rows-1)*d.rowBytes+d.columns*size:
		err = fmt.Errorf("matrices of %d bytes for %d rows of %d", d.matrixBytes, d.rows, d.rowBytes)
	}
	return tensorop.View{Type: t, Shape: []int{d.matrices, d.rows, d.columns},
		Strides: []int{d.matrixBytes / size, d.rowBytes / size, 1}}, err
}

// Matrix is the payload of an MPSMatrix or MPSVector. The array's view has three dimensions:
// matrices, rows and columns. A vector has one row.
type Matrix struct {
	*NDArray
	matrixDescriptor
	offset uint64
}

// newMatrix makes the payload of a descriptor, with a buffer or, if it is nil, with memory of its
// own.
func newMatrix(d mtl.Device, b mtl.Buffer, offset uint64, desc matrixDescriptor) (*Matrix, error) {
	v, err := desc.view()
	if err != nil {
		return nil, err
	}
	var a *NDArray
	if b.IsNil() {
		_, end := v.Span()
		flat := tensorop.Dense(v.Type, end)
		if a, err = newNDArray(d, flat); err == nil {
			a.View = v
		}
	} else {
		a, err = wrapNDArray(b.Device(), b, uint(offset), v)
	}
	return &Matrix{a, desc, offset}, err
}

func initMatrix(c *objcsoft.Call, m *Matrix, err error) {
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	Init(c, m)
}

// window returns a part of the matrix: rows and columns from an origin, of matrices from start on.
func (m *Matrix) window(what string, o origin, start, count, rows, columns int) (*NDArray, error) {
	v := m.View
	if o.z != 0 || o.row < 0 || o.column < 0 || o.row+rows > m.rows || o.column+columns > m.columns ||
		start < 0 || start+count > m.matrices {
		return nil,
			fmt.Errorf("%s: %d by %d elements from row %d and column %d of matrices %d to %d; there are %d of %d by %d",
				what, rows, columns, o.row, o.column, start, start+count-1, m.matrices, m.rows, m.columns)
	}
	part := tensorop.View{Type: v.Type, Shape: []int{count, rows, columns}, Strides: v.Strides,
		Offset: v.Offset + start*v.Strides[0] + o.row*v.Strides[1] + o.column}
	return &NDArray{View: part, Device: m.Device, Buffer: m.Buffer, Offset: m.Offset, reads: m.reads}, nil
}

// matrixArg returns a matrix or vector argument; nil is misuse.
func matrixArg(c *objcsoft.Call, arg int) (*Matrix, bool) {
	m, ok := adapter.Payload[*Matrix](c, arg)
	if !ok && !c.Failed() {
		adapter.Misuse(c, "argument %d is nil, not a matrix or vector", arg)
	}
	return m, ok
}

func matrixClasses() []adapter.Class {
	type matrix = *Matrix
	type desc = *matrixDescriptor
	number := func(get func(d desc) int) objcsoft.Imp {
		return adapter.Method(func(d desc, c *objcsoft.Call) { c.ReturnUint(uint64(get(d))) })
	}
	setter := func(field func(d desc) *int) objcsoft.Imp {
		return adapter.Method(func(d desc, c *objcsoft.Call) { *field(d) = int(c.Uint(0)) })
	}
	of := func(get func(m matrix) int) objcsoft.Imp {
		return adapter.Method(func(m matrix, c *objcsoft.Call) { c.ReturnUint(uint64(get(m))) })
	}
	made := func(class string, read func(c *objcsoft.Call) matrixDescriptor) objcsoft.Imp {
		return func(c *objcsoft.Call) {
			d := read(c)
			if _, err := d.view(); err != nil {
				adapter.Misuse(c, "%v", err)
				return
			}
			c.ReturnAutoreleased(c.RT.NewObject(c.RT.Class(class), &d))
		}
	}
	u := func(c *objcsoft.Call, i int) int { return int(c.Uint(i)) }
	one := func(c *objcsoft.Call) matrixDescriptor {
		return matrixDescriptor{u(c, 0), u(c, 1), 1, u(c, 2), u(c, 0) * u(c, 2), c.Uint(3)}
	}
	packed := func(c *objcsoft.Call) { // rows that the device likes: aligned to 16 bytes
		t, err := TypeOf(c.Uint(1))
		if err != nil {
			adapter.Misuse(c, "%v", err)
			return
		}
		c.ReturnUint((c.Uint(0)*uint64(t.Size()) + 15) &^ 15)
	}
	create := adapter.Methods{
		"initWithDevice:descriptor:": func(c *objcsoft.Call) {
			d, ok := DeviceArg(c, 0)
			desc, ok2 := adapter.Payload[*matrixDescriptor](c, 1)
			if ok && ok2 {
				m, err := newMatrix(d, mtl.Buffer{}, 0, *desc)
				initMatrix(c, m, err)
			}
		},
		"initWithBuffer:descriptor:": func(c *objcsoft.Call) {
			if desc, ok := adapter.Payload[*matrixDescriptor](c, 1); ok {
				m, err := newMatrix(mtl.Device{}, mtl.BufferFrom(objc.ID(c.ID(0))), 0, *desc)
				initMatrix(c, m, err)
			}
		},
		"initWithBuffer:offset:descriptor:": func(c *objcsoft.Call) {
			if desc, ok := adapter.Payload[*matrixDescriptor](c, 2); ok {
				m, err := newMatrix(mtl.Device{}, mtl.BufferFrom(objc.ID(c.ID(0))), c.Uint(1), *desc)
				initMatrix(c, m, err)
			}
		},
		"data":         adapter.Method(func(m matrix, c *objcsoft.Call) { c.ReturnShared(objcsoft.ID(m.Buffer.ID())) }),
		"dataType":     adapter.Method(func(m matrix, c *objcsoft.Call) { c.ReturnUint(m.dataType) }),
		"device":       adapter.Method(func(m matrix, c *objcsoft.Call) { c.ReturnShared(objcsoft.ID(m.Device.ID())) }),
		"offset":       adapter.Method(func(m matrix, c *objcsoft.Call) { c.ReturnUint(m.offset) }),
		"resourceSize": adapter.Method(func(m matrix, c *objcsoft.Call) { c.ReturnUint(uint64(m.Buffer.Length())) }),
		// The memory is shared: there is nothing to do.
		"synchronizeOnCommandBuffer:": adapter.Method(func(matrix, *objcsoft.Call) {}),
	}
	free := adapter.DeallocHook(func(m matrix, o *objcsoft.Object) { m.free(o) })
	with := func(more adapter.Methods) adapter.Methods {
		for sel, imp := range create {
			more[sel] = imp
		}
		return more
	}
	return []adapter.Class{
		{Name: "MPSMatrixDescriptor", ClassMethods: adapter.Methods{
			"matrixDescriptorWithRows:columns:rowBytes:dataType:":       made("MPSMatrixDescriptor", one),
			"matrixDescriptorWithDimensions:columns:rowBytes:dataType:": made("MPSMatrixDescriptor", one),
			"matrixDescriptorWithRows:columns:matrices:rowBytes:matrixBytes:dataType:": made("MPSMatrixDescriptor",
				func(c *objcsoft.Call) matrixDescriptor {
					return matrixDescriptor{u(c, 0), u(c, 1), u(c, 2), u(c, 3), u(c, 4), c.Uint(5)}
				}),
			"rowBytesForColumns:dataType:": packed, "rowBytesFromColumns:dataType:": packed,
		}, Methods: adapter.Methods{
			"rows": number(func(d desc) int { return d.rows }), "setRows:": setter(func(d desc) *int {
				return &d.rows
			}),
			"columns":     number(func(d desc) int { return d.columns }),
			"setColumns:": setter(func(d desc) *int { return &d.columns }),
			"rowBytes":    number(func(d desc) int { return d.rowBytes }),
			"setRowBytes:": adapter.Method(func(d desc, c *objcsoft.Call) {
				d.rowBytes = int(c.Uint(0))
				if d.matrices == 1 {
					d.matrixBytes = d.rows * d.rowBytes
				}
			}),
			"matrices": number(func(d desc) int { return d.matrices }), "matrixBytes": number(func(d desc) int {
				return d.matrixBytes
			}),
			"dataType":     adapter.Method(func(d desc, c *objcsoft.Call) { c.ReturnUint(d.dataType) }),
			"setDataType:": adapter.Method(func(d desc, c *objcsoft.Call) { d.dataType = c.Uint(0) }),
		}},
		{Name: "MPSVectorDescriptor", ClassMethods: adapter.Methods{
			"vectorDescriptorWithLength:dataType:": made("MPSVectorDescriptor",
				func(c *objcsoft.Call) matrixDescriptor {
					t, _ := TypeOf(c.Uint(1))
					return matrixDescriptor{1, u(c, 0), 1, u(c, 0) * t.Size(), u(c, 0) * t.Size(), c.Uint(1)}
				}),
			"vectorDescriptorWithLength:vectors:vectorBytes:dataType:": made("MPSVectorDescriptor",
				func(c *objcsoft.Call) matrixDescriptor {
					return matrixDescriptor{1, u(c, 0), u(c, 1), u(c, 2), u(c, 2), c.Uint(3)}
				}),
			"vectorBytesForLength:dataType:": packed,
		}, Methods: adapter.Methods{
			"length": number(func(d desc) int { return d.columns }), "setLength:": setter(func(d desc) *int {
				return &d.columns
			}),
			"vectors": number(func(d desc) int { return d.matrices }), "vectorBytes": number(func(d desc) int {
				return d.matrixBytes
			}),
			"dataType":     adapter.Method(func(d desc, c *objcsoft.Call) { c.ReturnUint(d.dataType) }),
			"setDataType:": adapter.Method(func(d desc, c *objcsoft.Call) { d.dataType = c.Uint(0) }),
		}},
		{Name: "MPSMatrix", Dealloc: free, Methods: with(adapter.Methods{
			"rows": of(func(m matrix) int { return m.rows }), "columns": of(func(m matrix) int { return m.columns }),
			"matrices": of(func(m matrix) int { return m.matrices }), "rowBytes": of(func(m matrix) int {
				return m.rowBytes
			}),
			"matrixBytes": of(func(m matrix) int { return m.matrixBytes }),
		})},
		{Name: "MPSVector", Dealloc: free, Methods: with(adapter.Methods{
			"length": of(func(m matrix) int { return m.columns }), "vectors": of(func(m matrix) int {
				return m.matrices
			}),
			"vectorBytes": of(func(m matrix) int { return m.matrixBytes }),
		})},
	}
}
