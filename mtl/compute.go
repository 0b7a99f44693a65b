package mtl

// computeState is a compute encoder's argument table, as far as checks need it.
type computeState struct {
	pipeline *pipelineFact
	buffers  [maxBufferIndex + 1]uint64 // length of the buffer in a slot plus one; 0 if the slot has no buffer
	memory   [maxMemoryIndex + 1]uint64 // bytes of threadgroup memory in a slot
	dynamic  uint64                     // their sum
}

// use records the pipeline of the dispatches that follow.
func (s *computeState) use(p *pipelineFact) {
	if s != nil {
		s.pipeline = p
	}
}

// bound records the content of a slot in the form that bindBuffer returns; 0 for anything but a
// buffer.
func (s *computeState) bound(index uint, buffer uint64) {
	if s != nil {
		s.buffers[index] = buffer
	}
}

// unbound records that n slots, starting at index first, no longer hold a buffer.
func (s *computeState) unbound(first uint, n int) {
	if s != nil {
		clear(s.buffers[first : first+uint(n)])
	}
}

// newComputeState returns the state of a new compute encoder.
func newComputeState() *encoderState {
	s := &struct {
		encoderState
		computeState
	}{}
	s.compute = &s.computeState
	return &s.encoderState
}

func (s *encoderState) argumentTable() *computeState {
	if s == nil {
		return nil
	}
	return s.compute
}

// Setters on the path of every dispatch call end without defer, which would cost as much as their
// checks; a message does not panic.

// compute returns the encoder's argument table, or nil if it is unknown.
func (o ComputeCommandEncoder) compute() *computeState { return o.state.argumentTable() }

// SetComputePipelineState sets the kernel for the dispatches that follow. A nil state is refused
// with [ErrNil], one of another device with [ErrDevice].
//
//	-[MTLComputeCommandEncoder setComputePipelineState:]
func (o ComputeCommandEncoder) SetComputePipelineState(state ComputePipelineState) error {
	const c = check("-[MTLComputeCommandEncoder setComputePipelineState:]")
	return tryEncode(o, c, c.object("pipeline state", state.ID()), func() error {
		p := factsOfPipeline(state)
		if err := c.device("pipeline state", p.device, o.device()); err != nil {
			return err
		}
		sendComputeCommandEncoderSetComputePipelineState(o, state)
		o.compute().use(p)
		return nil
	})
}

// SetBuffer binds a buffer at an index of the argument table; a nil buffer clears the index. The
// index is at most 30 ([ErrIndex]), the offset at most the buffer's length ([ErrOffset]). The
// alignment that an offset needs depends on what the kernel reads there. Only the kernel's
// reflection knows, so it is not checked; Metal does not check it either.
//
//	-[MTLComputeCommandEncoder setBuffer:offset:atIndex:]
func (o ComputeCommandEncoder) SetBuffer(buffer Buffer, offset, index uint) error {
	const c = check("-[MTLComputeCommandEncoder setBuffer:offset:atIndex:]")
	length, err := c.bindBuffer(buffer, offset, index, o.device())
	if err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	sendComputeCommandEncoderSetBuffer(o, buffer, offset, index)
	o.compute().bound(index, length)
	o.end()
	return nil
}

// bindBuffer checks one buffer of an argument table and returns the value that computeState keeps
// for it.
func (c check) bindBuffer(buffer Buffer, offset, index uint, d *deviceFacts) (uint64, error) {
	if index > maxBufferIndex {
		return 0, c.atMost("buffer index", uint64(index), maxBufferIndex, ErrIndex)
	}
	if buffer.IsNil() {
		return 0, nil
	}
	f := factsOfBuffer(buffer)
	if uint64(offset) > f.length {
		return 0, c.atMost("buffer offset in bytes", uint64(offset), f.length, ErrOffset)
	}
	if err := c.device("buffer", f.device, d); err != nil {
		return 0, err
	}
	return f.length + 1, c.notRemote("buffer", f.remote)
}

// SetBufferOffset changes the offset of the buffer bound at an index, which costs less than binding
// it again. If no buffer is bound there, it is refused with [ErrState].
//
//	-[MTLComputeCommandEncoder setBufferOffset:atIndex:]
func (o ComputeCommandEncoder) SetBufferOffset(offset, index uint) error {
	const c = check("-[MTLComputeCommandEncoder setBufferOffset:atIndex:]")
	if err := c.atMost("buffer index", uint64(index), maxBufferIndex, ErrIndex); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	err := o.compute().moveBuffer(c, offset, index)
	if err == nil {
		sendComputeCommandEncoderSetBufferOffset(o, offset, index)
	}
	o.end()
	return err
}

