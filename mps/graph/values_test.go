package graph

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/puremetal/puremetal/mps"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// numbers returns seeded numbers from -2 to 2 with few bits, whose sums are exact.
func numbers(seed uint64, n int) []float32 {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(rng.IntN(65)-32) / 16
	}
	return out
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// floats makes a constant.
func (r *rig) floats(values []float32, shape ...int) Tensor {
	r.t.Helper()
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*4)
	return r.graph.ConstantWithData(bytes, append([]int{}, shape...), mps.DataTypeFloat32)
}

// decode returns the elements of tensor data of any type; a complex number is two.
func (r *rig) decode(d TensorData) []float64 {
	r.t.Helper()
	n, size, parts := product(d.Shape()), 4, 1
	switch d.DataType() {
	case mps.DataTypeInt8, mps.DataTypeUInt8, mps.DataTypeBool:
		size = 1
	case mps.DataTypeComplexFloat32:
		parts = 2
	case mps.DataTypeFloat32, mps.DataTypeInt32:
	default:
		require.FailNow(r.t, "type", "%v", d.DataType())
	}
	b := make([]byte, n*size*parts)
	d.Mpsndarray().ReadBytes(b, nil)
	var out []float64
	for i := 0; i < len(b); i += size {
		switch d.DataType() {
		case mps.DataTypeInt8:
			out = append(out, float64(int8(b[i])))
		case mps.DataTypeUInt8, mps.DataTypeBool:
			out = append(out, float64(b[i]))
		case mps.DataTypeInt32:
			out = append(out, float64(int32(binary.LittleEndian.Uint32(b[i:]))))
		default:
			out = append(out, float64(math.Float32frombits(binary.LittleEndian.Uint32(b[i:]))))
		}
	}
	return out
}

// eval runs the graph for targets without feeds.
func (r *rig) eval(targets ...Tensor) [][]float64 {
	r.t.Helper()
	for i, t := range targets {
		require.False(r.t, t.IsNil(), "target %d", i)
	}
	results, err := r.graph.RunWithMTLCommandQueueTargetTensors(r.queue, nil, targets, nil)
	require.NoError(r.t, err)
	require.Len(r.t, results, len(targets))
	out := make([][]float64, len(targets))
	for i, t := range targets {
		assert.Equal(r.t, t.Shape(), results[t].Shape())
		out[i] = r.decode(results[t])
	}
	return out
}

// check compares a tensor's shape and values with the ones of a reference.
func (r *rig) check(name string, t Tensor, shape []int, want []float64, delta float64) {
	r.t.Helper()
	assert.Equal(r.t, shape, t.Shape(), name)
	got := r.eval(t)[0]
	if !assert.Len(r.t, got, len(want), name) {
		return
	}
	for i := range want {
		if !assert.InDelta(r.t, want[i], got[i], delta, "%s: element %d", name, i) {
			return
		}
	}
}

// adjoint checks that a gradient is the transpose of a linear operation: the product of dy and
// forward(x) is that of backward(dy) and x.
func (r *rig) adjoint(name string, shape []int, forward func(x Tensor) Tensor, backward func(dy, x Tensor) Tensor) {
	r.t.Helper()
	xv := numbers(1, product(shape))
	x := r.floats(xv, shape...)
	y := forward(x)
	require.False(r.t, y.IsNil(), name)
	dyv := numbers(2, product(y.Shape()))
	dx := backward(r.floats(dyv, y.Shape()...), x)
	require.False(r.t, dx.IsNil(), name)
	assert.Equal(r.t, shape, dx.Shape(), name)
	out := r.eval(y, dx)
	var left, right float64
	for i, v := range out[0] {
		left += v * float64(dyv[i])
	}
	for i, v := range out[1] {
		right += v * float64(xv[i])
	}
	assert.InDelta(r.t, left, right, 1e-3*math.Max(1, math.Abs(left)), name)
	assert.NotZero(r.t, left, name)
}

// got returns a result of a call whose version is new enough.
func got[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		require.NoError(t, err)
		return v
	}
}
