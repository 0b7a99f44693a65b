// Package cnn binds the layers of neural networks of Metal Performance Shaders: MPSCNNConvolution
// is [Convolution], and MPSNNPad is [NNPad]. Layers read and write images of package mps, whose
// documentation has the rules of all its bindings. Package [github.com/puremetal/puremetal/mps/nn]
// binds graphs of such layers, and [github.com/puremetal/puremetal/mps/graph] MPSGraph, Apple's
// newer interface.
//
// Layers of one source have the methods of [Kernel], those of two the methods of [BinaryKernel],
// and gradients the methods of [GradientKernel]. There are [Convolution], [FullyConnected],
// [PoolingMax], [BatchNormalization], [InstanceNormalization], [GroupNormalization], [Neuron],
// [SoftMax], [Dropout], [UpsamplingBilinear], [NNReduceRowSum], [NNReshape] and others, [Loss], and
// optimizers such as [NNOptimizerAdam].
//
// Programs give weights by Go types: [NewConvolutionDataSource] makes an object out of a value with
// the methods of [ConvolutionDataSourceMethods].
//
// The file zskipped.txt lists what is left out, with the reasons.
package cnn
