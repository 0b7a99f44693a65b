package docs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tree"
)

// TestBeyondOneLaunch runs the kernels of the page that launch others or take work from a queue.
func TestBeyondOneLaunch(t *testing.T) {
	page := read(t, "docs/beyond-one-launch.md")
	acc, err := compute.Open()
	require.NoError(t, err)
	defer func() { require.NoError(t, acc.Close(t.Context())) }()
	stream, err := acc.NextStream()
	require.NoError(t, err)
	program := func(including string, o compute.CompileOptions) *compute.Program {
		for _, b := range blocks(page) {
			if b.language == "metal" && strings.Contains(b.text, including) {
				p, err := acc.Compile(t.Context(), b.text, o)
				require.NoError(t, err)
				return p
			}
		}
		require.Fail(t, "no kernel", including)
		return nil
	}

	names := []string{"total", "add"}
	launching := program("puremetal/launch", compute.CompileOptions{Macros: tree.Numbers(names...)})
	defer launching.Close()
	var kernels []*compute.Kernel
	for _, name := range names {
		k, err := launching.Kernel(name)
		require.NoError(t, err)
		kernels = append(kernels, k)
	}
	launcher, err := tree.New(t.Context(), acc, kernels,
		tree.Options{Depth: 10, Capacity: 1024, Continuations: 1024})
	require.NoError(t, err)
	defer launcher.Close()
	numbers, want := make([]float32, 10000), float32(0)
	for i := range numbers {
		numbers[i] = float32(i % 100)
		want += numbers[i]
	}
	x, err := compute.BufferOf(t.Context(), acc, numbers)
	require.NoError(t, err)
	defer x.Close()
	type span struct{ From, To uint32 }
	run, err := launcher.Launch(t.Context(), stream, kernels[0], compute.Threads1D(1), x, span{From: 0, To: 10000})
	require.NoError(t, err)
	require.NoError(t, run.Wait(t.Context()))
	got, err := x.Data()
	require.NoError(t, err)
	require.Equal(t, want, got[0])

	working := program("puremetal/work_queue", compute.CompileOptions{})
	defer working.Close()
	build, err := working.Kernel("build")
	require.NoError(t, err)
	type node struct{ First, Count, Depth, Unused uint32 }
	queue, err := tree.NewWorkQueue[node](acc, tree.WorkQueueOptions{Capacity: 4096})
	require.NoError(t, err)
	defer queue.Close()
	require.NoError(t, queue.Push(node{Count: 1024}))
	stats, err := queue.Drain(t.Context(), stream, build, compute.Threads1D(2048), queue.Buffer())
	require.NoError(t, err)
	require.EqualValues(t, 1<<9-1, stats.Items) // halved down to 4
}