// moveBuffer checks a new offset for the buffer bound at an index.
func (s *computeState) moveBuffer(c check, offset, index uint) error {
	if s == nil {
		return nil
	}
	n := s.buffers[index]
	if n == 0 {
		return c.fail(ErrState, "no buffer is set at index %d", index)
	}
	return c.atMost("buffer offset in bytes", uint64(offset), n-1, ErrOffset)
}

// SetBytes binds a copy of up to 4096 bytes at an index of the argument table, for a kernel that
// reads them as a buffer. Zero bytes, or more than 4096, are refused with [ErrLength]. data may be
// reused as soon as SetBytes returns.
//
//	-[MTLComputeCommandEncoder setBytes:length:atIndex:]
func (o ComputeCommandEncoder) SetBytes(data []byte, index uint) error {
	const c = check("-[MTLComputeCommandEncoder setBytes:length:atIndex:]")
	if err := c.bindBytes(len(data), index); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	mem, b := o.state.bytes(data)
	sendComputeCommandEncoderSetBytes(o, b, index)
	mem.free()
	o.compute().bound(index, 0)
	o.end()
	return nil
}

func (c check) bindBytes(n int, index uint) error {
	if err := c.atMost("buffer index", uint64(index), maxBufferIndex, ErrIndex); err != nil {
		return err
	}
	if err := c.atLeast("length in bytes", uint64(n), 1, ErrLength); err != nil {
		return err
	}
	return c.atMost("length in bytes", uint64(n), maxInlineBytes, ErrLength)
}

// SetBuffers binds buffers at consecutive indices starting at first; nil buffers clear theirs.
// There must be as many offsets as buffers. Empty slices have no effect.
//
//	-[MTLComputeCommandEncoder setBuffers:offsets:withRange:]
func (o ComputeCommandEncoder) SetBuffers(buffers []Buffer, offsets []uint, first uint) error {
	const c = check("-[MTLComputeCommandEncoder setBuffers:offsets:withRange:]")
	return encode(o, c, c.bindBuffers(buffers, offsets, first, o.device()), func() {
		if len(buffers) > 0 {
			sendComputeCommandEncoderSetBuffers(o, buffers, offsets, first)
			o.compute().keep(buffers, first)
		}
	})
}

func (c check) bindBuffers(buffers []Buffer, offsets []uint, first uint, d *deviceFacts) error {
	if err := c.slots("buffer index", first, len(buffers), maxBufferIndex); err != nil {
		return err
	}
	if err := c.same("offsets", len(offsets), len(buffers)); err != nil {
		return err
	}
	for i, b := range buffers {
		if _, err := c.bindBuffer(b, offsets[i], first+uint(i), d); err != nil {
			return err
		}
	}
	return nil
}

// keep records buffers that have been checked and set.
func (s *computeState) keep(buffers []Buffer, first uint) {
	if s == nil {
		return
	}
	for i, b := range buffers {
		s.buffers[first+uint(i)] = 0
		if !b.IsNil() {
			s.buffers[first+uint(i)] = factsOfBuffer(b).length + 1
		}
	}
}

// SetThreadgroupMemoryLength sets the size of a threadgroup memory argument: a multiple of 16 bytes
// ([ErrAlignment]), at an index of at most 30. The total of all arguments and of the kernel's own
// declarations is at most the device's maxThreadgroupMemoryLength ([ErrThreadgroupMemory]).
//
//	-[MTLComputeCommandEncoder setThreadgroupMemoryLength:atIndex:]
func (o ComputeCommandEncoder) SetThreadgroupMemoryLength(length, index uint) error {
	const c = check("-[MTLComputeCommandEncoder setThreadgroupMemoryLength:atIndex:]")
	return tryEncode(o, c, c.threadgroupSlot(length, index), func() error {
		if err := o.compute().reserve(c, uint64(length), index, o.device()); err != nil {
			return err
		}
		sendComputeCommandEncoderSetThreadgroupMemoryLength(o, length, index)
		return nil
	})
}

func (c check) threadgroupSlot(length, index uint) error {
	if err := c.atMost("threadgroup memory index", uint64(index), maxMemoryIndex, ErrIndex); err != nil {
		return err
	}
	return c.multipleOf("threadgroup memory in bytes", uint64(length), ThreadgroupMemoryAlignment)
}

// reserve checks and records the threadgroup memory at one index.
func (s *computeState) reserve(c check, length uint64, index uint, d *deviceFacts) error {
	if s == nil {
		return c.memory(0, length, d)
	}
	var static uint64
	if s.pipeline != nil {
		static = s.pipeline.staticMemory
	}
	others := s.dynamic - s.memory[index]
	if err := c.atMost("threadgroup memory in bytes", length, maxGridWidth, ErrThreadgroupMemory); err != nil {
		return err
	}
	if err := c.memory(static, others+length, d); err != nil {
		return err
	}
	s.dynamic = others + length
	s.memory[index] = length
	return nil
}
