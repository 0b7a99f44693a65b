// launch explicitc
// buffer 0: zero 4
// want 0: i32 5
// launch defmember
// buffer 0: zero 12
// want 0: i32 3 9 1
// launch ifinit
// buffer 0: zero 8
// want 0: i32 4 2
// launch enumclass
// buffer 0: zero 16
// want 0: i32 6 2 3 1
// launch vartmpl
// buffer 0: zero 16
// want 0: i32 4 8 16 3
// launch ttp
// buffer 0: zero 8
// want 0: i32 6 3
// launch depnames
// buffer 0: zero 8
// want 0: i32 5 4
// launch twophase
// buffer 0: zero 4
// want 0: i32 1
// launch sfinae
// buffer 0: zero 20
// want 0: i32 1 2 3 4 0
// launch sfinae2
// buffer 0: zero 16
// want 0: i32 1 2 1 0
// launch traits
// buffer 0: zero 36
// want 0: i32 1 1 1 0 1 1 1 2 1
// launch variadict
// buffer 0: zero 12
// want 0: i32 3 10 321
// launch tmploper
// buffer 0: zero 8
// want 0: i32 7 6
// launch nsalias
// buffer 0: zero 8
// want 0: i32 3 4
// launch overloadspace
// buffer 0: zero 12
// want 0: i32 1 2 3
// launch constref
// buffer 0: zero 8
// want 0: i32 3 4
// launch autos
// buffer 0: zero 12
// want 0: i32 3 4 5
// launch opoverload
// buffer 0: zero 20
// want 0: i32 5 3 9 1 6
// launch staticfn
// buffer 0: zero 8
// want 0: i32 7 1
// launch tmplmember
// buffer 0: zero 8
// want 0: i32 4 6
// launch partialspec
// buffer 0: zero 20
// want 0: i32 1 2 3 4 5
// launch sizeofpack
// buffer 0: zero 4
// want 0: i32 24
// launch nsfn
// buffer 0: zero 8
// want 0: i32 5 1
// launch fwd
// buffer 0: zero 8
// want 0: i32 3 4
// launch defargs
// buffer 0: zero 8
// want 0: i32 6 3
// launch usingalias
// buffer 0: zero 8
// want 0: i32 12 4
#include <metal_stdlib>
using namespace metal;

namespace in_explicitc {
struct E {
    int v;
    explicit E(int x) : v(x) {
    }
};
int f(E e) {
    return e.v;
}
int f(float x) {
    return 1;
}
[[host_name("explicitc")]] kernel void explicitc(device int *o) {
    E e(5);
    o[0] = f(e) + f(3) - 1;
}
}

namespace in_defmember {
struct D {
    int a = 3;
    int b{4};
    float2 c = float2(1, 2);
    D() {
    }
    D(int x) : b(x) {
    }
};
[[host_name("defmember")]] kernel void defmember(device int *o) {
    D d;
    o[0] = d.a;
    D e(9);
    o[1] = e.b;
    o[2] = int(e.c.x);
}
}

namespace in_ifinit {
template <int N> int f() {
    if constexpr (constexpr int m = N * 2; m > 3) return m;
    else return 2;
}
[[host_name("ifinit")]] kernel void ifinit(device int *o) {
    o[0] = f<2>();
    if (int q = f<1>(); q == 2) o[1] = q;
}
}

namespace in_enumclass {
enum class E : uchar { a = 1, b, c = 5 };
enum F { x = 3, y };
constexpr E operator++(thread E &e) {
    e = E(uchar(e) + 1);
    return e;
}
[[host_name("enumclass")]] kernel void enumclass(device int *o) {
    E e = E::c;
    ++e;
    o[0] = int(e);
    o[1] = static_cast<int>(E::b);
    o[2] = x;
    F f = y;
    o[3] = f - x;
    switch (e) {
        case E::a: o[3] = 7;
        break;
        default: break;
    }
}
}

namespace in_vartmpl {
template <class T> constant constexpr int size_v = sizeof(T);
template <> constant constexpr int size_v<char> = 16;
template <class T> constant constexpr int size_v<vec<T, 3>> = 3;
[[host_name("vartmpl")]] kernel void vartmpl(device int *o) {
    o[0] = size_v<int>;
    o[1] = size_v<long>;
    o[2] = size_v<char>;
    o[3] = size_v<float3>;
}
}

