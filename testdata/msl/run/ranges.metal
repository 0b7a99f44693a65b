// launch bindfor
// buffer 0: zero 8
// want 0: i32 3 7
// launch bindfor2
// buffer 0: zero 8
// want 0: i32 11 12
// launch rangebe
// buffer 0: zero 8
// want 0: i32 6 5
// launch rangefree
// buffer 0: zero 4
// want 0: i32 3
#include <metal_stdlib>
using namespace metal;

namespace in_bindfor {
struct P {
    int a, b;
};
[[host_name("bindfor")]] kernel void bindfor(device int *o) {
    P ps[2] = {{1, 2}, {3, 4}
};
int i = 0;
for (auto [a, b] : ps) o[i++] = a + b;
}
}

namespace in_bindfor2 {
struct P {
    int a, b;
};
[[host_name("bindfor2")]] kernel void bindfor2(device int *o) {
    P ps[2] = {{1, 2}, {3, 4}
};
for (auto &[a, b] : ps) a += 10;
o[0] = ps[0].a;
o[1] = ps[1].a - 1;
}
}

namespace in_rangebe {
struct Range {
    int lo, hi;
    struct It {
        int v;
        int operator*() const {
            return v;
        }
        thread It &operator++() {
            ++v;
            return *this;
        }
        bool operator!=(It b) const {
            return v != b.v;
        }
    };
    It begin() const {
        return It{lo};
    }
    It end() const {
        return It{hi};
    }
};
struct Buf {
    int a[3];
    thread int *begin() {
        return a;
    }
    thread int *end() {
        return a + 3;
    }
};
[[host_name("rangebe")]] kernel void rangebe(device int *o) {
    int s = 0;
    for (int x : Range{0, 4}) s += x;
    o[0] = s;
    Buf b{{1, 1, 3}
};
s = 0;
for (auto &x : b) s += x;
o[1] = s;
}
}

namespace in_rangefree {
namespace n {
    struct C {
        int a[2];
    };
    thread int *begin(thread C &c) {
        return c.a;
    }
    thread int *end(thread C &c) {
        return c.a + 2;
    }
}
[[host_name("rangefree")]] kernel void rangefree(device int *o) {
    n::C c{{1, 2}
};
int s = 0;
for (int x : c) s += x;
o[0] = s;
}
}
