package lower

import (
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// simple are the library's operations that are one operation of the IR, on the arguments as they are.
var simple = [...]ir.Op{
	builtin.OpAcos: ir.OpACos, builtin.OpAcosh: ir.OpACosH, builtin.OpAsin: ir.OpASin, builtin.OpAsinh: ir.OpASinH, builtin.OpAtan: ir.OpATan,
	builtin.OpAtan2: ir.OpATan2, builtin.OpAtanh: ir.OpATanH, builtin.OpCeil: ir.OpCeil, builtin.OpCopysign: ir.OpCopySign, builtin.OpCos: ir.OpCos,
	builtin.OpCosh: ir.OpCosH, builtin.OpCospi: ir.OpCosPi, builtin.OpDivide: ir.OpFDiv, builtin.OpExp: ir.OpExp, builtin.OpExp10: ir.OpExp10,
	builtin.OpExp2: ir.OpExp2, builtin.OpFAbs: ir.OpFAbs, builtin.OpFdim: ir.OpFDim, builtin.OpFloor: ir.OpFloor, builtin.OpFma: ir.OpFMA,
	builtin.OpFMax: ir.OpFMax, builtin.OpFMin: ir.OpFMin, builtin.OpFmod: ir.OpFMod, builtin.OpFract: ir.OpFract, builtin.OpIlogb: ir.OpILogB,
	builtin.OpLdexp: ir.OpLdExp, builtin.OpLog: ir.OpLog, builtin.OpLog10: ir.OpLog10, builtin.OpLog2: ir.OpLog2, builtin.OpNextafter: ir.OpNextAfter,
	builtin.OpPow: ir.OpPow, builtin.OpPowr: ir.OpPowR, builtin.OpRint: ir.OpRint, builtin.OpRound: ir.OpRound, builtin.OpRsqrt: ir.OpRSqrt,
	builtin.OpSin: ir.OpSin, builtin.OpSinh: ir.OpSinH, builtin.OpSinpi: ir.OpSinPi, builtin.OpSqrt: ir.OpSqrt, builtin.OpTan: ir.OpTan,
	builtin.OpTanh: ir.OpTanH, builtin.OpTanpi: ir.OpTanPi, builtin.OpTrunc: ir.OpFTrunc,
	builtin.OpClz: ir.OpClz, builtin.OpCtz: ir.OpCtz, builtin.OpPopcount: ir.OpPopcount, builtin.OpReverseBits: ir.OpBitReverse, builtin.OpRotate: ir.OpRotL,
	builtin.OpLogicalNot: ir.OpNot,
	builtin.OpSimdAll:    ir.OpSimdAll, builtin.OpSimdAny: ir.OpSimdAny, builtin.OpSimdIsFirst: ir.OpSimdIsFirst, builtin.OpSimdBroadcastFirst: ir.OpSimdFirst,
	builtin.OpQuadAll: ir.OpQuadAll, builtin.OpQuadAny: ir.OpQuadAny, builtin.OpQuadIsFirst: ir.OpQuadIsFirst, builtin.OpQuadBroadcastFirst: ir.OpQuadFirst,
	builtin.OpSimdSum: ir.OpSimdAdd, builtin.OpSimdProduct: ir.OpSimdMul, builtin.OpSimdAnd: ir.OpSimdAnd, builtin.OpSimdOr: ir.OpSimdOr, builtin.OpSimdXor: ir.OpSimdXor,
	builtin.OpSimdPrefixExclusiveSum: ir.OpSimdXScanAdd, builtin.OpSimdPrefixInclusiveSum: ir.OpSimdScanAdd,
	builtin.OpSimdPrefixExclusiveProduct: ir.OpSimdXScanMul, builtin.OpSimdPrefixInclusiveProduct: ir.OpSimdScanMul,
	builtin.OpQuadSum: ir.OpQuadAdd, builtin.OpQuadProduct: ir.OpQuadMul, builtin.OpQuadAnd: ir.OpQuadAnd, builtin.OpQuadOr: ir.OpQuadOr, builtin.OpQuadXor: ir.OpQuadXor,
	builtin.OpQuadPrefixExclusiveSum: ir.OpQuadXScanAdd, builtin.OpQuadPrefixInclusiveSum: ir.OpQuadScanAdd,
	builtin.OpQuadPrefixExclusiveProduct: ir.OpQuadXScanMul, builtin.OpQuadPrefixInclusiveProduct: ir.OpQuadScanMul,
}

// bySign are those that are one operation, chosen by the first argument's type.
var bySign = [...]ops{
	builtin.OpIMax: {signed: ir.OpSMax, unsigned: ir.OpUMax}, builtin.OpIMin: {signed: ir.OpSMin, unsigned: ir.OpUMin},
	builtin.OpAbsdiff: {signed: ir.OpSAbsDiff, unsigned: ir.OpUAbsDiff}, builtin.OpAddsat: {signed: ir.OpSAddSat, unsigned: ir.OpUAddSat},
	builtin.OpSubsat: {signed: ir.OpSSubSat, unsigned: ir.OpUSubSat}, builtin.OpHadd: {signed: ir.OpSHAdd, unsigned: ir.OpUHAdd},
	builtin.OpRhadd: {signed: ir.OpSRHAdd, unsigned: ir.OpURHAdd}, builtin.OpMulhi: {signed: ir.OpSMulHi, unsigned: ir.OpUMulHi},
	builtin.OpSimdMax: {ir.OpSimdSMax, ir.OpSimdUMax, ir.OpSimdFMax, 0}, builtin.OpSimdMin: {ir.OpSimdSMin, ir.OpSimdUMin, ir.OpSimdFMin, 0},
	builtin.OpQuadMax: {ir.OpQuadSMax, ir.OpQuadUMax, ir.OpQuadFMax, 0}, builtin.OpQuadMin: {ir.OpQuadSMin, ir.OpQuadUMin, ir.OpQuadFMin, 0},
}

// laneOps move values between lanes; their last argument is a lane or a distance.
var laneOps = [...]ir.Op{
	builtin.OpSimdBroadcast: ir.OpSimdBroadcast, builtin.OpSimdShuffle: ir.OpSimdShuffle, builtin.OpSimdShuffleDown: ir.OpSimdShuffleDown,
	builtin.OpSimdShuffleUp: ir.OpSimdShuffleUp, builtin.OpSimdShuffleXor: ir.OpSimdShuffleXor,
	builtin.OpSimdShuffleRotateDown: ir.OpSimdRotateDown, builtin.OpSimdShuffleRotateUp: ir.OpSimdRotateUp,
	builtin.OpQuadBroadcast: ir.OpQuadBroadcast, builtin.OpQuadShuffle: ir.OpQuadShuffle, builtin.OpQuadShuffleDown: ir.OpQuadShuffleDown,
	builtin.OpQuadShuffleUp: ir.OpQuadShuffleUp, builtin.OpQuadShuffleXor: ir.OpQuadShuffleXor,
	builtin.OpQuadShuffleRotateDown: ir.OpQuadRotateDown, builtin.OpQuadShuffleRotateUp: ir.OpQuadRotateUp,
}

var fillOps = [...]ir.Op{
	builtin.OpSimdShuffleAndFillDown: ir.OpSimdFillDown, builtin.OpSimdShuffleAndFillUp: ir.OpSimdFillUp,
	builtin.OpQuadShuffleAndFillDown: ir.OpQuadFillDown, builtin.OpQuadShuffleAndFillUp: ir.OpQuadFillUp,
}

// entry is what a table has for an operation of the library; zero is nothing.
func entry[T any](table []T, op builtin.Op) (v T) {
	if int(op) < len(table) {
		v = table[op]
	}
	return v
}

// refBuiltin reports whether the operation's address arguments are lowered as places, so that a variable stays a value.
func refBuiltin(op builtin.Op) bool {
	switch op {
	case builtin.OpFrexp, builtin.OpModf, builtin.OpSincos, builtin.OpSimdgroupLoad, builtin.OpSimdgroupMultiply,
		builtin.OpSimdgroupMultiplyAccumulate, builtin.OpAtomicCompareExchangeWeak, builtin.OpSwap, builtin.OpSimdgroupThreadElements,
		builtin.OpTexAtomicCompareExchange:
		return true
	}
	return false
}

// libCall is a call of the library that is being lowered.
type libCall struct {
	*lowerer
	e    *typed.Builtin
	args []val
	elem *types.Basic // of the first argument
}

// out is the object that argument i refers to.
func (c *libCall) out(i int) place {
	if a, ok := c.e.Args[i].(*typed.AddrOf); ok {
		return c.place(a.X)
	}
	v := c.args[i]
	return place{typ: pointeeOf(v.typ).Type, addr: v.v}
}

func (l *lowerer) builtin(e *typed.Builtin) val {
	c := &libCall{lowerer: l, e: e, args: make([]val, len(e.Args))}
	for i, a := range e.Args {
		if _, ok := a.(*typed.AddrOf); ok && refBuiltin(e.Op) {
			continue
		}
		if l.special(e.Op) || arrayOp(e.Op) {
			continue
		}
		c.args[i] = l.expr(a)
	}
	if len(c.args) > 0 && c.args[0].typ != nil {
		c.elem = types.ElemOf(c.args[0].typ)
	}
	l.setLoc(e.At)
	switch {
	case e.Fast:
		defer l.b.SetFlags(l.b.SetFlags(ir.Fast))
	case e.Precise:
		defer l.b.SetFlags(l.b.SetFlags(0))
	}
	v := c.lower()
	v.typ = e.Typ
	return v
}

// special reports whether an operation looks at its arguments itself.
func (l *lowerer) special(op builtin.Op) bool {
	switch op {
	case builtin.OpSamplerConstruct, builtin.OpFunctionConstantDefined, builtin.OpLogMessage, builtin.OpLogConstruct, builtin.OpIsUniform:
		return true
	}
	return false
}

func (c *libCall) values() []*ir.Value {
	vs := make([]*ir.Value, len(c.args))
	for i := range c.args {
		vs[i] = c.args[i].v
		if vs[i] == nil {
			c.unsupported(c.e.At, "'%s' on '%s'", c.e.Fn.Name, c.args[i].typ)
		}
	}
	return vs
}

// operands returns as many arguments as an operation takes. The compiler's own names of functions, such as __metal_floor, have one
// more, which says whether fast maths is meant.
func (c *libCall) operands(op ir.Op) []*ir.Value {
	sig, _, _ := strings.Cut(op.Info().Sig, "->")
	if n := len(strings.Fields(sig)); n < len(c.args) {
		c.args = c.args[:n]
	}
	return c.values()
}

func (c *libCall) leaf(v *ir.Value) val { return leafVal(c.e.Typ, v) }

func (c *libCall) lower() val {
	op := c.e.Op
	if irOp := entry(simple[:], op); irOp != ir.OpInvalid {
		return c.leaf(c.b.Op(irOp, c.operands(irOp)...))
	}
	if irOp := entry(bySign[:], op).of(c.elem); irOp != ir.OpInvalid {
		return c.leaf(c.b.Op(irOp, c.operands(irOp)...))
	}
	if irOp := entry(laneOps[:], op); irOp != ir.OpInvalid {
		vs := c.values()
		return c.leaf(c.b.Op(irOp, vs[0], c.index32(vs[1], c.args[1].typ)))
	}
	if irOp := entry(fillOps[:], op); irOp != ir.OpInvalid {
		vs := c.values()
		width := int64(ir.SimdWidth)
		if irOp == ir.OpQuadFillDown || irOp == ir.OpQuadFillUp {
			width = ir.QuadWidth
		}
		segment := c.b.Int(ir.TI32, width)
		if len(vs) > 3 {
			segment = c.index32(vs[3], c.args[3].typ)
		}
		return c.leaf(c.b.Op(irOp, vs[0], vs[1], c.index32(vs[2], c.args[2].typ), segment))
	}
	for _, f := range []func() (val, bool){c.maths, c.integer, c.relational, c.geometric, c.packing, c.arrays, c.threads, c.atomic, c.matrices, c.texture, c.commands, c.tables, c.library} {
		if v, ok := f(); ok {
			return v
		}
	}
	c.unsupported(c.e.At, "'%s'", c.e.Fn.Name)
	return val{}
}
