package graph

import (
	"testing"

	"github.com/puremetal/puremetal/mps"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEncode: graphs are encoded to a command buffer of MPS, which can commit and continue.
func TestEncode(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x := r.placeholder(3)
	y := g.SquareWithTensor(x, "")
	cb, err := mps.CommandBufferFromCommandQueue(r.queue)
	require.NoError(t, err)
	first := g.EncodeToCommandBufferTargetTensors(cb, map[Tensor]TensorData{x: r.data([]float32{1, 2, 3}, 3)},
		[]Tensor{y}, nil,
		ExecutionDescriptor{})
	require.Len(t, first, 1)
	before := cb.Underlying()
	cb.CommitAndContinue()
	assert.NotEqual(t, before.ID(), cb.Underlying().ID())
	assert.Equal(t, before.ID(), cb.RootCommandBuffer().ID())
	second := g.EncodeToCommandBufferTargetTensors(cb, map[Tensor]TensorData{x: first[y]}, []Tensor{y}, nil,
		ExecutionDescriptor{})
	require.Len(t, second, 1)
	require.NoError(t, cb.Commit())
	require.NoError(t, cb.WaitUntilCompleted())
	assert.Equal(t, []float32{1, 16, 81}, r.values(second[y]))
}
