// Package recording is test support for packages of bindings. It registers classes with a software
// Objective-C runtime that record every message to a bound selector and return a value that
// identifies the method. A test calls the Go method and compares the recorded message with the
// declaration.
//
// A [Device] coexists with the real classes of the runtime: the names of its classes, protocols,
// functions, constants and framework have a prefix, so that a test only redirects the bindings'
// tables.
package recording
