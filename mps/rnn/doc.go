// Package rnn binds the recurrent layers of Metal Performance Shaders:
// MPSRNNMatrixInferenceLayer is [MatrixInferenceLayer], described by an [LSTMDescriptor], a
// [GRUDescriptor] or a [SingleGateDescriptor]. Package mps has the rules of all its bindings.
//
// The software device does not have these classes; their constructors return an error that wraps
// [objc.ErrNotFound].
//
// The file zskipped.txt lists what is left out, with the reasons.
package rnn
