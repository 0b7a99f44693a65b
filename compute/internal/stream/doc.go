// Package stream is the core of package compute, and of the packages above it that record commands:
// what a command is, the memory that it uses, how overlapping accesses are ordered and failures
// spread, and how commands are encoded. The public types of package compute have one of these types
// as a field.
package stream
