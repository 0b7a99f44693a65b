// Package mps binds Metal Performance Shaders: one Go type for each class and protocol, one method
// for each selector. This package has what all others need, and matrices, vectors, arrays and
// images; the rest is in packages by theme, so that a program compiles what it uses:
//
//   - [github.com/puremetal/puremetal/mps/filter]: image filters
//   - [github.com/puremetal/puremetal/mps/cnn]: layers of neural networks, losses and optimizers
//   - [github.com/puremetal/puremetal/mps/nn]: graphs of layers
//   - [github.com/puremetal/puremetal/mps/rnn]: recurrent layers
//   - [github.com/puremetal/puremetal/mps/ray]: ray tracing and denoising
//   - [github.com/puremetal/puremetal/mps/graph]: MPSGraph, a framework of its own
//
// The file zskipped.txt of each package lists what is left out, with the reasons.
//
// The calls go to Apple's framework on a Mac. The software device implements some of these classes,
// such as [NDArray], those of matrices and most image filters; the constructors of the others
// return an error that wraps [objc.ErrNotFound].
//
// # How to use it
//
// Make a kernel and the matrices or images that it works on, encode it to a command buffer of
// package mtl, commit and wait:
//
//	buffer, err := device.NewBuffer(rows*columns*4, mtl.ResourceStorageModeShared)
//	memory, err := mtl.Slice[float32](buffer) // write the elements here, row by row
//	shape, err := mps.MatrixDescriptorWithRows(rows, columns, columns*4, mps.DataTypeFloat32)
//	a, err := mps.NewMatrixWithBuffer(buffer, shape) // and b and c
//	multiply, err := mps.NewMatrixMultiplicationWithDevice(device, rows, columns, inner)
//	commands, err := queue.CommandBuffer()
//	multiply.EncodeToCommandBuffer(commands, a, b, c)
//	err = commands.Commit()
//	err = commands.Wait(ctx)
//
// Run this in [objc.Pool]: descriptors and command buffers are autoreleased. Encoding returns no
// error, as in Apple's framework. Wrong arguments are faults instead, which are logged, or reach
// the program through [objc.OnFault]; nothing is encoded then. The package's example is a complete
// program.
//
// # Overview
//
//   - Common to all: [Kernel] is a kernel that encodes itself to a command buffer; [CommandBuffer]
//     wraps Metal's and can commit and continue; [State] carries data from a forward to a backward
//     pass; [Predicate] skips work at run time; [SupportsMTLDevice] says whether a device works.
//   - Matrices and vectors: [Matrix], [Vector] and their descriptors describe buffers;
//     [MatrixMultiplication], [MatrixVectorMultiplication], [MatrixSoftMax], [MatrixNeuron],
//     [MatrixFindTopK], [MatrixCopy], [MatrixSum], [MatrixDecompositionCholesky],
//     [MatrixDecompositionLU], [MatrixSolveTriangular], [MatrixRandomPhilox].
//   - Arrays of up to 16 dimensions: [NDArray] with [NDArrayMatrixMultiplication],
//     [NDArrayGather] and [NDArrayStridedSlice].
//   - Images: [Image] holds feature channels in textures, [ImageDescriptor] describes it.
//
// Names keep Metal's words without the prefix: MPSMatrix is [Matrix]. A package by theme also drops
// its own word: MPSImageSobel is filter.Sobel, MPSCNNConvolution is cnn.Convolution. A class
// without subclasses and without methods of its own has the Go type of its superclass:
// [MatrixLogSoftMax] is another name of [MatrixSoftMax], made by its own constructor. Wrappers,
// ownership, errors and nil follow the rules of package mtl. Optional methods of protocols, and
// methods newer than the running macOS, return an error that wraps [objc.ErrUnavailable].
//
// # Objects of the program
//
// Programs implement the protocols of data sources, allocators, paddings and callbacks with Go
// types: [NewImageAllocator] makes an object out of a value with the methods of
// [ImageAllocatorMethods], and so for the others. A method that returns an address
// returns that of memory that stays where it is until the framework has read it: a buffer's, or Go
// memory that a runtime.Pinner holds from Load to Purge.
//
// # Memory
//
// A slice that a call reads or writes must reach as far as the call goes: the image's region, the
// array's strides, one element for each dimension. A shorter one is an error that names the length
// and the least length, and wraps [objc.ErrShort]; nothing is sent. Elements that a call appends to
// a slice, and objects that come back through a pointer, are +1: the caller releases them.
package mps
