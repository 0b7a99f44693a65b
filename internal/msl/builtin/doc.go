// Package builtin is the standard library of the Metal Shading Language as data.
//
// What the library offers stands in stdlib.def, in a small language of our own
// that package internal/msl/builtin/internal/stdlib reads; go generate turns it
// into the tables z*.go and into docs/msl-builtins.md. Nothing is written by
// hand twice: the checker resolves calls against the tables, lowering switches
// over [Op], and the documentation lists both.
//
// A [Func] is a set of overloads that differ only in types: fma over the floats
// and their vectors is one Func. [Library.Instances] writes the set out as the
// overloads that Metal's headers declare, each with the types of one
// compilation's universe, so that overload resolution needs no rule of its own
// for the library. Functions marked [Special] take explicit template arguments
// or depend on more than types; the checker knows them by their Op.
package builtin

//go:generate go run ./internal/gen
