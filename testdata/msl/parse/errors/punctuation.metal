//--- missing semicolon behind an expression
void f(int a) {
    a = 1 /* ERROR E0301 "expected ';' after expression" */
    a = 2;
}
//--- missing semicolon behind a declaration
constant int a = 0 /* ERROR E0301 "expected ';' after declaration" */
constant int b = 0;
//--- missing semicolon behind a struct
struct S { int a; } /* ERROR E0301 "expected ';' after declaration" */
kernel void k() {}
//--- missing semicolon in a struct
struct S {
    int a /* ERROR E0301 "expected ';' after declaration" */
    int b;
};
void f(S s) { s.a = 1; }
//--- missing semicolon behind return
int f() { return 1 /* ERROR E0301 "expected ';' after return statement" */ }
//--- missing semicolon behind break
void f() { for (;;) { break /* ERROR E0301 "expected ';' after 'break'" */ } }
//--- missing semicolon behind continue
void f() { for (;;) { continue /* ERROR E0301 "expected ';' after 'continue'" */ } }
//--- missing semicolon behind do
void f(int a) { do a++; while (a < 3) /* ERROR E0301 "expected ';' after 'do ... while (...)'" */ }
//--- missing semicolon behind using
using namespace metal /* ERROR E0301 "expected ';' after using directive" */
constant int a = 0;
//--- missing semicolon behind alias
using T = int /* ERROR E0301 "expected ';' after alias" */
void g() {}
using U = T /* ERROR E0301 "expected ';' after alias" */
kernel void k() {}
//--- missing parenthesis of a call
void g(int, int);
void f(int a) {
    g(a, 2; /* ERROR E0301 "expected ')' after the arguments, found ';'" */
    a = 1;
}
//--- two arguments without a comma
void g(int, int);
void f(int a) {
    g(a a /* ERROR E0301 "expected ')' after the arguments, found 'a'" */);
    a = 1;
    g(a, ) /* ERROR E0302 "expected an expression after ',', found ')'" */;
}
//--- missing bracket of an index
void f(device int *p, int a) {
    p[a = 1; /* ERROR E0301 "expected ']' after the index, found ';'" */
    p[2] = 3;
}
//--- missing parenthesis of if
void f(int a) {
    if (a == 1 { /* ERROR E0301 "expected ')' after the condition of 'if', found '{'" */ a = 2; }
    a = 3;
}
//--- no parenthesis of if
void f(int a) {
    if a /* ERROR E0301 "expected '(' after 'if', found 'a'" */ == 1 { a = 2; }
    a = 3;
}
//--- no parenthesis of while
void f(int a) {
    while a /* ERROR E0301 "expected '(' after 'while', found 'a'" */ > 1
        a--;
    a = 3;
}
//--- header of for without semicolons
void f(int n) {
    for (int i = 0, j < n) /* ERROR E0301 "expected '>' to close the template arguments, found ')'" */ { n = 1; }
    n = 2;
}
//--- header of for with a missing part
void f(int n) {
    for (int i = 0; i < n) /* ERROR E0301 "expected ';' after the condition of 'for', found ')'" */ { n = 1; }
    n = 2;
}
//--- case without a colon
void f(int n) {
    switch (n) { case 1 n /* ERROR E0301 "expected ':' after the case, found 'n'" */ = 2; break; default: n = 3; }
    n = 4;
}
//--- conditional without a colon
int f(int n) { return n ? 1; /* ERROR E0301 "expected ':' in the conditional expression, found ';'" */ }
//--- unclosed block
void f() {
    int a; /* ERROR E0307 "expected '}' to end the block, found end of file" */
//--- unclosed namespace
namespace n {
int a; /* ERROR E0307 "expected '}' to end the namespace, found end of file" */
//--- brace too many
void f() {}
} /* ERROR E0307 "extraneous closing '}'" */
constant int a = 0;
//--- parenthesis too many
void f(int a) {
    a = (1)) /* ERROR E0301 "expected ';' after expression" */;
    a = 2;
}
//--- unclosed template arguments
template <typename T> struct S {};
S<int a /* ERROR E0301 "expected '>' to close the template arguments, found 'a'" */;
constant int b = 0;
//--- cast without brackets
int f(float x) { return static_cast( /* ERROR E0301 "expected '<' after the cast, found '('" */ x); }
//--- a comma behind the last one of a list
void f(int a,) /* ERROR E0303 "expected a parameter, found ')'" */;
template <typename T,> /* ERROR E0303 "expected a template parameter, found '>'" */ struct S {};
void g(int a) { [](int b,) /* ERROR E0303 "expected a parameter, found ')'" */ { return b; }(a); }
struct P { int x; };
void h(P p) { auto [x, ] /* ERROR E0304 "expected a name, found ']'" */ = p; }
