package mpsbackend

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/backend"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"
)

// matrices is the backend with the matrix kernels of Metal Performance Shaders.
type matrices struct{ device mtl.Device }

func newMatrices(acc *compute.Accelerator) (backend.Backend, error) {
	// A class of the framework: without it there is none of them.
	k, err := mps.NewMatrixSoftMaxWithDevice(acc.Device())
	if err != nil {
		return nil, err
	}
	k.Release()
	return matrices{acc.Device()}, nil
}

func (matrices) Close() {}

// matrix is an operand as an MPSMatrix describes it.
type matrix struct {
	rows, cols int // in memory
	count      int // of matrices
	rowStride  int // in elements
	stride     int // from one matrix to the next
	transposed bool
	typ        mps.DataType
	size       int // of an element
	offset     int // in elements
}

// dataType returns the framework's type, false if the backends do not take it.
func dataType(t tensorop.Type) (mps.DataType, bool) {
	switch t {
	case tensorop.Float32:
		return mps.DataTypeFloat32, true
	case tensorop.Float16:
		return mps.DataTypeFloat16, true
	}
	return 0, false
}

// refuseTypes returns why a backend does not take the operands' types or sizes, or "".
func refuseTypes(c *backend.Call) string {
	for _, list := range [2][]backend.Operand{c.In, c.Out} {
		for _, o := range list {
			if _, ok := dataType(o.Type); !ok || o.Type != c.In[0].Type {
				return "takes Float32 and Float16"
			}
			if o.Elements() == 0 {
				return "takes no empty tensors"
			}
		}
	}
	return ""
}

// matrixOf returns a view of one or more matrices in its last dimensions as MPSMatrix, or why it is
// none.
func matrixOf(v tensorop.View) (m matrix, why string) {
	last := v.Rank() - 1
	if last < 1 {
		return m, "takes matrices and no vectors"
	}
	m.typ, _ = dataType(v.Type)
	m.size, m.offset = v.Type.Size(), v.Offset
	m.rows, m.cols, m.count = v.Shape[last-1], v.Shape[last], 1
	rs, cs := v.Strides[last-1], v.Strides[last]
	// The stride of a dimension of size 1 has no effect.
	if m.cols == 1 {
		cs = 1
	}
	if m.rows == 1 {
		if rs = m.cols; cs != 1 {
			rs = 1
		}
	}
	switch {
	case cs == 1 && rs >= m.cols:
		m.rowStride = rs
	case rs == 1 && cs >= m.rows:
		m.rows, m.cols, m.rowStride, m.transposed = m.cols, m.rows, cs, true
	default:
		return m, "takes matrices with contiguous rows or columns"
	}
	batch := tensorop.View{Type: v.Type, Shape: v.Shape[:last-1], Strides: v.Strides[:last-1]}
	for _, n := range batch.Shape {
		m.count *= n
	}
	if m.count == 1 {
		m.stride = m.rows * m.rowStride
		return m, ""
	}
	flat, ok := batch.Reshape(m.count)
	if !ok || flat.Strides[0] < m.rows*m.rowStride || flat.Strides[0]%m.rowStride != 0 {
		return m, "takes batches of matrices with equal strides of whole rows"
	}
	m.stride = flat.Strides[0]
	return m, ""
}

// rowsOf returns a view as one matrix with its last dimension for columns.
func rowsOf(v tensorop.View) (matrix, string) {
	n := 1
	if last := v.Rank() - 1; last >= 0 {
		n = v.Shape[last]
	}
	flat, ok := v.Reshape(v.Elements()/n, n)
	if !ok {
		return matrix{}, "takes rows with equal strides"
	}
	m, why := matrixOf(flat)
	if why == "" && m.transposed {
		why = "takes contiguous rows"
	}
	return m, why
}

func (b matrices) Refuse(c *backend.Call) string {
	_, why := b.prepare(c)
	return why
}

