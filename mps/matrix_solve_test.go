package mps_test

import (
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// squareOf makes a matrix of n by m values.
func squareOf(t *testing.T, d mtl.Device, values []float32, n, m uint, typ mps.DataType) (mps.Matrix, mtl.Buffer) {
	t.Helper()
	desc, err := mps.MatrixDescriptorWithRows(n, m, m*4, typ)
	require.NoError(t, err)
	buffer, err := d.NewBuffer(n*m*4, mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	t.Cleanup(buffer.Release)
	matrix, err := mps.NewMatrixWithBuffer(buffer, desc)
	require.NoError(t, err)
	t.Cleanup(matrix.Release)
	copy(mpstest.FloatsOf(t, buffer), values)
	return matrix, buffer
}

// times multiplies n by n with n by m values.
func times(a, b []float32, n, m int) []float32 {
	out := make([]float32, n*m)
	for i := range n {
		for j := range m {
			sum := 0.0
			for k := range n {
				sum += float64(a[i*n+k]) * float64(b[k*m+j])
			}
			out[i*m+j] = float32(sum)
		}
	}
	return out
}

func transposed(a []float32, n int) []float32 {
	out := make([]float32, n*n)
	for i := range n {
		for j := range n {
			out[j*n+i] = a[i*n+j]
		}
	}
	return out
}

func TestSolve(t *testing.T) {
	if standin.Running() {
		t.Skip("the stand-in of MPS has no decompositions")
	}
	d := mpstest.Framework(t)
	const n, m = 70, 3
	rng := rand.New(rand.NewPCG(8, 1))
	a := make([]float32, n*n)
	for i := range a {
		a[i] = rng.Float32() - 0.5
	}
	x := make([]float32, n*m)
	for i := range x {
		x[i] = rng.Float32()
	}
	read := func(b mtl.Buffer) []float32 { return append([]float32(nil), mpstest.FloatsOf(t, b)...) }
	status := func(b mtl.Buffer) int32 {
		bytes, err := b.Bytes()
		require.NoError(t, err)
		return int32(uint32(bytes[0]) | uint32(bytes[1])<<8 | uint32(bytes[2])<<16 | uint32(bytes[3])<<24)
	}
	state, err := d.NewBuffer(4, mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	defer state.Release()

	// LU and its solution, of A and of its transpose.
	for _, turned := range []bool{false, true} {
		sides := times(a, x, n, m)
		if turned {
			sides = times(transposed(a, n), x, n, m)
		}
		source, _ := squareOf(t, d, a, n, n, mps.DataTypeFloat32)
		factors, _ := squareOf(t, d, nil, n, n, mps.DataTypeFloat32)
		pivots, _ := squareOf(t, d, nil, 1, n, mps.DataTypeUInt32)
		b, _ := squareOf(t, d, sides, n, m, mps.DataTypeFloat32)
		solution, out := squareOf(t, d, nil, n, m, mps.DataTypeFloat32)
		lu, err := mps.NewMatrixDecompositionLUWithDeviceRows(d, n, n)
		require.NoError(t, err)
		defer lu.Release()
		solve, err := mps.NewMatrixSolveLUWithDeviceTranspose(d, turned, n, m)
		require.NoError(t, err)
		defer solve.Release()
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			lu.EncodeToCommandBuffer(cb, source, factors, pivots, state)
			solve.EncodeToCommandBuffer(cb, factors, b, pivots, solution)
		})
		assert.EqualValues(t, 0, status(state))
		assert.InDeltaSlice(t, x, read(out), 2e-3)
	}

	// Cholesky of A Aᵀ + n, lower and upper, and its solution.
	positive := times(a, transposed(a, n), n, n)
	for i := range n {
		positive[i*n+i] += n
	}
	for _, lower := range []bool{true, false} {
		source, _ := squareOf(t, d, positive, n, n, mps.DataTypeFloat32)
		factor, memory := squareOf(t, d, nil, n, n, mps.DataTypeFloat32)
		b, _ := squareOf(t, d, times(positive, x, n, m), n, m, mps.DataTypeFloat32)
		solution, out := squareOf(t, d, nil, n, m, mps.DataTypeFloat32)
		cholesky, err := mps.NewMatrixDecompositionCholeskyWithDeviceLower(d, lower, n)
		require.NoError(t, err)
		defer cholesky.Release()
		solve, err := mps.NewMatrixSolveCholeskyWithDeviceUpper(d, !lower, n, m)
		require.NoError(t, err)
		defer solve.Release()
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			cholesky.EncodeToCommandBuffer(cb, source, factor, state)
			solve.EncodeToCommandBuffer(cb, factor, b, solution)
		})
		assert.EqualValues(t, 0, status(state))
		assert.InDeltaSlice(t, x, read(out), 1e-4)
		l := read(memory)
		if !lower {
			l = transposed(l, n)
		}
		for i := range n {
			for j := i + 1; j < n; j++ {
				l[i*n+j] = 0
			}
		}
		assert.InDeltaSlice(t, positive, times(l, transposed(l, n), n, n), 1e-3)
	}

	// Triangular systems on both sides.
	for mask := range 16 {
		right, upper, turn, unit := mask&1 != 0, mask&2 != 0, mask&4 != 0, mask&8 != 0
		tri := append([]float32(nil), a...)
		for i := range n {
			tri[i*n+i] = 4
			for j := range n {
				if (j > i) != upper && i != j {
					tri[i*n+j] = 0
				} else if i != j {
					tri[i*n+j] /= 16
				}
			}
		}
		used := append([]float32(nil), tri...)
		if unit {
			for i := range n {
				used[i*n+i] = 1
			}
		}
		if turn {
			used = transposed(used, n)
		}
		rows, columns := uint(n), uint(m)
		var sides []float32
		if right { // Xᵀ with X A = B: Aᵀ Xᵀ = Bᵀ
			rows, columns = m, n
			product := times(transposed(used, n), x, n, m)
			sides = make([]float32, n*m)
			for i := range n {
				for j := range m {
					sides[j*n+i] = product[i*m+j]
				}
			}
		} else {
			sides = times(used, x, n, m)
		}
		matrix, _ := squareOf(t, d, tri, n, n, mps.DataTypeFloat32)
		b, _ := squareOf(t, d, sides, rows, columns, mps.DataTypeFloat32)
		solution, out := squareOf(t, d, nil, rows, columns, mps.DataTypeFloat32)
		solve, err := mps.NewMatrixSolveTriangularWithDeviceRight(d, right, upper, turn, unit, n, m, 2)
		require.NoError(t, err)
		defer solve.Release()
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { solve.EncodeToCommandBuffer(cb, matrix, b, solution) })
		got := read(out)
		for i := range n {
			for j := range m {
				v := got[i*m+j]
				if right {
					v = got[j*n+i]
				}
				require.InDelta(t, 2*x[i*m+j], v, 1e-3, "right %t upper %t transpose %t unit %t", right, upper, turn, unit)
			}
		}
	}

	// A singular matrix, and one that is not positive definite.
	source, _ := squareOf(t, d, []float32{1, 2, 2, 4}, 2, 2, mps.DataTypeFloat32)
	result, _ := squareOf(t, d, nil, 2, 2, mps.DataTypeFloat32)
	pivots, _ := squareOf(t, d, nil, 1, 2, mps.DataTypeUInt32)
	lu, err := mps.NewMatrixDecompositionLUWithDeviceRows(d, 2, 2)
	require.NoError(t, err)
	defer lu.Release()
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { lu.EncodeToCommandBuffer(cb, source, result, pivots, state) })
	assert.EqualValues(t, mps.MatrixDecompositionStatusSingular, status(state))
	cholesky, err := mps.NewMatrixDecompositionCholeskyWithDeviceLower(d, true, 2)
	require.NoError(t, err)
	defer cholesky.Release()
	negative, _ := squareOf(t, d, []float32{1, 2, 2, 1}, 2, 2, mps.DataTypeFloat32)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { cholesky.EncodeToCommandBuffer(cb, negative, result, state) })
	assert.EqualValues(t, mps.MatrixDecompositionStatusNonPositiveDefinite, status(state))
}
