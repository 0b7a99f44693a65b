// Package amd64 encodes amd64 instructions: the general ones, AVX and AVX2 (VEX), and AVX-512
// (EVEX).
//
// An Op is an instruction in one form: VMOVUPS loads or copies, VMOVUPSStore stores. The rows in
// instructions.def say which operands an Op has and how it is encoded; Asm.Emit checks operands
// against the row and appends the instruction. The fields of Args have one meaning throughout:
//
//   - D is the register that the instruction writes, and for some Ops also reads: additions of
//     general registers, fused multiply-adds, VPTERNLOG, VPERMI2 and VPERMT2, exchanges.
//   - X is a register that is only read: the first source of three-operand instructions, the first
//     operand of comparisons, the value that a store writes, the count of SHLX.
//   - Y may be in memory: the last source, or where a store goes. Instructions on one operand
//     (ADD64Imm, NEG64, SHL64Imm, SHL64CL) read and write Y.
//   - Fields that the Op does not have must be zero.
//
// VPMASKMOVDStore has three: it stores D where the elements of X are negative.
//
// A Legalizer replaces instructions of AVX-512 for processors that have AVX2 instead, so that one
// compiler serves both.
//
// The formats of prefixes, ModRM and SIB follow Intel's Software Developer's Manual, volume 2,
// chapter 2: its sections on 64-bit mode (REX), on Intel AVX (VEX) and on Intel AVX-512 (EVEX, with
// the compressed displacement and its tuple types). The tests compare every row with LLVM's
// assembler.
package amd64

//go:generate go run ./internal/gen
