// Package testlaunch describes launches for tests, with memory by slot instead of by address, so
// that they are easy to write, copy and compare. Exec converts one for engines.
package testlaunch

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/exec/message"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
)

// Launch is a launch of a kernel.
type Launch struct {
	Grid  [3]int // threads; a component 0 counts as 1
	Group [3]int // threads of a threadgroup

	Buffers           map[int]Buffer          // by slot
	Resident          map[uint32][]byte       // buffers referenced by argument buffers, by a number above all slots
	ThreadgroupMemory map[int]int             // lengths in bytes by slot
	Textures          map[int]*Texture        // by slot
	ResidentTextures  map[uint64]*Texture     // by the handle stored in an argument buffer, below SlotHandles
	Samplers          map[int]ir.SamplerState // by slot
	Constants         map[int][]byte          // function constants by index, in the language's layout

	CommandBuffers CommandBuffers // by the handle stored in an argument buffer, below 2^32

	Fuel int64        // limit of the work of all threads together; 0 for no limit
	Log  message.Sink // receives log messages of the kernel; nil drops them
	Hook hook.Hook    // observes the execution, but not on the oracle; nil for none
}

// Buffer is memory bound to a slot.
type Buffer struct {
	Data     []byte
	Offset   int  // where the argument points; the bytes before it are in bounds too
	ReadOnly bool // stores are discarded
}

// SlotHandles is the handle of the texture in slot 0 and of the sampler in slot 0; those of other
// slots follow consecutively.
const SlotHandles = 1 << 16

// MinResident is the smallest number of a resident buffer; smaller numbers belong to slots.
const MinResident = 0x100

// Texture is an image. Level l is max(1, size>>l) wide, and so on. In its data x varies fastest,
// then y, z, layer; the samples of a texel in a multisample texture are consecutive. Cubes have six
// layers each.
type Texture struct {
	Format                        string // Metal's name without MTLPixelFormat
	Width, Height, Depth, Samples int    // 0 counts as 1
	Layers                        int
	Levels                        [][]byte
}

// Image returns the texture as an image of package texel, sharing its memory.
func (x *Texture) Image() (*texel.Image, error) {
	f, ok := texel.ParseFormat(x.Format)
	if !ok {
		return nil, fmt.Errorf("%w: pixel format %q", exec.ErrUnsupported, x.Format)
	}
	return texel.New(f, x.Width, x.Height, x.Depth, x.Layers, x.Samples, x.Levels...), nil
}

// Clone returns a copy with its own levels, or nil for nil.
func (x *Texture) Clone() *Texture {
	if x == nil {
		return nil
	}
	c := *x
	c.Levels = nil
	for _, data := range x.Levels {
		c.Levels = append(c.Levels, slices.Clone(data))
	}
	return &c
}

// Clone returns a copy of the launch with its own memory.
func (l *Launch) Clone() *Launch {
	c := *l
	c.Buffers = maps.Clone(l.Buffers)
	for slot, b := range c.Buffers {
		b.Data = slices.Clone(b.Data)
		c.Buffers[slot] = b
	}
	c.Resident = maps.Clone(l.Resident)
	for id, data := range c.Resident {
		c.Resident[id] = slices.Clone(data)
	}
	c.Textures = maps.Clone(l.Textures)
	for slot, x := range c.Textures {
		c.Textures[slot] = x.Clone()
	}
	c.ResidentTextures = maps.Clone(l.ResidentTextures)
	for handle, x := range c.ResidentTextures {
		c.ResidentTextures[handle] = x.Clone()
	}
	c.CommandBuffers = maps.Clone(l.CommandBuffers)
	for handle, b := range c.CommandBuffers {
		c.CommandBuffers[handle] = b.Clone()
	}
	return &c
}

// Exec returns the launch in the form that engines take, sharing its memory. Slot n's buffer is
// object n+1. The addresses are the same in every call.
func (l *Launch) Exec() (*exec.Launch, error) {
	e := &exec.Launch{Grid: l.Grid, Group: l.Group, Space: &exec.Space{}, Constants: l.Constants, Fuel: l.Fuel, Log: l.Log,
		Hook: l.Hook, Cooperative: &exec.Cooperative{}}
	for slot, b := range l.Buffers {
		if b.Offset < 0 || b.Offset > len(b.Data) || slot < 0 || slot >= MinResident-1 {
			return nil, fmt.Errorf("%w: buffer %d: offset %d is outside of %d bytes, or the slot is out of range",
				exec.ErrLaunch, slot, b.Offset, len(b.Data))
		}
		id := uint32(1 + slot)
		e.Space.Set(id, exec.Object{Data: b.Data, ReadOnly: b.ReadOnly})
		e.Buffers = put(e.Buffers, slot, exec.Address(id, uint64(b.Offset)))
	}
	for id, data := range l.Resident {
		if id < MinResident || id > exec.MaxObject {
			return nil, fmt.Errorf("%w: resident buffer %#x is not from %#x to %#x", exec.ErrLaunch, id, MinResident,
				exec.MaxObject)
		}
		e.Space.Set(id, exec.Object{Data: data})
	}
	if err := l.textures(e); err != nil {
		return nil, err
	}
	if l.CommandBuffers != nil {
		e.Commands = l.CommandBuffers
	}
	for slot, n := range l.ThreadgroupMemory {
		if slot < 0 || slot >= MinResident {
			return nil, fmt.Errorf("%w: threadgroup memory %d is out of range", exec.ErrLaunch, slot)
		}
		e.Threadgroup = put(e.Threadgroup, slot, n)
	}
	return e, nil
}

// textures adds textures and samplers to a launch.
func (l *Launch) textures(e *exec.Launch) error {
	set := func(handle uint64, x *Texture) error {
		image, err := x.Image()
		if err == nil {
			e.Space.SetTexture(uint32(handle), image)
		}
		return err
	}
	for slot, x := range l.Textures {
		if x == nil {
			continue
		}
		if err := set(uint64(SlotHandles+slot), x); err != nil {
			return err
		}
		e.Textures = put(e.Textures, slot, uint64(SlotHandles+slot))
	}
	for handle, x := range l.ResidentTextures {
		if handle >= SlotHandles {
			return fmt.Errorf("%w: texture handle %#x is not below %#x", exec.ErrLaunch, handle, SlotHandles)
		}
		if x == nil {
			continue
		}
		if err := set(handle, x); err != nil {
			return err
		}
	}
	for slot, s := range l.Samplers {
		e.Space.SetSampler(uint32(SlotHandles+slot), texel.NewSampler(&s))
		e.Samplers = put(e.Samplers, slot, uint64(SlotHandles+slot))
	}
	return nil
}

// Run runs a kernel on an engine, such as ref.Run, over the launch's own memory.
func (l Launch) Run(ctx context.Context, f *ir.Func, run func(context.Context, *ir.Func, *exec.Launch) error) error {
	e, err := l.Exec()
	if err != nil {
		return err
	}
	return run(ctx, f, e)
}

// put sets element i of a list, extending it if necessary.
func put[T any](list []T, i int, x T) []T {
	if more := i + 1 - len(list); more > 0 {
		list = append(list, make([]T, more)...)
	}
	list[i] = x
	return list
}
