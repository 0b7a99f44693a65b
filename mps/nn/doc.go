// Package nn binds the networks of Metal Performance Shaders: a [Graph] is made of nodes such as
// [CNNConvolutionNode], [ImageNode] and [ConcatenationNode], one for each layer of package
// [github.com/puremetal/puremetal/mps/cnn]. Package mps has the rules of all its bindings.
//
// The software device does not have these classes; their constructors return an error that wraps
// [objc.ErrNotFound]. It does implement MPSGraph, Apple's newer interface, which
// [github.com/puremetal/puremetal/mps/graph] binds.
//
// The file zskipped.txt lists what is left out, with the reasons.
package nn
