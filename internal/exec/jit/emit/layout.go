package emit

// The context of a call, in bytes from its begin.
const (
	CtxFrame     = 0
	CtxFuel      = 8
	CtxFirst     = 16 // the strip's first lane in the threadgroup: x, y, z
	CtxResume    = 40
	CtxObject    = 48  // the number of the object that the code asks for, from 1; 0 for none
	CtxHandle    = 56  // which object that is
	CtxFull      = 64  // the strip's lanes, a bit for each
	CtxGroups    = 96  // threadgroups of a row that have not ended
	CtxShared    = 104 // threadgroup memory: address and length
	CtxGroupWork = 120 // of each threadgroup of a row
	ctxRegs      = 128
	ctxMasks     = 192
	ctxVectors   = 256
	CtxColumn    = ctxVectors + 32*64 // of the current threadgroup of a row
	CtxColumns   = CtxColumn + 8      // of the grid
	CtxLine      = CtxColumn + 16     // the threadgroup's position along y
	ctxData      = CtxColumn + 64
)

// What the code returns: suspended if it has no fuel left, from FirstCall on the number of a call
// of the engine, from FirstPart on the number of a part of the code that it wants,
// otherwise the number of the exit.
const (
	Suspended = 0x7fffffff
	FirstCall = 0x40000000
	FirstPart = 0x20000000
)
