// Package library implements Metal's classes for code: libraries, functions, pipelines and their
// reflection, binary archives, argument encoders, function tables, and Metal 4's compiler.
//
// Package shader handles the code itself. The package may import internal/softmetal/resource and
// everything below it.
package library
