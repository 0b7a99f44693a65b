// Package stdlib parses stdlib.def, the definition of Metal's standard library.
//
// A file is a sequence of statements, each ended by a semicolon; // starts a
// comment. Names are those of C++, including :: in qualified names.
//
//	section "Math";                        a heading of the page
//	namespace metal::fast;                 what follows is declared there; "namespace ;" is the global one
//	types F = float half bfloat;           a set of types; a set may name earlier ones
//	enum class flags name { a = 1, b } since 3.1;
//	struct level(float value) "doc";       a struct with a constructor that takes its members
//	opaque command_buffer "doc";           a handle
//	template array "doc";                  a class template that the checker knows by name
//	alias uint8_t = uchar;                 another name of a type
//	trait is_same "doc";                   a trait with a value; its _v is declared too
//	typetrait remove_cv "doc";             a trait with a type; its _t is declared too
//	const M_PI_F float = 0x40490fdb;       a constant by its bits
//	object os_log_default os_log;          an object of a library class
//	fn clamp(T x, T lo, T hi) -> T for T in F I 1-4 = Clamp pure "doc";
//	fn texture1d|texture2d.get_width(uint lod = 0) const -> uint = TexWidth "doc";
//	fn texture1d.atomic_min|atomic_max(uint coord, E.4 operand) const = TexAtomicMinMax "methods that differ in name only";
//
// A function may have variables, each with the types it ranges over: a list of types and sets;
// after "matrix", "square" or "packed" the matrices or packed vectors of those types; before a
// range of lengths, their scalars (1) and vectors. A variable of address spaces is called S and
// lists them. T.elem is the element of T, T.int the same shape of ints, T.4 a vector of four of its
// elements; T.transposed and the like are explained where they are parsed. In members, E is the
// component type of the texture or matrix.
//
// After "=" come the operation, flags and then the documentation of the operation, given once per
// operation. "since 3.1" may appear anywhere among the flags. The flag "math" also declares the
// function in fast and precise, and under the compiler's own name with a last argument that selects
// the fast version: __metal_sin(x, true). "nolow" omits the latter; "raw" declares it without the
// argument.
package stdlib
