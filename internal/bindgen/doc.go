// Package bindgen generates the typed bindings, the z*.go files of package mtl and of the packages
// that come after it.
//
// Its input has two sources. The darwinkit sources, which are parsed with go/parser and never
// compiled, provide classes, protocols, selectors and Go-typed parameters up to about macOS 13.
// The declaration files, a folder in decl for each framework, in a compact Objective-C-like syntax
// (see [ParseDecl]), provide availability, nullability, layouts, types where darwinkit's are too
// loose for safe calls, and everything newer. If the two disagree, the declaration wins and the
// log reports it. A method that is in neither is not emitted.
//
// Decisions are in overrides.toml: names, Go types of raw memory, methods replaced by hand-written
// ones, methods that are left out. Every entry has a reason.
//
// The bindings of a framework use the types of those that it imports: a package that is imported is
// generated first, in memory, for the names of its types and methods (imports.go).
//
// The stages are one file each: read (darwinkit.go, parse.go), merge (merge.go), scope (scope.go),
// name (names.go), shape (shape*.go: how each parameter and result becomes Go), emit (emit*.go).
package bindgen
