package exec

// A device address consists of an object number in the upper 24 bits and an offset in the lower 40.
const (
	OffsetBits = 40
	OffsetMask = 1<<OffsetBits - 1
)

// The range of object numbers in a Space. 0 is the null pointer.
const (
	MinObject = 1
	MaxObject = 0x7fffff
)

// The first numbers of the ranges reserved for the engines' own memory.
const (
	FirstGlobal    = 0x800000 // variables of the program in the constant space
	FirstShared    = 0x900000 // threadgroup variables that the kernel declares
	FirstSharedArg = 0x980000 // threadgroup memory set by the host, by slot
	FirstAlloca    = 0xa00000 // thread variables
	FirstKept      = 0xb00000 // what a launch in phases keeps
)

// MaxHandle is the largest handle of a texture or sampler in a Space. The handle 0 means none: a
// texture without texels, or the default sampler.
const MaxHandle = 0xffffff

// FirstSampler is the handle of the first sampler declared by a program.
const FirstSampler = 1 << 32

// Address returns the address of an offset in an object.
func Address(id uint32, offset uint64) uint64 { return uint64(id)<<OffsetBits | offset&OffsetMask }

// OffsetOf returns the offset of an address in its object.
func OffsetOf(address uint64) uint64 { return address & OffsetMask }
