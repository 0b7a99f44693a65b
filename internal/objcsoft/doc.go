// Package objcsoft is an Objective-C runtime in Go: selectors, classes, protocols, objects with
// retain counts, autorelease pools, blocks and the part of Foundation that Metal's API uses. It
// lets the bindings run, and be tested, on systems without Apple's runtime.
//
// # Semantics
//
//   - An ID is a checked handle made of a tag, a generation and an index. The tag occurs in no
//     valid address. An ID is never a pointer, so using a stale one is an error (ErrReleased)
//     rather than a wild access.
//   - Every method has a type encoding. A message carries the encoding it was
//     built from, and the two must be equal. Both are interned, so the check is
//     a single comparison and is always on.
//   - Arguments and results are sequences of machine words. Integers, BOOL, objects, selectors,
//     addresses, floats and doubles take one word each, a structure takes the words of its memory
//     image. Narrow integers are extended, in arguments and in results; BOOL is 0 or 1.
//   - A message to nil returns zeros. For every other fault (released receiver,
//     unknown selector, wrong encoding, a panic or an exception in the method)
//     Send returns an error, and its results are zeros. Nothing crashes.
//   - An error names the source line that sent the message. The line is looked
//     up only when an error occurs.
//   - Reads and writes through addresses in messages are guarded: an unmapped
//     address gives ErrAddress. An address that is mapped but wrong cannot be
//     detected.
//
// # Invariants
//
//   - Looking up an object or a method takes no lock and does not allocate.
//   - A retain count that has reached zero never rises again: a weak reference
//     or a late Retain fails instead of reviving the object.
//   - Methods, Dealloc hooks and blocks run without any lock of the runtime.
//   - A slot of the handle table is reused with a new generation, and retired
//     when its generations are exhausted.
//
// The package emulates what the bindings need, not libobjc: there is no
// swizzling, no forwarding, no key-value observing. It needs 64-bit words.
package objcsoft
