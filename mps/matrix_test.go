package mps

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// framework runs the test in a pool and returns the default device. Without MPS, as on the software
// device, the test is skipped with the reason.
func framework(t *testing.T) mtl.Device {
	t.Helper()
	pool, err := objc.NewAutoreleasePool()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, pool.Drain()) })
	t.Cleanup(objc.OnFault(func(f *objc.Fault) { t.Error(f) }))
	if _, err := zclasses[cMatrixMultiplication].Get(); err != nil {
		require.ErrorIs(t, err, objc.ErrNotFound)
		if driver, _ := objc.CurrentDriver(); driver == objc.DriverSoftware {
			require.NoError(t, err)
		}
		t.Skip(err)
	}
	d, err := mtl.DefaultDevice()
	require.NoError(t, err)
	t.Cleanup(d.Release)
	return d
}

// floatsOf returns the floats in a buffer.
func floatsOf(t *testing.T, b mtl.Buffer) []float32 {
	t.Helper()
	bytes, err := b.Bytes()
	require.NoError(t, err)
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(bytes))), len(bytes)/4)
}

func randomMatrix(t *testing.T, d mtl.Device, rng *rand.Rand, rows, columns uint) (Matrix, []float32) {
	t.Helper()
	desc, err := MatrixDescriptorWithRows(rows, columns, columns*4, DataTypeFloat32)
	require.NoError(t, err)
	buffer, err := d.NewBuffer(rows*columns*4, mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	t.Cleanup(buffer.Release)
	m, err := NewMatrixWithBuffer(buffer, desc)
	require.NoError(t, err)
	t.Cleanup(m.Release)
	values := floatsOf(t, buffer)
	for i := range values {
		values[i] = rng.Float32() - 0.5
	}
	return m, values
}

func TestMatrixMultiplication(t *testing.T) {
	d := framework(t)
	const rows, inner, columns = 5, 7, 3
	rng := rand.New(rand.NewPCG(1, 2))
	a, av := randomMatrix(t, d, rng, rows, inner)
	b, bv := randomMatrix(t, d, rng, columns, inner)
	c, cv := randomMatrix(t, d, rng, rows, columns)
	before := append([]float32(nil), cv...)
	k, err := NewMatrixMultiplicationWithDeviceTransposeLeft(d, false, true, rows, columns, inner, 2, 0.5)
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
