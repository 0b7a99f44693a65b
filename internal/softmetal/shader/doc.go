// Package shader is what libraries, functions, pipelines, argument encoders and binary archives of
// the software device are, without Objective-C: package softmetal puts classes in front of these
// types.
//
// A Library is compiled source. Its functions are kernels and visible functions; a Function knows
// the function constants it was made with. A Pipeline is a kernel that can be launched: what
// package vm runs, the arguments there are, and the limits of a launch.
//
// A library is checked as a whole when it is made, which is when its errors are found. The code of
// a kernel is made when the kernel is first asked for: libraries may have thousands of which a
// program uses some.
//
// Compiling is cached by the hash of source and settings, a specialised kernel by its function and
// constants, so that making what was made before costs little and programs compiled for a shape of
// threadgroup are found again.
package shader
