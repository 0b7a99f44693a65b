package dialects

import (
	"math"
	"testing"

	"github.com/puremetal/puremetal/internal/msl/dialect"
)

// TestCUDANarrow: a number that is too large for 8 or 16 bits becomes an integer of 32 bits first,
// as on devices of NVIDIA; testdata/cuda/device.txt has more of their values.
func TestCUDANarrow(t *testing.T) {
	values(t, dialect.CUDA, "", "float large = 300.0f + zero, negative = -5.0f + zero; unsigned char byte = large; "+
		"signed char sign = negative; short half_word = large * 300.0f;", []value{
		{"int", "byte", int32(44)},
		{"int", "(unsigned char)negative", int32(0)},
		{"int", "sign", int32(-5)},
		{"int", "half_word", int32(24464)},
		{"int", "(unsigned short)(large * 300.0f)", int32(24464)},
	})
	const program = `
template <class T> __device__ T made(float x) { T r = x; r += x; return r; }
template <class T> __device__ T sum_of(T a, float x) { return (T)x; }
struct Box { unsigned char b; __device__ Box(float x) : b(x) {} __device__ void add(float x) { b += x; } };
template <class T, class U> struct Pair { T a; U b; __device__ Pair(float x) : a(x) { b = x; } };
`
	values(t, dialect.CUDA, program, "float large = 300.0f + zero, huge = 1e20f, none = 0.0f / zero, less = -1e20f; "+
		"unsigned char byte = 200 + zero; long long wide = zero + 5; unsigned long long un = 7; short s = zero + 1; "+
		"Box box(large); box.add(large); wide -= none; un += huge; byte += large; s *= large * 300;", []value{
		{"int", "byte", int32(500 - 256)},
		{"long long", "wide", int64(math.MinInt64)},
		{"unsigned long long", "un", uint64(math.MaxUint64)},
		{"int", "s", int32(90000 - 65536)},
		{"long long", "huge", int64(math.MaxInt64)},
		{"long long", "none", int64(math.MinInt64)},
		{"unsigned long long", "none", uint64(1 << 63)},
		{"unsigned long long", "less", uint64(0)},
		{"long long", "(long long)less", int64(math.MinInt64)},
		{"int", "made<unsigned char>(large)", int32(344 - 256)},
		{"int", "made<short>(large * 300)", int32(-32768 + (90000+24464-32768)%65536)},
		{"float", "made<float>(large)", float32(600)},
		{"long long", "made<long long>(none)", int64(math.MinInt64)},
		{"long long", "sum_of(1LL, huge)", int64(math.MaxInt64)},
		{"int", "sum_of((unsigned char)1, large)", int32(44)},
		{"float", "sum_of(1.0f, large)", float32(300)},
		{"int", "box.b", int32((44 + 300) & 255)},
		{"int", "Pair<unsigned char, float>(large).a", int32(44)},
		{"long long", "Pair<unsigned char, long long>(huge).b", int64(math.MaxInt64)},
		{"float", "Pair<__nv_bfloat16, __nv_bfloat16>(2.5f).b", float32(2.5)},
	})
}
