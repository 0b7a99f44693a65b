package consteval

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
		return m.read(m.place(e.X))
	case *typed.Zero:
		if v, ok := m.zero(e.Typ); ok {
			return v
		}
		if e.Typ == types.Type(types.Void) {
			return types.Value{}
		}
	case *typed.AddrOf:
		return types.RefValue(e.Typ, m.lvalue(e.X))
	case *typed.Convert:
		return m.conversion(e)
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
		_, v := m.assignment(e)
		return v
	case *typed.CompoundAssign:
		_, v := m.compound(e)
		return v
	case *typed.IncDec:
		_, v := m.incDec(e)
		return v
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
		return m.load(m.lvalue(e))
	}
	m.fail(ErrNotConstant)
	return types.Value{}
}

// zero returns a type's value with all bits zero.
func (m *machine) zero(t types.Type) (types.Value, bool) {
	m.spend(min(types.Leaves(t), types.MaxElems))
	return types.Zero(t)
}

// effect evaluates an expression whose value is unused. If it denotes an object, the object is not
// read.
func (m *machine) effect(e typed.Expr) {
	if k, ok := e.(*typed.Convert); ok && k.Kind == typed.ConvVoid {
		e = k.X
	}
	switch e.(type) {
	case *typed.Assign, *typed.CompoundAssign, *typed.IncDec:
		m.rvalue(e)
		return
	}
	if e.Base().LValue {
		m.lvalue(e)
		return
	}
	m.rvalue(e)
}

// elem returns an element of a value.
func (m *machine) elem(v types.Value, i int) types.Value {
	if i < 0 || i >= len(v.Elems) {
		m.refuse("index %d is out of bounds of '%s'", i, v.Type)
	}
	return v.Elems[i]
}

// pick returns the components selected by a swizzle.
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

func (m *machine) conversion(e *typed.Convert) types.Value {
	switch e.Kind {
	case typed.ConvVoid:
		m.effect(e.X)
		return types.Value{}
	case typed.ConvDecay:
		o := m.lvalue(e.X)
		if len(o.parts) == 0 {
			m.fail(ErrNotConstant)
		}
		return types.RefValue(e.Typ, o.parts[0])
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
		return m.convert(m.rvalue(e.X), e.Typ)
	}
	m.fail(ErrNotConstant)
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
			m.fail(ErrNotConstant)
		}
	}
	m.spend(n)
	elems := make([]types.Value, n)
	for i := range elems {
		if i < len(e.Elems) && e.Elems[i] != nil {
			elems[i] = m.rvalue(e.Elems[i])
			continue
		}
		z, ok := m.zero(partType(e.Typ, i))
		if !ok {
			m.fail(ErrNotConstant)
		}
		elems[i] = z
	}
	return types.Aggregate(e.Typ, elems)
}
