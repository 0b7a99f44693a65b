// Package pp is the preprocessor: source files in, one stream of the parser's tokens out.
//
// It does what C++14 says, with __VA_OPT__, GNU's ", ##__VA_ARGS__" and the other extensions that
// Metal's compiler has from clang. Metal's own headers are there and empty, since the compiler has
// the library as a table.
//
// Nothing here calls itself on account of what the source says: contexts of macros, of
// conditionals, of files and of expressions stand on stacks of their own, and each has a limit that
// is a diagnostic.
package pp