namespace in_ttp {
template <class T, int N> struct Arr {
    T v[N];
    T sum() const {
        T s = 0;
        for (int i = 0; i < N; i++) s += v[i];
        return s;
    }
};
template <template <class, int> class A, class T> T go() {
    A<T, 3> a;
    for (int i = 0; i < 3; i++) a.v[i] = i + 1;
    return a.sum();
}
template <class T> struct W {
    T v;
};
template <template <class> class C> struct Use {
    C<int> x;
};
[[host_name("ttp")]] kernel void ttp(device int *o) {
    o[0] = go<Arr, int>();
    Use<W> u;
    u.x.v = 3;
    o[1] = u.x.v;
}
}

namespace in_depnames {
template <class T> struct Tr {
    using type = T;
    template <class U> struct rebind {
        using type = U;
    };
    template <class U> static U conv(T x) {
        return U(x);
    }
};
template <class T> int f(T x) {
    typename Tr<T>::template rebind<int>::type r = Tr<T>::template conv<int>(x);
    return r;
}
template <class T> struct Base {
    T b;
    T get() const {
        return b;
    }
};
template <class T> struct Der : Base<T> {
    using Base<T>::get;
    T twice() const {
        return this->b + Base<T>::b;
    }
};
[[host_name("depnames")]] kernel void depnames(device int *o) {
    o[0] = f(5.5f);
    Der<int> d;
    d.b = 2;
    o[1] = d.twice() + d.get() - 2;
}
}

namespace in_twophase {
template <class T> int call(T x) {
    return pick(x);
}
struct A {
};
int pick(A) {
    return 1;
}
[[host_name("twophase")]] kernel void twophase(device int *o) {
    o[0] = call(A());
}
}

namespace in_sfinae {
template <class T> enable_if_t<is_floating_point_v<T>, int> f(T) {
    return 1;
}
template <class T> enable_if_t<is_integral_v<T>, int> f(T) {
    return 2;
}
template <class T> auto g(T x) -> decltype(x.size(), 0) {
    return 3;
}
int g(...) {
    return 4;
}
struct S {
    int size() {
        return 0;
    }
};
template <class T, class = void> struct has : false_type {
};
template <class T> struct has<T, void_t<typename T::type>> : true_type {
};
struct Y {
    using type = int;
};
[[host_name("sfinae")]] kernel void sfinae(device int *o) {
    o[0] = f(1.0f);
    o[1] = f(1);
    o[2] = g(S());
    o[3] = g(1);
    o[4] = has<S>::value + has<Y>::value - 1;
}
}

namespace in_sfinae2 {
template <class T, class = void> struct hasadd {
    static constexpr constant bool value = false;
};
template <class T> struct hasadd<T, decltype(void(declval<T>() + declval<T>()))> { static constexpr constant bool value = true; };
template <class T, enable_if_t<(sizeof(T) > 4), bool> = true> int f(T) {
    return 2;
}
template <class T, enable_if_t<(sizeof(T) <= 4), bool> = true> int f(T) {
    return 1;
}
struct N {
};
[[host_name("sfinae2")]] kernel void sfinae2(device int *o) {
    o[0] = f(1);
    o[1] = f(1L);
    o[2] = hasadd<float>::value;
    o[3] = hasadd<N>::value;
}
}

namespace in_traits {
template <class T> struct S {
    int a;
};
[[host_name("traits")]] kernel void traits(device int *o) {
    o[0] = is_same<int, int32_t>::value;
    o[1] = is_same_v<remove_cv_t<const volatile int>, int>;
    o[2] = is_pointer<device int *>::value;
    o[3] = is_pointer_v<int>;
    o[4] = is_same_v<decay_t<thread int &>, int>;
    o[5] = is_class_v<S<int>>;
    o[6] = is_same_v<make_unsigned_t<int>, uint>;
    o[7] = is_unsigned_v<uint> + is_signed_v<int>;
    o[8] = is_convertible_v<int, float>;
    }
}

