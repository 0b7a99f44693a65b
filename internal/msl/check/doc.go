// Package check turns a syntax tree into a typed program: it resolves names and overloads,
// instantiates templates, evaluates constants and makes every conversion explicit.
//
// A template is instantiated by checking its syntax again in a scope that binds the parameters (see
// bind); there is no substitution, and there are no dependent types. A template that is never
// instantiated is checked for syntax only. Instances are cached by their arguments. An error during
// substitution into a signature is caught by a trap (see try) and removes the candidate: C++'s
// SFINAE.
//
// A file that implements an algorithm of C++ begins with its rule. Names in brackets, like
// [over.match.best], are sections of the C++14 standard. Comments at the code say what Metal
// changes.
//
// Names of the standard library come from package builtin, except for type traits and the like,
// which are defined in a prelude in MSL.
package check
