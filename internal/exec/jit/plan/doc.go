// Package plan decides how ranges of a program become machine code, for any processor: which
// ranges, in blocks of how many vectors, which variables have registers, and which special forms
// loops and segments have. A plan is a function of the program and of the sizes in a [Target], and
// prints itself; package emit emits instructions by it.
//
// [NewFacts] finds what holds for all of a program: which instructions can be compiled, which
// variables are live where, how far apart the addresses of adjacent lanes are. [Facts.Candidates]
// finds the ranges, and for each the sizes of blocks, the best first. [New] and [Plan.UseBlocks]
// plan one of them, and [Plan.ChooseForms] chooses its forms.
//
// # Terms
//
//   - A range is a sequence of instructions that is compiled as one function.
//   - A vector has as many lanes as a vector register has elements of 4 bytes. A block consists of
//     the vectors that run a range together, from its begin to its end.
//   - A segment is a part of a range without jumps, but for one at its end. Its operations on
//     numbers that lanes share come first, then those on lanes, then deferred ones on masks.
//   - A home is the place of a variable that lives across segments: registers, or memory.
//   - A loop is run solo if each lane runs it by itself; functions are a pair if they are computed
//     together; a segment assumes steps if it has code for the usual distance between lanes.
//
// # Invariants
//
//   - No processor's instructions, registers or names are in this package: what differs is in the
//     Target.
//   - Planning the same program for the same Target gives the same plan.
//   - What facts say does not change, though some are found when they are first needed. A plan that
//     cannot be is [Unable], an error for the next best to be tried, never a wrong plan.
package plan
