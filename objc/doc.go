// Package objc calls Objective-C from Go without cgo: objects, messages, blocks, autorelease pools,
// strings and errors. The packages above it, such as mtl, run the same code on every machine; only
// this package knows which of two drivers is in use:
//
//   - The Apple driver sends real messages to the Objective-C runtime of macOS, through a
//     trampoline that places every argument where Apple's compiler would have placed it.
//   - The software driver sends the same messages, with the same encodings and ownership rules, to
//     an Objective-C runtime written in Go.
//
// The driver is chosen once, when a class or function is first used; see [Use]. Importing the
// package does nothing: no library is opened and no class is looked up before that.
//
// # Handles
//
// An [ID] is a checked handle, not a pointer. A message to an object that has been released is
// detected: it reports a [Fault] and returns zero. A message to the zero ID returns zero, as in
// Objective-C.
//
// # Words
//
// Arguments are passed as machine words, without reflection and without interface values, so that a
// message allocates nothing. An integer, BOOL, pointer, object, class or selector is one word; a
// float is its 32 bits and a double its 64 bits in one word ([F32], [F64]); a structure is its
// memory image in as many words as it needs (NSRange 2, MTLSize 3, MTLRegion 6). Results have the
// same form.
//
// # Called from Objective-C
//
// A [Block] is a Go function that Objective-C calls. [NewClass] makes a class whose methods are Go
// functions, for objects that implement a framework's protocol. Both may be called on any thread,
// and a panic in them is reported and does not unwind Objective-C.
//
// # Ownership
//
// A result of a method of the alloc, new, copy, mutableCopy or init family is +1: the caller owns a
// reference and must call Release. Every other result is +0: its owner or the current autorelease
// pool keeps it alive. To use a +0 result after the pool has been drained, Retain it. Code that
// receives +0 results should run inside a [Pool]; with PUREMETAL_OBJC_DEBUG=1, [Unpooled] lists
// the code that did not.
package objc
