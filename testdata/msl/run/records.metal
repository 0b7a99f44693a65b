// launch copyctor
// buffer 0: zero 12
// want 0: i32 102 5 1
// launch copyassign
// buffer 0: zero 8
// want 0: i32 12 7
// launch memcopy
// buffer 0: zero 12
// want 0: i32 1 2 3
// launch access
// buffer 0: zero 4
// want 0: i32 3
// launch anon
// buffer 0: zero 16
// want 0: i32 1 2 1 5
// launch inherit
// buffer 0: zero 16
// want 0: i32 1 2 3 4
// launch friends
// buffer 0: zero 8
// want 0: i32 7 12
// launch convop
// buffer 0: zero 12
// want 0: i32 3 1 4
// launch nocopy
// buffer 0: zero 8
// want 0: i32 5 7
// launch packedattr
// buffer 0: zero 16
// want 0: i32 5 3 8 7
// launch indexsplat
// buffer 0: zero 8
// want 0: i32 5 9
// launch fa1
// buffer 0: zero 12
// want 0: i32 5 6 7
// launch crtp
// buffer 0: zero 4
// want 0: i32 6
// launch methodspace
// buffer 0: zero 8
// want 0: i32 1 2
// launch tg1
// buffer 0: zero 8
// want 0: i32 12 3
// launch argstruct
// buffer 0: zero 8
// want 0: i32 3 9
// launch condop
// buffer 0: zero 8
// want 0: i32 3 2
// launch arrowop
// buffer 0: zero 4
// want 0: i32 4
// launch mutablef
// buffer 0: zero 4
// want 0: i32 2
// launch multibase
// buffer 0: zero 8
// want 0: i32 3 1
// launch inheritctor
// buffer 0: zero 4
// want 0: i32 7
// launch delegat
// buffer 0: zero 8
// want 0: i32 8 2
#include <metal_stdlib>
using namespace metal;

namespace in_copyctor {
struct S {
    int v;
    S(int a) : v(a) {
    }
    S(const thread S &s) : v(s.v + 100) {
    }
};
[[host_name("copyctor")]] kernel void copyctor(device int *o) {
    S a(2);
    S b = a;
    o[0] = b.v;
    S c(5);
    o[1] = c.v;
    o[2] = 1;
}
}

namespace in_copyassign {
struct S {
    int v;
    thread S &operator=(const thread S &s) {
        v = s.v + 10;
        return *this;
    }
};
[[host_name("copyassign")]] kernel void copyassign(device int *o) {
    S a{2};
    S b;
    b = a;
    o[0] = b.v;
    S c{7};
    o[1] = c.v;
}
}

namespace in_memcopy {
struct In {
    int v;
    In(int a) : v(a) {
    }
    In(const thread In &s) : v(s.v + 1) {
    }
};
struct Out {
    In a;
    int b;
};
[[host_name("memcopy")]] kernel void memcopy(device int *o) {
    Out x{In(0), 2};
    Out y = x;
    o[0] = y.a.v;
    o[1] = y.b;
    In z(2);
    In w(z);
    o[2] = w.v;
}
}

namespace in_access {
class C {
    int v;
    public: C(int x) : v(x) {
    }
    int get() const {
        return v;
    }
};
[[host_name("access")]] kernel void access(device int *o) {
    C c(3);
    o[0] = c.get();
}
}

namespace in_anon {
struct U {
    union {
        int i;
        float f;
        uint u;
    };
    struct {
        int a, b;
    };
};
[[host_name("anon")]] kernel void anon(device int *o) {
    U x;
    x.f = 1.0f;
    x.a = 1;
    x.b = 2;
    o[0] = x.a;
    o[1] = x.b;
    o[2] = x.u == 0x3f800000;
    U y = {{5}, {1, 2}
};
o[3] = y.i;
}
}

namespace in_inherit {
struct A {
    int a;
    int fa() const {
        return a;
    }
};
struct B {
    int b;
};
struct C : A, B {
    int c;
    int sum() {
        return a + b + c + fa() - a;
    }
};
int ga(const thread A &x) {
    return x.a;
}
int gb(thread B *x) {
    return x->b;
}
[[host_name("inherit")]] kernel void inherit(device int *o) {
    C c;
    c.a = 1;
    c.b = 2;
    c.c = 3;
    o[0] = ga(c);
    o[1] = gb(&c);
    o[2] = c.c;
    o[3] = c.sum() - 2;
    A a = c;
    o[0] = a.fa();
    thread C *p = static_cast<thread C *>(static_cast<thread B *>(&c));
    o[2] = p->c;
}
}

namespace in_friends {
struct V {
    int v;
    friend V operator+(V a, V b) {
        return V{a.v + b.v};
    }
    friend int peek(V a) {
        return a.v;
    }
    template <class T> friend V operator*(V a, T b) {
        return V{a.v * int(b)};
    }
};
[[host_name("friends")]] kernel void friends(device int *o) {
    V a{3}, b{4};
    o[0] = peek(a + b);
    o[1] = (a * 4.0f).v;
}
}

namespace in_convop {
struct H {
    float f;
    operator float() const {
        return f;
    }
    explicit operator bool() const {
        return f != 0;
    }
};
struct W {
    int v;
    operator int() const {
        return v;
    }
    template <class T> explicit operator vec<T, 2>() const {
        return vec<T, 2>(v);
    }
};
[[host_name("convop")]] kernel void convop(device int *o) {
    H h{3.0f};
    float f = h;
    o[0] = int(f);
    if (h) o[1] = 1;
    W w{4};
    o[2] = w;
    int2 z = int2(w);
    o[2] = z.y;
}
}

