//--- else without if
void f(int a) {
    else /* ERROR E0306 "'else' without a previous 'if'" */ a = 2;
    a = 3;
}
//--- no statement
void f(int a) {
    if (a) } /* ERROR E0306 "expected a statement, found '}'" */
constant int b = 0;
//--- attributes of nothing
void f(int a) { [[likely]] } /* ERROR E0306 "expected a statement after the attributes, found '}'" */
//--- do without while
void f(int a) { do a++; a /* ERROR E0301 "expected 'while' after the body of 'do', found 'a'" */ = 3; a = 4; }
//--- recovery at a line
void f(int a, int b) {
    a = b + *
    for /* ERROR E0302 "expected an expression, found 'for'" */ (int i = 0; i < a; i++) { b = i +; /* ERROR E0302 "expected an expression, found ';'" */ }
    if (a == ) /* ERROR E0302 "expected an expression, found ')'" */ { b = 2; }
    while (a b /* ERROR E0301 "expected ')' after the condition of 'while', found 'b'" */) { b = 3; }
    do { a = ; /* ERROR E0302 "expected an expression, found ';'" */ } while (a);
    switch (a) { case : /* ERROR E0302 "expected an expression, found ':'" */ b = 1; default b /* ERROR E0301 "expected ':' after 'default', found 'b'" */ = 2; }
    int c = 3 /* ERROR E0301 "expected ';' after declaration" */
        a = 4;
}
//--- recovery between functions
void f(int a) { a = 1 /* ERROR E0301 "expected ';' after expression" */ }
void g(int a { /* ERROR E0301 "expected ')' after the parameters, found '{'" */ a = 1; }
void h(int a) { a = 1 /* ERROR E0301 "expected ';' after expression" */ 2; }
//--- switch of nothing
void f(int a) { switch { /* ERROR E0301 "expected '(' after 'switch', found '{'" */ case 1: a = 1; } a = 2; }
//--- for of nothing
void f(int a) { for { /* ERROR E0301 "expected '(' after 'for', found '{'" */ a = 1; } a = 2; }
//--- a member of a class
struct S {
    void f(int a) { a = ; /* ERROR E0302 "expected an expression, found ';'" */ }
    void g(int a) { a = 1 + ; /* ERROR E0302 "expected an expression, found ';'" */ }
    int a /* ERROR E0301 "expected ';' after declaration" */ b;
    int c;
};
//--- a range's variable without a type
void f() {
  int a[2] = {1, 2};
  for (device & /* ERROR E0303 "expected the type of the range's variable, found '&'" */ i : a) i = 1;
}
