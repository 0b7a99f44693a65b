// Package plan decides how ranges of a program become machine code, for any processor: which
// ranges, in blocks of how many vectors, and which variables have registers. What it says is a
// function of the program and of the sizes in a [Target]; package jit emits instructions by it.
//
// [NewFacts] finds what holds for all of a program: which instructions can be compiled, which
// variables are live where, how far apart the addresses of adjacent lanes are. [Facts.Candidates]
// finds the ranges, and for each the sizes of blocks, the best first. [New] and [Plan.UseBlocks]
// plan one of them.
package plan
