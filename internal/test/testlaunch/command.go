package testlaunch

import (
	"maps"
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
)

// CommandBuffer is an indirect command buffer that records what kernels encode into it.
type CommandBuffer struct{ Commands []Command }

// Clone returns a copy.
func (b *CommandBuffer) Clone() *CommandBuffer {
	c := &CommandBuffer{Commands: slices.Clone(b.Commands)}
	for i := range c.Commands {
		c.Commands[i].Buffers, c.Commands[i].ThreadgroupMemory = maps.Clone(c.Commands[i].Buffers),
			maps.Clone(c.Commands[i].ThreadgroupMemory)
	}
	return c
}

// Command is a compute command.
type Command struct {
	Pipeline          uint64               // handle
	Buffers           map[int]BoundAddress // by slot
	ThreadgroupMemory map[int]int          // lengths by slot
	StageIn           [2][3]uint32         // origin and size
	Barrier           bool
	Threads           bool      // Grid counts threads, not threadgroups
	Grid, Group       [3]uint32 // both zero: no dispatch
}

// BoundAddress is a buffer address bound to a slot by a command.
type BoundAddress struct {
	Address uint64
	Stride  uint32
}

// A command's handle consists of its buffer's handle above these bits, and its index in them.
const commandIndexBits = 32

// CommandBuffers are indirect command buffers by handle.
type CommandBuffers map[uint64]*CommandBuffer

// Count returns the number of commands in a buffer, 0 for an unknown one.
func (c CommandBuffers) Count(buffer uint64) uint32 {
	if b := c[buffer]; b != nil {
		return uint32(len(b.Commands))
	}
	return 0
}

// At returns the handle of a command, or 0 if there is none.
func (c CommandBuffers) At(buffer uint64, index uint32) uint64 {
	if h := buffer<<commandIndexBits | uint64(index); c.command(h) != nil {
		return h
	}
	return 0
}

// command returns the command with a handle, or nil if there is none.
func (c CommandBuffers) command(handle uint64) *Command {
	b, i := c[handle>>commandIndexBits], handle&(1<<commandIndexBits-1)
	if b == nil || i >= uint64(len(b.Commands)) {
		return nil
	}
	return &b.Commands[i]
}

// Set applies op to the command with a handle, if it exists.
func (c CommandBuffers) Set(command uint64, op ir.CommandOp, handle uint64, first, second [3]uint32) {
	to := c.command(command)
	if to == nil {
		return
	}
	if op == ir.CommandCopy {
		if from := c.command(handle); from != nil {
			copied := *from
			copied.Buffers, copied.ThreadgroupMemory = maps.Clone(from.Buffers), maps.Clone(from.ThreadgroupMemory)
			*to = copied
		}
		return
	}
	to.set(op, handle, [2][3]uint32{first, second})
}

func (c *Command) set(op ir.CommandOp, handle uint64, v [2][3]uint32) {
	switch op {
	case ir.CommandReset:
		*c = Command{}
	case ir.CommandPipeline:
		c.Pipeline = handle
	case ir.CommandBuffer:
		if c.Buffers == nil {
			c.Buffers = map[int]BoundAddress{}
		}
		c.Buffers[int(v[0][0])] = BoundAddress{handle, v[0][1]}
	case ir.CommandThreadgroupMemory:
		if c.ThreadgroupMemory == nil {
			c.ThreadgroupMemory = map[int]int{}
		}
		c.ThreadgroupMemory[int(v[0][1])] = int(v[0][0])
	case ir.CommandStageIn:
		c.StageIn = v
	case ir.CommandBarrier:
		c.Barrier = v[0][0] != 0
	case ir.CommandThreadgroups, ir.CommandThreads:
		c.Threads, c.Grid, c.Group = op == ir.CommandThreads, v[0], v[1]
	}
}
