package lower

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// word returns the value of an argument that must be constant.
func (c *libCall) word(i int, what string) int64 {
	if k, ok := c.e.Args[i].(*typed.Const); ok {
		return int64(k.Value.Bits())
	}
	if v := c.args[i].v; v != nil && v.Def != nil && v.Def.Op == ir.OpConst {
		return v.Def.Imm
	}
	c.unsupported(c.e.At, "%s that is not a constant", what)
	return 0
}

func memMask(flags int64) (m ir.MemMask) {
	for i, mem := range []ir.MemMask{ir.MemDevice, ir.MemThreadgroup, ir.MemTexture, ir.MemThreadgroupImageblock,
		ir.MemObjectData} {
		if flags>>i&1 != 0 {
			m |= mem
		}
	}
	return m
}

// deviceScope reports whether a thread_scope is wider than a threadgroup.
func deviceScope(scope int64) bool { return scope == 2 || scope == 3 }

// order returns the memory order given by argument i.
func (c *libCall) order(i int) ir.Order {
	if i >= len(c.args) {
		return ir.Relaxed
	}
	switch c.word(i, "a memory order") {
	case 1, 2:
		return ir.Acquire
	case 3:
		return ir.Release
	case 4:
		return ir.AcqRel
	case 5:
		return ir.SeqCst
	}
	return ir.Relaxed
}

// thread lowers barriers, fences, votes and lane queries.
func (c *libCall) thread() val {
	b := c.b
	vote := func(bits *ir.Value) val {
		if bits.Type != ir.TI64 {
			bits = b.OpAs(ir.OpZExt, ir.TI64, bits)
		}
		return c.wrap(bits)
	}
	switch c.e.Op {
	case builtin.OpThreadgroupBarrier, builtin.OpSimdgroupBarrier:
		barrier, mem := ir.OpBarrier, memMask(c.word(0, "a barrier's flags"))
		if c.e.Op == builtin.OpSimdgroupBarrier {
			barrier = ir.OpSimdBarrier
		}
		wide := len(c.args) > 1 && deviceScope(c.word(1, "a scope"))
		if wide { // make accesses of the threads at the barrier visible to all others, and vice versa
			b.Barrier(ir.OpFence, mem, ir.SeqCst)
		}
		c.watch(b.Barrier(barrier, mem, ir.Relaxed))
		if wide {
			b.Barrier(ir.OpFence, mem, ir.SeqCst)
		}
	case builtin.OpGridBarrier:
		loc := b.Loc()
		b.SetLoc(c.outside(loc))
		b.Barrier(ir.OpGridBarrier, 0, ir.Relaxed)
		b.SetLoc(loc)
	case builtin.OpTileBarrier:
		c.tileBarrier(c.word(0, "the size of a tile"))
	case builtin.OpActiveBarrier:
		all := ir.MemDevice | ir.MemThreadgroup | ir.MemTexture
		b.Barrier(ir.OpSimdBarrier, all, ir.Relaxed).Imm = ir.BarrierActive
	case builtin.OpThreadPosition, builtin.OpLocalPosition, builtin.OpGridThreads, builtin.OpThreadgroupPosition,
		builtin.OpGridThreadgroups, builtin.OpThreadgroupThreads, builtin.OpThreadIndex, builtin.OpSimdgroupIndex:
		return c.leaf(b.Input(threadInput(c.e.Op)))
	case builtin.OpLauncher:
		return c.leaf(b.Arg(c.launcher(), ir.PointerTo(ir.Device)))
	case builtin.OpAtomicThreadFence:
		fence := b.Barrier(ir.OpFence, memMask(c.word(0, "a fence's flags")), c.order(1))
		if len(c.args) > 2 && !deviceScope(c.word(2, "a scope")) {
			fence.Imm = ir.FenceThreadgroup
		}
	case builtin.OpSimdActiveMask:
		return vote(b.Op(ir.OpSimdActive))
	case builtin.OpQuadActiveMask:
		return vote(b.Op(ir.OpQuadActive))
	case builtin.OpSimdBallot:
		return vote(b.Op(ir.OpSimdBallot, c.args[0].v))
	case builtin.OpQuadBallot:
		return vote(b.Op(ir.OpQuadBallot, c.args[0].v))
	case builtin.OpSimdIsHelper, builtin.OpQuadIsHelper:
		return c.leaf(b.Bool(false))
	case builtin.OpVoteBits:
		return c.leaf(c.unwrap(c.args[0]))
	case builtin.OpSimdVoteAny, builtin.OpQuadVoteAny:
		return c.leaf(b.Op(ir.OpNe, c.unwrap(c.args[0]), b.Int(ir.TI64, 0)))
	case builtin.OpSimdVoteAll:
		return c.leaf(b.Op(ir.OpEq, c.unwrap(c.args[0]), b.Int(ir.TI64, 1<<32-1)))
	case builtin.OpQuadVoteAll:
		return c.leaf(b.Op(ir.OpEq, c.unwrap(c.args[0]), b.Int(ir.TI64, 15)))
	case builtin.OpSimdLane:
		return c.leaf(c.convKind(b.Input(ir.ThreadIndexInSimdgroup), types.UInt, types.ElemOf(c.e.Typ)))
	case builtin.OpSimdgroupSize:
		return c.leaf(c.convKind(b.Input(ir.ThreadsPerSimdgroup), types.UInt, types.ElemOf(c.e.Typ)))
	default:
		panic(c.noCase())
	}
	return val{typ: c.e.Typ}
}

