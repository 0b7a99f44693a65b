package gokernel

import (
	"go/ast"
	"go/token"
)

// startRange returns the values with which the variable of a loop begins.
func (in *instance) startRange(s *ast.ForStmt) *interval {
	if a, ok := s.Init.(*ast.AssignStmt); ok && len(a.Rhs) == 1 {
		if r, ok := in.rangeOf(a.Rhs[0]); ok {
			return &r
		}
	}
	return nil
}

// counter notes the values of the variable of a loop that counts up or down by constants and that
// the body does not assign.
func (in *instance) counter(s *ast.ForStmt, start *interval) {
	a, ok := s.Init.(*ast.AssignStmt)
	if !ok || start == nil || s.Cond == nil {
		return
	}
	v := in.variableOf(a.Lhs[0])
	if v == nil || in.assigns(s.Body, v) {
		return
	}
	whole, ok := in.variableRange(v)
	if !ok {
		return
	}
	up, down := false, false
	switch p := s.Post.(type) {
	case *ast.IncDecStmt:
		if in.variableOf(p.X) == v {
			up, down = p.Tok == token.INC, p.Tok == token.DEC
		}
	case *ast.AssignStmt:
		if len(p.Lhs) == 1 && in.variableOf(p.Lhs[0]) == v {
			r, known := in.rangeOf(p.Rhs[0])
			switch p.Tok {
			case token.ADD_ASSIGN, token.MUL_ASSIGN, token.SHL_ASSIGN:
				up = known && r.lo >= 0 && (p.Tok == token.ADD_ASSIGN || start.lo >= 0)
			case token.SUB_ASSIGN:
				down = known && r.lo >= 0
			case token.QUO_ASSIGN, token.SHR_ASSIGN:
				down = start.lo >= 0
			}
		}
	}
	// Counting up stays below the bound of the condition if one step more does not wrap: the bound
	// is at least a step from the end of the type.
	bound, isBound := s.Cond.(*ast.BinaryExpr)
	if !isBound {
		return
	}
	r, known := in.rangeOf(bound.Y)
	switch {
	case up && known && in.variableOf(bound.X) == v && (bound.Op == token.LSS || bound.Op == token.LEQ) &&
		in.stepFits(s.Post, r.hi, whole):
		step, _ := in.step(s.Post)
		hi := r.hi + step
		if bound.Op == token.LSS {
			hi--
		}
		in.facts.ranges[v] = interval{start.lo, max(hi, start.hi)}
	case down && start.lo >= 0 && whole.lo == 0 && isShrink(s.Post):
		in.facts.ranges[v] = interval{0, start.hi}
	case down && known && in.variableOf(bound.X) == v && (bound.Op == token.GTR || bound.Op == token.GEQ) &&
		whole.lo < 0:
		lo := r.lo
		if step, ok := in.step(s.Post); ok {
			lo = r.lo - step
			if lo > r.lo {
				return
			}
		} else if isShrink(s.Post) {
			lo = min(lo, 0)
		} else {
			return
		}
		if lo < whole.lo {
			return
		}
		in.facts.ranges[v] = interval{min(lo, start.lo), start.hi}
	}
}

func isShrink(s ast.Stmt) bool {
	a, ok := s.(*ast.AssignStmt)
	return ok && (a.Tok == token.QUO_ASSIGN || a.Tok == token.SHR_ASSIGN)
}

// step returns the greatest step of a loop that adds or subtracts.
func (in *instance) step(s ast.Stmt) (int64, bool) {
	switch p := s.(type) {
	case *ast.IncDecStmt:
		return 1, true
	case *ast.AssignStmt:
		if p.Tok == token.ADD_ASSIGN || p.Tok == token.SUB_ASSIGN {
			r, ok := in.rangeOf(p.Rhs[0])
			return r.hi, ok && r.lo >= 0
		}
	}
	return 0, false
}

// stepFits reports whether a loop that counts up to a bound does not wrap.
func (in *instance) stepFits(s ast.Stmt, bound int64, whole interval) bool {
	step, ok := in.step(s)
	return ok && bound <= whole.hi-step
}
