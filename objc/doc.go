// Package objc is the seam between Go and Objective-C: identifiers, messages, blocks, autorelease
// pools, strings and errors, without cgo. Everything above it (package mtl and the packages over
// it) is one code path on every machine; only this package knows which of two drivers is in use.
//
//   - The Apple driver sends real messages to the Objective-C runtime of macOS, through a trampoline
//     that places every argument where Apple's compiler would have placed it.
//   - The software driver sends the same messages, with the same encodings and ownership rules, to an
//     Objective-C runtime written in Go.
//
// The driver is chosen once, at the first use of a class or function; see [Use]. Importing the
// package does nothing: no library is opened and no class is looked up before the first use.
//
// # Handles
//
// An [ID] is a checked handle, not a pointer. A handle of a released object is recognised: a
// message to it is a [Fault] and answers zero. A message to the zero ID answers zero, as in
// Objective-C.
//
// # Words
//
// Arguments travel as machine words, without reflection and without interface values, so that a
// message allocates nothing. An integer, BOOL, pointer, object, class or selector is one word; a
// float is its 32 bits and a double its 64 bits in one word ([F32], [F64]); a structure is its
// memory image in as many words as it needs (NSRange 2, MTLSize 3, MTLRegion 6). Results come back
// in the same form.
//
// # Ownership
//
// A result is +1 (the caller owns a reference and must call Release) for methods of the alloc, new,
// copy, mutableCopy and init families, else +0: it is kept alive by its owner or by the autorelease
// pool in place. Keep a +0 result beyond its pool with Retain. Work that receives +0 results
// belongs in a [Pool].
package objc
