package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Atomic operations work on one lane after another. Those on threadgroup memory need no locks,
// since the strips of a threadgroup take turns. Where all lanes combine numbers at one place in
// device memory, or add at indices that they have computed and want no result, the engine has
// faster ways.
//
// A thread may wait in a loop for what another does. So in loops, operations with results need all
// vectors in one block.

// atomicPlaces are where the context has what an atomic operation needs: the numbers of a vector's
// lanes, what they are replaced by in a compare-exchange, the old ones, and whether they were
// replaced.
type atomicPlaces struct{ with, old, done, rbx, r13 int32 }

// atomic compiles an atomic operation for each lane. Out of bounds or at an address that is no
// multiple of 4 it does nothing, and the result is 0.
func (l *lanes) atomic(a *access) {
	c, in, op := l.c, a.in, a.in.Op.IR()
	if c.atomics.old == 0 {
		n := 4 * c.Width
		c.atomics = atomicPlaces{c.Alloc(n, 64), c.Alloc(n, 64), c.Alloc(n, 64), c.Alloc(8, 8), c.Alloc(8, 8)}
	}
	used := func(r lir.Ref) bool {
		_, lives := c.HomeOf(r)
		return r != 0 && (lives || l.last(r) > l.pc)
	}
	old, done := used(in.D), used(in.D2)
	if in.C != 0 {
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: l.reg(in.C, valueScratch), Y: ctx(c.valuesAt())})
	}
	if op == ir.OpAtomicCmpXchg {
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: l.reg(in.More[0], valueScratch), Y: ctx(c.atomics.with)})
	}
	key := routine{"atomic", [7]int64{int64(in.Op), int64(in.Space), int64(Bit(old)), int64(Bit(done))}}
	row := l.rowIndex(a)
	if row {
		l.rowAddresses(a)
		key.with[4], key.with[5] = 1, int64(in.Ext)
	} else {
		l.findLanes(a)
		c.load64(amd64.RCX, ctx(a.obj))
	}
	c.call(key, l.pc, func() {
		if row {
			c.rowLanes(in.Ext)
		}
		c.atomicLanes(op, in.Space == ir.Threadgroup, old, done)
	})
	if old {
		d := l.def(in.D)
		c.Emit(amd64.VMOVUPS, amd64.Args{D: d, Y: ctx(c.atomics.old)})
		l.done(in.D, d)
	}
	if done {
		const v = uint8(valueScratch)
		c.Emit(amd64.VMOVUPS, amd64.Args{D: v, Y: ctx(c.atomics.done)})
		d := l.defTruth(in.D2)
		c.Emit(amd64.VPTESTMD, amd64.Args{D: d, X: v, Y: vec(v)})
		l.doneTruth(in.D2, d)
		if l.last(in.D2) < l.pc {
			l.release(in.D2)
		}
	}
}

