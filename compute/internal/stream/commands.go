package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// IndirectCommand is a command that Go has encoded.
type IndirectCommand struct {
	launch  *Launch // nil for none
	given   []any   // its arguments: keeps them reachable
	values  View    // of its arguments by value, with room for later ones
	Barrier bool
}

// MaxCommands is Metal's limit.
const MaxCommands = 16384

// Init makes Metal's buffer. name and end are those of the lifetime.
func (c *Indirect) Init(name fmt.Stringer, end func()) (err error) {
	c.Entries, c.values.device, c.epoch = make([]IndirectCommand, c.N), c.Acc, c.Acc.Epoch.Load()
	c.Life.Init(name, func() {
		c.Metal.Release()
		c.values.close()
		end()
	})
	if err := c.Acc.Begin(); err != nil {
		return err
	}
	defer c.Acc.Calls.Done()
	objc.Pool(func() { c.Metal, err = c.makeMetal() })
	if err != nil {
		return fmt.Errorf("compute: %v: %w: %w", name, ErrOutOfMemory, err)
	}
	c.Acc.Mu.Lock()
	defer c.Acc.Mu.Unlock()
	c.ID = c.Acc.NextCreated()
	return nil
}

// makeMetal makes Metal's buffer.
func (c *Indirect) makeMetal() (mtl.IndirectCommandBuffer, error) {
	d, err := mtl.NewIndirectCommandBufferDescriptor()
	if err != nil {
		return mtl.IndirectCommandBuffer{}, err
	}
	defer d.Release()
	d.SetCommandTypes(mtl.IndirectCommandTypeConcurrentDispatch | mtl.IndirectCommandTypeConcurrentDispatchThreads)
	d.SetInheritPipelineState(false)
	d.SetInheritBuffers(false)
	d.SetMaxKernelBufferBindCount(uint(c.Buffers))
	// Before macOS 14 commands have all threadgroup memory indices, and descriptors lack the method.
	_ = d.SetMaxKernelThreadgroupMemoryBindCount(mtl.MaxBufferSlots)
	// Shared, because Go encodes commands.
	b, err := c.Acc.Device.NewIndirectCommandBufferWithDescriptor(d, uint(c.N),
		mtl.MakeResourceOptions(mtl.StorageModeShared, mtl.CPUCacheModeDefaultCache, mtl.HazardTrackingModeUntracked))
	if err == nil && c.Label != "" {
		b.SetLabel(c.Label)
	}
	return b, err
}

// WhileUnused calls do while no recorded work uses the commands, with the lock held.
func (c *Indirect) WhileUnused(ctx context.Context, do func() error) (err error) {
	if err := c.Acc.BeginWait(); err != nil {
		return err
	}
	defer c.Acc.Waits.Done()
	c.Acc.HurryGuarded()
	if err := c.Hold(ctx); err != nil {
		return err
	}
	defer c.Life.Done()
	return c.Acc.Protect(ctx, "a change of commands", func() error {
		if err := c.Renew(ctx); err != nil {
			return err
		}
		c.Mu.Lock()
		defer c.Mu.Unlock()
		c.changed()
		objc.Pool(func() { err = do() })
		return err
	})
}

// changed forgets what executions use. The lock is held.
func (c *Indirect) changed() {
	c.version++
	c.last = nil
}

// Indirect returns why the launch cannot be an indirect command with the given number of buffer
// indices, nil if it can. The device may still not make the kernel's pipeline.
func (l *Launch) Indirect(buffers uint) error {
	if l.Kernel.Phases > 1 {
		return fmt.Errorf("the kernel synchronizes the whole grid, which needs Stream.LaunchCooperative: %w", ErrIndirect)
	}
	if l.Kernel.Logs {
		return fmt.Errorf("the kernel logs, and messages need a command buffer of their own: %w", ErrIndirect)
	}
	for i := range l.Args {
		switch a := &l.Args[i]; {
		case a.Kind == TextureParameter, a.Kind == SamplerParameter:
			return fmt.Errorf("indirect commands cannot bind %v %d: %w", a.Kind, a.Index, ErrIndirect)
		case a.Kind == BufferParameter && a.Index >= buffers:
			return fmt.Errorf("buffer index %d, the commands have %d: %w", a.Index, buffers, ErrIndirect)
		case a.Kind == BufferParameter && a.View.Mem != nil && uint64(a.View.Offset) > maxOffset:
			return fmt.Errorf("buffer %d begins at byte %d, indirect commands reach %d: %w", a.Index, a.View.Offset,
				uint64(maxOffset), ErrIndirect)
		}
	}
	return nil
}

