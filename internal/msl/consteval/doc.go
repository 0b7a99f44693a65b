// Package consteval evaluates typed expressions while a program is compiled: array bounds, template
// arguments, case labels, static_assert, and the initialisers of constants. It interprets the typed
// tree, including constexpr functions with loops and local objects.
//
// The name is C++'s for this step ("constant evaluation"). The values themselves are types.Value,
// which is why the package is not called constant, after go/constant.
//
// The package knows nothing of scopes, overloads or templates. The checker resolves an expression
// first and then asks an [Evaluator] for its value; in the other direction the evaluator asks
// through [Host] for the body of a function that it calls, which the checker may have to check
// first. Evaluations may therefore nest.
//
// An expression has no constant value when it reads an object that is not constant, calls a
// function that is not constexpr, or does what the language leaves undefined in a way that cannot
// go on, such as dividing by zero. Functions of Metal's library are not constexpr: the
// specification gives none, and Apple's headers declare them as plain inline functions, so Clang
// refuses "constexpr int n = min(4, 8)" there. Clang's own builtins are constant expressions; see
// builtin.go.
package consteval
