package lir

import "github.com/puremetal/puremetal/internal/ir"

// Program is a kernel for threadgroups of one shape.
type Program struct {
	Name   string
	Shape  [3]int // threads of a threadgroup, each at least 1
	Lanes  int    // of a strip's frame: the threads of the threadgroup, at most MaxLanes
	Strips int    // of a threadgroup

	Vars []Var  // Vars[0] is unused
	Code []Inst // ends with OpEnd

	FrameBytes  int   // after Allocate
	ThreadBytes int   // of the allocas of a lane, each aligned to 16
	Allocas     []int // offset of each alloca in a lane's memory; OpAlloca's Imm counts them
	AllocaSizes []int

	HasBarrier bool
	Func       *ir.Func // the source function: arguments, constants, samplers, threadgroup memory, files
}

// Inst is an instruction.
//
// Memory operations (load, store, atomics) act at A + Disp + Scale*ext(B): A is a pointer of any
// class, B an index of any class or 0. As in package ir, the arithmetic is modulo 2^40 and never
// changes the object. The elements there are of Kind.
type Inst struct {
	Op    Op
	Kind  ir.Kind // of the elements that it works on: of the operands, of the result for a conversion's target
	From  ir.Kind // a conversion's source
	Per   Class   // Once, Simd, Lane or Affine: how many elements it works on
	Ext   Ext
	Space ir.Space // of a memory operation
	// FromSpace is the space that a copy reads.
	FromSpace ir.Space
	Order     ir.Order
	Flags     ir.Flags
	Mem       ir.MemMask

	D, D2   Ref // results
	A, B, C Ref // operands
	Mask    Ref
	// operands after the third, and results after the second, for the few operations that have
	// them: see the operation's row in package ir
	More []Ref
	Outs []Ref // the results of operations on textures, component by component

	Imm    int64
	Scale  int64
	Disp   int64
	Target int32 // of jumps: index into Code

	Loc ir.Loc
	HIR *ir.Instr // the source instruction, for hooks and messages; nil for those added by lowering

	// Held says of a shuffle that lanes outside the mask give what the operands have in their place,
	// like those of the mask, and not 0.
	Held bool

	Comp uint8 // of a lanewise operation, load or store: the component of the source instruction's value
}

// Var returns the variable that r names.
func (p *Program) Var(r Ref) *Var { return &p.Vars[r] }

// NewVar adds a variable.
func (p *Program) NewVar(c Class, k ir.Kind) Ref {
	if len(p.Vars) == 0 {
		p.Vars = append(p.Vars, Var{})
	}
	p.Vars = append(p.Vars, Var{Class: c, Kind: k})
	return Ref(len(p.Vars) - 1)
}

// Reads calls visit for each variable that the instruction reads, its mask included. A Merge reads
// what it merges into.
func (in *Inst) Reads(visit func(Ref)) {
	for _, r := range [...]Ref{in.A, in.B, in.C, in.Mask} {
		if r != 0 {
			visit(r)
		}
	}
	for _, r := range in.More {
		if r != 0 {
			visit(r)
		}
	}
	if in.Op == OpMerge {
		visit(in.D)
	}
}

// GoesOn reports whether execution may continue at the instruction after this one.
func (in *Inst) GoesOn() bool {
	return in.Op != OpJump && in.Op != OpEnd && !(in.Op == OpBack && in.A == 0)
}

// Writes calls visit for each variable that the instruction writes.
func (in *Inst) Writes(visit func(Ref)) {
	for _, r := range [...]Ref{in.D, in.D2} {
		if r != 0 {
			visit(r)
		}
	}
	for _, r := range in.Outs {
		if r != 0 {
			visit(r)
		}
	}
}