// launcher returns the number of the argument with the launcher, which it adds if the kernel has
// none.
func (c *libCall) launcher() int {
	for i := range c.f.Args {
		switch a := &c.f.Args[i]; {
		case a.Kind != ir.ArgBuffer && a.Kind != ir.ArgFunctionTable || a.Index != launcherIndex:
		case a.Type == "puremetal::launcher" || a.Name == launcherName:
			return i
		default:
			c.unsupported(c.e.At, "a launch without a launcher, which takes buffer index %d, in a kernel that uses it for '%s'",
				launcherIndex, a.Name)
		}
	}
	c.f.Args = append(c.f.Args, ir.Arg{Kind: ir.ArgBuffer, Index: launcherIndex, Name: launcherName, Type: "uint",
		Space: "device", Access: "read_write", Size: 4, Align: 4})
	return len(c.f.Args) - 1
}

// The argument of a kernel that launches without one of its own; package compute binds it.
const (
	launcherIndex = 30
	launcherName  = "puremetal_launcher"
)

// threadInput returns the input that a function reads.
func threadInput(op builtin.Op) ir.Input {
	switch op {
	case builtin.OpThreadPosition:
		return ir.ThreadPositionInGrid
	case builtin.OpLocalPosition:
		return ir.ThreadPositionInThreadgroup
	case builtin.OpGridThreads:
		return ir.ThreadsPerGrid
	case builtin.OpThreadgroupPosition:
		return ir.ThreadgroupPositionInGrid
	case builtin.OpGridThreadgroups:
		return ir.ThreadgroupsPerGrid
	case builtin.OpThreadgroupThreads:
		return ir.ThreadsPerThreadgroup
	case builtin.OpSimdgroupIndex:
		return ir.SimdgroupIndexInThreadgroup
	}
	return ir.ThreadIndexInThreadgroup
}

// wrap builds a library struct from its single member.
func (c *libCall) wrap(v *ir.Value) val {
	s := c.shape(c.e.Typ)
	if s.class != tree {
		return c.leaf(v)
	}
	return val{typ: c.e.Typ, parts: []val{leafVal(s.parts[0].typ, v)}}
}

// unwrap returns the single member of a library struct, given by value or address.
func (c *libCall) unwrap(v val) *ir.Value {
	if v.v != nil && v.v.Type.Kind == ir.Pointer {
		v = c.loadAt(v.v, pointeeOf(v.typ).Type, false)
	}
	if len(v.parts) > 0 {
		return v.parts[0].v
	}
	return v.v
}

