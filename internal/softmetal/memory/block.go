package memory

import (
	"errors"
	"fmt"
	"os"
)

// Purpose is what memory is used for.
type Purpose uint8

// The purposes that accounts are kept of.
const (
	Buffers Purpose = iota
	Textures
	Heaps
	Working // what the device needs for itself: inline bytes, counters, argument tables
	purposes
)

// String names the purpose.
func (p Purpose) String() string {
	switch p {
	case Buffers:
		return "buffers"
	case Textures:
		return "textures"
	case Heaps:
		return "heaps"
	case Working:
		return "working"
	}
	return fmt.Sprintf("Purpose(%d)", uint8(p))
}

// ErrMemory is why a block is not to be had.
var ErrMemory = errors.New("out of memory")

// Block is memory outside Go's heap, in whole pages. It begins as zeros.
type Block struct {
	owner   *Device
	purpose Purpose
	pages   []byte
	length  int
	foreign func() // of memory that somebody else owns: called when it is no longer used
}

// Bytes returns the block's memory, with the requested length.
func (b *Block) Bytes() []byte { return b.pages[:b.length:b.length] }

// Address returns the memory's address in the process.
func (b *Block) Address() uintptr { return AddressOf(b.pages) }

// Size returns the bytes that the block takes from the system.
func (b *Block) Size() uint64 { return uint64(len(b.pages)) }

// PageSize returns the size that blocks are multiples of.
func PageSize() uint64 { return uint64(os.Getpagesize()) }

func pagesFor(n uint64) uint64 {
	page := PageSize()
	return (n + page - 1) &^ (page - 1)
}
