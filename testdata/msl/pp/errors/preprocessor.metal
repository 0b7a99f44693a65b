//--- a word that is no directive
#includ /* ERROR E0203 "unknown directive '#includ'; did you mean '#include'?" */ <metal_stdlib>
#elseif /* ERROR E0203 "unknown directive '#elseif'; did you mean '#elif'?" */ 1
//--- error directive
#error /* ERROR E0201 "#error: this device is too small" */ this device is too small
//--- warning directive, and a mistake behind it
#warning /* WARNING E0202 "#warning: work in progress" */ work in progress
#error /* ERROR E0201 "#error: stop" */ stop
//--- include without a name
#include /* ERROR E0205 "#include needs \"file\" or <file>" */
//--- include of a name without quotes
#include /* ERROR E0205 "#include needs \"file\" or <file>" */ metal_stdlib
//--- include without a closing bracket
#include /* ERROR E0205 "#include needs \"file\" or <file>" */ <metal_stdlib
//--- include without a closing quote
#include /* ERROR E0205 "#include needs \"file\" or <file>" */ "folder/x.h
//--- include of an empty name
#include "" /* ERROR E0205 "empty file name in #include" */
//--- include of a file that is not there
#include "folder/y.h" /* ERROR E0210 "'folder/y.h' file not found" */
//--- include of a system header that is not there
#include <vector> /* ERROR LINE E0210 "'vector' file not found" */
//--- include of an unknown header of Metal
#include <metal_wizardry> /* WARNING LINE E0223 "unknown Metal header 'metal_wizardry' is treated as empty" */
#error /* ERROR LINE E0201 "#error: end" */ end
//--- include with more behind it
#include "folder/x.h" x /* WARNING E0204 "extra tokens at end of #include" */
#error /* ERROR E0201 "#error: end" */ end
//--- define without a name
#define
 /* ERROR E0205 "macro name missing in #define" *///--- define of a number
#define 3 /* ERROR E0205 "macro name in #define must be an identifier, not '3'" */ 4
//--- define of defined
#define defined /* ERROR E0214 "'defined' cannot be used as a macro name" */ 1
//--- define of a predefined macro
#define __LINE__ /* WARNING E0214 "#define of built-in macro '__LINE__'" */ 7
#define __FILE__ /* WARNING E0214 "#define of built-in macro '__FILE__'" */ 7
#undef __LINE__
//--- undef without a name
#undef
 /* ERROR E0205 "macro name missing in #undef" *///--- undef of a number
