package compute

import (
	"cmp"
	"fmt"
	"sync/atomic"

	"github.com/puremetal/puremetal/mtl"
)

// encoder encodes commands into a command buffer: launches into a concurrent compute encoder with
// barriers only where memory overlaps, copies into a blit encoder. The stream's fence orders the
// encoders.
type encoder struct {
	acc      *Accelerator
	label    string          // of the stream
	stats    *streamCounters // of the stream
	fence    mtl.Fence       // of the stream
	order    *encoderOrder   // likewise
	commands mtl.CommandBuffer
	compute  mtl.ComputeCommandEncoder
	blit     mtl.BlitCommandEncoder
	number   uint64  // of the encoder opened last, counted per stream
	last     *Kernel // whose pipeline is set in the compute encoder
	memory   []uint  // threadgroup memory lengths set by its launches, by index
	hazards  hazards
	timer    *launchTimer // nil unless launches are timed
	trial    groupTrial
}

// used notes that a command has been encoded in the open encoder.
func (e *encoder) used(w *work) { atomic.StoreUint64(&w.encoder, e.number) }

// launch encodes a kernel.
func (e *encoder) launch(l *Launch) error {
	if e.exceedsMemory(l) {
		if err := e.close(); err != nil {
			return err
		}
	}
	if err := e.openCompute(); err != nil {
		return err
	}
	if e.hazards.track(l.spans) {
		if err := e.barrier(); err != nil {
			return err
		}
	}
	if e.last != l.kernel {
		if err := e.compute.SetComputePipelineState(l.kernel.pipeline); err != nil {
			return err
		}
		e.last = l.kernel
	}
	for i := range l.args {
		if err := e.argument(&l.args[i]); err != nil {
			return err
		}
	}
	if l.counts.mem != nil {
		return e.compute.DispatchThreadgroupsWithIndirectBuffer(l.counts.mem.buffer, l.counts.offset, l.group)
	}
	if l.search != nil {
		return e.compute.DispatchThreads(l.grid, e.trial.group(l.search))
	}
	if l.threads {
		return e.compute.DispatchThreads(l.grid, l.group)
	}
	return e.compute.DispatchThreadgroups(l.grid, l.group)
}

// barrier makes later launches of the compute encoder wait for earlier ones.
func (e *encoder) barrier() error {
	e.stats.barriers.Add(1)
	return e.compute.MemoryBarrierWithScope(mtl.BarrierScopeBuffers | mtl.BarrierScopeTextures)
}

// exceedsMemory reports whether a launch would exceed the device's threadgroup memory together with
// the lengths set by earlier launches: a compute encoder keeps those even for kernels that do not
// use them.
func (e *encoder) exceedsMemory(l *Launch) bool {
	if len(e.memory) == 0 {
		return false
	}
	all := l.kernel.limits.StaticThreadgroupMemory
	for _, n := range e.memory {
		all += n
	}
	for i := range l.args {
		a := &l.args[i]
		switch {
		case a.kind != ThreadgroupParameter:
		case a.index >= uint(len(e.memory)):
			all += a.length
		default:
			all += max(a.length, e.memory[a.index]) - e.memory[a.index]
		}
	}
	return all > e.acc.info.Limits.MaxThreadgroupMemoryLength
}

// setMemory sets the length of threadgroup memory.
func (e *encoder) setMemory(length, index uint) error {
	for uint(len(e.memory)) <= index {
		e.memory = append(e.memory, 0)
	}
	e.memory[index] = length
	return e.compute.SetThreadgroupMemoryLength(length, index)
}

func (e *encoder) argument(a *argument) error {
	switch {
	case a.commands != nil:
		return e.compute.UseResource(a.commands.metal.Resource, mtl.ResourceUsageRead|mtl.ResourceUsageWrite)
	case a.kind == OtherParameter && !a.texture.IsNil():
		return e.compute.UseResource(a.texture.Resource, a.usage())
	case a.kind == OtherParameter && a.view.mem == nil:
		return nil // a sampler, which needs no residency
	case a.kind == OtherParameter:
		return e.compute.UseResource(a.view.mem.buffer.Resource, a.usage())
	case a.kind == TextureParameter:
		return e.compute.SetTexture(a.texture, a.index)
	case a.view.mem != nil:
		return e.compute.SetBuffer(a.view.mem.buffer, a.view.offset, a.index)
	case a.bytes != nil:
		return e.compute.SetBytes(a.bytes, a.index)
	case a.kind == ThreadgroupParameter:
		return e.setMemory(a.length, a.index)
	}
	return e.compute.SetSamplerState(a.sampler, a.index)
}

// transfer encodes a command of a blit encoder.
func (e *encoder) transfer(w *work, encode func(mtl.BlitCommandEncoder) error) error {
	var room [2]span
	spans := w.hazards(room[:0])
	if !e.blit.IsNil() && e.hazards.track(spans) {
		if err := e.close(); err != nil {
			return err
		}
	}
	if e.blit.IsNil() {
		if err := e.openBlit(); err != nil {
			return err
		}
		e.hazards.track(spans)
	}
	e.used(w)
	return encode(e.blit)
}

func (e *encoder) openCompute() (err error) {
	if !e.compute.IsNil() {
		return nil
	}
	if err := e.close(); err != nil {
		return err
	}
	if e.timer != nil && e.timer.timing {
		e.compute, err = e.timer.open(e.commands)
	} else {
		e.compute, err = e.commands.ComputeCommandEncoderWithDispatchType(mtl.DispatchTypeConcurrent)
	}
	if err != nil {
		return err
	}
	e.compute.SetLabel(e.name())
	return e.compute.WaitForFence(e.fence)
}

func (e *encoder) openBlit() (err error) {
	if err := e.close(); err != nil {
		return err
	}
	if e.blit, err = e.commands.BlitCommandEncoder(); err != nil {
		return err
	}
	e.blit.SetLabel(e.name())
	return e.blit.WaitForFence(e.fence)
}

// name numbers a new encoder and returns its label.
func (e *encoder) name() string {
	e.number = e.stats.encoders.Add(1)
	return encoderLabel(e.label, e.number)
}

// close ends the open encoder, even if its fence fails: Metal aborts the process for an encoder
// that is left open.
func (e *encoder) close() (err error) {
	switch {
	case !e.compute.IsNil():
		err = cmp.Or(e.compute.UpdateFence(e.fence), e.compute.EndEncoding())
	case !e.blit.IsNil():
		err = cmp.Or(e.blit.UpdateFence(e.fence), e.blit.EndEncoding())
	}
	e.compute, e.blit, e.last, e.memory = mtl.ComputeCommandEncoder{}, mtl.BlitCommandEncoder{}, nil, e.memory[:0]
	e.hazards.clear()
	return err
}

// encoderOrder orders the program's own encoders and the stream's within a command buffer.
type encoderOrder struct {
	event mtl.Event // nil before the first ones
	last  uint64    // value that was signaled
}

// inOrder makes all later commands of the command buffer begin after all earlier ones have ended.
func (e *encoder) inOrder() error {
	if err := e.close(); err != nil {
		return err
	}
	o := e.order
	if o.event.IsNil() {
		if o.event = e.acc.device.NewEvent(); o.event.IsNil() {
			return fmt.Errorf("the device made no event: %w", ErrOutOfMemory)
		}
	}
	o.last++
	if err := e.commands.EncodeSignalEvent(o.event, o.last); err != nil {
		return err
	}
	return e.commands.EncodeWaitForEvent(o.event, o.last)
}
