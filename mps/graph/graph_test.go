package graph

import (
	"math"
	"testing"
	"unsafe"

	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rig is a graph on the default device, in a pool.
type rig struct {
	t      testing.TB
	device mtl.Device
	queue  mtl.CommandQueue
	graph  Graph

	expected bool // a fault
	fault    error
}

// try calls f and returns the fault that it causes.
func (r *rig) try(f func() Tensor) (Tensor, error) {
	r.expected, r.fault = true, nil
	defer func() { r.expected = false }()
	return f(), r.fault
}

func newRig(t testing.TB) *rig {
	t.Helper()
	if standin.Running() {
		t.Skip("the stand-in frameworks have no MPSGraph")
	}
	pool, err := objc.NewAutoreleasePool()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, pool.Drain()) })
	r := &rig{t: t}
	t.Cleanup(objc.OnFault(func(f *objc.Fault) {
		if !r.expected {
			t.Error(f)
		}
		r.fault = f
	}))
	if r.graph, err = NewGraph(); err != nil {
		require.ErrorIs(t, err, objc.ErrNotFound)
		if driver, _ := objc.CurrentDriver(); driver == objc.DriverSoftware {
			require.NoError(t, err)
		}
		t.Skip(err)
	}
	t.Cleanup(r.graph.Release)
	r.device, err = mtl.DefaultDevice()
	require.NoError(t, err)
	t.Cleanup(r.device.Release)
	r.queue, err = r.device.NewCommandQueue()
	require.NoError(t, err)
	t.Cleanup(r.queue.Release)
	return r
}

// data makes tensor data of float32 values.
func (r *rig) data(values []float32, shape ...int) TensorData {
	r.t.Helper()
	device, err := DeviceWithMTLDevice(r.device)
	require.NoError(r.t, err)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*4)
	d, err := NewTensorDataWithDevice(device, bytes, shape, mps.DataTypeFloat32)
	require.NoError(r.t, err)
	r.t.Cleanup(d.Release)
	return d
}

func (r *rig) placeholder(shape ...int) Tensor {
	r.t.Helper()
	return r.graph.PlaceholderWithShapeDataType(shape, mps.DataTypeFloat32, "")
}

// run returns the values of a target.
func (r *rig) run(feeds map[Tensor]TensorData, target Tensor) []float32 {
	r.t.Helper()
	results, err := r.graph.RunWithMTLCommandQueueTargetTensors(r.queue, feeds, []Tensor{target}, nil)
	require.NoError(r.t, err)
	require.Len(r.t, results, 1)
	for _, d := range results {
		return r.values(d)
	}
	return nil
}

func (r *rig) values(d TensorData) []float32 {
	r.t.Helper()
	n := 1
	for _, k := range d.Shape() {
		n *= k
	}
	out := make([]float32, n)
	d.Mpsndarray().ReadBytes(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(out))), n*4), nil)
	return out
}

func TestElementwise(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x, y := r.placeholder(2, 3), r.placeholder(3)
	z := g.AdditionWithPrimaryTensor(g.ExponentWithTensor(x, ""), g.MultiplicationWithPrimaryTensor(x, y, ""), "")
	assert.Equal(t, []int{2, 3}, z.Shape())
	xv, yv := []float32{0, 1, 2, -1, -2, -3}, []float32{1, 10, 100}
	got := r.run(map[Tensor]TensorData{x: r.data(xv, 2, 3), y: r.data(yv, 3)}, z)
	for i, v := range xv {
		assert.InDelta(t, math.Exp(float64(v))+float64(v*yv[i%3]), got[i], 1e-4)
	}
}

func TestShapes(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x := r.placeholder(2, 3, 4)
	v := make([]float32, 24)
	for i := range v {
		v[i] = float32(i)
	}
	feeds := map[Tensor]TensorData{x: r.data(v, 2, 3, 4)}
	turned := g.TransposeTensorPermutation(x, []int{2, 0, 1}, "")
	assert.Equal(t, []int{4, 2, 3}, turned.Shape())
	flat := g.ReshapeTensor(turned, []int{4, -1}, "")
	got := r.run(feeds, flat)
	for i := range got {
		assert.Equal(t, float32(i%6*4+i/6), got[i])
	}
	cut := g.SliceTensorStarts(x, []int{1, -1, 3}, []int{2, 0, 0}, []int{1, -1, -2}, "")
	assert.Equal(t, []int{1, 2, 2}, cut.Shape())
	assert.Equal(t, []float32{23, 21, 19, 17}, r.run(feeds, cut))
}

// TestScalarConstants: constants of one number take part in fused kernels, with any shape, as
// results, and with a feed in their place.
func TestScalarConstants(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x := r.placeholder(2, 3)
	two := g.ConstantWithScalar(2, mps.DataTypeFloat32)
	row := g.ConstantWithScalarShape(-0.25, []int{1, 3}, mps.DataTypeFloat32)
	sum := g.AdditionWithPrimaryTensor(g.MultiplicationWithPrimaryTensor(x, two, ""), row, "")
	least := g.MaximumWithPrimaryTensor(g.ReLUWithTensor(sum, ""), g.SquareRootWithTensor(two, ""), "")
	values := []float32{-3, 0.5, 0.75, 1, 4, float32(math.Inf(1))}
	for _, scale := range []float32{2, 3} {
		feeds := map[Tensor]TensorData{x: r.data(values, 2, 3)}
		if scale != 2 {
			feeds[two] = r.data([]float32{scale})
		}
		want := make([]float32, len(values))
		for i, v := range values {
			want[i] = max(v*scale-0.25, 0, float32(math.Sqrt(float64(scale))))
		}
		assert.Equal(t, want, r.run(feeds, least))
	}
	feeds := map[Tensor]TensorData{}
	assert.Equal(t, []float32{-0.25, -0.25, -0.25}, r.run(feeds, row))
	assert.Equal(t, []float32{1.75, 1.75, 1.75}, r.run(feeds, g.AdditionWithPrimaryTensor(row, two, "")))
}
