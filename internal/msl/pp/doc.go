// Package pp implements the preprocessor, which turns source files into one stream of tokens for
// the parser.
//
// It implements C++14 with __VA_OPT__, the GNU extension ", ##__VA_ARGS__" and the other extensions
// that Metal's compiler inherits from clang. Metal's own headers exist but are empty, because the
// compiler has the library as tables.
//
// No recursion depth is controlled by the source: macros, conditionals, files and expressions use
// explicit stacks, and exceeding the limit of a stack is reported as an error.
package pp
