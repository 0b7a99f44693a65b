// Package hook is the interface for sanitizers, traces and profilers: events that report what each
// lane of a running kernel does. A kernel with a hook runs without optimization, so that each
// access in the source is an event. Without a hook there is no overhead.
package hook

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/ir"
)

// MaxLanes is the maximum number of threads in an event.
const MaxLanes = 256

// Hook receives events. Workers call it concurrently for different threadgroups. The data that an
// event points to is valid until the call returns.
type Hook interface {
	// GroupBegin and GroupEnd enclose the events of a threadgroup. For a threadgroup that fails,
	// GroupEnd is not called.
	GroupBegin(*Group)
	GroupEnd(*Group)
	// Instruction is called before an instruction is executed. For an instruction on vectors, it
	// may be called once per component.
	Instruction(*Event)
	// Load is called after an access, in which out-of-bounds lanes have read zeros, and Store before
	// one, so that it can compare the values with those in memory. A copy is a load and a store of as
	// many bytes as it copies, without values, both reported before it. A matrix access is two
	// accesses, of the first and of the second element of each lane.
	Load(*Access)
	Store(*Access)
	// Atomic is called after an atomic operation: the values are those before it.
	Atomic(*Access)
	// Barrier is called when all strips of a threadgroup that have not ended wait at one, with an
	// event for each of them that has the lanes that are at it.
	Barrier([]Event)
	// Shuffle is called before an operation that reads a value of another lane.
	Shuffle(*Shuffle)
}

// Group is a threadgroup.
type Group struct {
	Func     *ir.Func
	Position [3]int // in the grid of threadgroups
	Shape    [3]int // threads; a group at the edge of the grid may be truncated
	State    any    // for the hook, nil at GroupBegin
}

// Mask is a set of lanes: bit l%32 of word l/32.
type Mask [MaxLanes / 32]uint32

// Has reports whether a lane is in the set.
func (m *Mask) Has(lane int) bool { return m[lane/32]>>(lane%32)&1 != 0 }

// Count returns the number of lanes.
func (m *Mask) Count() (n int) {
	for _, w := range m {
		n += bits.OnesCount32(w)
	}
	return n
}

// All yields the lanes in ascending order.
func (m *Mask) All(yield func(lane int) bool) {
	for w, x := range m {
		for ; x != 0; x &= x - 1 {
			if !yield(w*32 + bits.TrailingZeros32(x)) {
				return
			}
		}
	}
}

// Event is an instruction executed together by threads of a strip.
type Event struct {
	Group *Group
	First int       // index in the threadgroup of the thread in lane 0
	Lanes Mask      // the threads that execute the instruction
	Instr *ir.Instr // in the kernel passed by the hook's owner
}

// Access is a memory access by several lanes.
type Access struct {
	Event
	Space ir.Space
	Kind  ir.Kind          // of an element; Void for copied bytes
	Size  int              // bytes from each address
	Out   Mask             // the lanes whose address is out of bounds
	Addrs [MaxLanes]uint64 // by lane: object<<40 | offset
	Value [MaxLanes]uint64 // by lane: the value read or written, or the value before
}

// Shuffle is an operation in which lanes read values of other lanes.
type Shuffle struct {
	Event
	From [MaxLanes]int16 // by lane: the lane it reads, counted like those of the event; -1 outside its simdgroup
}

// None is a Hook that does nothing, to be embedded.
type None struct{}

// GroupBegin implements Hook.
func (None) GroupBegin(*Group) {}

// GroupEnd implements Hook.
func (None) GroupEnd(*Group) {}

// Instruction implements Hook.
func (None) Instruction(*Event) {}

// Load implements Hook.
func (None) Load(*Access) {}

// Store implements Hook.
func (None) Store(*Access) {}

// Atomic implements Hook.
func (None) Atomic(*Access) {}

// Barrier implements Hook.
func (None) Barrier([]Event) {}

// Shuffle implements Hook.
func (None) Shuffle(*Shuffle) {}
