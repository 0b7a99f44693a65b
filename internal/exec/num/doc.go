// Package num says what the operations on single numbers compute: every Lanewise operation of
// package ir, on bits. It is the one definition that all engines share. What an engine computes
// faster by other means must give the same bits.
//
// Numbers are passed as the bits of their kind in a uint64, zero above.
package num
