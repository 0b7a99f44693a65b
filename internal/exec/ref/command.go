package ref

import "github.com/puremetal/puremetal/internal/ir"

// noCommands is used for a launch without indirect command buffers.
type noCommands struct{}

func (noCommands) Count(uint64) uint32                                    { return 0 }
func (noCommands) At(uint64, uint32) uint64                               { return 0 }
func (noCommands) Set(uint64, ir.CommandOp, uint64, [3]uint32, [3]uint32) {}

// command executes an operation on an indirect command buffer.
func (t *thread) command(in *ir.Instr) {
	c, handle := t.g.m.l.Commands, t.get(in.Args[0], 0)
	if c == nil {
		c = noCommands{}
	}
	switch in.Op {
	case ir.OpCommandCount:
		t.set(in.Results[0], 0, uint64(c.Count(handle)))
	case ir.OpCommandAt:
		t.set(in.Results[0], 0, c.At(handle, uint32(t.get(in.Args[1], 0))))
	case ir.OpCommandSet:
		var triples [2][3]uint32
		for i := range triples {
			for j := range triples[i] {
				triples[i][j] = uint32(t.get(in.Args[2+i], j))
			}
		}
		c.Set(handle, ir.CommandOp(in.Imm), t.get(in.Args[1], 0), triples[0], triples[1])
	}
}
