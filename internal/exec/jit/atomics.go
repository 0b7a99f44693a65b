package jit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// atomicUsable reports whether atomicAdd compiles an instruction: a sum in threadgroup memory whose
// old value nothing reads. The order of such sums does not matter, and no other thread accesses the
// memory at the same time. For those in device memory the engine has a faster way.
func atomicUsable(p *lir.Program, in *lir.Inst) bool {
	if in.Op.IR() != ir.OpAtomicAdd || in.Kind != ir.I32 || in.Space != ir.Threadgroup || in.Flags&ir.Volatile != 0 {
		return false
	}
	read := false
	for pc := range p.Code {
		p.Code[pc].Reads(func(r lir.Ref) { read = read || r == in.D })
	}
	return !read || in.D == 0
}

// atomicAdd compiles a sum in memory for each lane. Out of bounds or at an address that is no
// multiple of 4 it does nothing.
func (l *lanes) atomicAdd(a *access) {
	c := l.c
	shared := c.class(a.in.C) == lir.Once
	if !shared {
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: l.reg(a.in.C, valueScratch), Y: ctx(c.valuesAt())})
	}
	l.eachLane(a, func(address amd64.Operand) {
		if shared {
			c.load32(amd64.RCX, c.place(a.in.C))
		} else {
			c.load32(amd64.RCX, amd64.Index(ctxReg, amd64.RDX, 4, c.valuesAt()))
		}
		c.Emit(amd64.ADD32Store, amd64.Args{X: uint8(amd64.RCX), Y: address})
	})
}
