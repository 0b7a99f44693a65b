package kernel_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/kernel"
)

// simdSource is simdFunctions in Metal.
const simdSource = `#include <metal_stdlib>
using namespace metal;

template <typename T>
struct rows {
  device T *out;
  uint i, n, row;
  void add(T v) { out[n * row++ + i] = v; }
};

template <typename T>
void among(thread rows<T> &r, T v, uint i, uint lane) {
  r.add(simd_sum(v));
  r.add(simd_prefix_inclusive_sum(v));
  r.add(simd_prefix_exclusive_sum(v));
  r.add(simd_min(v));
  r.add(simd_max(v));
  r.add(simd_shuffle(v, ushort(i * 7 % 32)));
  r.add(simd_shuffle_down(v, ushort(i % 5)));
  r.add(simd_shuffle_up(v, ushort(3)));
  r.add(simd_shuffle_xor(v, ushort(5)));
  r.add(simd_broadcast(v, ushort(2)));
}

// Some lanes in one branch, the others in another one, none of which all lanes are in.
template <typename T>
void branches(thread rows<T> &r, T v, uint i, uint lane) {
  T w = 0;
  if (lane % 3 == 0) {
    w = simd_sum(v);
  } else if (lane % 3 == 1) {
    w = simd_prefix_exclusive_sum(v);
    w += simd_max(v);
  }
  r.add(w);
  r.add(simd_sum(w));
}

template <typename T>
kernel void functions(device const T *in [[buffer(0)]], device T *out [[buffer(1)]], device ulong *votes [[buffer(2)]],
                      uint i [[thread_position_in_grid]], uint n [[threads_per_grid]],
                      uint lane [[thread_index_in_simdgroup]]) {
  rows<T> r = {out, i, n, 0};
  T v = in[i];
  among(r, v, i, lane);
  branches(r, v, i, lane);
  votes[i] = ulong(simd_vote::vote_t(simd_ballot(v < T(3)))) + (simd_all(v < T(90)) ? 1ul << 40 : 0) +
             (simd_any(v > T(90)) ? 1ul << 41 : 0);
  if (lane % 8 == 7) {
    return;
  }
  r.add(simd_sum(v));
}
template [[host_name("int32")]] kernel void functions<int>(device const int *, device int *,
    device ulong *, uint, uint, uint);
template [[host_name("uint32")]] kernel void functions<uint>(device const uint *, device uint *,
    device ulong *, uint, uint, uint);
template [[host_name("float32")]] kernel void functions<float>(device const float *, device float *,
    device ulong *, uint, uint, uint);
`

// simdRows is how many values simdFunctions writes for each thread.
const simdRows = 13

// simdFunctions applies each function to in and writes one row of results for each.
func simdFunctions[T kernel.Number](t *kernel.Thread, in, out []T, votes []uint64) {
	i, row := t.Global.X, uint32(0)
	add := func(v T) {
		out[t.GridSize.X*row+i] = v
		row++
	}
	v := in[i]
	add(kernel.SimdSum(t, v))
	add(kernel.SimdPrefixInclusiveSum(t, v))
	add(kernel.SimdPrefixExclusiveSum(t, v))
	add(kernel.SimdMin(t, v))
	add(kernel.SimdMax(t, v))
	add(kernel.SimdShuffle(t, v, i*7%32))
	add(kernel.SimdShuffleDown(t, v, i%5))
	add(kernel.SimdShuffleUp(t, v, 3))
	add(kernel.SimdShuffleXor(t, v, 5))
	add(kernel.SimdBroadcast(t, v, 2))
	var w T
	if t.Lane%3 == 0 {
		w = kernel.SimdSum(t, v)
	} else if t.Lane%3 == 1 {
		w = kernel.SimdPrefixExclusiveSum(t, v)
		w += kernel.SimdMax(t, v)
	}
	add(w)
	add(kernel.SimdSum(t, w))
	vote := kernel.SimdBallot(t, v < 3)
	if kernel.SimdAll(t, v < 90) {
		vote += 1 << 40
	}
	if kernel.SimdAny(t, v > 90) {
		vote += 1 << 41
	}
	votes[i] = vote
	if t.Lane%8 == 7 {
		return
	}
	add(kernel.SimdSum(t, v))
}

// TestSimdFunctions: the functions have the bits of the device's, also if some lanes are missing
// because the threadgroup is smaller, they have returned or they are elsewhere.
func TestSimdFunctions(t *testing.T) {
	acc := computetest.Open(t)
	program, err := acc.Compile(context.Background(), simdSource, compute.CompileOptions{})
	require.NoError(t, err)
	defer program.Close()
	rng := rand.New(rand.NewPCG(3, 8))
	const n = 200
	t.Run("int32", func(t *testing.T) {
		testSimdFunctions(t, acc, program, numbers(n, func() int32 { return rng.Int32N(1<<31-1) - 1<<30 }))
		testSimdFunctions(t, acc, program, numbers(n, func() int32 { return rng.Int32N(100) }))
	})
	t.Run("uint32", func(t *testing.T) { testSimdFunctions(t, acc, program, numbers(n, rng.Uint32)) })
	t.Run("float32", func(t *testing.T) {
		testSimdFunctions(t, acc, program, numbers(n, func() float32 { return rng.Float32()*200 - 100 }))
		special := []float32{0, float32(math.Copysign(0, -1)), 1e30, -1e30, float32(math.NaN()), float32(math.Inf(1)),
			float32(math.Inf(-1)), 1e-40}
		testSimdFunctions(t, acc, program, numbers(n, func() float32 { return special[rng.IntN(len(special))] }))
		testSimdFunctions(t, acc, program, numbers(n, func() float32 { return special[rng.IntN(2)] }))
	})
}

