package ir

// Limits that the meaning of a kernel depends on. The checker, the lowering and all engines share
// them. A device may allow less, as package softmetal does for threadgroup memory, but never more.
const (
	// SimdWidth is the number of lanes of a simdgroup. The last simdgroup of a threadgroup may have
	// fewer.
	SimdWidth = 32

	// QuadWidth is the number of lanes of a quad.
	QuadWidth = 4

	// MaxThreads is the largest number of threads in a threadgroup, and in each of its dimensions.
	MaxThreads = 1024

	// MaxThreadBytes limits the variables that one thread has in the thread space. An engine may
	// allocate them for MaxThreads threads at once.
	MaxThreadBytes = 1 << 20

	// MaxThreadgroupBytes limits each block of threadgroup memory that a launch provides. It is far
	// more than any GPU has, and small enough for an engine to allocate it every time.
	MaxThreadgroupBytes = 1 << 24

	// GPUThreadgroupBytes is the threadgroup memory that the GPUs of Macs have. No pipeline can be
	// created of a kernel that declares more.
	GPUThreadgroupBytes = 32 << 10
)
