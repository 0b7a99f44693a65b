package exectest

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/jit"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/test/sanitizetest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

const groupNames = `#include <puremetal/cooperative>
namespace cg = puremetal;
kernel void k(device const uint *in [[buffer(0)]], device uint *o [[buffer(1)]]) {
  threadgroup uint shared[64], copies[64];
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  cg::thread_block_tile<8> part = cg::tiled_partition<8>(tile);
  cg::thread_block_tile<8, cg::thread_block> direct = cg::tiled_partition<8>(block);
  cg::coalesced_group four = cg::tiled_partition(part, 4);
  uint i = uint(grid.thread_rank()), r = block.thread_rank();
  o += 32 * i;
  o[0] = grid.is_valid() ? uint(grid.num_threads()) : 0;
  o[1] = grid.dim_blocks().x * 10000 + grid.dim_blocks().y * 100 + grid.group_dim().z;
  o[2] = grid.block_index().x * 10000 + grid.block_index().y * 100 + grid.block_index().z;
  o[3] = grid.num_blocks() * 100 + grid.block_rank();
  o[4] = block.dim_threads().x * 10000 + block.dim_threads().y * 100 + block.group_dim().z;
  o[5] = block.thread_index().x * 10000 + block.thread_index().y * 100 + block.thread_index().z;
  o[6] = block.group_index().x * 10000 + block.group_index().y * 100 + block.group_index().z;
  o[7] = block.num_threads() * 100 + part.num_threads();
  o[8] = part.meta_group_rank() * 100 + part.meta_group_size();
  o[9] = direct.meta_group_rank() * 100 + direct.meta_group_size();
  o[10] = four.meta_group_rank() * 100 + four.meta_group_size();
  o[11] = cg::tiled_partition(block, 64).size() + cg::tiled_partition(tile, 3).size() +
          cg::tiled_partition(four, 0).size();
  o[12] = cg::tiled_partition<2>(four).meta_group_rank();

  // Another thread's number, by way of threadgroup memory.
  shared[r] = i;
  auto token = block.barrier_arrive();
  o[13] = r;
  block.barrier_wait(metal::move(token));
  o[14] = shared[(r + 5) % block.num_threads()];
  cg::sync(block);
  if (r / 8 % 2 == 0) {
    shared[r] = i + 1000;
    part.sync();
    o[15] = shared[r - part.thread_rank() + (part.thread_rank() + 1) % part.num_threads()];
  }
  block.sync();
  if (r % 3 == 1) {
    cg::coalesced_group g = cg::coalesced_threads();
    for (uint k = 0; k < 2; k++) {
      cg::sync(g);
      shared[r] = 10 * r + k;
      g.sync();
      o[16 + k] = shared[g.shfl(r, g.thread_rank() + 1)];
    }
  }
  cg::memcpy_async(tile, copies + r - tile.thread_rank(), in + r - tile.thread_rank(), tile.num_threads());
  cg::wait_prior<0>(tile);
  o[18] = copies[(r ^ 1) < block.num_threads() ? r ^ 1 : r];
  block.sync();
  cg::memcpy_async(block, shared, 20u, in + 3, 7u);
  cg::wait(block);
  o[19] = shared[r % 7];
}
`