// atomic lowers atomic operations; it returns false for one that the object's type does not
// support.
func (c *libCall) atomic() (val, bool) {
	b := c.b
	addr := c.args[0].v
	if addr == nil { // &object, lowered as a place
		addr = c.out(0).addr
	}
	elem := types.ElemOf(c.e.Typ)
	if a, ok := pointeeOf(c.e.Args[0].Type()).Type.(*types.Atomic); ok {
		elem = a.Elem
	}
	if addr == nil || elem == nil || addr.Type.Space == ir.Thread {
		c.unsupported(c.e.At, "'%s' on this object", c.e.Fn.Name)
	}
	switch c.e.Op {
	case builtin.OpAtomicLoad:
		return c.leaf(b.Atomic(ir.OpAtomicLoad, ir.Scalar(kindOf(elem)), c.order(1), addr).Results[0]), true
	case builtin.OpAtomicStore:
		b.Atomic(ir.OpAtomicStore, ir.TVoid, c.order(2), addr, c.args[1].v)
		return val{}, true
	case builtin.OpAtomicCompareExchangeWeak:
		p := c.out(1)
		expected := c.load(p)
		in := b.Atomic(ir.OpAtomicCmpXchg, ir.TVoid, c.order(3), addr, expected.v, c.args[2].v)
		old, done := in.Results[0], in.Results[1]
		c.store(p, leafVal(p.typ, b.Op(ir.OpSelect, done, expected.v, old)))
		return c.leaf(done), true
	}
	irOp := c.row.ops.of(elem)
	if irOp == ir.OpInvalid {
		return val{}, false
	}
	return c.leaf(b.Atomic(irOp, ir.TVoid, c.order(2), addr, c.args[1].v).Results[0]), true
}

// matrix lowers simdgroup matrix operations; it returns false for elements without an address.
func (c *libCall) matrix() (val, bool) {
	b := c.b
	switch c.e.Op {
	case builtin.OpSimdgroupLoad:
		d := c.out(0)
		t, args := c.leafType(d.typ), c.matrixArgs(1)
		v := c.transposable(4, []ir.Type{t}, func(flags ir.Flags) []*ir.Value {
			in := b.Emit(ir.OpMatLoad, []ir.Type{t}, args...)
			in.Flags = flags
			return in.Results
		})
		c.store(d, leafVal(d.typ, v[0]))
	case builtin.OpSimdgroupStore:
		args := append([]*ir.Value{c.matrixValue(0)}, c.matrixArgs(1)...)
		c.transposable(4, nil, func(flags ir.Flags) []*ir.Value {
			b.Emit(ir.OpMatStore, nil, args...).Flags = flags
			return nil
		})
	case builtin.OpSimdgroupMultiply:
		d := c.out(0)
		c.store(d, leafVal(d.typ, b.OpAs(ir.OpMatMul, c.leafType(d.typ), c.matrixValue(1), c.matrixValue(2))))
	case builtin.OpSimdgroupMultiplyAccumulate:
		d := c.out(0)
		c.store(d, leafVal(d.typ, b.OpAs(ir.OpMatMac, c.leafType(d.typ), c.matrixValue(1), c.matrixValue(2),
			c.matrixValue(3))))
	case builtin.OpSimdgroupThreadElements: // an address: the matrix is in memory
		if p := c.out(0); p.addr != nil {
			return c.leaf(p.addr), true
		}
		return val{}, false
	case builtin.OpSimdgroupFilled, builtin.OpSimdgroupDiagonal:
		t := c.leafType(c.e.Typ)
		v := c.convKind(c.args[0].v, c.elem, types.ElemOf(c.e.Typ))
		op := ir.OpMatFill
		if c.e.Op == builtin.OpSimdgroupDiagonal {
			op = ir.OpMatDiag
		}
		return c.leaf(b.OpAs(op, t, v)), true
	default:
		panic(c.noCase())
	}
	return val{typ: c.e.Typ}, true
}

