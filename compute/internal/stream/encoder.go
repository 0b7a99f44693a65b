package stream

import (
	"cmp"
	"fmt"
	"sync/atomic"

	"github.com/puremetal/puremetal/mtl"
)

// Encoder encodes commands into a command buffer: launches into a concurrent compute encoder with
// barriers only where memory overlaps, copies into a blit encoder. The stream's fence orders the
// encoders.
type Encoder struct {
	Acc      *Device
	Label    string        // of the stream
	Stats    *Counters     // of the stream
	Fence    mtl.Fence     // of the stream
	Order    *EncoderOrder // likewise
	Commands mtl.CommandBuffer
	Compute  mtl.ComputeCommandEncoder
	blit     mtl.BlitCommandEncoder
	number   uint64  // of the encoder opened last, counted per stream
	Last     *Kernel // whose pipeline is set in the compute encoder
	Memory   []uint  // threadgroup memory lengths set by its launches, by index
	Hazards  Hazards
	Timer    *LaunchTimer // nil unless launches are timed
	Trial    GroupTrial
}

// Used notes that a command has been encoded in the open encoder.
func (e *Encoder) Used(w *Work) { atomic.StoreUint64(&w.Encoder, e.number) }

// launch encodes a kernel.
func (e *Encoder) launch(l *Launch) error {
	if e.exceedsMemory(l) {
		if err := e.Close(); err != nil {
			return err
		}
	}
	if err := e.OpenCompute(); err != nil {
		return err
	}
	if e.Hazards.Track(l.Spans) {
		if err := e.Barrier(); err != nil {
			return err
		}
	}
	if e.Last != l.Kernel {
		if err := e.Compute.SetComputePipelineState(l.Kernel.Made().Pipeline); err != nil {
			return err
		}
		e.Last = l.Kernel
	}
	for i := range l.Args {
		if err := e.argument(&l.Args[i]); err != nil {
			return err
		}
	}
	if l.Counts.Mem != nil {
		return e.Compute.DispatchThreadgroupsWithIndirectBuffer(l.Counts.Mem.Buffer, l.Counts.Offset, l.Group)
	}
	if l.Search != nil {
		return e.Compute.DispatchThreads(l.Grid, e.Trial.Group(l.Search))
	}
	if l.Threads {
		return e.Compute.DispatchThreads(l.Grid, l.Group)
	}
	return e.Compute.DispatchThreadgroups(l.Grid, l.Group)
}

// Barrier makes later launches of the compute encoder wait for earlier ones.
func (e *Encoder) Barrier() error {
	e.Stats.Barriers.Add(1)
	return e.Compute.MemoryBarrierWithScope(mtl.BarrierScopeBuffers | mtl.BarrierScopeTextures)
}

// exceedsMemory reports whether a launch would exceed the device's threadgroup memory together with
// the lengths set by earlier launches: a compute encoder keeps those even for kernels that do not
// use them.
func (e *Encoder) exceedsMemory(l *Launch) bool {
	if len(e.Memory) == 0 {
		return false
	}
	all := l.Kernel.Made().Limits.StaticThreadgroupMemory
	for _, n := range e.Memory {
		all += n
	}
	for i := range l.Args {
		a := &l.Args[i]
		switch {
		case a.Kind != ThreadgroupParameter:
		case a.Index >= uint(len(e.Memory)):
			all += a.Length
		default:
			all += max(a.Length, e.Memory[a.Index]) - e.Memory[a.Index]
		}
	}
	return all > e.Acc.Info.Limits.MaxThreadgroupMemoryLength
}

// setMemory sets the length of threadgroup memory.
func (e *Encoder) setMemory(length, index uint) error {
	for uint(len(e.Memory)) <= index {
		e.Memory = append(e.Memory, 0)
	}
	e.Memory[index] = length
	return e.Compute.SetThreadgroupMemoryLength(length, index)
}

