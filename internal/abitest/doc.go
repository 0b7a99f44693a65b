// Package abitest lets tests compare this project's bindings with tables of Objective-C ABI facts:
// the selectors, type encodings, ownership, structure layouts and constants of Apple's frameworks.
//
// The tables are not part of this repository. They are looked for in the folder that
// PUREMETAL_SHARED names, else in ../shared beside the repository, as abi/*.json; a test that asks
// for them where they are not is skipped with the reason. They are held in memory only and read
// once per process.
package abitest
