package graph

import (
	"context"
	"fmt"
	"runtime"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
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
	acc     *compute.Accelerator
	options CommandsOptions
	core    stream.Indirect
}

// CommandsOptions configures [NewCommands].
type CommandsOptions struct {
	Label string
	// Buffers is how many buffer indices each command has, 1 to 31; 0 means 31. Arguments by value
	// take an index as well.
	Buffers int
}

// NewCommands makes n commands, 1 to 16384, that do nothing. Errors: [ErrRange], [ErrOption],
// [ErrOutOfMemory].
func NewCommands(a *compute.Accelerator, n int, o CommandsOptions) (*Commands, error) {
	d := stream.DeviceOf(a)
	if d == nil {
		return nil, stream.NilError("NewCommands: the accelerator")
	}
	if n < 1 || n > stream.MaxCommands {
		return nil, fmt.Errorf("compute: commands %q: %d commands, want 1 to %d: %w", o.Label, n, stream.MaxCommands,
			compute.ErrRange)
	}
	if o.Buffers == 0 {
		o.Buffers = mtl.MaxBufferSlots
	}
	if o.Buffers < 1 || o.Buffers > mtl.MaxBufferSlots {
		return nil, fmt.Errorf("compute: commands %q: %d buffer indices, want 1 to %d: %w", o.Label, o.Buffers,
			mtl.MaxBufferSlots, compute.ErrOption)
	}
	c := &Commands{acc: a, options: o, core: stream.Indirect{Acc: d, Label: o.Label, N: n, Buffers: uint(o.Buffers)}}
	if err := c.core.Init(c, func() {}); err != nil {
		return nil, err
	}
	if err := d.AddOpen(c, c.String(), c.drop); err != nil {
		c.core.Life.Close()
		return nil, err
	}
	return c, nil
}

// String names the commands for messages.
func (c *Commands) String() string {
	if c.missing() {
		return "nil commands"
	}
	return c.core.String()
}

// Len returns the number of commands.
func (c *Commands) Len() int {
	if c.missing() {
		return 0
	}
	return c.core.N
}

// Close closes the commands. Closing closed or nil commands does nothing.
func (c *Commands) Close() {
	if c.missing() {
		return
	}
	c.core.Acc.RemoveOpen(c)
	c.core.Life.Close()
}

func (c *Commands) drop() { c.core.Life.Close() }

// Set encodes a launch into command i. It checks arguments and grid as [Kernel.Bind] does; errors
// are a *[LaunchError]. Indirect commands cannot use textures, samplers, kernels compiled with
// Logging or buffers beyond byte 2³²-1. Arguments by value are copied to memory of the Commands.
// Set first waits until no recorded work uses the commands.
//
// Closing a buffer of a command makes executions of it fail with [ErrClosed], until another Set or
// [Commands.Reset]. The command keeps the first barrier setting: see [Commands.SetBarrier].
func (c *Commands) Set(ctx context.Context, i int, k *compute.Kernel, grid compute.Grid, args ...any) error {
	return c.edit(ctx, "Set", i, i+1, func() error {
		l, err := k.Bind(grid, args...)
		if err != nil {
			return err
		}
		core := stream.LaunchOf(l)
		if core.Kernel.Acc != c.core.Acc {
			return &compute.LaunchError{Kernel: k.Name(), Err: compute.ErrAccelerator}
		}
		if err := c.suits(core); err != nil {
			return &compute.LaunchError{Kernel: k.Name(), Err: err}
		}
		return c.core.Encode(ctx, i, core, append([]any(nil), args...))
	})
}

// SetBarrier makes command i wait for the commands before it, or no longer do so. A command that
// reads what an earlier one writes needs a barrier before it. It first waits as [Commands.Set]
// does.
func (c *Commands) SetBarrier(ctx context.Context, i int, barrier bool) error {
	return c.edit(ctx, "SetBarrier", i, i+1, func() error {
		c.core.Entries[i].Barrier = barrier
		return c.core.ApplyBarrier(i)
	})
}

