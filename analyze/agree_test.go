package analyze_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/compute"
)

// TestStaticAgreesWithLaunch: for random kernels, the lines and the efficiency that the source
// tells are those that a launch is observed to have: the same if they are exact, else within the
// bounds.
func TestStaticAgreesWithLaunch(t *testing.T) {
	acc := openCounting(t)
	r := rand.New(rand.NewPCG(7, 8))
	from, err := compute.NewBuffer[float32](acc, 1<<18, compute.BufferOptions{})
	require.NoError(t, err)
	t.Cleanup(from.Close)
	to, err := compute.NewBuffer[float32](acc, 1<<18, compute.BufferOptions{})
	require.NoError(t, err)
	t.Cleanup(to.Close)
	compared := map[analyze.Certainty]int{}
	for n := range 40 {
		index := func() string {
			x := []string{"g.x", "g.y * 64 + g.x", "g.x * 64 + g.y", "i", "i % 8 + i / 8 * 16", "(i ^ 3)", "b.x * 64",
				"g.x + g.y * b.y", "i / 4"}[r.IntN(9)]
			return fmt.Sprintf("(%s) * %d + %d", x, 1+r.IntN(5), r.IntN(40))
		}
		text := fmt.Sprintf(`kernel void k(device const float *from [[buffer(0)]], device float *to [[buffer(1)]],
	uint2 g [[thread_position_in_grid]], uint i [[thread_index_in_threadgroup]],
	uint2 b [[threadgroup_position_in_grid]]) {
	to[%s] = from[%s];
}`, index(), index())
		shape := [][3]int{{32, 4, 1}, {16, 8, 1}, {64, 2, 1}, {8, 8, 1}}[r.IntN(4)]
		name := []string{"apple7", "apple9", "nvidia"}[n%3]
		list, err := analyze.Kernels(t.Context(), analyze.Source{Name: "k.metal", Text: text},
			analyze.KernelOptions{Model: model(t, name), Threadgroup: shape})
		require.NoError(t, err)
		p, err := acc.Compile(t.Context(), text, compute.CompileOptions{Name: "k.metal"})
		require.NoError(t, err)
		k, err := p.Kernel("k")
		require.NoError(t, err)
		l, err := k.Bind(compute.Threads{Grid: compute.Extent{X: 2 * shape[0], Y: 2 * shape[1]},
			Group: compute.Extent{X: shape[0], Y: shape[1]}}, from, to)
		require.NoError(t, err)
		launch := observed(t, acc, l)
		line := list[0].Model.Line
		for _, a := range list[0].Accesses {
			for _, s := range launch.Sites {
				if s.Operation != a.Operation || s.Memory != a.Memory {
					continue
				}
				require.Zero(t, s.Outside, text)
				which := map[int]int{event.LineSizes[0]: 0, event.LineSizes[1]: 1, event.LineSizes[2]: 2}[line]
				lines := float64(s.Transactions[which]) / float64(s.Executions)
				e, _ := s.Efficiency(line)
				assert.LessOrEqual(t, a.Lines.Low, lines+1e-9, "%s %v %s\n%s", name, shape, a.Memory, text)
				assert.GreaterOrEqual(t, a.Lines.High, lines-1e-9, "%s %v %s\n%s", name, shape, a.Memory, text)
				assert.LessOrEqual(t, a.Efficiency.Low, e+1e-9, "%s %v %s\n%s", name, shape, a.Memory, text)
				assert.GreaterOrEqual(t, a.Efficiency.High, e-1e-9, "%s %v %s\n%s", name, shape, a.Memory, text)
				compared[a.Lines.Certainty]++
			}
		}
		p.Close()
	}
	t.Log(compared)
	assert.Greater(t, compared[analyze.Exact], 20)
	assert.Greater(t, compared[analyze.Bound], 5)
}

// observed runs a launch and returns what was observed of it.
func observed(t *testing.T, acc *compute.Accelerator, l *compute.Launch) *event.Launch {
	t.Helper()
	launches, err := analyze.Observe(t.Context(), acc, analyze.ObserveOptions{}, func(ctx context.Context) error {
		s, err := acc.NextStream()
		if err != nil {
			return err
		}
		return s.Run(ctx, l)
	})
	require.NoError(t, err)
	require.Len(t, launches, 1)
	return launches[0]
}
