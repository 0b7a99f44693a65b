package check

import (
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// rvalue evaluates an expression for its value.
func (m *machine) rvalue(e typed.Expr) types.Value {
	m.step()
	switch e := e.(type) {
	case *typed.Const:
		return e.Value
	case *typed.Load:
		if s, ok := e.X.(*typed.Swizzle); ok && len(s.Comps) > 1 {
			return m.pick(m.value(m.place(s.X)), s)
		}
		return m.value(m.place(e.X))
	case *typed.Zero:
		if v, ok := types.Zero(e.Typ); ok {
			return v
		}
		if e.Typ == types.Type(types.Void) {
			return types.Value{}
		}
	case *typed.AddrOf:
		return types.RefValue(e.Typ, m.place(e.X))
	case *typed.Convert:
		return m.convert(e)
	case *typed.Unary:
		v, err := types.Unary(e.Op, m.rvalue(e.X))
		if err == nil {
			return v
		}
	case *typed.Binary:
		x, y := m.rvalue(e.X), m.rvalue(e.Y)
		if _, ok := e.X.Type().(*types.Pointer); ok {
			same := x.Ref == y.Ref && x.Offset == y.Offset
			switch e.Op {
			case types.Eq:
				return types.BoolValue(same)
			case types.Ne:
				return types.BoolValue(!same)
			}
			break
		}
		return m.binary(e.Op, x, y)
	case *typed.Logical:
		if m.rvalue(e.X).Truth() == e.Or {
			return types.BoolValue(e.Or)
		}
		return types.BoolValue(m.rvalue(e.Y).Truth())
	case *typed.Cond:
		if m.rvalue(e.C).Truth() {
			return m.rvalue(e.X)
		}
		return m.rvalue(e.Y)
	case *typed.Comma:
		m.effect(e.X)
		return m.rvalue(e.Y)
	case *typed.Member:
		return m.elem(m.rvalue(e.X), e.Index)
	case *typed.Index:
		i, _ := m.rvalue(e.Index).Int()
		return m.elem(m.rvalue(e.X), int(i))
	case *typed.Swizzle:
		return m.pick(m.rvalue(e.X), e)
	case *typed.Compose:
		return m.compose(e)
	case *typed.Aggregate:
		return m.aggregate(e)
	case *typed.Temp:
		return m.rvalue(e.X)
	case *typed.Construct:
		return m.construct(e)
	case *typed.Call:
		return m.call(e)
	case *typed.Assign:
		v := m.rvalue(e.Y)
		m.store(e.X, v)
		return v
	case *typed.CompoundAssign:
		return m.compound(e)
	case *typed.IncDec:
		return m.incDec(e)
	case *typed.PtrAdd:
		n, _ := m.rvalue(e.N).Int()
		p := m.rvalue(e.X)
		p.Offset += n
		return p
	case *typed.Builtin:
		return m.builtin(e)
	case *typed.FuncAddr:
		return types.RefValue(e.Typ, e.Func)
	case *typed.VarRef, *typed.Deref:
		return m.value(m.place(e))
	}
	m.fail(whyNot)
	return types.Value{}
}

func (m *machine) effect(e typed.Expr) {
	if k, ok := e.(*typed.Convert); ok && k.Kind == typed.ConvVoid {
		e = k.X
	}
	if e.Base().LValue {
		m.place(e)
		return
	}
	m.rvalue(e)
}

func (m *machine) elem(v types.Value, i int) types.Value {
	if i < 0 || i >= len(v.Elems) {
		m.not("index %d is out of the bounds of '%s'", i, v.Type)
	}
	return v.Elems[i]
}

func (m *machine) pick(v types.Value, s *typed.Swizzle) types.Value {
	if len(s.Comps) == 1 {
		return m.elem(v, int(s.Comps[0]))
	}
	elems := make([]types.Value, len(s.Comps))
	for i, k := range s.Comps {
		elems[i] = m.elem(v, int(k))
	}
	return types.Aggregate(s.Typ, elems)
}

func (m *machine) convert(e *typed.Convert) types.Value {
	switch e.Kind {
	case typed.ConvVoid:
		m.effect(e.X)
		return types.Value{}
	case typed.ConvDecay:
		p := m.place(e.X)
		if len(p.parts) == 0 {
			m.fail(whyNot)
		}
		return types.RefValue(e.Typ, p.parts[0])
	case typed.ConvPointer:
		v := m.rvalue(e.X)
		v.Type = e.Typ
		return v
	case typed.ConvPtrToBool:
		return types.BoolValue(m.rvalue(e.X).Ref != nil)
	case typed.ConvDiagonal:
		v := m.rvalue(e.X)
		t := e.Typ.(*types.Matrix)
		z, _ := types.Zero(t)
		for i := range min(t.Cols, t.Rows) {
			z.Elems[i].Elems[i] = v
		}
		return z
	case typed.ConvArith, typed.ConvVector, typed.ConvSplat, typed.ConvMatrix:
		return m.conv(m.rvalue(e.X), e.Typ)
	}
	m.fail(whyNot)
	return types.Value{}
}

func (m *machine) compose(e *typed.Compose) types.Value {
	var flat []types.Value
	for _, x := range e.Elems {
		v := m.rvalue(x)
		if v.Elems != nil {
			flat = append(flat, v.Elems...)
		} else {
			flat = append(flat, v)
		}
	}
	if t, ok := e.Typ.(*types.Matrix); ok {
		cols := make([]types.Value, t.Cols)
		for i := range cols {
			cols[i] = types.Aggregate(t.Column(), flat[i*t.Rows:(i+1)*t.Rows])
		}
		return types.Aggregate(t, cols)
	}
	return types.Aggregate(e.Typ, flat)
}

func (m *machine) aggregate(e *typed.Aggregate) types.Value {
	n := len(e.Elems)
	switch t := e.Typ.(type) {
	case *types.Array:
		n = t.Len
	case *types.Struct:
		n = len(t.Fields)
		if t.IsUnion() {
			m.fail(whyNot)
		}
	}
	m.spend(n)
	elems := make([]types.Value, n)
	for i := range elems {
		if i < len(e.Elems) && e.Elems[i] != nil {
			elems[i] = m.rvalue(e.Elems[i])
			continue
		}
		z, ok := types.Zero(partType(e.Typ, i))
		if !ok {
			m.fail(whyNot)
		}
		elems[i] = z
	}
	return types.Aggregate(e.Typ, elems)
}

func (m *machine) construct(e *typed.Construct) types.Value {
	obj := m.newCell(e.Typ, types.Value{})
	args := []types.Value{types.RefValue(m.c.u.Pointer(Q{Type: e.Typ}), obj)}
	for _, a := range e.Args {
		args = append(args, m.rvalue(a))
	}
	m.enter(e.Ctor, args)
	return m.value(obj)
}

func (m *machine) call(e *typed.Call) types.Value {
	args := make([]types.Value, len(e.Args))
	for i, a := range e.Args {
		args[i] = m.rvalue(a)
	}
	return m.enter(e.Func, args)
}

// enter runs a function. Functions that are not declared constexpr run too where they can: lambdas are, and the rest is
// only asked for where a constant would be welcome.
func (m *machine) enter(fn *typed.Func, args []types.Value) types.Value {
	f := m.c.functionOf(fn)
	if f == nil || !fn.Constexpr && f.lambda == nil {
		m.not("'%s' is called, which is not constexpr", fn.Name)
	}
	if m.depth++; m.depth > 256 {
		m.fail(whyDepth)
	}
	m.c.body(f)
	if fn.Body == nil || f.state != stateDone {
		m.not("'%s' is called, which is not defined yet", fn.Name)
	}
	frame := make(map[*typed.Var]*cell)
	for i, p := range fn.Params {
		frame[p] = m.newCell(p.Type, args[i])
	}
	m.frames = append(m.frames, frame)
	m.ret = types.Value{}
	m.block(fn.Body.List)
	m.frames = m.frames[:len(m.frames)-1]
	m.depth--
	return m.ret
}

func (m *machine) compound(e *typed.CompoundAssign) types.Value {
	p := m.place(e.X)
	y := m.rvalue(e.Y)
	x := m.value(p)
	if _, ok := e.X.Type().(*types.Pointer); ok {
		n, _ := y.Int()
		x.Offset += n
		m.assign(p, x)
		return x
	}
	r := m.conv(m.binary(e.Op, m.conv(x, e.OpType), y), e.X.Type())
	m.assign(p, r)
	return r
}

func (m *machine) incDec(e *typed.IncDec) types.Value {
	p := m.place(e.X)
	old := m.value(p)
	var v types.Value
	if _, ok := e.X.Type().(*types.Pointer); ok {
		v = old
		if v.Offset++; e.Dec {
			v.Offset -= 2
		}
	} else {
		op := types.Add
		if e.Dec {
			op = types.Sub
		}
		one := m.conv(types.IntValue(types.Int, 1), e.X.Type())
		o := types.BinaryOperands(op, e.X.Type(), e.X.Type())
		v = m.conv(m.binary(op, m.conv(old, o.Left), m.conv(one, o.Right)), e.X.Type())
	}
	m.assign(p, v)
	if e.Post {
		return old
	}
	return v
}

func (m *machine) block(list []typed.Stmt) flow {
	for _, s := range list {
		if f := m.stmt(s); f != flowNext {
			return f
		}
	}
	return flowNext
}

func (m *machine) stmt(s typed.Stmt) flow {
	m.step()
	switch s := s.(type) {
	case *typed.Block:
		return m.block(s.List)
	case *typed.VarDecl:
		v := types.Value{}
		if s.Init != nil {
			v = m.rvalue(s.Init)
		}
		m.frames[len(m.frames)-1][s.Var] = m.newCell(s.Var.Type, v)
	case *typed.ExprStmt:
		m.effect(s.X)
	case *typed.If:
		if m.rvalue(s.Cond).Truth() {
			return m.block(s.Then.List)
		}
		if s.Else != nil {
			return m.block(s.Else.List)
		}
	case *typed.Loop:
		return m.loop(s)
	case *typed.Switch:
		return m.switchOn(s)
	case *typed.Break:
		return flowBreak
	case *typed.Continue:
		return flowContinue
	case *typed.Return:
		if s.X != nil {
			m.ret = m.rvalue(s.X)
		}
		return flowReturn
	default:
		m.fail(whyNot)
	}
	return flowNext
}

func (m *machine) loop(s *typed.Loop) flow {
	m.block(s.Init)
	for first := true; ; first = false {
		m.step()
		if !first && s.Post != nil {
			m.effect(s.Post)
		}
		if s.Cond != nil && (s.TestFirst || !first) && !m.rvalue(s.Cond).Truth() {
			return flowNext
		}
		switch m.block(s.Body.List) {
		case flowBreak:
			return flowNext
		case flowReturn:
			return flowReturn
		}
	}
}

func (m *machine) switchOn(s *typed.Switch) flow {
	v := m.rvalue(s.X)
	start := -1
	for i, k := range s.Cases {
		for _, w := range k.Values {
			if w.Equal(v) {
				start = i
			}
		}
	}
	if start < 0 {
		for i, k := range s.Cases {
			if k.Default {
				start = i
			}
		}
	}
	if start < 0 {
		return flowNext
	}
	for _, k := range s.Cases[start:] {
		switch f := m.block(k.Body); f {
		case flowBreak:
			return flowNext
		case flowNext:
		default:
			return f
		}
	}
	return flowNext
}
