//--- no type
x /* ERROR E0305 "'x' begins no declaration" */ = 3;
constant int y = 0;
//--- no type behind a specifier
static a /* ERROR E0303 "'a' is declared without a type" */ = 3;
constant b /* ERROR E0303 "'b' is declared without a type" */ = 3;
const /* ERROR E0319 "declaration does not declare anything" */;
//--- a function without a type
f /* ERROR E0303 "'f' is declared without a type" */(int x) { x = 1; }
kernel g /* ERROR E0303 "'g' is declared without a type" */() {}
constant int y = 0;
//--- no name
int = /* ERROR E0304 "expected a name, found '='" */ 3;
int *; /* ERROR E0304 "expected a name, found ';'" */
int a, ; /* ERROR E0304 "expected a name, found ';'" */
int 3 /* ERROR E0304 "expected a name, found '3'" */;
//--- a statement in the file
if /* ERROR E0305 "'if' begins no declaration" */ (true) { int x; }
constant int y = 0;
for /* ERROR E0305 "'for' begins no declaration" */ (int i = 0; i < 3; i++) { int x; }
return /* ERROR E0305 "'return' begins no declaration" */ 3;
+ /* ERROR E0305 "'+' begins no declaration" */ 3;
kernel void k() {}
//--- nothing declared
int /* ERROR E0319 "declaration does not declare anything" */;
//--- nothing declared by words
int /* ERROR E0319 "declaration does not declare anything" */;
struct S { float /* ERROR E0319 "declaration does not declare anything" */; };
//--- two types
int float /* ERROR E0311 "cannot combine 'float' with the previous type" */ a;
long char /* ERROR E0311 "cannot combine 'char' with the previous type" */ b;
unsigned signed /* ERROR E0311 "cannot combine 'signed' with the previous type" */ c;
short long /* ERROR E0311 "cannot combine 'long' with the previous type" */ d;
long long long /* ERROR E0311 "cannot combine 'long' with the previous type" */ e;
unsigned float /* ERROR E0311 "cannot combine 'float' with the previous type" */ f;
float4 int /* ERROR E0311 "cannot combine 'int' with previous type specifier" */ g;
//--- two address spaces
device threadgroup /* ERROR E0311 "multiple address spaces specified for type: 'threadgroup' follows 'device'" */ int *a;
struct S { void f() device constant /* ERROR E0311 "multiple address spaces specified for type: 'constant' follows 'device'" */; };
//--- a specifier twice
static static /* ERROR E0311 "duplicate 'static' declaration specifier" */ int a;
kernel fragment /* ERROR E0311 "multiple stages specified for function: 'fragment' follows 'kernel'" */ void f();
//--- a specifier out of place
void f(static /* ERROR E0312 "'static' is not allowed here" */ int a);
using T = constexpr /* ERROR E0312 "'constexpr' is not allowed here" */ int;
void g() { int a = sizeof(static /* ERROR E0302 "expected an expression, found 'static'" */ int); }
void h(int a) { namespace /* ERROR E0312 "namespaces can only be defined in global or namespace scope" */ n { int b; } a = 1; }
//--- a type defined out of place
void f(struct /* ERROR E0312 "a type cannot be defined here" */ S { int a; } s);
//--- impossible declarators
int &*a /* ERROR E0315 "cannot declare a pointer to a reference" */;
//--- pointer to a reference
int &* /* ERROR E0315 "cannot declare a pointer to a reference" */ a = 0;
int &a[3]; /* ERROR E0315 "cannot declare an array of references" */
void f(int a /* ERROR E0315 "parameter declarator cannot be qualified" */::b);
typedef int a /* ERROR E0315 "typedef declarator cannot be qualified" */::b;
struct S { int operator /* ERROR E0315 "conversion function or destructor cannot have a return type" */ float (); };
//--- a conversion with a result
struct S { int operator /* ERROR E0315 "conversion function or destructor cannot have a return type" */ float(); void ~ /* ERROR E0315 "conversion function or destructor cannot have a return type" */ S(); };
//--- initializers
typedef int T = /* ERROR E0316 "a typedef cannot have an initializer" */ 3;
struct S { int a( 3 /* ERROR E0303 "expected a parameter, found '3'" */); };
void f() = /* ERROR E0316 "a function cannot have an initializer" */ 3;
int x = ; /* ERROR E0302 "expected an expression, found ';'" */
//--- bodies
typedef void F() { /* ERROR E0320 "function definition declared 'typedef'" */ }
int a, f() { /* ERROR E0320 "function definition must be the only declarator" */ return 1; }
void g() : /* ERROR E0320 "only constructors take base and member initializers" */ a(3) {}
void h(int a) { int g() { /* ERROR E0320 "function definition is not allowed here" */ return 1; } a = 1; }
//--- classes
struct; /* ERROR E0304 "expected a name or '{' after 'struct', found ';'" */
struct S : { /* ERROR E0303 "expected a base class, found '{'" */ int a; };
struct T : int /* ERROR E0303 "expected a base class, found 'int'" */ { int a; };
struct U { public int /* ERROR E0301 "expected ':' after the access specifier, found 'int'" */ a; };
struct V { int a; foo /* ERROR E0305 "'foo' begins no declaration" */( ); int b; };
struct W { W() : { /* ERROR E0304 "expected a member or base class to initialize, found '{'" */} };
struct X { X() : a {} int /* ERROR E0301 "expected '{' to begin the body of the function, found 'int'" */ a; };
//--- enumerations
enum; /* ERROR E0304 "expected a name or '{' after 'enum', found ';'" */
enum E { 3 /* ERROR E0301 "expected '}' to end the enumeration, found '3'" */ };
enum F { a b /* ERROR E0301 "expected '}' to end the enumeration, found 'b'" */ };
enum class G : { /* ERROR E0303 "expected the underlying type, found '{'" */ h };
//--- parameters
void f(3 /* ERROR E0303 "expected a parameter, found '3'" */);
void g(int a, , /* ERROR E0303 "expected a parameter, found ','" */ int b);
void h(int a int /* ERROR E0301 "expected ')' after the parameters, found 'int'" */ b);
kernel void k(device float *a [[buffer(0)]] constant /* ERROR E0301 "expected ')' after the parameters, found 'constant'" */ int &b) { a[0] = b; }
void i(int a) { a = 1; }
//--- attributes
kernel void f(device int *a [[buffer(0] /* ERROR E0301 "expected ')' after the arguments of the attribute, found ']'" */]) {}
constant int b = 0;
[[3 /* ERROR E0304 "expected the name of an attribute, found '3'" */]] int c;
int d [[a 3 /* ERROR E0301 "expected ']' after the attributes, found '3'" */]];
__attribute__(3 /* ERROR E0301 "expected '(' after '__attribute__(', found '3'" */) int e;
constant int g = 0;
//--- using
using; /* ERROR E0304 "expected a name, found ';'" */
using namespace 3 /* ERROR E0304 "expected a name, found '3'" */;
using T = ; /* ERROR E0303 "expected a type, found ';'" */
namespace = /* ERROR E0301 "expected '{' to begin the namespace, found '='" */ 3;
namespace a = ; /* ERROR E0304 "expected a name, found ';'" */
constant int b = 0;
//--- specifiers of members outside a class
friend /* ERROR E0312 "'friend' is not allowed here" */ int a();
mutable /* ERROR E0312 "'mutable' is not allowed here" */ int b;
explicit /* ERROR E0312 "'explicit' is not allowed here" */ int c();
struct S { mutable int a; explicit S(int); friend int d(); };
//--- a stage of a variable
kernel /* ERROR E0312 "'kernel' can only appear on functions" */ int a;
void f(int a) { vertex /* ERROR E0312 "'vertex' can only appear on functions" */ int b = 1; a = b; }
//--- constant references
int & const /* ERROR E0315 "'const' and 'volatile' qualifiers may not be applied to a reference" */ a = b;
void f(device int & volatile /* ERROR E0315 "'const' and 'volatile' qualifiers may not be applied to a reference" */ a);
//--- results behind the parameters
int f /* ERROR E0315 "function with trailing return type must specify return type 'auto'" */() -> int;
auto g() -> int;
//--- a constructor with a result
struct S { int S /* ERROR E0315 "constructor cannot have a return type" */(); };
//--- a structured binding of nothing
void f() { auto [a, b] /* ERROR E0316 "structured binding requires an initializer" */; }
//--- a second declarator with a type
void f() { int x = 1, float /* ERROR E0304 "expected a name, found 'float'" */ y; }
//--- operators without a type
operator /* ERROR E0303 "a type specifier is required for all declarations" */!;
operator /* ERROR E0303 "'operator+' is declared without a type" */+(int a);
//--- a structured binding without names
void f() { auto [ template /* ERROR E0304 "expected a name, found 'template'" */ a, b] /* ERROR E0316 "structured binding requires an initializer" */; }
void g() { int p[2] = {1, 2}; auto [] /* ERROR E0304 "expected a name, found ']'" */ = p; }
