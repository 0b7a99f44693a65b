// Package emit emits the amd64 instructions of ranges of programs as package plan has planned.
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
// which each lane checks its own. The copy is compiled when a launch first needs it: see parts.go.
//
// How far apart the lanes' elements are may depend on an argument: see assumed_steps.go. Loops in
// which each lane has addresses of its own are run by one lane after another: see solo.go.
//
// # Processors
//
// The compiler is written for AVX-512. For processors with AVX2, amd64.Legalizer replaces each
// instruction that they lack as it is emitted; what takes more than that is written twice, in the
// files avx2_*.go. Those processors have half as many registers, so values of a segment that find
// none move to memory.
//
// # Invariants
//
//   - Emitting decides nothing that a plan could: what is emitted for an instruction depends on the
//     plan, and on which registers are free. The plan does not change, but for the places that it
//     gives away (Plan.Alloc).
//   - Where a plan leaves too few registers, or the code becomes too long, plan.Fail ends the
//     attempt, and the next best plan is tried. Nothing of a failed attempt remains.
//   - Registers of an operation's intermediate values have no meaning after it. RDI and RSI are the
//     context and the frame throughout; BP, SP and R14 are Go's.
//   - A range's Description is complete before its code first runs: parts that are compiled later
//     need nothing more of the engine.
//
// The tests are in package jit, which can run what is emitted.
package emit
