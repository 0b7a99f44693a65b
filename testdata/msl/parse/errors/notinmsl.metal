//--- goto
void f(int a) {
    goto /* ERROR E0310 "labels and 'goto' are not supported in Metal" */ out;
out /* ERROR E0310 "labels and 'goto' are not supported in Metal" */:
    a = 1;
}
//--- exceptions
void f(int a) {
    try /* ERROR E0310 "exceptions are not supported in Metal" */ { a = 1; } catch (int e) { a = 2; } catch (...) {}
    throw /* ERROR E0310 "exceptions are not supported in Metal" */ 3;
    throw /* ERROR E0310 "exceptions are not supported in Metal" */;
    a = 3;
}
void g() throw /* ERROR E0310 "exceptions are not supported in Metal" */ (int);
void h() try /* ERROR E0310 "exceptions are not supported in Metal" */ { } catch (...) { }
constant int after = 0;
//--- memory
void f(int n) {
    thread int *a = new /* ERROR E0310 "'new' and 'delete' are not supported in Metal" */ int[n];
    auto b = ::new /* ERROR E0310 "'new' and 'delete' are not supported in Metal" */ float(3);
    delete /* ERROR E0310 "'new' and 'delete' are not supported in Metal" */ a;
    delete /* ERROR E0310 "'new' and 'delete' are not supported in Metal" */[] a;
    n = 1;
}
//--- virtual
struct T {};
struct S : virtual /* ERROR E0310 "virtual functions and bases are not supported in Metal" */ T {
    virtual /* ERROR E0310 "virtual functions and bases are not supported in Metal" */ void f();
    void g() = /* ERROR E0310 "virtual functions and bases are not supported in Metal" */ 0;
};
//--- types at run time
void f(thread int *a) {
    auto b = typeid /* ERROR E0310 "'typeid' is not supported in Metal" */(int);
    auto c = dynamic_cast /* ERROR E0310 "'dynamic_cast' is not supported in Metal" */<thread float *>(a);
}
//--- storage
thread_local /* ERROR E0310 "'thread_local' is not supported in Metal" */ int a;
void f(register /* ERROR E0310 "'register' is not supported in Metal" */ int a) { register /* ERROR E0310 "'register' is not supported in Metal" */ int b; }
//--- pointers to members
struct S { int a; };
int S /* ERROR E0310 "pointers to members are not supported in Metal" */ ::*p;
int f(S s) { return s .* /* ERROR E0310 "pointers to members are not supported in Metal" */ p; }
//--- assembly
asm /* ERROR E0310 "inline assembly is not supported in Metal" */ ("nop");
void f(int a) { asm /* ERROR E0310 "inline assembly is not supported in Metal" */ volatile ("nop"); a = 1; }
//--- others
float operator "" /* ERROR E0310 "literal operators are not supported in Metal" */_x (float a);
export /* ERROR E0310 "'export' is not supported in Metal" */ int a;
void f() { auto l = []< /* ERROR E0310 "template parameters of lambdas are not supported in Metal" */ typename T>(T t) { return t; }; }
struct E { enum class G { a }; using enum /* ERROR E0310 "'using enum' is not supported in Metal" */ E::G; };
void (^ /* ERROR E0310 "blocks are not supported in Metal" */ block)(int);
