// Package shader implements the software device's libraries, functions, pipelines, argument
// encoders and binary archives, without Objective-C. Package library wraps these types in Metal's
// classes.
//
// A Library is compiled source. Its functions are kernels and visible functions; a Function
// includes the function constants with which it was made. A Pipeline is a launchable kernel: the
// program for package vm, its parameters, and the limits of a launch.
//
// A library is checked as a whole when it is made, and errors are reported then. The code of a
// kernel is generated when the kernel is first requested, because libraries may have thousands of
// kernels of which a program uses only a few.
//
// Libraries are cached by the hash of source and settings, specialized kernels by function and
// constants. So repeated requests are cheap, and programs that were compiled for a threadgroup
// shape are reused.
package shader
