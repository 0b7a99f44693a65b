// Package metal4 implements Metal 4's classes that record and submit commands: queues, command
// buffers and allocators, the compute encoder, argument tables and counter heaps.
//
// It shares encoders and recordings with package encode. Metal 4's compiler is in package library.
// The package may import internal/softmetal/encode and everything below it.
//
// The tests of these classes are in internal/softmetal, mtl and internal/conformance.
package metal4
