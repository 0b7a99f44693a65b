// Package objcsoft is an Objective-C runtime in Go: selectors, classes,
// protocols, objects with retain counts, autorelease pools, blocks and the part
// of Foundation that Metal's API speaks in. It lets the bindings run, and be
// tested, where Apple's runtime does not exist.
//
// # Semantics
//
//   - An ID is a checked handle: a tag that no address carries, a generation and
//     an index. It is never a pointer, so a stale one is an error
//     (ErrReleased), not a wild access.
//   - Every method has a type encoding. A message names the encoding it was
//     built from, and the two must be equal; both are interned, so the check is
//     one comparison and is never switched off.
//   - Arguments and results are sequences of machine words. Integers, BOOL,
//     objects, selectors and addresses take one word, a float its 32 bits in
//     one, a double its 64, a structure the words of its memory image. Narrow
//     integers are extended on the way in and out, BOOL is 0 or 1.
//   - A message to nil gives zeros. Every other fault (released receiver,
//     unknown selector, wrong encoding, a panic or an exception inside the
//     method) is an error of Send and zeros in its results. Nothing crashes.
//   - An error says where in the program the message was sent; that place is
//     looked up only when there is an error.
//   - Reads and writes through addresses that a message carries are guarded: an
//     address that is not mapped gives ErrAddress. An address that is mapped
//     but wrong cannot be detected.
//
// # Invariants
//
//   - Looking up an object or a method takes no lock and does not allocate.
//   - A count that has reached zero never rises again: a weak reference or a
//     late Retain fails instead of reviving the object.
//   - Methods, Dealloc hooks and blocks run with no lock of the runtime held.
//   - A slot of the handle table is used again under another generation, and
//     retired when its generations are spent.
//
// The package emulates what the bindings need, not libobjc: there is no
// swizzling, no forwarding, no key-value observing. It needs 64-bit words.
package objcsoft
