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
// The compiler is written for AVX-512. For processors with AVX2, each instruction that they lack is
// replaced as it is emitted: see avx2.go. There are half as many registers, so values of a segment
// that find none move to memory.
package emit
