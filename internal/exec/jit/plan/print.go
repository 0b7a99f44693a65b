package plan

import (
	"fmt"
	"strings"
)

// String returns the plan as text: its blocks, where the variables are that live across segments,
// and the segments.
func (c *Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "instructions %d to %d", c.From, c.To-1)
	if c.Row {
		b.WriteString(", all of the program")
	}
	fmt.Fprintf(&b, "\nblocks of %d of %d vectors", c.Block, c.Vectors)
	if c.Loop {
		b.WriteString(", in a loop")
	}
	fmt.Fprintf(&b, "\nregisters %d within segments, %d uses of variables without one\n", c.Locals, c.spilled)
	for r := range c.Touched.All {
		if h, ok := c.HomeOf(r); ok {
			fmt.Fprintf(&b, "v%d %v in %v\n", r, c.Program.Var(r).Kind, h)
		}
	}
	for i, s := range c.Segments {
		fmt.Fprintf(&b, "segment %d: %d to %d", i, s.From, s.To-1)
		if s.Guard != 0 {
			fmt.Fprintf(&b, ", for lanes of v%d", s.Guard)
		}
		b.WriteString("\n")
		c.list(&b, "shared", s.Shared)
		c.list(&b, "lanes", s.Lanes)
		if s.Jump >= 0 {
			c.list(&b, "end", []int{s.Jump})
		}
	}
	return b.String()
}

// list writes instructions.
func (c *Plan) list(b *strings.Builder, what string, pcs []int) {
	for _, pc := range pcs {
		fmt.Fprintf(b, "  %-6s %3d: %s\n", what, pc, c.Program.Text(pc))
	}
}

// String says where the variable is.
func (h Home) String() string {
	switch {
	case h.Reg >= 0:
		return fmt.Sprintf("registers from %d", h.Reg)
	case h.inFrame():
		return fmt.Sprintf("the frame at %d", h.Offset)
	}
	return fmt.Sprintf("the context at %d", h.Offset)
}
