// Package npy reads and writes NumPy's .npy files, each of which holds one array, and its .npz
// files, archives of named arrays. It reads versions 1.0 to 3.0 of the format.
//
// Elements are booleans, integers of 8 to 64 bits, or floating-point numbers of 16 to 64 bits.
// Big-endian and column-major files are converted when they are read; files are written
// little-endian and row-major. Memory is allocated for the bytes that a file contains, not for the
// size that its header claims, so a file of a few bytes cannot make the reader allocate gigabytes.
// Archives may be compressed and so hold much more than their size: [ArchiveOptions] limits that.
package npy
