// Package types defines the types of the Metal Shading Language, with their identity, layout,
// spelling and conversions, and the constant values of these types.
//
// Types are compared by ==. Scalars, vectors, packed vectors, matrices, atomics and simdgroup
// matrices are finite in number and shared by the whole process. Derived types (pointers,
// references, arrays, functions, textures) come from a [Universe], which returns the same pointer
// for the same parts. Structs and enums are nominal. A Universe belongs to one compilation and is
// not safe for concurrent use.
//
// A type does not include const, volatile or an address space: those belong to [Qualified], and to
// the pointee of a pointer or reference.
//
// Sizes are those of Metal's 64-bit targets: a three-component vector has the size and alignment of
// a four-component one, a packed vector is aligned like its element, a matrix is an array of column
// vectors, bool has one byte and a pointer eight.
package types
