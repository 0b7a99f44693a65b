// Package jit compiles programs of package lir to machine code.
//
// It compiles ranges of instructions, those that it knows, to functions of a strip's frame; the
// engine that interprets the program calls them in the place of the instructions, and executes the
// rest. Between two ranges all values are in the frame. See package lir for what makes this
// possible.
//
// # Blocks of vectors
//
// A vector has as many lanes as a register has elements of 4 bytes. The code works on a block of so
// many vectors that the values of all fit into the registers, and runs them from the range's begin
// to its end before the next block begins. Numbers that all lanes share stay in the frame, and each
// block finds them as the first did. A range whose blocks could end at different places is not
// compiled, unless all vectors are in one block.
//
// # Segments
//
// A segment ends with a jump. Its operations on shared numbers come first, then addresses are
// checked, then the operations on lanes run to the end of the segment for each vector. If not all
// addresses of a segment are inside of their objects, a copy of the operations on lanes runs in
// which each lane checks its own. The copy is compiled when a launch first needs it: see rest.go.
//
// How far apart the lanes' elements are may depend on an argument: see guess.go. Loops in which
// each lane has addresses of its own are run by one lane after another: see solo.go.
//
// # Processors
//
// The compiler is written for AVX-512. For processors with AVX2, each instruction that they lack is
// replaced as it is emitted: see avx2.go. There are half as many registers, so values of a segment
// that find none move to memory.
//
// # Suspension
//
// Backward jumps spend fuel. Without any, all registers are saved in the context and the code
// returns; Run continues it where it was.
//
// # Rows
//
// If all of a program is one range, a call executes a row of threadgroups: see row.go.
package jit

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/cpu"
	"github.com/puremetal/puremetal/internal/exec/jit/execmem"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Options force rarely used ways, for tests, or ask for listings. The results of kernels do not
// depend on them.
type Options struct {
	List   bool // ranges have listings
	Blocks int  // vectors of a block; 0 lets the compiler choose
	Spill  bool // no variable has a register across segments
	Cold   bool // every lane checks its address
	AVX2   bool // no instructions of AVX-512, also if the processor has them
	Starve bool // the engine gives no fuel, so the code is suspended at every backward jump
	Whole  bool // nothing is compiled only when it is first needed
	Solo   bool // all loops that lanes can run solo are run so
	Calls  bool // all functions are subroutines
}

// Available returns nil if this machine can run what Compile makes.
func Available() error {
	if runtime.GOARCH != "amd64" {
		return errors.New("there is no compiler to machine code for " + runtime.GOARCH)
	}
	if f := cpu.Detect(); !f.FMA || !f.BMI {
		return errors.New("the processor lacks AVX2, FMA, F16C, BMI1 or BMI2")
	}
	return execmem.Available()
}

// Fastest is the name of the instructions on vectors with which code is fastest.
const Fastest = "AVX-512"

// Vectors returns the name of the instructions on vectors that Compile uses.
func (o Options) Vectors() string { return o.target().name }

func (o Options) target() target {
	if o.AVX2 || !cpu.Detect().AVX512 {
		return avx2
	}
	return avx512
}

// The context of a call, in bytes from its begin.
const (
	ctxFrame     = 0
	ctxFuel      = 8
	ctxFirst     = 16 // the strip's first lane in the threadgroup: x, y, z
	ctxResume    = 40
	ctxObject    = 48  // the number of the object that the code asks for, from 1; 0 for none
	ctxHandle    = 56  // which object that is
	ctxFull      = 64  // the strip's lanes, a bit for each
	ctxGroups    = 96  // threadgroups of a row that have not ended
	ctxShared    = 104 // threadgroup memory: address and length
	ctxGroupWork = 120 // of each threadgroup of a row
	ctxRegs      = 128
	ctxMasks     = 192
	ctxVectors   = 256
	ctxColumn    = ctxVectors + 32*64 // of the current threadgroup of a row
	ctxColumns   = ctxColumn + 8      // of the grid
	ctxLine      = ctxColumn + 16     // the threadgroup's position along y
	ctxData      = ctxColumn + 64
)

// maxRange is the most instructions of a range: the time to compile one grows faster than its
// length.
const maxRange = 2000

// What the code returns: suspended if it has no fuel left, from firstCall on the number of a call
// of the engine, from firstPart on the number of a part of the rest of the code that it wants,
// otherwise the number of the exit.
const (
	suspended = 0x7fffffff
	firstCall = 0x40000000
	firstPart = 0x20000000
)

// Program is the compiled part of a program.
type Program struct{ Ranges []*Range }

// Range is a compiled range of instructions.
type Range struct {
	From, To int       // instructions
	Exits    []int     // instructions at which execution may continue
	Row      bool      // it executes rows of threadgroups
	Givens   []Given   // that it needs
	Objects  []Object  // that it accesses
	Textures []Texture // that it accesses by itself
	Calls    []Call    // of the engine
	Queries  []Query   // that it needs
	Lanes    int       // of a vector
	Thread   int32     // where the context has the thread memory, or 0
	Affine   []lir.Ref // variables whose headers must be valid
	Work     int64     // of all instructions, once each
	Solo     int       // loops that lanes run solo
	Pairs    int       // of functions that are computed together, in all blocks
	Waits    bool      // at barriers, for which no lane may have been passed over at another

	now     atomic.Pointer[version]
	rest    sync.Mutex // held to compile the rest of the code
	by      *compiler  // which can do that
	listing string
	locals  int // registers within segments
	spilled int
}

// constant is a part of the context that does not change.
type constant struct {
	at    int32
	words []uint64
}

// Compile compiles the ranges of a program that it can, which may be none.
func Compile(p *lir.Program, o Options) (*Program, error) {
	if !regular(p) {
		return &Program{}, nil
	}
	list := newFacts(p, o.target()).choose(o)
	if len(list) == 0 {
		return &Program{}, nil
	}
	mem, err := execmem.Alloc(joined(list))
	if err != nil {
		return nil, err
	}
	out := make([]*Range, 0, len(list))
	for _, x := range list {
		x.r.now.Load().mem = mem
		out = append(out, x.r)
	}
	return &Program{out}, nil
}

// joined returns the code of all ranges and tells them where theirs begins.
func joined(list []compiled) (code []byte) {
	const align = 64
	if len(list) == 1 {
		return list[0].code
	}
	size := 0
	for _, x := range list {
		size += len(x.code) + align
	}
	code = make([]byte, 0, size)
	for _, x := range list {
		for len(code)%align != 0 {
			code = append(code, 0xcc)
		}
		x.r.now.Load().begin = len(code)
		code = append(code, x.code...)
	}
	return code
}
