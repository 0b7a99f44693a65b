// Package mtl binds Metal: devices, queues, command buffers, the compute, blit, resource-state and
// acceleration-structure encoders, buffers, textures, heaps, libraries, pipelines and their
// reflection, events, indirect command buffers, argument encoders, counters, residency sets, IO
// queues and Metal 4. The render pipeline is left out; zskipped.txt lists what is not bound and
// why.
//
// The files named z*.go are generated: one Go type for each class and protocol, one method for each
// selector, with names that keep Metal's words without its prefix. MTLBuffer is [Buffer]; a type of
// Metal 4, such as MTL4CommandQueue, is [CommandQueue4]. The other files hold what Go adds: slices
// for memory, contexts for waits, typed errors, and checks.
//
// # Checks
//
// Metal answers misuse with an Objective-C exception, which ends a Go program. So the calls that
// can be misused are checked before anything is sent: the error wraps one of the sentinels of this
// package, such as [ErrIndex] or [ErrThreadgroupSize], and says which call, which value and which
// limit. A method that a newer macOS brought returns an error where it is missing
// ([objc.UnavailableError]).
//
// A message to a nil wrapper answers zero. A message to a released object answers zero and is
// reported; see [objc.OnFault].
//
// # Ownership
//
// The comment of each method says whether its result is +1, to be released by the caller, or +0,
// alive until the end of the autorelease pool in place. Encoders and command buffers are +0: run
// the code that makes them in an [objc.Pool].
package mtl
