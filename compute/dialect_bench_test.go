package compute

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/translate"
	"github.com/stretchr/testify/require"
)

// twice is a kernel in another language and the same by hand in Metal. Both take input x and
// output y, and a number.
type twice struct {
	name     string
	language translate.Language
	source   string
	metal    string
	grid     Grid
	in, out  int // elements
	n        int32
}

const positions = `uint3 p [[thread_position_in_grid]], uint3 l [[thread_position_in_threadgroup]],
	uint3 g [[threadgroup_position_in_grid]], uint3 d [[threads_per_threadgroup]]`

var twices = []twice{
	{"saxpy", translate.CUDA, `
__global__ void saxpy(const float *x, float *y, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) y[i] = 2.0f * x[i] + y[i];
}`, `
kernel void saxpy(device const float *x, device float *y, constant int &n, POSITIONS) {
	int i = p.x;
	if (i < n) y[i] = 2.0f * x[i] + y[i];
}`, Threadgroups{Extent{X: 1 << 14}, Extent{X: 256}}, 1 << 22, 1 << 22, 1 << 22},
	{"tiled product", translate.CUDA, `
__global__ void product(const float *x, float *y, int n) {
	__shared__ float a[16][16], b[16][16];
	int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
	float sum = 0;
	for (int t = 0; t < n; t += 16) {
		a[threadIdx.y][threadIdx.x] = x[row * n + t + threadIdx.x];
		b[threadIdx.y][threadIdx.x] = x[(t + threadIdx.y) * n + column];
		__syncthreads();
		for (int k = 0; k < 16; k++) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
		__syncthreads();
	}
	y[row * n + column] = sum;
}`, `
kernel void product(device const float *x, device float *y, constant int &n, POSITIONS) {
	threadgroup float a[16][16], b[16][16];
	int row = p.y, column = p.x;
	float sum = 0;
	for (int t = 0; t < n; t += 16) {
		a[l.y][l.x] = x[row * n + t + l.x];
		b[l.y][l.x] = x[(t + l.y) * n + column];
		threadgroup_barrier(mem_flags::mem_threadgroup);
		for (int k = 0; k < 16; k++) sum += a[l.y][k] * b[k][l.x];
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	y[row * n + column] = sum;
}`, Threadgroups{Extent{X: 24, Y: 24}, Extent{X: 16, Y: 16}}, 384 * 384, 384 * 384, 384},
	{"histogram", translate.CUDA, `
__global__ void histogram(const float *x, float *y, int n) {
	__shared__ unsigned bins[256];
	bins[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&bins[(int)(x[i] * 256)], 1u);
	__syncthreads();
	y[blockIdx.x * 256 + threadIdx.x] = bins[threadIdx.x];
}`, `
kernel void histogram(device const float *x, device float *y, constant int &n, POSITIONS,
		uint3 size [[threads_per_grid]]) {
	threadgroup atomic_uint bins[256];
	atomic_store_explicit(&bins[l.x], 0, memory_order_relaxed);
	threadgroup_barrier(mem_flags::mem_threadgroup);
	for (int i = p.x; i < n; i += size.x)
		atomic_fetch_add_explicit(&bins[(int)(x[i] * 256)], 1u, memory_order_relaxed);
	threadgroup_barrier(mem_flags::mem_threadgroup);
	y[g.x * 256 + l.x] = atomic_load_explicit(&bins[l.x], memory_order_relaxed);
}`, Threadgroups{Extent{X: 64}, Extent{X: 256}}, 1 << 22, 64 * 256, 1 << 22},
	{"N-body", translate.CUDA, `
__device__ float3 pull(float4 a, float4 b, float3 sum) {
	float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
	float r = rsqrtf(x * x + y * y + z * z + 0.01f);
	float s = b.w * r * r * r;
	return make_float3(sum.x + x * s, sum.y + y * s, sum.z + z * s);
}
__global__ void bodies(const float *in, float *out, int n) {
	const float4 *x = (const float4 *)in;
	float4 *y = (float4 *)out;
	__shared__ float4 near[256];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float4 own = x[i];
	float3 sum = make_float3(0, 0, 0);
	for (int t = 0; t < n; t += 256) {
		near[threadIdx.x] = x[t + threadIdx.x];
		__syncthreads();
		for (int k = 0; k < 256; k++) sum = pull(own, near[k], sum);
		__syncthreads();
	}
	y[i] = make_float4(sum.x, sum.y, sum.z, own.w);
}`, `
static float3 pull(float4 a, float4 b, float3 sum) {
	float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
	float r = rsqrt(x * x + y * y + z * z + 0.01f);
	float s = b.w * r * r * r;
	return float3(sum.x + x * s, sum.y + y * s, sum.z + z * s);
}
kernel void bodies(device const float *in, device float *out, constant int &n, POSITIONS) {
	device const float4 *x = (device const float4 *)in;
	device float4 *y = (device float4 *)out;
	threadgroup float4 near[256];
	int i = p.x;
	float4 own = x[i];
	float3 sum = float3(0, 0, 0);
	for (int t = 0; t < n; t += 256) {
		near[l.x] = x[t + l.x];
		threadgroup_barrier(mem_flags::mem_threadgroup);
		for (int k = 0; k < 256; k++) sum = pull(own, near[k], sum);
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	y[i] = float4(sum.x, sum.y, sum.z, own.w);
}`, Threadgroups{Extent{X: 12}, Extent{X: 256}}, 4 * 3072, 4 * 3072, 3072},
	{"reduction", translate.OpenCL, `
__kernel void reduce(__global const float *x, __global float *y, int n) {
	__local float part[256];
	size_t l = get_local_id(0);
	float sum = 0;
	for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) sum += x[i];
	part[l] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (size_t half = get_local_size(0) / 2; half > 0; half /= 2) {
		if (l < half) part[l] += part[l + half];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (l == 0) y[get_group_id(0)] = part[0];
}`, `
kernel void reduce(device const float *x, device float *y, constant int &n, POSITIONS,
		uint3 size [[threads_per_grid]]) {
	threadgroup float part[256];
	size_t at = l.x;
	float sum = 0;
	for (size_t i = p.x; i < size_t(n); i += size.x) sum += x[i];
	part[at] = sum;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	for (size_t half = d.x / 2; half > 0; half /= 2) {
		if (at < half) part[at] += part[at + half];
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	if (at == 0) y[g.x] = part[0];
}`, Threadgroups{Extent{X: 64}, Extent{X: 256}}, 1 << 22, 64, 1 << 22},
	{"stencil", translate.OpenCL, `
__kernel void stencil(__global const float *x, __global float *y, int n) {
	int i = get_global_id(0), j = get_global_id(1);
	if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
		y[j * n + i] = 0.2f * (x[j * n + i] + x[j * n + i - 1] + x[j * n + i + 1] + x[(j - 1) * n + i] + x[(j + 1) * n + i]);
}`, `
kernel void stencil(device const float *x, device float *y, constant int &n, POSITIONS) {
	int i = p.x, j = p.y;
	if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
		y[j * n + i] = 0.2f * (x[j * n + i] + x[j * n + i - 1] + x[j * n + i + 1] + x[(j - 1) * n + i] + x[(j + 1) * n + i]);
}`, Threadgroups{Extent{X: 128, Y: 128}, Extent{X: 16, Y: 16}}, 2048 * 2048, 2048 * 2048, 2048},
	{"Black-Scholes", translate.OpenCL, `
float normal(float d) {
	float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
	float c = 0.3989423f * exp(-0.5f * d * d) * k * (0.3193815f + k * (-0.3565638f + k * (1.781478f + k * -1.821256f)));
	return d > 0 ? 1.0f - c : c;
}
__kernel void price(__global const float *x, __global float *y, int n) {
	size_t i = get_global_id(0);
	if (i >= n) return;
	float s = 10 + x[i] * 90, strike = 50, t = 0.25f + x[i], root = sqrt(t);
	float q = (log(s / strike) + (0.02f + 0.5f * 0.09f) * t) / (0.3f * root);
	y[i] = s * normal(q) - strike * exp(-0.02f * t) * normal(q - 0.3f * root);
}`, `
static float normal(float d) {
	float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
	float c = 0.3989423f * exp(-0.5f * d * d) * k * (0.3193815f + k * (-0.3565638f + k * (1.781478f + k * -1.821256f)));
	return d > 0 ? 1.0f - c : c;
}
kernel void price(device const float *x, device float *y, constant int &n, POSITIONS) {
	size_t i = p.x;
	if (i >= size_t(n)) return;
	float s = 10 + x[i] * 90, strike = 50, t = 0.25f + x[i], root = sqrt(t);
	float q = (log(s / strike) + (0.02f + 0.5f * 0.09f) * t) / (0.3f * root);
	y[i] = s * normal(q) - strike * exp(-0.02f * t) * normal(q - 0.3f * root);
}`, Threadgroups{Extent{X: 1 << 12}, Extent{X: 256}}, 1 << 20, 1 << 20, 1 << 20},
}

