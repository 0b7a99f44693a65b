package mtl

import (
	"sync"

	"github.com/puremetal/puremetal/objc"
)

// IndirectCommandBuffer wraps an object that conforms to the protocol MTLIndirectCommandBuffer:
// commands that the CPU or a kernel encodes once and that run many times. It also has the methods
// of [Resource], [Allocation] and [objc.Object], such as Release.
//
// The wrapper of one created by a [Device] remembers its descriptor, and copies share that state.
// One made by [IndirectCommandBufferFrom] is checked only as far as Metal's own properties allow.
type IndirectCommandBuffer struct {
	Resource
	state *indirectState
}

// IndirectCommandBufferFrom wraps id without changing its ownership.
func IndirectCommandBufferFrom(id objc.ID) IndirectCommandBuffer {
	return IndirectCommandBuffer{Resource: ResourceFrom(id)}
}

// indirectState is the state shared by copies of an indirect command buffer's wrapper.
type indirectState struct {
	size            uint64
	types           IndirectCommandType
	inheritPipeline bool
	inheritBuffers  bool
	bufferSlots     uint64 // per command
	device          *deviceFacts

	mu        sync.Mutex
	pipelines map[uint64]*pipelineFact // of the commands that have one
}

// computeCommands are the commands that compute encoders run.
const computeCommands = IndirectCommandTypeConcurrentDispatch | IndirectCommandTypeConcurrentDispatchThreads

// NewIndirectCommandBufferWithDescriptor creates an indirect command buffer, +1. The descriptor
// must name compute commands and at most 31 kernel buffers; maxCount is 1 to 16384.
//
//	-[MTLDevice newIndirectCommandBufferWithDescriptor:maxCommandCount:options:]
func (o Device) NewIndirectCommandBufferWithDescriptor(descriptor IndirectCommandBufferDescriptor, maxCount uint,
	options ResourceOptions) (IndirectCommandBuffer, error) {
	const c = check("-[MTLDevice newIndirectCommandBufferWithDescriptor:maxCommandCount:options:]")
	if err := c.described("device", o.ID(), descriptor.ID()); err != nil {
		return IndirectCommandBuffer{}, err
	}
	s := &indirectState{
		size: uint64(maxCount), types: descriptor.CommandTypes(),
		inheritPipeline: descriptor.InheritPipelineState(), inheritBuffers: descriptor.InheritBuffers(),
		bufferSlots: uint64(descriptor.MaxKernelBufferBindCount()),
	}
	if err := s.check(c); err != nil {
		return IndirectCommandBuffer{}, err
	}
	b := sendDeviceNewIndirectCommandBufferWithDescriptor(o, descriptor, maxCount, options)
	if err := c.some("indirect command buffer", b.ID()); err != nil {
		return IndirectCommandBuffer{}, err
	}
	s.device = deviceOf(o)
	b.state = s
	return b, nil
}

func (s *indirectState) check(c check) error {
	if err := c.flags("command types", uint64(s.types), uint64(computeCommands)); err != nil {
		return err
	}
	if err := c.atMost("number of kernel buffers", s.bufferSlots, MaxBufferSlots, ErrIndex); err != nil {
		return err
	}
	if err := c.atLeast("number of commands", s.size, 1, ErrLength); err != nil {
		return err
	}
	return c.atMost("number of commands", s.size, maxIndirectCount, ErrLength)
}

// commands checks a range of commands.
func (o IndirectCommandBuffer) commands(c check, what string, r Range) error {
	if err := c.object("indirect command buffer", o.ID()); err != nil {
		return err
	}
	return c.entries(what, r, o.size())
}

// size returns the number of commands.
func (o IndirectCommandBuffer) size() uint64 {
	if o.state != nil {
		return o.state.size
	}
	return uint64(o.Size())
}

// copyCommands checks a copy of commands.
func (c check) copyCommands(from IndirectCommandBuffer, r Range, to IndirectCommandBuffer, at uint) error {
	if err := from.commands(c, "source command", r); err != nil {
		return err
	}
	if err := to.commands(c, "destination command", Range{at, r.Length}); err != nil {
		return err
	}
	if from.ID() == to.ID() && r.Location < at+r.Length && at < r.Location+r.Length {
		return c.fail(ErrOverlap, "%d commands copied from index %d to %d of one buffer", r.Length, r.Location, at)
	}
	return nil
}

// ResetWithRange clears a range of commands.
//
//	-[MTLIndirectCommandBuffer resetWithRange:]
func (o IndirectCommandBuffer) ResetWithRange(rng Range) error {
	const c = check("-[MTLIndirectCommandBuffer resetWithRange:]")
	if err := o.commands(c, "command", rng); err != nil {
		return err
	}
	sendIndirectCommandBufferResetWithRange(o, rng)
	if s := o.state; s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		for i := range s.pipelines {
			if i >= uint64(rng.Location) && i-uint64(rng.Location) < uint64(rng.Length) {
				delete(s.pipelines, i)
			}
		}
	}
	return nil
}

// IndirectComputeCommandAtIndex returns a command, +0, for the CPU to encode. The index must be
// less than the size.
//
//	-[MTLIndirectCommandBuffer indirectComputeCommandAtIndex:]
func (o IndirectCommandBuffer) IndirectComputeCommandAtIndex(commandIndex uint) (IndirectComputeCommand, error) {
	const c = check("-[MTLIndirectCommandBuffer indirectComputeCommandAtIndex:]")
	if err := c.object("indirect command buffer", o.ID()); err != nil {
		return IndirectComputeCommand{}, err
	}
	if err := c.entry("command index", uint64(commandIndex), o.size()); err != nil {
		return IndirectComputeCommand{}, err
	}
	cmd := sendIndirectCommandBufferIndirectComputeCommandAtIndex(o, commandIndex)
	cmd.state, cmd.index = o.state, uint64(commandIndex)
	return cmd, c.some("command", cmd.ID())
}
