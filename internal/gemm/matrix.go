package gemm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Type is the type of a matrix's elements.
type Type uint8

// The types. I8 is for A and B together, I32 for a C of those.
const (
	F32 Type = iota + 1
	F16
	BF16
	I8
	I32
)

// Size returns the bytes of an element, 0 if t is not a type.
func (t Type) Size() int {
	switch t {
	case F32, I32:
		return 4
	case F16, BF16:
		return 2
	case I8:
		return 1
	}
	return 0
}

func (t Type) String() string {
	switch t {
	case F32:
		return "f32"
	case F16:
		return "f16"
	case BF16:
		return "bf16"
	case I8:
		return "i8"
	case I32:
		return "i32"
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// float reports whether t is a floating-point type.
func (t Type) float() bool { return t == F32 || t == F16 || t == BF16 }

// Matrix is a matrix, or a batch of matrices of one shape, in memory. Strides count elements and
// are at least 0. Swapped strides transpose; a stride of 0 repeats a row, a column or a matrix.
// Elements have the host's byte order and need no alignment.
type Matrix struct {
	Data          []byte
	Type          Type
	Rows, Columns int
	// RowStride is from one row to the next, ColumnStride from one column to the next, BatchStride
	// from one matrix to the next.
	RowStride, ColumnStride, BatchStride int
	// Packer, if set, supplies the elements instead of Data and the strides. Only A and B may have
	// one, of type F32.
	Packer Packer
}

// Dense returns a matrix in row-major order without gaps.
func Dense(data []byte, t Type, rows, columns int) Matrix {
	return Matrix{Data: data, Type: t, Rows: rows, Columns: columns, RowStride: columns, ColumnStride: 1,
		BatchStride: rows * columns}
}

// T returns the transpose of m, on the same memory. It has no packer.
func (m Matrix) T() Matrix {
	m.Rows, m.Columns = m.Columns, m.Rows
	m.RowStride, m.ColumnStride = m.ColumnStride, m.RowStride
	m.Packer = nil
	return m
}

// Packer supplies the elements of an operand that is not in memory as a matrix: the patches of a
// convolution, for instance.
type Packer interface {
	// Pack writes a panel: dst[(k-firstK)*width + line-first] is the element at a line and k, for
	// count lines from first and countK values of k from firstK. Lines are rows of A or columns of B;
	// k counts columns of A or rows of B. If count is less than width, the rest of the panel is
	// already 0. Pack is called from several goroutines at once, and repeatedly for some elements.
	Pack(dst []float32, width, batch, first, count, firstK, countK int)
}

// axis is a dimension of a matrix.
type axis struct{ stride, size int }

// check returns an error if m does not fit its memory.
func (m *Matrix) check(name string, batches int, written bool) error {
	if m.Type.Size() == 0 {
		return fmt.Errorf("gemm: matrix %s has no element type: %v", name, m.Type)
	}
	if m.Rows < 0 || m.Columns < 0 {
		return fmt.Errorf("gemm: matrix %s has %d rows and %d columns; both must be at least 0", name,
			m.Rows, m.Columns)
	}
	if m.Packer != nil {
		if written || m.Type != F32 {
			return fmt.Errorf("gemm: matrix %s of type %v has a packer; only A and B of type f32 may", name, m.Type)
		}
		return nil
	}
	if m.Rows == 0 || m.Columns == 0 || batches == 0 {
		return nil
	}
	axes := []axis{{m.RowStride, m.Rows}, {m.ColumnStride, m.Columns}, {m.BatchStride, batches}}
	slices.SortFunc(axes, func(a, b axis) int { return cmp.Compare(a.stride, b.stride) })
	last := 0 // the last element so far
	for _, a := range axes {
		switch {
		case a.size == 1:
			continue
		case a.stride < 0:
			return fmt.Errorf("gemm: matrix %s has stride %d; strides must be at least 0", name, a.stride)
		case written && a.stride <= last:
			return fmt.Errorf("gemm: elements of matrix %s share memory: stride %d is not over %d", name,
				a.stride, last)
		case a.stride > (math.MaxInt/m.Type.Size()-1-last)/(a.size-1):
			return fmt.Errorf("gemm: matrix %s with stride %d and %d lines is larger than the address space",
				name, a.stride, a.size)
		}
		last += a.stride * (a.size - 1)
	}
	if need := (last + 1) * m.Type.Size(); need > len(m.Data) {
		return fmt.Errorf("gemm: matrix %s needs %d bytes and has %d", name, need, len(m.Data))
	}
	return nil
}

// Product is a matrix product: C = Alpha*A*B + Beta*C for each matrix of a batch.
type Product struct {
	// A has M rows and K columns, B has K and N, C has M and N. C's memory must not overlap that of
	// A and B.
	A, B, C     Matrix
	Alpha, Beta float32
	// Batches is the number of products; 0 means 1.
	Batches int
}

// batches returns the number of products.
func (p *Product) batches() int { return max(1, p.Batches) }

// Check returns an error if shapes or types do not fit each other, or if a matrix does not fit its
// memory.
func (p *Product) Check() error {
	if p.Batches < 0 {
		return fmt.Errorf("gemm: %d batches; there must be at least 0", p.Batches)
	}
	for _, m := range []struct {
		name string
		m    *Matrix
	}{{"A", &p.A}, {"B", &p.B}, {"C", &p.C}} {
		if err := m.m.check(m.name, p.batches(), m.m == &p.C); err != nil {
			return err
		}
	}
	a, b, c := &p.A, &p.B, &p.C
	if a.Columns != b.Rows || a.Rows != c.Rows || b.Columns != c.Columns {
		return fmt.Errorf("gemm: shapes do not fit: A is %d×%d, B is %d×%d, C is %d×%d",
			a.Rows, a.Columns, b.Rows, b.Columns, c.Rows, c.Columns)
	}
	switch {
	case a.Type.float() && b.Type.float() && c.Type.float():
	case a.Type == I8 && b.Type == I8 && c.Type.float():
	case a.Type == I8 && b.Type == I8 && c.Type == I32:
		if p.Alpha != 1 || p.Beta != 0 && p.Beta != 1 {
			return fmt.Errorf("gemm: alpha %v and beta %v with a C of type i32, which takes alpha 1 and beta 0 or 1",
				p.Alpha, p.Beta)
		}
	default:
		return fmt.Errorf("gemm: types do not fit: A is %v, B is %v, C is %v", a.Type, b.Type, c.Type)
	}
	return nil
}