func numbers[T any](n int, one func() T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = one()
	}
	return list
}

func testSimdFunctions[T kernel.Number](t *testing.T, acc *compute.Accelerator, program *compute.Program, in []T) {
	ctx, n := context.Background(), len(in)
	k, err := program.Kernel(fmt.Sprintf("%T", in[0]))
	require.NoError(t, err)
	stream, err := acc.NextStream()
	require.NoError(t, err)
	for _, group := range []uint32{32, 33, 64, 100} {
		out, votes := make([]T, n*simdRows), make([]uint64, n)
		require.NoError(t, kernel.Run(one(uint32(n)), one(group),
			func(t *kernel.Thread) { simdFunctions(t, in, out, votes) }))
		a, err := compute.BufferOf(ctx, acc, in)
		require.NoError(t, err)
		b, err := compute.BufferOf(ctx, acc, make([]T, n*simdRows))
		require.NoError(t, err)
		c, err := compute.BufferOf(ctx, acc, make([]uint64, n))
		require.NoError(t, err)
		grid := compute.Threads{Grid: compute.Extent{X: n}, Group: compute.Extent{X: int(group)}}
		require.NoError(t, stream.Launch(ctx, k, grid, a, b, c))
		want, wantVotes := make([]T, n*simdRows), make([]uint64, n)
		require.NoError(t, b.Download(ctx, want))
		require.NoError(t, c.Download(ctx, wantVotes))
		for i := range out {
			nan := out[i] != out[i] && want[i] != want[i] // whose sign the engines do not agree on
			if !nan && kernel.Bits(out[i]) != kernel.Bits(want[i]) {
				assert.Fail(t, "other bits", "group %d, row %d, thread %d: %v %08x, device %v %08x", group, i/n, i%n, out[i],
					kernel.Bits(out[i]), want[i], kernel.Bits(want[i]))
				break
			}
		}
		assert.Equal(t, wantVotes, votes, "group %d", group)
		a.Close()
		b.Close()
		c.Close()
	}
}

// TestSimdgroupBarrier: lanes see what the others of their simdgroup have written.
func TestSimdgroupBarrier(t *testing.T) {
	out := make([]uint32, 96)
	require.NoError(t, kernel.Run(one(96), one(48), func(t *kernel.Thread) {
		tile := kernel.Shared[[48]uint32](t)
		tile[t.Local.X] = t.Global.X
		t.SimdgroupBarrier()
		out[t.Global.X] = tile[t.Simdgroup*32+(t.Lane+1)%16]
	}))
	for i, v := range out {
		local := i % 48
		assert.EqualValues(t, i/48*48+local/32*32+(local%32+1)%16, v)
	}
}

func TestAtomics(t *testing.T) {
	var sum, least, greatest, and, or, xor, own, swaps int32
	least, and = math.MaxInt32, -1
	var total float32
	var exchanged uint32
	seen := make([]int32, 1000)
	require.NoError(t, kernel.Run(one(1000), one(64), func(t *kernel.Thread) {
		i := int32(t.Global.X)
		kernel.AtomicAdd(&seen[kernel.AtomicAdd(&own, 1)-1], 1) // the new value
		kernel.AtomicAdd(&sum, i)
		kernel.AtomicAdd(&total, 0.5)
		kernel.AtomicMin(&least, i-500)
		kernel.AtomicMax(&greatest, i-500)
		kernel.AtomicAnd(&and, ^(i & 3))
		kernel.AtomicOr(&or, i&^1)
		kernel.AtomicXor(&xor, i)
		kernel.AtomicExchange(&exchanged, t.Global.X+1)
		for {
			old := kernel.AtomicLoad(&swaps)
			if kernel.AtomicCompareAndSwap(&swaps, old, old+2) {
				break
			}
		}
	}))
	assert.EqualValues(t, 499500, sum)
	assert.EqualValues(t, 500, total)
	assert.EqualValues(t, -500, least)
	assert.EqualValues(t, 499, greatest)
	assert.EqualValues(t, ^3, and)
	assert.EqualValues(t, 1022, or)
	assert.EqualValues(t, 0, xor) // of 0 to 999
	assert.EqualValues(t, 2000, swaps)
	for i, n := range seen {
		assert.EqualValues(t, 1, n, "%d", i)
	}

	u := uint32(5)
	assert.EqualValues(t, 3, kernel.AtomicMin(&u, 3))
	assert.EqualValues(t, 1<<31, kernel.AtomicMax(&u, 1<<31))
	assert.EqualValues(t, 1<<31, kernel.AtomicOr(&u, 0))
	assert.False(t, kernel.AtomicCompareAndSwap(&u, 1, 2))
	f := float32(1)
	assert.EqualValues(t, 1, kernel.AtomicExchange(&f, 2.5))
	kernel.AtomicStore(&f, kernel.AtomicLoad(&f)+1)
	assert.EqualValues(t, 3.5, f)
	assert.EqualValues(t, 4, kernel.AtomicAdd(&f, 0.5))
}
