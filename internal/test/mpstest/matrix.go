package mpstest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/simd"

	"github.com/stretchr/testify/require"
)

// Table is a batch of matrices whose elements are read as float64. Rows have padding.
type Table struct {
	mps.Matrix
	Memory                        []byte
	Kind                          mps.DataType
	Matrices, High, Wide, RowSize int
}

// At is an element of a matrix.
func (m *Table) At(n, r, c int) float64 {
	at := m.Memory[(n*m.High+r)*m.RowSize:]
	if m.Kind == mps.DataTypeFloat16 {
		return float64(simd.Half(binary.LittleEndian.Uint16(at[2*c:])).Float32())
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(at[4*c:])))
}

// Set changes an element of a matrix.
func (m *Table) Set(n, r, c int, v float64) {
	at := m.Memory[(n*m.High+r)*m.RowSize:]
	if m.Kind == mps.DataTypeFloat16 {
		binary.LittleEndian.PutUint16(at[2*c:], uint16(simd.HalfOf(float32(v))))
		return
	}
	binary.LittleEndian.PutUint32(at[4*c:], math.Float32bits(float32(v)))
}

// Tables makes matrices and vectors of random elements, which live as long as the test.
type Tables struct {
	T   *testing.T
	D   mtl.Device
	Rng *rand.Rand
}

// Matrix makes matrices of high rows and wide columns.
func (s Tables) Matrix(kind mps.DataType, matrices, high, wide int) *Table {
	m := &Table{Kind: kind, Matrices: matrices, High: high, Wide: wide, RowSize: 4*wide + 8}
	desc, err := mps.MatrixDescriptorWithRowsColumnsMatrices(uint(high), uint(wide), uint(matrices), uint(m.RowSize),
		uint(high*m.RowSize), kind)
	require.NoError(s.T, err)
	b, err := s.D.NewBuffer(uint(matrices*high*m.RowSize), mtl.ResourceStorageModeShared)
	require.NoError(s.T, err)
	s.T.Cleanup(b.Release)
	m.Matrix, err = mps.NewMatrixWithBuffer(b, desc)
	require.NoError(s.T, err)
	s.T.Cleanup(m.Release)
	m.Memory, err = b.Bytes()
	require.NoError(s.T, err)
	for n := range matrices {
		for r := range high {
			for c := range wide {
				m.Set(n, r, c, s.Rng.Float64()-0.5)
			}
		}
	}
	return m
}

// Vector makes vectors that are the rows of a table of one row each.
func (s Tables) Vector(vectors, n int) (mps.Vector, *Table) {
	m := &Table{Kind: mps.DataTypeFloat32, Matrices: vectors, High: 1, Wide: n, RowSize: 4*n + 8}
	desc, err := mps.VectorDescriptorWithLengthVectors(uint(n), uint(vectors), uint(m.RowSize), mps.DataTypeFloat32)
	require.NoError(s.T, err)
	b, err := s.D.NewBuffer(uint(vectors*m.RowSize), mtl.ResourceStorageModeShared)
	require.NoError(s.T, err)
	s.T.Cleanup(b.Release)
	v, err := mps.NewVectorWithBuffer(b, desc)
	require.NoError(s.T, err)
	s.T.Cleanup(v.Release)
	m.Memory, err = b.Bytes()
	require.NoError(s.T, err)
	for i := range vectors {
		for c := range n {
			m.Set(i, 0, c, s.Rng.Float64()-0.5)
		}
	}
	return v, m
}

// Expect compares a window with what a function says, and that all around it is what it was.
func (m *Table) Expect(t *testing.T, before []byte, row, column, high, wide int, want func(n, r, c int) float64,
	tolerance float64) {
	t.Helper()
	old := *m
	old.Memory = before
	for n := range m.Matrices {
		for r := range m.High {
			for c := range m.Wide {
				if r < row || r >= row+high || c < column || c >= column+wide {
					require.Equal(t, old.At(n, r, c), m.At(n, r, c), "around the window: matrix %d (%d, %d)", n, r, c)
					continue
				}
				w := want(n, r-row, c-column)
				require.InDelta(t, w, m.At(n, r, c), tolerance*(1+math.Abs(w)), "matrix %d (%d, %d)", n, r-row, c-column)
			}
		}
	}
}

// Copied is a copy of the memory.
func (m *Table) Copied() []byte { return append([]byte(nil), m.Memory...) }
