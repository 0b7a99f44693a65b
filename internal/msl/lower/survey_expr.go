package lower

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/consteval"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// expr surveys an expression, which may be nil.
func (s *surveyor) expr(e typed.Expr) {
	if e == nil || !s.now.sure {
		return
	}
	t := e.Type()
	s.unsure(!s.typ(t))
	s.cost(t)
	switch e := e.(type) {
	case *typed.Const:
		s.unsure(!s.constant(&e.Value))
	case *typed.VarRef:
		s.variable(e.Var)
	case *typed.Load:
		if c, ok := e.X.(*typed.Cond); ok { // a choice between values
			s.unsure(isFuncPtr(t))
			s.arms(c)
			return
		}
	case *typed.PtrAdd, *typed.PtrDiff, *typed.Compose, *typed.Aggregate, *typed.Temp, *typed.Comma:
	case *typed.Deref:
		if a, ok := threadElements(e.X); ok {
			s.expr(a.X)
			s.write(a.X.Type())
			return
		}
	case *typed.AddrOf:
		s.address(e.X, pointeeOf(t))
	case *typed.Member:
		st, ok := e.X.Type().(*types.Struct)
		s.unsure(!ok || e.Index >= len(st.Fields))
	case *typed.Index, *typed.Swizzle:
	case *typed.Unary:
		s.unary(e)
	case *typed.Binary:
		s.unsure(!operable(e.Op, e.X.Type(), e.Y.Type()))
		if _, ok := e.X.Type().(*types.Matrix); ok {
			s.add(256)
		}
		if _, ok := e.Y.Type().(*types.Matrix); ok {
			s.add(256)
		}
	case *typed.Logical:
		s.arms(e)
		return
	case *typed.Cond:
		if e.LValue {
			space, ok := s.space(e)
			s.unsure(!ok || space != spaceOf(e.Space))
		}
		s.unsure(isFuncPtr(t))
		s.arms(e)
		return
	case *typed.Assign:
		s.write(e.X.Type())
	case *typed.CompoundAssign:
		s.compound(e)
	case *typed.IncDec:
		s.write(t)
		_, pointer := t.(*types.Pointer)
		s.unsure(!pointer && types.LenOf(t) == 0)
	case *typed.Convert:
		s.convert(e)
	case *typed.Zero:
		s.unsure(e.LValue)
	case *typed.Construct:
		s.unsure(len(e.Ctor.Params) == 0)
		s.called(e.Ctor)
	case *typed.Call:
		if e.Func == s.fn && s.m.factsOf(s.fn).tail[e] { // lowered as a loop over the parameters
			s.again(e)
			break
		}
		s.called(e.Func)
	case *typed.Builtin:
		s.builtin(e)
		return
	default: // function pointers
		s.doubt()
	}
	typed.Operands(e, s.expr)
}

// arms surveys a choice between expressions.
func (s *surveyor) arms(e typed.Expr) {
	writes, exits := s.writes, s.exits
	s.within(1, func() { typed.Operands(e, s.expr) })
	s.carry(writes, exits, 2)
}

// again surveys a tail-recursive call.
func (s *surveyor) again(e *typed.Call) {
	s.exits++
	for _, p := range e.Func.Params {
		s.cost(p.Type)
		s.write(p.Type)
	}
}

// constant reports whether a constant can be lowered.
func (s *surveyor) constant(v *types.Value) bool {
	if !s.typ(v.Type) {
		return false
	}
	switch s.m.shape(v.Type).class {
	case inMemory:
		return data(v)
	case tree:
		s.cost(v.Type)
		for i := range v.Elems {
			if v.Elems[i].IsValid() && !s.constant(&v.Elems[i]) {
				return false
			}
		}
		return true
	}
	if _, text := v.Ref.(string); text || v.Ref == nil {
		return true
	}
	g, _ := consteval.Address(*v)
	return g != nil && g.Space == types.Constant && s.global(g)
}

