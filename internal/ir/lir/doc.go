// Package lir is the low-level intermediate representation: a kernel specialized on the shape of
// its threadgroups, as a linear list of instructions that each work on all lanes of a strip.
// Engines execute it; package ir defines what a program means.
//
// # Strips and frames
//
// A threadgroup's threads, in order, are divided into strips of MaxLanes lanes; the last may be
// shorter. A strip holds whole simdgroups, except that the threadgroup's last simdgroup may be
// partial. Each strip has a frame, and runs the code independently from the start to End. At
// Barrier it waits until all strips of the threadgroup that have not ended are there, in the same
// iterations of the enclosing loops; if there are several strips, the Once numbers in More count
// the iterations. Lanes of a strip that are outside the mask and have not returned (A) are passed
// over, and must not reach a Barrier later. At a grid barrier no lane may be passed over, and the
// threadgroups wait for each other in the same way; its More counts iterations with one strip too.
// Strips share nothing but memory.
//
// A frame is one block of memory in which each variable has its place, Var.Off, once Allocate has
// run: frame[slot][lane], contiguous elements of the kind's size. The variable's class determines
// the number of elements:
//
//   - Once: one, the same for all active lanes of the strip;
//   - Simd: one for each simdgroup of the strip;
//   - Lane: one for each lane;
//   - Affine: a number (I32, I64) for each lane that is mostly base + sx*x + sy*y + sz*z, where x,
//     y, z is the thread's place in the threadgroup. Its place holds an AffineHeader, followed by
//     room for a column. Valid says which of the two is in use. This is known only at run time: an
//     operation whose affine form would wrap falls back to the column, so no analysis of ranges is
//     needed;
//   - Mask: a bit for each lane, lane 0 the lowest bit of the first of MaskWords 32-bit words; a word is a simdgroup.
//
// # Instructions
//
// An operation below ir.NumOps does to each element what the operation of that number does to
// scalars in package ir. Inst.Per says how many elements it works on. Operands may be of a more
// widely shared class (Once for Lane, Once for Simd), in which case the engine reads the one
// element; Simd operands of Lane instructions are expanded by Mov first. There are no vectors:
// lowering has split them into scalars. Pure operations work on all elements, whatever the mask.
// The results in lanes outside the mask are not values of the program and are never seen, because
// everything with an effect has a mask: loads, stores, atomics, operations among lanes, and Merge,
// which combines the values from two branches. Mask 0 is the full mask: all lanes of the strip.
//
// A value that simd.hold of package ir holds for other lanes is a variable of class Lane that is 0
// in all lanes at first and written by Merge only, or in all lanes. A shuffle with Held reads it in
// lanes outside its mask too. These are the only values there that are seen.
//
// Control flow uses jumps: forward over code that no lane needs, backward with Back. Conditions are
// Once values or empty masks. For each region, lowering keeps the mask of the lanes that reached
// its end; a lane that breaks, continues or returns is removed from the current mask and added to
// its target's.
//
// # Passes
//
// Simplify runs passes over a program between lowering and Allocate. Each is one method, may be
// left out (Pass), and preserves validity and results, bit for bit.
//
// # A template JIT
//
// A compiler to machine code can be added without changes: it takes the same Code and the same
// frame, and turns ranges of instructions into leaf functions of (frame, lanes). An interpreter
// calls the function in place of the range, and continues after it on the same frame. The following
// holds:
//
//   - Nothing in an instruction refers to an engine. A variable's place, class and kind (Var)
//     determine where its elements are, and they are nowhere else: between two instructions, all of
//     a strip's values are in its frame. Constants are in it as Once variables before the first
//     instruction, and are never written.
//   - Columns are contiguous, start at multiples of ColumnAlign, as the frame does, and may be read
//     and written up to the next multiple of ColumnAlign, whatever the mask, so that code works on
//     whole vectors. The bytes after the last lane have no meaning.
//   - Mask 0 means the lanes below the count. Operations that work only on variables have no other
//     input: those of package ir on numbers, Mov, Merge, and the mask operations. OpPos fills in a
//     header. A compiler may begin with these and leave the rest to the interpreter.
//   - A range may begin and end anywhere, if no jump leads into its middle and those inside it stay
//     inside or go to its end. Back costs fuel, which is not in the frame: a range that contains
//     one also takes the strip's fuel as an operand, and returns what is left of it, or that it is
//     used up. Barrier and End are left to the interpreter.
//   - Loads, stores and atomics refer to an object by address. Compiled code for them must check
//     bounds in the engine's tables, as package ir's comment requires, and takes the tables as an
//     additional operand.
//
// An interpreter that fuses instructions, so that a variable between them is not written, must not
// do so across the ends of a range. A test in package vm runs straight-line ranges outside the
// engine, given only the frame and the count.
package lir
