package mtl

import "github.com/puremetal/puremetal/objc"

// CommandBuffer4 wraps an object that conforms to the protocol MTL4CommandBuffer. It is begun with
// an allocator, encoded into, ended, and committed to a [CommandQueue4]; then it can be begun
// again. It also has the methods of [objc.Object], such as Release. The wrapper of one created by a
// [Device] tracks these states, and copies share them; one made by [CommandBuffer4From] does not.
type CommandBuffer4 struct {
	objc.Object
	state *commandBuffer4State
}

// CommandBuffer4From wraps id without changing its ownership.
func CommandBuffer4From(id objc.ID) CommandBuffer4 {
	return CommandBuffer4{Object: objc.ObjectFrom(id)}
}

// phase4 is the phase of a command buffer's life cycle.
type phase4 uint8

const (
	phaseIdle  phase4 = iota // new or committed
	phaseBegun               // between begin and end
	phaseEnded               // ready for commit
)

// commandBuffer4State is the state shared by copies of a command buffer's wrapper.
type commandBuffer4State struct {
	bufferState
	phase     phase4
	allocator *allocatorState
}

func (s *commandBuffer4State) memory() *bufferState {
	if s == nil {
		return nil
	}
	return &s.bufferState
}

// begin checks that the command buffer is begun and no encoder is open; it stays so until end.
func (o CommandBuffer4) begin(c check) error {
	if err := c.object("command buffer", o.ID()); err != nil {
		return err
	}
	s := o.state
	if s == nil {
		return nil
	}
	s.mu.Lock()
	var err error
	switch {
	case s.phase != phaseBegun:
		err = c.fail(ErrState, "the command buffer has not been begun")
	case s.open != nil:
		err = c.fail(ErrOpen, "an encoder of the command buffer is open")
	}
	if err != nil {
		s.mu.Unlock()
	}
	return err
}

func (o CommandBuffer4) end() { o.state.memory().end() }

// BeginCommandBufferWithAllocator begins the command buffer. No other command buffer may be
// encoding into the allocator.
//
//	-[MTL4CommandBuffer beginCommandBufferWithAllocator:]
func (o CommandBuffer4) BeginCommandBufferWithAllocator(allocator CommandAllocator4) error {
	const c = check("-[MTL4CommandBuffer beginCommandBufferWithAllocator:]")
	return o.start(c, allocator, func() { sendCommandBuffer4BeginCommandBufferWithAllocator(o, allocator) })
}

// BeginCommandBufferWithAllocatorOptions is BeginCommandBufferWithAllocator with options, which
// must not be nil.
//
//	-[MTL4CommandBuffer beginCommandBufferWithAllocator:options:]
func (o CommandBuffer4) BeginCommandBufferWithAllocatorOptions(allocator CommandAllocator4,
	options CommandBufferOptions4) error {
	const c = check("-[MTL4CommandBuffer beginCommandBufferWithAllocator:options:]")
	if err := c.object("options", options.ID()); err != nil {
		return err
	}
	return o.start(c, allocator,
		func() { sendCommandBuffer4BeginCommandBufferWithAllocatorOptions(o, allocator, options) })
}

func (o CommandBuffer4) start(c check, allocator CommandAllocator4, send func()) error {
	if err := c.object("command buffer", o.ID()); err != nil {
		return err
	}
	if err := c.object("command allocator", allocator.ID()); err != nil {
		return err
	}
	if s := o.state; s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.phase == phaseBegun {
			return c.fail(ErrState, "the command buffer has already been begun")
		}
		if err := allocator.state.take(c, s); err != nil {
			return err
		}
		s.phase, s.allocator, s.groups = phaseBegun, allocator.state, 0
	}
	send()
	return nil
}

// EndCommandBuffer ends the command buffer, which can then be committed, and frees its allocator
// for another one. While an encoder is open it is refused with [ErrOpen].
//
//	-[MTL4CommandBuffer endCommandBuffer]
func (o CommandBuffer4) EndCommandBuffer() error {
	const c = check("-[MTL4CommandBuffer endCommandBuffer]")
	return encode(o, c, nil, func() {
		sendCommandBuffer4EndCommandBuffer(o)
		if s := o.state; s != nil {
			s.phase = phaseEnded
			s.allocator.give()
			s.allocator = nil
		}
	})
}

// ComputeCommandEncoder opens an encoder, +0, for dispatches and copies.
//
//	-[MTL4CommandBuffer computeCommandEncoder]
func (o CommandBuffer4) ComputeCommandEncoder() (ComputeCommandEncoder4, error) {
	const c = check("-[MTL4CommandBuffer computeCommandEncoder]")
	if err := o.begin(c); err != nil {
		return ComputeCommandEncoder4{}, err
	}
	defer o.end()
	e := sendCommandBuffer4ComputeCommandEncoder(o)
	var err error
	e.state, err = o.state.memory().opened(c, e.ID(), newComputeState)
	return e, err
}

// MachineLearningCommandEncoder opens an encoder, +0, for machine learning networks.
//
//	-[MTL4CommandBuffer machineLearningCommandEncoder]
func (o CommandBuffer4) MachineLearningCommandEncoder() (MachineLearningCommandEncoder4, error) {
	const c = check("-[MTL4CommandBuffer machineLearningCommandEncoder]")
	if err := o.begin(c); err != nil {
		return MachineLearningCommandEncoder4{}, err
	}
	defer o.end()
	e := sendCommandBuffer4MachineLearningCommandEncoder(o)
	var err error
	e.state, err = o.state.memory().opened(c, e.ID(), newComputeState)
	return e, err
}

// PushDebugGroup opens a named group of encoders; PopDebugGroup closes it.
//
//	-[MTL4CommandBuffer pushDebugGroup:]
func (o CommandBuffer4) PushDebugGroup(name string) error {
	return pushGroup(o, "-[MTL4CommandBuffer pushDebugGroup:]", o.state.memory().debugGroups(),
		func() { sendCommandBuffer4PushDebugGroup(o, name) })
}

// PopDebugGroup closes the innermost open group. If none is open, it is refused with [ErrState].
//
//	-[MTL4CommandBuffer popDebugGroup]
func (o CommandBuffer4) PopDebugGroup() error {
	return popGroup(o, "-[MTL4CommandBuffer popDebugGroup]", o.state.memory().debugGroups(),
		func() { sendCommandBuffer4PopDebugGroup(o) })
}

// UseResidencySet makes a residency set apply to the command buffer.
//
//	-[MTL4CommandBuffer useResidencySet:]
func (o CommandBuffer4) UseResidencySet(residencySet ResidencySet) error {
	const c = check("-[MTL4CommandBuffer useResidencySet:]")
	return encode(o, c, c.object("residency set", residencySet.ID()),
		func() { sendCommandBuffer4UseResidencySet(o, residencySet) })
}

// UseResidencySets is UseResidencySet for several sets, none of them nil.
//
//	-[MTL4CommandBuffer useResidencySets:count:]
func (o CommandBuffer4) UseResidencySets(residencySets []ResidencySet) error {
	const c = check("-[MTL4CommandBuffer useResidencySets:count:]")
	return encode(o, c, objects(c, "residency set", residencySets), func() {
		if len(residencySets) > 0 {
			sendCommandBuffer4UseResidencySets(o, residencySets)
		}
	})
}
