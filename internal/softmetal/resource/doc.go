// Package resource implements Metal's memory classes: buffers, textures and their views, heaps,
// samplers and residency sets.
//
// The payload of every MTLResource embeds [Resource]. The package may import
// internal/softmetal/device and everything below it.
//
// The tests of these classes are in internal/softmetal, mtl and internal/conformance.
package resource
