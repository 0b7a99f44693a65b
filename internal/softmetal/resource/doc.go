// Package resource has Metal's classes of memory: buffers, textures and their views, heaps,
// samplers and residency sets.
//
// An object of a class that Metal calls a resource embeds [Resource] in its payload. The package
// may import internal/softmetal/device and everything below it.
package resource