namespace in_variadict {
template <class... T> struct Tuple {
};
template <class H, class... R> struct Tuple<H, R...> {
    H head;
    Tuple<R...> tail;
};
template <int N> struct Get {
    template <class T> static int get(T t) {
        return Get<N - 1>::get(t.tail);
    }
};
template <> struct Get<0> {
    template <class T> static int get(T t) {
        return t.head;
    }
};
template <class... A> constexpr int count(A...) {
    return sizeof...(A);
}
template <class T> T sum(T a) {
    return a;
}
template <class T, class... R> T sum(T a, R... r) {
    return a + sum(r...);
}
template <int... I> struct seq {
};
template <int N, int... I> struct mk : mk<N - 1, N - 1, I...> {
};
template <int... I> struct mk<0, I...> {
    using type = seq<I...>;
};
template <int... I> int horner(seq<I...>) {
    int r = 0;
    ((r = r * 10 + (3 - I)), ...);
    return r;
}
[[host_name("variadict")]] kernel void variadict(device int *o) {
    o[0] = count(1, 2.f, 'c');
    o[1] = sum(1, 2, 3, 4);
    o[2] = horner(mk<3>::type());
    Tuple<int, float> t{1, {2.f}
};
o[1] += Get<1>::get(t) - 2;
}
}

namespace in_tmploper {
template <class T> struct V {
    T v;
    template <class U> V operator+(U u) const {
        return V{T(v + u)};
    }
    template <class U> operator U() const {
        return U(v);
    }
};
template <class T> V<T> operator*(T a, V<T> b) {
    return V<T>{a * b.v};
}
[[host_name("tmploper")]] kernel void tmploper(device int *o) {
    V<int> a{3};
    o[0] = (a + 4.0f).v;
    o[1] = (2 * a).v;
}
}

namespace in_nsalias {
namespace a {
    namespace b {
        int f() {
            return 3;
        }
        template <class T> struct X {
            T v;
        };
    }
}
namespace ab = a::b;
namespace c {
    using namespace a::b;
    using a::b::X;
}
using c::X;
[[host_name("nsalias")]] kernel void nsalias(device int *o) {
    o[0] = ab::f();
    X<int> x{4};
    o[1] = x.v;
}
}

namespace in_overloadspace {
int w(device int *) {
    return 1;
}
int w(thread int *) {
    return 2;
}
int w(constant int *) {
    return 3;
}
constant int cc = 1;
[[host_name("overloadspace")]] kernel void overloadspace(device int *o) {
    int x;
    o[0] = w(o);
    o[1] = w(&x);
    o[2] = w(&cc);
}
}

namespace in_constref {
void f(constant int &c, device int *o) {
    o[0] = c;
}
constant int cc = 3;
template <typename T> void g(const thread T &x, device int *o) {
    o[1] = x;
}
[[host_name("constref")]] kernel void constref(device int *o) {
    f(cc, o);
    g(4, o);
}
}

namespace in_autos {
auto f(int x) {
    return x + 1;
}
auto g(float x) -> int {
    return int(x);
}
decltype(auto) h(thread int &x) {
    return (x);
}
[[host_name("autos")]] kernel void autos(device int *o) {
    auto a = f(2);
    o[0] = a;
    const auto &r = a;
    o[1] = r + 1;
    int y = 1;
    h(y) = 5;
    o[2] = y;
    auto *p = &y;
    auto q = p;
    (void)q;
}
}

namespace in_opoverload {
struct C {
    float r, i;
    C operator+(C o) const {
        return {r + o.r, i + o.i};
    }
    C operator-() const {
        return {-r, -i};
    }
    thread C &operator+=(C o) {
        r += o.r;
        i += o.i;
        return *this;
    }
    bool operator==(C o) const {
        return r == o.r && i == o.i;
    }
    float operator[](int k) const {
        return k ? i : r;
    }
    float operator()(float x) const {
        return r * x + i;
    }
};
inline C operator*(float s, C c) {
    return {s * c.r, s * c.i};
}
inline thread C &operator++(thread C &c) {
    c.r += 1;
    return c;
}
[[host_name("opoverload")]] kernel void opoverload(device int *o) {
    C a{1, 2}, b = {4, 1};
    o[0] = int((a + b).r);
    o[1] = int((a + b)[1]);
    a += 2 * b;
    o[2] = int(a.r);
    o[3] = a == a && !(a == b);
    o[4] = int(C{2, 4}(1));
    ++a;
}
}

