package stream

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/mtl"
)

// Indirect is what launches and the rules of order and failure know of an indirect command buffer.
type Indirect struct {
	Acc     *Device
	Label   string
	Buffers uint // indices that each command has
	Metal   mtl.IndirectCommandBuffer
	N       int
	ID      uint64
	Life    Lifetime
	Poison  poison // of the commands themselves, by number

	Mu      sync.Mutex // guards the fields below
	Entries []IndirectCommand
	byOther bool // a command of a stream has changed them
	values  valueMemory
	filling []*Kernel  // whose handles kernels have
	version uint64     // counts changes
	last    *Execution // of the last execution, while the version stays
	epoch   uint64     // of the device, of what Metal has made
	// handled: the program has its handle, or it had one on a device that was lost (moved).
	handled, moved bool
}

// String names the commands for messages.
func (c *Indirect) String() string { return fmt.Sprintf("commands %q", c.Label) }

// Span is an access to the commands themselves.
func (c *Indirect) Span(writes bool) Span { return Span{Key: c.ID << 1, To: ^uint(0), Writes: writes} }

// IndirectPipeline is a kernel's second pipeline state, which indirect command buffers can run. It
// is made at first use: Metal must be told when a pipeline is made, and most kernels never need it.
type IndirectPipeline struct {
	Mu    sync.Mutex
	State mtl.ComputePipelineState
	Err   error // of the device, which would fail again
	// nothing is memory of zeros, which a dispatch without threadgroups binds to every parameter; nil
	// where devices need no such dispatch.
	Nothing *Memory
	// Slots are the indices of the kernel's buffers, and Lengths those of its threadgroup memory, if
	// there is Nothing.
	Slots, Lengths []uint
}

// Release releases what there is.
func (p *IndirectPipeline) Release() {
	p.State.Release()
	if p.Nothing != nil {
		p.Nothing.Close()
	}
}

// DispatchNone dispatches a kernel without threadgroups, which makes its pipeline resident for the
// indirect commands of the same encoder. The number of threadgroups comes from memory, because a
// dispatch cannot have 0 of them, and all parameters are bound, because Metal's validation wants
// that of any dispatch.
func (e *Encoder) DispatchNone(k *Kernel) error {
	p := &k.Indirect
	p.Mu.Lock()
	state, nothing, slots, lengths := p.State, p.Nothing, p.Slots, p.Lengths
	p.Mu.Unlock()
	if err := e.Compute.SetComputePipelineState(state); err != nil {
		return err
	}
	setMemory := func(length uint) (err error) {
		for _, i := range lengths {
			err = cmp.Or(err, e.setMemory(length, i))
		}
		return err
	}
	for _, i := range slots {
		if err := e.Compute.SetBuffer(nothing.Buffer, 0, i); err != nil {
			return err
		}
	}
	if err := setMemory(mtl.ThreadgroupMemoryAlignment); err != nil {
		return err
	}
	group := k.Made().Limits.RequiredThreadsPerThreadgroup
	if group.Width == 0 {
		group = mtl.Size{Width: 1, Height: 1, Depth: 1}
	}
	if err := e.Compute.DispatchThreadgroupsWithIndirectBuffer(nothing.Buffer, 0, group); err != nil {
		return err
	}
	return setMemory(0) // the next kernel may need all of it
}
