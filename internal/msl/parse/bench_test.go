package parse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
)

// generated returns about the given number of source lines, in the style of kernel libraries.
func generated(lines int) string {
	const unit = `
template <typename T, int N>
struct Block%[1]d {
    T data[N];
    float scale;
    T get(int i) const thread { return data[i & (N - 1)] * T(scale); }
};

template <typename T, short NX, bool fast, typename = enable_if_t<(NX > 0)>>
static inline float dot%[1]d(const device Block%[1]d<T, 32> *block, const thread float4 (&y)[NX], short lane) {
    float4 sum = float4(0.0f);
    for (short i = 0; i < NX; ++i) {
        const float4 x = float4(block[i].data[0], block[i].data[1], block[i].data[2], block[i].data[3]);
        if constexpr (fast) {
            sum += x * y[i];
        } else {
            sum = metal::fma(x, y[i], sum);
        }
        sum.xy = sum.yx + (float2)(x.z < 1.0f && y[i].x > 2.0f ? x.zw : y[i].xy);
    }
    return sum.x + sum.y + sum.z + sum.w;
}

template <typename T, short NX>
kernel void work%[1]d(
        device const char *src [[buffer(0)]],
        device float *dst [[buffer(1)]],
        constant uint4 &shape [[buffer(2)]],
        threadgroup float *shared [[threadgroup(0)]],
        uint3 group [[threadgroup_position_in_grid]],
        ushort lane [[thread_index_in_simdgroup]]) {
    const int row = group.x * 4 + lane / 8, column = (int)group.y;
    device const Block%[1]d<T, 32> *block = (device const Block%[1]d<T, 32> *)(src + row * shape.y);
    float4 y[NX];
    for (short i = 0; i < NX; i++) {
        y[i] = reinterpret_cast<device const float4 *>(src)[column + i * 4];
    }
    float total = dot%[1]d<T, NX, true>(block, y, lane);
    total = simd_sum(total);
    shared[lane] = total;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (lane == 0) {
        dst[row * shape.x + column] = shared[0] + as_type<float>(0x3f800000u);
    }
}
typedef decltype(work%[1]d<float, 4>) work%[1]d_t;
template [[host_name("work%[1]d_f4")]] kernel work%[1]d_t work%[1]d<float, 4>;
template [[host_name("work%[1]d_h8")]] kernel work%[1]d_t work%[1]d<half, 8>;
`
	var b strings.Builder
	b.WriteString("#include <metal_stdlib>\nusing namespace metal;\n")
	for i := range lines / strings.Count(unit, "\n") {
		fmt.Fprintf(&b, unit, i)
	}
	return b.String()
}

// BenchmarkParse parses 12,000 lines.
func BenchmarkParse(b *testing.B) {
	text := generated(12000)
	set, sink := diag.NewFileSet(), diag.NewSink()
	toks := pp.Process(set, set.AddFile("bench.metal", text), pp.Options{}, sink)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		parse.File(set, toks, sink)
	}
	require.Zero(b, sink.Errors(), messages(b, set, sink))
	b.ReportMetric(float64(strings.Count(text, "\n")), "lines")
}
