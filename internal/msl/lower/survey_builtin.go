package lower

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// builtinCells is the maximum cost of a library operation, without its arguments.
const builtinCells = 256

// builtin surveys a library call.
func (s *surveyor) builtin(e *typed.Builtin) {
	s.add(builtinCells)
	if _, _, entry := entryOf(e); entry || !s.known(e) {
		s.doubt()
		return
	}
	if e.Op == builtin.OpLogMessage {
		for _, a := range e.Args[1:] {
			if _, ok := literal(a); !ok {
				s.expr(a)
			}
		}
		return
	}
	form := loweringOf(e.Op).args
	if form == argNone {
		return
	}
	for _, a := range e.Args {
		if x, ok := a.(*typed.AddrOf); ok && form == argPlaces {
			s.expr(x.X)
			s.write(x.X.Type())
			continue
		}
		s.expr(a)
	}
}

// known reports whether a library operation can be lowered with its arguments.
func (s *surveyor) known(e *typed.Builtin) bool {
	if e.Op == builtin.OpTileBarrier { // whose place in the flow only lowering knows
		return false
	}
	row := loweringOf(e.Op)
	switch row.how {
	case oneOp, laneOp, fillOp, byMath, byInteger, byRelation, byPacking:
		return s.leaves(e.Args)
	case oneOpByType:
		return s.leaves(e.Args) && row.ops.of(types.ElemOf(e.Args[0].Type())) != ir.OpInvalid
	case byGeometry:
		if e.Op == builtin.OpDeterminant || e.Op == builtin.OpTranspose {
			_, ok := e.Args[0].Type().(*types.Matrix)
			return ok
		}
		return s.leaves(e.Args)
	case byAtomic:
		return s.atomic(e, row)
	case byTexture:
		return s.texture(e)
	}
	switch e.Op {
	case builtin.OpSimdActiveMask, builtin.OpQuadActiveMask, builtin.OpSimdBallot, builtin.OpQuadBallot,
		builtin.OpSimdLane, builtin.OpSimdgroupSize, builtin.OpGridBarrier, builtin.OpThreadPosition,
		builtin.OpLocalPosition, builtin.OpActiveBarrier,
		builtin.OpGridThreads, builtin.OpThreadgroupPosition, builtin.OpGridThreadgroups,
		builtin.OpThreadgroupThreads, builtin.OpThreadIndex, builtin.OpSimdgroupIndex, builtin.OpLauncher:
		return s.leaves(e.Args)
	case builtin.OpThreadgroupBarrier, builtin.OpSimdgroupBarrier, builtin.OpAtomicThreadFence,
		builtin.OpTileBarrier:
		return constants(e.Args)
	case builtin.OpSimdgroupLoad, builtin.OpSimdgroupStore, builtin.OpSimdgroupMultiply,
		builtin.OpSimdgroupMultiplyAccumulate,
		builtin.OpSimdgroupFilled, builtin.OpSimdgroupDiagonal:
		return s.leaves(e.Args)
	case builtin.OpAsType:
		return reinterpretable(e.Args[0].Type(), e.Typ)
	case builtin.OpAssert, builtin.OpAssume, builtin.OpUnreachable, builtin.OpExpect, builtin.OpMove,
		builtin.OpForward, builtin.OpMakeUniform:
		return true
	case builtin.OpLogMessage:
		return logged(e)
	case builtin.OpFunctionConstantDefined:
		return slices.ContainsFunc(roots(nil, loadOf(e.Args[0])), func(v *typed.Var) bool {
			return v.Kind == typed.FunctionConstant && s.leaf(v.Type)
		})
	}
	return false
}

// leaves reports whether all arguments are single SSA values.
func (s *surveyor) leaves(args []typed.Expr) bool {
	return !slices.ContainsFunc(args, func(a typed.Expr) bool { return !s.leaf(a.Type()) })
}

func constant(e typed.Expr) bool {
	_, ok := e.(*typed.Const)
	return ok
}

func constants(args []typed.Expr) bool {
	return !slices.ContainsFunc(args, func(a typed.Expr) bool { return !constant(a) })
}

// atomic reports whether an atomic operation can be lowered: its object can, and the memory orders
// at its end are constants.
func (s *surveyor) atomic(e *typed.Builtin, row *lowering) bool {
	q := pointeeOf(e.Args[0].Type())
	a, ok := q.Type.(*types.Atomic)
	if !ok || q.Space != types.Device && q.Space != types.Threadgroup || !s.leaves(e.Args) {
		return false
	}
	values := 2 // the object and an operand
	switch e.Op {
	case builtin.OpAtomicLoad:
		values = 1
	case builtin.OpAtomicStore:
	case builtin.OpAtomicCompareExchangeWeak:
		values = 3
	default:
		if row.ops.of(a.Elem) == ir.OpInvalid {
			return false
		}
	}
	return len(e.Args) >= values && constants(e.Args[values:])
}

// logged reports whether a message goes to the default log and has a literal format.
func logged(e *typed.Builtin) bool {
	log := e.Args[0]
	if l, ok := log.(*typed.Load); ok {
		log = l.X
	}
	if _, ok := log.(*typed.Zero); !ok || len(e.Args) < 2 || e.Fn.Name == "log_with_type" {
		return false
	}
	_, ok := literal(e.Args[1])
	return ok
}

// texture reports whether a texture method or a sampler can be lowered.
func (s *surveyor) texture(e *typed.Builtin) bool {
	switch e.Op {
	case builtin.OpSamplerConstruct:
		return !slices.ContainsFunc(e.Args, func(a typed.Expr) bool { return !samplerProperty(a) })
	case builtin.OpTexRead, builtin.OpTexWrite, builtin.OpTexSample, builtin.OpTexSampleCompare, builtin.OpTexGather,
		builtin.OpTexGatherCompare,
		builtin.OpTexWidth, builtin.OpTexHeight, builtin.OpTexDepth, builtin.OpTexArraySize, builtin.OpTexMipLevels,
		builtin.OpTexSamples,
		builtin.OpTexFence, builtin.OpTexIsNull, builtin.OpTexAtomicLoad, builtin.OpTexAtomicStore, builtin.OpTexAtomic:
	default:
		return false
	}
	of := e.Args[0].Type()
	if q := pointeeOf(of); q.Type != nil {
		of = q.Type
	}
	if _, ok := of.(*types.Texture); !ok {
		return false
	}
	for _, a := range e.Args[1:] {
		switch t := a.Type().(type) {
		case *types.Struct: // an option
			switch t.Name {
			case "level", "bias", "min_lod_clamp":
			default:
				if len(s.m.shape(t).parts) != 2 {
					return false
				}
			}
		case *types.Enum:
			if !constant(a) {
				return false
			}
		default:
			if !s.leaf(t) {
				return false
			}
		}
	}
	return true
}

// samplerProperty reports whether lowering supports a sampler property.
func samplerProperty(a typed.Expr) bool {
	k, ok := a.(*typed.Const)
	e, enum := a.Type().(*types.Enum)
	if !ok || !enum {
		return false
	}
	for _, v := range e.Values {
		if v.Value.Bits() == k.Value.Bits() && v.Name == "bicubic" {
			return false
		}
	}
	switch e.Name {
	case "coord", "address", "s_address", "t_address", "r_address", "border_color", "filter", "mag_filter", "min_filter",
		"mip_filter",
		"reduction",
		"compare_func":
		return true
	}
	return false
}
