// Package abitest lets tests compare this project's bindings with tables of Objective-C ABI facts:
// the selectors, type encodings, ownership, structure layouts and constants of Apple's frameworks.
//
// The tables are not part of this repository. They are read from abi/*.json in the directory that
// PUREMETAL_SHARED names, or in ../shared next to the repository; without them a test that needs
// them is skipped with the reason. They are read once per process and kept in memory.
package abitest