// maxOffset is the largest offset of a buffer in an indirect command: drivers keep 32 bits of it.
const maxOffset = 1<<32 - 1

// Encode encodes a launch that suits. The lock is held, and nothing uses the commands.
func (c *Indirect) Encode(ctx context.Context, i int, l *Launch, given []any) error {
	if err := l.Use(); err != nil { // the kernel and the buffers are open
		return err
	}
	defer l.Done()
	state, err := l.Kernel.IndirectState(ctx)
	if err != nil {
		return LaunchError(l.Kernel, "", err)
	}
	e := &c.Entries[i]
	if err := c.values.place(e, l); err != nil {
		return err
	}
	e.launch, e.given = nil, nil
	if err := c.encodeTo(i, state, l, e.values); err != nil {
		return LaunchError(l.Kernel, "", err)
	}
	e.launch, e.given = l, given
	c.Poison.Replace(uint(i), uint(i+1), nil)
	return c.ApplyBarrier(i)
}

// encodeTo sends a command to Metal.
func (c *Indirect) encodeTo(i int, state mtl.ComputePipelineState, l *Launch, values View) error {
	m, err := c.Metal.IndirectComputeCommandAtIndex(uint(i))
	if err != nil {
		return err
	}
	if err := m.Reset(); err != nil {
		return err
	}
	if err := m.SetComputePipelineState(state); err != nil {
		return err
	}
	for j := range l.Args {
		switch a := &l.Args[j]; {
		case a.Kind == ThreadgroupParameter:
			err = m.SetThreadgroupMemoryLength(a.Length, a.Index)
		case a.Kind == OtherParameter: // resident whenever the command is executed
		case a.Bytes != nil:
			if err = values.Mem.Write(values.Offset, a.Bytes); err == nil {
				err = m.SetKernelBuffer(values.Mem.Buffer, values.Offset, a.Index)
			}
			values.Offset += RoundUp(uint(len(a.Bytes)), valueAlignment)
		default:
			if err = a.View.Mem.Stay(); err == nil {
				err = m.SetKernelBuffer(a.View.Mem.Buffer, a.View.Offset, a.Index)
			}
		}
		if err != nil {
			return err
		}
	}
	if l.Threads {
		return m.ConcurrentDispatchThreads(l.Grid, l.Group)
	}
	return m.ConcurrentDispatchThreadgroups(l.Grid, l.Group)
}

// ApplyBarrier tells Metal whether a command waits for those before it.
func (c *Indirect) ApplyBarrier(i int) error {
	m, err := c.Metal.IndirectComputeCommandAtIndex(uint(i))
	if err != nil {
		return err
	}
	if c.Entries[i].Barrier {
		return m.SetBarrier()
	}
	return m.ClearBarrier()
}

// valueMemory holds arguments by value of indirect commands, which have no setBytes.
type valueMemory struct {
	device *Device
	blocks []*Memory
	used   uint // of the last block
}

// valueAlignment is the alignment of arguments by value: that of the constant address space on
// devices other than Apple's.
const valueAlignment = 256

// valueBlock is the size of a block.
const valueBlock = 64 << 10

// place gives a command room for the values of a launch, if it has not enough.
func (v *valueMemory) place(e *IndirectCommand, l *Launch) error {
	need := uint(0)
	for i := range l.Args {
		need += RoundUp(uint(len(l.Args[i].Bytes)), valueAlignment)
	}
	if need <= e.values.Length {
		return nil
	}
	if len(v.blocks) == 0 || v.blocks[len(v.blocks)-1].Length-v.used < need {
		m, err := v.device.NewShared(max(valueBlock, need), "values of commands")
		if err != nil {
			return err
		}
		m.KeepOfHost()
		v.blocks, v.used = append(v.blocks, m), 0
	}
	e.values = ViewOf(v.blocks[len(v.blocks)-1], v.used, need)
	v.used += need
	return nil
}

