// Package jit compiles programs of package lir to machine code, and runs it.
//
// It compiles ranges of instructions, those that it knows, to functions of a strip's frame; the
// engine that interprets the program calls them in the place of the instructions, and executes the
// rest. Between two ranges all values are in the frame. See package lir for what makes this
// possible.
//
// Package plan decides what is compiled and how, for any processor; package emit emits the
// instructions of this one, which package amd64 encodes; execmem has memory that code may run in. A
// second processor gets a package like emit beside it.
//
// # Suspension
//
// Backward jumps spend fuel. Without any, all registers are saved in the context and the code
// returns; Run continues it where it was.
//
// # Rows
//
// If all of a program is one range, a call executes a row of threadgroups: see emit/row.go.
package jit

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/jit/emit"
	"github.com/puremetal/puremetal/internal/exec/jit/execmem"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/machine"
)

// Options configures the compiler of this processor. It implements exec.MachineCompiler.
type Options emit.Options

// Fastest is the name of the instructions on vectors with which code is fastest.
const Fastest = emit.Fastest

// Vectors returns the name of the instructions on vectors that the code uses.
func (o Options) Vectors() string { return emit.Options(o).Vectors() }

// Available implements exec.MachineCompiler.
func (Options) Available() error { return Available() }

// Available returns nil if this machine can run what Compile makes.
func Available() error {
	if exec.RaceDetector {
		return errors.New("the race detector does not see what machine code does")
	}
	if runtime.GOARCH != "amd64" {
		return errors.New("there is no compiler to machine code for " + runtime.GOARCH)
	}
	if f := machine.DetectCPU(); !f.FMA || !f.BMI {
		return errors.New("the processor lacks AVX2, FMA, F16C, BMI1 or BMI2")
	}
	return execmem.Available()
}

// Compile implements exec.MachineCompiler.
func (o Options) Compile(p *lir.Program) (list []*exec.MachineRange, err error) {
	compiled, err := Compile(p, o)
	if err != nil {
		return nil, err
	}
	for _, r := range compiled.Ranges {
		list = append(list, r.machine())
	}
	return list, nil
}

// The code clears memory in pieces that divide those of backends.
var _ = [1]struct{}{}[exec.PieceAlign%emit.PieceAlign]

// Program is the compiled part of a program.
type Program struct{ Ranges []*Range }

// Range is a compiled range of instructions.
type Range struct {
	*emit.Description
	moving []moving
	starve bool

	now     atomic.Pointer[version]
	parts   sync.Mutex                // held to compile the parts
	compile func() (emit.Code, error) // does that; nil once it has been done
}

// machine returns the range as backends know it.
func (r *Range) machine() *exec.MachineRange {
	m := &exec.MachineRange{MachineCode: r, From: r.From, To: r.To, Exits: r.Exits, Row: r.Row,
		Moves: r.Row || len(r.moving) > 0, Waits: r.Waits, Thread: r.Thread != 0, Lanes: r.Lanes, Work: r.Work,
		Affine: r.Affine, Listing: r.Listing}
	for _, g := range r.Givens {
		m.Givens = append(m.Givens, exec.MachineGiven{Inst: g.Inst, Moves: g.Moves, Simdgroup: g.Simdgroup})
	}
	for _, o := range r.Objects {
		m.Objects = append(m.Objects, exec.MachineObject{Pointer: o.Pointer, Space: o.Space, Dynamic: o.Dynamic})
	}
	for _, t := range r.Textures {
		m.Textures = append(m.Textures, exec.MachineTexture{Handle: t.Handle, Sampler: t.Sampler, Type: t.Type,
			Layer: t.Layer, Level: t.Level, Look: t.Look()})
	}
	for _, q := range r.Queries {
		m.Queries = append(m.Queries, exec.MachineQuery{Handle: q.Handle, Type: q.Type, Property: q.Property,
			Level: q.Level})
	}
	places := func(list []emit.Place) (all []exec.MachinePlace) {
		for _, x := range list {
			all = append(all, exec.MachinePlace(x))
		}
		return all
	}
	for _, c := range r.Calls {
		m.Calls = append(m.Calls, exec.MachineCall{Inst: c.Inst, Mask: c.Mask, Operands: places(c.Operands),
			Results: places(c.Results)})
	}
	return m
}

// moving is a given number that is a component of the threadgroup's position.
type moving struct{ at, axis int32 }

// version is the code of a range, with or without its parts.
type version struct {
	emit.Code
	size   int // of the code in mem
	mem    *execmem.Mem
	begin  int      // of the code in mem
	before *version // to whose code subroutines may return
}

// Compile compiles the ranges of a program that it can, which may be none.
func Compile(p *lir.Program, o Options) (*Program, error) {
	list := emit.Compile(p, emit.Options(o))
	if len(list) == 0 {
		return &Program{}, nil
	}
	all, begins := joined(list)
	mem, err := execmem.Alloc(all)
	if err != nil {
		return nil, err
	}
	out := make([]*Range, 0, len(list))
	for i, x := range list {
		r := &Range{Description: x.Description, starve: o.Starve, compile: x.CompileParts}
		for i := range x.Givens {
			if x.Givens[i].Moves {
				r.moving = append(r.moving, moving{x.Givens[i].At, int32(x.Givens[i].Inst.Disp)})
			}
		}
		r.now.Store(newVersion(x.Code, mem, begins[i], nil))
		out = append(out, r)
	}
	return &Program{out}, nil
}

// newVersion returns code that is in memory to run.
func newVersion(c emit.Code, mem *execmem.Mem, begin int, before *version) *version {
	v := &version{Code: c, size: len(c.Bytes), mem: mem, begin: begin, before: before}
	v.Bytes = nil
	return v
}

// joined returns the code of all ranges, and where that of each begins.
func joined(list []emit.Compiled) (all []byte, begins []int) {
	const align = 64
	size := 0
	for _, x := range list {
		size += len(x.Code.Bytes) + align
	}
	all = make([]byte, 0, size)
	for _, x := range list {
		for len(all)%align != 0 {
			all = append(all, 0xcc)
		}
		begins = append(begins, len(all))
		all = append(all, x.Code.Bytes...)
	}
	return all, begins
}

// whole returns the version of the code with all parts.
func (r *Range) whole() (*version, error) {
	r.parts.Lock()
	defer r.parts.Unlock()
	now := r.now.Load()
	if now.Parts != nil {
		return now, nil
	}
	c, err := r.compile()
	if err != nil {
		return nil, err
	}
	mem, err := execmem.Alloc(c.Bytes)
	if err != nil {
		return nil, err
	}
	v := newVersion(c, mem, 0, now)
	r.now.Store(v)
	r.compile = nil
	return v, nil
}

// Code returns the address and the size of the range's code, as far as it has been compiled.
func (r *Range) Code() (address uintptr, size int) {
	v := r.now.Load()
	return v.mem.Entry(v.begin), v.size
}
