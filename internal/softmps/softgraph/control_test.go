package softgraph_test

import (
	"testing"

	"github.com/puremetal/puremetal/internal/softmps/softgraph"
	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/graph"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEndlessLoop: a loop whose condition stays true ends with an error.
func TestEndlessLoop(t *testing.T) {
	if standin.Running() {
		t.Skip("the stand-in frameworks have no MPSGraph")
	}
	defer softgraph.LimitIterations(50)()
	defer objc.OnFault(func(f *objc.Fault) { t.Error(f) })()
	objc.Pool(func() {
		g, err := graph.NewGraph()
		require.NoError(t, err)
		defer g.Release()
		one := g.ConstantWithScalar(1, mps.DataTypeFloat32)
		rounds := 0
		out := g.WhileWithInitialInputs([]graph.Tensor{one}, func(in []graph.Tensor, results *[]graph.Tensor) graph.Tensor {
			*results = in
			rounds++
			return one
		}, func(in []graph.Tensor) []graph.Tensor {
			return []graph.Tensor{g.AdditionWithPrimaryTensor(in[0], one, "")}
		}, "")
		require.Len(t, out, 1)
		results, err := g.RunWithFeeds(nil, out, nil)
		require.ErrorContains(t, err, "while: no end after 50 iterations, the most that the software device does")
		assert.Empty(t, results)
		assert.Equal(t, 1, rounds, "blocks run once, to build the graph")
	})
}

// TestIterations: a loop may do as many iterations as the limit says, and no more.
func TestIterations(t *testing.T) {
	if standin.Running() {
		t.Skip("the stand-in frameworks have no MPSGraph")
	}
	defer softgraph.LimitIterations(50)()
	defer objc.OnFault(func(f *objc.Fault) { t.Error(f) })()
	objc.Pool(func() {
		for n, ends := range map[float64]bool{49: true, 60: false} {
			g, err := graph.NewGraph()
			require.NoError(t, err)
			defer g.Release()
			zero, one := g.ConstantWithScalar(0, mps.DataTypeFloat32), g.ConstantWithScalar(1, mps.DataTypeFloat32)
			last := g.ConstantWithScalar(n, mps.DataTypeFloat32)
			out := g.WhileWithInitialInputs([]graph.Tensor{zero}, func(in []graph.Tensor, results *[]graph.Tensor) graph.Tensor {
				*results = in
				return g.LessThanWithPrimaryTensor(in[0], last, "")
			}, func(in []graph.Tensor) []graph.Tensor {
				return []graph.Tensor{g.AdditionWithPrimaryTensor(in[0], one, "")}
			}, "")
			_, err = g.RunWithFeeds(nil, out, nil)
			if ends {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "while: no end after 50 iterations")
			}
		}
	})
}