// data reports whether a constant consists of numbers only.
func data(v *types.Value) bool {
	if v.Ref != nil {
		return false
	}
	for i := range v.Elems {
		if !data(&v.Elems[i]) {
			return false
		}
	}
	return true
}

// global reports whether a program constant can be placed in memory.
func (s *surveyor) global(v *typed.Var) bool {
	return v.Kind != typed.FunctionConstant && v.Value.IsValid() && v.Type.Size() <= maxConstant &&
		s.typ(v.Type) && data(&v.Value)
}

// variable surveys the use of a variable.
func (s *surveyor) variable(v *typed.Var) {
	if v.ID >= 0 && v.ID < len(s.locals) && s.locals[v.ID] == v || v.Kind == typed.ThreadgroupLocal {
		return
	}
	if v.Kind == typed.Param {
		s.doubt()
		return
	}
	x := s.vars[v]
	if x == nil {
		outer, locals := s.now, s.locals
		x = &survey{}
		s.vars[v] = x
		s.now, s.locals = &survey{sure: true}, nil
		switch {
		case v.Kind == typed.FunctionConstant:
			s.unsure(!s.leaf(v.Type))
		case v.Space == types.Threadgroup:
		case s.typ(v.Type) && s.m.shape(v.Type).class == inMemory:
			s.unsure(!s.global(v))
		case v.Value.IsValid():
			s.unsure(!s.constant(&v.Value))
		case v.Init != nil:
			s.expr(v.Init)
		default:
			s.doubt()
		}
		*x = *s.now
		s.now, s.locals = outer, locals
	}
	s.unsure(!x.sure)
	s.add(x.cells)
	s.now.depth = max(s.now.depth, x.depth)
	s.now.nest = max(s.now.nest, s.nest+x.nest)
}

// address surveys taking the address of an object as a pointer.
func (s *surveyor) address(e typed.Expr, to types.Qualified) {
	space, ok := s.space(e)
	s.unsure(!ok || space != spaceOf(to.Space))
}

// space returns the address space of an object, if it has an address.
func (s *surveyor) space(e typed.Expr) (ir.Space, bool) {
	switch e := e.(type) {
	case *typed.VarRef:
		v := e.Var
		switch {
		case v.Space == types.Threadgroup || v.Kind == typed.ThreadgroupLocal:
			return ir.Threadgroup, true
		case v.ID >= 0 && v.ID < len(s.locals) && s.locals[v.ID] == v:
			return ir.Thread, v.Space == types.None || v.Space == types.Thread
		}
		return ir.Constant, s.global(v)
	case *typed.Deref:
		if _, ok := threadElements(e.X); ok {
			return ir.NoSpace, false
		}
		return spaceOf(pointeeOf(e.X.Type()).Space), true
	case *typed.Temp:
		return ir.Thread, true
	case *typed.Member:
		st, ok := e.X.Type().(*types.Struct)
		if !ok || e.Index >= len(st.Fields) || st.Fields[e.Index].IsBits {
			return ir.NoSpace, false
		}
		return s.space(e.X)
	case *typed.Index:
		if isVector(e.X.Type()) {
			return ir.NoSpace, false
		}
		return s.space(e.X)
	case *typed.Cond:
		x, ok := s.space(e.X)
		y, okY := s.space(e.Y)
		named := x == ir.Constant && len(roots(roots(nil, e.X), e.Y)) > 0 // these may exist as values only
		return x, e.LValue && ok && okY && x == y && !named
	}
	return ir.NoSpace, false
}

// arithmetic reports whether a type is a scalar or vector.
func arithmetic(t types.Type) bool {
	switch t.(type) {
	case *types.Basic, *types.Enum, *types.Vector, *types.Packed:
		return types.ElemOf(t) != nil && t != types.Type(types.Void)
	}
	return false
}

func (s *surveyor) unary(e *typed.Unary) {
	_, matrix := e.X.Type().(*types.Matrix)
	switch e.Op {
	case types.Plus, types.Neg, types.Not, types.BitNot:
		s.unsure(!matrix && !arithmetic(e.X.Type()))
	default:
		s.doubt()
	}
}

