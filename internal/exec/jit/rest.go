package jit

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/execmem"
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

// version is the code of a range, with or without the rest.
type version struct {
	mem       *execmem.Mem
	begin     int // of the code in mem
	bytes     int
	resume    int   // offset in the code of what continues it
	rest      []int // offsets of the parts; nil if they are not compiled
	context   int   // bytes
	constants []constant
	before    *version // to whose code subroutines may return
}

// later adds a part with a number of operations on lanes. What it emits finds the current block.
func (c *compiler) later(label amd64.Label, ops int, emit func()) {
	c.rest = append(c.rest, part{label, ops, c.j0, c.affs, emit})
}

// restIsSmall reports whether the parts are so little of the code that they are not worth keeping
// the compiler for.
func (c *compiler) restIsSmall() bool {
	ops := 0
	for _, x := range c.rest {
		ops += x.ops
	}
	return 4*ops < c.ops
}

// emitWants emits what the labels of the parts are bound to until the parts are compiled.
func (c *compiler) emitWants() {
	for i, x := range c.rest {
		c.Bind(x.label)
		c.MovImm64(amd64.RDX, firstPart+int64(i))
		c.Jmp(c.suspend)
	}
}

// emitRest emits the parts, and returns where they are.
func (c *compiler) emitRest() (at []int) {
	at = []int{}
	subroutines := len(c.called)
	for i := 0; i < len(c.rest); i++ { // a part may have parts of its own
		x := c.rest[i]
		c.Rebind(x.label)
		at = append(at, c.Pos())
		c.j0, c.affs = x.j0, x.affs
		x.emit()
		c.emitCold()
	}
	c.emitSubroutines(subroutines)
	return at
}

// finish returns the code, and describes it.
func (c *compiler) finish(v *version) []byte {
	code, err := c.Bytes()
	if err != nil {
		fail("%v", err)
	}
	v.bytes, v.resume, v.context, v.constants = len(code), c.resume, c.size, c.constants
	return code
}

// needs counts what the engine provides for the range, which it has been told already.
func (r *Range) needs() [6]int {
	return [6]int{len(r.Exits), len(r.Givens), len(r.Objects), len(r.Textures), len(r.Calls), len(r.Queries)}
}

// whole returns the version of the code with all parts.
func (r *Range) whole() (v *version, err error) {
	r.rest.Lock()
	defer r.rest.Unlock()
	now := r.now.Load()
	if now.rest != nil {
		return now, nil
	}
	defer func() {
		if e := recover(); e != nil { // a mistake of the compiler
			err = fmt.Errorf("jit: %v", e)
		}
	}()
	v = &version{before: now}
	var code []byte
	needs := r.needs()
	err = attempt(func() {
		defer r.by.borrowWorkspace()()
		v.rest = r.by.emitRest()
		code = r.by.finish(v)
		if r.needs() != needs {
			fail("the rest of the code needs more than what precedes it")
		}
	})
	if err != nil {
		return nil, err
	}
	if v.mem, err = execmem.Alloc(code); err != nil {
		return nil, err
	}
	r.now.Store(v)
	r.by = nil
	return v, nil
}
