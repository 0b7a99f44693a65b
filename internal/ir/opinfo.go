package ir

import "sync"

// OpFlags are properties of an operation.
type OpFlags uint16

const (
	// Pure: the results depend only on the operands and the instruction's own fields, and there are
	// no side effects. A pure instruction may be moved, merged with an equal one, or dropped if it
	// is unused.
	Pure OpFlags = 1 << iota
	// UniformResult: the results are the same in all threads of a launch.
	UniformResult
	// SimdUniform: the results are the same in all active lanes of a simdgroup.
	SimdUniform
	// Convergent: threads meet here, so it must not be moved into or out of control flow.
	Convergent
	// ReadsMemory: it must not be moved across writes.
	ReadsMemory
	// WritesMemory: it changes memory, or what other threads see of it, and must not be moved
	// across any access.
	WritesMemory
	// Atomic: indivisible, or ordered with respect to other threads' operations; Order is used.
	Atomic
	// Lanewise: each lane of a vector is computed separately, by the scalar operation.
	Lanewise
	// Approx: engines may differ within the error that the package comment allows.
	Approx
	// Terminator: ends a region.
	Terminator
	// Special: the verifier has additional rules for it, beyond the signature.
	Special
)

// OpGroup is the category of an operation. Passes and engines use it to treat all operations of a
// group alike; the order of operations has no meaning.
type OpGroup uint8

// The groups.
const (
	NoGroup       OpGroup = iota // of OpInvalid
	InputOps                     // values from outside
	IntegerOps                   // arithmetic
	BitOps                       // integers and truth values
	FloatOps                     // arithmetic
	MathOps                      // with the error that the package comment allows
	ComparisonOps                // of two numbers, with truth values as results
	SelectOps                    // on truth values
	ConversionOps                // of numbers to another numeric kind
	CastOps                      // reinterpret the bits as another type
	VectorOps                    // lanes of vectors
	MemoryOps                    // loads, stores and addresses
	AtomicOps                    // atomics and fences in memory
	BarrierOps                   // where threads wait for each other
	SimdOps                      // among the active lanes of a simdgroup
	QuadOps                      // among the active lanes of a quad
	MatrixOps                    // simdgroup matrices
	TextureOps
	CommandOps // indirect command buffers
	LogOps
	ControlOps
	numOpGroups
)

// OpInfo is the table row of an operation.
type OpInfo struct {
	Name  string // name in the text form
	Sig   string // operands -> results; see signature
	Group OpGroup
	Flags OpFlags
	Doc   string
}

// Info returns the table row of op, or the row of OpInvalid if there is no such operation.
func (op Op) Info() *OpInfo {
	if op >= numOps {
		op = OpInvalid
	}
	return &opTable[op]
}

// Group returns the operation's group.
func (op Op) Group() OpGroup { return op.Info().Group }

// AmongLanes reports whether lanes of a simdgroup or quad compute the result together.
func (op Op) AmongLanes() bool { return op.Group() == SimdOps || op.Group() == QuadOps }

// IsBarrier reports whether all threads of the threadgroup wait for each other.
func (op Op) IsBarrier() bool { return op == OpBarrier || op == OpGridBarrier }

// simdOfQuad maps each quad operation to the equivalent simdgroup operation.
var simdOfQuad = [numOps]Op{
	OpQuadAdd:         OpSimdAdd,
	OpQuadMul:         OpSimdMul,
	OpQuadSMin:        OpSimdSMin,
	OpQuadUMin:        OpSimdUMin,
	OpQuadSMax:        OpSimdSMax,
	OpQuadUMax:        OpSimdUMax,
	OpQuadFMin:        OpSimdFMin,
	OpQuadFMax:        OpSimdFMax,
	OpQuadAnd:         OpSimdAnd,
	OpQuadOr:          OpSimdOr,
	OpQuadXor:         OpSimdXor,
	OpQuadScanAdd:     OpSimdScanAdd,
	OpQuadScanMul:     OpSimdScanMul,
	OpQuadXScanAdd:    OpSimdXScanAdd,
	OpQuadXScanMul:    OpSimdXScanMul,
	OpQuadBroadcast:   OpSimdBroadcast,
	OpQuadFirst:       OpSimdFirst,
	OpQuadShuffle:     OpSimdShuffle,
	OpQuadShuffleXor:  OpSimdShuffleXor,
	OpQuadShuffleUp:   OpSimdShuffleUp,
	OpQuadShuffleDown: OpSimdShuffleDown,
	OpQuadRotateUp:    OpSimdRotateUp,
	OpQuadRotateDown:  OpSimdRotateDown,
	OpQuadFillUp:      OpSimdFillUp,
	OpQuadFillDown:    OpSimdFillDown,
	OpQuadBallot:      OpSimdBallot,
	OpQuadActive:      OpSimdActive,
	OpQuadAll:         OpSimdAll,
	OpQuadAny:         OpSimdAny,
	OpQuadIsFirst:     OpSimdIsFirst,
}

// OfSimdgroup returns the simdgroup counterpart of a quad operation, and other operations
// unchanged.
func (op Op) OfSimdgroup() Op {
	if op < numOps && simdOfQuad[op] != OpInvalid {
		return simdOfQuad[op]
	}
	return op
}

// Has reports whether the operation has all of the given properties.
func (i *OpInfo) Has(f OpFlags) bool { return i.Flags&f == f }

