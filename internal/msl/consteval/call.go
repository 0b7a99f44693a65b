package consteval

import (
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

func (m *machine) construct(e *typed.Construct) types.Value {
	obj := m.newObject(e.Typ, types.Value{})
	args := []types.Value{types.RefValue(m.u.Pointer(types.Qualified{Type: e.Typ}), obj)}
	for _, a := range e.Args {
		args = append(args, m.rvalue(a))
	}
	m.enter(e.Ctor, args)
	return m.load(obj)
}

func (m *machine) call(e *typed.Call) types.Value {
	args := make([]types.Value, len(e.Args))
	for i, a := range e.Args {
		args[i] = m.rvalue(a)
	}
	return m.enter(e.Func, args)
}

// enter runs a function.
func (m *machine) enter(fn *typed.Func, args []types.Value) types.Value {
	if m.depth++; m.depth > maxDepth {
		m.fail(ErrDepth)
	}
	body, constexpr := m.host.Body(fn)
	switch {
	case !constexpr:
		m.refuse("non-constexpr function '%s' cannot be used in a constant expression", fn.Name)
	case body == nil:
		m.refuse("undefined function '%s' cannot be used in a constant expression", fn.Name)
	}
	frame := make(map[*typed.Var]*object, len(fn.Params))
	for i, p := range fn.Params {
		frame[p] = m.newObject(p.Type, args[i])
	}
	caller := m.frame
	m.frame, m.ret = frame, types.Value{}
	if m.block(body.List) != flowReturn && !fn.Ctor && fn.Result != types.Type(types.Void) {
		m.refuse("control reached end of constexpr function '%s'", fn.Name)
	}
	m.frame = caller
	m.depth--
	return m.ret
}
