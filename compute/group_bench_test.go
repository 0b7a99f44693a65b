package compute

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// swept are kernels of different kinds, over grids of one to three dimensions.
var swept = []struct {
	name string
	grid Threads
}{
	{"scale", Threads1D(1 << 16)}, {"poly", Threads1D(1 << 14)}, {"diverge", Threads1D(1 << 14)},
	{"gather", Threads1D(1 << 15)}, {"ragged", Threads1D(10_007)}, {"few", Threads1D(100)},
	{"exchange", Threads1D(1 << 15)}, {"reduce", Threads1D(1 << 15)},
	{"stencil", Threads2D(256, 128)}, {"transpose", Threads2D(256, 128)}, {"narrow", Threads2D(5, 4000)},
	{"product", Threads2D(64, 64)}, {"wide", Threads2D(20_000, 2)}, {"volume", Threads3D(32, 32, 16)},
}

const sweptSource = `
#include <metal_stdlib>
using namespace metal;
#define ARGS device float *y [[buffer(0)]], device const float *x [[buffer(1)]]
#define ONE uint i [[thread_position_in_grid]]
#define TWO uint2 p [[thread_position_in_grid]], uint2 n [[threads_per_grid]]
kernel void scale(ARGS, ONE) { y[i] = x[i] * 2 + 1; }
kernel void poly(ARGS, ONE) { float v = x[i]; for (int k = 0; k < 32; k++) v = fma(v, 0.99f, x[i]); y[i] = v; }
kernel void diverge(ARGS, ONE) { float v = x[i]; for (uint k = 0; k < i % 32; k++) v = v * 0.9f + 1; y[i] = v; }
kernel void gather(ARGS, ONE) { y[i] = x[(i * 7919) & 32767] + x[(i * 104729) & 32767]; }
kernel void ragged(ARGS, ONE) { y[i] = sqrt(x[i]) + x[i]; }
kernel void few(ARGS, ONE) { float v = x[i]; for (int k = 0; k < 64; k++) v = sin(v); y[i] = v; }
kernel void exchange(ARGS, ONE, uint t [[thread_index_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
    threadgroup float s[1024];
    s[t] = x[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    y[i] = s[n - 1 - t];
}
kernel void reduce(ARGS, ONE) { y[i] = simd_sum(x[i]); }
kernel void stencil(ARGS, TWO) {
    uint l = p.y * n.x + max(p.x, 1u) - 1, u = (max(p.y, 1u) - 1) * n.x + p.x;
    y[p.y * n.x + p.x] = x[l] + x[u] + x[p.y * n.x + p.x];
}
kernel void transpose(ARGS, TWO) { y[p.x * n.y + p.y] = x[p.y * n.x + p.x]; }
kernel void narrow(ARGS, TWO) { y[p.y * n.x + p.x] = x[p.y * n.x + p.x] * 3; }
kernel void product(ARGS, TWO) {
    float v = 0;
    for (uint k = 0; k < n.x; k++) v += x[p.y * n.x + k] * x[k * n.x + p.x];
    y[p.y * n.x + p.x] = v;
}
kernel void wide(ARGS, TWO) { y[p.y * n.x + p.x] = x[p.y * n.x + p.x] + 1; }
kernel void volume(ARGS, uint3 p [[thread_position_in_grid]], uint3 n [[threads_per_grid]]) {
    uint i = (p.z * n.y + p.y) * n.x + p.x;
    y[i] = x[i] + x[p.z > 0 ? i - n.x * n.y : i];
}`

// BenchmarkGroup compares the threadgroup that is chosen with the best of a sweep, kernel by
// kernel: chosen/best is 1 where the choice is the best. The threadgroups take turns, and each has
// the fastest of its turns, so that other work on the machine counts little.
func BenchmarkGroup(b *testing.B) {
	a := accelerator(b)
	load, s := kernels(b, a, sweptSource), stream(b, a)
	x, y := bufferOf(b, a, make([]float32, 1<<16)...), bufferOf(b, a, make([]float32, 1<<16)...)
	var ratios []float64
	for _, w := range swept {
		b.Run(w.name, func(b *testing.B) {
			k := load(w.name)
			launches, took := sweep(b, k, w.grid, y, x), []time.Duration(nil)
			for b.Loop() {
				for i, l := range launches {
					begin := time.Now()
					require.NoError(b, s.Run(b.Context(), l))
					require.NoError(b, s.Sync(b.Context()))
					if d := time.Since(begin); i == len(took) {
						took = append(took, d)
					} else {
						took[i] = min(took[i], d)
					}
				}
			}
			best := slices.Min(took)
			ratio := float64(took[0]) / float64(best)
			ratios = append(ratios, ratio)
			b.ReportMetric(ratio, "chosen/best")
			b.ReportMetric(float64(took[0].Nanoseconds()), "chosen-ns")
			b.Logf("%v: chosen %v %v, best %v %v", w.grid.Grid, launches[0].Group(), took[0],
				launches[slices.Index(took, best)].Group(), best)
		})
	}
	slices.Sort(ratios)
	b.Logf("median of chosen/best over %d kernels: %.2f, worst %.2f", len(ratios), middle(ratios), ratios[len(ratios)-1])
}

// sweep prepares launches: the first with the chosen threadgroup, the others with all whose sides
// are powers of two, from a simdgroup up to what the kernel allows.
func sweep(b *testing.B, k *Kernel, grid Threads, args ...any) (all []*Launch) {
	bind := func(g Threads) {
		l, err := k.Bind(g, args...)
		require.NoError(b, err)
		all = append(all, l)
	}
	bind(grid)
	for n := k.ExecutionWidth(); n <= k.MaxThreads(); n *= 2 {
		for h := 1; h <= n; h *= 2 {
			for d := 1; d <= n/h; d *= 2 {
				// A side need not be longer than the grid's, rounded up.
				if e := (Extent{n / h / d, h, d}); e.X < 2*grid.Grid.X && h < 2*max(grid.Grid.Y, 1) &&
					d < 2*max(grid.Grid.Z, 1) && d <= 16 {
					bind(grid.In(e))
				}
			}
		}
	}
	return all
}