// Reset makes the commands [from, to) do nothing. It first waits as [Commands.Set] does.
// [Commands.ResetOn] does it on the device.
func (c *Commands) Reset(ctx context.Context, from, to int) error {
	return c.edit(ctx, "Reset", from, to, func() error {
		clear(c.core.Entries[from:to])
		if err := c.core.Metal.ResetWithRange(mtl.Range{Location: uint(from), Length: uint(to - from)}); err != nil {
			return err
		}
		c.core.Poison.Replace(uint(from), uint(to), nil)
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
	return c.core.WhileUnused(ctx, do)
}

// check checks a range of commands.
func (c *Commands) check(from, to int) error {
	if from < 0 || to <= from || to > c.core.N {
		return fmt.Errorf("compute: %v: commands [%d, %d) of %d: %w", c, from, to, c.core.N, compute.ErrRange)
	}
	return nil
}

// suits returns why a launch cannot be one of the commands, nil if it can.
func (c *Commands) suits(l *stream.Launch) error {
	return l.Indirect(c.core.Buffers)
}

// ErrIndirect: a launch cannot be an indirect command.
var ErrIndirect = stream.ErrIndirect

// CommandRange is a range of commands that the device reads from a buffer; see
// [ExecuteRange]. A kernel writes it as two uints.
type CommandRange struct{ First, Count uint32 }

// Execute records the execution of the commands [from, to). access lists buffers that commands
// access and Go does not know about, by [Reads] and [Writes]: those that a kernel has bound, and
// those that kernels reach through pointers. What Go has encoded is known. The execution as a whole
// is ordered with the stream's other commands by the memory they access.
func (c *Commands) Execute(ctx context.Context, s *compute.Stream, from, to int, access ...any) error {
	return c.execute(ctx, s, "commands: Execute", from, to, stream.View{}, access)
}

// ExecuteRange is [Commands.Execute] of a range that the device reads from element i of a buffer,
// at the time of the execution. A range that exceeds the commands fails on the software device; on
// GPUs it is undefined.
func (c *Commands) ExecuteRange(ctx context.Context, s *compute.Stream, ranges *compute.Buffer[CommandRange], i int,
	access ...any) error {
	const what = "commands: ExecuteRange"
	q, at := stream.QueueOf(s), stream.BufferOf(ranges)
	if err := stream.CheckCall(ctx, what, q == nil || c.missing() || at.Mem == nil); err != nil {
		return err
	}
	switch {
	case i < 0 || i >= ranges.Len():
		return fmt.Errorf("compute: ExecuteRange: element %d of %v, which has %d: %w", i, at.Mem, ranges.Len(),
			compute.ErrRange)
	case at.Mem.Acc != q.Device():
		return fmt.Errorf("compute: ExecuteRange: %v %w", at.Mem, compute.ErrAccelerator)
	}
	size := stream.SizeOf[CommandRange]()
	return c.execute(ctx, s, what, 0, c.core.N, stream.ViewOf(at.Mem, at.Offset+uint(i)*size, size), access)
}

// execute records an execution. The program's call is two frames up.
func (c *Commands) execute(ctx context.Context, s *compute.Stream, what string, from, to int, ranges stream.View,
	access []any) error {
	q, err := c.on(ctx, s, what, from, to)
	if err != nil {
		return err
	}
	if len(access) == 0 && ranges.Mem == nil {
		return record(ctx, q, c.core.LastExecution(from, to))
	}
	var listed []stream.Listed
	if err := stream.EachAccess(q.Device(), access, func(a stream.RangeAccess) error {
		if err := a.Mem.Stay(); err != nil { // kernels have its address
			return err
		}
		listed = append(listed, stream.Listed{View: a.View, Writes: a.Writes})
		return nil
	}); err != nil {
		return fmt.Errorf("compute: %s: %w", what, err)
	}
	return record(ctx, q, c.core.ExecutionOf(from, to, ranges, listed))
}

// on checks a call for a range of commands, and returns the stream's queue.
func (c *Commands) on(ctx context.Context, s *compute.Stream, what string, from, to int) (stream.Queue, error) {
	q := stream.QueueOf(s)
	if err := stream.CheckCall(ctx, what, q == nil || c.missing()); err != nil {
		return nil, err
	}
	if c.core.Acc != q.Device() {
		return nil, fmt.Errorf("compute: %v %w", c, compute.ErrAccelerator)
	}
	return q, c.check(from, to)
}

// record records a command that uses commands. The program's call is three frames up.
func record(ctx context.Context, q stream.Queue, c stream.Command) error {
	if err := c.Use(); err != nil {
		return err
	}
	var site [1]uintptr
	runtime.Callers(4, site[:])
	if err := q.Record(ctx, stream.Work{Command: c, Site: site[0]}); err != nil {
		return err
	}
	c.Recorded()
	return nil
}

// ResetOn records a reset of the commands [from, to) on the device, before which kernels encode
// them again. Go does not encode them afterwards without another [Commands.Set].
func (c *Commands) ResetOn(ctx context.Context, s *compute.Stream, from, to int) error {
	return c.change(ctx, s, "commands: ResetOn", from, to, true, func(e mtl.BlitCommandEncoder, r mtl.Range) error {
		return e.ResetCommandsInBuffer(c.core.Metal, r)
	})
}

// OptimizeOn records an optimization of the commands [from, to): the device removes redundant state
// from them. Afterwards they may only be executed together, not as parts, until they are reset. It
// is worthwhile for commands that run often.
func (c *Commands) OptimizeOn(ctx context.Context, s *compute.Stream, from, to int) error {
	return c.change(ctx, s, "commands: OptimizeOn", from, to, false, func(e mtl.BlitCommandEncoder, r mtl.Range) error {
		return e.OptimizeIndirectCommandBuffer(c.core.Metal, r)
	})
}

// change records a change of commands by a blit encoder.
func (c *Commands) change(ctx context.Context, s *compute.Stream, what string, from, to int, resets bool,
	do func(mtl.BlitCommandEncoder, mtl.Range) error) error {
	q, err := c.on(ctx, s, what, from, to)
	if err != nil {
		return err
	}
	return record(ctx, q, c.core.Change(from, to, resets, do))
}

// Handle returns the value by which kernels reach the commands: the member of type command_buffer
// of a structure in a buffer. The launch of the kernel that encodes commands lists the Commands
// with [Fills]. See [Commands.KernelHandle] for the kernels that it encodes.
func (c *Commands) Handle() (uint64, error) {
	if c.missing() {
		return 0, stream.NilError("commands: Handle")
	}
	return c.core.Handle()
}

// KernelHandle returns the value by which a kernel encodes launches of another kernel: a member of
// type compute_pipeline_state of a structure in a buffer. Kernels with textures, samplers or
// messages are refused, with a *[LaunchError] that wraps [ErrIndirect]. Later executions of the
// commands fail with [ErrClosed] if the kernel's program is closed.
func (c *Commands) KernelHandle(ctx context.Context, k *compute.Kernel) (uint64, error) {
	core := stream.KernelOf(k)
	if err := stream.CheckCall(ctx, "commands: KernelHandle", c.missing() || core == nil); err != nil {
		return 0, err
	}
	switch {
	case core.Acc != c.core.Acc:
		return 0, &compute.LaunchError{Kernel: core.Name, Err: compute.ErrAccelerator}
	case core.Logs:
		return 0, &compute.LaunchError{Kernel: core.Name,
			Err: fmt.Errorf("the kernel logs, and messages need a command buffer of their own: %w", ErrIndirect)}
	}
	for _, p := range k.Parameters() {
		if p.Used && (p.Kind == compute.TextureParameter || p.Kind == compute.SamplerParameter) {
			return 0, &compute.LaunchError{Kernel: core.Name, Argument: p.Name,
				Err: fmt.Errorf("indirect commands cannot bind %v %d: %w", p.Kind, p.Index, ErrIndirect)}
		}
	}
	return c.core.KernelHandle(ctx, core)
}

// Fills is a launch argument that fills no parameter. It lists the Commands that the kernel
// encodes. They are made resident and kept alive while it runs, and executions of the same stream
// are ordered after it.
func Fills(c ...*Commands) any {
	list := make(stream.Fills, len(c))
	for i := range c {
		if !c[i].missing() {
			list[i] = &c[i].core
		}
	}
	return list
}
