// Package num defines the operations on single numbers: every Lanewise operation of package ir, on
// bits. All engines share this definition. A faster implementation in an engine must produce the
// same bits.
//
// A number is passed as its bits in a uint64; the bits above its kind's size are zero.
package num
