// Package softgraph implements the classes of MPSGraph for the software device: a graph of
// operations on tensors, which it turns into kernels for the shapes of each run.
package softgraph
