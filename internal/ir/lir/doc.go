// Package lir is the low-level intermediate representation: a kernel specialized on the shape of
// its threadgroups, as a linear list of instructions that each work on all lanes of a strip.
// Engines execute it; what a program means is said in package ir.
//
// # Strips and frames
//
// A threadgroup's threads, in their order, are cut into strips of MaxLanes lanes, the last perhaps
// shorter; a strip holds whole simdgroups, except that the threadgroup's last simdgroup may lack
// lanes. Each strip has a frame, and runs the code by itself from the start to End; at Barrier it
// waits until all strips of the threadgroup that have not ended are there, in the same rounds of
// the loops around it: where there are several strips, the rounds are counted in the Once numbers
// of More. Of a strip's lanes, those outside of the mask that have not returned (A) are passed
// over, and may come to no Barrier later. Nothing else is shared between strips but memory.
//
// A frame is one block of memory in which each variable has its place, Var.Off, when Allocate has
// run: frame[slot][lane], one element behind the other, of the kind's size. How many elements there
// are is the variable's class:
//
//   - Once: one, the same for all active lanes of the strip;
//   - Simd: one for each simdgroup of the strip;
//   - Lane: one for each lane;
//   - Affine: a number (I32, I64) for each lane that is mostly base + sx*x + sy*y + sz*z, where x, y, z is the thread's place in the
//     threadgroup. Its place holds an AffineHeader, and behind it room for a column. Valid says which of the two counts. Which one it is shows
//     only at run time: an operation whose affine form would wrap falls back to the column, so no analysis of ranges is needed;
//   - Mask: a bit for each lane, lane 0 the lowest bit of the first of MaskWords 32-bit words; a word is a simdgroup.
//
// # Instructions
//
// An operation below ir.NumOps does in each element what the operation of that number does in
// package ir, on scalars. Inst.Per says how many elements it works on; operands may be of a
// wider-shared class (Once for Lane, Once for Simd), of which the engine reads the one element;
// Simd operands of Lane instructions are expanded by Mov first. Vectors do not exist: lowering has
// cut them into scalars. Pure operations work on all elements, whatever the mask; what lanes
// outside of the mask get is no value of the program and never seen, because everything with an
// effect names its mask: loads, stores, atomics, operations among lanes, and Merge, which is how a
// value from one branch meets the other's. Mask 0 is the full mask: all lanes of the strip.
//
// Control is by jumps: forward over what no lane needs, backward with Back.
// Conditions are Once values or empty masks. Lowering keeps for each region the mask of the lanes
// that came to its end; a lane that breaks, continues or returns is taken out of the current mask
// and put into its target's.
//
// # Passes
//
// Simplify runs passes over a program between lowering and Allocate. Each is one method, may be
// left out (Pass), and keeps the program valid and the bits that it gives.
//
// # A template JIT
//
// A compiler to machine code is a pure addition: it takes the same Code and the same frame, and
// turns ranges of instructions into leaf functions of (frame, lanes) that an interpreter calls
// where the range stood, going on behind it on the same frame. This holds:
//
//   - Nothing in an instruction refers to an engine. A variable's place, class and kind (Var) say where its elements lie, and nothing of it is anywhere else: between two instructions the
//     frame is all there is of a strip's values. Constants stand in it as Once variables before the first instruction and are never written.
//   - Columns are contiguous, start at multiples of ColumnAlign, as the frame does, and may be read and written up to the next multiple of ColumnAlign, whatever the mask, so that
//     code works on whole vectors. What lies behind the last lane is no value.
//   - Mask 0 is the lanes below the count; no other state goes into an operation on variables alone: those of package ir on numbers, Mov, Merge, and the operations on masks. OpPos fills in
//     a header. A compiler may begin with these and leave the rest to the interpreter.
//   - A range begins and ends anywhere, if no jump leads into its middle and those inside it stay inside or go to its end. Back costs fuel, which is not in the frame:
//     a range with one in it takes the strip's fuel as an operand too, and hands back what is left, or that none is. Barrier and End are the interpreter's.
//   - Loads, stores and atomics name an object by address; whoever compiles them checks bounds by the tables of the engine, as package ir's comment says, and asks for them as one more operand.
//
// An interpreter that joins instructions, so that a variable between them is not written, must not
// do so over the ends of a range. A test of package vm runs straight ranges outside of the engine,
// with the frame and the count as all they know.
package lir
