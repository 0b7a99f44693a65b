package pp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/diag"
)

// kernels writes about the given number of source lines in the style of large shader libraries:
// macros that name and instantiate kernels, constants, conditionals, and plain code.
func kernels(lines int) string {
	var b strings.Builder
	b.WriteString("#include <metal_stdlib>\nusing namespace metal;\n#define MAX(x, y) ((x) > (y) ? (x) : (y))\n#define CAT_(a, b) a##b\n#define CAT(a, b) CAT_(a, b)\n" +
		"#define NAME(n, t) CAT(kernel_, CAT(n, CAT(_, t)))\n#define STR(x) #x\n#define INSTANTIATE(n, t, ...) \\\n    template [[host_name(STR(kernel_##n##_##t))]] kernel void NAME(n, t)<t, ##__VA_ARGS__>(device const t * src [[buffer(0)]], \\\n" +
		"        device t * dst [[buffer(1)]], uint tpig [[thread_position_in_grid]]);\n#define QK 32\n#define N_SIMDWIDTH 32\n#define FOR_UNROLL(x) _Pragma(\"clang loop unroll(full)\") for (x)\n")
	for i, n := 0, strings.Count(b.String(), "\n"); n < lines; i++ {
		start := b.Len()
		fmt.Fprintf(&b, `
// kernel number %[1]d: reads what the last one wrote
#if defined(__HAVE_BFLOAT__) && __METAL_VERSION__ >= 310 && QK * 2 >= %[2]d
typedef bfloat type_%[1]d;
#else
typedef half type_%[1]d;
#endif
template<typename T, short width = N_SIMDWIDTH>
kernel void kernel_op%[1]d_impl(device const T * src, device T * dst, threadgroup float * shared, uint tpig, ushort lane) {
    float4 sum = float4(0.0f, 1.5e-3f, %[1]d.0f, 0x1p-3f);
    FOR_UNROLL (short j = 0; j < QK/4; ++j) {
        const float4 value = *((device const float4 *) (src + tpig*QK + 4*j));
        sum += value.xyzw * MAX(value.wzyx, float4(j)) + (lane %% 2 == 0 ? 1.0f : -1.0f);
        dst[tpig*QK + j] = static_cast<T>(sum.x + MAX(sum[1], MAX(sum[2], sum[3]))); /* all four */
    }
    shared[lane] = simd_sum(sum.x) >> 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
}
INSTANTIATE(op%[1]d, float, 32)
INSTANTIATE(op%[1]d, half)
`, i, i%128)
		n += strings.Count(b.String()[start:], "\n")
	}
	return b.String()
}

// BenchmarkProcess preprocesses a source of 12,000 lines.
func BenchmarkProcess(b *testing.B) { benchmark(b, kernels(12_000)) }

// BenchmarkProcessSmall preprocesses one kernel of a hundred lines.
func BenchmarkProcessSmall(b *testing.B) { benchmark(b, kernels(100)) }

func benchmark(b *testing.B, src string) {
	toks, diags, _ := process(b, src, Options{})
	require.Empty(b, diags)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		fs := diag.NewFileSet()
		Process(fs, fs.AddFile("a.metal", src), Options{}, diag.NewSink())
	}
	b.ReportMetric(float64(len(toks)), "tokens")
}
