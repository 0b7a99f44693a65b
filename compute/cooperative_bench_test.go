package compute

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// groupPairs are kernels with groups and the same written by hand, named x and x_hand.
const groupPairs = `#include <puremetal/cooperative>
using namespace metal;
#define KERNEL(name) kernel void name(device const float *in [[buffer(0)]], device float *out [[buffer(1)]], \
  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]], \
  uint lane [[thread_index_in_simdgroup]], uint simd [[simdgroup_index_in_threadgroup]])

KERNEL(simd) {
  auto tile = puremetal::tiled_partition<32>(puremetal::this_thread_block());
  float v = in[i];
  for (uint k = 0; k < 64; k++) v = v * 0.5f + puremetal::reduce(tile, v, puremetal::plus<float>());
  out[i] = v;
}
KERNEL(simd_hand) {
  float v = in[i];
  for (uint k = 0; k < 64; k++) v = v * 0.5f + simd_sum(v);
  out[i] = v;
}
KERNEL(tile) {
  auto tile = puremetal::tiled_partition<8>(puremetal::this_thread_block());
  float v = in[i];
  for (uint k = 0; k < 64; k++) v = v * 0.1f + puremetal::reduce(tile, v, puremetal::less<float>());
  out[i] = v;
}
KERNEL(tile_hand) {
  float v = in[i];
  for (uint k = 0; k < 64; k++) {
    float x = v;
    for (ushort d = 4; d != 0; d /= 2) x = min(x, simd_shuffle_xor(x, d));
    v = v * 0.1f + x;
  }
  out[i] = v;
}
KERNEL(scan) {
  auto tile = puremetal::tiled_partition<32>(puremetal::this_thread_block());
  float v = in[i];
  for (uint k = 0; k < 64; k++) v = 0.01f * puremetal::inclusive_scan(tile, v, puremetal::plus<float>());
  out[i] = v;
}
KERNEL(scan_hand) {
  float v = in[i];
  for (uint k = 0; k < 64; k++) v = 0.01f * simd_prefix_inclusive_sum(v);
  out[i] = v;
}
KERNEL(block) {
  auto block = puremetal::this_thread_block();
  float v = in[i];
  for (uint k = 0; k < 64; k++) v = v * 0.5f + puremetal::reduce(block, v, puremetal::plus<float>());
  out[i] = v;
}
KERNEL(block_hand) {
  threadgroup float parts[32];
  float v = in[i];
  for (uint k = 0; k < 64; k++) {
    float x = simd_sum(v);
    if (lane == 0) parts[simd] = x;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    x = simd_sum(lane < 8 ? parts[lane] : 0);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    v = v * 0.5f + x;
  }
  out[i] = v;
}

KERNEL(shuffle) {
  auto tile = puremetal::tiled_partition<32>(puremetal::this_thread_block());
  float v = in[i];
  for (uint k = 0; k < 64; k++) v = v * 0.5f + tile.shfl(v, k) + tile.shfl_xor(v, 5) + tile.shfl_up(v, 3);
  out[i] = v;
}
KERNEL(shuffle_hand) {
  float v = in[i];
  for (uint k = 0; k < 64; k++)
    v = v * 0.5f + simd_shuffle(v, ushort(k & 31)) + simd_shuffle_xor(v, 5) + simd_shuffle_up(v, 3);
  out[i] = v;
}
KERNEL(vote) {
  auto tile = puremetal::tiled_partition<32>(puremetal::this_thread_block());
  float v = in[i];
  for (uint k = 0; k < 64; k++) {
    bool over = v > float(lane + k);
    v += tile.any(over) ? 1 : 2;
    v += tile.all(over) ? 3 : float(popcount(tile.ballot(over)));
  }
  out[i] = v;
}
KERNEL(vote_hand) {
  float v = in[i];
  for (uint k = 0; k < 64; k++) {
    bool over = v > float(lane + k);
    v += simd_any(over) ? 1 : 2;
    v += simd_all(over) ? 3 : float(popcount(uint(simd_vote::vote_t(simd_ballot(over)))));
  }
  out[i] = v;
}
KERNEL(vote8) {
  auto tile = puremetal::tiled_partition<8>(puremetal::this_thread_block());
  float v = in[i];
  for (uint k = 0; k < 64; k++) {
    bool over = v > float(lane + k);
    v += tile.any(over) ? 1 : float(popcount(tile.ballot(v < 4)));
  }
  out[i] = v;
}
KERNEL(vote8_hand) {
  float v = in[i];
  for (uint k = 0; k < 64; k++) {
    bool over = v > float(lane + k);
    uint overs = uint(simd_vote::vote_t(simd_ballot(over))) >> (lane & 24) & 255;
    v += overs != 0 ? 1 : float(popcount(uint(simd_vote::vote_t(simd_ballot(v < 4))) >> (lane & 24) & 255));
  }
  out[i] = v;
}
KERNEL(coalesced) {
  float v = in[i];
  for (uint k = 0; k < 64; k++) {
    if ((lane + k) % 3 != 0) {
      auto group = puremetal::coalesced_threads();
      v = v * 0.5f + puremetal::reduce(group, v + 1, puremetal::plus<float>());
      v += puremetal::elect(group) ? group.size() : 0;
    }
  }
  out[i] = v;
}
KERNEL(coalesced_hand) {
  float v = in[i];
  for (uint k = 0; k < 64; k++) {
    if ((lane + k) % 3 != 0) {
      uint mask = uint(simd_vote::vote_t(simd_active_threads_mask()));
      v = v * 0.5f + simd_sum(v + 1);
      v += simd_is_first() ? popcount(mask) : 0;
    }
  }
  out[i] = v;
}
`

