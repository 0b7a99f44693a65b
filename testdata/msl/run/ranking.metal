// launch ranked
// buffer 0: zero 96
// want 0: i32 2 2 2 1 1 2 2 2 1 2 2 1 2 1 2 2 1 2 1 2 1 0 0 0
#include <metal_stdlib>
using namespace metal;

struct S {
    int x;
};
template <typename T> struct dual {
    T v, d;
};
struct Root {
    int a;
};
struct Middle : Root {
    int b;
};
struct Leaf : Middle {
    int c;
};

// Partial ordering decides between templates that take the argument by value and by reference.
template <typename T> int generic(T) { return 1; }
template <typename T> int generic(const thread dual<T> &) { return 2; }
template <typename T, typename U> int first(T, U) { return 1; }
template <typename T> int first(const thread dual<T> &, T) { return 2; }
template <typename T, typename U> int same(T, U) { return 1; }
template <typename T> int same(const thread T &, T) { return 2; }
template <typename T> int pack(const thread T &) { return 1; }
template <typename... T> int pack(T...) { return 2; }

// A function is preferred to a template, however either takes its argument.
int plain(const thread S &) { return 1; }
template <typename T> int plain(T) { return 2; }
template <typename T> int other(const thread T &) { return 1; }
int other(S) { return 2; }

// Another argument decides where one is a tie.
int second(S, long) { return 1; }
int second(const thread S &, int) { return 2; }

// A reference that adds fewer qualifiers is preferred to another reference.
int fewer(const thread S &) { return 1; }
int fewer(thread S &) { return 2; }
int pointer(const thread int *) { return 1; }
int pointer(thread int *const thread &) { return 2; }
int bounds(const thread int (&)[2]) { return 1; }
int bounds(const thread int *) { return 2; }

// The nearest base is preferred, by value or by reference.
int nearest(thread Root &) { return 1; }
int nearest(const thread Middle &) { return 2; }
int nearest(thread Root *) { return 1; }
int nearest(const thread Middle *) { return 2; }
int value(const thread Root &) { return 1; }
int value(Middle) { return 2; }
int address(thread void *) { return 1; }
int address(const thread Root *) { return 2; }

// The object of a member operator is bound like a reference.
struct Number {
    int v;
    int operator+(Number) { return 1; }
    int operator-(Number) const { return 1; }
};
int operator+(const thread Number &, Number) { return 2; }
int operator-(thread Number &, Number) { return 2; }

kernel void ranked(device int *o) {
    dual<int> d = {1, 2};
    const dual<int> fixed = {3, 4};
    S s = {5};
    const S t = {6};
    Leaf leaf = {};
    Number n = {7};
    const Number m = {8};
    int a[2] = {9, 10};
    thread int *p = a;
    o[0] = generic(d);
    o[1] = generic(fixed);
    o[2] = generic(dual<int>{5, 6});
    o[3] = generic(s);
    o[4] = first(s, 1);
    o[5] = first(d, 1);
    o[6] = first(fixed, 1);
    o[7] = same(s, s);
    o[8] = same(s, d);
    o[9] = other(s);
    o[10] = other(t);
    o[11] = plain(s);
    o[12] = second(s, 1);
    o[13] = pack(s);
    o[14] = fewer(s);
    o[15] = pointer(p);
    o[16] = bounds(a);
    o[17] = nearest(leaf);
    o[18] = n + m;
    o[19] = n - m;
    o[20] = m - n;
    o[21] = nearest(&leaf) - 2;
    o[22] = value(leaf) - 2;
    o[23] = address(&leaf) - 2;
}
