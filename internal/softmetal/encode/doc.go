// Package encode implements Metal's classes that record and submit commands: queues, command
// buffers, compute and blit encoders, indirect command buffers, events, fences and counters.
//
// Package command stores and runs the recorded commands. The package may import
// internal/softmetal/library and everything below it.
//
// The tests of these classes are in internal/softmetal, internal/softmetal/command, mtl and
// internal/conformance.
package encode
