package graph

import (
	"testing"

	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRunErrors: a run that cannot be gives its caller an error and no results, which could be read
// as zeros. That is all: nothing reaches the handler of faults.
func TestRunErrors(t *testing.T) {
	r := newRig(t)
	if driver, _ := objc.CurrentDriver(); driver != objc.DriverSoftware {
		t.Skip("MPSGraph raises exceptions")
	}
	g := r.graph
	x := g.PlaceholderWithShapeDataType([]int{2, 3}, mps.DataTypeFloat32, "x")
	y := g.SquareWithTensor(x, "y")
	narrow := r.data(make([]float32, 4), 2, 2)
	for _, c := range []struct {
		feeds map[Tensor]TensorData
		text  string
	}{
		{map[Tensor]TensorData{x: narrow}, `the feed of placeholder "x" has the shape [2 2] and not [2 3]`},
		{nil, `the placeholder "x" is not among the feeds`},
	} {
		results, err := g.RunWithFeeds(c.feeds, []Tensor{y}, nil)
		assert.ErrorContains(t, err, c.text)
		assert.Nil(t, results)
		results, err = g.RunWithMTLCommandQueueTargetTensors(r.queue, c.feeds, []Tensor{y}, nil)
		assert.ErrorContains(t, err, c.text)
		assert.Nil(t, results)
		out := r.data(make([]float32, 6), 2, 3)
		assert.ErrorContains(t, g.RunWithMTLCommandQueue(r.queue, c.feeds, nil, map[Tensor]TensorData{y: out}), c.text)
	}
}

// TestRunNil: graphs and executables that are nil run nothing.
func TestRunNil(t *testing.T) {
	r := newRig(t)
	y := r.graph.SquareWithTensor(r.placeholder(2), "")
	out := r.data(make([]float32, 2), 2)
	_, err := Graph{}.RunWithFeeds(nil, []Tensor{y}, nil)
	assert.ErrorIs(t, err, objc.ErrNotObject)
	_, err = Graph{}.RunWithMTLCommandQueueTargetTensors(r.queue, nil, []Tensor{y}, nil)
	assert.ErrorIs(t, err, objc.ErrNotObject)
	err = Graph{}.RunWithMTLCommandQueue(r.queue, nil, nil, map[Tensor]TensorData{y: out})
	assert.ErrorIs(t, err, objc.ErrNotObject)
	_, err = Executable{}.RunWithMTLCommandQueue(r.queue, nil, []TensorData{out}, ExecutableExecutionDescriptor{})
	assert.ErrorIs(t, err, objc.ErrNotObject)
}

// TestMissingResults: a framework that gives fewer results than asked for is an error that says
// which one is missing.
func TestMissingResults(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x := r.placeholder(2)
	y, z := g.SquareWithTensor(x, "y"), g.NegativeWithTensor(x, "z")
	results := map[Tensor]TensorData{y: r.data(make([]float32, 2), 2)}
	some, err := g.checkResults(mGraphRunWithFeeds, results, []Tensor{y}, nil)
	require.NoError(t, err)
	assert.Equal(t, results, some)
	for _, results := range []map[Tensor]TensorData{results, {y: results[y], z: {}}} {
		some, err = g.checkResults(mGraphRunWithFeeds, results, []Tensor{y, z}, nil)
		assert.Nil(t, some)
		assert.ErrorIs(t, err, objc.ErrNil)
		assert.ErrorContains(t, err, `has no data for target 1, "z"`)
		assert.ErrorContains(t, err, "runWithFeeds:targetTensors:targetOperations:")
	}
}

// TestNilData: messages to data that is nil return zeros and nil, as everywhere in Objective-C, and
// a feed that is nil is an error.
func TestNilData(t *testing.T) {
	r := newRig(t)
	assert.Empty(t, TensorData{}.Shape())
	assert.Zero(t, TensorData{}.DataType())
	assert.True(t, TensorData{}.Mpsndarray().IsNil())
	out := []byte{1, 2}
	TensorData{}.Mpsndarray().ReadBytes(out, nil)
	assert.Equal(t, []byte{1, 2}, out, "left as they were")

	x := r.placeholder(2)
	var faults []error
	defer objc.OnFault(func(f *objc.Fault) { faults = append(faults, f) })()
	_, err := r.graph.RunWithFeeds(map[Tensor]TensorData{x: {}}, []Tensor{r.graph.SquareWithTensor(x, "")}, nil)
	assert.ErrorIs(t, err, objc.ErrNotObject)
	assert.Len(t, faults, 1, "the dictionary of feeds cannot be made")
}
