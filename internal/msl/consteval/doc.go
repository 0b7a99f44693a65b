// Package consteval evaluates constant expressions at compile time: array bounds, template
// arguments, case labels, static_assert, and the initializers of constants. It interprets the typed
// tree, including constexpr functions with loops and local objects.
//
// The package is not called constant, after go/constant, because the values themselves are
// types.Value.
//
// It knows nothing about scopes, overloads and templates. The checker resolves an expression first
// and then asks an [Evaluator] for its value. To call a function, the evaluator asks the checker
// for the body through [Host]. The checker may have to check the function first, so evaluations can
// nest.
//
// An expression is not constant if it reads a non-constant object, calls a function that is not
// constexpr, or has undefined behavior such as a division by zero. Functions of Metal's library
// are not constexpr: the specification does not say so of any, and Apple's headers declare them as
// plain inline functions, so that clang rejects "constexpr int n = min(4, 8)". Clang's own builtins
// are constant expressions; see builtin.go.
package consteval
