using namespace metal;
int a, *b, &c = a, d[2][3], (*e)[4], (&f)(int), *(*g(int))[5];
device float *const p = nullptr;
const device float *constant *q;
float device *thread r;
threadgroup float (&tile)[8] = q;
unsigned u;
unsigned long long ull;
long signed int lsi;
short unsigned us;
thread const volatile int *__restrict tvr;
coherent device int *sync;
coherent(device) device int *wide;
float (*table[3])(float, int);
auto trailing(int x) -> decltype(x) { return x; }
decltype(auto) whatever() { return 1; }
void unnamed(int, float *, float (&)[4], int (*)(int), int[3], const int &&, ...);
void defaults(int x = 1, float2 y = {1, 2}, int z = f(3));
typedef float (*callback)(float), plain, grid[4][4];
alignas(16) float aligned[4];
float gnu __attribute__((aligned(8)));
__attribute__((always_inline)) inline int forced() { return 0; }
[[maybe_unused]] static int quiet [[deprecated("old")]] = 1, other{2}, third(3);
extern "C" { int linked(int); }
extern "C++" int single;
float labeled(float) asm("air.label");
struct A *forward;
enum B : uchar;
static_assert(sizeof(float) == 4, "four");
static_assert(true);
inline namespace v1 { namespace deep::er { int x; } }
namespace { int hidden; }
namespace alias = deep::er;
using deep::er::x;
using namespace deep;
;
[[attr::only]];
thread const device int *rows[4];
float4 dual [[color(0) index(1)]];
int spread[8] = {[0 ... 6] = 1, [7] = 2};
__extension__ union Spare { int a; };
METAL_FUNC int attributed(int x) METAL_CONST_ARG(x) { return x; }
constant float initialized(1.0f);
