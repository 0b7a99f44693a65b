// Package recording is test support for packages of bindings. It puts classes into a software Objective-C runtime that
// answer every bound selector by noting the message and returning a value that tells by itself which method it came from.
// A test calls the Go method and compares what was promised with what arrived.
//
// A [Device] stands beside whatever real classes the runtime has: its classes, protocols, functions, constants and framework
// carry a prefix, so that the bindings' tables are all that a test has to redirect.
package recording
