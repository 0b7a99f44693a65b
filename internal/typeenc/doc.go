// Package typeenc parses Objective-C type encodings: the strings in which the
// compiler writes the types of a method, a block or a C function, for example
// "v@:@QQ" or "{?={?=QQQ}{?=QQQ}}@:".
//
// All encodings that clang writes for Apple's 64-bit platforms are accepted,
// with or without frame offsets, quoted class names, field names and
// qualifiers. Two extensions are accepted, too: a SIMD vector, which clang
// encodes as an empty string, is written "<4f>", and a block may carry the
// signature of its function as in "@?<v@?@>".
//
// Sizes and alignments are those of Apple's LP64 targets, which are the same on
// arm64 and x86_64 for every type except long double (see [LongDouble]). A
// type's size is its size in memory; [Words] gives the number of 8-byte machine
// words that this project uses to pass a value of it between Go functions.
package typeenc
