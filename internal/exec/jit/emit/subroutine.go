package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
)

// The code of a range is there once for each vector, so what is long and the same for all of them
// is a subroutine. The caller leaves the address to return to in RAX. A subroutine may change RAX,
// RCX, RDX, R15 and the registers of intermediate values, and calls no other.

// subroutineState are the subroutines of a range.
type subroutineState struct {
	calls       bool // functions are subroutines
	subroutines map[routine]*subroutine
	called      []*subroutine // in the order of their first use
	caller      int32         // where the address is that a subroutine returns to
}

// subroutine is one that the range uses.
type subroutine struct {
	label amd64.Label
	pc    int // an instruction that uses it
	leaf  bool
	emit  func()
}

// routine is what a subroutine does, and for which operands: those that share it have the same.
type routine struct {
	does string
	with [7]int64
}

// call emits a call of the subroutine with a key, and has emit emit it if it is new.
func (c *compiler) call(key routine, pc int, emit func()) {
	if c.caller == 0 {
		c.caller = c.Alloc(8, 8)
	}
	s := c.subroutine(key, pc, emit)
	back := c.NewLabel()
	c.LeaLabel(amd64.RAX, back)
	c.Jmp(s.label)
	c.Bind(back)
}

// callLeaf is call for a subroutine that never returns to the engine. Its return address is on the
// stack, so that the processor predicts where it returns to.
func (c *compiler) callLeaf(key routine, pc int, emit func()) {
	s := c.subroutine(key, pc, emit)
	s.leaf = true
	c.FlushMasks()
	c.Call(s.label)
	c.ForgetMasks()
}

// subroutine returns the subroutine with a key.
func (c *compiler) subroutine(key routine, pc int, emit func()) *subroutine {
	s, ok := c.subroutines[key]
	if !ok {
		s = &subroutine{label: c.NewLabel(), pc: pc, emit: emit}
		if c.subroutines == nil {
			c.subroutines = map[routine]*subroutine{}
		}
		c.subroutines[key] = s
		c.called = append(c.called, s)
	}
	return s
}

// emitSubroutines emits the subroutines from number n on.
func (c *compiler) emitSubroutines(n int) {
	for _, s := range c.called[n:] {
		c.note(s.pc)
		c.Bind(s.label)
		if s.leaf {
			s.emit()
			c.FlushMasks()
			c.Ret()
			continue
		}
		c.store64(ctx(c.caller), amd64.RAX)
		s.emit()
		c.load64(amd64.RAX, ctx(c.caller))
		c.JmpReg(amd64.RAX)
	}
}
