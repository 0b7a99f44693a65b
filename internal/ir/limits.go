package ir

// Limits that affect the meaning of a kernel. The checker, the lowering and all engines share them.
// A device may have lower limits, as package softmetal does for threadgroup memory, but never
// higher ones.
const (
	// SimdWidth is the number of lanes of a simdgroup. The last simdgroup of a threadgroup may have
	// fewer.
	SimdWidth = 32

	// QuadWidth is the number of lanes of a quad.
	QuadWidth = 4

	// MaxThreads is the largest number of threads in a threadgroup, and in each of its dimensions.
	MaxThreads = 1024

	// MaxThreadBytes limits the size of a thread's variables in the thread space. An engine may
	// allocate them for MaxThreads threads at once.
	MaxThreadBytes = 1 << 20

	// MaxThreadgroupBytes limits each block of threadgroup memory in a launch. It is far more than
	// any GPU has, yet small enough for an engine to allocate every time.
	MaxThreadgroupBytes = 1 << 24

	// alignmentBits is the width of an alignment in the Imm of a load or store.
	alignmentBits = 16

	// MaxHeld limits the registers of lanes that OpSimdHold sets.
	MaxHeld = 1 << 20

	// GPUThreadgroupBytes is the threadgroup memory of Mac GPUs. A kernel that declares more cannot
	// be made into a pipeline.
	GPUThreadgroupBytes = 32 << 10
)
