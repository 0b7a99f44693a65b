//--- nothing behind an operator
void f(int a) {
    a = a + ; /* ERROR E0302 "expected an expression, found ';'" */
    a = 1;
}
//--- nothing in parentheses
void f(int a) { a = () /* ERROR E0302 "expected an expression, found ')'" */; a = 1; }
//--- nothing behind a cast
void f(int a) { a = (float); /* ERROR E0302 "expected an expression, found ';'" */ }
//--- a keyword as an operand
void f(int a) { a = return /* ERROR E0302 "expected an expression, found 'return'" */ 3; a = 1; }
//--- nothing behind a dot
void f(float4 a) { a. = /* ERROR E0304 "expected the name of a member, found '='" */ 3; a.x = 1; }
//--- a number behind a dot
void f(thread float4 *a) { a->3 /* ERROR E0304 "expected the name of a member, found '3'" */; }
//--- nothing between brackets
void f(device int *a) { a[] /* ERROR E0302 "expected an expression, found ']'" */ = 3; }
//--- a type without arguments
void f(int a) { a = float; /* ERROR E0301 "expected '(' or '{' after the type, found ';'" */ }
//--- nothing behind ::
void f(int a) { a = metal:: /* ERROR E0301 "expected ';' after expression" */; }
void g(int a) { a = ::+ /* ERROR E0304 "expected a name, found '+'" */ a; }
//--- condition without an expression
void f(int a) { if () /* ERROR E0302 "expected an expression, found ')'" */ { a = 1; } while () /* ERROR E0302 "expected an expression, found ')'" */ a = 2; }
//--- several mistakes, each reported once
void f(int a, int b) {
    a = *; /* ERROR E0302 "expected an expression, found ';'" */ a = 1;
    b = (a + ) /* ERROR E0302 "expected an expression, found ')'" */ * (b + ) /* ERROR E0302 "expected an expression, found ')'" */;
    f(a, , /* ERROR E0302 "expected an expression, found ','" */ b);
    f(a b /* ERROR E0301 "expected ')' after the arguments, found 'b'" */);
    b = 1;
}
//--- sizeof
int a = sizeof() /* ERROR E0302 "expected an expression, found ')'" */;
int b = sizeof...(3 /* ERROR E0304 "expected a name, found '3'" */);
int c = sizeof...; /* ERROR E0301 "expected '(' after 'sizeof...', found ';'" */
//--- folds
template <typename... T> int f(T... t) { return (t + ... - /* ERROR E0317 "operators in fold expression must be the same: '-' follows '+'" */ 1); }
template <typename... T> int g(T... t) { return (t /* ERROR E0317 "operand of fold expression must be in parentheses" */ * 2 + ...); }
template <typename... T> int h(T... t) { return (... ) /* ERROR E0301 "expected an operator after '...', found ')'" */; }
//--- an operand of a fold
template <typename... T> int g(T... t) { return (t /* ERROR E0317 "operand of fold expression must be in parentheses" */ * 2 + ...); }
//--- lambdas
void f(int a) {
    auto g = [3 /* ERROR E0321 "expected a capture, found '3'" */] { return 1; };
    auto h = [&, 4 /* ERROR E0321 "expected a capture, found '4'" */] { return 1; };
    auto i = [a] return /* ERROR E0301 "expected '{' to begin the body of the lambda, found 'return'" */ 1;
    auto j = [](auto x) { return x + ; /* ERROR E0302 "expected an expression, found ';'" */ };
    a = 1;
}
//--- lists
void f(int a) {
    float b[] = {1, 2 3 /* ERROR E0301 "expected '}' to end the initializer list, found '3'" */};
    float4 c = {.x 1 /* ERROR E0301 "expected '=' after the designated member, found '1'" */};
    a = 1;
}
//--- casts
void f(int a) {
    a = static_cast<> /* ERROR E0303 "expected a type, found '>'" */( a);
    a = static_cast<int 3 /* ERROR E0301 "expected '>' to close the template arguments, found '3'" */>(a);
    a = reinterpret_cast<device int *> a /* ERROR E0301 "expected '(' around the operand of the cast, found 'a'" */;
}
//--- assert
static_assert() /* ERROR E0302 "expected an expression, found ')'" */;
static_assert(1, 2 /* ERROR E0302 "expected a string literal for the message, found '2'" */);
static_assert 1 /* ERROR E0301 "expected '(' after 'static_assert', found '1'" */;