namespace in_nocopy {
struct S {
    int v;
    S(int a) : v(a) {
    }
    S(const thread S &s) : v(s.v + 100) {
    }
};
S make(int n) {
    S s(n);
    s.v += 2;
    return s;
}
[[host_name("nocopy")]] kernel void nocopy(device int *o) {
    S a = make(3);
    o[0] = a.v;
    S b = S(7);
    o[1] = b.v;
}
}

namespace in_packedattr {
struct __attribute__((packed)) PK { char a; int b; };
struct Q {
    char a;
    int b;
}
__attribute__((packed));
typedef int i2 __attribute__((ext_vector_type(2)));
[[host_name("packedattr")]] kernel void packedattr(device int *o) {
    o[0] = sizeof(PK);
    PK p = {2, 3};
    o[1] = p.b;
    o[2] = sizeof(i2);
    i2 v = i2(3, 4);
    o[3] = v.x + v.y;
}
}

namespace in_indexsplat {
struct R {
    int d[4];
    thread int *operator[](ulong i) {
        return &d[i];
    }
    thread int &operator[](int2 i) {
        return d[i.x];
    }
};
[[host_name("indexsplat")]] kernel void indexsplat(device int *o) {
    R r{{1, 5, 3, 9}
};
o[0] = r[1][0];
o[1] = r[int2(3, 0)];
}
}

namespace in_fa1 {
struct A {
    int x;
    union {
        int i;
        float f;
    };
};
struct B : A {
    using A::x;
    int y;
    B(int a, int b) : A{a, {b}
}
, y(7) {
}
};
[[host_name("fa1")]] kernel void fa1(device int *o) {
    B b(5, 6);
    o[0] = b.x;
    o[1] = b.i;
    o[2] = b.y;
}
}

namespace in_crtp {
template <class D> struct Base {
    int run() {
        return static_cast<thread D *>(this)->impl() * 2;
    }
};
struct D : Base<D> {
    int impl() {
        return 3;
    }
};
[[host_name("crtp")]] kernel void crtp(device int *o) {
    D d;
    o[0] = d.run();
}
}

namespace in_methodspace {
struct S {
    int f() device {
        return 1;
    }
    int f() thread {
        return 2;
    }
    int v;
};
[[host_name("methodspace")]] kernel void methodspace(device int *o) {
    device S *s = (device S *)o;
    S t;
    o[0] = s->f();
    o[1] = t.f();
}
}

namespace in_tg1 {
struct TG {
    float a[4];
    int n;
};
template <typename T, int N> struct Block {
    threadgroup T *p;
    Block(threadgroup T *q) : p(q) {
    }
    void put(int i, T v) {
        p[i] = v;
    }
    T get(int i) const {
        return p[i];
    }
};
[[host_name("tg1")]] kernel void tg1(device int *o) {
    threadgroup TG tg;
    threadgroup int raw[8];
    tg.n = 3;
    tg.a[1] = 4;
    Block<int, 8> b(raw);
    b.put(2, 9);
    o[0] = b.get(2) + tg.n;
    o[1] = int(tg.a[1]) - 1;
}
}

namespace in_argstruct {
struct Args {
    int n;
    float4 v;
    packed_float3 p;
    int arr[2];
};
int use(constant Args &a) {
    return a.n;
}
int use2(Args a) {
    return int(a.v.y) + a.arr[1];
}
[[host_name("argstruct")]] kernel void argstruct(device int *o) {
    Args a = {3, float4(1, 2, 3, 4), packed_float3(1), {6, 7}
};
o[0] = a.n;
o[1] = use2(a);
}
}

namespace in_condop {
struct B {
    bool v;
    explicit operator bool() const {
        return v;
    }
    bool operator!() const {
        return !v;
    }
};
[[host_name("condop")]] kernel void condop(device int *o) {
    B b{true};
    o[0] = b ? 3 : 1;
    o[1] = !b || (b && true) ? 2 : 0;
    while (b) {
        b.v = false;
    }
}
}

namespace in_arrowop {
struct I {
    int v;
};
struct H {
    thread I *p;
    thread I *operator->() {
        return p;
    }
    thread I &operator*() {
        return *p;
    }
};
[[host_name("arrowop")]] kernel void arrowop(device int *o) {
    I i{4};
    H h{&i};
    o[0] = h->v + (*h).v - 4;
}
}

namespace in_mutablef {
struct M {
    mutable int n;
    int get() const {
        return ++n;
    }
};
[[host_name("mutablef")]] kernel void mutablef(device int *o) {
    const M m{1};
    o[0] = m.get();
}
}

namespace in_multibase {
struct A {
    int a = 1;
};
struct B {
    int b = 2;
};
struct C : public A, public B {
    C() {
    }
    int s() {
        return a + b;
    }
};
template <class... Bs> struct All : Bs... {
    int t() {
        return (static_cast<int>(sizeof(Bs)) + ...) / 4;
    }
};
[[host_name("multibase")]] kernel void multibase(device int *o) {
    C c;
    o[0] = c.s();
    All<A, B> x;
    o[1] = x.t() - 1;
}
}

namespace in_inheritctor {
struct A {
    int v;
    A(int x) : v(x) {
    }
};
struct B : A {
    using A::A;
};
[[host_name("inheritctor")]] kernel void inheritctor(device int *o) {
    B b(7);
    o[0] = b.v;
}
}

namespace in_delegat {
struct D {
    int a, b;
    D(int x, int y) : a(x), b(y) {
    }
    D(int x) : D(x, 2) {
    }
};
[[host_name("delegat")]] kernel void delegat(device int *o) {
    D d(8);
    o[0] = d.a;
    o[1] = d.b;
}
}