namespace in_staticfn {
struct M {
    static int sq(int x) {
        return x * x;
    }
    template <class T> static T id(T x) {
        return x;
    }
    enum { K = 3 };
    enum Mode : int { off, on };
    using self = M;
    static constexpr int zero() {
        return 0;
    }
};
[[host_name("staticfn")]] kernel void staticfn(device int *o) {
    o[0] = M::sq(2) + M::id<int>(M::K);
    o[1] = M::Mode::on + M::self::zero();
}
}

namespace in_tmplmember {
template <class T> struct Outer {
    T base;
    struct Inner {
        T v;
        T get() const {
            return v;
        }
    };
    template <class U> U cast() const {
        return U(base);
    }
    Inner inner() const {
        return Inner{base};
    }
    template <int N> T plus() const {
        return base + N;
    }
};
template <class T> T use(Outer<T> o) {
    return o.template plus<3>() + o.inner().get() - o.template cast<int>();
}
[[host_name("tmplmember")]] kernel void tmplmember(device int *o) {
    Outer<int> x{1};
    o[0] = use(x);
    typename Outer<float>::Inner y{6};
    o[1] = int(y.get());
}
}

namespace in_partialspec {
template <class T, int N> struct P {
    static constexpr constant int v = 1;
};
template <class T> struct P<T, 2> {
    static constexpr constant int v = 2;
};
template <int N> struct P<float, N> {
    static constexpr constant int v = 3;
};
template <> struct P<float, 2> {
    static constexpr constant int v = 4;
};
template <class T, int N> struct P<thread T *, N> {
    static constexpr constant int v = 5;
};
[[host_name("partialspec")]] kernel void partialspec(device int *o) {
    o[0] = P<int, 1>::v;
    o[1] = P<int, 2>::v;
    o[2] = P<float, 1>::v;
    o[3] = P<float, 2>::v;
    o[4] = P<thread int *, 1>::v;
}
}

namespace in_sizeofpack {
template <class... T> constexpr int total() {
    return (sizeof(T) + ... + 0);
}
template <class... T> struct Args {
    static constexpr constant int n = total<T...>();
};
[[host_name("sizeofpack")]] kernel void sizeofpack(device int *o) {
    o[0] = Args<int, float, float4>::n;
}
}

namespace in_nsfn {
namespace {
    int hidden() {
        return 5;
    }
    constant int hc = 1;
}
static inline int s2() {
    return hc;
}
[[host_name("nsfn")]] kernel void nsfn(device int *o) {
    o[0] = hidden();
    o[1] = s2();
}
}

namespace in_fwd {
int later(int);
struct F;
int useF(thread F &f);
template <class T> T tl(T);
[[host_name("fwd")]] kernel void fwd(device int *o);
struct F {
    int v;
};
int later(int x) {
    return x + 1;
}
int useF(thread F &f) {
    return f.v;
}
template <class T> T tl(T x) {
    return x;
}
[[host_name("fwd")]] kernel void fwd(device int *o) {
    o[0] = later(2);
    F f{4};
    o[1] = useF(f) * tl(1);
}
}

namespace in_defargs {
int f(int a, int b = 2, int c = 3) {
    return a + b + c;
}
template <class T = int, int N = 3> T g(T x = N) {
    return x;
}
[[host_name("defargs")]] kernel void defargs(device int *o) {
    o[0] = f(1);
    o[1] = g();
}
}

namespace in_usingalias {
template <class T> using Ptr = device T *;
template <class T, int N> using V = vec<T, N>;
using F4 = V<float, 4>;
typedef struct {
    int q;
}
Anon;
typedef enum { QA = 4 } En;
[[host_name("usingalias")]] kernel void usingalias(device int *o) {
    Ptr<int> p = o;
    F4 v(3);
    p[0] = int(v.x + v.y + v.z + v.w);
    Anon a{QA};
    o[1] = a.q;
}
}