#undef 7 /* ERROR E0205 "macro name in #undef must be an identifier, not '7'" */
//--- parameters without an end
#define F(a, b /* ERROR LINE E0213 "missing ')' in parameter list of macro 'F'" */
//--- parameters with a comma too many
#define F(a, ) /* ERROR E0213 "expected a parameter name in macro 'F', not ')'" */ a
//--- parameters that are numbers
#define F(1 /* ERROR E0213 "expected a parameter name in macro 'F', not '1'" */) 1
//--- a parameter twice
#define F(a, a /* ERROR E0213 "macro 'F' has duplicate parameter name 'a'" */) a
//--- dots that are not last
#define F(..., /* ERROR E0213 "expected ')' in parameter list of macro 'F', not ','" */ a) a
//--- a parameter named __VA_ARGS__
#define F(__VA_ARGS__ /* ERROR E0221 "'__VA_ARGS__' cannot be used as a macro parameter name" */) 1
//--- __VA_ARGS__ without dots
#define F(a) __VA_ARGS__ /* ERROR E0221 "'__VA_ARGS__' in macro 'F', which is not variadic" */
//--- __VA_ARGS__ outside a macro
constant int a = __VA_ARGS__ /* ERROR E0221 "'__VA_ARGS__' can only appear in the expansion of a variadic macro" */;
//--- hash before what is no parameter
#define F(a) # /* ERROR E0213 "'#' is not followed by a parameter of macro 'F'" */ b
//--- hash at the end
#define F(a) a # /* ERROR E0213 "'#' is not followed by a parameter of macro 'F'" */
//--- paste at the beginning
#define F(a) ##/* ERROR LINE E0213 "'##' cannot appear at start or end of macro 'F'" */ a
//--- paste at the end
#define F(a) a ##/* ERROR LINE E0213 "'##' cannot appear at start or end of macro 'F'" */
//--- paste at the end of an object
#define A x ##/* ERROR LINE E0213 "'##' cannot appear at start or end of macro 'A'" */
//--- no space behind the name
#define A"x" /* WARNING E0213 "whitespace required after macro name 'A'" */
#error /* ERROR E0201 "#error: end" */ end
//--- redefinition with another body
#define A 1
#define A /* WARNING E0215 "macro 'A' redefined" */ 2
//--- redefinition with other parameters
#define F(a) a
#define F /* WARNING E0215 "macro 'F' redefined" */(b) b
//--- redefinition as a function
#define A 1
#define A /* WARNING E0215 "macro 'A' redefined" */() 1
//--- too few arguments
#define F(a, b) a + b
constant int c = F /* ERROR E0216 "too few arguments provided to macro 'F': 1 given, 2 expected" */(1);
//--- too many arguments
#define F(a, b) a + b
constant int c = F /* ERROR E0216 "too many arguments provided to macro 'F': 3 given, 2 expected" */(1, 2, 3);
//--- arguments for a macro without parameters
#define F() 1
constant int c = F /* ERROR E0216 "too many arguments provided to macro 'F': 1 given, 0 expected" */(1);
//--- arguments without an end
#define F(a) a
constant int c = F /* ERROR E0217 "unterminated argument list of macro 'F'" */(1;
//--- arguments that a directive ends
#define F(a) a
constant int c = F /* ERROR E0217 "unterminated argument list of macro 'F'" */(1
#error /* ERROR E0201 "#error: end" */ end
//--- a paste that makes no token
#define P(a, b) a ## b
constant int c = P /* ERROR E0301 "expected ';' after declaration" */(1 +, + 2) + P(. /* ERROR E0218 "pasting '.' and '+' does not form a valid token" */, +);
//--- if without a condition
#if /* ERROR E0208 "expected expression after #if" */
#endif
//--- elif without a condition
#if 0
#elif /* ERROR E0208 "expected expression after #elif" */
#endif
//--- a condition that ends in an operator
#if 1 + /* ERROR E0208 "expected a value after '+' in #if" */
#endif
//--- a condition with a missing parenthesis
#if ( /* ERROR E0208 "missing ')' in #if" */1
#endif
//--- a condition with a parenthesis too many
#if 1) /* ERROR E0208 "')' without '(' in #if" */
#endif
//--- a condition with a float
#if 1.5 /* ERROR E0208 "floating-point literal '1.5' in #if" */ > 1
#endif
//--- a condition with a string
#if "a" /* ERROR E0208 "expected a value in #if, not '\"a\"'" */
#endif
//--- a condition with an assignment
#if A = /* ERROR E0208 "unexpected '=' in the expression of #if" */ 1
#endif
//--- a condition with two values
#if 1 2 /* ERROR E0208 "unexpected '2' in the expression of #if" */
#endif
//--- a condition with half a question
#if 1 ? /* ERROR E0208 "'?' without ':'" */ 2
#endif
//--- a condition that divides by zero
#if 1 / /* ERROR E0209 "division by zero in #if" */ 0
#endif
//--- a condition with the rest of zero
#if 4 % /* ERROR E0209 "division by zero in #if" */ (2 - 2)
#endif
//--- a condition with an unknown function
#if VERSION_AT_LEAST /* ERROR E0208 "function-like macro 'VERSION_AT_LEAST' is not defined" */(3)
#endif
//--- defined without a name
#if defined /* ERROR E0208 "macro name missing after 'defined'" */
#endif
//--- defined without a parenthesis
#if defined /* ERROR E0208 "missing ')' after 'defined'" */(A
#endif
//--- __has_include without a name
#if __has_include /* ERROR E0216 "missing '(' after '__has_include'" */
#endif
//--- __has_include of a word
#if __has_include /* ERROR E0208 "'__has_include' needs \"file\" or <file>" */(foo)
#endif
//--- ifdef without a name
#ifdef
 /* ERROR E0205 "macro name missing in #ifdef" */#endif
//--- ifndef of a number
#ifndef 1 /* ERROR E0205 "macro name in #ifndef must be an identifier, not '1'" */
#endif
//--- ifdef with more behind it
#ifdef A B /* WARNING E0204 "extra tokens at end of #ifdef" */
#endif
#error /* ERROR E0201 "#error: end" */ end
//--- if without an end
#if /* ERROR E0206 "unterminated #if" */ 1
constant int a = 1;
//--- ifdef without an end in a part that is skipped
#if /* ERROR E0206 "unterminated #if" */ 0
#ifdef A
#endif
//--- else without if
#else /* ERROR E0207 "#else without #if" */
//--- elif without if
#elif /* ERROR E0207 "#elif without #if" */ 1
//--- endif without if
#endif /* ERROR E0207 "#endif without #if" */
//--- endif twice
#if 1
#endif
#endif /* ERROR E0207 "#endif without #if" */
//--- else twice
#if 1
#else
#else /* ERROR E0207 "#else after #else" */
#endif
//--- elif behind else
#if 0
#else
#elif /* ERROR E0207 "#elif after #else" */ 1
#endif
//--- words behind endif
#if 1
#endif FOO /* WARNING E0204 "extra tokens at end of #endif" */
#error /* ERROR E0201 "#error: end" */ end
//--- line without a number
#line /* ERROR E0205 "#line requires a line number" */
//--- line of a word
#line /* ERROR E0205 "#line requires a line number" */ seven
//--- line zero and a file that is none
#line 7 foo /* ERROR E0205 "#line requires a file name in quotes, not 'foo'" */
//--- line too large
#line 99999999999 /* ERROR E0205 "#line requires a decimal line number up to 2147483647, not '99999999999'" */
//--- pragma once in the main file
#pragma /* WARNING E0222 "#pragma once in the main file" */ once
#error /* ERROR E0201 "#error: end" */ end
//--- pragma pop without push
#pragma pop_macro /* WARNING E0222 "#pragma pop_macro(\"A\") without push_macro" */("A")
#error /* ERROR E0201 "#error: end" */ end
//--- pragma push without a name
#pragma push_macro /* WARNING E0222 "#pragma push_macro needs a name as in push_macro(\"name\")" */(A)
#error /* ERROR E0201 "#error: end" */ end
//--- _Pragma without a string
_Pragma /* ERROR E0222 "_Pragma needs a string in parentheses" */(once)
//--- hash in the program
constant int a = 1 # /* ERROR E0101 "stray '#' in the program" */ 2;
//--- a directive behind something
constant int a = 1; # /* ERROR E0101 "'#define' must be the first token on its line" */define A 2
//--- a header that includes itself
#include /* ERROR E0211 "#include nested too deeply: more than 200 levels" */ "itself.h"
//--- a header whose #if has no end
#include /* ERROR E0206 "unterminated #if" */ "open_if.h"
//--- a header whose comment has no end
#include /* ERROR E0102 "unterminated /* comment" */ "open_comment.h"
constant int b = ; /* ERROR E0302 "expected an expression, found ';'" */
//--- a header with a mistake
#include /* ERROR E0302 "expected an expression, found ';'" */ "mistake.h"
//--- a macro that expands without an end
#define A0 + x + x
#define A1 A0 A0 A0 A0 A0 A0 A0 A0
#define A2 A1 A1 A1 A1 A1 A1 A1 A1
#define A3 A2 A2 A2 A2 A2 A2 A2 A2
#define A4 A3 A3 A3 A3 A3 A3 A3 A3
#define A5 A4 A4 A4 A4 A4 A4 A4 A4
#define A6 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5
constant int a = A6 /* ERROR E0219 "macro expansion produces more than 1000000 tokens" */;
//--- a macro without a parenthesis behind __VA_OPT__
#define F(...) f(__VA_OPT__ /* ERROR E0221 "missing '(' after '__VA_OPT__'" */)
//--- __VA_OPT__ without dots
#define F(a) f(a __VA_OPT__ /* ERROR E0221 "'__VA_OPT__' in macro 'F', which is not variadic" */(,))
//--- __VA_OPT__ in another
#define F(...) f(__VA_OPT__(a __VA_OPT__ /* ERROR E0221 "'__VA_OPT__' cannot be nested" */(b)))
//--- a comment in the middle without an end
constant int a = 1; /* ERROR LINE E0102 "unterminated /* comment" */ /* never ends ; constant int b = 2;
//--- a mistake reported once for a macro used twice
#define TWICE(x) x + x
constant int a = TWICE(09 /* ERROR E0106 "invalid number: digit '9' in a literal of base 8: '09'" */);
//--- a number as a name
void f() { int 1a /* ERROR E0106 "invalid number: suffix 'a' on integer literal: '1a'" */ = 1; }