var groupPairNames = []string{"simd", "tile", "scan", "block", "shuffle", "vote", "vote8", "coalesced"}

// BenchmarkGroupOperations reports the time of kernels that use groups, as a multiple of that of
// the same kernels written by hand: the least of many alternating launches.
func BenchmarkGroupOperations(b *testing.B) {
	a := accelerator(b)
	p, err := a.Compile(b.Context(), groupPairs, CompileOptions{})
	require.NoError(b, err)
	defer p.Close()
	s := newStream(b, a)
	const n = 1 << 14
	in, out := bufferOf(b, a, make([]float32, n)...), bufferOf(b, a, make([]float32, n)...)
	for _, name := range groupPairNames {
		b.Run(name, func(b *testing.B) {
			var least [2]time.Duration
			for b.Loop() {
				for i, suffix := range []string{"", "_hand"} {
					k, err := p.Kernel(name + suffix)
					require.NoError(b, err)
					start := time.Now()
					grid := Threads1D(n).In(Extent{X: 256, Y: 1, Z: 1})
					require.NoError(b, s.Launch(b.Context(), k, grid, in, out))
					require.NoError(b, s.Sync(b.Context()))
					if d := time.Since(start); least[i] == 0 || d < least[i] {
						least[i] = d
					}
				}
			}
			b.ReportMetric(float64(least[0])/float64(least[1]), "x-of-hand")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// gridRelaxation smooths a row of numbers in many rounds, with a grid sync after each; relaxation
// is a launch of one.
const gridRelaxation = `#include <puremetal/cooperative>
using namespace metal;
static float smoothed(device const float *in, uint i, uint n) {
  float left = in[i == 0 ? 0 : i - 1], right = in[i == n - 1 ? i : i + 1];
  return 0.25f * left + 0.5f * in[i] + 0.25f * right;
}
kernel void relaxation(device const float *in [[buffer(0)]], device float *out [[buffer(1)]],
                       uint i [[thread_position_in_grid]], uint n [[threads_per_grid]]) {
  out[i] = smoothed(in, i, n);
}
kernel void relaxations(device float *a [[buffer(0)]], device float *b [[buffer(1)]],
                        constant uint &rounds [[buffer(2)]], uint i [[thread_position_in_grid]],
                        uint n [[threads_per_grid]]) {
  for (uint k = 0; k < rounds; k++) {
    b[i] = smoothed(a, i, n);
    puremetal::this_grid().sync();
    device float *other = a;
    a = b;
    b = other;
  }
}
`

// BenchmarkGridSync reports the time of a launch with grid syncs, as a multiple of that of separate
// launches without any: the least of many alternating runs.
func BenchmarkGridSync(b *testing.B) {
	for _, way := range []string{"resident", "phases"} {
		var options []Option
		if way == "phases" {
			options = append(options, WithGridPhases())
		}
		a := accelerator(b, options...)
		if way == "resident" && !a.info.GridSync().Resident {
			continue
		}
		p, err := a.Compile(b.Context(), gridRelaxation, CompileOptions{})
		require.NoError(b, err)
		defer p.Close()
		once, err := p.Kernel("relaxation")
		require.NoError(b, err)
		many, err := p.Kernel("relaxations")
		require.NoError(b, err)
		s := newStream(b, a)
		for _, n := range []int{1 << 12, 1 << 16, 1 << 20} {
			x, y := bufferOf(b, a, make([]float32, n)...), bufferOf(b, a, make([]float32, n)...)
			grid := Threads1D(n).In(Extent{X: 256, Y: 1, Z: 1})
			for _, rounds := range []uint32{6, 40} {
				b.Run(fmt.Sprintf("%s/threads=%d/syncs=%d", way, n, rounds), func(b *testing.B) {
					var least [2]time.Duration
					for b.Loop() {
						for i, run := range []func() error{
							func() error {
								return s.LaunchCooperative(b.Context(), many, grid, x, y, rounds)
							},
							func() error {
								for k := range rounds {
									from, to := x, y
									if k%2 != 0 {
										from, to = to, from
									}
									if err := s.Launch(b.Context(), once, grid, from, to); err != nil {
										return err
									}
								}
								return nil
							},
						} {
							start := time.Now()
							require.NoError(b, run())
							require.NoError(b, s.Sync(b.Context()))
							if d := time.Since(start); least[i] == 0 || d < least[i] {
								least[i] = d
							}
						}
					}
					b.ReportMetric(float64(least[0])/float64(least[1]), "x-of-launches")
					b.ReportMetric(float64(least[1].Nanoseconds())/float64(rounds), "ns/launch")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}
