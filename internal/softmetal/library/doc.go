// Package library has Metal's classes of code: libraries, functions, pipelines and their
// reflection, binary archives, argument encoders, function tables, and Metal 4's compiler.
//
// The code itself is package shader's. The package may import internal/softmetal/resource and
// everything below it.
package library
