// Package pp is the preprocessor: it turns source files into one stream of tokens for the parser.
//
// It implements C++14 with __VA_OPT__, GNU's ", ##__VA_ARGS__" and the other extensions that
// Metal's compiler inherits from clang. Metal's own headers exist but are empty, because the
// compiler has the library as tables.
//
// No function recurses to a depth that the source controls: macros, conditionals, files and
// expressions have explicit stacks, and exceeding the limit of a stack is a diagnostic.
package pp
