// Package softmps implements the classes of Metal Performance Shaders for the software device. They
// compute with kernels in the Metal Shading Language, which they send as Metal messages through
// package mtl, as Apple's framework does; so validation, faults and captures see everything.
//
// Package mps names this package as its framework's software side. A program that does not import
// mps does not contain it.
package softmps