// atomicLanes emits the subroutine of an operation: the lanes are in laneMask, their offsets from
// RCX and their numbers in the context. Other segments may have values in RBX and R13.
func (c *compiler) atomicLanes(op ir.Op, shared, old, done bool) {
	const v = uint8(valueScratch)
	p := c.atomics
	c.store64(ctx(p.rbx), amd64.RBX)
	c.store64(ctx(p.r13), amd64.R13)
	c.scalar(amd64.MOV64, amd64.R13, amd64.G(amd64.RCX))
	if old || done {
		c.Emit(amd64.VPXORD, amd64.Args{D: v, X: v, Y: vec(v)})
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: ctx(p.old)})
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: ctx(p.done)})
	}
	at := amd64.At(amd64.RBX, 0)
	load, size := amd64.MOV64, uint8(8)
	if !c.evex() {
		load, size = amd64.MOV32, 4
	}
	end := c.NewLabel()
	if direct := atomicDirect[op]; shared && !old && direct != 0 {
		some := c.NewLabel()
		c.Emit(amd64.CMP32Imm, amd64.Args{Y: amd64.G(laneMask), Imm: 1<<c.Width - 1})
		c.Jcc(amd64.NE, some)
		for lane := range int32(c.Width) {
			c.scalar(load, amd64.RAX, ctx(c.offsets+int32(size)*lane))
			c.load32(amd64.RCX, ctx(c.valuesAt()+4*lane))
			c.Emit(direct, amd64.Args{X: uint8(amd64.RCX), Y: amd64.Index(amd64.R13, amd64.RAX, 1, 0)})
		}
		c.Jmp(end)
		c.Bind(some)
	}
	c.compare(amd64.TEST32, laneMask, amd64.G(laneMask))
	c.eachBit(func() {
		c.scalar(load, amd64.RBX, amd64.Index(ctxReg, amd64.RDX, size, c.offsets))
		c.scalar(amd64.ADD64, amd64.RBX, amd64.G(amd64.R13))
		was := c.atomicLane(op, shared, old, at)
		if old {
			c.Emit(amd64.MOV32Store, amd64.Args{X: uint8(was), Y: amd64.Index(ctxReg, amd64.RDX, 4, p.old)})
		}
		if done { // the zero flag says so
			c.SetCC(amd64.E, amd64.RAX)
			c.scalar(amd64.MOVZX8To32, amd64.RAX, amd64.G(amd64.RAX))
			c.Emit(amd64.MOV32Store, amd64.Args{X: uint8(amd64.RAX), Y: amd64.Index(ctxReg, amd64.RDX, 4, p.done)})
		}
	})
	c.Bind(end)
	c.load64(amd64.RBX, ctx(p.rbx))
	c.load64(amd64.R13, ctx(p.r13))
}

// atomicLocked are operations that are one instruction on device memory if there is no result.
var atomicLocked = [ir.NumOps]amd64.Op{
	ir.OpAtomicAdd: amd64.LOCKADD32, ir.OpAtomicSub: amd64.LOCKSUB32, ir.OpAtomicAnd: amd64.LOCKAND32,
	ir.OpAtomicOr: amd64.LOCKOR32, ir.OpAtomicXor: amd64.LOCKXOR32,
}

// atomicDirect are operations that are one instruction on threadgroup memory if there is no result.
var atomicDirect = [ir.NumOps]amd64.Op{
	ir.OpAtomicAdd: amd64.ADD32Store, ir.OpAtomicSub: amd64.SUB32Store, ir.OpAtomicAnd: amd64.AND32Store,
	ir.OpAtomicOr: amd64.OR32Store, ir.OpAtomicXor: amd64.XOR32Store,
}