// prepare returns the operands and the result of a call as matrices, or why it has none.
func (matrices) prepare(c *backend.Call) (all []matrix, why string) {
	of := matrixOf
	switch spec := c.Spec.(type) {
	case backend.MatMul:
	case backend.Softmax:
		if of = rowsOf; spec.Axis != c.In[0].Rank()-1 {
			return nil, "has softmax along the last axis"
		}
	default:
		return nil, "does not have the operation"
	}
	if why = refuseTypes(c); why != "" {
		return nil, why
	}
	for _, o := range append(c.In[:len(c.In):len(c.In)], c.Out...) {
		m, why := of(o.View)
		if why != "" {
			return nil, why
		}
		all = append(all, m)
	}
	for _, m := range all {
		if m.count != all[0].count {
			return nil, "takes batches of equal size"
		}
	}
	return all, ""
}

func (b matrices) Run(ctx context.Context, s *compute.Stream, c *backend.Call) error {
	all, why := b.prepare(c)
	if why != "" {
		return fmt.Errorf("refused: %s", why)
	}
	var buffers []mtl.Buffer
	var offsets []uint
	var reads, writes []compute.AnyBuffer
	for i, o := range append(c.In[:len(c.In):len(c.In)], c.Out...) {
		memory, offset := o.Buffer.Metal()
		buffers, offsets = append(buffers, memory), append(offsets, offset+uint(all[i].offset*all[i].size))
		if i < len(c.In) {
			reads = append(reads, o.Buffer)
		} else {
			writes = append(writes, o.Buffer)
		}
	}
	return s.Encode(ctx, func(commands mtl.CommandBuffer) error {
		wrapped := make([]mps.Matrix, len(all))
		for i, m := range all {
			x, err := m.wrap(buffers[i], offsets[i])
			if err != nil {
				return err
			}
			defer x.Release()
			wrapped[i] = x
		}
		if spec, ok := c.Spec.(backend.Softmax); ok {
			return b.softmax(commands, spec, all[0], wrapped)
		}
		return b.product(commands, all, wrapped)
	}, compute.Reads(reads...), compute.Writes(writes...))
}

// wrap returns the matrix on a buffer. It is +1.
func (m matrix) wrap(b mtl.Buffer, offset uint) (mps.Matrix, error) {
	d, err := mps.MatrixDescriptorWithRowsColumnsMatrices(uint(m.rows), uint(m.cols), uint(m.count),
		uint(m.rowStride*m.size), uint(m.stride*m.size), m.typ)
	if err != nil {
		return mps.Matrix{}, err
	}
	x, err := mps.NewMatrixWithBufferOffset(b, offset, d)
	return x, made(x, err)
}

// made returns an error for an object that the framework did not make.
func made(o interface{ IsNil() bool }, err error) error {
	if err == nil && o.IsNil() {
		err = fmt.Errorf("the framework made no object: %w", compute.ErrExecution)
	}
	return err
}

func (b matrices) product(commands mtl.CommandBuffer, all []matrix, x []mps.Matrix) error {
	inner := all[0].cols
	if all[0].transposed {
		inner = all[0].rows
	}
	k, err := mps.NewMatrixMultiplicationWithDeviceTransposeLeft(b.device, all[0].transposed, all[1].transposed,
		uint(all[2].rows), uint(all[2].cols), uint(inner), 1, 0)
	if err = made(k, err); err != nil {
		return err
	}
	defer k.Release()
	k.SetBatchStart(0)
	k.SetBatchSize(uint(all[0].count))
	k.EncodeToCommandBuffer(commands, x[0], x[1], x[2])
	return nil
}

func (b matrices) softmax(commands mtl.CommandBuffer, spec backend.Softmax, m matrix, x []mps.Matrix) error {
	newKernel := mps.NewMatrixSoftMaxWithDevice
	if spec.Log {
		newKernel = mps.NewMatrixLogSoftMaxWithDevice
	}
	k, err := newKernel(b.device)
	if err = made(k, err); err != nil {
		return err
	}
	defer k.Release()
	k.SetSourceRows(uint(m.rows))
	k.SetSourceColumns(uint(m.cols))
	k.EncodeToCommandBuffer(commands, x[0], x[1])
	return nil
}