func (e *Encoder) argument(a *Argument) error {
	switch {
	case a.Commands != nil:
		return e.Compute.UseResource(a.Commands.Metal.Resource, mtl.ResourceUsageRead|mtl.ResourceUsageWrite)
	case a.Kind == OtherParameter && !a.Texture.IsNil():
		return e.Compute.UseResource(a.MetalTexture().Resource, a.usage())
	case a.Kind == OtherParameter && a.View.Mem == nil:
		return nil // a sampler, which needs no residency
	case a.Kind == OtherParameter:
		return e.Compute.UseResource(a.View.Mem.Buffer.Resource, a.usage())
	case a.Kind == TextureParameter:
		return e.Compute.SetTexture(a.MetalTexture(), a.Index)
	case a.View.Mem != nil:
		return e.Compute.SetBuffer(a.View.Mem.Buffer, a.View.Offset, a.Index)
	case a.Bytes != nil:
		return e.Compute.SetBytes(a.Bytes, a.Index)
	case a.Kind == ThreadgroupParameter:
		return e.setMemory(a.Length, a.Index)
	}
	if a.Found != nil {
		return e.Compute.SetSamplerState(*a.Found, a.Index)
	}
	return e.Compute.SetSamplerState(a.Sampler, a.Index)
}

// MetalTexture returns the texture to encode.
func (a *Argument) MetalTexture() mtl.Texture {
	if a.Cell != nil {
		return a.Cell.Texture
	}
	return a.Texture
}

// Transfer encodes a command of a blit encoder.
func (e *Encoder) Transfer(w *Work, encode func(mtl.BlitCommandEncoder) error) error {
	var room [2]Span
	spans := w.Hazards(room[:0])
	if !e.blit.IsNil() && e.Hazards.Track(spans) {
		if err := e.Close(); err != nil {
			return err
		}
	}
	if e.blit.IsNil() {
		if err := e.OpenBlit(); err != nil {
			return err
		}
		e.Hazards.Track(spans)
	}
	e.Used(w)
	return encode(e.blit)
}

// OpenCompute opens a compute encoder, unless one is open.
func (e *Encoder) OpenCompute() (err error) {
	if !e.Compute.IsNil() {
		return nil
	}
	if err := e.Close(); err != nil {
		return err
	}
	if e.Timer != nil && e.Timer.timing {
		e.Compute, err = e.Timer.open(e.Commands)
	} else {
		e.Compute, err = e.Commands.ComputeCommandEncoderWithDispatchType(mtl.DispatchTypeConcurrent)
	}
	if err != nil {
		return err
	}
	e.Compute.SetLabel(e.name())
	return e.Compute.WaitForFence(e.Fence)
}

// OpenBlit opens a blit encoder.
func (e *Encoder) OpenBlit() (err error) {
	if err := e.Close(); err != nil {
		return err
	}
	if e.blit, err = e.Commands.BlitCommandEncoder(); err != nil {
		return err
	}
	e.blit.SetLabel(e.name())
	return e.blit.WaitForFence(e.Fence)
}

// name numbers a new encoder and returns its label.
func (e *Encoder) name() string {
	e.number = e.Stats.Encoders.Add(1)
	return EncoderLabel(e.Label, e.number)
}

// Close ends the open encoder, even if its fence fails: Metal aborts the process for an encoder
// that is left open.
func (e *Encoder) Close() (err error) {
	switch {
	case !e.Compute.IsNil():
		err = cmp.Or(e.Compute.UpdateFence(e.Fence), e.Compute.EndEncoding())
	case !e.blit.IsNil():
		err = cmp.Or(e.blit.UpdateFence(e.Fence), e.blit.EndEncoding())
	}
	e.Compute, e.blit, e.Last, e.Memory = mtl.ComputeCommandEncoder{}, mtl.BlitCommandEncoder{}, nil, e.Memory[:0]
	e.Hazards.Clear()
	return err
}

// EncoderOrder orders the program's own encoders and the stream's within a command buffer.
type EncoderOrder struct {
	Event mtl.Event // nil before the first ones
	last  uint64    // value that was signaled
}

// InOrder makes all later commands of the command buffer begin after all earlier ones have ended.
func (e *Encoder) InOrder() error {
	if err := e.Close(); err != nil {
		return err
	}
	o := e.Order
	if o.Event.IsNil() {
		if o.Event = e.Acc.Device.NewEvent(); o.Event.IsNil() {
			return fmt.Errorf("the device made no event: %w", ErrOutOfMemory)
		}
	}
	o.last++
	if err := e.Commands.EncodeSignalEvent(o.Event, o.last); err != nil {
		return err
	}
	return e.Commands.EncodeWaitForEvent(o.Event, o.last)
}

// EncoderLabel labels encoders by number, so that an error's encoder can be found.
func EncoderLabel(stream string, n uint64) string { return fmt.Sprintf("%s encoder %d", stream, n) }
