package types

import (
	"strconv"
	"sync"
)

// Vector is a vector of two to four scalars: float4, or vec<float, 4>.
type Vector struct {
	Elem *Basic
	Len  int
}

// Packed is a packed vector of two to four scalars: packed_float3. It is aligned like its element
// and has no arithmetic of its own; it converts to the vector type.
type Packed struct {
	Elem *Basic
	Len  int
}

// Matrix is a matrix of float or half: float4x3 has four columns of three rows, and is stored as
// four three-component vectors.
type Matrix struct {
	Elem       *Basic
	Cols, Rows int
}

// SimdgroupMatrix is a matrix distributed over the threads of a simdgroup: simdgroup_float8x8.
type SimdgroupMatrix struct {
	Elem       *Basic
	Cols, Rows int
}

// Atomic is an atomic scalar: atomic_uint, or atomic<uint>.
type Atomic struct{ Elem *Basic }

type shared struct {
	vectors  [numKinds][5]*Vector
	packed   [numKinds][5]*Packed
	matrices [numKinds][5][5]*Matrix
	simd     [numKinds]*SimdgroupMatrix
	atomics  [numKinds]*Atomic
}

var sharedTypes = sync.OnceValue(func() *shared {
	s := new(shared)
	for k := BoolKind; k <= FloatKind; k++ {
		b := basics[k]
		for n := 2; n <= 4; n++ {
			s.vectors[k][n] = &Vector{b, n}
			s.packed[k][n] = &Packed{b, n}
		}
		s.atomics[k] = &Atomic{b}
		if !b.IsFloat() {
			continue
		}
		s.simd[k] = &SimdgroupMatrix{b, 8, 8}
		for c := 2; c <= 4; c++ {
			for r := 2; r <= 4; r++ {
				s.matrices[k][c][r] = &Matrix{b, c, r}
			}
		}
	}
	return s
})

// VectorOf returns the vector type of n elements, or nil if there is none.
func VectorOf(elem *Basic, n int) *Vector {
	if n < 2 || n > 4 {
		return nil
	}
	return sharedTypes().vectors[elem.kind][n]
}

// PackedOf returns the packed vector type of n elements, or nil if there is none.
func PackedOf(elem *Basic, n int) *Packed {
	if n < 2 || n > 4 {
		return nil
	}
	return sharedTypes().packed[elem.kind][n]
}

// MatrixOf returns the matrix type with the given columns and rows, or nil if there is none.
func MatrixOf(elem *Basic, cols, rows int) *Matrix {
	if cols < 2 || cols > 4 || rows < 2 || rows > 4 {
		return nil
	}
	return sharedTypes().matrices[elem.kind][cols][rows]
}

// SimdgroupMatrixOf returns the 8x8 simdgroup matrix type of elem, or nil if there is none.
func SimdgroupMatrixOf(elem *Basic) *SimdgroupMatrix { return sharedTypes().simd[elem.kind] }

// AtomicOf returns the atomic type of elem, or nil if elem is void or nullptr.
func AtomicOf(elem *Basic) *Atomic { return sharedTypes().atomics[elem.kind] }

// ScalarOrVector returns elem itself for n = 1, otherwise the vector type of n elements, or nil if
// there is none.
func ScalarOrVector(elem *Basic, n int) Type {
	if n == 1 {
		return elem
	}
	if v := VectorOf(elem, n); v != nil {
		return v
	}
	return nil
}

// Size returns the size of a value in bytes; a three-component vector is as large as a
// four-component one.
func (v *Vector) Size() int {
	if v.Len == 3 {
		return 4 * v.Elem.Size()
	}
	return v.Len * v.Elem.Size()
}

// Align returns the alignment, which equals the size.
func (v *Vector) Align() int     { return v.Size() }
func (v *Vector) String() string { return v.Elem.name + strconv.Itoa(v.Len) }
func (v *Vector) isType()        {}

// Size returns the size of a value in bytes.
func (p *Packed) Size() int { return p.Len * p.Elem.Size() }

// Align returns the alignment of one element.
func (p *Packed) Align() int     { return p.Elem.Align() }
func (p *Packed) String() string { return "packed_" + p.Elem.name + strconv.Itoa(p.Len) }
func (p *Packed) isType()        {}

// Unpacked returns the vector of the same elements.
func (p *Packed) Unpacked() *Vector { return VectorOf(p.Elem, p.Len) }

// Column returns the type of a column.
func (m *Matrix) Column() *Vector { return VectorOf(m.Elem, m.Rows) }

// Size returns the size of a value in bytes, the total of its columns.
func (m *Matrix) Size() int { return m.Cols * m.Column().Size() }

// Align returns the alignment of a column.
func (m *Matrix) Align() int { return m.Column().Align() }
func (m *Matrix) String() string {
	return m.Elem.name + strconv.Itoa(m.Cols) + "x" + strconv.Itoa(m.Rows)
}
func (m *Matrix) isType() {}

// Storage returns the vector type of the elements held by one thread of a 32-wide simdgroup.
func (m *SimdgroupMatrix) Storage() *Vector { return VectorOf(m.Elem, m.Cols*m.Rows/32) }

// Size returns the size of one thread's share in bytes.
func (m *SimdgroupMatrix) Size() int { return m.Storage().Size() }

// Align returns the alignment of one thread's share.
func (m *SimdgroupMatrix) Align() int { return m.Storage().Align() }
func (m *SimdgroupMatrix) String() string {
	return "simdgroup_" + m.Elem.name + strconv.Itoa(m.Cols) + "x" + strconv.Itoa(m.Rows)
}
func (m *SimdgroupMatrix) isType() {}

// Size returns the size of a value in bytes, which is that of the scalar.
func (a *Atomic) Size() int { return a.Elem.Size() }

// Align returns the alignment of the scalar.
func (a *Atomic) Align() int { return a.Elem.Align() }
func (a *Atomic) String() string {
	switch a.Elem.kind {
	case IntKind, UIntKind, BoolKind, FloatKind, ULongKind:
		return "atomic_" + a.Elem.name
	}
	return "atomic<" + a.Elem.name + ">"
}
func (a *Atomic) isType() {}
