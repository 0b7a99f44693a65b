package tensor

import (
	"context"
	"fmt"
)

// Matrix32 is a matrix in the Go program's memory: element (i, j) is Data[i*Stride+j]. It is an
// unnamed type with the fields of General in gonum's package blas32, so that each may be assigned
// to the other, and passed for the other, without a conversion and without an import of gonum.
type Matrix32 = struct {
	Rows, Cols int
	Stride     int
	Data       []float32
}

// Matrix64 is [Matrix32] for General in gonum's package blas64, which RawMatrix of a mat.Dense
// returns. Its fields have another order there.
type Matrix64 = struct {
	Rows, Cols int
	Data       []float64
	Stride     int
}

// checkMatrix returns an error for a matrix whose elements are not all in its data.
func checkMatrix(rows, cols, stride, have int) error {
	switch {
	case rows < 0 || cols < 0 || rows > 1 && stride < max(cols, 1):
		return fmt.Errorf("a matrix of %d rows and %d columns with stride %d; the stride must be at least the columns: %w",
			rows, cols, stride, ErrShape)
	case rows > 0 && cols > 0 && (cols > have || rows-1 > (have-cols)/max(stride, 1)):
		return fmt.Errorf("a matrix of %d rows and %d columns with stride %d and %d elements, which are too few: %w",
			rows, cols, stride, have, ErrShape)
	}
	return nil
}

// OfMatrix32 returns a Float32 tensor of two dimensions with a copy of a matrix, such as a
// blas32.General of gonum. The tensor belongs to the scope.
func OfMatrix32(s *Scope, m Matrix32) *Tensor {
	const op = "of matrix"
	if f, ok := s.begin(op); !ok {
		return f
	}
	if err := checkMatrix(m.Rows, m.Cols, m.Stride, len(m.Data)); err != nil {
		return s.fail(op, nil, err)
	}
	data := m.Data
	if m.Rows == 0 || m.Cols == 0 {
		data = nil
	} else if m.Rows == 1 || m.Stride == m.Cols {
		data = data[:m.Rows*m.Cols]
	} else {
		data = make([]float32, 0, m.Rows*m.Cols)
		for i := range m.Rows {
			data = append(data, m.Data[i*m.Stride:][:m.Cols]...)
		}
	}
	return s.upload(op, Float32, bytesOf(data), []int{m.Rows, m.Cols})
}

// OfMatrix64 is [OfMatrix32] for float64, which Metal does not have: the elements are rounded to
// typ, a floating-point type. It converts a mat.Dense of gonum:
//
//	x := tensor.OfMatrix64(s, dense.RawMatrix(), tensor.Float32)
func OfMatrix64(s *Scope, m Matrix64, typ Type) *Tensor {
	const op = "of matrix"
	if f, ok := s.begin(op); !ok {
		return f
	}
	err := checkMatrix(m.Rows, m.Cols, m.Stride, len(m.Data))
	if err == nil && !typ.IsFloat() {
		err = fmt.Errorf("float64 to %v, which is not a floating-point type: %w", typ, ErrType)
	}
	if err != nil {
		return s.fail(op, nil, err)
	}
	raw := make([]byte, 0, m.Rows*m.Cols*typ.Size())
	for i := range m.Rows {
		if m.Cols == 0 {
			break
		}
		for _, x := range m.Data[i*m.Stride:][:m.Cols] {
			raw = appendFloat(raw, typ, x)
		}
	}
	return s.upload(op, typ, raw, []int{m.Rows, m.Cols})
}

// AdoptMatrix32 is [OfMatrix32] without a copy, for a matrix whose Data is whole pages outside of
// Go's heap; see [Adopt]. To write a result into such a matrix, [Scope.Assign] it to the tensor and
// wait with [Engine.Sync].
func AdoptMatrix32(s *Scope, m Matrix32, free func()) *Tensor {
	const op = "adopt matrix"
	if f, ok := s.begin(op); !ok {
		return f
	}
	if err := checkMatrix(m.Rows, m.Cols, m.Stride, len(m.Data)); err != nil {
		return s.fail(op, nil, err)
	}
	return Adopt(s, m.Data, free, []int{m.Rows, m.Cols}, []int{m.Stride, 1})
}

