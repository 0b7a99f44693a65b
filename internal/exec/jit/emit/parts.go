package emit

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
)

// More than half of a range's code is for accesses that are not all inside of their objects, and
// most ranges never run it. So these parts are compiled when one of them is first needed. Until
// then, their labels are at code that suspends the range and says which part it wants. The compiler
// then goes on where it was: the code so far stays as it is, at other addresses, and the context
// only grows. So the range continues with the new code, in a copy of its context.

// part is code that is compiled when it is first needed.
type part struct {
	label amd64.Label
	ops   int // operations on lanes in it
	j0    int // of the block
	affs  []affine
	emit  func()
}

// deferredCode is code that is emitted apart from the code of its place.
type deferredCode struct {
	cold  []func() // code that is rarely executed, after the block's
	parts []part   // code that is compiled when it is first needed
	ops   int      // operations on lanes, once for each vector
}

// addPart adds a part with a number of operations on lanes. What it emits finds the current block.
func (c *compiler) addPart(label amd64.Label, ops int, emit func()) {
	c.parts = append(c.parts, part{label, ops, c.j0, c.affs, emit})
}

// partsAreSmall reports whether the parts are so little of the code that they are not worth keeping
// the compiler for.
func (c *compiler) partsAreSmall() bool {
	ops := 0
	for _, x := range c.parts {
		ops += x.ops
	}
	return 4*ops < c.ops
}

// emitWants emits what the labels of the parts are bound to until the parts are compiled.
func (c *compiler) emitWants() {
	for i, x := range c.parts {
		c.Bind(x.label)
		c.MovImm64(amd64.RDX, FirstPart+int64(i))
		c.Jmp(c.suspend)
	}
}

// emitParts emits the parts, and returns where they are.
func (c *compiler) emitParts() (at []int) {
	at = []int{}
	subroutines := len(c.called)
	for i := 0; i < len(c.parts); i++ { // a part may have parts of its own
		x := c.parts[i]
		c.Rebind(x.label)
		at = append(at, c.Pos())
		c.j0, c.affs = x.j0, x.affs
		x.emit()
		c.emitCold()
	}
	c.emitSubroutines(subroutines)
	return at
}

// finish returns the code, whose parts are at offsets in it if they have been compiled.
func (c *compiler) finish(parts []int) Code {
	bytes, err := c.Bytes()
	if err != nil {
		plan.Fail("%v", err)
	}
	return Code{bytes, c.resume, parts, c.Size, c.constants}
}

// needs counts what the engine provides for the range, which it has been told already.
func (d *Description) needs() [6]int {
	return [6]int{len(d.Exits), len(d.Givens), len(d.Objects), len(d.Textures), len(d.Calls), len(d.Queries)}
}

// whole returns the code with all parts.
func (c *compiler) whole() (whole Code, err error) {
	defer func() {
		if e := recover(); e != nil { // a mistake of the compiler
			err = fmt.Errorf("jit: %v", e)
		}
	}()
	needs := c.r.needs()
	err = plan.Attempt(func() {
		defer c.borrowWorkspace()()
		whole = c.finish(c.emitParts())
		if c.r.needs() != needs {
			plan.Fail("the parts need more than the code before them")
		}
	})
	return whole, err
}
