// Package shapes has generated functions for kernels with all kinds of arguments. Its tests launch
// them.
package shapes

//go:generate go tool puremetal generate -D WIDTH=32 --std metal3.2 shapes.metal
