package mtl

// computeState is what a compute encoder remembers of its argument table.
type computeState struct {
	pipeline *pipelineFact
	buffers  [maxBufferIndex + 1]uint64 // length of the buffer in a slot plus one, 0 without buffer
	memory   [maxMemoryIndex + 1]uint64 // bytes of threadgroup memory in a slot
	dynamic  uint64                     // their sum
}

// use remembers the pipeline that the next dispatches run.
func (s *computeState) use(p *pipelineFact) {
	if s != nil {
		s.pipeline = p
	}
}

// bound remembers what is in a slot, as bindBuffer returns it; 0 for anything but a buffer.
func (s *computeState) bound(index uint, buffer uint64) {
	if s != nil {
		s.buffers[index] = buffer
	}
}

// unbound remembers that n slots from index first on have no buffer any more.
func (s *computeState) unbound(first uint, n int) {
	if s != nil {
		clear(s.buffers[first : first+uint(n)])
	}
}

// newComputeState returns the memory of a compute encoder.
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

// Setters that a program calls for every dispatch end without defer, which would cost as much as
// their checks: a message does not panic.

// compute returns the encoder's argument table, nil where it is not known.
func (o ComputeCommandEncoder) compute() *computeState { return o.state.argumentTable() }

// SetComputePipelineState chooses the kernel that the next dispatches run. A nil state is refused
// with [ErrNil], one of another device with [ErrDevice].
func (o ComputeCommandEncoder) SetComputePipelineState(state ComputePipelineState) error {
	const c = check("-[MTLComputeCommandEncoder setComputePipelineState:]")
	return tryEncode(o, c, c.object("pipeline state", state.ID()), func() error {
		p := factsOfPipeline(state)
		if err := c.device("pipeline state", p.device, o.device()); err != nil {
			return err
		}
		o.sendSetComputePipelineState(state)
		o.compute().use(p)
		return nil
	})
}

// SetBuffer puts a buffer into a slot of the argument table; a nil buffer clears the slot. The
// index is at most 30 ([ErrIndex]), the offset at most the buffer's length ([ErrOffset]). How an
// offset has to be aligned depends on what the kernel reads there, which only its reflection knows:
// Metal does not check it.
func (o ComputeCommandEncoder) SetBuffer(buffer Buffer, offset, index uint) error {
	const c = check("-[MTLComputeCommandEncoder setBuffer:offset:atIndex:]")
	length, err := c.bindBuffer(buffer, offset, index, o.device())
	if err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	o.sendSetBuffer(buffer, offset, index)
	o.compute().bound(index, length)
	o.end()
	return nil
}

// bindBuffer checks one buffer of an argument table and returns what computeState keeps of it.
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

// SetBufferOffset moves the offset of the buffer in a slot, at less cost than setting the buffer
// again. Without a buffer in the slot it is refused with [ErrState].
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
		o.sendSetBufferOffset(offset, index)
	}
	o.end()
	return err
}

// moveBuffer checks a new offset for the buffer in a slot.
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

// SetBytes puts a copy of up to 4096 bytes into a slot of the argument table, for a kernel that
// reads them from a buffer. No bytes, or more, are refused with [ErrLength]. data may be reused as
// soon as SetBytes returns.
func (o ComputeCommandEncoder) SetBytes(data []byte, index uint) error {
	const c = check("-[MTLComputeCommandEncoder setBytes:length:atIndex:]")
	if err := c.bindBytes(len(data), index); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	mem, b := o.state.bytes(data)
	o.sendSetBytes(b, index)
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

// SetBuffers puts buffers into the slots from index first on; nil buffers clear theirs. There must
// be as many offsets as buffers; no buffers at all change nothing.
func (o ComputeCommandEncoder) SetBuffers(buffers []Buffer, offsets []uint, first uint) error {
	const c = check("-[MTLComputeCommandEncoder setBuffers:offsets:withRange:]")
	return encode(o, c, c.bindBuffers(buffers, offsets, first, o.device()), func() {
		if len(buffers) > 0 {
			o.sendSetBuffers(buffers, offsets, first)
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

// keep remembers buffers that have been checked and set.
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

// SetThreadgroupMemoryLength gives a threadgroup argument its memory: a multiple of 16 bytes
// ([ErrAlignment]), in slots up to 30. What all slots and the kernel's own declarations add up to
// is at most the device's maxThreadgroupMemoryLength ([ErrThreadgroupMemory]).
func (o ComputeCommandEncoder) SetThreadgroupMemoryLength(length, index uint) error {
	const c = check("-[MTLComputeCommandEncoder setThreadgroupMemoryLength:atIndex:]")
	return tryEncode(o, c, c.threadgroupSlot(length, index), func() error {
		if err := o.compute().reserve(c, uint64(length), index, o.device()); err != nil {
			return err
		}
		o.sendSetThreadgroupMemoryLength(length, index)
		return nil
	})
}

func (c check) threadgroupSlot(length, index uint) error {
	if err := c.atMost("threadgroup memory index", uint64(index), maxMemoryIndex, ErrIndex); err != nil {
		return err
	}
	return c.multipleOf("threadgroup memory in bytes", uint64(length), ThreadgroupMemoryAlignment)
}

// reserve checks and remembers the memory of one slot.
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
