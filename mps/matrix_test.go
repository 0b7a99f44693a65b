package mps_test

import (
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func randomMatrix(t *testing.T, d mtl.Device, rng *rand.Rand, rows, columns uint) (mps.Matrix, []float32) {
	t.Helper()
	desc, err := mps.MatrixDescriptorWithRows(rows, columns, columns*4, mps.DataTypeFloat32)
	require.NoError(t, err)
	buffer, err := d.NewBuffer(rows*columns*4, mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	t.Cleanup(buffer.Release)
	m, err := mps.NewMatrixWithBuffer(buffer, desc)
	require.NoError(t, err)
	t.Cleanup(m.Release)
	values := mpstest.FloatsOf(t, buffer)
	for i := range values {
		values[i] = rng.Float32() - 0.5
	}
	return m, values
}

func TestMatrixMultiplication(t *testing.T) {
	d := mpstest.Framework(t)
	const rows, inner, columns = 5, 7, 3
	rng := rand.New(rand.NewPCG(1, 2))
	a, av := randomMatrix(t, d, rng, rows, inner)
	b, bv := randomMatrix(t, d, rng, columns, inner)
	c, cv := randomMatrix(t, d, rng, rows, columns)
	before := append([]float32(nil), cv...)
	k, err := mps.NewMatrixMultiplicationWithDeviceTransposeLeft(d, false, true, rows, columns, inner, 2, 0.5)
	require.NoError(t, err)
	defer k.Release()
	queue, err := d.NewCommandQueue()
	require.NoError(t, err)
	defer queue.Release()
	commands, err := queue.CommandBuffer()
	require.NoError(t, err)
	k.EncodeToCommandBuffer(commands, a, b, c)
	commands.Commit()
	commands.WaitUntilCompleted()
	require.NoError(t, commands.Err())
	for r := range rows {
		for col := range columns {
			var sum float64
			for i := range inner {
				sum += float64(av[r*inner+i]) * float64(bv[col*inner+i])
			}
			want := 2*sum + 0.5*float64(before[r*columns+col])
			assert.InDelta(t, want, cv[r*columns+col], 1e-5, "element %d, %d", r, col)
		}
	}
}