// TestGroupNames: what groups say of themselves, and their barriers.
func TestGroupNames(t *testing.T) {
	m, diags := msl.Compile(t.Context(), msl.Source{Name: "names.metal", Text: groupNames},
		msl.Options{Verify: true, KeepUninitialized: true})
	require.Empty(t, diags)
	f := m.IR.Func("k")
	grid, group := [3]int{13, 5, 3}, [3]int{8, 3, 2}
	in := make([]byte, 4*64)
	for i := range 64 {
		binary.LittleEndian.PutUint32(in[4*i:], uint32(7*i))
	}
	l := testlaunch.Launch{Grid: grid, Group: group, Fuel: 1 << 30, Buffers: map[int]testlaunch.Buffer{
		0: {Data: in}, 1: {Data: make([]byte, 4*32*13*5*3)}}}
	watched, text := l.Clone(), l.Clone()
	Run(t, f, l, Quick, Plain, Way{Backend: vm.Backend{Machine: jit.Options{}}},
		Way{Backend: vm.Backend{Machine: jit.Options{AVX2: true}}})
	require.NoError(t, Quick.Run(printed(t, f), text))
	require.Equal(t, l.Buffers[1].Data, text.Buffers[1].Data)

	three := func(v [3]int) int { return v[0]*10000 + v[1]*100 + v[2] }
	ceil := func(n, by int) int { return (n + by - 1) / by }
	blocks := [3]int{ceil(grid[0], group[0]), ceil(grid[1], group[1]), ceil(grid[2], group[2])}
	number := func(at, n [3]int) int { return (at[2]*n[1]+at[1])*n[0] + at[0] }
	for i := range grid[0] * grid[1] * grid[2] {
		at := [3]int{i % grid[0], i / grid[0] % grid[1], i / grid[0] / grid[1]}
		var block, within, dim [3]int
		for a := range 3 {
			block[a], within[a] = at[a]/group[a], at[a]%group[a]
			dim[a] = min(group[a], grid[a]-block[a]*group[a])
		}
		n, r := dim[0]*dim[1]*dim[2], number(within, dim)
		global := func(r int) int { // of another thread of the threadgroup
			at := [3]int{r % dim[0], r / dim[0] % dim[1], r / dim[0] / dim[1]}
			for a := range 3 {
				at[a] += block[a] * group[a]
			}
			return number(at, grid)
		}
		part := min(8, n-r/8*8)    // threads of the tile of 8
		tile := min(32, n-r/32*32) // of the tile of 32
		want := map[int]int{
			0: 13 * 5 * 3, 1: three(blocks), 2: three(block), 3: 100*blocks[0]*blocks[1]*blocks[2] + number(block, blocks),
			4: three(dim), 5: three(within), 6: three(block), 7: 100*n + part,
			8: r%32/8*100 + ceil(tile, 8), 9: r/8*100 + ceil(n, 8), 10: r%8/4*100 + ceil(part, 4), 11: 0, 12: r % 4 / 2,
			13: r, 14: global((r + 5) % n), 18: 7 * r, 19: 7 * (3 + r%7),
		}
		if r^1 < n {
			want[18] = 7 * (r ^ 1)
		}
		if r/8%2 == 0 {
			want[15] = 1000 + global(r/8*8+(r%8+1)%part)
		}
		if r%3 == 1 {
			next := r + 3
			if next >= n || next/32 != r/32 { // the first such thread of the simdgroup
				next = r / 32 * 32
				for next%3 != 1 {
					next++
				}
			}
			want[16], want[17] = 10*next, 10*next+1
		}
		for w, v := range want {
			require.Equal(t, v, int(binary.LittleEndian.Uint32(l.Buffers[1].Data[4*(32*i+w):])), "thread %v, word %d", at, w)
		}
	}
	e := exec.NewEngine(1)
	defer e.Close()
	findings, err := sanitizetest.Observe(t.Context(), e, f, watched)
	require.NoError(t, err)
	require.Empty(t, findings)
}

// TestGroupRefusals: what Metal or the groups do not have is refused by name, at the place in the
// program.
func TestGroupRefusals(t *testing.T) {
	for body, want := range map[string]string{
		"auto c = this_cluster();":                         "Metal has no clusters",
		"cluster_group c;":                                 "Metal has no clusters",
		"o[0] = this_grid().cluster_rank();":               "Metal has no clusters",
		"o[0] = this_grid().dim_clusters().x;":             "Metal has no clusters",
		"o[0] = this_grid().num_clusters();":               "Metal has no clusters",
		"o[0] = this_grid().cluster_index().x;":            "Metal has no clusters",
		"auto g = this_multi_grid();":                      "Metal has no grids over several devices",
		"multi_grid_group g;":                              "Metal has no grids over several devices",
		"o[0] = tiled_partition<128>(block).ballot(true);": "a ballot has at most 64 bits",
		"o[0] = reduce(block, 1u, plus<int>());":           "the operation's result does not have the type of the values",
		"o[0] = inclusive_scan(block, 1, [](int a, int b) { return a < b ? 1.5f : 1; });": "does not have the type of",
		"o[0] = labeled_partition(tiled_partition<8>(block), 1.5f).size();":               "a label must be an integer",
		"o[0] = labeled_partition(block, 1).size();":                                      "divide its tiles of 32",
		"o[0] = binary_partition(tiled_partition<64>(block), true).size();":               "a tile of up to 32 threads",
		"o[0] = tiled_partition<64>(tiled_partition<32>(block)).size();":                  "a tile has no larger tiles",
		"o[0] = tiled_partition<64>(coalesced_threads()).size();":                         "a power of two up to 32",
	} {
		m, diags := msl.Compile(t.Context(), msl.Source{Name: "refused.metal", Text: `#include <puremetal/cooperative>
using namespace puremetal;
kernel void k(device uint *o [[buffer(0)]]) {
  auto block = this_thread_block();
  ` + body + "\n}\n"}, msl.Options{NoWarnings: true})
		require.NotEmpty(t, diags, body)
		require.Contains(t, diags[0].Message, want, body)
		places := []diag.Pos{diags[0].Pos}
		for _, n := range diags[0].Notes {
			places = append(places, n.Pos)
		}
		require.True(t, slices.ContainsFunc(places, func(p diag.Pos) bool {
			at := m.Files.Position(p)
			return at.File == "refused.metal" && at.Line == 5
		}), body)
	}
}
