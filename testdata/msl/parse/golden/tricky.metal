#include <metal_stdlib>
using namespace metal;
template <typename T, typename = void> struct has_x : false_type {};
template <typename T> struct has_x<T, void_t<decltype(T::x)>> : true_type {};
template <bool... Bs> using all = is_same<integer_sequence<bool, true, Bs...>, integer_sequence<bool, Bs..., true>>;
template <typename... Ts> struct list {};
template <typename T, typename... Ts> struct list<T, Ts...> : list<Ts...> {
    using base = list<Ts...>;
    using base::base;
    T head;
    template <typename U> list(U u, Ts... ts) : base(ts...), head(u) {}
    list(const thread list<T, Ts...> &o) = default;
    const thread T &operator[](size_t i) const thread { return this->head; }
    template <typename U> constexpr operator U() const { return U(head); }
};
template <typename T, T... Vs> struct values { static constexpr constant int size = sizeof...(Vs); };
template <typename T> constexpr constant bool is_it = false;
template <> constexpr constant bool is_it<int> = true;
template <typename T, typename U> enable_if_t<is_same_v<T, U> && !is_it<T>, T> pick(T t, U) { return t; }
template <typename T> struct sized { static constexpr constant int v = sizeof(T) > 4 ? 1 : 2, w = T::n < 3; enum { A = 1 }; int x[A]; };
struct functor { int operator()(int a) const { return a; } int operator+(int b) const { return b; } };
using fn = void (*)(int);
using sig = void(int);
using table = visible_function_table<float(float, int)>;
using view = tensor<device half, dextents<int, 2>, tensor_inline>;
struct packed_s { char a; } __attribute__((packed));
struct __attribute__((aligned(16))) aligned_s { char a; };
extern constant int outside;
constant constexpr auto made = [] { return 1; }();
constexpr static const constant int grid[2][2] = {{1, 2}, {3, 4},};
kernel void parameters(visible_function_table<float(float)> t [[buffer(1)]], device atomic_int *p [[ buffer(0) ]],
                       [[maybe_unused]] uint i [[thread_position_in_grid, maybe_unused]], int = 3) {}
template [[host_name("a" "b")]] [[kernel]] void parameters<int>();
int take(bool, bool);
template <typename T, typename... Ts> void body(T t, thread int &n, int m, Ts... ts) {
    functor f;
    f.operator()(3) + f.operator+(4);
    take(n < m, m > n);
    take(unseen < m, m > n);
    take(T::a < n, m > T::b);
    const thread auto &[a, b] = t;
    for (const auto x : {1, 2, 3}) n = x;
    static_cast<const device T *>(t)[n];
    thread auto &r = n;
    auto *q = &n;
    (T)t.x + (T)-n + (T)(n) + (float)n * 2 + (half4)(float4)n + *(thread int *)&n;
    sizeof(T) * n + sizeof(n) / sizeof(grid[0]);
    int unpack[] = {(take(ts, 1), 0)...};
    body<T, Ts...>(t, ts..., n);
    switch (n) { case (1 + 2): int z = 3; case true ? 1 : 2: default: { break; } }
    T::value ? n : m;
    n = T::n * 2;
    typename T::type{};
    typename T::template in<T>::type y = typename T::type(3), w{};
    (T)n;
    (n) = m;
    list<T>(n).head = 3;
    auto g = (void (*)(int))t;
    array<T, 4>{1, 2}[n];
    as_type<decltype(n)>(m);
    if (const auto k = n; k > 3) {} else if constexpr (is_it<T> || sizeof(T) > 2) {}
    auto l = [*this, &n, ts...](auto... xs) constexpr -> decltype(auto) { return (xs + ...); };
    return (void)(n), void();
    list<list<T>> nested{}; list<T> const trailing = {};
    metal::simdgroup_matrix<float, 8, 8> tiles[2][2];
    using inner = typename list<T>::base; inner value(n), other = inner(n);
    T (*pf)(int) = nullptr; T (&ra)[3] = grid; T(plain)(int);
    op.template get<decltype(n), float>().x;
    n = m < 3 && n > 2 || m >> 1 > 2;
    [[clang::loop(unroll_count(4))]] while (n > 0) n--;
    max<float>(n, m) < min<int>(1, 2);
    unsigned(n) >> 2; long(n); float3x3(1.0)[0].xyz;
    if (n) unknown_t *const kept = &n;
}

// T(U(name)) in parentheses is a type, of a function, only where the operand of a cast follows.
void parenthesized(int i) {
    (float(int(i)));
    float a = (float(int(i))) / 2, b = ((float(int(i)))), c = (float());
    float d[2] = {(float(int(i))), (float(int(i)))};
    a = d[(int(int(i)))] < (float(int(i))) ? (float(int(i))) : 1;
}
