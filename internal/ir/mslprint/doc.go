// Package mslprint prints kernels as source text in the Metal Shading Language, for drivers that
// take nothing else: a Mac's driver compiles the text of a kernel that this module has rewritten.
//
// The text uses documented language only, and says what package ir defines as precisely as the
// language can. Integers are unsigned, since unsigned arithmetic wraps; operations on signed
// numbers convert for that one operation. Pointers are pointers to bytes, and each access casts to
// the type it needs. Functions name their precision, and pragmas turn off contraction and relaxed
// math. Each variable of a thread begins with zeros.
//
// Where the language leaves an operation undefined (a division by zero, a conversion of a number
// out of range, an address out of bounds), the text does too: it is as defined as the source that
// the kernel came from. Compiled by package msl, the text gives the same bits as the kernel.
//
// Names of kernels and arguments are the kernel's. Buffers of numbers keep their types, so that
// reflection shows them; other objects are declared as bytes of the same number and alignment.
package mslprint
