package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/ir/lir"
)

// String returns the plan as text: its blocks, where the variables are that live across segments,
// the segments with their forms, and the loops that lanes run solo.
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
		c.list(&b, "once", s.Invariant)
		c.list(&b, "shared", slices.DeleteFunc(slices.Clone(s.Shared), func(pc int) bool {
			return slices.Contains(s.Invariant, pc)
		}))
		c.list(&b, "lanes", slices.DeleteFunc(slices.Clone(s.Lanes), func(pc int) bool {
			return slices.Contains(s.Deferred, pc)
		}))
		c.list(&b, "masks", s.Deferred)
		if s.Jump >= 0 {
			c.list(&b, "end", []int{s.Jump})
		}
		for _, first := range slices.Sorted(maps.Keys(s.Pairs)) {
			fmt.Fprintf(&b, "  the functions of %d and %d together\n", first, s.Pairs[first].Second)
		}
		for _, pc := range slices.Sorted(maps.Keys(s.Extremes)) {
			if x := s.Extremes[pc]; x != Absorbed {
				fmt.Fprintf(&b, "  %d is the %v of v%d and v%d\n", pc, x, c.Program.Code[pc].B, c.Program.Code[pc].C)
			}
		}
		if s.Assumed != nil {
			s.Assumed.list(&b, c)
		}
	}
	for _, s := range c.Solo {
		fmt.Fprintf(&b, "lanes of v%d run %d to %d solo, from v%d to v%d, in %d registers, with copies of v%d\n", s.Mask,
			s.Head, s.back, s.Inputs, s.Written, s.Shares+len(s.Kept), s.Kept)
		c.list(&b, "shared", s.Shared)
		c.list(&b, "before", s.Before)
		for _, x := range s.Steps {
			c.list(&b, x.Guard.String(), []int{x.PC})
		}
	}
	return b.String()
}

// String says what the guard does.
func (g Guard) String() string { return [...]string{"step", "while", "until"}[g] }

// String names the number that is chosen.
func (x Extreme) String() string { return [...]string{"", "lesser", "greater", "absorbed"}[x] }

// list writes the assumptions.
func (a *Assumed) list(b *strings.Builder, c *Plan) {
	listed := map[lir.Ref]bool{}
	for _, in := range a.Order {
		if first := a.First[in]; first != nil {
			fmt.Fprintf(b, "  assumes that v%d is %d behind v%d\n", in.A, a.Apart[in], first.A)
		}
		if !listed[in.B] {
			listed[in.B] = true
			fmt.Fprintf(b, "  assumes that v%d grows by %d along x\n", in.B, a.Steps[in.B])
		}
	}
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
