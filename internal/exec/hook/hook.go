// Package hook is the interface for sanitizers, traces and profilers: events that report what each
// lane of a running kernel does. A kernel with a hook runs without optimization, so that each
// access in the source is an event. Without a hook there is no overhead.
//
// Tests of what is reported, and when, are in exectest, sanitize and observe.
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
	// Wrap is called before an operation whose result is part of an address and does not fit.
	Wrap(*Wrap)
	// Texel is called before a read, write or atomic operation that addresses texels that do not
	// exist.
	Texel(*Texel)
	// Texels is called before a read, write, sample or atomic operation of texels that exist, if the
	// group asks for it: once, or for samples as often as there are texels that a lane takes.
	Texels(*Texels)
	// Commands is called before an operation that encodes commands of indirect command buffers.
	Commands(*Commands)
}

// Group is a threadgroup.
type Group struct {
	Func     *ir.Func
	Position [3]int // in the grid of threadgroups
	Shape    [3]int // threads; a group at the edge of the grid may be truncated
	State    any    // for the hook, nil at GroupBegin

	// Lean may be set at GroupBegin by a hook that does not need the values of loads, and calls Fill
	// before it uses addresses or the values of stores.
	Lean bool

	// Texels may be set at GroupBegin by a hook that needs the calls of Texels.
	Texels bool

	// Threadgroup returns the contents of an object in threadgroup memory, nil if there is none.
	Threadgroup func(object uint64) []byte
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
	Part  int              // how many bytes the address is behind that of the instruction's operand
	Out   Mask             // the lanes whose address is out of bounds
	Addrs [MaxLanes]uint64 // by lane: object<<40 | offset
	Value [MaxLanes]uint64 // by lane: the value read or written, or the value before

	// Rows describes the addresses if they are affine and inside of the memory. In a lean group,
	// such an access has neither addresses nor values until Fill is called.
	Rows *Rows
	From Filler // for Fill
}

// Rows are affine addresses: of the thread at position p in the threadgroup, offset Base plus the
// sum of Step[i]*p[i].
type Rows struct {
	Object uint64
	Base   int64
	Step   [3]int64
}

// Line returns the address and number of the bytes that an access by rows touches, if they are
// adjacent.
func (a *Access) Line() (address, n uint64, ok bool) {
	r, shape, lanes := a.Rows, &a.Group.Shape, a.Lanes.Count()
	for l := range lanes {
		if ok = a.Lanes.Has(l); !ok {
			return 0, 0, false
		}
	}
	even := (shape[1] == 1 || r.Step[1] == r.Step[0]*int64(shape[0])) &&
		(shape[2] == 1 || r.Step[2] == r.Step[0]*int64(shape[0]*shape[1]))
	if !even || r.Step[0] != int64(a.Size) && (r.Step[0] != 0 || r.Step[1] != 0 || r.Step[2] != 0) {
		return 0, 0, false
	}
	n = uint64(a.Size)
	if r.Step[0] != 0 {
		n *= uint64(lanes)
	}
	return r.Object<<40 | uint64(r.Base+r.Step[0]*int64(a.First)), n, lanes > 0
}

// Filler has the values of a store that is being reported.
type Filler interface{ FillValues(*Access) }

// Fill sets the addresses, and the values of a store, if they have been left out.
func (a *Access) Fill() {
	if a.From == nil {
		return
	}
	shape := &a.Group.Shape
	for l := range a.Lanes.All {
		i := a.First + l
		a.Addrs[l] = a.Rows.Object<<40 | uint64(a.Rows.Base+a.Rows.Step[0]*int64(i%shape[0])+
			a.Rows.Step[1]*int64(i/shape[0]%shape[1])+a.Rows.Step[2]*int64(i/(shape[0]*shape[1])))
	}
	a.From.FillValues(a)
	a.From = nil
}

// Wrap is an operation on 32-bit integers whose result is part of an address and does not fit.
type Wrap struct {
	Event             // its lanes are those in which the result does not fit
	Left, Right int64 // the operands of the first of them
}

// Texel is an access of texels that do not exist.
type Texel struct {
	Event              // its lanes are those in which there is no texel
	Texture  uint64    // the handle that the first of them uses
	Missing  bool      // there is no texture
	At       [3]uint32 // the coordinates in the first of them
	Layer    uint32
	Level    uint32 // or the sample
	Size     [3]int // of the level
	Layers   int
	Levels   int
	ReadOnly bool // the texel exists, but cannot be written
}

// Texels is an access of one texel by each of several lanes.
type Texels struct {
	Event
	Texture uint64                // the handle that the first lane uses
	Bytes   [MaxLanes][]byte      // by lane: the texel's memory
	Next    [MaxLanes][16]byte    // by lane: what a write makes of it
	Name    func(lane int) string // the coordinates of the texel that a lane accesses
}

// Commands is an operation of each of several lanes on a command of an indirect command buffer.
type Commands struct {
	Event
	To   [MaxLanes]uint64 // by lane: the handle of the command that is encoded
	From [MaxLanes]uint64 // by lane: that of the command that is copied to it; 0 for other operations
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

// Wrap implements Hook.
func (None) Wrap(*Wrap) {}

// Texel implements Hook.
func (None) Texel(*Texel) {}

// Texels implements Hook.
func (None) Texels(*Texels) {}

// Commands implements Hook.
func (None) Commands(*Commands) {}
