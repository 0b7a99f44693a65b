#include <metal_stdlib>
using namespace metal;

class Counter {
    int n = 0;
    int bump() { return ++n; }
    static constant constexpr int limit = 9;

public:
    int next() { return bump(); }
    int peek(const thread Counter &other) const { return other.n; }
    struct Reader {
        int read(thread Counter &c) { return c.n; }
    };

protected:
    int shared = 1;
};

struct Better : Counter {
    int twice() { return shared * 2; }
};

struct Sealed {
private:
    Sealed(int) {}

public:
    static Sealed make() { return Sealed(1); }
    friend int look(Sealed s) { return s.v; }

private:
    int v = 4;
};

// Who the friends of a class are that are declared elsewhere is not followed up.
class Open {
    int v = 1;
    friend struct Elsewhere;
};

kernel void outside(device int *o [[buffer(0)]]) {
    Counter c;
    o[0] = c.next();
    o[1] = c.n /* ERROR "'n' is a private member of 'Counter'" */;
    o[2] = c.bump /* ERROR "'bump' is a private member of 'Counter'" */ ();
    o[3] = Counter::limit /* ERROR "'limit' is a private member of 'Counter'" */;
    Better b;
    o[4] = b.twice();
    o[5] = b.shared /* ERROR "'shared' is a protected member of 'Counter'" */;
    Sealed s = Sealed::make();
    o[6] = look(s);
    Sealed /* ERROR "'constructor' is a private member of 'Sealed'" */ t(3);
    Open open;
    o[7] = open.v;
    Counter::Reader r;
    o[8] = r.read(c) + c.peek(c);
}
