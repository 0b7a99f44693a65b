package mtl

import "github.com/puremetal/puremetal/objc"

// IndirectComputeCommand wraps an object that conforms to the protocol MTLIndirectComputeCommand:
// one command of an [IndirectCommandBuffer]. It also has the methods of [objc.Object], such as
// Release. A command made by [IndirectComputeCommandFrom] does not know its buffer, so only the
// arguments of its calls are checked.
type IndirectComputeCommand struct {
	objc.Object
	state *indirectState
	index uint64
}

// IndirectComputeCommandFrom wraps id without changing its ownership.
func IndirectComputeCommandFrom(id objc.ID) IndirectComputeCommand {
	return IndirectComputeCommand{Object: objc.ObjectFrom(id)}
}

// device returns the facts of the command's device, or nil if they are unknown.
func (o IndirectComputeCommand) device() *deviceFacts {
	if o.state == nil {
		return nil
	}
	return o.state.device
}

// SetComputePipelineState sets the command's kernel. The pipeline must support indirect command
// buffers, and the command must not inherit its pipeline ([ErrState]).
//
//	-[MTLIndirectComputeCommand setComputePipelineState:]
func (o IndirectComputeCommand) SetComputePipelineState(pipelineState ComputePipelineState) error {
	const c = check("-[MTLIndirectComputeCommand setComputePipelineState:]")
	if err := c.object("command", o.ID()); err != nil {
		return err
	}
	if err := c.object("pipeline state", pipelineState.ID()); err != nil {
		return err
	}
	p := factsOfPipeline(pipelineState)
	if err := o.state.usable(c, p); err != nil {
		return err
	}
	sendIndirectComputeCommandSetComputePipelineState(o, pipelineState)
	o.state.keep(o.index, p)
	return nil
}

func (s *indirectState) usable(c check, p *pipelineFact) error {
	if !p.indirect {
		return c.fail(ErrArgument, "the pipeline does not support indirect command buffers")
	}
	if s == nil {
		return nil
	}
	if s.inheritPipeline {
		return c.fail(ErrState, "the command inherits its pipeline")
	}
	return c.device("pipeline state", p.device, s.device)
}

// keep records the pipeline of a command; nil means none.
func (s *indirectState) keep(index uint64, p *pipelineFact) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p == nil {
		delete(s.pipelines, index)
		return
	}
	if s.pipelines == nil {
		s.pipelines = map[uint64]*pipelineFact{}
	}
	s.pipelines[index] = p
}

// SetKernelBuffer binds a buffer, not nil, at an index of the command's argument table. The index
// must be less than the descriptor's maxKernelBufferBindCount, the offset at most the buffer's
// length, and the command must not inherit its buffers ([ErrState]). The encoder that runs the
// command must make the buffer resident; see [ComputeCommandEncoder.UseResource].
//
//	-[MTLIndirectComputeCommand setKernelBuffer:offset:atIndex:]
func (o IndirectComputeCommand) SetKernelBuffer(buffer Buffer, offset, index uint) error {
	const c = check("-[MTLIndirectComputeCommand setKernelBuffer:offset:atIndex:]")
	if err := o.bind(c, buffer, offset, index); err != nil {
		return err
	}
	sendIndirectComputeCommandSetKernelBuffer(o, buffer, offset, index)
	return nil
}

// SetKernelBufferAttributeStride is SetKernelBuffer with the stride of the attributes in the
// buffer. Since macOS 14.0.
//
//	-[MTLIndirectComputeCommand setKernelBuffer:offset:attributeStride:atIndex:]
func (o IndirectComputeCommand) SetKernelBufferAttributeStride(buffer Buffer, offset, stride, index uint) error {
	const c = check("-[MTLIndirectComputeCommand setKernelBuffer:offset:attributeStride:atIndex:]")
	if err := o.bind(c, buffer, offset, index); err != nil {
		return err
	}
	return sendIndirectComputeCommandSetKernelBufferAttributeStride(o, buffer, offset, stride, index)
}

func (o IndirectComputeCommand) bind(c check, buffer Buffer, offset, index uint) error {
	if err := c.object("command", o.ID()); err != nil {
		return err
	}
	if err := o.state.slot(c, index); err != nil {
		return err
	}
	if err := c.object("buffer", buffer.ID()); err != nil {
		return err
	}
	_, err := c.bindBuffer(buffer, offset, index, o.device())
	return err
}

// slot checks the index of a kernel buffer.
func (s *indirectState) slot(c check, index uint) error {
	if err := c.atMost("buffer index", uint64(index), maxBufferIndex, ErrIndex); err != nil || s == nil {
		return err
	}
	if s.inheritBuffers {
		return c.fail(ErrState, "the command inherits its buffers")
	}
	return c.entry("buffer index", uint64(index), s.bufferSlots)
}

// ConcurrentDispatchThreadgroups makes the command a dispatch of whole threadgroups. The rules of
// [ComputeCommandEncoder.DispatchThreadgroups] apply, and the buffer's command types must include
// [IndirectCommandTypeConcurrentDispatch].
//
//	-[MTLIndirectComputeCommand concurrentDispatchThreadgroups:threadsPerThreadgroup:]
func (o IndirectComputeCommand) ConcurrentDispatchThreadgroups(threadgroupsPerGrid, threadsPerThreadgroup Size) error {
	const c = check("-[MTLIndirectComputeCommand concurrentDispatchThreadgroups:threadsPerThreadgroup:]")
	if err := c.object("command", o.ID()); err != nil {
		return err
	}
	if err := o.state.dispatch(c, o.index, IndirectCommandTypeConcurrentDispatch, threadsPerThreadgroup); err != nil {
		return err
	}
	if err := c.grid(threadgroupsPerGrid, threadsPerThreadgroup); err != nil {
		return err
	}
	sendIndirectComputeCommandConcurrentDispatchThreadgroups(o, threadgroupsPerGrid, threadsPerThreadgroup)
	return nil
}

