package jit

import "github.com/puremetal/puremetal/internal/exec/jit/amd64"

// The code of a range is there once for each vector, so what is long and the same for all of them
// is a subroutine. The caller leaves the address to return to in RAX. A subroutine may change RAX,
// RCX, RDX, R15 and the registers of intermediate values, and calls no other.

// subroutine is one that the range uses.
type subroutine struct {
	label amd64.Label
	pc    int // an instruction that uses it
	emit  func()
}

// call emits a call of the subroutine with a key, and has emit emit it if it is new.
func (c *compiler) call(key string, pc int, emit func()) {
	s, ok := c.subroutines[key]
	if !ok {
		s = &subroutine{c.NewLabel(), pc, emit}
		if c.subroutines == nil {
			c.subroutines = map[string]*subroutine{}
			c.caller = c.alloc(8, 8)
		}
		c.subroutines[key] = s
		c.called = append(c.called, s)
	}
	back := c.NewLabel()
	c.LeaLabel(amd64.RAX, back)
	c.Jmp(s.label)
	c.Bind(back)
}

// emitSubroutines emits the subroutines from number n on.
func (c *compiler) emitSubroutines(n int) {
	for _, s := range c.called[n:] {
		c.note(s.pc)
		c.Bind(s.label)
		c.store64(ctx(c.caller), amd64.RAX)
		s.emit()
		c.load64(amd64.RAX, ctx(c.caller))
		c.JmpReg(amd64.RAX)
	}
}
