// Package hook is the interface for sanitizers, traces and profilers: events that report what each
// lane of a running kernel does. A kernel with a hook runs without optimization, so that each
// access in the source is an event. There is no cost for a kernel without a hook.
package hook

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/ir"
)

// MaxLanes is how many threads an event may be about.
const MaxLanes = 256

// Hook receives the events. Workers call it at the same time, for different threadgroups; what an
// event points to is valid until the call returns.
type Hook interface {
	// GroupBegin and GroupEnd enclose the events of a threadgroup. A threadgroup that fails has no
	// end.
	GroupBegin(*Group)
	GroupEnd(*Group)
	// Instruction comes before an instruction is carried out. One on vectors may come once for each
	// component.
	Instruction(*Event)
	// Load and Store come when an access has been done: lanes out of bounds have read zeros or written
	// nothing. A copy is a load and then a store, of as many bytes as it copies and without values.
	// One of a matrix is two, of the first and of the second of the elements that each lane has.
	Load(*Access)
	Store(*Access)
	// Atomic comes when an atomic operation has been done: the values are what was there before it.
	Atomic(*Access)
	// Barrier comes when all strips of a threadgroup that have not ended wait at one: once for each
	// strip, with the lanes that are at it.
	Barrier(*Event)
}

// Group is a threadgroup.
type Group struct {
	Func     *ir.Func
	Position [3]int // in the grid of threadgroups
	Shape    [3]int // threads: a group at the grid's edge may be cut
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

// Event is an instruction that threads of a strip carry out together.
type Event struct {
	Group *Group
	First int       // index in the threadgroup of the thread that lane 0 is
	Lanes Mask      // the threads that are here
	Instr *ir.Instr // of the kernel as the hook's owner gave it
}

// Access is what lanes do to memory.
type Access struct {
	Event
	Space ir.Space
	Kind  ir.Kind          // of an element; Void for bytes that are copied
	Size  int              // bytes from each address
	Out   Mask             // the lanes whose address is out of bounds
	Addrs [MaxLanes]uint64 // by lane: object<<40 | offset
	Value [MaxLanes]uint64 // by lane: what was read, written, or there before
}

// None is a hook that does nothing, for embedding.
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
func (None) Barrier(*Event) {}
