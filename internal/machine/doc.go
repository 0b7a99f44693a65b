// Package machine is what the module needs of the machine and its system beyond package os: which
// vector instructions the processor has, memory in whole pages outside of Go's heap, which devices
// can use without a copy, how much memory there is room for, whether files are accessible to this
// user only, and when files change.
package machine
