package emit

import (
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
)

// list has the range's instructions written down as they are emitted.
func (c *compiler) list() {
	if !c.forced.List {
		return
	}
	c.text = &strings.Builder{}
	c.text.WriteString(c.Plan.String())
	bound := map[int][]amd64.Label{}
	c.OnBind = func(at int, l amd64.Label) { bound[at] = append(bound[at], l) }
	c.Log = func(at int, text string) {
		for _, l := range bound[at] {
			fmt.Fprintf(c.text, "L%d:\n", l)
		}
		fmt.Fprintf(c.text, "%6x    %s\n", at, text)
	}
}

// note says in the listing that what follows is part of an instruction of the program.
func (c *compiler) note(pc int) {
	if c.text == nil {
		return
	}
	place := ""
	if loc := c.Program.Code[pc].Loc; loc.File > 0 && int(loc.File) <= len(c.Program.Func.Module.Files) {
		place = fmt.Sprintf("%s:%d:%d: ", c.Program.Func.Module.Files[loc.File-1], loc.Line, loc.Col)
	}
	fmt.Fprintf(c.text, "; %d: %s%s\n", pc, place, c.Program.Text(pc))
}
