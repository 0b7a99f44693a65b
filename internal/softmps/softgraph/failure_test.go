package softgraph_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/graph"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFailedRun: if the command buffer of a run fails, the caller or the handler gets the
// error, and reading results that do not exist is a fault.
func TestFailedRun(t *testing.T) {
	if standin.Running() {
		t.Skip("the stand-in frameworks have no MPSGraph")
	}
	var faults []error
	defer objc.OnFault(func(f *objc.Fault) { faults = append(faults, f) })()
	device, err := mtl.DefaultDevice()
	require.NoError(t, err)
	defer device.Release()
	inject := func(f softmetal.Faults) {
		require.NoError(t, softmetal.Inject(softmetal.Opened(), objcsoft.ID(device.ID()), f))
	}
	defer inject(softmetal.Faults{})
	objc.Pool(func() {
		g, err := graph.NewGraph()
		require.NoError(t, err)
		defer g.Release()
		queue, err := device.NewCommandQueue()
		require.NoError(t, err)
		defer queue.Release()
		x := g.PlaceholderWithShapeDataType([]int{2}, mps.DataTypeFloat32, "")
		y := g.SquareWithTensor(x, "")
		gd, err := graph.DeviceWithMTLDevice(device)
		require.NoError(t, err)
		values := []float32{3, 4}
		data, err := graph.NewTensorDataWithDevice(gd, unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), 8), []int{2},
			mps.DataTypeFloat32)
		require.NoError(t, err)
		defer data.Release()
		feeds := map[graph.Tensor]graph.TensorData{x: data}
		inject(softmetal.Faults{CommandEvery: 1, CommandCode: 9})

		none, err := g.RunWithFeeds(feeds, []graph.Tensor{y}, nil)
		assert.Nil(t, none)
		require.ErrorContains(t, err, "MTLCommandBufferErrorDomain 9")
		assert.Equal(t, 1, strings.Count(err.Error(), "runWithFeeds"), "%v", err)
		none, err = g.RunWithMTLCommandQueueTargetTensors(queue, feeds, []graph.Tensor{y}, nil)
		assert.Nil(t, none)
		require.ErrorContains(t, err, "MTLCommandBufferErrorDomain 9")
		err = g.RunWithMTLCommandQueue(queue, feeds, nil, map[graph.Tensor]graph.TensorData{y: data})
		require.ErrorContains(t, err, "MTLCommandBufferErrorDomain 9")
		shape, err := graph.NewShapedTypeWithShape([]int{2}, mps.DataTypeFloat32)
		require.NoError(t, err)
		defer shape.Release()
		exe := g.CompileWithDevice(gd, map[graph.Tensor]graph.ShapedType{x: shape}, []graph.Tensor{y}, nil,
			graph.CompilationDescriptor{})
		list, err := exe.RunWithMTLCommandQueue(queue, []graph.TensorData{data}, nil,
			graph.ExecutableExecutionDescriptor{})
		assert.Nil(t, list)
		require.ErrorContains(t, err, "MTLCommandBufferErrorDomain 9")
		assert.Empty(t, faults, "the caller has the errors")

		d, err := graph.NewExecutionDescriptor()
		require.NoError(t, err)
		defer d.Release()
		var errs []error
		called := make(chan struct{}, 4)
		d.SetCompletionHandler(func(results map[graph.Tensor]graph.TensorData, err error) {
			assert.Empty(t, results)
			errs = append(errs, err)
			called <- struct{}{}
		})
		out := g.RunAsyncWithMTLCommandQueueTargetTensors(queue, feeds, []graph.Tensor{y}, nil, d)
		<-called
		require.Len(t, out, 1)
		require.Len(t, errs, 1)
		var e *objc.Error
		require.ErrorAs(t, errs[0], &e)
		assert.Equal(t, 9, int(e.Code))
		require.Empty(t, faults, "the handler has the error")
		assert.True(t, out[y].Mpsndarray().IsNil())
		require.Len(t, faults, 1)
		assert.ErrorContains(t, faults[0], "the run that computes the data has failed")

		inject(softmetal.Faults{})
		none, err = g.RunWithFeeds(map[graph.Tensor]graph.TensorData{x: out[y]}, []graph.Tensor{y}, nil)
		assert.Nil(t, none)
		require.ErrorContains(t, err, "the feed of a placeholder: the run that computes the data has failed")

		// The same data hold the results of the next run.
		require.NoError(t, g.RunWithMTLCommandQueue(queue, feeds, nil, map[graph.Tensor]graph.TensorData{y: out[y]}))
		got := make([]float32, 2)
		out[y].Mpsndarray().ReadBytes(unsafe.Slice((*byte)(unsafe.Pointer(&got[0])), 8), nil)
		assert.Equal(t, []float32{9, 16}, got)
		assert.Len(t, faults, 1)
		assert.Len(t, errs, 1)
	})
}
