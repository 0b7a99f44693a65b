#include <metal_stdlib>
using namespace metal;

template <typename T, uint N = 4, bool = true> struct Tile {
    T data[N];
    static constant constexpr uint size = N;
    template <typename U> Tile<U, N> cast() const { return {}; }
};
template <> struct Tile<float, 1> { float only; };
template <typename T> struct Tile<T *, 2, false> { T *p; };

template <typename T, typename... Rest>
T first(T head, Rest... rest) { return sizeof...(rest) > 0 ? head : T(0); }
template <int... Is> constexpr int total() { return (0 + ... + Is); }
template <typename... Ts> bool all_of(Ts... ts) { return (ts && ...); }
template <typename... Ts> int count(Ts... ts) { return (... + (ts ? 1 : 0)); }
template <typename F, typename... Ts> void each(F f, Ts &&...ts) { (f(ts), ...); }

template <template <typename, uint, bool> class C, typename T> struct Wrap { C<T, 8, true> inner; };
template <typename T, enable_if_t<is_same_v<T, float>, bool> = true> T only_float(T x) { return x; }
template <typename T, typename = enable_if_t<(sizeof(T) > 2)>> T only_wide(T x) { return x; }
template <typename T> constexpr constant T zero = T(0);
template <typename T> using Pair = Tile<T, 2>;
template <typename T, T (*op)(T, T)> T apply(T a, T b) { return op(a, b); }
template <uint A, uint B> struct Less { enum { value = A < B, twice = (A >> B) > 1 }; };

template <typename T>
struct Outer {
    using type = T;
    typedef T *pointer;
    template <typename U> struct rebind { using other = Outer<U>; };
    T run() const thread;
    operator T() const { return T(); }
};
template <typename T> T Outer<T>::run() const thread { typename Outer<T>::type x = 1; return x; }
template <typename T> struct Derived : Outer<T>, private Wrap<Tile, T> {
    typename Outer<T>::template rebind<int>::other next;
    Derived(T t) : Outer<T>(t), next{} {}
};

template <typename T, int N>
kernel void work(device T *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = T(N); }
template [[host_name("work_float_4")]] [[kernel]] void work<float, 4>(device float *, uint);
template [[host_name("work_half_8")]] kernel void work<half, 8>(device half *x [[buffer(0)]], uint i [[thread_position_in_grid]]);
typedef decltype(work<float, 4>) work_t;
template [[host_name("work_named")]] kernel work_t work<float, 16>;
template [[host_name("work_deduced")]] kernel decltype(work<int, 2>) work<int, 2>;
extern template struct Tile<half>;
template struct Tile<short, 3>;
template <> void work<char, 1>(device char *x, uint i) {}

Tile<Tile<float, 2>, 3> nested;
Tile<Tile<Tile<float>>> shift;
constant int answer = total<1, 2, (3 > 2), 4>();
constant bool less = Less<1, 2>::value < Less<3, 4>::twice;
