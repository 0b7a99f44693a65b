// Package builtin describes the standard library of the Metal Shading Language as data.
//
// The library is defined in stdlib.def, in a small definition language that package
// internal/msl/builtin/internal/stdlib parses. From it, go generate makes the tables z*.go and
// docs/msl-builtins.md, so that there is a single definition: the checker resolves calls against
// the tables, lowering switches over [Op], and the documentation lists both.
//
// A [Func] is a set of overloads that differ only in types: fma over the floats and their vectors
// is one Func. [Library.Instances] expands the set into the overloads that Metal's headers declare,
// with the types of one compilation's universe, so that overload resolution needs no special rules
// for the library. Functions marked [Special] take explicit template arguments or depend on more
// than types; the checker recognizes them by their Op.
package builtin

//go:generate go run ./internal/gen