// ToMatrix32 waits for the elements of a Float32 tensor of two dimensions and returns a copy of
// them, for gonum's blas32.
func ToMatrix32(ctx context.Context, t *Tensor) (m Matrix32, err error) {
	if err = t.matrix(); err == nil {
		m.Data, err = Data[float32](ctx, t)
	}
	if err != nil {
		return Matrix32{}, err
	}
	m.Rows, m.Cols, m.Stride = t.view.Shape[0], t.view.Shape[1], max(t.view.Shape[1], 1)
	return m, nil
}

// ShareMatrix32 is [ToMatrix32] without a copy: it waits for all operations of the engine, as
// [Engine.Sync] does, and returns the tensor's own memory, which gonum may read and write. The
// tensor has contiguous rows, as results, their slices and the tensors of [OfMatrix32] do. Data is
// valid until the tensor is closed, and only as long as the program keeps the tensor; the program
// must not use it while operations on the tensor run. If the work that wrote the elements failed,
// the error is that failure, although Sync has returned it before. On a GPU with memory of its own,
// where the host cannot see a tensor's memory, the error wraps [compute.ErrStorage].
func ShareMatrix32(ctx context.Context, t *Tensor) (Matrix32, error) {
	if err := t.matrix(); err != nil {
		return Matrix32{}, err
	}
	m := Matrix32{Rows: t.view.Shape[0], Cols: t.view.Shape[1], Stride: t.view.Strides[0]}
	if m.Rows < 2 {
		m.Stride = max(m.Cols, 1)
	}
	var err error
	switch {
	case t.Type() != Float32:
		err = fmt.Errorf("takes float32; convert with Cast first: %w", ErrType)
	case m.Cols > 1 && t.view.Strides[1] != 1 || m.Stride < max(m.Cols, 1):
		err = fmt.Errorf("strides %v; rows must be contiguous, as Contiguous makes them: %w", t.view.Strides, ErrShape)
	default:
		m.Data, err = t.share(ctx)
	}
	if err != nil {
		return Matrix32{}, t.failure("share matrix", err)
	}
	return m, nil
}

// share waits for the engine and returns the memory of a view of Float32 elements.
func (t *Tensor) share(ctx context.Context) ([]float32, error) {
	if err := t.engine.Sync(ctx); err != nil {
		return nil, err
	}
	m, err := t.owner.hold()
	if err != nil {
		return nil, err
	}
	defer m.release()
	raw, err := m.buffer.Data()
	if err != nil || t.Len() == 0 {
		return nil, err
	}
	first, end := t.view.Span()
	part, err := m.buffer.Slice(first*Float32.Size(), end*Float32.Size())
	if err == nil {
		err = part.Wait(ctx) // an earlier Sync may have returned the failure of the work that wrote it
	}
	if err != nil {
		return nil, err
	}
	return floatsAt(raw, first, end-first), nil
}

// ToMatrix64 is [ToMatrix32] for elements of any type, which are converted as by [ToFloat64]. It
// makes a mat.Dense of gonum, which must not be empty:
//
//	m, err := tensor.ToMatrix64(ctx, y)
//	dense := mat.NewDense(m.Rows, m.Cols, m.Data)
func ToMatrix64(ctx context.Context, t *Tensor) (m Matrix64, err error) {
	if err = t.matrix(); err == nil {
		m.Data, err = ToFloat64(ctx, t)
	}
	if err != nil {
		return Matrix64{}, err
	}
	m.Rows, m.Cols, m.Stride = t.view.Shape[0], t.view.Shape[1], max(t.view.Shape[1], 1)
	return m, nil
}

// matrix returns an error unless the tensor is a matrix.
func (t *Tensor) matrix() error {
	if err := t.Err(); err != nil {
		return err
	}
	if t.number != nil || t.Rank() != 2 {
		return t.failure("to matrix", fmt.Errorf("%d dimensions; a matrix has two: %w", t.Rank(), ErrShape))
	}
	return nil
}
