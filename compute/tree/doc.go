// Package tree has kernels that launch kernels: a [Tree] records the levels of launches in advance,
// and kernels fill them. A [WorkQueue] is a queue of items that the threads of one kernel take and
// add.
package tree
