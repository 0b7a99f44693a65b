//--- a bracket that nothing opened
void f(int a) { a = 1; ) /* ERROR E0302 "expected an expression, found ')'" */ a = 2; }
//--- a brace too many
void f() { } } /* ERROR E0307 "extraneous closing '}'" */
int g();
//--- a brace that nothing closes
void f() { if (true) { /* ERROR LINE E0307 "expected '}' to end the block, found end of file" */
//--- a bracket of an index that nothing closes
void f(device int *p) { p[1 = 2; /* ERROR E0301 "expected ']' after the index, found ';'" */ }
//--- a parameter list that nothing closes
void f(int a { /* ERROR E0301 "expected ')' after the parameters, found '{'" */ a = 1; }
int g();
//--- template arguments that nothing closes
template <typename T struct /* ERROR E0301 "expected '>' to close the template arguments, found 'struct'" */ S { T a; };
//--- template arguments with a comparison
template <int N> struct S { int a; };
void f() { S<1 >  /* ERROR E0301 "expected ';' after expression" */0> s; }
//--- an attribute that nothing closes
kernel void k(device int *p [[buffer(0)) /* ERROR E0301 "expected ']' after the attributes, found ')'" */ {}
int f();
//--- an attribute without a name
kernel void k(device int *p [[]]) {}
kernel void j(device int *p [[( /* ERROR E0304 "expected the name of an attribute, found '('" */0)]]) {}
//--- an operator without a second operand
int f(int a) { return a *; /* ERROR E0302 "expected an expression, found ';'" */ }
//--- an operator twice
int f(int a) { return a * / /* ERROR E0302 "expected an expression, found '/'" */ a; }
//--- a comma at the end of the arguments
int g(int a);
int f(int a) { return g(a,) /* ERROR E0302 "expected an expression after ',', found ')'" */; }
//--- else without if
void f(int a) { else /* ERROR E0306 "'else' without a previous 'if'" */ a = 1; }
//--- two elses
void f(int a) { if (a) a = 1; else a = 2; else /* ERROR E0306 "'else' without a previous 'if'" */ a = 3; }
//--- if without parentheses
void f(int a) { if a /* ERROR E0301 "expected '(' after 'if', found 'a'" */ > 0 a = 1; }
//--- for with two parts
void f() { for (int i = 0; i < 3) /* ERROR E0301 "expected ';' after the condition of 'for', found ')'" */ {} }
//--- for with four parts
void f() { for (int i = 0; i < 3; i++; /* ERROR E0301 "expected ')' after the header of 'for', found ';'" */ i++) {} }
//--- while without a condition
void f() { while () /* ERROR E0302 "expected an expression, found ')'" */ {} }
//--- do without while
void f(int a) { do { a--; } a /* ERROR E0301 "expected 'while' after the body of 'do', found 'a'" */ = 1; }
//--- case without a colon
void f(int a) { switch (a) { case 1 break /* ERROR E0301 "expected ':' after the case, found 'break'" */; } }
//--- case without a value
void f(int a) { switch (a) { case: /* ERROR E0302 "expected an expression, found ':'" */ break; } }
//--- a type as a statement
void f() { int; /* ERROR E0301 "expected '(' or '{' after the type, found ';'" */ }
//--- a declaration in a condition without a value
void f() { if (int a /* ERROR E0301 "expected '(' or '{' after the type, found 'a'" */) {} }
//--- a reserved word as a name
void f() { int class /* ERROR E0304 "expected a name, found 'class'" */ = 1; }
//--- an assignment to a type
void f() { int = /* ERROR E0301 "expected '(' or '{' after the type, found '='" */ 1; }
//--- a struct in a parameter list
void f(struct /* ERROR E0312 "a type cannot be defined here" */ { int a; } s) {}
//--- a member access without a name
struct S { int a; };
int f(S s) { return s.; /* ERROR E0304 "expected the name of a member, found ';'" */ }
//--- an initializer list that nothing closes
void f() { int a[2] = {1, 2; /* ERROR E0301 "expected '}' to end the initializer list, found ';'" */ }
//--- a designator without a value
struct S { int a; };
void f() { S s = {.a} /* ERROR E0301 "expected '=' after the designated member, found '}'" */; }
//--- a template without parameters
template struct /* ERROR E0318 "explicit template instantiation cannot have a definition" */ S { int a; };
//--- a template of a variable declaration without a name
template <typename T> int /* ERROR E0318 "only classes, functions, variables and aliases can be templates" */;
//--- using without a target
using T =; /* ERROR E0303 "expected a type, found ';'" */
//--- namespace in a function
void f() { namespace /* ERROR E0312 "namespaces can only be defined in global or namespace scope" */ n { int a; } }
//--- four mistakes far apart
int f(int a) { return (a; /* ERROR E0301 "expected ')' after the expression, found ';'" */ }
int g(int a) { return a + ; /* ERROR E0302 "expected an expression, found ';'" */ }
struct S { int a  /* ERROR E0301 "expected ';' after declaration" */int b; };
kernel void k(device int *p [[buffer(0)]]) { p[0] = ; /* ERROR E0302 "expected an expression, found ';'" */ }
