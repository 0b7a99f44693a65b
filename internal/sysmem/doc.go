// Package sysmem maps memory in whole pages outside of Go's heap, which devices can use without a
// copy. Where the system has no calls that this package knows, the memory is Go's.
package sysmem
