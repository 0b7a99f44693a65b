package dialects

import (
	"math"
	"testing"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
)

// TestCUDAOdd has what languages like C++ do in unusual places.
func TestCUDAOdd(t *testing.T) {
	nan := float32(math.NaN())
	const program = `
struct Layout { char c; float3 f; uchar3 u; short s; long long l; int3 i[2]; };
union Bits { float f; unsigned u; unsigned char b[4]; };
struct Fields { unsigned a : 3, b : 7; int c : 5; };
enum class Color : unsigned char { red = 250, green };
enum Plain { one = 1, two, big = 0x80000000u };
struct Base { int x; __device__ int get() const { return x; } __device__ Base(int v = 3) : x(v) {} };
struct Derived : Base {
  int y; __device__ Derived() : Base(5), y(x * 2) {} __device__ int sum() const { return get() + y; } };
template <int N> struct Fact { static constexpr int value = N * Fact<N - 1>::value; };
template <> struct Fact<0> { static constexpr int value = 1; };
struct Static { static __device__ int twice(int x) { return 2 * x; } static const int k = 7; };
__device__ float2 operator*(float s, const float2 &v) { return make_float2(s * v.x, s * v.y); }
__device__ float2 &operator+=(float2 &a, const float2 &b) { a.x += b.x; a.y += b.y; return a; }
__device__ bool operator<(const int2 &a, const int2 &b) { return a.x < b.x || a.x == b.x && a.y < b.y; }
template <typename T, typename U = T> __device__ U mean(T a, T b) { return U(a + b) / 2; }
template <class... A> __device__ int count(A...) { return sizeof...(A); }
__device__ int sum() { return 0; }
template <class T, class... A> __device__ int sum(T a, A... rest) { return a + sum(rest...); }
__device__ int fall(int x) {
  int r = 0; switch (x) { case 0: r++; case 1: r += 10; break; case 2: { r = 5; } default: r += 100; } return r; }
__device__ void out_of(int *p, int &q, int (&a)[3]) { *p = 1; q = 2; a[2] = 3; }
constexpr int square(int x) { return x * x; }
__constant__ struct { int a[2]; float f; } table = {{4, 5}, 1.5f};
__device__ int next(int &x) { return ++x; }
__device__ int letters() {
  const char *p = "ab", *q = nullptr, *r = (const char *)"cd"; q = p + 1; return *p * *q + r[1]; }
template <class F> __device__ int twice(F f, int x) { return f(f(x)); }
`
	const before = `
unsigned u = zero + 5; int i = zero - 7; short s = zero + 30000;
unsigned char c = zero + 200; char sc = (char)(zero + 200);
long long l = zero + 1LL; unsigned long long ul = zero + 0xffffffffULL; float f = zero + 2.5f; bool t = zero == 0;
float nan = __int_as_float(0x7fc00000 + zero); unsigned short us = zero + 65535;
int a3[3] = {1, 2, 3}; int2 p = make_int2(1 + zero, 2), q = {1, 3};
`
	list := []value{
		{"int", "u - 6 > 0", int32(1)},
		{"int", "i < u", int32(0)},
		{"int", "letters()", int32('a'*'b' + 'd')},
		{"int", "s + s", int32(60000)},
		{"short", "s + s", int16(60000 - 65536)},
		{"int", "c + c", int32(400)},
		{"int", "(unsigned char)(c + c)", int32(144)},
		{"int", "sc", int32(-56)},
		{"int", "sc >> 1", int32(-28)},
		{"int", "~c", int32(-201)},
		{"int", "us * us < 0", int32(1)},
		{"long long", "i * l", int64(-7)},
		{"long long", "u * -1", int64(4294967291)},
		{"long long", "i + ul", int64(0xffffffff - 7)},
		{"int", "i / 2", int32(-3)},
		{"int", "i % 3", int32(-1)},
		{"int", "i >> 1", int32(-4)},
		{"unsigned", "(unsigned)i >> 28", uint32(15)},
		{"int", "1 << (i & 31)", int32(1 << 25)},
		{"int", "-i / 2u > 1000", int32(0)},
		{"int", "t + t", int32(2)},
		{"int", "!u", int32(0)},
		{"int", "(zero, 3)", int32(3)},
		{"int", "u ? i : f", int32(-7)},
		{"float", "u ? i : f", float32(-7)},
		{"int", "sizeof(Layout)", int32(56)},
		{"int", "sizeof(Fields)", int32(4)},
		{"int", "sizeof(t ? c : s)", int32(4)},
		{"int", "sizeof(Color)", int32(1)},
		{"int", "sizeof(float3[2])", int32(24)},
		{"int", "(int)Color::green", int32(251)},
		{"int", "two + one", int32(3)},
		{"unsigned", "([&] { Bits b; b.f = 1; return b.u; })()", uint32(0x3f800000)},
		{"int", "([&] { Bits b; b.u = 0x01020304 + zero; return (int)b.b[1]; })()", int32(3)},
		{"int", "([&] { Fields x = {0, 0, 0}; x.a = 9 + zero; x.b = 130; x.c = 17;" +
			"return x.a + x.b * 10 + x.c * 1000; })()", int32(1 + 20 - 15000)},
		{"int", "Derived().sum()", int32(15)},
		{"int", "Fact<5>::value", int32(120)},
		{"int", "Static::twice(4) + Static::k", int32(15)},
		{"float", "(2.0f * make_float2(f, 3)).x", float32(5)},
		{"float", "([&] { float2 v = {1, 2}; v += make_float2(f, f); return v.x * v.y; })()", float32(3.5 * 4.5)},
		{"int", "p < q", int32(1)},
		{"float", "mean(2, 5)", float32(3)},
		{"float", "mean<int, float>(2, 5)", float32(3.5)},
		{"int", "count(1, 2.f, 'c')", int32(3)},
		{"int", "sum(1, 2, 3)", int32(6)},
		{"int", "fall(0) + fall(1) * 1000 + fall(2) * 10000", int32(11 + 10000 + 1050000)},
		{"int", "([&] { int a, b; out_of(&a, b, a3); return a + b * 10 + a3[2] * 100; })()", int32(321)},
		{"int", "square(7)", int32(49)},
		{"int", "table.a[1 + zero] + (int)(table.f * 2)", int32(8)},
		{"int", "([=](int k) { return k * i; })(3)", int32(-21)},
		{"int", "([&](auto k) { i += k; return i; })(10)", int32(3)},
		{"int", "([k = u * 2]() mutable { return ++k; })()", int32(11)},
		{"int", "twice([](int v) { return v * 3; }, 2)", int32(18)},
		{"int", "next(i) + i", int32(8)},
		{"int", "([&] { int n = 0; for (auto v : {1, 2, 3}) n += v; return n; })()", int32(6)},
		{"int", "([&] { int n = 0; for (int v : a3) n += v; return n; })()", int32(6)},
		{"int", "a3[1] + 2[a3]", int32(5)},
		{"int", "*(&a3[2] - 2)", int32(1)},
		{"long long", "&a3[2] - a3", int64(2)},
		{"int", "0x7fffffff + zero + 1 < 0", int32(1)},
		{"int", "'a' + 'b' - 'b'", int32(97)},
		{"int", "010 + 0b11 + 1'000", int32(8 + 3 + 1000)},
		{"int", "([&] { do { if (t) break; } while (1); return 4; })()", int32(4)},
		{"float", "fminf(nan, f)", float32(2.5)},
		{"float", "fmaxf(f, nan)", float32(2.5)},
		{"float", "fminf(nan, nan)", nan},
		{"float", "min(f, 3.0f)", float32(2.5)},
		{"float", "__saturatef(nan)", float32(0)},
		{"float", "__saturatef(-f)", float32(0)},
		{"int", "max(-1, 2)", int32(2)},
		{"unsigned", "max(-1, 2u)", uint32(0xffffffff)},
		{"long long", "min(l - 5, 3LL)", int64(-4)},
		{"int", "abs(i)", int32(7)},
		{"float", "abs(-f)", float32(2.5)},
		{"float", "floor(-f) + ceil(f)", float32(0)},
		{"float", "i / 2 * f", float32(-7.5)},
		{"float", "1 / 2 + 1 / 2.f", float32(0.5)},
		{"int", "(int)(f * 1e20f)", int32(math.MaxInt32)},
		{"unsigned char", "f * 120", uint8(44)},
		{"unsigned", "(unsigned)-f", uint32(0)},
		{"int", "(int)nan", int32(0)},
		{"int", "f == 2.5", int32(1)},
		{"int", "nan == nan", int32(0)},
		{"int", "nan != nan", int32(1)},
		{"int", "!(nan < f)", int32(1)},
		{"int", "__ffs(0) + __clz(0) + __popcll(ul)", int32(0 + 32 + 32)},
		{"int", "__clzll(0LL) + __ffsll(l << 40)", int32(64 + 41)},
		{"unsigned", "__brev(1 + zero)", uint32(1 << 31)},
		{"long long", "__mul64hi(l << 62, 8LL)", int64(2)},
		{"float", "__half2float(__float2half(f) * __float2half(2.f))", float32(5)},
		{"float", "float(__half(f) + __half(1))", float32(3.5)},
		{"float", "__bfloat162float(__float2bfloat16(3.14159f))", float32(3.140625)},
		{"float", "([&] { __nv_bfloat16 b = f; b += 1; float g = b; return g; })()", float32(3.5)},
		{"float", "__low2float(half2(1.f, 2.f) * half2(3.f, 4.f) + __float2half2_rn(0.5f))", float32(3.5)},
		{"int", "sizeof(half2) + sizeof(__nv_bfloat162) + sizeof(__half)", int32(10)},
		{"int", "std::is_same<int, int>::value + std::numeric_limits<short>::max()", int32(32768)},
		{"int", "std::max(3, 4) + std::min(1, 2)", int32(5)},
		{"float", "std::sqrt(6.25f) + sqrtf(4)", float32(4.5)},
		{"int", "(int)threadIdx.x - 1", int32(-1)},
		{"int", "threadIdx.x - 1 > 0", int32(1)},
		{"int", "blockDim.x * gridDim.x + blockIdx.y", int32(1)},
		{"int", "warpSize", int32(32)},
	}
	cuda(t, program, before, list)
}