// opsByName maps text to operations.
var opsByName = sync.OnceValue(func() map[string]Op {
	m := make(map[string]Op, numOps)
	for op := OpInvalid + 1; op < numOps; op++ {
		m[opTable[op].Name] = op
	}
	return m
})

// OpByName returns the operation of that name, or OpInvalid.
func OpByName(name string) Op { return opsByName()[name] }

// Input is the value that OpIn reads.
type Input uint8

// The inputs, with Metal's names. Those with three components are vectors of i32, the others i32.
const (
	ThreadPositionInGrid Input = iota
	ThreadPositionInThreadgroup
	ThreadgroupPositionInGrid
	ThreadsPerGrid
	ThreadsPerThreadgroup         // of this threadgroup, which may be smaller at the edge of the grid
	DispatchThreadsPerThreadgroup // as requested
	ThreadgroupsPerGrid
	GridOrigin
	GridSize
	ThreadIndexInThreadgroup
	ThreadIndexInSimdgroup
	ThreadIndexInQuadgroup
	SimdgroupIndexInThreadgroup
	QuadgroupIndexInThreadgroup
	SimdgroupsPerThreadgroup
	QuadgroupsPerThreadgroup
	DispatchSimdgroupsPerThreadgroup
	DispatchQuadgroupsPerThreadgroup
	ThreadsPerSimdgroup
	ThreadExecutionWidth
	numInputs
)

// Sharing says which threads share a value.
type Sharing uint8

// From widest to narrowest.
const (
	SharedByGrid        Sharing = iota // the same in the whole launch
	SharedByThreadgroup                // the same in a threadgroup
	SharedBySimdgroup                  // the same in the active lanes of a simdgroup
	NotShared
)

var sharingNames = [...]string{"grid", "threadgroup", "simdgroup", "varying"}

func (s Sharing) String() string { return sharingNames[min(int(s), len(sharingNames)-1)] }

var inputTable = [numInputs]struct {
	name    string
	lanes   uint8
	sharing Sharing
}{
	ThreadPositionInGrid:             {"thread_position_in_grid", 3, NotShared},
	ThreadPositionInThreadgroup:      {"thread_position_in_threadgroup", 3, NotShared},
	ThreadgroupPositionInGrid:        {"threadgroup_position_in_grid", 3, SharedByThreadgroup},
	ThreadsPerGrid:                   {"threads_per_grid", 3, SharedByGrid},
	ThreadsPerThreadgroup:            {"threads_per_threadgroup", 3, SharedByThreadgroup},
	DispatchThreadsPerThreadgroup:    {"dispatch_threads_per_threadgroup", 3, SharedByGrid},
	ThreadgroupsPerGrid:              {"threadgroups_per_grid", 3, SharedByGrid},
	GridOrigin:                       {"grid_origin", 3, SharedByGrid},
	GridSize:                         {"grid_size", 3, SharedByGrid},
	ThreadIndexInThreadgroup:         {"thread_index_in_threadgroup", 1, NotShared},
	ThreadIndexInSimdgroup:           {"thread_index_in_simdgroup", 1, NotShared},
	ThreadIndexInQuadgroup:           {"thread_index_in_quadgroup", 1, NotShared},
	SimdgroupIndexInThreadgroup:      {"simdgroup_index_in_threadgroup", 1, SharedBySimdgroup},
	QuadgroupIndexInThreadgroup:      {"quadgroup_index_in_threadgroup", 1, NotShared},
	SimdgroupsPerThreadgroup:         {"simdgroups_per_threadgroup", 1, SharedByThreadgroup},
	QuadgroupsPerThreadgroup:         {"quadgroups_per_threadgroup", 1, SharedByThreadgroup},
	DispatchSimdgroupsPerThreadgroup: {"dispatch_simdgroups_per_threadgroup", 1, SharedByGrid},
	DispatchQuadgroupsPerThreadgroup: {"dispatch_quadgroups_per_threadgroup", 1, SharedByGrid},
	ThreadsPerSimdgroup:              {"threads_per_simdgroup", 1, SharedByGrid},
	ThreadExecutionWidth:             {"thread_execution_width", 1, SharedByGrid},
}

func (i Input) String() string {
	if i < numInputs {
		return inputTable[i].name
	}
	return "input?"
}

// Type returns the type of the input.
func (i Input) Type() Type {
	if i < numInputs {
		return Vector(I32, int(inputTable[i].lanes))
	}
	return TVoid
}

// Sharing returns which threads share the input.
func (i Input) Sharing() Sharing {
	if i < numInputs {
		return inputTable[i].sharing
	}
	return NotShared
}

// InputByName returns the input that Metal calls name.
func InputByName(name string) (Input, bool) {
	for i := range numInputs {
		if inputTable[i].name == name {
			return i, true
		}
	}
	return 0, false
}

// TexProperty is the property that OpTexQuery queries.
type TexProperty uint8

// The properties of a texture.
const (
	TexWidth TexProperty = iota
	TexHeight
	TexDepth
	TexArraySize
	TexMipLevels
	TexSamples
	numTexProperties
)

var texPropertyNames = [numTexProperties]string{"width", "height", "depth", "array_size", "mip_levels", "samples"}

func (p TexProperty) String() string {
	if p < numTexProperties {
		return texPropertyNames[p]
	}
	return "property?"
}