// BenchmarkTranslated compares kernels in other languages with the same kernels by hand in Metal,
// in turns, with the same mathematics and types. The ratio is that of the medians.
func BenchmarkTranslated(b *testing.B) {
	for _, k := range twices {
		b.Run(k.name, func(b *testing.B) {
			a := accelerator(b)
			p, err := a.Compile(b.Context(), k.source, CompileOptions{Name: "translated", Dialect: k.language})
			require.NoError(b, err)
			k.compare(b, a, p, k.n)
		})
	}
}

// compare measures the kernel of a program against the one by hand. The program's has the same
// buffers, and a number after them.
func (k twice) compare(b *testing.B, a *Accelerator, p *Program, n any) {
	ctx := b.Context()
	b.Cleanup(p.Close)
	safe := mtl.MathModeSafe
	byHand, err := a.Compile(ctx, "#include <metal_stdlib>\nusing namespace metal;\n"+
		strings.ReplaceAll(k.metal, "POSITIONS", positions), CompileOptions{Name: "metal", Math: &safe})
	require.NoError(b, err)
	b.Cleanup(byHand.Close)
	random := rand.New(rand.NewPCG(1, 2))
	in := make([]float32, k.in)
	for i := range in {
		in[i] = random.Float32()
	}
	x := bufferOf(b, a, in...)
	var launches [2]func() time.Duration
	var results [2][]float32
	for i, p := range []*Program{p, byHand} {
		kernel, err := p.Kernel(p.KernelNames()[0])
		require.NoError(b, err)
		y := bufferOf(b, a, make([]float32, k.out)...)
		number := any(k.n)
		if i == 0 {
			number = n
		}
		l, err := kernel.Bind(k.grid, x, y, number)
		require.NoError(b, err)
		s := newStream(b, a)
		launches[i] = func() time.Duration {
			began := time.Now()
			require.NoError(b, s.Run(ctx, l))
			require.NoError(b, s.Sync(ctx))
			return time.Since(began)
		}
		launches[i]()
		results[i] = make([]float32, k.out)
		require.NoError(b, y.Download(ctx, results[i]))
	}
	require.Equal(b, results[1], results[0])
	for range 3 { // until there is machine code
		launches[0]()
		launches[1]()
	}
	var times [2][]time.Duration
	for n := 0; n < 20 || b.Loop(); n++ {
		for i := range times {
			i ^= n & 1
			times[i] = append(times[i], launches[i]())
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	middle := len(times[0]) / 2
	b.ReportMetric(float64(times[0][middle])/float64(times[1][middle]), "ratio")
	b.ReportMetric(float64(times[0][0])/float64(times[1][0]), "ratio-of-best")
	b.Logf("%v against %v", times[0][middle], times[1][middle])
}
