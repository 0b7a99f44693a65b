// Package bindgen generates the typed bindings, the z*.go files of package mtl and of the packages
// that come after it.
//
// Facts come from two places. The darwinkit sources, read with go/parser and never compiled, give
// classes, protocols, selectors and Go-typed parameters up to about macOS 13. The declaration files
// in decl, in a compact Objective-C-like syntax of our own (see [ParseDecl]), give availability,
// nullability, layouts, whatever darwinkit types too loosely to be called safely, and everything
// newer. Where the two disagree the declaration wins and the log says so; a method that neither has
// is not emitted.
//
// What facts cannot decide, overrides.toml does: names, Go types of raw memory, methods that a
// hand-written one replaces, methods that stay out. Every entry carries its reason.
//
// The stages are one file each: read (darwinkit.go, parse.go), merge (merge.go), scope (scope.go),
// name (names.go), shape (shape*.go: how each parameter and result becomes Go), emit (emit*.go).
package bindgen
