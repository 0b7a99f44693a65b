//--- no type
x /* ERROR E0305 "'x' begins no declaration" */ = 3;
int y;
//--- no type behind a specifier
static a /* ERROR E0303 "'a' is declared without a type" */ = 3;
constant b /* ERROR E0303 "'b' is declared without a type" */ = 3;
const /* ERROR E0319 "declaration does not declare anything" */;
//--- a function without a type
f /* ERROR E0303 "'f' is declared without a type" */(int x) { x = 1; }
kernel g /* ERROR E0303 "'g' is declared without a type" */() {}
int y;
//--- no name
int = /* ERROR E0304 "expected a name, found '='" */ 3;
int *; /* ERROR E0304 "expected a name, found ';'" */
int a, ; /* ERROR E0304 "expected a name, found ';'" */
int 3 /* ERROR E0304 "expected a name, found '3'" */;
//--- a statement in the file
if /* ERROR E0305 "'if' begins no declaration" */ (true) { int x; }
int y;
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
int float /* ERROR E0311 "'float' does not go with the type before it" */ a;
long char /* ERROR E0311 "'char' does not go with the type before it" */ b;
unsigned signed /* ERROR E0311 "'signed' does not go with the type before it" */ c;
short long /* ERROR E0311 "'long' does not go with the type before it" */ d;
long long long /* ERROR E0311 "'long' does not go with the type before it" */ e;
unsigned float /* ERROR E0311 "'float' does not go with the type before it" */ f;
float4 int /* ERROR E0311 "two types in one declaration: 'int' follows another" */ g;
//--- two address spaces
device threadgroup /* ERROR E0311 "two address spaces in one type: 'threadgroup' follows 'device'" */ int *a;
struct S { void f() device constant /* ERROR E0311 "two address spaces in one type: 'constant' follows 'device'" */; };
//--- a specifier twice
static static /* ERROR E0311 "'static' is given twice" */ int a;
kernel fragment /* ERROR E0311 "two stages for one function: 'fragment' follows 'kernel'" */ void f();
//--- a specifier out of place
void f(static /* ERROR E0312 "'static' has no place here" */ int a);
using T = constexpr /* ERROR E0312 "'constexpr' has no place here" */ int;
void g() { int a = sizeof(static /* ERROR E0302 "expected an expression, found 'static'" */ int); }
void h(int a) { namespace /* ERROR E0312 "a namespace stands only in the file or in another namespace" */ n { int b; } a = 1; }
//--- a type defined out of place
void f(struct /* ERROR E0312 "a type cannot be defined here" */ S { int a; } s);
//--- impossible declarators
int &*a /* ERROR E0315 "there are no pointers to references" */;
//--- pointer to a reference
int &* /* ERROR E0315 "there are no pointers to references" */ a = 0;
int &a[3]; /* ERROR E0315 "there are no arrays of references" */
void f(int a /* ERROR E0315 "the name of a parameter must be a plain one" */::b);
typedef int a /* ERROR E0315 "the name of a typedef must be a plain one" */::b;
struct S { int operator /* ERROR E0315 "a conversion function or destructor is declared without a result" */ float (); };
//--- a conversion with a result
struct S { int operator /* ERROR E0315 "a conversion function or destructor is declared without a result" */ float(); void ~ /* ERROR E0315 "a conversion function or destructor is declared without a result" */ S(); };
//--- initialisers
typedef int T = /* ERROR E0316 "a typedef has no initialiser" */ 3;
struct S { int a( 3 /* ERROR E0303 "expected a parameter, found '3'" */); };
void f() = /* ERROR E0316 "a function has no initialiser" */ 3;
int x = ; /* ERROR E0302 "expected an expression, found ';'" */
//--- bodies
typedef void F() { /* ERROR E0320 "a typedef has no function body" */ }
int a, f() { /* ERROR E0320 "a function body stands behind the only declarator" */ return 1; }
void g() : /* ERROR E0320 "only a constructor has initialisers" */ a(3) {}
void h(int a) { int g() { /* ERROR E0320 "a function cannot be defined in a block" */ return 1; } a = 1; }
//--- classes
struct; /* ERROR E0304 "expected a name or '{' behind 'struct', found ';'" */
struct S : { /* ERROR E0303 "expected a base class, found '{'" */ int a; };
struct T : int /* ERROR E0303 "expected a base class, found 'int'" */ { int a; };
struct U { public int /* ERROR E0301 "expected ':' behind the access specifier, found 'int'" */ a; };
struct V { int a; foo /* ERROR E0305 "'foo' begins no declaration" */( ); int b; };
struct W { W() : { /* ERROR E0304 "expected a member or base class to initialise, found '{'" */} };
struct X { X() : a {} int /* ERROR E0301 "expected '{' to begin the body of the function, found 'int'" */ a; };
//--- enumerations
enum; /* ERROR E0304 "expected a name or '{' behind 'enum', found ';'" */
enum E { 3 /* ERROR E0301 "expected '}' to end the enumeration, found '3'" */ };
enum F { a b /* ERROR E0301 "expected '}' to end the enumeration, found 'b'" */ };
enum class G : { /* ERROR E0303 "expected the underlying type, found '{'" */ h };
//--- parameters
void f(3 /* ERROR E0303 "expected a parameter, found '3'" */);
void g(int a, , /* ERROR E0303 "expected a parameter, found ','" */ int b);
void h(int a int /* ERROR E0301 "expected ')' behind the parameters, found 'int'" */ b);
kernel void k(device float *a [[buffer(0)]] constant /* ERROR E0301 "expected ')' behind the parameters, found 'constant'" */ int &b) { a[0] = b; }
void i(int a) { a = 1; }
//--- attributes
kernel void f(device int *a [[buffer(0] /* ERROR E0301 "expected ')' behind the arguments of the attribute, found ']'" */]) {}
int b;
[[3 /* ERROR E0304 "expected the name of an attribute, found '3'" */]] int c;
int d [[a 3 /* ERROR E0301 "expected ']' behind the attributes, found '3'" */]];
__attribute__(3 /* ERROR E0301 "expected '(' behind '__attribute__(', found '3'" */) int e;
int g;
//--- using
using; /* ERROR E0304 "expected a name, found ';'" */
using namespace 3 /* ERROR E0304 "expected a name, found '3'" */;
using T = ; /* ERROR E0303 "expected a type, found ';'" */
namespace = /* ERROR E0301 "expected '{' to begin the namespace, found '='" */ 3;
namespace a = ; /* ERROR E0304 "expected a name, found ';'" */
int b;
//--- specifiers of members outside a class
friend /* ERROR E0312 "'friend' has no place here" */ int a();
mutable /* ERROR E0312 "'mutable' has no place here" */ int b;
explicit /* ERROR E0312 "'explicit' has no place here" */ int c();
struct S { mutable int a; explicit S(int); friend int d(); };
//--- a stage of a variable
kernel /* ERROR E0312 "'kernel' goes with functions only" */ int a;
void f(int a) { vertex /* ERROR E0312 "'vertex' goes with functions only" */ int b = 1; a = b; }
//--- constant references
int & const /* ERROR E0315 "a reference cannot be const or volatile" */ a = b;
void f(device int & volatile /* ERROR E0315 "a reference cannot be const or volatile" */ a);
//--- results behind the parameters
int f /* ERROR E0315 "must be declared 'auto'" */() -> int;
auto g() -> int;
//--- a constructor with a result
struct S { int S /* ERROR E0315 "a constructor is declared without a result" */(); };
//--- a structured binding of nothing
void f() { auto [a, b] /* ERROR E0316 "a structured binding needs an initialiser" */; }
//--- a second declarator with a type
void f() { int x = 1, float /* ERROR E0304 "expected a name, found 'float'" */ y; }
//--- operators without a type
operator /* ERROR E0303 "a declaration needs a type" */!;
operator /* ERROR E0303 "'operator+' is declared without a type" */+(int a);
