// Package generate writes Go source that launches the kernels of a Metal source file: the kernels'
// structures as Go types with Metal's layout, and a method per kernel with typed parameters.
//
// It takes what this module's compiler knows of the source. Package compute checks every launch
// against the device's own reflection, so generated source that no longer fits its kernels fails
// with an error that says where.
//
// The tests are those of the packages launched and shapes below it, which have generated files, and
// scripts of the command: cmd/puremetal/testdata/script/generate*.txtar.
package generate
