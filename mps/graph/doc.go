// Package graph binds MPSGraph, Apple's framework for graphs of tensor operations: [Graph] makes
// operations, each of which returns the [Tensor] of its result; [Graph.CompileWithDevice] makes an
// [Executable]. zskipped.txt lists what is left out, with the reasons.
//
// A softmax layer, from building the graph to reading the result, for which the run waits:
//
//	objc.Pool(func() { // tensors of results, devices and descriptors are autoreleased
//		g, err := graph.NewGraph()
//		x := g.PlaceholderWithShapeDataType([]int{2, 3}, mps.DataTypeFloat32, "x")
//		w := g.VariableWithData(bytes, []int{3, 2}, mps.DataTypeFloat32, "w") // little-endian
//		y := g.SoftMaxWithTensor(g.MatrixMultiplicationWithPrimaryTensor(x, w, ""), 1, "y")
//
//		device, err := graph.DeviceWithMTLDevice(metalDevice)
//		input, err := graph.NewTensorDataWithDevice(device, bytes, []int{2, 3}, mps.DataTypeFloat32)
//		feeds := map[graph.Tensor]graph.TensorData{x: input}
//		results, err := g.RunWithMTLCommandQueueTargetTensors(queue, feeds, []graph.Tensor{y}, nil)
//		out := make([]byte, 2*2*4)
//		results[y].Mpsndarray().ReadBytes(out, nil)
//		input.Release() // and g, when the program is through with it
//	})
//
// [NewTensorDataWithMTLBuffer] uses the memory of a buffer instead of a copy; mtl.Slice shows it as
// numbers.
//
// Runs that wait, [Graph.RunWithFeeds] and those like it, return an error and no results if they
// fail. Most other methods return no error: after a mistake they return nil, or no results, and
// report a fault, which is logged or reaches the program through [objc.OnFault].
//
// RunAsync methods return before the run has completed; an [ExecutionDescriptor] has handlers, and
// shared events to wait for and to signal. If a run fails, its completion handler gets the error,
// and to read its results is a fault. A run that cannot even begin is a fault as well, and has no
// results; so have the methods that encode. In MPSGraph only completion handlers get errors of the
// GPU. [Graph.CompileWithDevice] makes an [Executable], whose inputs have the order of its
// FeedTensors.
//
// [TensorData] that is nil, as a map has for a tensor without a result, answers as nil does in
// Objective-C: its shape is empty, its Mpsndarray is nil, and ReadBytes of that leaves the memory
// as it is. No fault says so: after a RunAsync or EncodeToCommandBuffer method look whether the
// target is among the results.
//
// The calls go to Apple's framework on a Mac. Elsewhere the software device answers most of them; a
// method that it does not answer is a fault that names it (package objc, [objc.OnFault]). There, a
// run with control flow returns when only its last part is left, packages of executables are
// refused, as their format is not published, and optimization levels change nothing.
//
// Shapes, axes and strides are slices of int, the slowest dimension first. A nil shape is unknown;
// an empty one, which is not nil, is a scalar's. Feeds and results are maps from [Tensor] to
// [TensorData].
//
// Names keep MPSGraph's words without the prefix: MPSGraphTensor is [Tensor], and the class
// MPSGraph is [Graph]. Wrappers, ownership, errors and nil follow the rules of package mtl, memory
// those of package mps.
package graph
