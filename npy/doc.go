// Package npy reads and writes NumPy's files of one array (.npy, versions 1.0 to 3.0 of the
// format).
//
// Arrays are of truth values, integers of 8 to 64 bits, and floating-point numbers of 16 to 64.
// Files of big-endian machines and in column-major order are read, and turned on the way; files are
// written little-endian and row-major. What a file claims of its size is believed only as far as
// its bytes go, so a short file of a few bytes cannot ask for gigabytes.
package npy
