package mtl

// Limits that are the same on every device this package supports. They come from Apple's Metal
// feature set tables, as Metal has no query for them.
const (
	// MaxBufferSlots is the number of buffers in a function's argument table.
	MaxBufferSlots = 31
	// MaxTextureSlots is the number of textures in a function's argument table on Apple and Mac GPUs
	// with Metal 3.
	MaxTextureSlots = 128
	// MaxSamplerSlots is the number of samplers in a function's argument table.
	MaxSamplerSlots = 16
	// MaxThreadgroupMemorySlots is the number of threadgroup memory arguments of a kernel.
	MaxThreadgroupMemorySlots = 31
	// MaxBytesLength is the maximum number of bytes that setBytes copies into a command buffer.
	MaxBytesLength = 4096
	// ThreadgroupMemoryAlignment is the unit of threadgroup memory: lengths are multiples of it.
	ThreadgroupMemoryAlignment = 16
	// MaxTextureSize2D is the maximum width and height of a 2D or cube texture, and the maximum width
	// of a 1D texture.
	MaxTextureSize2D = 16384
	// MaxTextureSize3D is the maximum width, height and depth of a 3D texture.
	MaxTextureSize3D = 2048
	// MaxTextureArrayLength is the maximum number of slices of an array texture. A cube array has
	// six slices for each element.
	MaxTextureArrayLength = 2048
	// MaxTextureBufferWidth is the maximum number of pixels of a texture buffer: 2 to the 28th on
	// Apple GPUs, more than the largest buffer of any other GPU can hold in any format.
	MaxTextureBufferWidth = 1 << 28
	// MaxAnisotropy is the maximum anisotropy of a sampler.
	MaxAnisotropy = 16
)

// Limits are a device's limits and the state of its memory. The comment of each field names its
// source.
type Limits struct {
	MaxBufferLength uint // bytes; -[MTLDevice maxBufferLength]
	// in each dimension; -[MTLDevice maxThreadsPerThreadgroup]. A pipeline may allow fewer in total
	MaxThreadsPerThreadgroup   Size
	MaxThreadgroupMemoryLength uint // bytes; -[MTLDevice maxThreadgroupMemoryLength]
	// bytes that can be used without slowing the device down; -[MTLDevice
	// recommendedMaxWorkingSetSize]
	RecommendedMaxWorkingSetSize uint64
	// bytes that this process has allocated at the time of the call; -[MTLDevice currentAllocatedSize]
	CurrentAllocatedSize       uint
	UnifiedMemory              bool // CPU and GPU share memory; -[MTLDevice hasUnifiedMemory]
	ArgumentBuffers            ArgumentBuffersTier
	MaxArgumentBufferSamplers  uint // -[MTLDevice maxArgumentBufferSamplerCount]
	BufferSlots                uint // [MaxBufferSlots], feature set tables
	TextureSlots               uint // [MaxTextureSlots], feature set tables
	SamplerSlots               uint // [MaxSamplerSlots], feature set tables
	BytesLength                uint // [MaxBytesLength], feature set tables
	ThreadgroupMemoryAlignment uint // [ThreadgroupMemoryAlignment], feature set tables
	// alignment in bytes of the offsets and lengths of a blit encoder's buffer copies and fills: 1 on
	// Apple GPUs, 4 on others
	BlitAlignment uint
}

// Limits asks the device for its limits. For a nil device all but the constants are zero, and
// BlitAlignment is the value that is safe on every device.
func (o Device) Limits() Limits {
	return Limits{
		MaxBufferLength:              o.MaxBufferLength(),
		MaxThreadsPerThreadgroup:     o.MaxThreadsPerThreadgroup(),
		MaxThreadgroupMemoryLength:   o.MaxThreadgroupMemoryLength(),
		RecommendedMaxWorkingSetSize: o.RecommendedMaxWorkingSetSize(),
		CurrentAllocatedSize:         o.CurrentAllocatedSize(),
		UnifiedMemory:                o.HasUnifiedMemory(),
		ArgumentBuffers:              o.ArgumentBuffersSupport(),
		MaxArgumentBufferSamplers:    o.MaxArgumentBufferSamplerCount(),
		BufferSlots:                  MaxBufferSlots,
		TextureSlots:                 MaxTextureSlots,
		SamplerSlots:                 MaxSamplerSlots,
		BytesLength:                  MaxBytesLength,
		ThreadgroupMemoryAlignment:   ThreadgroupMemoryAlignment,
		BlitAlignment:                uint(blitUnit(deviceOf(o))),
	}
}
