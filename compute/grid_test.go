package compute

import (
	"testing"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestChoose: a threadgroup that is chosen has whole simdgroups along x, then rows, then layers, as
// far as the grid goes and the pipeline allows.
func TestChoose(t *testing.T) {
	a := &Accelerator{info: Info{Limits: mtl.Limits{MaxThreadsPerThreadgroup: mtl.Size{Width: 1024, Height: 1024,
		Depth: 64}}}}
	for _, c := range []struct {
		most uint // of the pipeline
		grid Threads
		want mtl.Size
	}{
		{1024, Threads1D(1000), mtl.Size{Width: 256, Height: 1, Depth: 1}},
		{1024, Threads1D(10), mtl.Size{Width: 10, Height: 1, Depth: 1}},
		{1024, Threads2D(100, 100), mtl.Size{Width: 32, Height: 8, Depth: 1}},
		{1024, Threads2D(4, 100), mtl.Size{Width: 4, Height: 64, Depth: 1}},
		{1024, Threads3D(8, 8, 8), mtl.Size{Width: 8, Height: 8, Depth: 4}},
		{1024, Threads3D(1, 1, 1000), mtl.Size{Width: 1, Height: 1, Depth: 64}},
		{1024, Threads2D(20_000, 2), mtl.Size{Width: 128, Height: 2, Depth: 1}},
		{1024, Threads2D(1000, 3), mtl.Size{Width: 64, Height: 3, Depth: 1}},
		{1024, Threads2D(40, 2), mtl.Size{Width: 40, Height: 2, Depth: 1}},
		{1024, Threads3D(100, 2, 2), mtl.Size{Width: 64, Height: 2, Depth: 2}},
		{100, Threads1D(1000), mtl.Size{Width: 96, Height: 1, Depth: 1}},
		{100, Threads2D(1000, 1000), mtl.Size{Width: 32, Height: 3, Depth: 1}},
		{16, Threads2D(1000, 1000), mtl.Size{Width: 16, Height: 1, Depth: 1}},
	} {
		k := &Kernel{acc: a}
		k.core.SetMade(stream.Made{Limits: mtl.PipelineLimits{MaxTotalThreadsPerThreadgroup: c.most,
			ThreadExecutionWidth: 32}})
		grid, group, threads, err := k.checkGrid(c.grid)
		require.NoError(t, err)
		assert.True(t, threads)
		assert.Equal(t, c.grid.Grid.metal(), grid)
		assert.Equal(t, c.want, group, "%v of a pipeline with %d", c.grid.Grid, c.most)
	}
	required := mtl.Size{Width: 7, Height: 2, Depth: 1}
	k := &Kernel{acc: a}
	k.core.SetMade(stream.Made{Limits: mtl.PipelineLimits{MaxTotalThreadsPerThreadgroup: 1024,
		ThreadExecutionWidth:          32,
		RequiredThreadsPerThreadgroup: required}})
	assert.Equal(t, required, k.chooseGroup(mtl.Size{Width: 100, Height: 100, Depth: 1}))
}

// TestEdges: every thread of a grid runs once, whatever the grid's shape, in a threadgroup that is
// chosen and in one that is given.
func TestEdges(t *testing.T) {
	a := accelerator(t)
	k, s := kernels(t, a, `
kernel void visit(device int *out [[buffer(0)]], uint3 i [[thread_position_in_grid]], uint3 n [[threads_per_grid]]) {
    out[(i.z * n.y + i.y) * n.x + i.x] += 1;
}`)("visit"), newStream(t, a)
	for _, g := range []Threads{Threads1D(1000), Threads2D(37, 11), Threads3D(7, 5, 3), Threads1D(1000).In(Extent{X: 48}),
		Threads3D(7, 5, 3).In(Extent{X: 4, Y: 2, Z: 2})} {
		n := g.Grid.X * max(g.Grid.Y, 1) * max(g.Grid.Z, 1)
		out := bufferOf(t, a, make([]int32, n+1)...)
		require.NoError(t, s.Launch(t.Context(), k, g, out))
		require.NoError(t, s.Sync(t.Context()))
		got, err := out.Data()
		require.NoError(t, err)
		for i, v := range got[:n] {
			require.EqualValues(t, 1, v, "thread %d of %v", i, g)
		}
		assert.Zero(t, got[n], "behind %v", g)
	}
}

func TestGroupsWithoutSize(t *testing.T) {
	err := Threadgroups{Grid: Extent{X: 4}}.check()
	require.ErrorIs(t, err, ErrRange)
	require.ErrorContains(t, err, "Threadgroups.Group is not set")
}
