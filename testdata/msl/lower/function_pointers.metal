// A function pointer whose target is known when compiling is a plain call: as an argument of a template, through a local, and through a
// parameter of a function that is inlined.
static int twice(int x) { return x * 2; }
static int thrice(int x) { return x * 3; }
template <int (*f)(int)> static int fixed(int x) { return f(x); }
static int through(int (*f)(int), int x) { return f(x); }

kernel void function_pointers(device int *p [[buffer(0)]]) {
    int (*local)(int) = thrice;
    p[0] = fixed<twice>(p[1]);
    p[2] = local(p[3]);
    p[4] = through(twice, p[5]);
}
