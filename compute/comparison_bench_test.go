package compute

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// comparisonKernels are the kernels of docs/comparison.md, written as one would write them first.
const comparisonKernels = `#include <metal_stdlib>
using namespace metal;
kernel void vector_add(device const float* a, device const float* b, device float* c,
		uint i [[thread_position_in_grid]]) { c[i] = a[i] + b[i]; }
kernel void saxpy(device const float* x, device float* y, constant float& a,
		uint i [[thread_position_in_grid]]) { y[i] = a * x[i] + y[i]; }
kernel void matmul(device const float* a, device const float* b, device float* c, constant uint& n,
		uint2 p [[thread_position_in_grid]]) {
	float sum = 0;
	for (uint k = 0; k < n; k++) { sum += a[p.y * n + k] * b[k * n + p.x]; }
	c[p.y * n + p.x] = sum;
}
kernel void matmul_tiled(device const float* a, device const float* b, device float* c, constant uint& n,
		uint2 p [[thread_position_in_grid]], uint2 t [[thread_position_in_threadgroup]]) {
	threadgroup float left[16][16], right[16][16];
	float sum = 0;
	for (uint k = 0; k < n; k += 16) {
		left[t.y][t.x] = a[p.y * n + k + t.x];
		right[t.y][t.x] = b[(k + t.y) * n + p.x];
		threadgroup_barrier(mem_flags::mem_threadgroup);
		for (uint i = 0; i < 16; i++) { sum += left[t.y][i] * right[i][t.x]; }
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	c[p.y * n + p.x] = sum;
}
kernel void mandelbrot(device uint* out, constant uint& n, uint2 p [[thread_position_in_grid]]) {
	float2 c = float2(p) / n * float2(3, 2) - float2(2, 1), z = 0;
	uint i = 0;
	for (; i < 256 && dot(z, z) <= 4; i++) { z = float2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c; }
	out[p.y * n + p.x] = i;
}
kernel void empty(device uint* x, uint i [[thread_position_in_grid]]) {}`

// BenchmarkComparison measures the rows of docs/comparison.md: the median of runs, in ms, by the
// device's clock as device-ms or by the host's as wall-ms.
func BenchmarkComparison(b *testing.B) {
	a := accelerator(b)
	get, s := kernels(b, a, comparisonKernels), newStream(b, a)
	const n = 1024
	large := func(v float32) *Buffer[float32] { return bufferOf(b, a, slices.Repeat([]float32{v}, 16<<20)...) }
	x, y, z := large(1), large(2), large(0)
	first := func(from *Buffer[float32]) float32 {
		got := make([]float32, 16<<20)
		require.NoError(b, from.Download(b.Context(), got))
		return got[0]
	}
	out := bufferOf(b, a, make([]uint32, n*n)...)
	add := get("vector_add")
	sum := func() float32 { return 3 }
	product := func() float32 { return n * first(y) }
	for _, c := range []struct {
		name string
		bind func() (*Launch, error)
		want func() float32 // of z
	}{
		{"vector_add_1M", func() (*Launch, error) { return add.Bind(Threads1D(1<<20), x, y, z) }, sum},
		{"vector_add_16M", func() (*Launch, error) { return add.Bind(Threads1D(16<<20), x, y, z) }, sum},
		{"saxpy_16M", func() (*Launch, error) { return get("saxpy").Bind(Threads1D(16<<20), x, y, float32(2)) }, nil},
		{"matmul_1024", func() (*Launch, error) { return get("matmul").Bind(Threads2D(n, n), x, y, z, uint32(n)) }, product},
		{"matmul_tiled_1024", func() (*Launch, error) {
			return get("matmul_tiled").Bind(Threads2D(n, n).In(Extent{X: 16, Y: 16}), x, y, z, uint32(n))
		}, product},
		{"mandelbrot_1024", func() (*Launch, error) { return get("mandelbrot").Bind(Threads2D(n, n), out, uint32(n)) }, nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			l, err := c.bind()
			require.NoError(b, err)
			run := func() time.Duration {
				before := s.Stats().DeviceTime
				require.NoError(b, s.Run(b.Context(), l))
				require.NoError(b, s.Sync(b.Context()))
				return s.Stats().DeviceTime - before
			}
			run()
			if c.want != nil {
				require.Equal(b, c.want(), first(z), "sums of small integers are exact")
			}
			reportMedian(b, "device-ms", run)
		})
	}
	empty, err := get("empty").Bind(Threads1D(32), out)
	require.NoError(b, err)
	wall := func(name string, work func(*testing.B)) {
		b.Run(name, func(b *testing.B) {
			work(b)
			reportMedian(b, "wall-ms", func() time.Duration {
				start := time.Now()
				work(b)
				return time.Since(start)
			})
		})
	}
	launches := func(n int) func(*testing.B) {
		return func(b *testing.B) {
			for range n {
				require.NoError(b, s.Run(b.Context(), empty))
			}
			require.NoError(b, s.Sync(b.Context()))
		}
	}
	wall("launch_wait", launches(1))
	wall("launches_1000", launches(1000))
	wall("allocations_1000_unpooled", func(b *testing.B) {
		for range 1000 {
			m, err := a.device.NewBuffer(1<<20, 0)
			require.NoError(b, err)
			m.Release()
		}
	})
	wall("allocations_1000_pooled", func(b *testing.B) {
		for range 1000 {
			m, err := NewBuffer[byte](a, 1<<20, BufferOptions{})
			require.NoError(b, err)
			m.Close()
		}
	})
}

// reportMedian runs once an iteration and reports the median of the durations.
func reportMedian(b *testing.B, unit string, run func() time.Duration) {
	var times []time.Duration
	for b.Loop() {
		times = append(times, run())
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2])/1e6, unit)
}
