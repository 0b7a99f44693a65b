package consteval

import (
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// flow says where control goes after a statement.
type flow uint8

const (
	flowNext flow = iota
	flowBreak
	flowContinue
	flowReturn
)

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
		m.frame[s.Var] = m.newObject(s.Var.Type, v)
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
		m.fail(ErrNotConstant)
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
	m.spend(len(s.Cases))
	for i, k := range s.Cases {
		m.spend(len(k.Values))
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
