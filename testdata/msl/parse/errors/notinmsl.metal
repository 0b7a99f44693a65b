//--- goto
void f(int a) {
    goto /* ERROR E0310 "labels and 'goto' are not allowed in the Metal Shading Language" */ out;
out /* ERROR E0310 "labels and 'goto' are not allowed in the Metal Shading Language" */:
    a = 1;
}
//--- exceptions
void f(int a) {
    try /* ERROR E0310 "exceptions are not allowed in the Metal Shading Language" */ { a = 1; } catch (int e) { a = 2; } catch (...) {}
    throw /* ERROR E0310 "exceptions are not allowed in the Metal Shading Language" */ 3;
    throw /* ERROR E0310 "exceptions are not allowed in the Metal Shading Language" */;
    a = 3;
}
void g() throw /* ERROR E0310 "exceptions are not allowed in the Metal Shading Language" */ (int);
void h() try /* ERROR E0310 "exceptions are not allowed in the Metal Shading Language" */ { } catch (...) { }
int after;
//--- memory
void f(int n) {
    thread int *a = new /* ERROR E0310 "'new' and 'delete' are not allowed in the Metal Shading Language" */ int[n];
    auto b = ::new /* ERROR E0310 "'new' and 'delete' are not allowed in the Metal Shading Language" */ float(3);
    delete /* ERROR E0310 "'new' and 'delete' are not allowed in the Metal Shading Language" */ a;
    delete /* ERROR E0310 "'new' and 'delete' are not allowed in the Metal Shading Language" */[] a;
    n = 1;
}
//--- virtual
struct S : virtual /* ERROR E0310 "virtual functions and bases are not allowed in the Metal Shading Language" */ T {
    virtual /* ERROR E0310 "virtual functions and bases are not allowed in the Metal Shading Language" */ void f();
    void g() = /* ERROR E0310 "virtual functions and bases are not allowed in the Metal Shading Language" */ 0;
};
//--- types at run time
void f(thread int *a) {
    auto b = typeid /* ERROR E0310 "'typeid' is not allowed in the Metal Shading Language" */(int);
    auto c = dynamic_cast /* ERROR E0310 "'dynamic_cast' is not allowed in the Metal Shading Language" */<thread float *>(a);
}
//--- storage
thread_local /* ERROR E0310 "'thread_local' is not allowed in the Metal Shading Language" */ int a;
void f(register /* ERROR E0310 "'register' is not allowed in the Metal Shading Language" */ int a) { register /* ERROR E0310 "'register' is not allowed in the Metal Shading Language" */ int b; }
//--- pointers to members
struct S { int a; };
int S /* ERROR E0310 "pointers to members are not allowed in the Metal Shading Language" */ ::*p;
int f(S s) { return s .* /* ERROR E0310 "pointers to members are not allowed in the Metal Shading Language" */ p; }
//--- assembly
asm /* ERROR E0310 "inline assembly is not allowed in the Metal Shading Language" */ ("nop");
void f(int a) { asm /* ERROR E0310 "inline assembly is not allowed in the Metal Shading Language" */ volatile ("nop"); a = 1; }
//--- others
float operator "" /* ERROR E0310 "literal operators are not allowed in the Metal Shading Language" */_x (float a);
export /* ERROR E0310 "'export' is not allowed in the Metal Shading Language" */ int a;
void f() { auto l = []< /* ERROR E0310 "template parameters of lambdas are not allowed in the Metal Shading Language" */ typename T>(T t) { return t; }; }
struct E { enum class G { a }; using enum /* ERROR E0310 "'using enum' is not allowed in the Metal Shading Language" */ E::G; };
void (^ /* ERROR E0310 "blocks are not allowed in the Metal Shading Language" */ block)(int);
