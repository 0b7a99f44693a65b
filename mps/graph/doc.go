// Package graph binds MPSGraph, Apple's framework for graphs of tensor operations: [Graph] makes
// operations, each of which returns the [Tensor] of its result; [Graph.CompileWithDevice] makes an
// [Executable]. zskipped.txt lists what is left out, with the reasons.
//
// The calls go to Apple's framework on a Mac. Elsewhere the software device answers most of them; a
// method that it does not answer is a fault that names it (package objc, [objc.OnFault]).
//
// Shapes, axes and strides are slices of int, the slowest dimension first. A nil shape is unknown;
// an empty one, which is not nil, is a scalar's. Feeds and results are maps from [Tensor] to
// [TensorData].
//
// Names keep MPSGraph's words without the prefix: MPSGraphTensor is [Tensor], and the class
// MPSGraph is [Graph]. Wrappers, ownership, errors and nil follow the rules of package mtl, memory
// those of package mps.
package graph