// TestCUDARefusals has what Metal cannot do, with the place and the reason.
func TestCUDARefusals(t *testing.T) {
	for _, c := range []struct {
		code  string
		text  string
		words string
	}{
		{"T0001", "__global__ void k(float *x) { x[0] = (float)(double)x[1]; }", "'double'"},
		{"T0002", "__global__ void k(unsigned long long *x) { atomicCAS(x, 1ULL, 2ULL); }", "64 bits"},
		{"T0002", "__global__ void k(long long *x) { atomicExch((unsigned long long *)x, 1ULL); }", "64 bits"},
		{"T0003", "__global__ void k(unsigned short *x) { atomicCAS(x, (unsigned short)1, (unsigned short)2); }",
			"16 bits"},
		{"T0001", "__global__ void k(double2 *x) {}", "'double2'"},
		{"T0003", "__global__ void k(int *x) { x[0] = clock(); }", "no clock"},
		{"T0003", "__global__ void k(int *x) { asm volatile(\"membar.gl;\"); }", "inline assembly"},
		{"T0003", "__global__ void k(int *x) { int *p = new int[4]; delete[] p; }", "'new' and 'delete'"},
		{"T0003", "__global__ void f() {} __global__ void k() { f<<<1, 1>>>(); }", "launches from kernels"},
		{"T0003", "__global__ void k(int *x) { thrust::sort(x, x + 1); }", "thrust"},
		{"", "__device__ int n = 4; __global__ void k(int *x) { n++; }", "keeps its value"},
		{"", "__device__ int f(int n) { return n ? f(n - 1) : 0; } __global__ void k(int *x) { x[0] = f(3); }",
			"recursion"},
		{"T0003", "__global__ void k(int *x) { goto a; a: x[0] = 1; }", "goto"},
		{"", "__global__ void k(int (*f)(int), int *x) { x[0] = f(1); }", "function"},
		{"", "__global__ void k(int **x) {}", "pointer"},
		{"", "__global__ void k(int *x) { try { x[0] = 1; } catch (...) {} }", "exception"},
		{"T0003", "struct A { virtual __device__ int f() { return 1; } }; __global__ void k(A *x) {}", "virtual"},
		{"", "__global__ void k(int *x) { static int n = 3; x[0] = n++; }", ""},
	} {
		refuses(t, dialect.CUDA, "\n"+c.text, diag.Code(c.code), 2, c.words)
	}
}
