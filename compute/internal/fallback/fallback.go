// Package fallback is what package compute needs to launch kernels on the CPU. Package
// compute/fallback implements it.
//
// The tests of both are in compute and compute/fallback.
package fallback

import (
	"context"

	"github.com/puremetal/puremetal/mtl"
)

// Device runs kernels on the CPU. It is safe for concurrent use.
type Device interface {
	// Prepare compiles a kernel. An error refuses the launch.
	Prepare(ctx context.Context, k Kernel) (Code, error)
}

// Kernel is a kernel to be compiled for the CPU.
type Kernel struct {
	Name      string // of the kernel
	Source    string // in the Metal Shading Language, with its includes expanded and #line lines
	Settings  mtl.CompileSettings
	Macros    map[string]string
	Constants []Constant
}

// Constant is the value of a function constant, by its name unless that is empty.
type Constant struct {
	Name  string
	Index uint
	Value any
}

// Code is a kernel that the CPU can run. It is safe for concurrent use.
type Code interface {
	// Check refuses a launch before it is recorded. Memory.Data is not set yet.
	Check(l *Launch) error
	// Run runs a launch and returns when it has ended, or soon after ctx has. Errors that wrap
	// compute.ErrTimeout or compute.ErrOutOfMemory become failures of this kind, others of
	// compute.ErrExecution.
	Run(ctx context.Context, l *Launch) error
}

// Launch is a launch on the CPU. All sizes are positive.
type Launch struct {
	Grid, Group [3]int // threads
	Memory      []Memory
	Arguments   []Argument
	Work        int64 // the budget of compute.WithWorkBudget; 0 for the default
	Priority    int   // of the stream: -1 to 1
}

// Memory is memory that arguments refer to. Different ones do not overlap.
type Memory struct {
	Data   []byte // the device's memory, not a copy
	Length uint   // of Data
	Writes bool   // whether the kernel may write it
}

// Argument is an argument: a range of a memory, bytes by value, or threadgroup memory.
type Argument struct {
	Threadgroup bool // threadgroup memory
	Index       uint
	Bytes       []byte // by value; nil for a buffer
	Memory      int    // of a buffer: index into Launch.Memory
	Offset      uint   // of a buffer: where it begins in the memory
	Length      uint   // of a buffer or of threadgroup memory, in bytes
}
