package compute

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// cooperativeSamples are kernels that do in one launch what otherwise takes many.
const cooperativeSamples = `#include <puremetal/cooperative>
using namespace metal;
using namespace puremetal;

// The sum of n numbers: of each threadgroup, then of the threadgroups.
kernel void sum(device const float *in [[buffer(0)]], device float *parts [[buffer(1)]],
                constant uint &n [[buffer(2)]]) {
  auto grid = this_grid();
  auto block = this_thread_block();
  float mine = 0;
  for (uint i = uint(grid.thread_rank()); i < n; i += uint(grid.size())) {
    mine += in[i];
  }
  mine = reduce(block, mine, plus<float>());
  if (elect(block)) {
    parts[grid.block_rank()] = mine;
  }
  grid.sync();
  if (grid.block_rank() == 0) {
    float all = 0;
    for (uint i = block.thread_rank(); i < grid.num_blocks(); i += block.size()) {
      all += parts[i];
    }
    all = reduce(block, all, plus<float>());
    if (elect(block)) {
      parts[0] = all;
    }
  }
}

// The running sums of one number for each thread, of any number of threadgroups.
kernel void scan(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]],
                 device uint *totals [[buffer(2)]]) {
  auto grid = this_grid();
  auto block = this_thread_block();
  uint i = uint(grid.thread_rank());
  uint sum = inclusive_scan(block, in[i], plus<uint>());
  if (block.thread_rank() == block.size() - 1) {
    totals[grid.block_rank()] = sum;
  }
  grid.sync();
  uint before = 0;
  for (uint b = block.thread_rank(); b < grid.block_rank(); b += block.size()) {
    before += totals[b];
  }
  out[i] = sum + reduce(block, before, plus<uint>());
}

// Jacobi's iteration for a row of n points between fixed ends, until no thread changes its point by
// more than a limit, as a flag in memory says.
kernel void jacobi(device float *a [[buffer(0)]], device float *b [[buffer(1)]],
                   device atomic_uint *changed [[buffer(2)]], device uint *rounds [[buffer(3)]],
                   constant float &limit [[buffer(4)]]) {
  auto grid = this_grid();
  uint i = uint(grid.thread_rank()), n = uint(grid.size()), round = 0;
  bool inside = i > 0 && i < n - 1;
  for (;;) {
    if (i == 0) {
      atomic_store_explicit(changed, 0, memory_order_relaxed);
    }
    grid.sync();
    if (inside) {
      b[i] = 0.5f * (a[i - 1] + a[i + 1]);
      if (fabs(b[i] - a[i]) > limit) {
        atomic_store_explicit(changed, 1, memory_order_relaxed);
      }
    }
    grid.sync();
    if (inside) {
      a[i] = b[i];
    }
    round++;
    if (atomic_load_explicit(changed, memory_order_relaxed) == 0) {
      break;
    }
    grid.sync();
  }
  if (i == 0) {
    *rounds = round;
  }
}

// The distances of all vertices from vertex 0, level by level.
kernel void bfs(device const uint *first [[buffer(0)]], device const uint *edges [[buffer(1)]],
                device atomic_int *level [[buffer(2)]], device atomic_uint *found [[buffer(3)]]) {
  auto grid = this_grid();
  uint v = uint(grid.thread_rank());
  atomic_store_explicit(&level[v], v == 0 ? 0 : -1, memory_order_relaxed);
  grid.sync();
  for (int now = 0;; now++) {
    if (v == 0) {
      atomic_store_explicit(&found[(now + 1) % 3], 0, memory_order_relaxed);
    }
    grid.sync();
    if (atomic_load_explicit(&level[v], memory_order_relaxed) < 0) {
      for (uint e = first[v]; e < first[v + 1]; e++) {
        if (atomic_load_explicit(&level[edges[e]], memory_order_relaxed) == now) {
          atomic_store_explicit(&level[v], now + 1, memory_order_relaxed);
          atomic_store_explicit(&found[now % 3], 1, memory_order_relaxed);
          break;
        }
      }
    }
    grid.sync();
    if (atomic_load_explicit(&found[now % 3], memory_order_relaxed) == 0) {
      return;
    }
  }
}

// Conjugate gradient for the matrix with 4 on the diagonal and -1 beside it.
kernel void cg(device const float *rhs [[buffer(0)]], device float *x [[buffer(1)]], device float *r [[buffer(2)]],
               device float *p [[buffer(3)]], device float *parts [[buffer(4)]], device uint *rounds [[buffer(5)]],
               constant float &limit [[buffer(6)]]) {
  auto grid = this_grid();
  auto block = this_thread_block();
  uint i = uint(grid.thread_rank()), n = uint(grid.size()), blocks = grid.num_blocks();
  x[i] = 0;
  r[i] = rhs[i];
  p[i] = rhs[i];
  float mine = reduce(block, rhs[i] * rhs[i], plus<float>());
  if (elect(block)) {
    parts[grid.block_rank()] = mine;
  }
  grid.sync();
  float rr = 0;
  for (uint b = 0; b < blocks; b++) {
    rr += parts[b];
  }
  uint round = 0;
  while (rr > limit && round < 200) {
    float ap = 4 * p[i] - (i > 0 ? p[i - 1] : 0) - (i < n - 1 ? p[i + 1] : 0);
    mine = reduce(block, p[i] * ap, plus<float>());
    if (elect(block)) {
      parts[blocks + grid.block_rank()] = mine;
    }
    grid.sync();
    float pap = 0;
    for (uint b = 0; b < blocks; b++) {
      pap += parts[blocks + b];
    }
    float alpha = rr / pap;
    x[i] += alpha * p[i];
    r[i] -= alpha * ap;
    mine = reduce(block, r[i] * r[i], plus<float>());
    if (elect(block)) {
      parts[grid.block_rank()] = mine;
    }
    grid.sync();
    float next = 0;
    for (uint b = 0; b < blocks; b++) {
      next += parts[b];
    }
    p[i] = r[i] + next / rr * p[i];
    rr = next;
    round++;
    grid.sync();
  }
  if (i == 0) {
    *rounds = round;
  }
}
`