func (v *valueMemory) close() {
	for _, m := range v.blocks {
		m.Close()
	}
}

// Handle returns the value by which kernels reach the commands.
func (c *Indirect) Handle() (uint64, error) {
	if err := c.Life.Open(); err != nil {
		return 0, err
	}
	ctx := context.Background()
	if err := c.Acc.Protect(ctx, "a handle of commands", func() error { return c.Renew(ctx) }); err != nil {
		return 0, err
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.handled, c.moved = c.Acc.Guard != nil, false
	return uint64(c.Metal.GPUResourceID().Impl), nil
}

// byGo reports whether Go has encoded all of the commands, and can do so again. The lock is held.
func (c *Indirect) byGo() bool { return !c.byOther && len(c.filling) == 0 }

// LostWithDevice reports whether the commands cannot be made again on another device.
func (c *Indirect) LostWithDevice() bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return !c.byGo()
}

// HasMoved reports whether a handle that the program has is no longer right.
func (c *Indirect) HasMoved() bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.moved
}

// Renew encodes the commands again if the device has been opened again. What Go has not encoded is
// lost. The caller keeps the device from being replaced.
func (c *Indirect) Renew(ctx context.Context) (err error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	now := c.Acc.Epoch.Load()
	if c.epoch == now {
		return nil
	}
	var made mtl.IndirectCommandBuffer
	objc.Pool(func() { made, err = c.makeMetal() })
	if err != nil {
		return fmt.Errorf("compute: %v: %w: %w", c.Life.name, ErrOutOfMemory, err)
	}
	c.Metal.Release()
	c.Metal = made
	c.changed()
	lost := func(from, to int) {
		c.Lose(c.Acc, from, to, fmt.Errorf("compute: %v, commands %d to %d, were lost with the device",
			c.Life.name, from, to-1))
	}
	if c.moved = c.moved || c.handled; !c.byGo() {
		lost(0, c.N)
		c.byOther, c.filling = false, nil
		clear(c.Entries)
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		if e.launch == nil {
			continue
		}
		if err = ErrClosed; e.launch.Kernel.Made().Epoch == now {
			objc.Pool(func() { err = c.Encode(ctx, i, e.launch, e.given) })
		}
		if errors.Is(err, ErrClosed) {
			lost(i, i+1) // executions that were recorded before keep it
		} else if err != nil {
			return err
		}
	}
	c.epoch = now
	return nil
}

// KernelHandle returns the value by which kernels encode launches of another kernel, and keeps that
// alive in all later executions.
func (c *Indirect) KernelHandle(ctx context.Context, k *Kernel) (uint64, error) {
	if err := k.Life.Use(); err != nil {
		return 0, err
	}
	defer k.Life.Done()
	state, err := k.IndirectState(ctx)
	if err != nil {
		return 0, LaunchError(k, "", err)
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if !slices.Contains(c.filling, k) {
		c.filling = append(c.filling, k)
		c.changed()
	}
	return uint64(state.GPUResourceID().Impl), nil
}

// Fills is a launch argument that fills no parameter: commands that the kernel encodes; nil for a
// missing handle.
type Fills []*Indirect

// Arguments checks the commands, which are argument n of a launch.
func (f Fills) Arguments(k *Kernel, n int) (list []Argument, err error) {
	for i, c := range f {
		switch {
		case c == nil:
			err = ErrNil
		case c.Acc != k.Acc:
			err = fmt.Errorf("%v %w", c.Life.name, ErrAccelerator)
		}
		if err != nil {
			return nil, LaunchError(k, fmt.Sprintf("argument %d, listed commands %d", n, i), err)
		}
		list = append(list, Argument{Kind: OtherParameter, Writes: true, Commands: c})
	}
	return list, nil
}
