// Package types holds the types of the Metal Shading Language: their identity,
// layout, spelling and conversions, and constant values of them.
//
// Types are compared by ==. Scalars, vectors, packed vectors, matrices, atomics
// and simdgroup matrices are finite in number and shared by the whole process;
// everything derived (pointers, references, arrays, functions, textures) comes
// from a [Universe], which returns the same pointer for the same parts. Structs
// and enums are nominal: each is itself. A Universe belongs to one compilation
// and is not safe for use by several goroutines.
//
// A type says nothing of const, volatile or its address space: those belong to
// [Qualified], and to the pointee of a pointer or reference.
//
// Sizes are those of Metal's 64-bit targets: a three-component vector takes as
// much room as one of four and is aligned like it, a packed vector is aligned
// like its element, a matrix is an array of column vectors, bool is one byte,
// pointers are eight.
package types
