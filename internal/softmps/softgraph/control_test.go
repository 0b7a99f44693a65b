package softgraph_test

import (
	"testing"
	"time"

	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
	"github.com/puremetal/puremetal/internal/softmps/softgraph"
	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/graph"
	"github.com/puremetal/puremetal/mtl"
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

// TestLoopTime: all loops of a run together end with the time limit of the queue, whatever their
// kind, and each run has the whole time. The clock goes on by a second for each look at it.
func TestLoopTime(t *testing.T) {
	if standin.Running() {
		t.Skip("the stand-in frameworks have no MPSGraph")
	}
	var clock time.Time
	defer softgraph.SetClock(func() time.Time { clock = clock.Add(time.Second); return clock })()
	defer softgraph.LimitIterations(200)()
	defer objc.OnFault(func(f *objc.Fault) { t.Error(f) })()
	device, err := mtl.DefaultDevice()
	require.NoError(t, err)
	defer device.Release()
	objc.Pool(func() {
		queue, err := device.NewCommandQueue()
		require.NoError(t, err)
		defer queue.Release()
		g, err := graph.NewGraph()
		require.NoError(t, err)
		defer g.Release()
		one := g.ConstantWithScalar(1, mps.DataTypeFloat32)
		// while makes a loop of n iterations around what another function makes of the number.
		while := func(n float64, inside func(graph.Tensor) graph.Tensor) graph.Tensor {
			last := g.ConstantWithScalar(n, mps.DataTypeFloat32)
			return g.WhileWithInitialInputs([]graph.Tensor{one}, func(in []graph.Tensor, out *[]graph.Tensor) graph.Tensor {
				*out = in
				return g.LessThanWithPrimaryTensor(in[0], last, "")
			}, func(in []graph.Tensor) []graph.Tensor {
				return []graph.Tensor{g.AdditionWithPrimaryTensor(inside(in[0]), one, "")}
			}, "")[0]
		}
		same := func(x graph.Tensor) graph.Tensor { return x }
		short, long := while(20, same), while(150, same)
		nested := while(10, func(x graph.Tensor) graph.Tensor {
			return g.SubtractionWithPrimaryTensor(g.AdditionWithPrimaryTensor(x, while(10, same), ""),
				g.ConstantWithScalar(10, mps.DataTypeFloat32), "")
		})
		counted := g.ForLoopWithNumberOfIterations(g.ConstantWithScalar(150, mps.DataTypeInt32), []graph.Tensor{one},
			func(_ graph.Tensor, in []graph.Tensor) []graph.Tensor { return in }, "")[0]
		run := func(x graph.Tensor) error {
			_, err := g.RunWithMTLCommandQueueTargetTensors(queue, nil, []graph.Tensor{x}, nil)
			return err
		}
		client.Send(&extension.SetTimeout, queue.ID(), uintptr(30*time.Second))
		for name, loop := range map[string]graph.Tensor{"while": long, "nested": nested, "for": counted} {
			before := clock
			require.ErrorContains(t, run(loop), "the run's loops have taken 30s, the limit; PUREMETAL_SOFTWARE_TIMEOUT="+
				"duration sets another, 0 none", name)
			assert.Equal(t, 32*time.Second, clock.Sub(before), "%s: it ends at the first look after the limit", name)
			require.NoError(t, run(short), "a time of its own")
		}
		client.Send(&extension.SetTimeout, queue.ID(), uintptr(time.Hour))
		require.NoError(t, run(long))
		client.Send(&extension.SetTimeout, queue.ID(), 0)
		clock = clock.Add(1000 * time.Hour)
		require.NoError(t, run(counted))
	})
}
