// Package limits defines the limits of the software device. Limits that Metal has no query for are
// the same on every device; the others are those of a GPU of family Apple9. A test compares them
// with those of package mtl.
package limits

import (
	"math"

	"github.com/puremetal/puremetal/internal/ir"
)

// Limits of threadgroups and grids.
const (
	MaxThreads           = ir.MaxThreads          // in a threadgroup, and along each of its dimensions
	SimdgroupWidth       = ir.SimdWidth           // threads
	MaxThreadgroupMemory = ir.GPUThreadgroupBytes // bytes, declared by the kernel and set by the host together
	MaxGridThreads       = math.MaxUint32
)

// Slots of an argument table, and of threadgroup memory.
const (
	MaxBuffers  = 31
	MaxTextures = 128
	MaxSamplers = 16
	MaxMemory   = 31
)

// Limits of commands.
const (
	MaxInlineBytes    = 4096  // that setBytes takes
	MemoryAlignment   = 16    // of lengths of threadgroup memory
	IndirectAlignment = 4     // of a command's arguments in memory
	MaxCommands       = 16384 // of an indirect command buffer
)

// MaxArgumentBufferSamplers is how many samplers argument buffers may refer to.
const MaxArgumentBufferSamplers = 1024

// Limits of textures and samplers.
const (
	MaxTextureSize2D       = 16384 // width and height; width of a 1D texture
	MaxTextureSize3D       = 2048  // width, height and depth
	MaxTextureArrayLength  = 2048
	MaxTextureBufferWidth  = 1 << 28
	LinearTextureAlignment = 16 // of offsets and rows of a texture in a buffer
	TextureBufferAlignment = 16 // of offsets of a texture buffer
	MaxAnisotropy          = 16
)