// operable reports whether an operator on two types can be lowered.
func operable(op types.Op, x, y types.Type) bool {
	switch op {
	case types.Gt:
		op = types.Lt
	case types.Ge:
		op = types.Le
	}
	if int(op) >= len(binaryOps) {
		return false
	}
	_, mx := x.(*types.Matrix)
	_, my := y.(*types.Matrix)
	if mx || my {
		switch op {
		case types.Eq, types.Ne:
			return mx && my
		case types.Add, types.Sub, types.Mul:
			return (mx || arithmetic(x)) && (my || arithmetic(y))
		}
		return false
	}
	_, sx := x.(*types.SimdgroupMatrix)
	_, sy := y.(*types.SimdgroupMatrix)
	if sx || sy {
		return sx && sy && op == types.Mul
	}
	_, px := x.(*types.Pointer)
	_, py := y.(*types.Pointer)
	if px || py {
		return op.IsComparison()
	}
	if !arithmetic(x) || !arithmetic(y) {
		return false
	}
	elem := types.ElemOf(x)
	if types.LenOf(x) == 1 && types.LenOf(y) > 1 {
		elem = types.ElemOf(y)
	}
	return binaryOps[op].of(elem) != ir.OpInvalid || elem == types.Bool && op.IsComparison()
}

func (s *surveyor) compound(e *typed.CompoundAssign) {
	t := e.X.Type()
	s.write(t)
	if _, ok := t.(*types.Pointer); ok {
		return
	}
	_, matrix := t.(*types.Matrix)
	on := t
	if e.OpType != nil && e.OpType != t {
		on = e.OpType
		s.unsure(!conversion(e.To, t, on) || !conversion(e.From, on, t))
	}
	if matrix {
		s.add(256)
	}
	s.unsure(!operable(e.Op, on, e.Y.Type()))
}

// conversion reports whether a conversion between types can be lowered.
func conversion(kind typed.ConvKind, from, to types.Type) bool {
	switch kind {
	case typed.ConvNone, typed.ConvVoid:
		return true
	case typed.ConvArith, typed.ConvVector, typed.ConvSplat:
		return arithmetic(from) && arithmetic(to)
	case typed.ConvMatrix:
		x, ok := from.(*types.Matrix)
		y, okTo := to.(*types.Matrix)
		return ok && okTo && x.Cols == y.Cols
	case typed.ConvReinterpret:
		return reinterpretable(from, to)
	case typed.ConvPointer:
		return pointerOrNull(from) && pointerOrNull(to)
	case typed.ConvPtrToInt, typed.ConvPtrToBool:
		return pointerOrNull(from) && arithmetic(to)
	case typed.ConvIntToPtr:
		return arithmetic(from) && pointerOrNull(to)
	case typed.ConvDiagonal:
		_, ok := to.(*types.Matrix)
		return ok && arithmetic(from)
	case typed.ConvSimdFill:
		return arithmetic(from)
	}
	return false
}

func pointerOrNull(t types.Type) bool {
	b, basic := t.(*types.Basic)
	q := pointeeOf(t)
	return basic && b.Kind() == types.NullptrKind || q.Type != nil
}

// reinterpretable reports whether as_type between two types can be lowered.
func reinterpretable(from, to types.Type) bool {
	if !arithmetic(from) || !arithmetic(to) {
		return false
	}
	x := ir.Vector(kindOf(types.ElemOf(from)), types.LenOf(from))
	y := ir.Vector(kindOf(types.ElemOf(to)), types.LenOf(to))
	return x == y || x.Kind != ir.I1 && y.Kind != ir.I1 && x.Size() == y.Size()
}

func (s *surveyor) convert(e *typed.Convert) {
	from := e.X.Type()
	if e.Kind == typed.ConvDecay {
		s.address(e.X, pointeeOf(e.Typ))
		return
	}
	s.unsure(!conversion(e.Kind, from, e.Typ))
}
