package mtl

// Limits that are the same on every device this package runs on. They come from Apple's Metal
// feature set tables; Metal has no query for them.
const (
	// MaxBufferSlots is the number of buffers in the argument table of a function.
	MaxBufferSlots = 31
	// MaxTextureSlots is the number of textures in the argument table of a function on Apple and Mac
	// GPUs of Metal 3.
	MaxTextureSlots = 128
	// MaxSamplerSlots is the number of samplers in the argument table of a function.
	MaxSamplerSlots = 16
	// MaxThreadgroupMemorySlots is the number of threadgroup memory arguments of a kernel.
	MaxThreadgroupMemorySlots = 31
	// MaxBytesLength is the most bytes that setBytes copies into a command buffer.
	MaxBytesLength = 4096
	// ThreadgroupMemoryAlignment is what the lengths of threadgroup memory are multiples of.
	ThreadgroupMemoryAlignment = 16
	// MaxTextureSize2D is the largest width and height of a 2D or cube texture, and the largest width
	// of a 1D one.
	MaxTextureSize2D = 16384
	// MaxTextureSize3D is the largest width, height and depth of a 3D texture.
	MaxTextureSize3D = 2048
	// MaxTextureArrayLength is the most slices of an array texture; a cube has six faces beside.
	MaxTextureArrayLength = 2048
	// MaxTextureBufferWidth is the most pixels of a texture buffer: 2 to the 28th on Apple GPUs, which
	// no format at a device's largest buffer reaches on others.
	MaxTextureBufferWidth = 1 << 28
	// MaxAnisotropy is the largest anisotropy of a sampler.
	MaxAnisotropy = 16
)

// Limits are a device's limits and what it says of its memory. The comment of each field names its
// source.
type Limits struct {
	MaxBufferLength uint // bytes; -[MTLDevice maxBufferLength]
	// along each dimension; -[MTLDevice maxThreadsPerThreadgroup]. A pipeline may allow fewer in all
	MaxThreadsPerThreadgroup   Size
	MaxThreadgroupMemoryLength uint // bytes; -[MTLDevice maxThreadgroupMemoryLength]
	// bytes that do not slow the device down; -[MTLDevice recommendedMaxWorkingSetSize]
	RecommendedMaxWorkingSetSize uint64
	// bytes this process has allocated, at the moment of asking; -[MTLDevice currentAllocatedSize]
	CurrentAllocatedSize       uint
	UnifiedMemory              bool // CPU and GPU share memory; -[MTLDevice hasUnifiedMemory]
	ArgumentBuffers            ArgumentBuffersTier
	MaxArgumentBufferSamplers  uint // -[MTLDevice maxArgumentBufferSamplerCount]
	BufferSlots                uint // [MaxBufferSlots], feature set tables
	TextureSlots               uint // [MaxTextureSlots], feature set tables
	SamplerSlots               uint // [MaxSamplerSlots], feature set tables
	BytesLength                uint // [MaxBytesLength], feature set tables
	ThreadgroupMemoryAlignment uint // [ThreadgroupMemoryAlignment], feature set tables
	// bytes that offsets and lengths of a blit encoder's copies and fills of buffers are multiples of:
	// 1 on Apple's GPUs, 4 on others
	BlitAlignment uint
}

// Limits asks the device for its limits. A nil device has none: all but the constants are zero, and
// BlitAlignment is what every device takes.
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