// atomicLane emits an operation of the lane in RDX, and returns the register of the old number, EAX
// or ECX. After a compare-exchange the zero flag says whether it stored.
func (c *compiler) atomicLane(op ir.Op, shared, old bool, at amd64.Operand) (was amd64.Reg) {
	number := amd64.Index(ctxReg, amd64.RDX, 4, c.valuesAt())
	store := func(r amd64.Reg) { c.Emit(amd64.MOV32Store, amd64.Args{X: uint8(r), Y: at}) }
	switch {
	case op == ir.OpAtomicLoad:
		c.load32(amd64.RAX, at)
		return amd64.RAX
	case op == ir.OpAtomicStore:
		c.load32(amd64.RCX, number)
		store(amd64.RCX)
		return amd64.RCX
	case op == ir.OpAtomicXchg:
		c.load32(amd64.RCX, number)
		if shared {
			c.load32(amd64.RAX, at)
			store(amd64.RCX)
			return amd64.RAX
		}
		c.Emit(amd64.XCHG32, amd64.Args{D: uint8(amd64.RCX), Y: at})
		return amd64.RCX
	case op == ir.OpAtomicCmpXchg:
		with := amd64.Index(ctxReg, amd64.RDX, 4, c.atomics.with)
		c.load32(amd64.RCX, with)
		if !shared {
			c.load32(amd64.RAX, number)
			c.Emit(amd64.LOCKCMPXCHG32, amd64.Args{X: uint8(amd64.RCX), Y: at})
			return amd64.RAX
		}
		over := c.NewLabel()
		c.load32(amd64.RAX, at)
		c.compare(amd64.CMP32, amd64.RAX, number)
		c.Jcc(amd64.NE, over)
		store(amd64.RCX)
		c.Bind(over)
		return amd64.RAX
	case !shared && !old && atomicLocked[op] != 0:
		c.load32(amd64.RCX, number)
		c.Emit(atomicLocked[op], amd64.Args{X: uint8(amd64.RCX), Y: at})
		return amd64.RCX
	case shared && !old && atomicDirect[op] != 0:
		c.load32(amd64.RCX, number)
		c.Emit(atomicDirect[op], amd64.Args{X: uint8(amd64.RCX), Y: at})
		return amd64.RCX
	case !shared && (op == ir.OpAtomicAdd || op == ir.OpAtomicSub):
		c.load32(amd64.RCX, number)
		if op == ir.OpAtomicSub {
			c.Emit(amd64.NEG32, amd64.Args{Y: amd64.G(amd64.RCX)})
		}
		c.Emit(amd64.LOCKXADD32, amd64.Args{D: uint8(amd64.RCX), Y: at})
		return amd64.RCX
	}
	again := c.NewLabel()
	c.load32(amd64.RAX, at)
	c.Bind(again)
	c.load32(amd64.RCX, number)
	c.combine(op)
	if shared {
		store(amd64.RCX)
		return amd64.RAX
	}
	c.Emit(amd64.LOCKCMPXCHG32, amd64.Args{X: uint8(amd64.RCX), Y: at}) // or EAX is what is there
	c.Jcc(amd64.NE, again)
	return amd64.RAX
}

// combine sets ECX to what an operation stores: of the old number in EAX and the lane's in ECX.
func (c *compiler) combine(op ir.Op) {
	const x, y = uint8(valueScratch), uint8(placeScratch)
	old := amd64.G(amd64.RAX)
	choose := func(cond amd64.Cond) {
		c.compare(amd64.CMP32, amd64.RAX, amd64.G(amd64.RCX))
		c.CMov64(cond, amd64.RCX, old)
	}
	float := func(op amd64.Op) {
		c.EmitBits(128, amd64.VMOVD, amd64.Args{D: x, Y: old})
		c.EmitBits(128, amd64.VMOVD, amd64.Args{D: y, Y: amd64.G(amd64.RCX)})
		c.EmitBits(128, op, amd64.Args{D: x, X: x, Y: vec(y)})
		c.EmitBits(128, amd64.VMOVDToReg, amd64.Args{D: uint8(amd64.RCX), Y: vec(x)})
	}
	switch op {
	case ir.OpAtomicAdd:
		c.scalar(amd64.ADD32, amd64.RCX, old)
	case ir.OpAtomicSub:
		c.Emit(amd64.NEG32, amd64.Args{Y: amd64.G(amd64.RCX)})
		c.scalar(amd64.ADD32, amd64.RCX, old)
	case ir.OpAtomicAnd:
		c.scalar(amd64.AND32, amd64.RCX, old)
	case ir.OpAtomicOr:
		c.scalar(amd64.OR32, amd64.RCX, old)
	case ir.OpAtomicXor:
		c.scalar(amd64.XOR32, amd64.RCX, old)
	case ir.OpAtomicSMin:
		choose(amd64.L)
	case ir.OpAtomicSMax:
		choose(amd64.GT)
	case ir.OpAtomicUMin:
		choose(amd64.B)
	case ir.OpAtomicUMax:
		choose(amd64.A)
	case ir.OpAtomicFAdd:
		float(amd64.VADDSS)
	case ir.OpAtomicFSub:
		float(amd64.VSUBSS)
	default:
		plan.Fail("%v", op)
	}
}
