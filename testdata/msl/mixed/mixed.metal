//--- a wrong type behind a syntax error
void f(int a) {
    a = 1 +; /* ERROR E0302 "expected an expression, found ';'" */
    int z = "text" /* ERROR E1176 "no viable conversion" */;
}
//--- an unknown name before a syntax error
void f(int a) {
    a = missing /* ERROR E1100 "use of undeclared identifier 'missing'" */;
    a = 1 +; /* ERROR E0302 "expected an expression, found ';'" */
}
//--- a missing semicolon loses nothing
struct P { float a; int b /* ERROR E0301 "expected ';' after declaration" */ };
void f(P p) { p.b = 1; p.c /* ERROR E1182 "no member named 'c' in 'P'" */ = 2; }
//--- what is used and was not read
void f(int a, { /* ERROR E0303 "expected a parameter, found '{'" */ return a; }
struct S { int x /* ERROR E0301 "expected ';' after declaration" */ +; int y; };
kernel void k(device int *out) { S s; out[0] = s.x + s.y; f(out[0]); g /* ERROR E1100 "use of undeclared identifier 'g'" */(out[0]); }
//--- a variable that was not read
void f(int a) {
    int b = c /* ERROR E0301 "expected ';' after declaration" */ d;
    a = b;
    a = e /* ERROR E1100 "use of undeclared identifier 'e'" */;
}
//--- too few arguments follow from a missing comma
void g(int a, int b);
void h(int a, int b);
void f(int a) {
    g(a a /* ERROR E0301 "expected ')' after the arguments, found 'a'" */);
    h /* ERROR E1108 "too few arguments to 'h': 1 given, 2 expected" */(a);
}
//--- an error in each of two functions
void f(int a) { a = ; /* ERROR E0302 "expected an expression, found ';'" */ }
float g(float q) { return q.foo /* ERROR E1182 "no member named 'foo' in 'float'" */; }
//--- no warning about a function with a syntax error
int f(int a) { a = ; /* ERROR E0302 "expected an expression, found ';'" */ }
//--- a class that was not read
struct S : { /* ERROR E0303 "expected a base class, found '{'" */ int a; };
void f(thread S &s) { s.a = 1; }
void g(int a) { a = h /* ERROR E1100 "use of undeclared identifier 'h'" */; }
//--- a template that was not read
template <typename T, + /* ERROR E0303 "expected a template parameter, found '+'" */> T f(T a) { return a; }
void g(int a) { a = f(a); a = h /* ERROR E1100 "use of undeclared identifier 'h'" */; }
//--- an enumeration that was not read
enum E { A, B = , /* ERROR E0302 "expected an expression, found ','" */ C };
void g(int a) { a = A + B + C; a = D /* ERROR E1100 "use of undeclared identifier 'D'" */; }
//--- a bracket that is never closed hides what else is wrong
void f(int a) { a = b; /* ERROR E0307 "x" */
//--- warnings beside an error of the syntax
struct Params { uint n; float scale; };
void f(thread float *x, thread Params &p, uint i) {
    int unused = 3;
    if (i =/* WARNING E1307 "'=' as a condition" */ p.n) return;
    x[i] = x[i] * p.scal/* ERROR LINE E1182 "did you mean 'scale'?" */;
    int k = 1.5f/* WARNING LINE E1313 "from 1.5 to 1" */;
    if (k < 3) x[i] = 0 /* ERROR LINE E0301 "expected ';'" */
}