func (c *libCall) matrixValue(i int) *ir.Value {
	if c.args[i].typ == nil { // a matrix by reference
		return c.load(c.out(i)).v
	}
	v := c.args[i].v
	if v != nil && v.Type.Kind == ir.Pointer {
		return c.loadAt(v, pointeeOf(c.args[i].typ).Type, false).v
	}
	return v
}

// matrixArgs returns the address, the row length and the origin, starting at argument i.
func (c *libCall) matrixArgs(i int) []*ir.Value {
	addr := c.args[i].v
	if addr == nil {
		addr = c.out(i).addr
	}
	row, x, y := c.b.Int(ir.TI64, 8), c.b.Int(ir.TI64, 0), c.b.Int(ir.TI64, 0)
	if i+1 < len(c.args) {
		row = c.index64(c.args[i+1].v, c.args[i+1].typ)
	}
	if i+2 < len(c.args) {
		o := c.args[i+2]
		wide := c.convKind(o.v, types.ElemOf(o.typ), types.ULong)
		x, y = c.b.Extract(wide, 0), c.b.Extract(wide, 1)
	}
	return []*ir.Value{addr, row, x, y}
}

// transposable emits a matrix access, transposed if the optional argument i says so.
func (c *libCall) transposable(i int, results []ir.Type, access func(ir.Flags) []*ir.Value) []*ir.Value {
	if i >= len(c.args) {
		return access(0)
	}
	if k := c.args[i].v; k.Def != nil && k.Def.Op == ir.OpConst {
		if k.Def.Imm != 0 {
			return access(ir.Transposed)
		}
		return access(0)
	}
	return c.choose(c.args[i].v, nil, results, func() []*ir.Value { return access(ir.Transposed) },
		func() []*ir.Value { return access(0) })
}

// library lowers what is neither arithmetic nor memory; it returns false for objects it cannot
// create.
func (c *libCall) library() (val, bool) {
	b := c.b
	switch c.e.Op {
	case builtin.OpAsType:
		return c.reinterpret(c.args[0], c.e.Typ), true
	case builtin.OpAssert, builtin.OpAssume:
		return val{typ: c.e.Typ}, true
	case builtin.OpLogMessage:
		c.logMessage()
		return val{typ: c.e.Typ}, true
	case builtin.OpLogConstruct:
		return c.leaf(c.logHandle()), true
	case builtin.OpExpect:
		return c.args[0], true
	case builtin.OpUnreachable:
		b.Unreachable()
		return val{typ: c.e.Typ}, true
	case builtin.OpSwap:
		p, q := c.out(0), c.out(1)
		x, y := c.load(p), c.load(q)
		c.store(p, y)
		c.store(q, x)
		return val{typ: c.e.Typ}, true
	case builtin.OpConstruct:
		if s := c.shape(c.e.Typ); s.class == tree && len(s.parts) == len(c.args) {
			return val{typ: c.e.Typ, parts: c.args}, true
		}
	case builtin.OpFunctionConstantDefined:
		for _, v := range roots(nil, loadOf(c.e.Args[0])) {
			if v.Kind == typed.FunctionConstant {
				i := c.constant(v)
				c.checked[v] = true
				c.f.Constants[i].Required = false
				return c.leaf(b.OpImm(ir.OpFConstDefined, ir.TI1, int64(i))), true
			}
		}
	default:
		panic(c.noCase())
	}
	return val{}, false
}

// loadOf returns the object that a value was read from, looking through conversions.
func loadOf(e typed.Expr) typed.Expr {
	for {
		switch x := e.(type) {
		case *typed.Load:
			e = x.X
		case *typed.Convert:
			e = x.X
		case *typed.AddrOf:
			e = x.X
		default:
			return e
		}
	}
}
