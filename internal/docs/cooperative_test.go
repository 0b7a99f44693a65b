package docs

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/sanitizer"
)

// TestCooperativeGroups runs the kernels of the page under the sanitizer.
func TestCooperativeGroups(t *testing.T) {
	all := blocks(read(t, "docs/cooperative-groups.md"))
	require.Len(t, all, 1)
	acc, err := compute.Open(compute.WithSanitizer(sanitizer.All, func(f *sanitizer.Finding) { t.Error(f) }))
	if errors.Is(err, compute.ErrNoDevice) {
		t.Skip("only the software device has a sanitizer")
	}
	require.NoError(t, err)
	defer func() { require.NoError(t, acc.Close(t.Context())) }()
	stream, err := acc.NextStream()
	require.NoError(t, err)
	p, err := acc.Compile(t.Context(), all[0].text, compute.CompileOptions{})
	require.NoError(t, err)
	defer p.Close()

	const n, group = 300, 128
	keys := make([]uint32, n)
	counts := make([]uint32, 7)
	for i := range keys {
		keys[i] = uint32(i * i % 7)
		counts[keys[i]]++
	}
	in, err := compute.BufferOf(t.Context(), acc, keys)
	require.NoError(t, err)
	defer in.Close()
	type longest struct{ Length, At uint32 }
	var want [3]longest
	for i, k := range keys {
		if w := &want[i/group]; i%group == 0 || k > w.Length {
			*w = longest{k, uint32(i)}
		}
	}
	run := func(name string, out any) {
		k, err := p.Kernel(name)
		require.NoError(t, err)
		grid := compute.Threads1D(n).In(compute.Extent{X: group})
		require.NoError(t, stream.Launch(t.Context(), k, grid, in, out))
		require.NoError(t, stream.Sync(t.Context()))
	}
	found, err := compute.BufferOf(t.Context(), acc, make([]uint32, 7))
	require.NoError(t, err)
	defer found.Close()
	run("histogram", found)
	have, err := found.Data()
	require.NoError(t, err)
	require.Equal(t, counts, have)
	most, err := compute.BufferOf(t.Context(), acc, make([]longest, 3))
	require.NoError(t, err)
	defer most.Close()
	run("longest", most)
	best, err := most.Data()
	require.NoError(t, err)
	require.Equal(t, want[:], best)
}

// TestCooperativeNames: the page lists the names that CUDA's users look for.
func TestCooperativeNames(t *testing.T) {
	page := read(t, "docs/cooperative-groups.md")
	header := read(t, "internal/msl/pp/cooperative.metal")
	for _, name := range []string{"this_grid", "this_thread_block", "coalesced_threads", "tiled_partition",
		"labeled_partition", "binary_partition", "sync", "barrier_arrive", "barrier_wait", "thread_rank", "num_threads",
		"size", "dim_threads", "group_dim", "thread_index", "group_index", "dim_blocks", "num_blocks", "block_index",
		"block_rank", "is_valid", "meta_group_rank", "meta_group_size", "shfl", "shfl_up", "shfl_down", "shfl_xor",
		"any", "all", "ballot", "match_any", "match_all", "reduce", "inclusive_scan", "exclusive_scan", "invoke_one",
		"invoke_one_broadcast", "elect", "memcpy_async", "wait", "wait_prior", "this_cluster", "this_multi_grid"} {
		require.Contains(t, header, " "+name+"(", name)
		require.Regexp(t, "`"+name+"\\b", page)
	}
}
