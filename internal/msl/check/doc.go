// Package check turns a syntax tree into a typed program: it finds what names mean, picks
// overloads, instantiates templates, evaluates constants and makes every conversion explicit.
//
// Templates are instantiated by checking their syntax again in a scope in which the parameters are
// bound (see bind); nothing is substituted, and there are no dependent types. A template that is
// never instantiated is therefore not checked beyond its syntax. Instances are remembered by the
// key of their arguments. An error during substitution into a signature is caught by a trap (see
// try) and makes the candidate unusable, as C++ demands.
//
// Names of the standard library come from package builtin, except for type traits and the like,
// which are a prelude in the language itself.
package check
