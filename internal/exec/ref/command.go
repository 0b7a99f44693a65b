package ref

import (
	"maps"

	"github.com/puremetal/puremetal/internal/ir"
)

// CommandBuffer is an indirect command buffer of the host, which records what kernels encode into it.
type CommandBuffer struct{ Commands []Command }

// Command is a compute command.
type Command struct {
	Pipeline          uint64               // handle
	Buffers           map[int]BoundAddress // by slot
	ThreadgroupMemory map[int]int          // lengths by slot
	StageIn           [2][3]uint32         // origin and size
	Barrier           bool
	Threads           bool      // Grid counts threads, not threadgroups
	Grid, Group       [3]uint32 // both zero: nothing is dispatched
}

// BoundAddress is what a command binds to a slot.
type BoundAddress struct {
	Address uint64
	Stride  uint32
}

// A command's handle has its buffer's above these bits, which are its index.
const commandIndexBits = 32

// commandOf returns the command with a handle, nil for none.
func (m *machine) commandOf(handle uint64) *Command {
	b, i := m.l.CommandBuffers[handle>>commandIndexBits], handle&(1<<commandIndexBits-1)
	if b == nil || i >= uint64(len(b.Commands)) {
		return nil
	}
	return &b.Commands[i]
}

// command carries out an operation on an indirect command buffer.
func (t *thread) command(in *ir.Instr) {
	m, handle := t.g.m, t.get(in.Args[0], 0)
	switch in.Op {
	case ir.OpCommandCount:
		n := 0
		if b := m.l.CommandBuffers[handle]; b != nil {
			n = len(b.Commands)
		}
		t.set(in.Results[0], 0, uint64(uint32(n)))
	case ir.OpCommandAt:
		h := handle<<commandIndexBits | t.get(in.Args[1], 0)
		if m.commandOf(h) == nil {
			h = 0
		}
		t.set(in.Results[0], 0, h)
	case ir.OpCommandSet:
		var triples [2][3]uint32
		for i := range triples {
			for j := range triples[i] {
				triples[i][j] = uint32(t.get(in.Args[2+i], j))
			}
		}
		if c := m.commandOf(handle); c != nil {
			c.set(ir.CommandOp(in.Imm), t.get(in.Args[1], 0), triples, m)
		}
	}
}

func (c *Command) set(op ir.CommandOp, handle uint64, v [2][3]uint32, m *machine) {
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
	case ir.CommandCopy:
		if from := m.commandOf(handle); from != nil {
			copied := *from
			copied.Buffers, copied.ThreadgroupMemory = maps.Clone(from.Buffers), maps.Clone(from.ThreadgroupMemory)
			*c = copied
		}
	}
}