// ConcurrentDispatchThreads makes the command a dispatch of threads. The rules of
// [ComputeCommandEncoder.DispatchThreads] apply, and the buffer's command types must include
// [IndirectCommandTypeConcurrentDispatchThreads].
//
//	-[MTLIndirectComputeCommand concurrentDispatchThreads:threadsPerThreadgroup:]
func (o IndirectComputeCommand) ConcurrentDispatchThreads(threadsPerGrid, threadsPerThreadgroup Size) error {
	const c = check("-[MTLIndirectComputeCommand concurrentDispatchThreads:threadsPerThreadgroup:]")
	if err := c.object("command", o.ID()); err != nil {
		return err
	}
	if err := o.state.dispatch(c, o.index, IndirectCommandTypeConcurrentDispatchThreads,
		threadsPerThreadgroup); err != nil {
		return err
	}
	if err := c.threadGrid(threadsPerGrid, o.device()); err != nil {
		return err
	}
	sendIndirectComputeCommandConcurrentDispatchThreads(o, threadsPerGrid, threadsPerThreadgroup)
	return nil
}

// dispatch does the checks common to both dispatches. A pipeline that a kernel encoded into the
// command is unknown here.
func (s *indirectState) dispatch(c check, index uint64, kind IndirectCommandType, t Size) error {
	if s == nil {
		return c.threadgroup(t, nil, nil)
	}
	if s.types&kind == 0 {
		return c.fail(ErrState, "the buffer's commands are %v", s.types)
	}
	if s.inheritPipeline {
		return c.threadgroup(t, nil, s.device)
	}
	s.mu.Lock()
	p := s.pipelines[index]
	s.mu.Unlock()
	if p == nil {
		return c.fail(ErrNoPipeline, "command %d", index)
	}
	return c.threadgroup(t, p, s.device)
}

// SetBarrier makes the command wait for those before it.
//
//	-[MTLIndirectComputeCommand setBarrier]
func (o IndirectComputeCommand) SetBarrier() error {
	if err := check("-[MTLIndirectComputeCommand setBarrier]").object("command", o.ID()); err != nil {
		return err
	}
	sendIndirectComputeCommandSetBarrier(o)
	return nil
}

// ClearBarrier undoes SetBarrier.
//
//	-[MTLIndirectComputeCommand clearBarrier]
func (o IndirectComputeCommand) ClearBarrier() error {
	if err := check("-[MTLIndirectComputeCommand clearBarrier]").object("command", o.ID()); err != nil {
		return err
	}
	sendIndirectComputeCommandClearBarrier(o)
	return nil
}

// Reset clears the command.
//
//	-[MTLIndirectComputeCommand reset]
func (o IndirectComputeCommand) Reset() error {
	if err := check("-[MTLIndirectComputeCommand reset]").object("command", o.ID()); err != nil {
		return err
	}
	sendIndirectComputeCommandReset(o)
	o.state.keep(o.index, nil)
	return nil
}

// SetThreadgroupMemoryLength sets the size of a threadgroup memory argument: a multiple of 16
// bytes, at most what the device has, at an index of at most 30.
//
//	-[MTLIndirectComputeCommand setThreadgroupMemoryLength:atIndex:]
func (o IndirectComputeCommand) SetThreadgroupMemoryLength(length, index uint) error {
	const c = check("-[MTLIndirectComputeCommand setThreadgroupMemoryLength:atIndex:]")
	if err := c.object("command", o.ID()); err != nil {
		return err
	}
	if err := c.threadgroupSlot(length, index); err != nil {
		return err
	}
	if err := c.memory(0, uint64(length), o.device()); err != nil {
		return err
	}
	sendIndirectComputeCommandSetThreadgroupMemoryLength(o, length, index)
	return nil
}

// SetImageblockWidth sets the size of the kernel's imageblocks in pixels; width and height must be
// at least 1.
//
//	-[MTLIndirectComputeCommand setImageblockWidth:height:]
func (o IndirectComputeCommand) SetImageblockWidth(width, height uint) error {
	const c = check("-[MTLIndirectComputeCommand setImageblockWidth:height:]")
	if err := c.object("command", o.ID()); err != nil {
		return err
	}
	if err := c.atLeastOne("imageblock", Size{width, height, 1}, ErrRegion); err != nil {
		return err
	}
	sendIndirectComputeCommandSetImageblockWidth(o, width, height)
	return nil
}

// SetStageInRegion sets the part of the stage-in data that the command works on; every dimension of
// its size must be at least 1.
//
//	-[MTLIndirectComputeCommand setStageInRegion:]
func (o IndirectComputeCommand) SetStageInRegion(region Region) error {
	const c = check("-[MTLIndirectComputeCommand setStageInRegion:]")
	if err := c.object("command", o.ID()); err != nil {
		return err
	}
	if err := c.atLeastOne("size of the region", region.Size, ErrRegion); err != nil {
		return err
	}
	sendIndirectComputeCommandSetStageInRegion(o, region)
	return nil
}