type cooperativeTest struct {
	*testing.T
	acc     *Accelerator
	program *Program
	stream  *Stream
}

func newCooperativeTest(t *testing.T, source string) *cooperativeTest {
	t.Helper()
	acc := accelerator(t)
	if !acc.Info().GridSync().Resident && !acc.Info().GridSync().Phases {
		t.Skip(acc.Info().GridSync().Reason)
	}
	p, err := acc.Compile(t.Context(), source, CompileOptions{Name: "cooperative.metal"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return &cooperativeTest{t, acc, p, newStream(t, acc)}
}

func (t *cooperativeTest) run(name string, grid Grid, args ...any) *Kernel {
	t.Helper()
	k, err := t.program.Kernel(name)
	require.NoError(t, err)
	require.NoError(t, t.stream.LaunchCooperative(t.Context(), k, grid, args...))
	require.NoError(t, t.stream.Sync(t.Context()))
	return k
}

// inGroups is a grid of one dimension with threadgroups of a size.
func inGroups(n, group int) Threads {
	return Threads{Grid: Extent{X: n}, Group: Extent{X: group}}
}

func memoryOf[T any](t *cooperativeTest, data []T) *Buffer[T] {
	t.Helper()
	b, err := BufferOf(t.Context(), t.acc, data)
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

func contents[T any](t *cooperativeTest, b *Buffer[T]) []T {
	t.Helper()
	data, err := b.Data()
	require.NoError(t, err)
	return slices.Clone(data)
}

// TestCooperativeSamples: kernels that synchronize the grid give what plain Go does.
func TestCooperativeSamples(t *testing.T) {
	c := newCooperativeTest(t, cooperativeSamples)
	rng := rand.New(rand.NewPCG(1, 17))

	in := make([]float32, 100_003)
	want := 0.0
	for i := range in {
		in[i] = float32(rng.IntN(100))
		want += float64(in[i])
	}
	parts := memoryOf(c, make([]float32, 40))
	k := c.run("sum", inGroups(40*256, 256), memoryOf(c, in), parts, uint32(len(in)))
	require.Equal(t, float32(want), contents(c, parts)[0])
	require.Equal(t, 2, k.Cooperative().Phases)
	last, ok := k.LastCooperative()
	require.True(t, ok)
	require.Equal(t, int64(2), last.Phases)
	if c.acc.Info().GridSync().Resident {
		require.Len(t, last.Times, 2)
	} else {
		require.Empty(t, last.Times, "without TimePhases")
	}

	words := make([]uint32, 3001)
	sums, sum := make([]uint32, len(words)), uint32(0)
	for i := range words {
		words[i] = rng.Uint32()
		sum += words[i]
		sums[i] = sum
	}
	out := memoryOf(c, make([]uint32, len(words)))
	c.run("scan", inGroups(len(words), 96), memoryOf(c, words), out,
		memoryOf(c, make([]uint32, 64)))
	require.Equal(t, sums, contents(c, out))

	a, rounds := make([]float32, 130), uint32(0)
	a[0], a[129] = 1, 5
	state, count := memoryOf(c, slices.Clone(a)), memoryOf(c, make([]uint32, 1))
	c.run("jacobi", inGroups(len(a), 32), state,
		memoryOf(c, make([]float32, len(a))), memoryOf(c, make([]uint32, 1)), count, float32(1e-3))
	for changed := true; changed; rounds++ {
		b := slices.Clone(a)
		changed = false
		for i := 1; i < len(a)-1; i++ {
			b[i] = 0.5 * (a[i-1] + a[i+1])
			changed = changed || float32(math.Abs(float64(b[i]-a[i]))) > 1e-3
		}
		a = b
	}
	require.Equal(t, rounds, contents(c, count)[0])
	require.Equal(t, a, contents(c, state))

	const vertices = 1500
	first, edges := []uint32{0}, []uint32(nil)
	neighbors := make([][]uint32, vertices)
	for v := uint32(1); v < vertices; v++ {
		for range 1 + rng.IntN(2) {
			if u := v - 1 - uint32(rng.IntN(int(min(v, 40)))); rng.IntN(30) != 0 {
				neighbors[v], neighbors[u] = append(neighbors[v], u), append(neighbors[u], v)
			}
		}
	}
	level := slices.Repeat([]int32{-1}, vertices)
	level[0] = 0
	for queue := []uint32{0}; len(queue) > 0; queue = queue[1:] {
		for _, v := range neighbors[queue[0]] {
			if level[v] < 0 {
				level[v] = level[queue[0]] + 1
				queue = append(queue, v)
			}
		}
	}
	for _, list := range neighbors {
		edges = append(edges, list...)
		first = append(first, uint32(len(edges)))
	}
	levels := memoryOf(c, make([]int32, vertices))
	c.run("bfs", inGroups(vertices, 128), memoryOf(c, first), memoryOf(c, edges), levels,
		memoryOf(c, make([]uint32, 3)))
	require.Equal(t, level, contents(c, levels))
	require.Greater(t, slices.Max(level), int32(20))

	rhs := make([]float32, 1000)
	for i := range rhs {
		rhs[i] = float32(rng.Float64() - 0.5)
	}
	x, iterations := memoryOf(c, make([]float32, len(rhs))), memoryOf(c, make([]uint32, 1))
	c.run("cg", inGroups(len(rhs), 64), memoryOf(c, rhs), x,
		memoryOf(c, make([]float32, len(rhs))), memoryOf(c, make([]float32, len(rhs))), memoryOf(c, make([]float32, 64)),
		iterations, float32(1e-8))
	solution := contents(c, x)
	for i, b := range rhs {
		y := 4 * solution[i]
		if i > 0 {
			y -= solution[i-1]
		}
		if i < len(rhs)-1 {
			y -= solution[i+1]
		}
		require.InDelta(t, b, y, 1e-4, "row %d", i)
	}
	require.Less(t, contents(c, iterations)[0], uint32(60))
}

// TestCooperativeLaunches: a kernel with grid syncs is launched in one way only.
func TestCooperativeLaunches(t *testing.T) {
	c := newCooperativeTest(t, `#include <puremetal/cooperative>
kernel void synced(device uint *a [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  puremetal::this_grid().sync();
  a[i] = i;
}
kernel void plain(device uint *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a[i] = i; }
`)
	k, err := c.program.Kernel("synced")
	require.NoError(t, err)
	b := memoryOf(c, make([]uint32, 64))
	err = c.stream.Launch(t.Context(), k, Threads1D(64), b)
	require.ErrorIs(t, err, ErrGridSync)
	require.ErrorIs(t, err, ErrInvalidLaunch)
	require.ErrorContains(t, err, "use Stream.LaunchCooperative")
	l, err := k.Bind(Threads1D(64), b)
	require.NoError(t, err)
	require.ErrorIs(t, c.stream.Run(t.Context(), l), ErrGridSync)
	_, ok := k.LastCooperative()
	require.False(t, ok)
	require.NoError(t, c.stream.RunCooperative(t.Context(), l))
	require.NoError(t, c.stream.Sync(t.Context()))
	require.Equal(t, uint32(63), contents(c, b)[63])

	p := c.run("plain", Threads1D(64), b)
	require.Equal(t, CooperativeInfo{Phases: 1}, p.Cooperative())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, c.stream.LaunchCooperative(ctx, k, Threads1D(64), b))
	require.Error(t, c.stream.LaunchCooperative(t.Context(), nil, Threads1D(64), b))
	require.Error(t, (*Stream)(nil).LaunchCooperative(t.Context(), k, Threads1D(64), b))
}

// TestCooperativeUneven: a kernel that only some threadgroups synchronize is refused, with the
// place: when it is made, or on a device that splits kernels when it is compiled.
func TestCooperativeUneven(t *testing.T) {
	acc := accelerator(t)
	p, err := acc.Compile(t.Context(), `#include <puremetal/cooperative>
kernel void uneven(device uint *a [[buffer(0)]], uint i [[threadgroup_position_in_grid]]) {
  if (i == 1)
    puremetal::this_grid().sync();
}
`, CompileOptions{Name: "cooperative.metal"})
	if err == nil {
		defer p.Close()
		_, err = p.Kernel("uneven")
	}
	require.ErrorIs(t, err, ErrGridSync)
	require.ErrorContains(t, err, "cooperative.metal:4:5")
}
