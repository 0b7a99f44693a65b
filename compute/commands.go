package compute

import (
	"context"
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// Commands is an indirect command buffer: launches that are encoded once, by Go or by a kernel, and
// executed any number of times, each time by a single command of a stream. A command that nobody
// has encoded does nothing. Commands between two barriers run concurrently, whatever memory they
// access: unlike a stream, Commands inserts no barriers itself; see [Commands.SetBarrier].
//
// Go encodes commands with [Commands.Set]. A kernel encodes them through a handle in an argument
// buffer; see [Commands.Handle].
//
// Close it when done; recorded executions still run. It is safe for concurrent use.
type Commands struct {
	acc     *Accelerator
	options CommandsOptions
	on      stream.Indirect

	mu      sync.Mutex
	entries []indirectCommand
	byOther bool // a command of a stream has changed them
	values  valueMemory
	filling []*stream.Kernel // whose handles kernels have
	version uint64           // counts changes
	last    *commandRange    // of the last execution, while the version stays
	epoch   uint64           // of the device, of what Metal has made
	// handled: the program has its handle, or it had one on a device that was lost (moved).
	handled, moved bool
}

// CommandsOptions configures [Accelerator.NewCommands].
type CommandsOptions struct {
	Label string
	// Buffers is how many buffer indices each command has, 1 to 31; 0 means 31. Arguments by value
	// take an index as well.
	Buffers int
}

// indirectCommand is a command that Go has encoded.
type indirectCommand struct {
	launch  *stream.Launch // nil for none
	given   []any          // its arguments: keeps them reachable
	values  stream.View    // of its arguments by value, with room for later ones
	barrier bool
}

// maxCommands is Metal's limit.
const maxCommands = 16384

// NewCommands makes n commands, 1 to 16384, that do nothing. Errors: [ErrRange], [ErrOption],
// [ErrOutOfMemory].
func (a *Accelerator) NewCommands(n int, o CommandsOptions) (*Commands, error) {
	if a.missing() {
		return nil, stream.NilError("accelerator: NewCommands")
	}
	if n < 1 || n > maxCommands {
		return nil, fmt.Errorf("compute: commands %q: %d commands, want 1 to %d: %w", o.Label, n, maxCommands, ErrRange)
	}
	if o.Buffers == 0 {
		o.Buffers = mtl.MaxBufferSlots
	}
	if o.Buffers < 1 || o.Buffers > mtl.MaxBufferSlots {
		return nil, fmt.Errorf("compute: commands %q: %d buffer indices, want 1 to %d: %w", o.Label, o.Buffers,
			mtl.MaxBufferSlots, ErrOption)
	}
	if err := a.beginCall(); err != nil {
		return nil, err
	}
	defer a.core.Calls.Done()
	c := &Commands{acc: a, options: o, on: stream.Indirect{N: n}, entries: make([]indirectCommand, n)}
	c.values.acc, c.epoch, c.on.Owner = a, a.core.Epoch.Load(), (*indirectOwner)(c)
	c.on.Life.Init(c, c.release)
	var err error
	objc.Pool(func() { c.on.Metal, err = c.make() })
	if err != nil {
		return nil, fmt.Errorf("compute: %v: %w: %w", c, ErrOutOfMemory, err)
	}
	if err := a.addOpen(c, c.String()); err != nil {
		c.on.Metal.Release()
		return nil, err
	}
	a.core.Mu.Lock()
	c.on.Id = a.core.NextCreated()
	a.core.Mu.Unlock()
	return c, nil
}

// make makes Metal's buffer.
func (c *Commands) make() (mtl.IndirectCommandBuffer, error) {
	d, err := mtl.NewIndirectCommandBufferDescriptor()
	if err != nil {
		return mtl.IndirectCommandBuffer{}, err
	}
	defer d.Release()
	d.SetCommandTypes(mtl.IndirectCommandTypeConcurrentDispatch | mtl.IndirectCommandTypeConcurrentDispatchThreads)
	d.SetInheritPipelineState(false)
	d.SetInheritBuffers(false)
	d.SetMaxKernelBufferBindCount(uint(c.options.Buffers))
	// Before macOS 14 commands have all threadgroup memory indices, and descriptors lack the method.
	_ = d.SetMaxKernelThreadgroupMemoryBindCount(mtl.MaxBufferSlots)
	// Shared, because Go encodes commands.
	b, err := c.acc.device.NewIndirectCommandBufferWithDescriptor(d, uint(c.on.N),
		mtl.MakeResourceOptions(mtl.StorageModeShared, mtl.CPUCacheModeDefaultCache, mtl.HazardTrackingModeUntracked))
	if err == nil && c.options.Label != "" {
		b.SetLabel(c.options.Label)
	}
	return b, err
}

// String names the commands for messages.
func (c *Commands) String() string {
	if c.missing() {
		return "nil commands"
	}
	return fmt.Sprintf("commands %q", c.options.Label)
}

// Len returns the number of commands.
func (c *Commands) Len() int {
	if c.missing() {
		return 0
	}
	return c.on.N
}

// Close closes the commands. Closing closed or nil commands does nothing.
func (c *Commands) Close() {
	if c.missing() {
		return
	}
	c.acc.removeOpen(c)
	c.on.Life.Close()
}

func (c *Commands) drop() { c.on.Life.Close() }

func (c *Commands) release() {
	c.on.Metal.Release()
	c.values.close()
}

// Set encodes a launch into command i. It checks arguments and grid as [Kernel.Bind] does; errors
// are a *[LaunchError]. Indirect commands cannot use textures, samplers, kernels compiled with
// Logging or buffers beyond byte 2³²-1. Arguments by value are copied to memory of the Commands.
// Set first waits until no recorded work uses the commands.
//
// Closing a buffer of a command makes executions of it fail with [ErrClosed], until another Set or
// [Commands.Reset]. The command keeps the first barrier setting: see [Commands.SetBarrier].
func (c *Commands) Set(ctx context.Context, i int, k *Kernel, grid Grid, args ...any) error {
	return c.edit(ctx, "Set", i, i+1, func() error {
		l, err := k.Bind(grid, args...)
		if err != nil {
			return err
		}
		if k.acc != c.acc {
			return &LaunchError{Kernel: k.core.Name, Err: ErrAccelerator}
		}
		if err := c.suits(&l.core); err != nil {
			return &LaunchError{Kernel: k.core.Name, Err: err}
		}
		return c.encode(ctx, i, &l.core, append([]any(nil), args...))
	})
}

// SetBarrier makes command i wait for the commands before it, or no longer do so. A command that
// reads what an earlier one writes needs a barrier before it. It first waits as [Commands.Set]
// does.
func (c *Commands) SetBarrier(ctx context.Context, i int, barrier bool) error {
	return c.edit(ctx, "SetBarrier", i, i+1, func() error {
		c.entries[i].barrier = barrier
		return c.applyBarrier(i)
	})
}

// Reset makes the commands [from, to) do nothing. It first waits as [Commands.Set] does.
// [Stream.ResetCommands] does it on the device.
func (c *Commands) Reset(ctx context.Context, from, to int) error {
	return c.edit(ctx, "Reset", from, to, func() error {
		clear(c.entries[from:to])
		if err := c.on.Metal.ResetWithRange(mtl.Range{Location: uint(from), Length: uint(to - from)}); err != nil {
			return err
		}
		c.on.Poison.Replace(uint(from), uint(to), nil)
		return nil
	})
}

// edit calls do for changes of commands [from, to) while no recorded work uses them.
func (c *Commands) edit(ctx context.Context, what string, from, to int, do func() error) error {
	if err := stream.CheckCall(ctx, "commands: "+what, c.missing()); err != nil {
		return err
	}
	if err := c.check(from, to); err != nil {
		return err
	}
	return c.whileUnused(ctx, do)
}

// whileUnused calls do while no recorded work uses the commands, with the lock held.
func (c *Commands) whileUnused(ctx context.Context, do func() error) (err error) {
	if c.acc.missing() {
		return stream.NilError("a method")
	}
	if err := c.acc.core.BeginWait(); err != nil {
		return err
	}
	defer c.acc.core.Waits.Done()
	c.acc.core.HurryGuarded()
	if err := c.hold(ctx); err != nil {
		return err
	}
	defer c.on.Life.Done()
	return c.acc.protect(ctx, "a change of commands", func() error {
		if err := c.renew(ctx); err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed()
		objc.Pool(func() { err = do() })
		return err
	})
}

// changed forgets what executions use. The lock is held.
func (c *Commands) changed() {
	c.version++
	c.last = nil
}

// check checks a range of commands.
func (c *Commands) check(from, to int) error {
	if from < 0 || to <= from || to > c.on.N {
		return fmt.Errorf("compute: %v: commands [%d, %d) of %d: %w", c, from, to, c.on.N, ErrRange)
	}
	return nil
}

// suits returns why a launch cannot be one of the commands, nil if it can.
func (c *Commands) suits(l *stream.Launch) error { return indirectLaunch(l, uint(c.options.Buffers)) }

// indirectLaunch returns why a launch cannot be an indirect command with the given number of buffer
// indices, nil if it can. The device may still not make the kernel's pipeline.
func indirectLaunch(l *stream.Launch, buffers uint) error {
	if l.Kernel.Phases > 1 {
		return fmt.Errorf("the kernel synchronizes the whole grid, which needs Stream.LaunchCooperative: %w", ErrIndirect)
	}
	if l.Kernel.Logs {
		return fmt.Errorf("the kernel logs, and messages need a command buffer of their own: %w", ErrIndirect)
	}
	for i := range l.Args {
		switch a := &l.Args[i]; {
		case a.Kind == stream.TextureParameter, a.Kind == stream.SamplerParameter:
			return fmt.Errorf("indirect commands cannot bind %v %d: %w", a.Kind, a.Index, ErrIndirect)
		case a.Kind == stream.BufferParameter && a.Index >= buffers:
			return fmt.Errorf("buffer index %d, the commands have %d: %w", a.Index, buffers, ErrIndirect)
		case a.Kind == stream.BufferParameter && a.View.Mem != nil && uint64(a.View.Offset) > maxOffset:
			return fmt.Errorf("buffer %d begins at byte %d, indirect commands reach %d: %w", a.Index, a.View.Offset,
				uint64(maxOffset), ErrIndirect)
		}
	}
	return nil
}

// maxOffset is the largest offset of a buffer in an indirect command: drivers keep 32 bits of it.
const maxOffset = 1<<32 - 1

// encode encodes a launch that suits. The lock is held, and nothing uses the commands.
func (c *Commands) encode(ctx context.Context, i int, l *stream.Launch, given []any) error {
	if err := l.Use(); err != nil { // the kernel and the buffers are open
		return err
	}
	defer l.Done()
	state, err := l.Kernel.IndirectState(ctx)
	if err != nil {
		return &LaunchError{Kernel: l.Kernel.Name, Err: err}
	}
	e := &c.entries[i]
	if err := c.values.place(e, l); err != nil {
		return err
	}
	e.launch, e.given = nil, nil
	if err := c.encodeTo(i, state, l, e.values); err != nil {
		return &LaunchError{Kernel: l.Kernel.Name, Err: err}
	}
	e.launch, e.given = l, given
	c.on.Poison.Replace(uint(i), uint(i+1), nil)
	return c.applyBarrier(i)
}

// encodeTo sends a command to Metal.
func (c *Commands) encodeTo(i int, state mtl.ComputePipelineState, l *stream.Launch, values stream.View) error {
	m, err := c.on.Metal.IndirectComputeCommandAtIndex(uint(i))
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
		case a.Kind == stream.ThreadgroupParameter:
			err = m.SetThreadgroupMemoryLength(a.Length, a.Index)
		case a.Kind == stream.OtherParameter: // resident whenever the command is executed
		case a.Bytes != nil:
			if err = values.Mem.Write(values.Offset, a.Bytes); err == nil {
				err = m.SetKernelBuffer(values.Mem.Buffer, values.Offset, a.Index)
			}
			values.Offset += stream.RoundUp(uint(len(a.Bytes)), valueAlignment)
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

// applyBarrier tells Metal whether a command waits for those before it.
func (c *Commands) applyBarrier(i int) error {
	m, err := c.on.Metal.IndirectComputeCommandAtIndex(uint(i))
	if err != nil {
		return err
	}
	if c.entries[i].barrier {
		return m.SetBarrier()
	}
	return m.ClearBarrier()
}

// valueMemory holds arguments by value of indirect commands, which have no setBytes.
type valueMemory struct {
	acc    *Accelerator
	blocks []*stream.Memory
	used   uint // of the last block
}

// valueAlignment is the alignment of arguments by value: that of the constant address space on
// devices other than Apple's.
const valueAlignment = 256

// valueBlock is the size of a block.
const valueBlock = 64 << 10

// place gives a command room for the values of a launch, if it has not enough.
func (v *valueMemory) place(e *indirectCommand, l *stream.Launch) error {
	need := uint(0)
	for i := range l.Args {
		need += stream.RoundUp(uint(len(l.Args[i].Bytes)), valueAlignment)
	}
	if need <= e.values.Length {
		return nil
	}
	if len(v.blocks) == 0 || v.blocks[len(v.blocks)-1].Length-v.used < need {
		shared := mtl.StorageModeShared
		m, err := v.acc.newMemory(max(valueBlock, need), BufferOptions{Label: "values of commands", Storage: &shared})
		if err != nil {
			return err
		}
		m.KeepOfHost()
		v.blocks, v.used = append(v.blocks, m), 0
	}
	e.values = stream.ViewOf(v.blocks[len(v.blocks)-1], v.used, need)
	v.used += need
	return nil
}

func (v *valueMemory) close() {
	for _, m := range v.blocks {
		m.Close()
	}
}
